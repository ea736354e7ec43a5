#!/bin/sh
# SPDX-License-Identifier: MIT
# Linear mode, its lines from a pipe and from a file.
. "$(dirname "$0")/tell.sh"
export XDG_STATE_HOME="$dir/state"

cat >lines <<'LINES'
print one
:run
print two
err three
:run
ask who?
:run
Ada
fail Oops it broke
:run
:list
:metrics
:export out.ipynb
:help notebook
:stop
LINES

check() {
	expect_code 0
	expect_err ""
	expect_in out "is ready"
	expect_in out "one
run 1, python: ok"
	expect_in out "two
stderr: three
run 2, python: ok"
	expect_in out "the code asks: who?"
	expect_in out "got Ada"
	expect_in out "run 4, python: error"
	expect_in out "1: print one"
	expect_in out "memory "
	expect_in out " MiB"
	expect_in out "exported 4 runs to out.ipynb"
	expect_in out ":open [PATH]: open a file, or a Jupyter notebook"
	grep -q "$(printf '\033')" out && wrong "a control sequence"
	grep -q '[│┌█▁]' out && wrong "a drawing"
	[ -s out.ipynb ] || wrong "no notebook"
	rm -f out.ipynb
}

tried="cat lines | terrarium --linear"
code=0
cat lines | "$terrarium" --backend fake --linear --confirm off >out 2>err || code=$?
check
tried="terrarium --linear <lines"
code=0
"$terrarium" --backend fake --linear --confirm off <lines >out 2>err || code=$?
check

# The question in words, and its answer.
tried="the question"
code=0
printf 'print yes\n:run\nr\n:run\nc\n' | "$terrarium" --backend fake --linear >out 2>err || code=$?
expect_code 0
expect_in out "question: Run this code?"
expect_in out "yes
run 1"
grep -q "run 2" out && wrong "the second one was canceled"
verdict
