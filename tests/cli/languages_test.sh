#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium run` in the other languages, in real sandboxes of this machine.
. "$(dirname "$0")/tell.sh"
need_local
need_language js
need_language bash

# The languages, by name and by file.
try run --yes -l js -c '[1, 2].map(x => x * 2)'
expect_code 0
expect_out "[ 2, 4 ]"
echo 'console.log("from node")' >a.js
echo 'echo "from bash"; exit 4' >b.sh
try run --yes a.js b.sh
expect_code 4
expect_out "from node
from bash"

seq 100000 >numbers
try run --yes -l bash -c 'wc -l' <numbers
expect_out 100000
printf 'one\ntwo\n' >lines
try run --yes -l bash -c 'read -r x; echo "got $x"; cat' <lines
expect_out "got one
two"
try run --yes -l js -c 'require("fs").readFileSync(0, "utf8").length' <lines
expect_out 8

# Nothing runs after an exit, and nothing goes round for ever.
printf 'exit 3\nfor f in a; do :; done\n' >exits.sh
try run --yes --timeout 30 exits.sh
expect_code 3
expect_out ""
try run --yes --timeout 30 -l bash -c "$(cat exits.sh)"
expect_code 3

# One sandbox: its files are everybody's.
try run --yes -l bash -c 'echo shared >file' -c 'cat file'
expect_out shared

# What is left to be done at the end of the program is done.
echo 'setTimeout(() => { console.log("timer"); process.exitCode = 5 }, 100); process.on("exit", (c) => console.log("exit", c))' >timer.js
try run --yes timer.js
expect_code 5
expect_out "timer
exit 5"
expect_err ""
# In a file this is a block, and not an object with a method.
printf '{\n  queueMicrotask(nope)\n  {\n  }\n}\n' >block.js
try run --yes block.js
expect_code 1
expect_in err "nope is not defined"
try run --yes -l js -c '{ a: 1, b: 2 }'
expect_out "{ a: 1, b: 2 }"
echo 'setTimeout(() => { throw new TypeError("late") }, 50)' >throws.js
try run --yes throws.js
expect_code 1
expect_in err "TypeError: late"
# Also before anybody has begun to wait for it.
echo 'setTimeout(() => { throw new TypeError("soon") }, 0)' >throws.js
try run --yes throws.js
expect_code 1
expect_in err "TypeError: soon"
echo 'process.on("exit", () => { process.exitCode = 9 })' >exits.js
try run --yes exits.js
expect_code 9
echo 'process.on("exit", () => { throw new TypeError("last") })' >exits.js
try run --yes exits.js
expect_code 1
expect_in err "TypeError: last"
echo 'process.on("exit", (code) => { console.log(code); process.exit(4) })' >exits.js
try run --yes exits.js
expect_code 4
expect_out 0
echo 'setImmediate(() => process.exit(3))' >exits.js
try run --yes exits.js
expect_code 3
echo 'setInterval(() => {}, 10)' >endless.js
try run --yes --timeout 0.5 endless.js
expect_code 124
printf '%s\n' "trap 'echo bye; echo oops >&2; exit 7' EXIT" 'echo main' >trap.sh
try run --yes trap.sh
expect_code 7
expect_out "main
bye"
expect_err oops
printf '%s\n' 'import atexit, threading, time' 'atexit.register(lambda: print("atexit"))' \
	'threading.Thread(target=lambda: (time.sleep(0.1), print("thread"))).start()' >thread.py
try run --yes thread.py
expect_code 0
expect_out "thread
atexit"

# A debugger shows lines of a script that is not in the sandbox, and stops at them; what runs them it neither shows nor enters.
printf 'def twice(a):\n    breakpoint()\n    a *= 2\n    return a\nprint(twice(21))\n' >stop.py
printf 'b 4\nc\np a\nw\nc\n' >typed
try run --yes stop.py <typed
expect_code 0
stop="(3)twice()
-> a *= 2"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 13))' && stop="(2)twice()
-> breakpoint()" # it stops there, and not behind it
expect_out "> stop.py$stop
(Pdb) Breakpoint 1 at stop.py:4
(Pdb) > stop.py(4)twice()
-> return a
(Pdb) 42
(Pdb)   stop.py(5)<module>()
-> print(twice(21))
> stop.py(4)twice()
-> return a
(Pdb) 42"
printf 'breakpoint()\na = 6\nprint(a * 7)\n' >steps.py
printf 's\ns\ns\nn\nn\nn\n' >typed
try run --yes steps.py <typed
expect_code 0
expect_in out "-> print(a * 7)"
expect_in out "(Pdb) 42"
! grep -qE '<terrarium>|codecs' out || wrong "stops in what runs it"

# A script knows that it is the main one, and where it lies.
echo 'module.exports.run = () => 42; console.log(require.main === module, __filename, module.filename)' >main.js
try run --yes main.js
as_named out >named && mv named out
expect_out "true /workspace/main.js /workspace/main.js"
for signal in TERM KILL HUP; do
	try run --yes -l js -c "process.kill(process.pid, 'SIG$signal'); while (true);"
	expect_in err "terrarium: killed by signal"
	[ "$(wc -l <err)" = 1 ] || wrong "the debugger says nothing"
done

# The time limit counts what the code takes, and not what compiling does.
cat >slow.json <<'END'
{"languages": {"slow": {"commands": [["sleep", "1"], ["sh", "{file}"]]}}}
END
try run --config slow.json --yes --json --timeout 0.5 -l slow -c 'echo on'
expect_code 0
is_json 'value["status"] == "ok" and value["compile_ms"] >= 1000 and value["stdout"] == "on\n"'
try run --config slow.json --yes --json --timeout 0.5 -l slow -c 'echo on; while :; do :; done'
expect_code 124
is_json 'value["compile_ms"] >= 1000 and value["stdout"] == "on\n" and value["reason"].startswith("timed out after 0.5 s")'

verdict
