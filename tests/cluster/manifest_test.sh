#!/bin/sh
# SPDX-License-Identifier: MIT
# manifest_test.sh TERRARIUM: a manifest of the user's is merged into a pod's, and what it changes is shown.
. "$(dirname "$0")/tell_cluster.sh"

cat >pod.yaml <<'YAML'
apiVersion: v1
kind: Pod
metadata:
  labels: {team: blue}
spec:
  tolerations: [{key: gpu, operator: Exists}]
  containers:
    - env: [{name: FROM_MANIFEST, value: "yes"}]
      resources: {limits: {memory: 200Mi}}
      volumeMounts: [{name: data, mountPath: /data}]
    - name: side
      image: localhost/busybox:1
      imagePullPolicy: Never
      command: [sleep, "1000"]
      securityContext: {allowPrivilegeEscalation: false}
  volumes: [{name: data, emptyDir: {}}]
YAML
try run $new --pod-manifest pod.yaml --env OWN=1 --keep --name merged -c 'import os
open("/data/file", "w").write("x")
print(os.environ["FROM_MANIFEST"], os.environ["OWN"])'
expect_code 0
expect_out 'yes 1'
kubectl -n "$space" get pod "$(pod merged)" -o json >pod.json
grep -q '"team": "blue"' pod.json || wrong "the pod should have the label"
grep -q '"key": "gpu"' pod.json || wrong "the pod should have the toleration"
try inspect --json merged
expect_in out 'spec.containers[sandbox].resources.limits.memory: \"200Mi\"'
expect_in out 'spec.containers[side]'
try stop merged --yes
until_true is_empty || objects

# An empty one: the pod is ready, because an init container cuts its network.
echo '{"apiVersion": "v1", "kind": "Pod", "spec": {}}' >empty.json
try run $new --pod-manifest empty.json --keep --name ready -c 1
expect_code 0
kubectl -n "$space" wait --for=condition=Ready "pod/$(pod ready)" --timeout=60s >out 2>err || wrong "the pod should become ready"
try stop ready --yes
until_true is_empty || objects

# What cannot be merged.
printf 'kind: Pod\napiVersion: v1\nspec: {hostNetwork: true}\n' >host.yaml
try run $new --pod-manifest host.yaml -c 1
expect_code 125
expect_in err "spec.hostNetwork: the node's own network would be cut"
printf 'kind: Pod\napiVersion: v1\nspec: {containers: [{command: [sh]}]}\n' >command.yaml
try run $new --pod-manifest command.yaml -c 1
expect_code 125
expect_in err 'the first process'
printf 'kind: Deployment\napiVersion: apps/v1\n' >other.yaml
try run $new --pod-manifest other.yaml -c 1
expect_code 125
expect_in err 'its kind is not Pod'
try run $new --pod-manifest not-there.yaml -c 1
expect_code 125
expect_in err 'not-there.yaml'
verdict
