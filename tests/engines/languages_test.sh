#!/bin/sh
# SPDX-License-Identifier: MIT
# languages_test.sh PROGRAM ENGINE: whole programs in containers of an image with all languages that this machine has.
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
in_container() {
	case $language in go) return ;; esac # Debian's is not what this machine has
	cp "$programs/hello.$ending" .
	try run --yes --backend "$engine" --image $image --memory 1024 --timeout 120 --stdin input "hello.$ending" -- 'two words'
	expect_code 3
	expect_in out "hello two words there"
	try run --yes --backend "$engine" --image $image --memory 1024 --timeout 6 -l "$language" -c "$(printf "$loop")"
	expect_code 124
	expect_in out going
}
each_language in_container
try langs --backend "$engine" --image $image
expect_code 0
[ "$(grep -c missing out)" -lt 3 ] || wrong "most languages should be there"
verdict
