#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium run FILE` of one file, and the interpreter itself: the same programs (programs/*.txt) print the same and
# end the same.
. "$(dirname "$0")/tell.sh"
need_local

# Each program in a file of its own: "==== TITLE: FILE", and its text; without ": FILE" it is p.$2.
# unpack LIST SUFFIX
unpack() {
	mkdir all
	awk -v suffix="$2" '
		/^==== / {
			close(file)
			n++
			name = $0 ~ /: [^ ]+$/ ? $NF : "p." suffix
			dir = sprintf("all/%03d", n)
			system("mkdir -p " dir "/here")
			print substr($0, 6) >(dir "/title")
			print name >(dir "/name")
			close(dir "/title")
			close(dir "/name")
			file = dir "/here/" name
			next
		}
		{ print >file }' "$source/tests/cli/programs/$1"
}

as_inside() {
	env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/home/user USER=user LANG=C.UTF-8 TERM=dumb TMPDIR=/tmp "$@"
}

# Without namespaces a full disk is EFBIG, and its signal ignored.
# Without what only the interpreter, its shell, or terrarium says around an error, and what is never the same.
plain() {
	as_named "$1" | sed -e "s|$dir/$one/here|/workspace|g" -e "/^trap -- '' SIGXFSZ\$/d" -e '/^Node\.js v/d' -e '/^(Use `node --trace-/d' -e '/^$/d' \
		-e '/^Terminated$/d' -e '/^terrarium: killed by signal 15/d' -e 's/duration_ms.*/duration_ms/' -e 's/([0-9.]*ms)//'
}

# compare LIST SUFFIX INTERPRETER ERRORS: the last is the function that says what counts of stderr.
compare() {
	unpack "$1" "$2"
	for one in all/*; do
		name=$(cat "$one/name")
		want=0
		(cd "$one/here" && printf 'one\ntwo\n' | as_inside setsid -w "$3" "$name" >../out 2>../err) || want=$?
		tried="$3 $name ($(cat "$one/title"))"
		code=0
		(cd "$one/here" && printf 'one\ntwo\n' | setsid -w "$terrarium" run --yes --timeout 60 "$name") >out 2>err || code=$?
		expect_code "$want"
		plain "$one/out" >wanted
		plain out | cmp -s wanted - || wrong "its output is: $(head -n 20 wanted)"
		$4 "$one/err" >wanted
		$4 err | cmp -s wanted - || wrong "its errors are: $(cat wanted)"
	done
	rm -rf all
}

need_language bash
compare bash.txt sh bash plain

# What node says of an error: the error itself.
names() {
	plain "$1" | grep -E '^[A-Za-z]*Error\b|^Warning' || :
}
need_language js
compare javascript.txt js node names

# Only the file that is run goes in: a module beside it is pointed out.
echo 'x = 41' >helper.py
echo 'import helper; print(helper.x + 1)' >uses.py
try run --yes uses.py
expect_code 1
expect_in err "terrarium: helper.py lies beside uses.py on this machine, but only the file that is run goes into the sandbox: add --dir '.' to copy its folder in"
try run --yes --dir . uses.py
expect_code 0
expect_out 42
try run --yes uses.py -c 1
expect_in err "add --dir '.'"
try run --yes -c 'import helper'
grep -q "lies beside" err && wrong "code has no place that something could lie beside"
echo 'import nosuchmodule' >alone.py
try run --yes alone.py
grep -q "lies beside" err && wrong "nothing lies beside it"
if "$terrarium" run --yes -l js -c '' >/dev/null 2>&1; then
	echo 'exports.x = 1' >part.js
	echo 'console.log(require("./part").x)' >uses.js
	try run --yes uses.js
	expect_code 1
	expect_in err "part.js lies beside uses.js"
fi
verdict
