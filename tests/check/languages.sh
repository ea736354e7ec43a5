#!/bin/sh
# SPDX-License-Identifier: MIT
# Languages are rows of lib/kernel/languages.json: no other source has the name of one as a text. Names of a single letter
# cannot be told from keys and options, and are not looked for.
set -eu
cd "$(dirname "$0")/../.."

# Tables of other people's names (CAMEL, microsandbox, Jupyter, shells), of drivers and of rules for grammars.
foreign='lib/backend/microsandbox/
lib/interpreter/interpreter.c
lib/kernel/row.c
lib/server/sandboxes/image.c
lib/server/sandboxes/script.c
tui/cmd/camel.c
tui/cmd/completion.c
tui/notebook/language.c
tui/syntax/rules_'

names=$(python3 -c '
import json
print("|".join(name for name in json.load(open("lib/kernel/languages.json")) if len(name) > 1))')
lines=$(grep -rnE "\"($names)\"" lib tui --include='*.c' --include='*.h' |
	grep -vE '^lib/include/|^[^:]*:[0-9]+:.*(/\*.*"|argv\[)' || :)
fail=0
for place in $foreign; do
	printf '%s\n' "$lines" | grep -q "^$place" ||
		{ echo "$place: it names no language: take it out of tests/check/languages.sh"; fail=1; }
	lines=$(printf '%s\n' "$lines" | grep -v "^$place" || :)
done
[ -z "$lines" ] || { printf '%s\n' "$lines" "the name of a language belongs into lib/kernel/languages.json"; fail=1; }
exit $fail
