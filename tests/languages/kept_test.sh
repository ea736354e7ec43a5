#!/bin/sh
# SPDX-License-Identifier: MIT
# Whole programs in a sandbox that is kept, where one session runs them one after the other: each twice, and arguments are
# there for their run alone.
programs=$(cd "$(dirname "$0")" && pwd)/programs
. "$(dirname "$0")/../cli/tell.sh"
. "$source/tests/languages/table.sh"
need_local
own_runtime

printf 'there\n' >input
try run --yes --keep --name box --memory 2048 --disk 1024 -c pass
expect_code 0

try_twice() {
	cp "$programs/hello.$ending" .
	try run --yes --name box --timeout 120 --stdin input "hello.$ending" -- 'two words' 'a "quote" \ ü'
	expect_code 3
	expect_in out "hello two words there"
	expect_err ""
	try run --yes --name box --timeout 120 --stdin input "hello.$ending"
	expect_code 3
	expect_in out "hello - there"
	expect_err ""
	# As text, too: what a program of another language hands over, or a person pastes.
	try run --yes --name box --timeout 120 -l "$language" --stdin input -c "$(cat "hello.$ending")" -- word
	expect_code 3
	expect_in out "hello word there"
	# A time limit ends the run, not the sandbox.
	limit=6
	[ "$language" != go ] || limit=30 # its compiler has an empty cache
	try run --yes --name box --timeout $limit -l "$language" -c "$(printf "$loop")"
	expect_code 124
	expect_in out going
}

each_language try_twice
try stop box
expect_code 0
verdict
