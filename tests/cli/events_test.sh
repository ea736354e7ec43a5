#!/bin/sh
# SPDX-License-Identifier: MIT
# The server's extension, from the outside: runs told as events, input for them, their interrupts, questions; and MCP as raw
# requests. What is asked and expected stands in events.py.
. "$(dirname "$0")/tell.sh"
need_local
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
[ -e /usr/lib/x86_64-linux-gnu/libmicrohttpd.so.12 ] || ldconfig -p 2>/dev/null | grep -q 'libmicrohttpd.so.12' \
	|| { echo "SKIP: no libmicrohttpd"; exit 77; }
export XDG_RUNTIME_DIR="$dir/run" XDG_STATE_HOME="$dir/state"
mkdir -m 700 run

"$terrarium" serve --dev --port 0 >served 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$dir"' EXIT
tries=0
until grep -qs "http://127.0.0.1:[0-9]" served; do
	tries=$((tries + 1))
	[ $tries -lt 3000 ] || { echo "WRONG: the server does not start:"; cat served; exit 1; }
	sleep 0.02
done
port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\).*|\1|p' served | head -n 1)

code=0
tried="events.py"
python3 "$source/tests/cli/events.py" "$port" >out 2>err || code=$?
expect_code 0
expect_out ""

# Which limit it was is known to the server alone: said once.
code=0
tried="out of memory at a server"
"$terrarium" run --yes --backend microsandbox --server-url "http://127.0.0.1:$port" --memory 64 \
	-c 'b = bytearray(200 << 20)' >out 2>err || code=$?
if [ "$code" = 1 ]; then # without a memory cgroup the allocation is refused
	expect_in err "terrarium: an allocation was refused: memory limit 64 MiB"
else
	expect_code 137
	expect_err "terrarium: killed: out of memory at 64 of 64 MiB"
fi

kill -INT $server
code=0
wait $server || code=$?
tried="terrarium serve, interrupted"
[ "$code" = 0 ] || [ "$code" = 130 ] || wrong "the server should end cleanly"
verdict
