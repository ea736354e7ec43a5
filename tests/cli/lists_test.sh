#!/bin/sh
# SPDX-License-Identifier: MIT
# What lists things: as text, as JSON with the fields that the man page names, as bare names.
. "$(dirname "$0")/tell.sh"
mkdir -p config/terrarium/themes
echo '{ "inherits": "dark", "roles": { "text": "#ffffff" } }' >config/terrarium/themes/mine.json
echo '{ "roles": { "text": "#ggg" } }' >config/terrarium/themes/broken.json

# is_json PYTHON: `value`, what was printed, is as this expression says.
is_json() {
	PYTHONDONTWRITEBYTECODE=1 python3 -c 'import json,sys; value = json.load(open("out")); sys.exit(not eval(sys.argv[1]))' \
		"$1" 2>>err || wrong "JSON with: $1"
}

try themes
expect_code 0
expect_in out "* dark"
expect_in out "  mine "
expect_in out "$dir/config/terrarium/themes/mine.json"
expect_in out "broken.json:1:"
grep -q ' $' out && wrong "no blanks at the end of a line"
grep -q "$(printf '\033')" out && wrong "no colours in a pipe"
try themes --json --theme light
expect_code 0
is_json 'all(set(t) == {"name", "current", "own", "path", "error"} for t in value)'
is_json '[t["name"] for t in value if t["current"]] == ["light"]'
is_json '[t["name"] for t in value if t["own"]] == ["mine"]'
is_json '[t["name"] for t in value if t["error"]] == ["broken"]'
try themes --names
[ "$(cat out)" = "$(sort out)" ] || wrong "sorted"
expect_in out "mine"
try themes dark
expect_code 125
expect_err "terrarium: 'themes' takes no arguments, such as 'dark'"
COLORTERM=truecolor TERM=xterm-256color script -qec "'$terrarium' themes" /dev/null >out 2>err </dev/null
tried="themes on a terminal"
expect_in out "48;2;"
NO_COLOR=1 TERM=xterm-256color script -qec "'$terrarium' themes" /dev/null >out 2>err </dev/null
grep -q '48;' out && wrong "NO_COLOR is heard"

try langs --names
expect_out "python
javascript
bash"
try langs --json
is_json 'all(set(t) == {"name", "aliases", "endings", "interpreter", "found", "version"} for t in value)'
is_json '"py" in value[0]["aliases"] and ".py" in value[0]["endings"]'
try langs
expect_in out ".mjs"
if "$terrarium" run --yes -c '' 2>/dev/null; then
	expect_code 0
	expect_in out "/usr/bin/python3     3."
fi

try config --names
expect_in out "memory"
try doctor --json
is_json 'value and all(set(t) == {"status", "name", "detail", "advice"} for t in value)'
is_json 'all(t["advice"] for t in value if t["status"] == "failed")'
try check --json
is_json 'all(set(t) == {"status", "part", "name", "detail"} for t in value)'

try check keys --list --json
is_json 'all(set(t) == {"command", "place", "title", "help", "keys"} for t in value)'
is_json '{"keys": "f5", "place": "any"} in [t for t in value if t["command"] == "run"][0]["keys"]'

for shell in bash zsh fish; do
	HOME= XDG_CONFIG_HOME= try completion $shell
	expect_code 0
	expect_err ""
	expect_in out "metrics"
	grep -q '@TABLE@' out && wrong "the table is there"
	! command -v $shell >/dev/null || $shell -n out || wrong "$shell understands it"
done
try completion
expect_code 125
expect_err "terrarium: for which shell? Give bash, zsh or fish"
try completion csh
expect_err "terrarium: there is no completion for 'csh'; known are bash, zsh and fish"

verdict
