#!/bin/sh
# SPDX-License-Identifier: MIT
# kubelet_test.sh TERRARIUM: the figures of a pod against those of the kubelet, which it tells through the API's proxy.
. "$(dirname "$0")/tell_cluster.sh"

try run $new --keep --name lab --memory 256 -c 'held = bytearray(b"x") * (64 << 20)
import time
until = time.process_time() + 1
while time.process_time() < until: pass'
expect_code 0
node=$(kubectl -n "$space" get pod "$(pod lab)" --output 'jsonpath={.spec.nodeName}')

# compare: our figures and the kubelet's, which are up to some seconds old. Our cpu_time counts the whole pod's group.
cat >compare.py <<'PY'
import json, sys
pod, ours, theirs = sys.argv[1], json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))
ours = ours[0] if isinstance(ours, list) else ours
found = [p for p in theirs["pods"] if p["podRef"]["name"] == pod]
main = [c for p in found for c in p["containers"] if c["name"] == "sandbox"]
if not main or not main[0].get("memory", {}).get("rssBytes") or not main[0]["cpu"].get("usageCoreNanoSeconds"):
    sys.exit("the kubelet has not looked at it yet")
memory, cpu = main[0]["memory"], main[0]["cpu"]["usageCoreNanoSeconds"]
cpu_ns = ours["cpu_ms"] * 1e6
print("memory", ours["mem_bytes"], memory, "cpu", cpu_ns, cpu)
low, high = sorted((memory["rssBytes"], memory["usageBytes"]))
slack = 16 << 20
if not low - slack <= ours["mem_bytes"] <= high + slack:
    sys.exit("memory differs")
if abs(cpu_ns - cpu) > 0.2 * cpu + 3e8:
    sys.exit("processor time differs")
PY
agrees() {
	"$terrarium" metrics --json lab >ours.json 2>err &&
		kubectl get --raw "/api/v1/nodes/$node/proxy/stats/summary" >theirs.json 2>>err &&
		python3 compare.py "$(pod lab)" ours.json theirs.json >said 2>&1
}
tried="metrics"
until_true agrees || cat said err ours.json
verdict
