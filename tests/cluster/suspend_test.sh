#!/bin/sh
# SPDX-License-Identifier: MIT
# suspend_test.sh TERRARIUM: a sandbox of agent-sandbox gives its pod back, and goes on with the files of its volumes.
. "$(dirname "$0")/tell_claims.sh"

# A volume of the node, because the cluster of the tests provisions none.
mkdir -p volume
chmod 777 volume
cat >volume.yaml <<YAML
apiVersion: v1
kind: PersistentVolume
metadata: {name: $space}
spec:
  capacity: {storage: 10Mi}
  accessModes: [ReadWriteOnce]
  storageClassName: $space
  hostPath: {path: $PWD/volume}
---
apiVersion: extensions.agents.x-k8s.io/v1beta1
kind: SandboxTemplate
metadata: {name: lasting}
spec:
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], storageClassName: $space, resources: {requests: {storage: 10Mi}}}
  podTemplate:
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - {name: main, image: $image, imagePullPolicy: Never, command: [sleep, "1000"], volumeMounts: [{name: data, mountPath: /data}]}
YAML
trap '"$terrarium" stop --all --yes >/dev/null 2>&1; kubectl delete namespace "$space" --wait=false >/dev/null 2>&1
	kubectl delete pv "$space" --wait=false >/dev/null 2>&1; rm -rf "$dir"' EXIT
kubectl -n "$space" apply --server-side --filename volume.yaml >/dev/null

try run --yes $in --template lasting --keep --name lab -c 'x = 1' -c 'open("/data/note", "w").write("stays")'
expect_code 0
kept=$(claim lab)
pod=$(place lab)
try suspend lab
expect_code 0
expect_out lab
[ ! -e run/terrarium/lab ] || wrong "a suspended sandbox should not be listed"
no_pod() { ! kubectl -n "$space" get pod "$pod" >/dev/null 2>&1; }
until_true no_pod
[ "$(claim lab)" = "$kept" ] || wrong "its claim should stay"

# Others, and the sweep after a start, leave it alone; by its name it is told.
try run $pool -c 1
expect_code 0
[ "$(claim lab)" = "$kept" ] || wrong "a sweep should not remove what is suspended"
try exec lab -- true
[ "$code" != 0 ] || wrong "a suspended sandbox should run nothing"
expect_in err "'terrarium resume lab' goes on with it"

try resume --kube-namespace "$space" lab
expect_code 0
expect_out lab
[ "$(claim lab)" = "$kept" ] || wrong "it should be the same claim"
try run --yes --name lab -c 'print(open("/data/note").read())' -c 'print("x" in globals())'
expect_code 0
expect_out 'stays
False'
try stop lab --yes
expect_code 0
until_true is_gone lab
until_true is_empty || objects

# ---- where it cannot be

try resume $in lab
expect_code 125
expect_in err 'no suspended sandbox of this name is in the namespace'
try suspend lab
expect_code 125
expect_in err "there is no running sandbox 'lab'"
try run --yes --backend kubernetes --kube-namespace "$space" --image "$image" --keep --name pod -c 1
expect_code 0
try suspend pod
expect_code 125
expect_in err "the backend 'kubernetes' cannot suspend sandboxes"
try resume --backend kubernetes none
expect_code 125
expect_in err 'cannot suspend sandboxes'
try stop pod --yes
verdict
