#!/bin/sh
# SPDX-License-Identifier: MIT
# The policy gate at the front doors: what it refuses does not run.
. "$(dirname "$0")/tell.sh"
need_local

try run --yes --policy strict --policy-mode enforce -c 'import sys, os; print("ran")'
expect_code 125
expect_out ""
expect_in err "the policy 'strict' does not let this run: line 1:"

try run --yes --policy strict --policy-mode enforce -c 'print(6 * 7)'
expect_code 0
expect_in out 42

# Without a terminal there is nobody to ask.
try run --yes --policy production --policy-mode ask -c 'import os; print("ran")'
expect_code 125
expect_out ""
expect_in err "wants a person to be asked first"

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

code=0
printf 'import os\n6 * 7\n' | "$terrarium" repl --yes --policy strict --policy-mode enforce >out 2>err || code=$?
expect_code 125
expect_out 42
expect_in err "does not let this run"

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
