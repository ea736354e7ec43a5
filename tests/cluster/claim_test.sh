#!/bin/sh
# SPDX-License-Identifier: MIT
# claim_test.sh TERRARIUM: the life of a pod of agent-sandbox: claimed, kept, come back to, attached to, released; and what
# is left when somebody is killed.
. "$(dirname "$0")/tell_claims.sh"

# ---- one run from the pool, and nothing is left

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
print(os.path.exists("/var/run/secrets/kubernetes.io"), os.environ.get("GREETING"))
PY
try run $pool --env GREETING='a b' look.py
expect_code 0
expect_out "1000 0000000000000000 2 1
/etc/new 30
/workspace/new written
/tmp/new written
False a b"
until_true is_empty || objects

# ---- a pod of a template

try run $template -c 'print(6 * 7)'
expect_code 0
expect_out 42
until_true is_empty || objects

# ---- kept, found again, looked at, ended

until_true is_warm
try run $pool --keep --name lab -c 'x = 41' -c 'open("note", "w").write("kept")'
expect_code 0
[ "$(field lab backend)" = '"agent-sandbox"' ] || wrong "ps should call its backend agent-sandbox"
[ -n "$(kubectl -n "$space" get pod "$(place lab)" -o name)" ] || wrong "its claim should have a pod"
kubectl -n "$space" get sandboxclaim "$(claim lab)" -o json >claim.json
grep -q '"shutdownPolicy": "Delete"' claim.json || wrong "its claim should be deleted at its end"
grep -q '"shutdownTime": "20' claim.json || wrong "its claim should have an end"
try run --yes --name lab -c 'print(x + 1, open("note").read())'
expect_out '42 kept'
try exec lab -- sh -c 'echo $0; exit 3' a
expect_code 3
expect_out a
echo content >file
try cp file lab:there
expect_code 0
try cp lab:there back
cmp -s file back || wrong "a file should come back as it went"
try metrics --json lab
expect_code 0
expect_in out '"mem_limit_bytes":536870912'
try inspect --json lab
expect_code 0
try stop lab --yes
expect_code 0
until_true is_gone lab
until_true is_empty || objects

# ---- a pod without our agent gets it put in

cat >plain.yaml <<YAML
apiVersion: extensions.agents.x-k8s.io/v1beta1
kind: SandboxTemplate
metadata: {name: plain}
spec:
  podTemplate:
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: main, image: $image, imagePullPolicy: Never, command: [sleep, "1000"]}]
YAML
kubectl -n "$space" apply --server-side --filename plain.yaml >/dev/null
try run --yes $in --template plain -v -c 'print("put in")'
expect_code 0
expect_out 'put in'
expect_in err '$ put:'
try run $pool -v -c 'print("mounted")'
expect_code 0
! grep -qF '$ put:' err || wrong "a mounted agent should not be put in"
until_true is_empty || objects

# ---- somebody is killed

until_true is_warm
setsid "$terrarium" run $pool --timeout 0 --name orphan -c 'print("on", flush=True)
import time
time.sleep(1000)' >first 2>&1 &
first=$!
until_true grep -q on first
kill -KILL $first
wait $first 2>/dev/null
until_true is_gone orphan
until_true is_empty || objects
verdict
