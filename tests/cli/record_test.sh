#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording holds what happened, byte by byte, and nothing that was typed as a secret.
. "$(dirname "$0")/tell.sh"
need_local
export XDG_STATE_HOME="$dir/state"

cat >lines <<'LINES'
import sys, getpass
sys.stdout.buffer.write(bytes(range(256)) * 500)
sys.stdout.flush()
print('and this', file=sys.stderr)
:run
print(len(getpass.getpass('secret? ')), input('name? '))
:run
hunter2
Ada
6 * 7
:run
1 / 0
:run
:language bash
echo "from bash"; sleep 0.7; exit 3
:run
LINES
tried="terrarium --linear --record a.trec <lines"
code=0
"$terrarium" --linear --confirm off --metrics-interval 0.2 --record a.trec <lines >out 2>err || code=$?
expect_code 0
expect_in out "value: 42"
[ "$(stat -c %a a.trec)" = 600 ] || wrong "others may read the recording"
grep -q hunter2 a.trec && wrong "the secret is in the recording"

tried="/usr/bin/python3 on a.trec"
/usr/bin/python3 -c '
import base64, json
head, *events = [json.loads(line) for line in open("a.trec")]
assert (head["terrarium"], head["version"]) == ("recording", 1)
assert events[-1]["e"] == "end"
times = [e["t"] for e in events]
assert times == sorted(times)
def printed(run, stream):
    return b"".join(base64.b64decode(e["b64"]) if "b64" in e else e["text"].encode()
        for e in events if e["e"] == "output" and e["run"] == run and e["stream"] == stream)
assert printed(1, "stdout") == bytes(range(256)) * 500
assert printed(1, "stderr") == b"and this\n"
done = {e["run"]: e for e in events if e["e"] == "done"}
assert [done[k]["status"] for k in sorted(done)] == ["ok", "ok", "ok", "error", "error"]
assert done[3]["value"] == "42" and done[4]["error"]["name"] == "ZeroDivisionError" and done[5]["exit_code"] == 3
inputs = [e for e in events if e["e"] == "input"]
assert inputs[0]["secret"] and "text" not in inputs[0] and inputs[1]["text"] == "Ada\n"
assert any(e["e"] == "sample" and e["mem_bytes"] > 0 for e in events)
' >out 2>err || wrong "it is not what happened"

# It is not written over.
tried="terrarium --record a.trec once more"
cp a.trec b.trec
"$terrarium" --linear --confirm off --record a.trec </dev/null >out 2>err || code=$?
cmp -s a.trec b.trec || wrong "the recording has changed"
expect_in out "already exists"

# Replayed as lines, too: the same words.
tried="terrarium replay in linear mode"
"$terrarium" replay --linear a.trec </dev/null >out 2>err || code=$?
expect_err ""
expect_in out "and this"
expect_in out "value: 42"
expect_in out "run 5, bash: error, exit code 3"
try export a.trec -o a.ipynb
expect_code 0
expect_in a.ipynb '%%bash'
expect_in a.ipynb 'ZeroDivisionError'
verdict
