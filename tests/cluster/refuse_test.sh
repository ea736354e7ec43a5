#!/bin/sh
# SPDX-License-Identifier: MIT
# refuse_test.sh TERRARIUM: a pod that cannot be had ends in a sentence with the cluster's own reason, and leaves nothing.
. "$(dirname "$0")/tell_cluster.sh"

# refused WORDS OPTION...: with these words on standard error, within a minute.
refused() {
	words=$1
	shift
	try run $new "$@" -c 1
	[ "$code" = 125 ] || wrong "the exit code should be 125"
	expect_in err "$words"
	until_true is_empty || objects
}

# ---- images, classes, accounts, names

refused ErrImagePull --image localhost/not-there:1
refused InvalidImageName --image 'not/A/NAME:::'
refused RuntimeClass --runtime-class not-there
refused 'error looking up service account' --service-account not-there
refused 'is not a number' --user daemon
refused 'lists those that there are' --kube-context not-there
try run --yes --backend kubernetes --kube-namespace not-there --image "$image" -c 1
expect_code 125
expect_in err 'namespaces "not-there" not found'
try run --yes --backend docker --kube-context a -c 1
expect_code 125
expect_in err 'does nothing on the backend'

# ---- quota

kubectl -n "$space" create quota few --hard=pods=0 >/dev/null
refused 'exceeded quota'
kubectl -n "$space" delete quota few >/dev/null

# ---- admission: no init container with NET_ADMIN, so a policy, which this cluster does not enforce

kubectl label namespace "$space" pod-security.kubernetes.io/enforce=restricted >/dev/null
try run $new --keep --name strict -c 'print("on")'
expect_code 0
expect_out on
try inspect --json strict # there is no kube-proxy here, so nobody answers at the service's address
expect_in out 'off by NetworkPolicy, if the cluster enforces it'
expect_in out 'violates PodSecurity'
[ "$(kubectl -n "$space" get networkpolicies -o name | wc -l)" = 1 ] || wrong "there should be one policy"
try stop strict --yes
until_true is_empty || objects
try run $new --keep --name strict --env KUBERNETES_SERVICE_HOST=10.244.0.1 --env KUBERNETES_SERVICE_PORT=6443 -c 1
expect_code 0
try inspect --json strict
expect_in out 'ON: the API service answers from inside'
try stop strict --yes
until_true is_empty || objects
refused 'violates PodSecurity' --user root
kubectl label namespace "$space" pod-security.kubernetes.io/enforce- >/dev/null

# ---- a token that is not valid, an API server that is not there

kubectl config view --raw --minify >bad.yaml
KUBECONFIG=bad.yaml kubectl config set-credentials expired --token=not-valid >/dev/null
KUBECONFIG=bad.yaml kubectl config set-context --current --user=expired >/dev/null
KUBECONFIG=$PWD/bad.yaml try run $new -c 1
expect_code 125
expect_in err 'log in to the cluster again'
sed 's|server: .*|server: https://127.0.0.1:1|' bad.yaml >none.yaml
KUBECONFIG=$PWD/none.yaml try run $new -c 1
expect_code 125
expect_in err "the cluster's API server does not answer"

# ---- no rights

kubectl -n "$space" create serviceaccount nobody >/dev/null
cp bad.yaml weak.yaml
KUBECONFIG=weak.yaml kubectl config set-credentials expired --token="$(kubectl -n "$space" create token nobody)" >/dev/null
KUBECONFIG=$PWD/weak.yaml try run $new -c 1
expect_code 125
expect_in err 'you lack that right'
verdict
