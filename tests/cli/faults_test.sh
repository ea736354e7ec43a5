#!/bin/sh
# SPDX-License-Identifier: MIT
# Faults that somebody found who compared Terrarium with its reference systems, and that had no test of their own. Others are in
# policy_test.sh, logs_test.sh (a good run behind a time-out), per_run_test.sh (arguments), programs_test.sh (a module beside
# the script), run_test.sh (refusals in JSON) and tests/engines: codes.c (error codes), visit_test.sh (traces in containers).
. "$(dirname "$0")/tell.sh"
own_runtime
need_local

# Literal names get past no enforced policy, however they are written.
refuses() {
	try run --yes --policy production --policy-mode enforce "$@"
	expect_code 125
	expect_in err "the policy 'production' refuses this"
}
strict_js() {
	for code in 'require(`child_process`)' 'import(`child_process`)' 'module.require("child_process")' \
		'globalThis.require("child_process")' '(require)("child_process")' 'require(/*y*/"child_process")' \
		'process.getBuiltinModule("child_process")'; do
		refuses -l js -c "$code"
	done
	for code in '/bin/rm -rf /tmp/x' '"rm" -rf x' 'r\m -rf x'; do
		refuses -l bash -c "$code"
	done
}
try run --yes --policy production --policy-mode enforce -c 1
grep -q coarsely err || strict_js # only with grammars
export TERRARIUM_GRAMMARS=/nonexistent
refuses -c 'x=1; import socket'
refuses -c 'if 1: import socket'
expect_in err "coarsely"
unset TERRARIUM_GRAMMARS

# :restart is no loss.
printf ':restart\n' | try repl --yes --keep --name rr
try run --yes --name rr --json -c 1
is_json 'value["state_lost"] is False'

# Arguments of a script: what is no file may be one.
echo 'import sys; print(sys.argv[1:])' >argv.py
try run --yes argv.py -- a --b
expect_out "['a', '--b']"
try run --yes argv.py a
expect_code 125
expect_in err "cannot read a: No such file or directory; arguments of a program follow '--'"

# Words for memory.
for memory in 512Mi 512MB 512m 512; do
	try run --yes --json --memory $memory -c 'print(1)'
	expect_code 0
done

# All findings are listed, not only the first; what is installed is no line of code.
refuses -c 'import os, sys, socket, subprocess, ctypes, shutil'
expect_in err "and 3 more"
for word in os socket subprocess ctypes; do
	expect_in err ": $word: "
done
cat >strict.json <<'JSON'
{"policies": {"own": {"threshold": "low", "modules": [{"name": "demo", "severity": "high", "reason": "not here"}]}}}
JSON
try run --yes --config strict.json --policy own --policy-mode enforce --with demo -c 1
expect_code 125
expect_in err demo
grep -q "line 1" err && wrong "there is no line"

# A sandbox that has ended does not come back as another kind without a word.
try run --yes --name rr --backend docker -c 1
[ $code != 0 ] || wrong "it runs already, on another backend"
verdict
