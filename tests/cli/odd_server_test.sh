#!/bin/sh
# SPDX-License-Identifier: MIT
# The client of a server that tells runs as events, when that does it badly: one sentence that says what is wrong, what came
# before is shown, and nothing hangs.
. "$(dirname "$0")/tell.sh"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
mkfifo port
python3 "$source/tests/cli/odd_server.py" >port &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$dir"' EXIT
read -r number <port
export MSB_SERVER_URL="http://127.0.0.1:$number"
where="at http://127.0.0.1:$number"

run() { try run --yes --backend microsandbox --name box -c "$1"; }

# told CODE OUT ERR: the exit code, all of stdout, and a part of stderr.
told() {
	expect_code "$1"
	expect_out "$2"
	grep -qF "$3" err || wrong "stderr should hold: $3"
	[ "$(wc -l <err)" -le 1 ] || wrong "stderr should be one line"
	! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037]')" err || wrong "stderr holds control characters"
}

if ! run good || [ "$code" = 125 ] && grep -q libcurl err; then
	echo "SKIP: no libcurl"
	exit 77
fi
expect_code 0
expect_out "so far"
for name in beats crlf "long line"; do
	run "$name"
	expect_code 0
	expect_out "so far"
	expect_err ""
done
run "no end"
told 125 "so far" "cannot run python in sandbox 'box' $where: "
for name in cut "cut at once"; do
	run "$name"
	: >out # whatever a reset has left of it
	told 125 "" "cannot run python in sandbox 'box' $where: "
done
run "no JSON"
told 125 "so far" "the server's events cannot be understood: "
for name in deep "no UTF-8" NUL; do
	run "$name"
	told 125 "" "the server's events cannot be understood"
done
run "error"
told 125 "so far" "the disk is full"
run "escape"
told 125 "so far" "bad"
run page
told 125 "" "cannot run python in sandbox 'box' $where: "
run "other types"
[ "$code" != 0 ] || wrong "a result that is none is no success"
verdict
