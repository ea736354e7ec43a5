#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium snapshot`, `snapshots` and --from with local sandboxes: what is in a snapshot, what is not, and what may not
# happen to one.
. "$(dirname "$0")/tell.sh"
own_runtime
need_local
store=$dir/.local/share/terrarium/snapshots

try snapshots
expect_code 0
expect_out ""
try snapshots --json
expect_out "[]"

# Files, modes, times, links wherever they lead, holes; of processes, mounts and /tmp nothing.
mkdir shown
echo shown >shown/file
mount="--mount shown:/workspace/shown"
if ! has_namespaces; then
	mount=
	echo "not tried: a mount, which is a link without namespaces, and as such in the snapshot"
fi
# shellcheck disable=SC2086 # two words, or none
try run --yes --keep --name lab $mount -l bash -c '
mkdir -p d/locked && echo in >d/file && touch -d 2001-02-03T04:05:06 d/file
ln -s /etc/passwd out; ln -s d/file in; ln -s ../../../../../../etc up
echo run >program && chmod 6755 program; chmod 555 d/locked
truncate -s 40M hole; echo home >~/.own; echo tmp >/tmp/tmp; mkfifo fifo; x=1'
expect_code 0
try snapshot lab base
expect_code 0
expect_in out "base ("
expect_in err "left out: /workspace/fifo: this is a FIFO"
try run --yes --from base -l bash -c '
cat d/file ~/.own; readlink out in up; stat -c "%a %n" program d/locked; stat -c %Y d/file; stat -c "%s %b" hole
ls /tmp/tmp shown/file fifo 2>&1 | grep -c "No such"; echo "x=$x"; id -un 2>/dev/null | grep -c root'
expect_out "in
home
/etc/passwd
d/file
../../../../../../etc
755 program
555 d/locked
$(date -d 2001-02-03T04:05:06 +%s)
41943040 0
3
x=
0"
[ "$(find "$store" -perm /6000)" = "" ] || wrong "no file should have a set-id bit"
[ "$(stat -c %a "$store")" = 700 ] || wrong "others may not read snapshots"

# Each sandbox has its own files; the snapshot stays as it is.
try run --yes --from base -l bash -c 'rm -rf d/file; echo new >new; echo changed >~/.own'
expect_code 0
try exec --from base -- sh -c 'cat ~/.own; ls new d/file'
expect_in out home
expect_in out d/file
expect_in err "new"

# A server's sandboxes start from it.
setsid -w "$terrarium" serve --dev --port 0 --from base >serve.out 2>serve.err &
serving=$!
until_true grep -q 'http://' serve.out serve.err
cat >ask.py <<'PY'
import json, re, sys, urllib.request
url = re.search(r'http://[^\s/]+', open('serve.out').read() + open('serve.err').read())[0] + '/api/v1/rpc'
def ask(method, **params):
	params = {'namespace': 'default', 'sandbox': 'far', **params}
	body = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': method, 'params': params}).encode()
	return json.load(urllib.request.urlopen(urllib.request.Request(url, body, {'Content-Type': 'application/json'})))
ask('sandbox.start', config={'image': 'microsandbox/python'})
print(ask('sandbox.repl.run', language='python', code='print(open("d/file").read())')['result']['output'][0]['text'].strip())
ask('sandbox.stop')
PY
tried="serve --from"
/usr/bin/python3 ask.py >out 2>err
expect_out in
kill $serving
wait $serving

# The list.
try snapshots --json
is_json 'len(value) == 1 and value[0]["tag"] == "base" and value[0]["backend"] == "local" and value[0]["sandbox"] == "lab"'
is_json 'value[0]["files"] == 7 and value[0]["bytes"] < 1 << 20 and value[0]["image"] is None and not value[0]["in_use"]'
try snapshots
expect_in out "TAG"
expect_in out "base  local    lab"

# One that is in use is neither removed nor replaced; afterwards it is.
try run --yes --keep --name user1 --from base -c 1
expect_code 0
try inspect user1
expect_in out "from        base"
try snapshots
expect_in out "in use"
try snapshots rm base
expect_code 1
expect_in err "is in use by user1, and is not removed: stop what uses it first"
try snapshot lab base
expect_code 125
expect_in err "there is a snapshot 'base'"
try snapshot lab base --force
expect_code 125
expect_in err "the snapshot 'base' is in use"
try stop user1 --yes
try exec --name lab -- sh -c 'echo second >version'
try snapshot lab base --force --json
expect_code 0
is_json 'value["tag"] == "base" and value["files"] == 8'
try run --yes --from base -l bash -c 'cat version'
expect_out second
try snapshots rm base nothing
expect_code 1
expect_out base
expect_in err "there is no snapshot 'nothing'"
[ -z "$(ls -A "$store")" ] || wrong "nothing should be left: $(ls -A "$store")"

# Removed at the very moment when others start from it: whoever starts has all of its files, or is told that there is none; and
# it goes only when nobody has it.
try exec --name lab -- sh -c 'for i in $(seq 300); do echo $i >f$i; done'
for round in 1 2 3; do
	try snapshot lab race --force
	expect_code 0
	starting=
	for i in 1 2 3; do
		setsid -w "$terrarium" run --yes --from race -l bash -c 'cat $(ls f* | sort -V) | wc -l' >race$i 2>race$i.err &
		starting="$starting $!"
	done
	n_refused=0
	until [ $n_refused = 200 ]; do
		try snapshots rm race
		[ $code != 0 ] || break
		n_refused=$((n_refused + 1))
		expect_in err "is in use"
	done
	expect_code 0
	wait $starting
	tried="run --from race, while it is removed"
	for i in 1 2 3; do
		[ "$(cat race$i)" = 300 ] || grep -q "there is no snapshot 'race'\|the snapshot 'race' is being" race$i.err \
			|| wrong "half a snapshot: $(cat race$i race$i.err)"
	done
done

# What is no tag, what is not there, what does not go together.
for tag in ../x .x a/b '' 'a b' "$(printf '%065d' 1)" -; do
	try snapshot lab -- "$tag"
	expect_code 125
	expect_in err "cannot be the tag of a snapshot"
done
try snapshot nobody x
expect_code 125
expect_in err "there is no running sandbox 'nobody'"
try snapshot lab
expect_code 125
expect_in err "TAG is missing"
try run --yes --from nothing -c 1
expect_code 125
expect_in err "there is no snapshot 'nothing'"
try snapshots ls
expect_code 125
expect_in err "'ls' is neither"
try snapshot lab one
try run --yes --from two -c 1
expect_in err "there is no snapshot 'two'; there are: one"
try run --yes --backend docker --from one -c 1
expect_code 125
expect_in err "the snapshot 'one' is of the backend 'local'"

# What does not fit is told before anything starts.
try run --yes --keep --name big -l bash -c 'head -c 30000000 /dev/urandom >bytes'
try snapshot big big
try run --yes --from big --disk 16 -c 1
expect_code 125
expect_in err "the snapshot 'big' has 29 MiB of files, and the sandbox may have 16: give it more"
try snapshot big small --max-size 10
expect_code 125
expect_in err "the files do not fit into a snapshot"
try snapshot big small --max-files 1
expect_code 125
expect_in err "the files do not fit into a snapshot"

# A damaged one is told of, and can be removed.
echo rubbish >"$store/one/about"
try run --yes --from one -c 1
expect_code 125
expect_in err "is damaged"
try snapshots rm one
expect_code 0

# Nothing is left of one that was given up, or whose program was killed.
try run --yes --keep --name many -l bash -c 'mkdir m; cd m; for i in $(seq 3000); do echo $i >$i; done'
"$terrarium" snapshot many given >out 2>err &
given=$!
until_true sh -c "[ -n \"\$(find '$store' -path '*.new-*' -name 1 2>/dev/null)\" ] || ! kill -0 $given 2>/dev/null"
kill -KILL $given 2>/dev/null
wait $given 2>/dev/null
try snapshots
[ -z "$(find "$store" -maxdepth 1 -name '.*-*')" ] || wrong "leftovers should be gone: $(ls -A "$store")"

# From one level of isolation to the other, and back.
levels=landlock
! sh "$source/tests/support/namespaces.sh" >/dev/null || levels="landlock namespaces"
try run --yes --isolation landlock -c pass
[ "$code" = 0 ] || levels= # the kernel has no Landlock
for level in $levels; do
	try run --yes --keep --name "from-$level" --isolation "$level" -c 'open("level", "w").write("kept")'
	expect_code 0
	try snapshot "from-$level" "of-$level"
	expect_code 0
	for other in $levels; do
		try run --yes --isolation "$other" --from "of-$level" -c 'print(open("level").read())'
		expect_out kept
	done
	try stop "from-$level"
done

# A full disk. (Only root can make one.)
if [ "$(id -u)" = 0 ] && mkdir full && mount -t tmpfs -o size=4m tmpfs full 2>/dev/null; then
	code=0
	XDG_DATA_HOME=$dir/full "$terrarium" snapshot big full >out 2>err || code=$?
	tried="snapshot on a full disk"
	expect_code 125
	expect_in err "No space left on device"
	[ -z "$(find full/terrarium/snapshots -mindepth 1)" ] || wrong "nothing should be left on the full disk"
	umount full
fi

# Packages of the shared cache are found again; a folder that others can write is not used.
chmod 777 "$store"
try snapshots
expect_code 125
expect_in err "other users may write there"
chmod 700 "$store"
verdict
