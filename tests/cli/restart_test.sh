#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium restart`: variables go, files and packages stay, and whoever is attached is told.
. "$(dirname "$0")/tell.sh"
own_runtime
need_local

# All that run, and no other.
try run --yes --keep --name lab -c 'x = 41' -c 'open("note", "w").write("kept")'
try run --yes --name lab -l bash -c 'y=2'
try restart lab
expect_code 0
expect_out "python
bash"
expect_err ""
try run --yes --name lab --json -c 'print(open("note").read(), "x" in globals())'
is_json 'value["stdout"] == "kept False\n" and not value["state_lost"] and value["status"] == "ok"'
try run --yes --name lab -l bash -c 'echo "y=$y"'
expect_out "y="

# One of them; one that does not run; none at all.
try run --yes --name lab -c 'x = 1'
try run --yes --name lab -l bash -c 'y=3'
try restart -l bash lab
expect_code 0
expect_out bash
try run --yes --name lab -c x
expect_out 1
try exec --name fresh --keep -- true
try restart fresh
expect_code 0
expect_out ""
expect_in err "no interpreter runs in 'fresh': there is nothing to restart"
try restart -l bash fresh
expect_in err "no such interpreter runs in 'fresh'"

# Others are told: who has nothing running, and whose run it was.
mkfifo typed
"$terrarium" repl --yes --name lab <typed >repl.out 2>&1 &
repl=$!
exec 9>typed
echo 'x = 5; print("typed", x)' >&9
until_true grep -q "typed 5" repl.out
try restart -l python lab
expect_code 0
until_true grep -q "python has ended: killed by signal 9 (killed), sent by another client, .*its variables are lost" repl.out
echo 'print("x" in globals())' >&9
until_true grep -q False repl.out
exec 9>&-
wait $repl
setsid -w "$terrarium" run --yes --timeout 0 --name lab -c 'print("on", flush=True)
import time
time.sleep(1000)' >busy 2>busy.err &
busy=$!
until_true grep -q on busy
try restart -l python lab
expect_code 0
code=0
wait $busy || code=$?
tried="the run that was killed"
expect_code 137
expect_in busy.err "sent by another client"
try run --yes --name lab -c '6 * 7'
expect_out 42

# Mistakes.
try restart
expect_code 125
expect_in err "which sandbox?"
try restart nobody
expect_code 125
expect_in err "there is no running sandbox 'nobody'"
try restart a b
expect_code 125
expect_in err "one NAME"
try restart lab -l cobol
expect_code 125
expect_in err "unknown language"
verdict
