#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that is killed loses no line that it has printed, in any language and without a word about buffers.
. "$(dirname "$0")/../cli/tell.sh"
. "$source/tests/languages/table.sh"
need_local

crashes='python|import os\nprint("last")\nos.kill(os.getpid(), 9)
javascript|console.log("last");\nprocess.kill(process.pid, "SIGKILL");
bash|echo last\nkill -9 $$
c|#include <signal.h>\n#include <stdio.h>\nint main(void) { puts("last"); raise(SIGKILL); }
cpp|#include <csignal>\n#include <iostream>\nint main() { std::cout << "last\\n"; raise(SIGKILL); }
go|package main\nimport ("fmt"; "syscall")\nfunc main() { fmt.Println("last"); syscall.Kill(syscall.Getpid(), 9) }
java|class A {\npublic static void main(String[] a) { System.out.println("last"); Runtime.getRuntime().halt(9); } }
r|cat("last\\n")\ntools::pskill(Sys.getpid(), 9)
ruby|puts "last"\nProcess.kill(:KILL, Process.pid)
typescript|const x: string = "last";\nconsole.log(x);\nprocess.kill(process.pid, "SIGKILL");'

try_crash() {
	printf '%b\n' "$(printf '%s\n' "$crashes" | sed -n "s/^$language|//p")" >"crash.$ending"
	try run --yes --timeout 120 "crash.$ending" </dev/null
	[ "$code" -gt 0 ] || wrong "the program should have been killed"
	expect_out last
}

each_language try_crash
verdict
