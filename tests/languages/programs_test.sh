#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole programs, one file for each language: arguments, standard input, the exit code, and the line of a mistake.
programs=$(cd "$(dirname "$0")" && pwd)/programs
. "$(dirname "$0")/../cli/tell.sh"
. "$source/tests/languages/table.sh"
need_local

printf 'there\n' >input

try_programs() {
	cp "$programs/hello.$ending" "$programs/bad.$ending" .

	try run --yes --timeout 120 --stdin input "hello.$ending" -- 'two words' 'a "quote" \ ü'
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
	[ "$code" -gt 0 ] || wrong "the exit code should be the compiler's"
	expect_in out "\"language\":\"$language\""
	expect_in out '"status":"error"'
	cat out err >both
	expect_in both "$place"
}

each_language try_programs
verdict
