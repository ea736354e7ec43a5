#!/bin/sh
# SPDX-License-Identifier: MIT
# bad_input_test.sh TERRARIUM ENGINE: whatever is wrong is said in one line that names it, and leaves nothing behind.
ours=$2
. "$(dirname "$0")/../cli/tell.sh"
own_runtime
trap '"$terrarium" stop --all --yes >/dev/null 2>&1; "$ours" rm -f mine-$$ >/dev/null 2>&1; rm -rf "$dir"' EXIT
here="exec --backend $ours --image"

# refused WORDS: code 125, nothing on stdout, one line that holds these words; what took long was said before.
refused() {
	expect_code 125
	expect_out ''
	[ "$(wc -l <err)" -le 2 ] || wrong "there should be one line on stderr"
	tail -n 1 err >last
	for word; do
		expect_in last "$word"
	done
}

# ---- images

try $here localhost/tt:none -- true
refused localhost/tt:none pull
try $here localhost/tt:foreign -- /hello
refused localhost/tt:foreign "$("$ours" image inspect -f '{{.Architecture}}' localhost/tt:foreign)" \
	"$("$ours" image inspect -f '{{.Architecture}}' localhost/tt:static)"
for name in 'bad name' -v '' localhost/tt:; do
	try exec --backend "$ours" "--image=$name" -- true
	refused
done
try $here localhost/tt:static -- sh
expect_in err sh
expect_code 127
# An entrypoint that ends at once is not what we run.
try $here localhost/tt:exits -- /hello
expect_code 0
expect_out hello
try $here localhost/tt:deb --user nosuch -- true
refused nosuch
try $here localhost/tt:static --user 4711:4712 -- /hello
expect_out hello

# A language that an image lacks: where it is to be had.
try langs --backend "$ours" --image localhost/tt:slim
expect_code 0
expect_in out "missing: apt install nodejs, or image node:22-slim"
expect_in out "missing: apt install ruby, or image ruby:3.3-slim"
try langs --backend "$ours" --image localhost/tt:slim --json
is_json '{t["name"]: t["found"] for t in value} == {t["name"]: t["name"] in ("python", "bash") for t in value}'
try run --yes --backend "$ours" --image localhost/tt:slim -l ruby -c 1
expect_in err "ruby cannot be started: ruby: not found in the sandbox, which was made from localhost/tt:slim: choose an image that has it, as ruby:3.3-slim"
# Without an engine that is named, one that works is asked.
try langs --image localhost/tt:deb --names
expect_code 0

# ---- containers of others

try exec --backend "$ours" --container no-such-container -- true
refused no-such-container
"$ours" run -d --name mine-$$ --network none localhost/tt:exits >/dev/null
try exec --backend "$ours" --container mine-$$ -- /hello
refused mine-$$
[ -n "$("$ours" ps -aq --filter name=mine-$$)" ] || wrong "a container of others should not be removed"
"$ours" rm -f mine-$$ >/dev/null
"$ours" run -d --name mine-$$ --network none localhost/tt:static stay >/dev/null
try exec --backend "$ours" --container mine-$$ -- /hello
expect_code 0
expect_out hello
[ "$("$ours" inspect -f '{{.State.Running}}' mine-$$)" = true ] || wrong "it should go on running"
"$ours" stop -t 0 mine-$$ >/dev/null
try exec --backend "$ours" --container mine-$$ -- /hello
expect_code 0
expect_out hello
"$ours" rm -f mine-$$ >/dev/null

# ---- names that exist

try run --yes --backend "$ours" --image localhost/tt:deb --keep --name taken -c 'x = 41'
expect_code 0
for same in "--image localhost/tt:deb" "--backend $ours" ''; do
	try run --yes $same --name taken -c 'print(x)'
	expect_out 41
done
try run --yes --image localhost/tt:static --name taken -c 1
refused taken localhost/tt:deb --image --name
try exec --image localhost/tt:static taken -- true
refused taken localhost/tt:deb --image
try run --yes --backend "$ours" --container mine-$$ --name taken -c 1
refused taken localhost/tt:deb --container
try run --yes --backend local --name taken -c 1
refused taken "$ours" local --backend
try run --yes --name taken -c 'print(x)'
expect_out 41
try stop taken --yes

# ---- a disk that is full: the program's own error, and the sandbox goes on

try run --yes --backend "$ours" --image localhost/tt:deb --read-only --disk 8 --keep --name full -c '
with open("/workspace/big", "wb", buffering=0) as f:
    while True:
        f.write(bytes(1 << 20))'
expect_code 1
expect_in err 'No space left on device'
expect_in err 'disk full'
head -c 1000 /dev/zero >small
try cp small full:/workspace/small
expect_code 125
expect_in err 'No space left on device'
try run --yes --name full -c 'import os; print(os.listdir("/workspace")); os.unlink("/workspace/big")'
expect_out "['big']"
try cp small full:/workspace/small
expect_code 0
try run --yes --name full -c 'print(os.path.getsize("/workspace/small"))'
expect_out 1000
try stop full --yes

# ---- options that do not go together, and engines that are not there

try exec --backend "$ours" --image localhost/tt:deb --container x -- true
refused --image --container
try exec --backend "$ours" -- true
expect_code 125
expect_in err image
tried_path=$PATH
mkdir none
ln -s "$(command -v setsid)" none/setsid
PATH="$dir/none"
try exec --backend "$ours" --image localhost/tt:deb -- true
PATH=$tried_path
refused "$ours"
if [ "$ours" = docker ]; then
	tried_host=$DOCKER_HOST
	export DOCKER_HOST=unix://$dir/nobody.sock
	try $here localhost/tt:deb -- true
	refused nobody.sock
	export DOCKER_HOST=tcp://127.0.0.1:1
	try $here localhost/tt:deb -- true
	refused 127.0.0.1:1
	export DOCKER_HOST=$tried_host
	# Nobody may not use the socket.
	mkdir -m 700 theirs
	chown nobody theirs
	chmod 711 "$dir"
	if [ "$(id -u)" = 0 ] && setpriv --reuid=nobody --clear-groups test -x "$terrarium"; then
		code=0
		tried='as nobody'
		XDG_RUNTIME_DIR="$dir/theirs" DOCKER_CONFIG="$dir/theirs" setpriv --reuid=nobody --clear-groups \
			setsid -w "$terrarium" $here localhost/tt:deb -- true >out 2>err || code=$?
		refused docker 'permission denied' group
		[ -z "$(ls theirs/terrarium 2>/dev/null)" ] || wrong "nothing should be left"
	fi
fi

# ---- commands that hang, in a recipe of the user's

# try_hanging STEP: with a second for each step, and more if others than the one that hangs were too slow with that.
try_hanging() {
	for limit in 1 6 36; do
		cat >config/terrarium/config.json <<-CONFIG
		{"backends": {"slow": {"like": "$ours", "timeout": $limit,
			"steps": {"$1": ["sh", "-c", "sleep 100", "{image}"]}}}}
		CONFIG
		try exec --backend slow --name mine --image localhost/tt:deb -- true
		grep -o "step '[a-z]*' hangs" err | grep -vq "'$1'" || break
	done
}

mkdir -p config/terrarium
for step in image create destroy; do
	try_hanging $step
	if [ $step = destroy ]; then # what was asked for has been done
		expect_code 0
		"$ours" rm -f $("$ours" ps -aq --filter label=dev.terrarium.name=mine) >/dev/null
	else
		refused slow $step
	fi
done
[ -z "$("$ours" ps -aq --filter label=dev.terrarium.name=mine)" ] || wrong "left behind"
verdict
