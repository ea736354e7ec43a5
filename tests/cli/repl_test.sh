#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium repl` in a pipe: transcripts in the manner of the languages' own tutorials, and what goes wrong.
# transcripts/*.txt: lines that begin with "> " are typed, all others are what comes of them.
. "$(dirname "$0")/tell.sh"
export TERRARIUM_BACKEND=local XDG_STATE_HOME="$dir/state"
need_local

# feed TEXT ARG…: the REPL with TEXT (of printf) on standard input
feed() {
	printf "$1" >in
	shift
	try repl --yes "$@" <in
}

# transcript LANG NAME
transcript() {
	sed -n 's/^> //p; s/^>$//p' "$source/tests/cli/transcripts/$2.txt" >in
	grep -v '^>' "$source/tests/cli/transcripts/$2.txt" >expected
	try repl --yes -l "$1" <in
	expect_code 0
	expect_err ""
	cmp -s out expected || {
		wrong "the answers of transcript $2 differ:"
		diff expected out | head -n 20
	}
}

need_language python
for name in numbers control structures; do
	transcript python python_$name
done
if "$terrarium" run --yes -l js -c '' >out 2>err; then
	transcript javascript javascript
fi
transcript bash bash

# Output is exact, values and tracebacks have their places, the first failure counts, and it goes on after it.
feed 'print("a", end="")\n"b"\n'
expect_out "a
'b'"
feed 'import sys; sys.stdout.write("x")\n'
[ "$(wc -c <out)" = 4 ] || wrong "no newline of ours should follow but before a value"
feed '1/0\nprint("on")\nimport sys; sys.exit(3)\n'
expect_code 1
expect_out on
expect_in err "ZeroDivisionError: division by zero"
feed 'exit(3)\nprint("not this")\n'
expect_code 3
expect_out ""
feed ''
expect_code 0
expect_out ""
feed '\n\n   \n'
expect_code 0
# A sandbox that cannot be had is told once, and even where there is nothing to run.
for text in '' ':quit\n' '1 + 1\n'; do
	feed "$text" --backend microsandbox --server-url http://127.0.0.1:1
	expect_code 125
	expect_out ""
	expect_in err "refused"
	! grep -q closed err || wrong "only the reason should be told, after '$text'"
done
# No newline at the end; a block that the end of the input ends; CR LF.
feed 'def f():\n    return 6\nf() * 7'
expect_out 42
feed 'for i in range(2):\n    print(i)'
expect_out "0
1"
feed '1 + 1\r\n'
expect_out 2
# A blank line inside brackets and strings ends nothing, and a decorator begins something.
feed 'x = [1,\n\n2]\nx\ns = """a\n\nb"""\ns\n'
expect_out "[1, 2]
'a\\n\\nb'"
feed 'def d(f):\n    return lambda: f() + 1\n@d\ndef g():\n    return 1\ng()\n'
expect_out 2
feed 'try:\n    1/0\nexcept ZeroDivisionError:\n    print("caught")\nfinally:\n    print("end")\nprint("after")\n'
expect_out "caught
end
after"
feed 'if True:\n'
expect_code 1
expect_in err "IndentationError"

# As documentation shows it, answers between the inputs.
feed '>>> x = 2\n>>> x + 1\n3\n>>> for i in range(2):\n...     print(i)\n...\n0\n1\n>>> def f():\n...     return 9\n\n>>> f()\n9\n>>>\n'
expect_code 0
expect_out "3
0
1
9"

# What is read comes from the transcript; at its end is the end.
feed 'a = input("? ")\nfirst\nimport sys\nsys.stdin.readline()\nsecond\na\n'
expect_out "? 
'second\\n'
'first'"
feed 'input()\n'
expect_code 1
expect_in err "EOFError"

# Libraries look at sys.ps1 to see whether somebody types; a file is a program, and what was set stays set.
echo 'import sys; print("program", hasattr(sys, "ps1"))' >program.py
feed 'import sys\nsys.ps1, sys.ps2\n:run program.py\nsys.ps2 = 1\nsys.ps2\n'
expect_out "('>>> ', '... ')
program False
1"

# Values of expressions inside blocks, as at Python's own prompt; a file is a program, and shows its last.
feed 'for i in range(2): i\n\nif 1:\n    5\n\n1; 2\n_\n'
expect_code 0
expect_out "0
1
5
1
2
2"

# Commands.
feed ':lang js\n1 + 1\n:lang python\nx = 1\n:vars\n:reset\n:vars\n:timeout 5\n:files\n'
expect_code 0
expect_in out "x                int"
expect_in out "runs have a time limit of 5 s"
expect_in err "there are no variables yet"
# Tables and artifacts.
feed 'r = [{"id": i, "name": "n%%d" %% (i %% 3)} for i in range(30)]\n:table r 29 by name down\n:table r find n2\n:table x\n'
expect_in out " 0    0 n0"
expect_in err "list: rows 11 to 30 of 30, columns 1 to 2 of 2"
expect_in err "list: rows 3 to 22 of 30"
expect_in err "there is no variable of this name: x"
feed 'display({"text/csv": "a,b\\n1,2\\n", "text/plain": "t"}, raw=True)\n:artifacts\n:artifacts save 1 one.csv\n:artifacts save all all\n:artifacts save 2\n'
expect_in out "  1  out-1-1.csv              text/csv"
expect_in err "saved one.csv"
expect_in err "saved all/out-1-1.csv"
expect_in err "which one? :artifacts save 1 to 1, or all"
[ "$(tail -n 1 all/out-1-1.csv)" = 1,2 ] || wrong "the file should be as it was shown"
feed ':re\n'
expect_code 125
expect_err "terrarium: :re may be :reset, :restart"
feed ':hepl\n'
expect_err "terrarium: there is no command :hepl; did you mean :help?"
feed ':nosuchthing\n'
expect_code 125
feed ':quit now\n'
expect_err "terrarium: :quit takes no arguments"
feed ':help\n'
[ "$(wc -l <out)" -le 22 ] || wrong ":help should fit a screen"
[ "$(awk '{ if (length($0) > n) n = length($0) } END { print n }' out)" -le 80 ] || wrong ":help should fit 80 columns"
feed ':help time\n'
expect_in out ":timeout [SECONDS]"
feed '!echo from a shell; exit 3\n'
expect_code 3
expect_out "from a shell"
feed 'x = 5\nx?\n?x\n?nothing_of_this_name\n'
expect_in out "type       int"
expect_in err "python does not know 'nothing_of_this_name'"
# They end a block as any other line does that is not indented.
feed 'for i in 1, 2:\n    print(i)\n!echo shell\nif 1:\n    y = 6\ny?\nif 1:\n    z = 7\n:lang js\n1 + 1\n'
expect_code 0
expect_in out "1
2
shell"
expect_in out "type       int"
[ "$(tail -n 1 out)" = 2 ] || wrong ":lang behind a block should be heard"
printf 'print("a file")\n' >script.py
feed ':run script.py\n:run missing.py\n:load script.py\n:run /dev/zero\n'
expect_code 125
expect_out "a file
a file"
expect_in err "cannot read missing.py: No such file or directory"
expect_in err "cannot read /dev/zero: it is not a file"
feed '1 + 1\n:save kept.py\n:save kept.py\n'
expect_in err "cannot write kept.py: File exists"
[ "$(cat kept.py)" = "1 + 1" ] || wrong "what was run should be saved"
feed '1 + 1\n:lang bash\necho 2\n:save mixed.py\n:save mixed\n:save mixed.js\n'
expect_in err "nothing has been run in javascript yet"
[ "$(cat mixed.py)" = "1 + 1" ] || wrong "a file of Python should hold what was run in it"
[ "$(cat mixed)" = "echo 2" ] || wrong "another file should hold what was run in the language of the prompt"
feed ':net maybe\n'
expect_in err ":net takes on or off, not 'maybe'"
echo data >data.txt
feed ':cp data.txt :\nopen("data.txt").read()\n:cp :data.txt back.txt\n:cp one\n:cp "x\n'
expect_out "'data\\n'"
cmp -s data.txt back.txt || wrong "the file should come back as it was"
expect_in err "a quote is not closed"
feed ': "a colon"\n! true && echo no\necho $?\n' -l bash
expect_out 1

# Bad input: NUL, broken UTF-8, a line of a megabyte.
printf 'print(1)\nprint("a\0b")\nprint(2)\n' >in
try repl --yes <in
expect_in out 2
printf 'print("\377")\nprint(3)\n' >in
try repl --yes <in
expect_code 125
expect_out 3
python3 -c 'print("x = \"" + "a" * 1000000 + "\"")
print("len(x)")' >in
try repl --yes <in
expect_out 1000000

# Who may run it.
printf '1\n' >in
try repl <in
expect_code 125
expect_in err "give --yes"
try repl file.py
expect_code 125
try repl --nosuch
expect_code 125
# A time-out is one input's; the next one runs.
feed 'while True: pass\n1 + 1\n' --timeout 0.3 --grace 0.2
expect_code 124
expect_out 2
# A restart is over before the REPL is, so whoever comes next has lost nothing by surprise.
feed 'x = 1\n:restart\n' --keep --name "again$$"
expect_code 0
expect_in err "python was restarted: its variables are lost"
for i in 1 2 3; do
	feed ':restart\n' --name "again$$"
	try run --yes --name "again$$" --json -c 1
	expect_in out '"state_lost":false'
	expect_in out '"hint":null'
done
"$terrarium" stop "again$$" >/dev/null
# What an enforced policy refuses is listed.
feed 'import os, socket\n' --policy strict --policy-mode enforce
expect_in err ", and 1 more"
expect_in err "! line 1: socket"
# Nobody reads.
yes 'print("y" * 1000)' | head -n 2000 | "$terrarium" repl --yes 2>err | head -n 1 >out
expect_in out yyy
verdict
