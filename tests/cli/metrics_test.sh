#!/bin/sh
# SPDX-License-Identifier: MIT
# terrarium metrics: once, for all, as JSON Lines until the end; wrong words.
. "$(dirname "$0")/tell.sh"
need_local
XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
trap 'rm -rf "$dir" "$XDG_RUNTIME_DIR"' EXIT

try metrics
expect_code 0
expect_out "no sandbox is running"
try metrics --json
expect_out "[]"
try metrics nobody
expect_code 125
expect_out ""
expect_in err "running"
try metrics a b
expect_code 125
expect_err "terrarium: 'metrics' takes one NAME, and 'b' is a second one"
try metrics --interval 0.1 a
expect_err "terrarium: --interval 0.1: must be at least 0.2 seconds"
try metrics --count 0 a
expect_err "terrarium: --count 0: must be a whole number, at least 1"

# One that lives until its standard input ends.
mkfifo hold
"$terrarium" exec --name measured -- cat <hold >/dev/null 2>&1 &
other=$!
exec 9>hold
tries=0
until "$terrarium" metrics measured >out 2>err; do
	tries=$((tries + 1))
	[ $tries -lt 200 ] || break
done

try metrics measured
expect_code 0
for word in "sandbox     measured" "cpu  " "memory  " " of 512 MiB" "files  " "tasks  " "network     off" "COMMAND" " cat"; do
	expect_in out "$word"
done
try metrics
expect_in out "measured"
[ "$(wc -l <out)" = 2 ] || wrong "a head and a line"

# fields WHAT: every field that the man page names is there, and no other.
fields() {
	PYTHONDONTWRITEBYTECODE=1 python3 - "$source/man/terrarium-metrics.1" <<'PYTHON' || wrong "$1"
import json, re, sys
page = re.search(r"^\.SH JSON\n(.*?)^\.SH ", open(sys.argv[1]).read(), re.M | re.S).group(1)
told = {w for tag in re.findall(r"^\.TP\n(.*)$", page, re.M) for w in re.findall(r"[a-z]+(?:_[a-z]+)*", tag[3:])}
told |= {"pressure_is_machine"}
value = json.load(open("out"))
for entry in value if isinstance(value, list) else [value]:
    assert set(entry) == told, set(entry) ^ told
    assert entry["name"] == "measured" and entry["mem_limit_bytes"] == 512 << 20
PYTHON
}
try metrics measured --json
fields "an object with the fields of the man page"
try metrics --json
fields "a list of such objects"
try metrics measured --watch --interval 0.2 --count 3
expect_code 0
[ "$(wc -l <out)" = 3 ] || wrong "three lines"
try metrics --watch --interval 0.2 --count 2
[ "$(grep -c '"name":"measured"' out)" = 2 ] || wrong "two lines, and JSON Lines in a pipe"

# The last line tells why.
"$terrarium" metrics measured --watch --interval 0.2 >lines 2>err 9>&- &
watcher=$!
tries=0
until [ -s lines ] || [ $tries -gt 100000 ]; do tries=$((tries + 1)); done
exec 9>&-
wait $watcher && code=0 || code=$?
tried="metrics --watch until the end"
expect_code 0
tail -n 1 lines | grep -q '"ended":"' || wrong "the reason stands in the last line"
tail -n 1 lines | grep -q '"mem_bytes":null' || wrong "and nothing else"
[ "$(grep -c '"ended":null' lines)" = $(($(wc -l <lines) - 1)) ] || wrong "and only there"
wait $other

verdict
