#!/bin/sh
# SPDX-License-Identifier: MIT
# visit_test.sh TERRARIUM: a visit to a pod of others leaves nothing behind.
. "$(dirname "$0")/tell_cluster.sh"

kubectl -n "$space" run host --image=localhost/tt:deb --image-pull-policy=Never --restart=Never --command -- sleep 1000 >/dev/null
kubectl -n "$space" run busy --image=localhost/busybox:1 --image-pull-policy=Never --restart=Never --command -- sleep 1000 >/dev/null
kubectl -n "$space" run bare --image=localhost/pause:1 --image-pull-policy=Never --restart=Never >/dev/null
kubectl -n "$space" wait --for=condition=Ready pod/host pod/busy pod/bare --timeout=60s >/dev/null

traces() {
	kubectl -n "$space" exec "$1" -- sh -c 'ls -d /tmp/.terrarium* /workspace 2>/dev/null; cat /proc/[0-9]*/stat 2>/dev/null | grep ") Z " || :'
}
is_clean() { [ -z "$(traces "$1")" ]; }

for place in host host/host; do
	try run --yes $in --container $place -c 'print("here")'
	expect_code 0
	expect_out here
	until_true is_clean host || traces host
done
# Without tar, without python.
try exec $in --container busy -- sh -c 'echo in; hostname'
expect_code 0
expect_out "in
busy"
until_true is_clean busy || traces busy
kubectl -n "$space" get pod host busy >/dev/null || wrong "the pods should still be there"

try exec $in --container bare -- ls
expect_code 125
expect_in err 'the container has no shell (sh), by which the agent could be copied in'
try run --yes $in --container not-there -c 1
expect_code 125
expect_in err 'not found'
try run --yes $in --container host/other -c 1
expect_code 125
expect_in err 'does not run'
try run --yes $in --container host/UPPER -c 1
expect_code 125
expect_in err 'is not the name of a pod'
try run --yes $in --container host --service-account default -c 1
expect_code 125
verdict
