#!/bin/sh
# SPDX-License-Identifier: MIT
# Who may include whom. A room is a folder with sources; a sub-room is a room of its own. A room may include itself,
# <terrarium/*.h>, and the rooms that its row names, and it may use only what these define: reach.py finds a file that
# uses a lower room by way of another room's header. The rows may form no cycle. docs/architecture.md says more.
set -eu
cd "$(dirname "$0")/../.."
list=$(mktemp)
trap 'rm -f "$list"' EXIT

rules='lib/base:
lib/embed:
lib/grammar:
lib/wire: base
lib/tree: wire base
lib/websocket: base
lib/kube: websocket base
lib/agent/core: wire base
lib/agent/batch: base
lib/agent/process: agent/batch agent/core wire base
lib/agent/files: agent/core tree wire base
lib/agent/container: agent/core wire base
lib/agent/serve: agent/container agent/files agent/process agent/core wire base
lib/sweep: wire base
lib/supervisor/limits: sweep wire base
lib/supervisor/net: supervisor/limits wire base
lib/supervisor/launch: supervisor/net supervisor/limits wire base
lib/supervisor/container: kube sweep wire base
lib/supervisor/core: supervisor/container supervisor/launch supervisor/net supervisor/limits kube sweep wire base
lib/loop: base
lib/config: base
lib/magic: base
lib/policy: embed base
lib/recipe: embed base
lib/kernel: embed base
lib/rpc: base
lib/backend:
lib/backend/host: sweep wire base
lib/backend/supervised: backend/host backend kernel embed sweep wire base
lib/store: sweep base
lib/backend/local: backend/supervised backend/host backend store embed wire base
lib/backend/recipe: backend/supervised backend/host store recipe embed sweep wire base backend
lib/backend/microsandbox: backend rpc kernel loop wire base
lib/backend/fake: backend kernel wire base
lib/backend/find: backend/recipe backend base
lib/sandbox: backend/supervised backend/host backend store sweep tree wire base
lib/session: sandbox kernel base
lib/table: base
lib/install: sandbox kernel embed base store
lib/pool: backend/host wire base
lib/snapshot: sandbox backend/recipe backend/supervised backend recipe store wire base
lib/sync: base
lib/interpreter: sync base
lib/doctor: backend/local backend/recipe backend/host backend recipe base wire
lib/conform: sandbox kernel wire base
lib/server/http: base
lib/server/keys: server/http rpc base
lib/server/sandboxes: sandbox rpc base
lib/server/jsonrpc: server/sandboxes server/keys server/http rpc base
lib/server/methods: server/jsonrpc server/sandboxes session sandbox rpc base
lib/server/mcp: server/jsonrpc rpc server/sandboxes server/http
lib/server: server/mcp server/jsonrpc backend rpc base server/sandboxes server/http
tui/text:
tui/settings: text
tui/notebook:
tui/image: text
tui/cells: text
tui/syntax: text
tui/state: text
tui/stream: settings text image
tui/theme: cells
tui/term: cells theme text image
tui/command: cells
tui/widget: cells text syntax
tui/output: widget cells text image
tui/table: text
tui/metrics: output cells text
tui/editor: notebook command cells text syntax
tui/model: settings metrics table output editor widget command cells text syntax image
tui/view: model metrics table output editor command cells text syntax widget image
tui/record: notebook model output view theme cells text command editor widget
tui/linear: record model command text metrics output editor widget cells image
tui/app: settings linear stream state record notebook model metrics output view term theme cells text syntax image command editor widget
tui/repl: settings stream table output state term theme cells text image
tui/monitor: app model metrics command view term theme cells
tui/cmd: settings monitor app repl stream record notebook metrics command theme cells text
tui: cmd'

# Headers of other libraries, and the places that may include them.
headers='curses.h tui/term/curses
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
	grep -noE '#include "[^"]+/[^"]+"' /dev/null "$1"/*.[ch] >"$list" || :
	while IFS=: read -r file line include; do
		target=${include#*\"}
		case " ${1#*/} ${rule#*:} " in
		*" ${target%/*} "*) ;;
		*) complain "$file:$line: $1 may not include \"${target%\"}\"" ;;
		esac
	done <"$list"
}

# A room may not stand above itself.
check_cycles() {
	printf '%s\n' "$rules" | while IFS=: read -r room below; do
		for other in $below; do
			echo "$room ${room%%/*}/$other"
		done
	done | tsort 2>&1 >/dev/null | sed 's/^/cycle of rooms: /' >"$list"
	[ ! -s "$list" ] || complain "$(cat "$list")"
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

# update() and what it changes: no files, no libraries, no environment, no clock.
for file in tui/model/*.c tui/editor/*.c tui/widget/*.c tui/output/*.c tui/metrics/*.c tui/command/*.c tui/notebook/*.c; do
	grep -nE '(^|[^_a-z>.])(fopen|open|openat|opendir|stat|lstat|access|readlink|realpath|getenv|dlopen|clock_gettime|time|trm_policy_scan|trm_grammar_open)\(' \
		"$file" | sed "s,^,$file:update() may not call this: ,"
done >"$list"
[ ! -s "$list" ] || complain "$(cat "$list")"

for room in $(find lib tui -name '*.[ch]' ! -path 'lib/include/*' | sed 's,/[^/]*$,,' | sort -u); do
	check_room "$room"
done
check_cycles
while read -r header places; do
	check_header "$header" "$places"
done <<HEADERS
$headers
HEADERS
for room in $leaves; do
	bad=$(grep -rnE '#include <terrarium/' "$room" | grep -vE 'terrarium/(error|text|regex|grammar|dynlib)\.h' || :)
	[ -z "$bad" ] || complain "$bad: $room knows nothing of the library but its errors, texts and loaders"
done
python3 tests/check/reach.py --self-test || fail=1
printf '%s\n' "$rules" | python3 tests/check/reach.py || fail=1
exit $fail
