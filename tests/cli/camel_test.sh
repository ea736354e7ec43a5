#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium run --camel`: CAMEL's interpreter at the command line.
. "$(dirname "$0")/tell.sh"
export TERRARIUM_BACKEND=fake

try run --camel --yes -c 'set x 4
print  Result: 4 ' -c 'get x' -c 'set y 1' -c 'print a
err b'
expect_code 0
expect_err ""
expect_out "Result: 4
4
Code executed successfully (no output)
a
STDERR: b"
try run --camel --yes --command 'err no such
exit 2' --command 'set a 1' -c 'fail ValueError bad'
expect_code 0
expect_out "STDERR: no such
Exit code: 2
Command executed successfully (no output)
STDERR: Traceback (most recent call last):
ValueError: bad"

# Code types are CAMEL's, and are looked at before anything is asked or started.
for type in python py3 python3 py javascript js node bash shell sh; do
	try run --camel --yes -l $type -c 'print hi'
	expect_out hi
	expect_err ""
done
for type in typescript ts; do
	try run --camel --yes -l $type -c 'print hi'
	expect_out hi
	expect_in err "TypeScript is passed to Node unchanged"
done
for type in Python ruby unsupported_language; do
	try run --camel -l $type --backend nonesuch -c 'print hi'
	expect_code 125
	expect_out ""
	expect_err "terrarium: Unsupported code type $type. \`MicrosandboxInterpreter\` only supports python, py3, python3, py, javascript, js, node, typescript, ts, bash, shell, sh."
done

# Questions.
printf 'what\n\n y\ny\nYES\n' >answers
try run --camel -c 'print hi' --command 'print ho' <answers
expect_code 0
expect_out "hi
ho"
expect_in err 'python, 1 line: print hi
Running code? [Y/n]:Running code? [Y/n]:Running code? [Y/n]:Running code? [Y/n]:'
expect_in err 'Running command? [Y/n]:'
echo no >answers
try run --camel -c 'print hi' -c 'print ho' <answers
expect_code 125
expect_out ""
expect_in err "Execution halted: User opted not to run the code. This choice stops the current operation and any further code execution."
try run --camel --command 'print hi' </dev/null
expect_code 125
expect_out ""
expect_in err "Execution halted: There was nobody to ask whether to run the command (end of input)."
echo 'print hi' >code
try run --camel - <code
expect_code 125
expect_in err "Execution halted: There was nobody to ask"
try run --camel --yes - <code
expect_out hi
mv code code.py
try run --camel --yes code.py
expect_out hi

# Errors have reasons, and the next piece is run.
try run --camel --yes --timeout 0.1 -c loop -c 'print on'
expect_code 124
expect_out on
expect_err "terrarium: Error executing code in microsandbox: timed out after 0.1 s (time limit 0.1 s: the setting timeout)"
try run --camel --yes -c 'die 9' --command 'die 9' -c 'print on'
expect_code 125
expect_out on
expect_in err "Error executing code in microsandbox: "
expect_in err "Error executing command in microsandbox: "
try run --camel --yes --backend nonesuch -c 'print hi'
expect_code 125
expect_in err "Error executing code in microsandbox: Failed to start sandbox: "

# What makes no sense.
try run --camel --json -c x
expect_code 125
expect_in err "cannot be combined with --json"
try run --command x
expect_code 125
expect_in err "--command is for --camel"

# A signal is the end.
"$terrarium" run --camel --yes -c 'print begun' -c loop -c 'print no' >out 2>err &
pid=$!
until grep -q begun out || ! kill -0 $pid 2>/dev/null; do :; done
kill -TERM $pid
code=0
wait $pid || code=$?
tried="run --camel, SIGTERM"
expect_code 143
expect_out begun

need_local
export TERRARIUM_BACKEND=local
try run --camel --yes -c 'x = 10 + 5
print(f"Result: {x}")' --command 'echo test; exit 3' -c 'x = 1 / 0'
expect_code 0
expect_in out "Result: 15
test
Exit code: 3
STDERR: Traceback (most recent call last):"
name=camel-$$
try run --yes --keep --name $name -c 'x = 6'
try run --camel --yes --name $name -c 'x * 7'
expect_out 42
try run --camel --yes --name $name -c 'x'
expect_out 6
try stop $name
expect_code 0
verdict
