# SPDX-License-Identifier: MIT
# The languages, for the scripts beside this one: programs/hello.ENDING prints "hello", its first argument or "-", and a
# line of standard input, and ends with exit code 3; programs/bad.ENDING has a mistake.
# A row: language|compiler or interpreter|ending|what tells the line of the mistake|code that prints "going" and never ends
table='python|python3|py|line 4|print("going", flush=True)\nwhile True: pass
javascript|node|js|bad.js:4|console.log("going"); for (;;);
bash|bash|sh|line 4|echo going; while :; do :; done
c|gcc|c|bad.c:4:|#include <stdio.h>\nint main(void) { puts("going"); fflush(stdout); for (;;); }
cpp|g++|cpp|bad.cpp:3:|#include <stdio.h>\nint main() { puts("going"); fflush(stdout); for (;;); }
go|go|go|bad.go:3:|package main\nimport "fmt"\nfunc main() { fmt.Println("going"); for {} }
java|javac|java|bad.java:4:|class A {\npublic static void main(String[] a) { System.out.println("going"); for (;;); } }
r|Rscript|r|bad.r:3:|cat("going\\n"); repeat {}
ruby|ruby|rb|bad.rb:4:|puts "going"; loop {}
typescript|node|ts|bad.ts:3:|const x: string = "going"; console.log(x); for (;;);'

# each_language FUNCTION: call it for each one that is installed, with $language $ending $place $loop set. Exits with 77 if
# there is none.
each_language() {
	n_tried=0
	while IFS='|' read -r language tool ending place loop <&3; do
		if ! command -v "$tool" >/dev/null; then
			echo "SKIP: $language: there is no $tool"
			continue
		fi
		if [ "$language" = typescript ] && ! [ -d /usr/share/nodejs/typescript ] &&
			! node -e 'process.exit(process.features.typescript ? 0 : 1)'; then
			echo "SKIP: typescript: node is older than 22.18, and there is no node-typescript"
			continue
		fi
		n_tried=$((n_tried + 1))
		"$1"
	done 3<<-TABLE
	$table
	TABLE
	if [ "$n_tried" = 0 ]; then
		echo "SKIP: none of the languages is installed"
		exit 77
	fi
}
