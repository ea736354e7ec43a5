#!/bin/sh
# SPDX-License-Identifier: MIT
# The policy gate at the front doors: what it refuses does not run.
. "$(dirname "$0")/tell.sh"
need_local

try run --yes --policy strict --policy-mode enforce -c 'import sys, os; print("ran")'
expect_code 125
expect_out ""
expect_in err "the policy 'strict' refuses this: line 1:"

# All that was found is told.
try run --yes --policy strict --policy-mode enforce -c 'import sys, os; print("ran")'
expect_in err "-c:1:8: high: sys: reaches the interpreter"
expect_in err "-c:1:13: high: os: reaches the system"
try run --json --yes --policy strict --policy-mode enforce -c 'import sys, os; print("ran")'
expect_code 125
is_json 'value["status"] == "refused" and [f["code"] for f in value["findings"]] == ["sys", "os"]'

# Nothing is refused silently less: without a grammar that is said.
TERRARIUM_GRAMMARS=/nonexistent try run --yes --policy strict --policy-mode enforce -c 'print(6 * 7)'
expect_code 0
expect_in err "note: the policy 'strict' scans python coarsely"

try run --yes --policy strict --policy-mode enforce -c 'print(6 * 7)'
expect_code 0
expect_in out 42

# Without a terminal there is nobody to ask.
try run --yes --policy production --policy-mode ask -c 'import os; print("ran")'
expect_code 125
expect_out ""
expect_in err "requires a confirmation"

# Advice changes nothing where nobody is asked.
try run --yes --policy strict -c 'import os; print("ran")'
expect_code 0
expect_out ran

try exec --policy production --policy-mode enforce -- curl -s http://127.0.0.1/
expect_code 125
expect_in err "curl: uses the network"
try exec --policy production --policy-mode enforce -- bash -c 'wget x'
expect_code 125
try exec --policy production --policy-mode enforce -- echo curl
expect_code 0
expect_out curl

try install --policy strict --policy-mode enforce requests
expect_code 125
expect_in err "requests: uses the network"
grep -q "line 1" err && wrong "the name of a package has no lines"

# A refusal lists all that is refused.
try run --yes --policy strict --policy-mode enforce -c 'import os
import socket
import subprocess'
expect_code 125
expect_in err ", and 2 more"
expect_in err "2:8: medium: socket"
expect_in err "3:8: high: subprocess"

code=0
printf 'import os\n6 * 7\n' | "$terrarium" repl --yes --policy strict --policy-mode enforce >out 2>err || code=$?
expect_code 125
expect_out 42
expect_in err "refuses this"

# The server: there is nobody to ask, so what is to be asked about is refused.
"$terrarium" serve --dev --port 0 --namespace-dir "$dir/ns" --policy production --policy-mode ask >served 2>&1 &
server=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	grep -q http served && break
	sleep 0.25
done
/usr/bin/python3 - "$(grep -o 'http://[0-9.:]*' served | head -n 1)" >out 2>err <<'PYTHON' || wrong "the server refuses"
import json, sys, urllib.error, urllib.request

def call(method, **params):
    body = {"jsonrpc": "2.0", "method": method, "id": 1, "params": dict(params, namespace="default", sandbox="gate")}
    request = urllib.request.Request(sys.argv[1] + "/api/v1/rpc", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    try:
        return json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as error:
        return json.load(error)

call("sandbox.start", config={"image": "microsandbox/python"})
said = call("sandbox.repl.run", language="python", code="import os")
assert "refuses this" in said["error"], said
said = call("sandbox.command.run", command="curl", args=["x"])
assert "uses the network" in said["error"], said
said = call("sandbox.repl.run", language="python", code="6 * 7")
assert said["result"]["output"][0]["text"] == "42", said
PYTHON
kill "$server"
wait "$server" || :

# One's own, and mistakes in it.
mkdir -p "$XDG_CONFIG_HOME/terrarium"
cat >"$XDG_CONFIG_HOME/terrarium/config.json" <<'CONFIG'
{ "policies": { "mine": { "threshold": "low",
	"modules": [ { "name": "json", "reason": "for the test", "severity": "low" } ] },
	"broken": { "threshold": "low", "patterns": [ { "pattern": "(", "reason": "x", "severity": "low" } ] } } }
CONFIG
try run --yes --policy mine --policy-mode enforce -c 'import json'
expect_code 125
expect_in err "json: for the test (low)"
try run --yes --policy broken -c 1
expect_code 125
expect_in err "policy 'broken', patterns[0], \"pattern\":"
try run --yes --policy nosuch -c 1
expect_code 125
expect_in err "there is no policy 'nosuch': known are mine, broken, none, minimal"

# A folder's .env may not switch it off.
echo TERRARIUM_POLICY_MODE=advise >.env
TERRARIUM_POLICY_MODE=enforce try run --yes --policy mine -c 'import json'
expect_code 125
rm .env

verdict
