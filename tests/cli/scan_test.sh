#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium scan`: what a policy finds, without a sandbox.
. "$(dirname "$0")/tell.sh"

printf 'import os as o\nx = "é"; o.system("ls")\n' >danger.py
try scan --policy production danger.py
expect_code 1
expect_out "danger.py:1:8: high: os: reaches the system
danger.py:2:10: high: o.system: starts another program"
expect_err ""

try scan --policy production --json danger.py -c '6 * 7'
expect_code 1
[ "$(wc -l <out)" = 2 ] || wrong "one object per piece of code"
head -n 1 out >first && mv first out
is_json 'value["file"] == "danger.py" and value["language"] == "python" and not value["safe"]'
is_json 'value["policy"] == "production" and value["threshold"] == "low" and not value["coarse"]'
is_json '[(f["line"], f["column"], f["severity"], f["refused"], f["code"]) for f in value["findings"]] == [(1, 8, "high", True, "os"), (2, 10, "high", True, "o.system")]'

try scan --policy strict -c 'print(6 * 7)'
expect_code 0
expect_out ""
expect_err ""

# Below the threshold: told, but not refused.
try scan --policy educational -c 'import socket'
expect_code 0
expect_out "-c:1:8: low: socket: uses the network (not refused)"

echo '"rm" -r x' >quoted.sh
try scan --policy educational quoted.sh - <quoted.sh
expect_code 1
expect_in out 'quoted.sh:1:1: high: "rm": deletes whole directories'
try scan --policy educational -l bash - <quoted.sh
expect_in out '-:1:1: high: "rm": deletes whole directories'

# Coarsely, which is said.
export TERRARIUM_GRAMMARS=/nonexistent
try scan --policy production -c 'x = 1; import socket # import os'
expect_code 1
expect_in out "-c:1:15: medium: socket"
expect_in out "high: os"
expect_in err "scans python coarsely, and counts strings and comments as code"
try scan --policy production --json -c x
expect_code 0
is_json 'value["coarse"]'
try doctor
expect_in out "no grammar of python: policies scan it coarsely"
unset TERRARIUM_GRAMMARS

# What cannot be scanned is a failure, not safe.
try scan no.py
expect_code 125
expect_in err "cannot read no.py"
try scan --policy nosuch -c x
expect_code 125
expect_in err "there is no policy 'nosuch': known are none, minimal"
printf '\177ELF\0\0' >binary.py
try scan binary.py
expect_code 125

# One that is like another, and mistakes in that.
mkdir -p "$XDG_CONFIG_HOME/terrarium"
cat >"$XDG_CONFIG_HOME/terrarium/config.json" <<'CONFIG'
{ "policies": {
	"mine": { "like": "production", "modules": [ { "name": "json", "reason": "for the test", "severity": "low" } ] },
	"strict": { "like": "strict", "threshold": "high" },
	"round": { "like": "about" }, "about": { "like": "round" },
	"slow": { "threshold": "low", "patterns": [ { "pattern": "(a+)+[^a]{9}", "reason": "slow", "severity": "low" } ] } } }
CONFIG
try scan --policy mine -c 'import json, os'
expect_code 1
expect_in out "low: json: for the test"
expect_in out "high: os: reaches the system"
try scan --policy strict -c 'getattr(a, b)'
expect_code 0
try scan --policy round -c x
expect_code 125
expect_in err "goes round in a circle"
try check config
expect_in out "goes round in a circle"
try scan --policy slow -c "x = '$(printf '%0300d' 0 | tr 0 a)b'"
expect_code 0
try scan --policy slow -c "$(printf '%0300d' 0 | tr 0 a)b"
expect_code 125
expect_in err "would take too long"

# A line of 10 MB ends.
python3 -c 'print("x=[" + "eval(1)," * 1250000 + "]")' >long.py
try scan --policy strict --json long.py
expect_code 1
is_json 'len(value["findings"]) == 1000 and value["dropped_findings"] == 1249000'

verdict
