#!/bin/sh
# SPDX-License-Identifier: MIT
# Languages of a config file: the example of docs/languages.md as it stands, and mistakes.
. "$(dirname "$0")/../cli/tell.sh"

mkdir -p config/terrarium
# block KIND NUMBER: a block of code of the page.
block() {
	awk -v kind="$1" -v number="$2" '$0 == "```" kind { on = ++n == number; next } /^```/ { on = 0 } on' \
		"$source/docs/languages.md"
}
block json 1 >config/terrarium/config.json

try langs --names
expect_code 0
for language in python ruby lua perl science; do
	grep -qx "$language" out || wrong "there should be $language"
done

# The driver of the page does all that its row has samples for, and keeps its tables.
block json 2 >sqlite.json
block "python driver" 1 >sqlite.py
[ "$(wc -l <sqlite.py)" -lt 50 ] || wrong "the driver should have fewer than 50 lines"

# What is prepared once is there in each sandbox, and cannot be changed from inside. The folder must be where sandboxes of
# root can reach it, and not below /tmp, which is another one for them.
prepared=$(mktemp -d /var/tmp/terrarium-test-XXXXXX) && chmod 755 "$prepared"
trap 'rm -rf "$dir" "$prepared"' EXIT
cat >tiny.json <<'END'
{ "languages": { "tiny": { "commands": [["/bin/sh", "{file}"]], "env": ["TERRARIUM_SEED=tiny:.cache/tiny"],
	"prepare": ["/bin/sh", "-c", "mkdir -p /tmp/prepared/a && echo made >/tmp/prepared/a/x"] } } }
END
export XDG_CACHE_HOME="$prepared"
try langs --config tiny.json --prepare python
expect_code 125
expect_in err 'has nothing that could be prepared'
try langs --config tiny.json --prepare tiny
expect_code 0
expect_in out "$prepared/terrarium/compilers/tiny"
try run --yes --config tiny.json -l tiny -c 'cat ~/.cache/tiny/a/x; echo own >~/.cache/tiny/own; echo no >~/.cache/tiny/a/x'
expect_in out 'made'
[ "$(cat "$prepared/terrarium/compilers/tiny/a/x")" = made ] || wrong "a sandbox has changed what was prepared"
[ ! -e "$prepared/terrarium/compilers/tiny/own" ] || wrong "a sandbox has added to what was prepared"
unset XDG_CACHE_HOME

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

echo '{ "languages": { "lua": { "commands": [["lua"]], "samples": { "pritn": "x" } } } }' >wrong.json
try check config --config wrong.json
expect_in out 'samples: there is no sample "pritn"; did you mean "print"?'
try langs --test pyton
expect_code 125
expect_in err "did you mean 'python'?"

need_local
try langs --config sqlite.json --test sqlite
expect_code 0
expect_in out "ok      stops at an interrupt"
expect_in out "0 failed, 5 not tested."
printf "INSERT INTO t VALUES (1, NULL);\nSELECT * FROM t;\n\nSELECT\n nope;" >t.sql
try run --yes --config sqlite.json -l SQL -c "CREATE TABLE t (a, b);" -c "INSERT INTO t VALUES ('ü', 0); SELECT * FROM t"
expect_code 0
expect_out "ü|0"
try run --yes --config sqlite.json -l sql -c "CREATE TABLE t (a, b);" t.sql
expect_code 1
expect_out "1|"
expect_in err "t.sql:5: no such column: nope"

# Drivers that hang, lie, write rubbish or speak a newer protocol.
cat >bad.py <<'END'
import os, sys, time
how = sys.argv[1]
if how == "rubbish":
    os.write(4, b"\1\2 rubbish\n")
elif how == "newer":
    os.write(4, b'{"ev":"ready","protocol":2}\n')
elif how == "lies":
    os.write(4, b'{"ev":"ready"}\n')
    os.read(3, 1)
    os.write(4, b'{"ev":"done","id":"77","status":"ok"}\n')
elif how == "leaves":
    sys.exit(3)
time.sleep(1000)
END
rows=
for how in rubbish newer lies leaves hangs; do
	rows="$rows${rows:+, }\"$how\": { \"driver\": \"bad.py\", \"start\": [\"/usr/bin/python3\", \"-c\",
		\"import sys; sys.argv[1:] = ['$how']; exec(open(5).read())\"] }"
done
echo "{ \"languages\": { $rows } }" >bad.json
while read -r how limit words <&3; do
	try langs --config bad.json --test "$how" --start-timeout "$limit" --timeout 1
	expect_code 1
	expect_in out "$words"
done 3<<'TABLE'
rubbish 30 before "ready": a line on the kernel's event pipe is not a JSON object: 
newer 30 before "ready": its driver speaks another version of the kernel protocol than 1
lies 30 "done" has not the id of the request, "1"
leaves 30 the driver ended before "ready", exit code 3
hangs 1 before "ready": there was no answer within 1 s
TABLE
# A run ends with the reason, too.
try run --yes --config bad.json -l rubbish -c x
expect_in err "is not a JSON object"
try run --yes --config bad.json -l newer -c x
expect_in err "another version of the kernel protocol"
try run --yes --config bad.json -l lies --timeout 1 -c x
expect_code 124
try run --yes --config bad.json -l leaves -c x
[ "$code" -gt 0 ] || wrong "it should fail"

# Built-in drivers pass their own test.
for language in python javascript bash ruby r java c cpp go; do
	command -v "$(case $language in python) echo python3 ;; javascript) echo node ;; r) echo R ;; java) echo javac ;;
	c) echo gcc ;; cpp) echo g++ ;; *) echo $language ;; esac)" >/dev/null || continue
	try langs --test "$language" --timeout 120
	expect_code 0
done
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

# A driver without the trait is given no arguments.
try run --yes --config sqlite.json -l sqlite -c "SELECT 1" -- a
expect_code 125
expect_in err 'code in sqlite cannot be given arguments: the language'"'"'s row lacks "takes_args"'

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
