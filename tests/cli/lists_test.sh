#!/bin/sh
# SPDX-License-Identifier: MIT
# What lists things: as text, as JSON with the fields that the man page names, as bare names.
. "$(dirname "$0")/tell.sh"
mkdir -p config/terrarium/themes
echo '{ "inherits": "dark", "roles": { "text": "#ffffff" } }' >config/terrarium/themes/mine.json
echo '{ "roles": { "text": "#ggg" } }' >config/terrarium/themes/broken.json

try themes
expect_code 0
expect_in out "* dark"
expect_in out "  mine "
expect_in out "$dir/config/terrarium/themes/mine.json"
expect_in out "broken.json:1:"
grep -q ' $' out && wrong "no blanks at the end of a line"
grep -q "$(printf '\033')" out && wrong "no colors in a pipe"
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
expect_err "terrarium: 'themes' takes no arguments, but got 'dark'"
COLORTERM=truecolor TERM=xterm-256color script -qec "'$terrarium' themes" /dev/null >out 2>err </dev/null
tried="themes on a terminal"
expect_in out "48;2;"
NO_COLOR=1 TERM=xterm-256color script -qec "'$terrarium' themes" /dev/null >out 2>err </dev/null
grep -q '48;' out && wrong "NO_COLOR is heard"

mkdir -p bin
printf '#!/bin/sh\nexec sleep 60\n' >bin/hangs
chmod +x bin/hangs
cat >config/terrarium/config.json <<'END'
{ "backends": {
	"good": { "about": "one that works", "steps": { "probe": ["echo", "version 7"], "connect": ["{agent}", "{key}"], "destroy": ["true"] } },
	"sad": { "like": "good", "steps": { "probe": ["sh", "-c", "printf 'no \\033[31mroom\\n' >&2; exit 3"] }, "hints": [["room", "make some"]] },
	"broken": { "like": "good",
		"steps": { "probe": ["{nmae}"] } },
	"missing": { "like": "good", "steps": { "probe": ["/nonexistent/tool"] } }
} }
END
try backends
expect_code 0
expect_in out "* local "
expect_in out "  good               ok      one that works"
expect_in out "                             version 7"
expect_in out "                             $dir/config/terrarium/config.json:2"
expect_in out "make some"
expect_in out "config.json:5:24: backend \"broken\", steps.probe[0]: there is no placeholder \"nmae\"; did you mean \"name\"?"
grep -q "$(printf '\033')" out && wrong "what a probe says is made fit to be shown"
try backends --json --backend good
is_json 'all(set(t) == {"name", "about", "current", "recipe", "like", "where", "works", "detail", "advice"} for t in value)'
is_json '[t["name"] for t in value if t["current"]] == ["good"]'
is_json '{t["name"]: t["works"] for t in value if t["where"]} == {"good": True, "sad": False, "broken": False, "missing": False}'
is_json '[(t["advice"], t["like"]) for t in value if t["name"] == "sad"] == [("make some", "good")]'
is_json '{t["name"] for t in value if not t["where"]} == {"local", "microsandbox", "fake", "docker", "podman", "micromamba", "kubernetes", "agent-sandbox", "msb"}'
try backends --names
expect_out "local
microsandbox
fake
docker
podman
micromamba
kubernetes
agent-sandbox
msb
good
sad
broken
missing"
try backends now
expect_code 125
expect_err "terrarium: 'backends' takes no arguments, but got 'now'"
try check config
expect_code 1
expect_in out "broken"
try run --yes --backend broken -c 1
expect_code 125
expect_in err "config.json:5:24: backend \"broken\", steps.probe[0]"
try run --yes --backend gud -c 1
expect_code 125
expect_in err "there is no backend 'gud': known are local, microsandbox, fake, docker, podman, micromamba, kubernetes, agent-sandbox, msb, good"
echo '{ "backends": { "hangs": { "program": "'"$dir"'/bin/hangs", "steps": { "probe": ["{program}"], "connect": ["{agent}", "{key}"], "destroy": ["true"] } } } }' >config/terrarium/config.json
try backends
expect_in out "hangs does not end; it was stopped after 10 s"
echo '{ "backends": { "local": { "like": "docker" } } }' >config/terrarium/config.json
try backends --json
is_json '[t["works"] for t in value if t["name"] == "local"] == [True, False] or not value[0]["works"]'
rm config/terrarium/config.json

try langs --names
expect_out "python
javascript
bash
typescript
java
c
cpp
go
r
ruby"
try langs --json
is_json 'all(set(t) == {"name", "aliases", "endings", "kind", "interpreter", "package", "image", "package_manager", "found", "version"} for t in value)'
is_json '"py" in value[0]["aliases"] and ".py" in value[0]["endings"]'
try langs
expect_in out ".mjs"
if "$terrarium" run --yes -c '' 2>/dev/null; then
	expect_code 0
	expect_in out "resident  /usr/bin/python3  3."
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
	expect_in out "__complete"
	! command -v $shell >/dev/null || $shell -n out || wrong "$shell understands it"
done
try __complete run --js
expect_out "--json	print the whole result as one JSON object per run"
try __complete check themes ''
expect_in out dark
try completion
expect_code 125
expect_err "terrarium: which shell? Give bash, zsh or fish"
try completion csh
expect_err "terrarium: there is no completion for 'csh'; known are bash, zsh and fish"

verdict
