#!/bin/sh
# SPDX-License-Identifier: MIT
# Who may include whom. Every room may include itself and <terrarium/*.h>; what is not
# allowed here is forbidden. CONTRIBUTING.md says why.
set -eu
cd "$(dirname "$0")/../.."
list=$(mktemp)
trap 'rm -f "$list"' EXIT

rules='lib/base:
lib/embed:
lib/wire: base
lib/tree: wire base
lib/agent: tree wire base
lib/sweep: wire base
lib/supervisor: sweep wire base
lib/loop: base
lib/config: base
lib/grammar:
lib/policy: embed base
lib/recipe: embed base
lib/kernel: embed base
lib/rpc: base
lib/backend: recipe rpc sweep kernel embed loop wire base seccomp_filters.h
lib/sandbox: backend sweep tree loop wire base
lib/session: sandbox kernel policy base
lib/install: sandbox embed base
lib/sync: base
lib/interpreter: sync base
lib/doctor: backend recipe loop base
lib/server: backend rpc session sandbox loop base
tui/text:
tui/syntax: text
tui/image:
tui/state: text
tui/stream: text image
tui/theme: view
tui/command: term
tui/widget: view term text syntax
tui/editor: command term text syntax
tui/output: widget view term text image
tui/metrics: output view
tui/view: model metrics output editor widget command theme text syntax image
tui/term: view theme text image
tui/model: metrics output editor widget command view term text syntax image
tui/record: model output view theme text
tui/linear: record model metrics output editor widget command view term text
tui/app: linear stream state record model metrics output editor widget command view term theme text syntax image
tui/repl: stream output state view term theme text image
tui/monitor: app model metrics command view term theme
tui/cmd: monitor app repl stream model metrics output editor widget command view theme term text record image text'

# Headers of other libraries, and the places that may include them.
headers='curses.h tui/term/curses
curl/curl.h lib/loop/
tree_sitter/api.h tui/syntax/ lib/grammar/ lib/policy/
pcre2.h lib/base/regex.c
seccomp.h lib/backend/local/seccomp_gen.c'

# Leaves: these know nothing of the library but how it tells errors, makes text fit to be shown and loads libraries.
leaves='tui/text tui/state tui/theme tui/term tui/syntax tui/image'

fail=0
complain() {
	echo "$1"
	fail=1
}

# check_room ROOM
check_room() {
	rule=$(printf '%s\n' "$rules" | grep "^$1:") || complain "$1: tests/check/includes.sh has no rule for this room"
	grep -rnoE '#include "[^"]+"' "$1" --include='*.[ch]' >"$list" || :
	while IFS=: read -r file line include; do
		target=${include#*\"}
		target=${target%\"}
		case " ${1#*/} ${rule#*:} " in
		*" ${target%%/*} "*) ;;
		*) complain "$file:$line: $1 may not include \"$target\"" ;;
		esac
	done <"$list"
}

# check_header HEADER PLACES
check_header() {
	for file in $(grep -rlE "#include <$1>" lib tui || :); do
		allowed=
		for place in $2; do
			case $file in
			"$place"*) allowed=yes ;;
			esac
		done
		[ "$allowed" ] || complain "$file: only $2 may include <$1>"
	done
}

for dir in lib/*/ tui/*/; do
	[ "$dir" = lib/include/ ] || [ -z "$(find "$dir" -name '*.[ch]')" ] || check_room "${dir%/}"
done
while read -r header places; do
	check_header "$header" "$places"
done <<HEADERS
$headers
HEADERS
for room in $leaves; do
	bad=$(grep -rnE '#include <terrarium/' "$room" | grep -vE 'terrarium/(error|text|regex|grammar|dynlib)\.h' || :)
	[ -z "$bad" ] || complain "$bad: $room knows nothing of the library but its errors, texts and loaders"
done
exit $fail
