#!/bin/sh
# SPDX-License-Identifier: MIT
# What ran in a sandbox lately: for whoever comes later.
. "$(dirname "$0")/tell.sh"
need_local
export XDG_RUNTIME_DIR="$dir/run"
mkdir -m 700 "$dir/run"
trap '"$terrarium" stop logged >/dev/null 2>&1; rm -rf "$dir"' EXIT

try run --yes --keep on --name logged -c 'print("first")
print("\033]0;title\007end")' -c '1/0'
expect_code 1
try run --yes --name logged -l bash -c 'echo from bash'
expect_code 0

try logs logged
expect_code 0
expect_in out "run 1, python, terrarium run, pid "
expect_in out "> print(\"first\") (2 lines)"
expect_in out "first"
expect_in out "ZeroDivisionError: division by zero"
expect_in out "bash, terrarium run, pid "
expect_in out "from bash"
grep -q "$(printf '\033')]0;title" out || wrong "a pipe gets every byte"
expect_err ""

try logs logged --json
expect_code 0
[ "$(wc -l <out)" = 3 ] || wrong "a line for each run"
expect_in out '"status":"error"'
expect_in out '"stdout":"from bash\n"'

try logs logged -l bash
expect_in out "from bash"
grep -q python out && wrong "only Bash was asked for"

# It goes on while somebody else runs things, and ends with the sandbox.
"$terrarium" logs logged --follow >followed 2>&1 &
follower=$!
until_true grep -q "from bash" followed
"$terrarium" run --yes --name logged -c 'print("live " "one")' >/dev/null
until_true grep -q "live one" followed || wrong "what comes is told"
"$terrarium" stop logged >/dev/null
wait $follower || wrong "the end of the sandbox is the end of it"

try logs logged
expect_code 125
expect_in err "logged"
try logs
expect_code 125
try logs ../x
expect_code 125

verdict
