#!/bin/sh
# SPDX-License-Identifier: MIT
# faults_test.sh TERRARIUM: the API server restarts, the node is lost, a pod is evicted: whoever waits is told, nothing hangs.
. "$(dirname "$0")/tell_cluster.sh"

admin() { "$CLUSTER" admin "$CLUSTER_DIR" "$@"; }

restart_api() {
	admin end kube-apiserver
	admin again kube-apiserver
}
is_ready() { kubectl get --raw /readyz >/dev/null 2>&1; }

during api restart_api
until_true is_ready
try run $new -c 'print("again")'
expect_code 0
expect_out again
until_true is_empty || objects

# kubectl, which is the line, is killed.
kill_lines() {
	for pid in $(pgrep -P "$(tr -dc 0-9 <supervisor)" kubectl); do kill -KILL "$pid"; done
}
kill_kubectl() {
	field line supervisor_pid >supervisor
	kill_lines
}
export TERRARIUM_KUBE_TRANSPORT=exec
during line kill_kubectl
unset TERRARIUM_KUBE_TRANSPORT
until_true is_empty || objects

# Its time is over: the kubelet ends it, as it does when it evicts a pod.
deadline() {
	kubectl -n "$space" patch pod "$(pod late)" --type=merge -p '{"spec":{"activeDeadlineSeconds":1}}' >/dev/null
}
during late deadline
expect_in err DeadlineExceeded
until_true is_empty || objects

# A node without a kubelet: exec ends.
during node admin end kubelet
admin again kubelet
verdict
