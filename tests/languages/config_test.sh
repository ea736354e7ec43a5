#!/bin/sh
# SPDX-License-Identifier: MIT
# Languages of a config file: the example of docs/languages.md as it stands, and mistakes.
. "$(dirname "$0")/../cli/tell.sh"

mkdir -p config/terrarium
awk '/^```json/ { on = 1; next } /^```/ { on = 0 } on' "$source/docs/languages.md" >config/terrarium/config.json

try langs --names
expect_code 0
for language in python ruby lua perl science; do
	grep -qx "$language" out || wrong "there should be $language"
done

# It is what was probably meant that is told.
echo '{ "languages": { "lua": { "comands": [] } } }' >wrong.json
try run --yes --config wrong.json -c 1
expect_code 125
expect_in err 'wrong.json:1:27: language "lua", comands: there is no such key; did you mean "commands"?'
try check config --config wrong.json
expect_in out 'did you mean "commands"?'
try run --yes -l pyton -c 1
expect_code 125
expect_in err "did you mean 'python'?"

need_local
# A command that is not there says which package brings it.
echo '{ "languages": { "none": { "commands": [["no-such-program", "{file}"]], "package": "nothing-at-all" } } }' >none.json
try run --yes --config none.json -l none -c x
expect_code 127
expect_in err "no-such-program cannot be started in the sandbox: it is not there: the Debian package nothing-at-all brings it"
# One that hangs is stopped, one that floods is cut, and the sandbox goes on.
echo '{ "languages": { "hangs": { "commands": [["sleep", "1000"]] }, "floods": { "commands": [["cat", "/dev/zero"]] } } }' >odd.json
try run --yes --config odd.json --timeout 1 -l hangs -c x
expect_code 124
try run --yes --config odd.json --timeout 5 --max-output 1 -l floods -c x
[ "$code" -gt 0 ] || wrong "it should be stopped"

# Only resident interpreters cannot be given arguments.
try run --yes -c 1 -- a
expect_code 125
expect_in err "a program in python cannot be given arguments"

tried=
for language in lua perl; do
	case $language in
	lua) program=lua5.4 text='print("hello", arg[1], io.read())' ;;
	perl) program=perl text='print join("\t", "hello", $ARGV[0], scalar(<STDIN>))' ;;
	esac
	if ! command -v "$program" >/dev/null; then
		echo "SKIP: $language: there is no $program"
		continue
	fi
	tried="$tried $language"
	echo there >input
	try run --yes -l "$language" --stdin input -c "$text" -- a
	expect_code 0
	expect_out "hello	a	there"
done
verdict
