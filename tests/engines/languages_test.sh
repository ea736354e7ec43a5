#!/bin/sh
# SPDX-License-Identifier: MIT
# languages_test.sh PROGRAM ENGINE: whole programs, and pieces that share their state, in containers of an image with all
# languages that this machine has.
. "$(dirname "$0")/../cli/tell.sh"
. "$source/tests/languages/table.sh"
engine=$2
programs=$source/tests/languages/programs
image=localhost/tt:languages

PYTHONDONTWRITEBYTECODE=1 python3 "$source/tests/engines/languages.py" "$dir/image.tar" || exit 1
"$engine" load -q -i "$dir/image.tar" >load.log 2>&1 || { cat load.log; exit 1; }
rm "$dir/image.tar"
trap '"$engine" rmi -f $image >/dev/null 2>&1; rm -rf "$dir"' EXIT

printf 'there\n' >input
whole_program() {
	cp "$programs/hello.$ending" .
	try run --yes --backend "$engine" --image $image --memory 1024 --timeout $most --stdin input "hello.$ending" -- 'two words'
	expect_code 3
	expect_in out "hello two words there"
}
time_limit() {
	try run --yes --backend "$engine" --image $image --memory 1024 --timeout $limit -l "$language" -c "$(printf "$loop")"
	expect_code 124
	expect_in out going
}

# Two pieces of code in one sandbox: what the first has defined is there in the second.
pieces() {
	case $language in
	python | ruby) first='x = 6' ;;
	bash) first='x=6' ;;
	javascript) first='let x = 6' ;;
	typescript) first='let x: number = 6' ;;
	r) first='x <- 6' ;;
	go) first='x := 6' ;;
	*) first='int x = 6;' ;;
	esac
	second='x * 7'
	[ "$language" != bash ] || second='echo $((x * 7))'
	try run --yes --backend "$engine" --image $image --memory 1024 --timeout $most -l "$language" -c "$first" -c "$second"
	expect_code 0
	expect_in out 42
}
in_container() {
	most=120 limit=6
	case $language:$(command -v go) in
	go:/usr/local/go/bin/go) most=600 ;; # its compiler has an empty cache in each container
	go:*) return ;;                      # Debian's is not in the image
	esac
	whole_program
	pieces
	[ "$language" = go ] || time_limit
}
each_language in_container
try langs --backend "$engine" --image $image
expect_code 0
[ "$(grep -c missing out)" -lt 3 ] || wrong "most languages should be there"
verdict
