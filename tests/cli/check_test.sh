#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium check`: themes, keys and settings, the good and the bad.
. "$(dirname "$0")/tell.sh"

export XDG_CONFIG_HOME="$PWD/config"
mkdir -p config/terrarium/themes

try check
expect_code 0
expect_err ""
for theme in amber color-blind contrast dark dusk light mono ocean projector terminal; do
	grep -q "^ok  *$theme " out || wrong "$theme should be ok"
done
expect_in out "ok      default"
expect_in out "ok      settings"

# No key of either set hides another command.
for set in default emacs; do
	try check keys --keymap $set
	expect_code 0
	! grep -q "no other key does it there" out || wrong "a pane hides a command"
done

# A theme with three faults, and text that cannot be read.
printf '{ "inherits": "dark",\n  "roles": {\n    "titel": "#fff",\n    "dim": "#xyz",\n    "text": {"fg": "#222", "bg": "#333"} } }' \
	>config/terrarium/themes/mine.json
try check themes mine
expect_code 1
expect_in out 'mine.json:3:5: unknown role "titel"'
expect_in out 'mine.json:4:5: role "dim": "#xyz" is not a color'
expect_in out '"text" on its ground: contrast 1.26, at least 4.5 is needed'
expect_in out '"text" on its ground with 256 colors'
try check themes nosuch
expect_code 1
expect_in out 'there is no theme "nosuch"'
try check --json themes mine
expect_code 1
python3 -c 'import json, sys; rows = json.load(open("out"));
assert all(set(r) == {"status", "part", "name", "detail"} for r in rows) and len(rows) > 5' || wrong "not the JSON promised"
rm config/terrarium/themes/mine.json

# Roles that are left out are told, and are no error.
printf '{ "roles": { "text": { "fg": "#fff", "bg": "#000" }, "selection": { "attrs": ["reverse"] } } }' \
	>config/terrarium/themes/small.json
try check themes small
expect_in out "roles are missing, and look like others: dim, border"
rm config/terrarium/themes/small.json

# Keys.
printf '{ "keys": {\n "ctrl-i": "run",\n "ctrl-x": "help",\n "ctrl-x a": "help",\n "editor": { "a": "cut", "f99": "cut" },\n "f10": null, "ctrl-q": null } }' \
	>config/terrarium/config.json
try check keys
expect_code 1
expect_in out "config.json:4:2: \"ctrl-x a\" and ^X (\"help\") cannot both be reached"
expect_in out "config.json:5:26: \"f99\" is not a key"
expect_in out "most terminals send Tab for it"
expect_in out "you could no longer type this letter"
expect_in out "no key is left for this command"
printf '{ "keymap": "emacs", "keys": { "f9": "ctrl" } }' >config/terrarium/config.json
try check keys --list
expect_code 0
expect_in out "ctrl-x ctrl-s, ctrl-s"

# Settings.
printf '{ "memroy": 5 }' >config/terrarium/config.json
try check config
expect_code 1
expect_in out 'config.json:1:3: unknown setting "memroy"'
printf '{ "theme": "nosuch", "keymap": "ed" }' >config/terrarium/config.json
try check config
expect_code 1
expect_in out 'there is no theme "nosuch"'
expect_in out 'there is no key map "ed"'

# Policies and images of the server, with their place where there is one.
refuse() { # CONFIG WORDS
	printf '%s' "$1" >config/terrarium/config.json
	try check config
	expect_code 1
	expect_in out "$2"
}
refuse '{ "policy": "nosuch" }' "there is no policy 'nosuch'"
refuse '{ "policies": { "p": 5 } }' "policy 'p'"
refuse '{ "policies": { "p": { "patterns": [ { "pattern": "(", "reason": "x", "severity": "low" } ] } } }' "policy 'p'"
refuse '{ "server_images": { "a": "python, cobol" } }' "image 'a': "
refuse '{ "trust": "local, dokcer" }' "there is no backend 'dokcer'"
printf '{ "trust": "docker, local" }' >config/terrarium/config.json
try check config
expect_code 0
rm config/terrarium/config.json

try check everything
expect_code 125

verdict
