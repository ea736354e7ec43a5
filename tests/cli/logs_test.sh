#!/bin/sh
# SPDX-License-Identifier: MIT
# What ran in a sandbox lately: for whoever comes later.
. "$(dirname "$0")/tell.sh"
need_local
export XDG_RUNTIME_DIR="$dir/run"
mkdir -m 700 "$dir/run"
trap '"$terrarium" stop logged >/dev/null 2>&1; rm -rf "$dir"' EXIT

try run --yes --keep on --name logged -c 'print("first")
print("\033]0;title\007end")' -c '1/0'
expect_code 1
try run --yes --name logged -c '
z = 3'
expect_code 0
try run --yes --name logged -l bash -c 'echo from bash'
expect_code 0

try logs logged
expect_code 0
expect_in out "run 1, python, terrarium run, pid "
expect_in out "> print(\"first\") (2 lines)"
expect_in out "first"
expect_in out "> z = 3"
grep -q "z = 3 (" out && wrong "blank lines around the code do not count"
grep -q "^--- ok, CPU time [0-9.]* s ---" out || wrong "the end of a run tells the time that is known"
expect_in out "ZeroDivisionError: division by zero"
expect_in out "bash, terrarium run, pid "
expect_in out "from bash"
grep -q "$(printf '\033')]0;title" out || wrong "a pipe gets every byte"
expect_err ""

try logs logged --json
expect_code 0
[ "$(wc -l <out)" = 4 ] || wrong "a line for each run"
expect_in out '"status":"error"'
grep -q '"cpu_ms":[0-9]' out || wrong "JSON has the CPU time"
expect_in out '"stdout":"from bash\n"'

try logs logged -l bash
expect_in out "from bash"
grep -q python out && wrong "only Bash was asked for"

# signal_inside SIGNAL NUMBER: of the sandbox's process. Without namespaces no command may signal another one's
# processes, whose numbers are this machine's.
signal_inside() {
	if has_namespaces; then
		try exec logged -- kill "-$1" "$2"
	else
		kill "-$1" "$2"
	fi
}

# An interpreter that crashes takes nothing along: what ran is told, how it ended, and numbers go on.
try run --yes --name logged -l javascript -c 'console.log("third"); process.kill(process.pid, "SIGSEGV")'
expect_code 139
cat >tell.py <<'END'
import fcntl, os

def tell(line):
    for fd in range(3, 4096):
        try:
            if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
                os.write(fd, line)
        except OSError:
            pass
END
try run --yes --name logged tell.py -c 'tell(b"{broken\n"); __import__("time").sleep(60)'
expect_code 137
try run --yes --name logged tell.py -c 'print("dying", flush=True); tell(b"{torn"); os._exit(3)'
expect_code 3
try run --yes --name logged -c 'print("born " "anew", os)'
expect_code 1
try run --yes --name logged -c 'import os; print("pid", os.getpid())'
expect_code 0
number=$(sed -n 's/^pid //p' out)
signal_inside KILL "$number"
has_ended() { ! "$terrarium" inspect logged --json | grep -q "\"pid\":$number,"; }
until_true has_ended
try logs logged -l python
expect_in out "run 1, python"
expect_in out "first"
expect_in out "--- killed, the interpreter ended with exit code 3"
expect_in out "--- killed, the interpreter ended with exit code 137"
expect_in out "NameError"
[ "$(grep -c "^dying" out)" = 1 ] || wrong "each is told once"
last=$(sed -n 's/^--- run \([0-9]*\), .*/\1/p' out | tail -n 1)
try run --yes --name logged -c 'print("with a past")'
expect_code 0
try logs logged --json
expect_in out "{\"run\":$((last + 1)),\"language\":\"python\""
expect_in out "the interpreter ended with exit code 139"
[ "$(grep -c "with a past" out)" = 1 ] || wrong "each is told once"

# It goes on while somebody else runs things, and ends with the sandbox.
"$terrarium" logs logged --follow >followed 2>&1 &
follower=$!
until_true grep -q "from bash" followed
"$terrarium" run --yes --name logged -c 'print("live " "one")' >/dev/null
until_true grep -q "live one" followed || wrong "what comes is told"
"$terrarium" run --yes --name logged -c 'import os; os._exit(4)' >/dev/null 2>&1
"$terrarium" run --yes --name logged -c 'print("live " "two")' >/dev/null
until_true grep -q "live two" followed || wrong "the next interpreter is followed"
[ "$(grep -c "live one" followed)" = 1 ] || wrong "who has seen it live is not told again"
[ "$(grep -c "os._exit(4)" followed)" = 1 ] || wrong "nor how it ended"
# A run that was sent to an interpreter which never reads it any more is given to the next one. That its input
# has ended is no input.
number=$("$terrarium" run --yes --name logged -c 'import os; print(os.getpid())')
signal_inside STOP "$number"
: | "$terrarium" run --yes --name logged -c 'import sys; print("given " "anew", repr(sys.stdin.read()))' -c 'os' >anew 2>&1 &
runner=$!
until_true grep -q "given.*anew" followed
signal_inside KILL "$number"
wait $runner && wrong "what was there before is lost"
expect_in anew "given anew ''"
expect_in anew "the python interpreter ended before this run began: a new one runs it"
expect_in anew "NameError"
grep -q killed anew && wrong "a run that never began was not killed"
# One that has shown itself has begun, and never begins again, although something is left unread.
cat >litter.py <<'END'
import fcntl, os
for fd in range(3, 4096):
    try:
        if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            os.write(os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK), b"litter")
    except OSError:
        pass
print("be" "gun", flush=True)
os._exit(6)
END
try run --yes --name logged litter.py
expect_code 6
expect_out begun
grep -q "no longer kept" followed && wrong "what was seen is not missing"
# What is not kept any more is told once: with the first that is.
try run --yes --name logged -l bash -c 'for i in {1..5000}; do echo {1..30}; done' -c 'echo whole' -c 'echo "whole, too"'
expect_code 0
try logs logged -l bash
expect_in out "whole, too"
[ "$(grep -c "no longer kept" out)" = 1 ] || wrong "of nothing else is the beginning missing"
"$terrarium" stop logged >/dev/null
wait $follower || wrong "the end of the sandbox is the end of it"

# A run whose time is up is followed by a question of its client, the answer to which comes when the next run has
# been announced: it says nothing about that one.
"$terrarium" run --yes --keep --name late -c 'L=[1]' >/dev/null
for i in 1 2 3; do
	try run --yes --name late --timeout .3 -c 'while True: pass'
	expect_code 124
	try run --yes --name late -c 'L'
	expect_code 0
done
try run --yes --name late --timeout .3 -c 'import time; time.sleep(60)'
expect_code 124
try logs late --json
[ "$(grep -c '"status":"timeout"' out)" = 4 ] || wrong "a run whose time was up is told so"
[ "$(grep -c '"status":"ok"' out)" = 4 ] || wrong "no other run is lost or interrupted"
[ "$(grep -c '"value":"\[1\]"' out)" = 3 ] || wrong "each run has its value"
try logs late
expect_in out "timed out after 0.3 s"
grep -q "missed\|interrupted" out && wrong "nothing was missed"
"$terrarium" stop late >/dev/null

try logs logged
expect_code 125
expect_in err "logged"
try logs
expect_code 125
try logs ../x
expect_code 125

verdict
