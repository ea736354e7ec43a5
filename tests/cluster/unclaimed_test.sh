#!/bin/sh
# SPDX-License-Identifier: MIT
# unclaimed_test.sh TERRARIUM: a pod of agent-sandbox that cannot be had, or is taken away, ends in a sentence with the reason,
# and leaves nothing.
. "$(dirname "$0")/tell_claims.sh"

# refused WORDS OPTION...: with these words on standard error.
refused() {
	words=$1
	shift
	try run --yes $in "$@" -c 1
	[ "$code" = 125 ] || wrong "the exit code should be 125"
	expect_in err "$words"
	until_true is_empty || objects
}

# ---- what is not there, or makes no sense

refused 'WarmPoolNotFound: SandboxWarmPool "not-there" not found' --warm-pool not-there
refused 'TemplateNotFound: SandboxTemplate "not-there" not found' --template not-there
refused 'takes its pods from a warm pool'
refused 'not both' --warm-pool terrarium --template terrarium
refused 'is not the name of a warm pool' --warm-pool 'A"B'
refused '--image' --warm-pool terrarium --image "$image"
refused '--memory does nothing' --warm-pool terrarium --memory 64M
refused '--pod-manifest does nothing' --warm-pool terrarium --pod-manifest manifest.json
refused 'cannot be existing ones' --container terrarium
try run --yes --backend kubernetes --image "$image" --warm-pool terrarium -c 1
expect_code 125
expect_in err '--warm-pool does nothing'

# ---- a pod that does not start

cat >bad.yaml <<YAML
apiVersion: extensions.agents.x-k8s.io/v1beta1
kind: SandboxTemplate
metadata: {name: bad}
spec: {podTemplate: {spec: {containers: [{name: main, image: "localhost/not-there:1", imagePullPolicy: Never}]}}}
YAML
kubectl -n "$space" apply --server-side --filename bad.yaml >/dev/null
refused ErrImageNeverPull --template bad
kubectl -n "$space" create quota few --hard=pods=2 >/dev/null
refused 'exceeded quota' --template terrarium
kubectl -n "$space" delete quota few >/dev/null

# ---- taken away while a run is going on

run_in=$pool
delete_claim() { kubectl -n "$space" delete sandboxclaim "$(claim robbed)" >/dev/null; }
until_true is_warm
during robbed delete_claim
expect_in err removed
until_true is_empty || objects
# The kubelet ends it, as it does when it evicts a pod.
evict() {
	kubectl -n "$space" patch pod "$(place late)" --type=merge -p '{"spec":{"activeDeadlineSeconds":1}}' >/dev/null
}
until_true is_warm
during late evict
expect_in err DeadlineExceeded
until_true is_empty || objects

# ---- no rights, and a cluster without the engine

kubectl config view --raw --minify >weak.yaml
kubectl -n "$space" create serviceaccount nobody >/dev/null
KUBECONFIG=weak.yaml kubectl config set-credentials weak --token="$(kubectl -n "$space" create token nobody)" >/dev/null
KUBECONFIG=weak.yaml kubectl config set-context --current --user=weak >/dev/null
KUBECONFIG=$PWD/weak.yaml try run $pool -c 1
expect_code 125
expect_in err 'you lack that right'
try doctor --backend agent-sandbox --kube-namespace "$space"
expect_in out 'terrarium: 2 of 2 ready'
verdict
