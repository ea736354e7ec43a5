# SPDX-License-Identifier: MIT
# run --with, from an index of the test's own: libraries that are there before the code runs.
. "$(dirname "$0")/own_index.sh"

allow="--net-allow $address/32"

# They are fetched outside of the sandbox, which gets no network by that; and once for all sandboxes.
try run --yes $allow --with demo -c 'import demo, helper; print(demo.version, helper.f())'
expect_code 0
expect_out "1.0 helped"
expect_requests 1 demo-1.0
try run --yes $allow --with demo -c 'import demo; print(demo.__file__)' -c 'import socket; socket.create_connection(("'$address'", 80), 1)'
expect_in out /sets/
expect_in err "unreachable"
expect_requests 1 demo-1.0
[ -z "$(find cache -type f -perm /222)" ] || wrong "files of the cache should be for reading only"

# What it took is told beside the run's own time.
try run --yes --json $allow --with demo -c 'import demo'
is_json 'value["install_ms"] > 0 and value["compile_ms"] is None'
try run --yes --json -c 1
is_json 'value["install_ms"] is None'

# Several, in one word or many, with versions; in a program of its own, and in its children.
cat >program.py <<'PY'
import subprocess, sys
import helper, plain
print(plain.x, subprocess.check_output([sys.executable, '-c', 'import helper; print(helper.f())'], text=True), end='')
PY
try run --yes $allow --with 'helper>=1,<2,plain' --with plain==2.0 program.py
expect_code 0
expect_out "2 helped"

# In a sandbox that is kept: what it has is not asked for again. It is found by an interpreter that runs already.
try run --yes --keep --name lab $allow -c 'print("up")'
try run --yes --name lab --with demo -c 'import demo; demo.version'
expect_out "'1.0'"
before=$(wc -l <requests)
chmod -R u+w cache && mv cache away
try run --yes --name lab --with demo -c 'demo.version'
expect_out "'1.0'"
mv away cache
[ "$(wc -l <requests)" = "$before" ] || wrong "the index was asked again"

# A damaged set is not used: it comes anew.
damaged=$(find cache -path '*/sets/*' -name demo.py | head -n 1)
chmod u+w "$damaged"
echo >"$damaged"
try run --yes $allow --with demo -c 'import demo; demo.version'
expect_out "'1.0'"

# A failure is the run's: with the words of pip, and nothing runs.
try run --yes $allow --with there-is-no-such -c 'print("it ran")'
expect_code 1
expect_out ""
expect_in err "No matching distribution found for there-is-no-such"
expect_in err "pip failed"
try run --yes --json $allow --with there-is-no-such -c 'print("it ran")'
expect_code 1
is_json 'value["status"] == "error" and value["error"]["name"] == "InstallError" and value["stdout"] == ""'
is_json '"No matching distribution" in value["error"]["message"]'
try run --yes $allow --with insource -c 'print("it ran")'
expect_code 1
expect_out ""
expect_in err "start with --net on"
try run --yes --net on $allow --with insource -c 'import insource; insource.answer'
expect_code 0
expect_out 42

# A wheel whose sum differs, wishes that contradict one another, one that does not fit: nothing runs, nothing stays.
try run --yes $allow --with forged -c 'print("it ran")'
expect_code 1
expect_out ""
expect_in err "DO NOT MATCH THE HASHES"
[ -z "$(find cache -name '*forged*')" ] || wrong "what was forged is in the cache"
try run --yes $allow --with 'demo==1.0,demo==2.0' -c 'print("it ran")'
expect_code 1
expect_out ""
expect_in err "pip failed"

# An index that the downloader may not reach is named: pip calls the package unknown.
try run --yes --with big -c 'print("it ran")'
expect_code 1
expect_in err "pip failed: PIP_INDEX_URL names $address"
expect_in err "open $address (--net-allow)"

# What is no name of a package, what is forbidden, what has no packages.
for word in --index-url=http://x 'a b' 'git+http://x/y' ./x 'x;y' x.whl 'x @ http://y/z' '' , 'demo,' '-r x' '$(x)'; do
	try run --yes --with "$word" -c 1
	expect_code 125
	expect_in err "is not the name of a package"
done
try run --yes --net off --with demo -c 1
expect_code 125
expect_in err "--net off also forbids"
try run --yes -l bash --with jq -c true
expect_code 125
expect_in err "read-only"
cat >strict.json <<'JSON'
{"policies": {"strict-own": {"threshold": "low", "modules": [{"name": "demo", "severity": "high", "reason": "not here"}]}}}
JSON
try run --yes --config strict.json --policy strict-own --policy-mode enforce $allow --with demo -c 1
expect_code 125
expect_in err "demo"
try run --camel --yes --with demo -c 1
expect_code 125
expect_in err "do not go together"

# Without --yes there is a question, which says what will be fetched. Without a terminal it cannot be asked.
try run $allow --with demo -c 1
expect_code 125
expect_in err "there is no terminal to ask on"
cat >question.py <<'PY'
import os, pty, sys
child, fd = pty.fork()
if not child:
	os.execv(sys.argv[1], sys.argv[1:])
told = b''
while True:
	try:
		read = os.read(fd, 4096)
	except OSError:
		break
	told += read
	if b'[Y/n]' in read:
		os.write(fd, b'n\n')
print(told.decode('utf-8', 'replace'))
PY
tried="the question"
$python question.py "$terrarium" run --with 'demo,plain>=2' -c 1 >out 2>err
expect_in out "needs demo, plain>=2: what is missing is fetched from the package index, outside of the sandbox"

# What a script says of itself counts as well, and is shown.
cat >script.py <<'PY'
#!/usr/bin/env python3
# /// script
# requires-python = ">=3.9"
# dependencies = [
#   "plain >= 2",  # a comment
#   'helper',
# ]
# [tool.other]
# x = 1
# ///
import helper, plain
print(plain.x, helper.f())
PY
try run --yes $allow script.py
expect_code 0
expect_out "2 helped"
$python question.py "$terrarium" run script.py >out 2>err
expect_in out "needs plain>=2, helper:"
try run --yes --net off script.py
expect_code 125
sed 's/"plain >= 2"/"plain @ http:\/\/x\/y"/' script.py >evil.py
try run --yes $allow evil.py
expect_code 125
expect_in err "evil.py: "
expect_in err "is not the name of a package"

# What is missing is named with the command that brings it: on a terminal, and in JSON.
try run --yes --json -c 'import there_is_no_such.inner'
is_json 'value["hint"] == "if a package of this name is what you mean: '"'"'terrarium run --with there_is_no_such …'"'"' installs it first"'
try run --yes --json --name lab -c 'import yaml_not, PIL_not'
is_json '"terrarium install --name lab yaml_not" in value["hint"]'
try run --yes --json -c 'import helper'
is_json '"--with helper" in value["hint"]'
try run --yes --json -c '%pip install helper'
is_json 'value["error"]["name"] == "InstallError"'
try run --yes -c 'import there_is_no_such'
grep -q "run --with" err && wrong "there is no terminal"
$python question.py "$terrarium" run --yes -c 'import there_is_no_such' >out 2>err
expect_in out "terrarium: if a package of this name is what you mean: 'terrarium run --with there_is_no_such …' installs it first"
try exec lab -- pip install plain
[ $code != 0 ] || wrong "there is no network"
expect_in err "this sandbox has no network: 'terrarium install --name lab plain' installs it"
# What code installs by itself: where there is no network, one line says what to do, and nothing else is tried.
try run --yes -c 'import subprocess; subprocess.run(["pip", "install", "helper"]); print("went on")'
expect_code 0
expect_in out "went on"
expect_in err "this sandbox has no network: 'terrarium run --with helper …' installs it first"
grep -q externally-managed err && wrong "the home is the sandbox's own"
try run --yes --name lab --json -c 'import os; os.system("python3 -m pip install plain"); 0'
is_json '"this sandbox has no network: '"'"'terrarium install --name lab plain'"'"' installs it" in value["hint"]'
try run --yes -c 'import os; print(os.environ["PIP_NO_INDEX"])' --env PIP_NO_INDEX=0
expect_out 0
try run --camel --yes --command 'pip install plain'
expect_in out "Note: this sandbox has no network to fetch plain by: start it with a network"
if [ -x /usr/bin/npm ]; then
	try run --yes -l bash -c 'npm install tiny'
	expect_in err "this sandbox has no network: 'terrarium run -l javascript --with tiny …' installs it first"
fi
if command -v apt-get >/dev/null; then
	try run --yes -l bash -c 'apt-get update'
	expect_in err "terrarium: apt-get works in containers: start one with --backend docker"
	try run --camel --yes --command 'apt-get update'
	expect_in out "Note: apt-get works in containers"
	try exec -- apt-get install -y jq
	expect_in err "terrarium: apt-get works in containers"
fi
# Where there is one, it works, into the sandbox's own place.
try run --yes --net on $allow -c 'import subprocess, sys; subprocess.run([sys.executable, "-m", "pip", "install", "-q", "helper"], check=True)
import helper, os; print(helper.f(), helper.__file__.startswith(os.path.expanduser("~")))'
expect_code 0
expect_out "helped True"
if [ -x /usr/bin/npm ]; then
	try run --yes --net on $allow -l bash -c 'npm install --no-audit --no-fund tiny >/dev/null && node -p "require(\"tiny\")()"'
	expect_out tiny
fi
if [ -x /usr/bin/node ]; then
	try run --yes --json -l js -c 'require("there-is-no-such")'
	is_json '"run -l javascript --with there-is-no-such" in value["hint"]'
fi
printf '!pip install plain\nimport there_is_no_such\n' | try repl --yes --name lab
expect_in err "this sandbox has no network: ':install plain' installs it"

# The REPL, before its first input; what its sandbox has already costs nothing.
printf 'import demo, helper\nprint(demo.version, helper.f())\n' >typed
setsid -w "$terrarium" repl --yes $allow --with demo,helper <typed >out 2>err && code=0 || code=$?
tried="repl --with"
expect_code 0
expect_in out "1.0 helped"
setsid -w "$terrarium" repl --yes --name lab --with demo <typed >out 2>err && code=0 || code=$?
expect_in out "1.0"
try repl --yes --with 'a b' </dev/null
expect_code 125
expect_in err "is not the name of a package"
try repl --yes --net off --with demo </dev/null
expect_code 125
expect_in err "--net off also forbids"

# The workbench, before its first run.
printf 'import demo, helper\nprint(demo.version, helper.f())\n:run\n' | try --linear --yes $allow --with demo,helper
expect_in out "1.0 helped"
try --linear --with 'a b' </dev/null
expect_code 125
expect_in err "is not the name of a package"
try --linear --net off --with demo </dev/null
expect_code 125
expect_in err "--net off also forbids"

# Ten at once share one download; the others are told what they wait for.
mkdir crowd
before=$(requests demo-1.0)
for i in $(seq 10); do
	XDG_CACHE_HOME=$dir/crowd setsid -w "$terrarium" run --yes $allow --with demo -c 'import demo; print(demo.version)' >crowd/out$i 2>crowd/err$i &
	crowd="$crowd $!"
done
wait $crowd
tried="ten runs at once"
[ "$(cat crowd/out* | sort -u)" = 1.0 ] || wrong "all should have it: $(cat crowd/out* crowd/err*)"
expect_requests $((before + 1)) demo-1.0
[ -z "$(find crowd -name '*.lock')" ] || wrong "no lock should be left"
# One that was killed while it fetched stops nobody.
lock=$(ls crowd/terrarium/packages/asked | head -n 1)
rm -r crowd/terrarium/packages/asked/"$lock" && : >"crowd/terrarium/packages/asked/$lock.lock"
export XDG_CACHE_HOME=$dir/crowd
try run --yes $allow --with demo -c 'import demo; demo.version'
expect_out "'1.0'"
flock -F "crowd/terrarium/packages/asked/$lock.lock" sh -c ': >locked; exec sleep 1000' &
holder=$!
until_true test -e locked
rm "crowd/terrarium/packages/asked/$lock"
setsid -w "$terrarium" install --keep --name waits $allow demo >out 2>err &
waiting=$!
until_true grep -q "Waiting for another run that fetches the same packages" err
kill $holder
code=0
wait $waiting || code=$?
tried="an install that waited"
expect_code 0
export XDG_CACHE_HOME=$dir/cache

# A snapshot keeps what it refers to of the cache.
try run --yes --keep --name kept $allow --with demo -c 'open("own", "w").write("file")'
try snapshot kept base
expect_code 0
grep -q '^set [0-9a-f]\{32\}$' .local/share/terrarium/snapshots/base/about || wrong "it should name the folder of the cache"
try run --yes --from base -c 'import demo; print(demo.version, open("own").read())'
expect_code 0
expect_out "1.0 file"

# An interrupt while an index does not answer ends it.
cat >silent.py <<'PY'
import os, socket, sys, time
server = socket.create_server((sys.argv[1], 0))
with open('silent.new', 'w') as out:
	out.write(str(server.getsockname()[1]))
os.rename('silent.new', 'silent')
connection = server.accept()
open('reached', 'w').close()
time.sleep(100)
PY
$python silent.py $address &
silent=$!
until_true test -s silent
PIP_INDEX_URL=http://$address:$(cat silent)/simple/ setsid -w "$terrarium" run --yes $allow --with demo -c 1 >out 2>err &
running=$!
until_true test -e reached
kill -INT $running
tried="an interrupt while the index is silent" code=0
wait $running || code=$?
expect_code 130
kill $silent

# npm: linked into node_modules.
if [ -x /usr/bin/npm ]; then
	try run --yes -l js $allow --with tiny -c 'require("tiny")()' -c '(await import("tiny")).default()'
	expect_code 0
	expect_out "'tiny'
'tiny'"
	try run --yes -l js $allow --with tiny@1 -c 'require("tiny")()'
	expect_out "'tiny'"
	try run --yes -l js $allow --with tiny --out js -c 'require("fs").writeFileSync("x", "")'
	expect_code 0
	[ "$(ls -A js)" = x ] || wrong "what --with has linked is not the code's: $(ls -A js)"
	try run --yes -l js $allow --with there-is-no-such -c 1
	expect_code 1
	expect_in err 404
fi

# A server installs for its clients, unless the one who started it said that there is no network.
cat >ask.py <<'PY'
import json, sys, urllib.request
def ask(method, **params):
	body = json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': method, 'params': params}).encode()
	request = urllib.request.Request(f'http://127.0.0.1:{sys.argv[1]}/api/v1/rpc', body, {'Content-Type': 'application/json'})
	try:
		with urllib.request.urlopen(request) as reply:
			return json.load(reply)
	except urllib.error.HTTPError as error:
		return json.load(error)
names = {'namespace': 'default', 'sandbox': 'remote'}
ask('sandbox.start', **names, config={'image': 'microsandbox/python'})
print(ask('sandbox.repl.run', **names, language='python', code='import demo; print(demo.version)', libraries=['demo']))
print(ask('sandbox.repl.run', **names, language='python', code='print("it ran")', libraries=['there-is-no-such']))
print(ask('sandbox.repl.run', **names, language='python', code='print("it ran")', libraries=['--index-url=x']))
print(ask('sandbox.stop', **names))
PY
# serve_and_ask [OPTION…]: what a server answers is in the file out.
serve_and_ask() {
	tried="terrarium serve $*"
	rm -f served served.err
	"$terrarium" serve --dev --port 0 "$@" >served 2>served.err &
	serving=$!
	until_true test -e served.err
	until_true grep -q 'http://127.0.0.1:[0-9]' served served.err || return
	$python ask.py "$(cat served served.err | sed -n 's,.*http://127.0.0.1:\([0-9]*\).*,\1,p' | head -n 1)" >out 2>err
	kill $serving
	wait $serving
	code=0
}
export XDG_STATE_HOME="$dir/state" XDG_DATA_HOME="$dir/data"
serve_and_ask $allow
expect_in out "'text': '1.0'"
expect_in out "No matching distribution found for there-is-no-such"
expect_in out "is not the name of a package"
! grep -q "it ran" out || wrong "code ran without its libraries"
serve_and_ask --net off
expect_in out "which also forbids fetching libraries"
verdict
