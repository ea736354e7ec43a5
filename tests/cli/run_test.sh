#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium run` and `exec` on the fake backend: output, input, exit codes, ends.
. "$(dirname "$0")/tell.sh"
export TERRARIUM_BACKEND=fake

try run --yes -c 'print hello
err oops
value 5' </dev/null
expect_code 0
expect_out "hello
5"
expect_err oops

try run --yes -c 'write no newline
value 5'
expect_out "no newline
5"

printf 'print one\nvalue 1\nset a 7\n' >one.py
printf 'get a\n' >two.js
try run --yes one.py one.py
expect_out "one
one"
try run --yes -c 'set a 1' -c 'get a'
expect_out 1
# A failure does not end it; the first one is told.
try run --yes -c 'exit 3' -c 'exit 4' -c 'print yes'
expect_code 3
expect_out "yes"
try run --yes -c 'fail ValueError bad' -c 'print yes'
expect_code 1
expect_out "yes"
expect_in err "ValueError: bad"
try run --yes --timeout 0.2 -c loop
expect_code 124
expect_err "terrarium: timed out after 0.2 s (time limit 0.2 s: the setting timeout)"
try run --yes --timeout 0.2 --grace 0.1 -c stubborn
expect_code 124
try run --yes -c 'die 9'
expect_code 137
expect_in err "killed by signal 9"

try run --yes --json -c 'print a' -c 'fail E m'
expect_code 1
expect_err ""
[ "$(wc -l <out)" = 2 ] || wrong "one line per run"
expect_in out '"status":"ok","exit_code":0'
expect_in out '"error":{"name":"E","message":"m"'

# Whatever goes wrong, a reader of --json finds one object that says so, and a person the same sentence.
expect_refusal() {
	expect_code 125
	[ "$(wc -l <out)" = 1 ] || wrong "one line"
	expect_in out '{"run":null,"language":null,"status":"refused","exit_code":125,"reason":"'
	expect_in out "$1"
	expect_in err "$1"
}
try run --yes --json --backend nosuch -c 'print a'
expect_refusal "there is no backend 'nosuch'"
try run --yes --json --isolation nosuch -c 'print a'
expect_refusal "--isolation nosuch: must be"
try run --yes --nosuch --json
expect_refusal "unknown option '--nosuch'"
try run --yes --json -l nosuch -c 'print a'
expect_refusal "unknown language 'nosuch'"
try run --yes --json nosuch.py
expect_refusal "cannot read nosuch.py"
try run --json -c 'print a'
expect_refusal "there is no terminal to ask on"
try run --yes --json --policy production --policy-mode enforce -c 'import subprocess'
expect_refusal "refuses this"
try run --yes --json --server-url http://127.0.0.1:1 --backend microsandbox --start-timeout 20 -c 1
expect_code 125
expect_in out '"status":"lost"'

# Stdin goes to the code, unless the code comes from there.
echo Ann >name
try run --yes -c 'ask name?' <name
expect_in out "got Ann"
try run --yes -c 'ask name?' </dev/null
expect_code 1
expect_in err EOFError
try run --yes -c 'print as ever' </
expect_code 125
expect_out "as ever"
expect_err "terrarium: cannot read standard input: Is a directory"
printf 'print from stdin\nvalue 7\n' >code
try run --yes - <code
expect_out "from stdin
7"
try run --yes <code
expect_out "from stdin
7"
try run --yes -c 'print closed' <&-
expect_out closed
for args in "run --yes -c 'print closed'" version "themes --json"; do
	tried="terrarium $args >&-"
	code=0
	: >out
	eval "\"$terrarium\" $args" >&- 2>err || code=$?
	expect_code 125
	expect_err "terrarium: cannot write the output: Bad file descriptor"
done
tried="terrarium run, which prints nothing, >&-"
code=0
"$terrarium" run --yes -c "sleep 0" >&- 2>err || code=$?
expect_code 0
expect_err ""

# Nobody reads any more, or nothing can be written.
tried="terrarium run … | head -n 1"
{
	code=0
	"$terrarium" run --yes -c 'flood 1000000' 2>err || code=$?
	echo $code >code
} | head -n 1 >out
code=$(cat code)
expect_code 141
expect_err ""
[ "$(wc -l <out)" = 1 ] || wrong "one line"
tried="terrarium run … >/dev/full"
code=0
"$terrarium" run --yes -c 'flood 10' >/dev/full 2>err || code=$?
expect_code 125
expect_err "terrarium: cannot write the output: No space left on device"

# Signals: the first SIGINT interrupts; SIGTERM ends. What an earlier one has printed does not count.
await_started() {
	pid=$!
	tries=0
	until grep -q started out || [ $tries = 200 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
}
signaled() { # SIGNAL CODE-TEXT
	tried="terrarium run -c '$2', then SIG$1"
	: >out
	"$terrarium" run --yes -c "print started
$2" >out 2>err &
	await_started
	kill "-$1" $pid
	code=0
	wait $pid || code=$?
}
# A shell starts background jobs with SIGINT ignored; the program takes it all the same.
signaled INT loop
expect_code 130
tried="terrarium run -c loop -c 'print no', then SIGINT"
: >out
"$terrarium" run --yes -c 'print started
loop' -c 'print no' >out 2>err &
await_started
kill -INT $pid
code=0
wait $pid || code=$?
expect_code 130
expect_out started
signaled TERM loop
expect_code 143
signaled HUP loop
expect_code 129

# What is displayed has a type, which says no more than that.
try run --yes -c 'display image/png AAAA'
expect_err "terrarium: [image/png, 3 bytes] (--save-figures DIR keeps it)"
try run --yes --json --save-figures figures -c 'display image/png AAAA'
expect_code 0
expect_in out '"displays":[{"mime":"image/png","data":null,"bundle":0,"format":"png","width":null,"height":null,"dpi":null,"title":null,"source":"shown","run":1,"path":"figures/fig-1-1.png"}]'
expect_in err "saved as figures/fig-1-1."
ls figures/fig-1-1.* >/dev/null || wrong "the figure should be there"
escape=$(printf 'image/\033[31mred')
try run --yes -c "display $escape AAAA
print done"
expect_out done
expect_err ""

try exec -- echo a b
expect_code 0
expect_out "a b"
try exec -- false
expect_code 1
try exec nonsense
expect_code 127
expect_err "terrarium: nonsense: not found in the sandbox"
try exec --memory 64 -- cat <name
expect_out Ann

# What is done, and what holds the limits, is told on stderr; stdout has the program's output alone.
try run --yes -vy --backend Local -c 'print("quiet")'
expect_code 0
expect_out quiet
expect_in err "terrarium: memory: "
expect_in err "enforced)"
try run --yes --backend local --verbose=off -c 'print("quiet")'
expect_err ""
verdict
