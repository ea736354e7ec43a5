#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole programs, one file for each language: arguments, standard input, the exit code, and a mistake on line 3.
programs=$(cd "$(dirname "$0")" && pwd)/programs
. "$(dirname "$0")/../cli/tell.sh"
need_local

# "language|compiler or interpreter|ending|what tells the line of the mistake"
table='c|gcc|c|bad.c:4:
cpp|g++|cpp|bad.cpp:3:
go|go|go|bad.go:3:
java|java|java|bad.java:4:
r|Rscript|r|bad.r:3:
ruby|ruby|rb|bad.rb:4:
typescript|node|ts|bad.ts:3:'

n_tried=0
printf 'there\n' >input
while IFS='|' read -r language tool ending place <&3; do
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
	cp "$programs/hello.$ending" "$programs/bad.$ending" .

	try run --yes --timeout 120 --stdin input "hello.$ending" -- 'two words'
	expect_code 3
	expect_in out "hello two words there"
	expect_err ""

	# Without arguments, and with the language's name instead of the ending.
	cp "hello.$ending" "program.$ending"
	try run --yes --timeout 120 --stdin input -l "$language" "program.$ending"
	expect_code 3
	expect_in out "hello - there"

	# A mistake tells its line.
	try run --yes --timeout 120 --json "bad.$ending" </dev/null
	[ "$code" = 1 ] || [ "$code" = 2 ] || wrong "the exit code should be the compiler's"
	expect_in out "\"language\":\"$language\""
	expect_in out '"status":"error"'
	expect_in out "$place"
done 3<<TABLE
$table
TABLE
if [ "$n_tried" = 0 ]; then
	echo "SKIP: none of the languages is installed"
	exit 77
fi
verdict
