#!/bin/sh
# SPDX-License-Identifier: MIT
# Each language where there are no namespaces: held by Landlock, and by nothing. A program; two pieces of a session, between
# which the driver looks for other processes; a time limit.
programs=$(cd "$(dirname "$0")" && pwd)/programs
. "$(dirname "$0")/../cli/tell.sh"
. "$source/tests/languages/table.sh"

printf 'there\n' >input
try_level() {
	cp "$programs/hello.$ending" .
	try run --yes --isolation "$level" --timeout 120 --stdin input "hello.$ending" -- 'two words'
	expect_code 3
	expect_in out "hello two words there"
	expect_err ""
	try run --yes --isolation "$level" --timeout 120 "hello.$ending" "hello.$ending" </dev/null
	grep -qi terrarium err && wrong "the driver should not fail"
	limit=6
	if [ "$language" = go ]; then
		limit=60 # its compiler has an empty cache
		try run --yes --isolation "$level" --timeout 120 -l go -c 'x := []int{1}' -c x
		expect_out '[]int{1}'
	fi
	try run --yes --isolation "$level" --timeout $limit -l "$language" -c "$(printf "$loop")"
	expect_code 124
	expect_in out going
}

for level in landlock none; do
	code=0
	"$terrarium" run --yes --isolation $level -c pass >out 2>err || code=$?
	if [ $code != 0 ]; then
		echo "SKIP: $level: $(tail -n 1 err)"
		continue
	fi
	each_language try_level
done
verdict
