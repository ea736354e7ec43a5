#!/bin/sh
# SPDX-License-Identifier: MIT
# life_test.sh TERRARIUM: the life of a pod of ours: what it may do, kept, come back to, ended; and what is left when
# somebody is killed or the pod is taken away.
. "$(dirname "$0")/tell_cluster.sh"

# ---- one run, and nothing is left

try run $new -c 'print(6 * 7)'
expect_code 0
expect_out 42
until_true is_empty || objects

# ---- what it may do

cat >look.py <<'PY'
import os, socket
status = dict(line.split(":\t", 1) for line in open("/proc/self/status") if ":\t" in line)
print(os.getuid(), status["CapBnd"].strip(), status["Seccomp"].strip(), status["NoNewPrivs"].strip())
for path in ("/etc/new", "/workspace/new", "/tmp/new"):
    try:
        open(path, "w").close()
        print(path, "written")
    except OSError as e:
        print(path, e.errno)
print(os.path.exists("/var/run/secrets/kubernetes.io"))
try:
    socket.create_connection((os.environ["KUBERNETES_SERVICE_HOST"], 443), 3)
    print("network")
except OSError:
    print("no network")
PY
try run $new look.py
expect_code 0
expect_out "1000 0000000000000000 2 1
/etc/new 30
/workspace/new written
/tmp/new written
False
no network"

# ---- kept, found again, ended

try run $new --keep --name lab --env GREETING='$(HOME) $5' -c 'x = 41' -c 'open("note", "w").write("kept")'
expect_code 0
[ "$(field lab backend)" = '"kubernetes"' ] || wrong "ps should call its backend kubernetes"
try run --yes --name lab -c 'import os; print(x + 1, open("note").read(), os.environ["GREETING"])'
expect_out '42 kept $(HOME) $5'
try exec lab -- sh -c 'echo $0; exit 3' a
expect_code 3
expect_out a
echo content >file
try cp file lab:there
expect_code 0
try cp lab:there back
cmp -s file back || wrong "a file should come back as it went"
try inspect --json lab
expect_code 0
expect_in out "off: a container of its own took its devices down"
try metrics --json lab
expect_code 0
try stop lab --yes
expect_code 0
until_true is_gone lab
until_true is_empty || objects

# ---- limits

try run $new --memory 64M -c 'print(len(b"x" * (200 << 20)))'
[ "$code" != 0 ] || wrong "200 MB should be too much for 64 MB"
expect_in err memory

# ---- somebody is killed

setsid "$terrarium" run $new --timeout 0 --name orphan -c 'print("on", flush=True)
import time
time.sleep(1000)' >first 2>&1 &
first=$!
until_true grep -q on first
kill -KILL $first
wait $first 2>/dev/null
until_true is_gone orphan
until_true is_empty || objects

try run $new --keep --name left -c 1
expect_code 0
kill -KILL "$(field left supervisor_pid)"
until_true eval '"$terrarium" ps --all >/dev/null 2>&1; is_gone left'
until_true is_empty || objects

# ---- the pod is taken away

setsid -w "$terrarium" run $new --timeout 0 --name robbed -c 'print("on", flush=True)
import time
time.sleep(1000)' >out 2>err &
first=$!
until_true grep -q on out
kubectl -n "$space" delete pod "$(pod robbed)" >/dev/null
code=0
wait $first || code=$?
tried="kubectl delete pod"
[ "$code" != 0 ] && [ "$code" != 130 ] || wrong "a run whose pod was deleted should fail"
expect_in err removed
until_true is_empty || objects
verdict
