#!/bin/sh
# SPDX-License-Identifier: MIT
# figures_test.sh TERRARIUM ENGINE: what our metrics say of a container is what its engine says of it.
ours=$2
. "$(dirname "$0")/../cli/tell.sh"
own_runtime

cat >compare.py <<'PYTHON'
"""compare.py ENGINE OURS THEIRS INSPECTED: differences that are too big, one per line."""
import json
import re
import sys

engine, ours, theirs, inspected = sys.argv[1], *(json.load(open(name)) for name in sys.argv[2:])
inspected = inspected[0]["HostConfig"]
theirs = theirs[0] if isinstance(theirs, list) else theirs
UNITS = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def size(text):
    number, unit = re.fullmatch(r"([0-9.]+)\s*(\w+)", text.strip()).groups()
    return float(number) * UNITS[unit]


def field(*names):
    return next(theirs[name] for name in names if name in theirs)


def compare(what, mine, other, share, slack):
    if abs(mine - other) > max(share * other, slack):
        print("%s: %s says %g, and we say %g" % (what, engine, other, mine))


used, limit = field("MemUsage", "mem_usage").split("/")
compare("memory", ours["mem_bytes"], size(used), 0.1, 8 << 20)
compare("memory limit", ours["mem_limit_bytes"], size(limit), 0.02, 0)
compare("memory limit in inspect", ours["mem_limit_bytes"], inspected["Memory"], 0, 0)
compare("processes", ours["procs"], int(field("PIDs", "pids")), 0, 1)
compare("limit of processes", ours["procs_limit"], inspected["PidsLimit"], 0, 0)
compare("cores", ours["cpu_limit"], inspected["NanoCpus"] / 1e9 or inspected["CpuQuota"] / inspected["CpuPeriod"], 0, 0.01)
PYTHON

try run --yes --backend "$ours" --image localhost/tt:deb --keep --name measured --memory 300 --processes 77 --cpus 0.5 \
	-c 'b = bytearray(b"x" * (100 << 20))'
expect_code 0
id=$("$ours" ps -q --filter label=dev.terrarium.name=measured)
# Memory may still be on its way back.
for attempt in 1 2 3; do
	"$terrarium" metrics measured --json >mine
	"$ours" stats --no-stream --format '{{json .}}' "$id" >theirs 2>/dev/null
	[ "$ours" = docker ] || "$ours" stats --no-stream --format json "$id" >theirs
	"$ours" inspect "$id" >inspected
	python3 compare.py "$ours" mine theirs inspected >out 2>err
	[ -s out ] || [ -s err ] || break
done
tried="compare with $ours stats"
code=0
[ ! -s out ] && [ ! -s err ] || wrong "the figures should be the same"

# Time on a processor: what the kernel has counted for the container's group, by either.
try run --yes --name measured -c 'import time
while time.process_time() < 1: pass'
used=$("$terrarium" metrics measured --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["cpu_ms"])')
[ "$used" -ge 1000 ] && [ "$used" -lt 4000 ] || wrong "a second of work should be counted as one, not as $used ms"
try exec measured -- cat /proc/self/limits
expect_in out 'Max open files'
try stop measured --yes
expect_code 0
verdict
