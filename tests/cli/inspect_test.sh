#!/bin/sh
# SPDX-License-Identifier: MIT
# terrarium inspect: what is known of a sandbox, in words and as JSON.
. "$(dirname "$0")/tell.sh"
need_local
XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
trap '"$terrarium" stop --all --yes >/dev/null 2>&1; rm -rf "$dir" "$XDG_RUNTIME_DIR"' EXIT

try inspect
expect_code 125
expect_err "terrarium: which sandbox? Give its NAME; 'terrarium ps' lists them"
try inspect nobody
expect_code 125
expect_in err "there is no running sandbox 'nobody'"
try inspect ../etc
expect_code 125
try inspect a b
expect_err "terrarium: 'inspect' takes one NAME, and 'b' is a second one"

try run --yes --keep --idle-timeout 1h --name looked-at --memory 64 -c 'x = 1'
expect_code 0
mounts="/workspace"
has_namespaces || mounts="  n/a" # all that the host has
try inspect looked-at
expect_code 0
expect_err ""
for line in "sandbox     looked-at (local)" "clients     " "kept        yes: it ends when idle for 60 min" \
	"kernels     python" "memory          " "network     off" "network         off" "$mounts" " python kernel"; do
	expect_in out "$line"
done
grep "1 cores" out && wrong "one core"
# But for paths of this machine, which are as long as they are.
[ "$(grep -v "the host's /" out | LC_ALL=C.UTF-8 wc -L)" -le 80 ] || wrong "at most 80 columns"
try inspect looked-at --json
expect_code 0
PYTHONDONTWRITEBYTECODE=1 python3 - "$source/man/terrarium-inspect.1" "$mounts" <<'PYTHON' 2>>err || wrong "JSON as the man page tells it"
import json, re, sys
page = re.search(r"^\.SH JSON\n(.*?)^\.SH ", open(sys.argv[1]).read(), re.M | re.S).group(1)
told = {w for tag in re.findall(r"^\.TP\n(.*)$", page, re.M) for w in re.findall(r"[a-z]+(?:_[a-z]+)*", tag[3:])}
value = json.load(open("out"))
assert set(value) == told, set(value) ^ told
assert value["name"] == "looked-at" and value["kept"] is True and value["idle_timeout_s"] == 3600
assert value["limits"]["mem_bytes"] == 64 << 20 and value["kernels"] == ["python"]
assert value["network"] == {"on": False, "allow": None, "hosts": None}
assert any(g["what"] == "memory" for g in value["guards"])
assert all(g["strength"] in ("enforced", "weak", "not enforced") for g in value["guards"])
if sys.argv[2] != "/workspace":
    assert value["mounts"] is None
else:
    mounts = {m["path"]: m for m in value["mounts"]}
    assert mounts["/workspace"]["writable"] and not mounts["/usr"]["writable"]
assert value["metrics"]["mem_limit_bytes"] == 64 << 20 or value["metrics"]["mem_limit_bytes"] is None
assert value["metrics"]["processes"]
PYTHON
try stop looked-at
expect_code 0

verdict
