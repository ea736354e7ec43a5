# SPDX-License-Identifier: MIT
# For the scripts beside this one: what tests/cli/tell.sh has, with a namespace of the test's own in the cluster.
. "$(dirname "$0")/../cli/tell.sh"
own_runtime
space=t-$(basename "$0" _test.sh)-$$
trap '"$terrarium" stop --all --yes >/dev/null 2>&1; kubectl delete namespace "$space" --wait=false >/dev/null 2>&1; rm -rf "$dir"' EXIT
kubectl create namespace "$space" >/dev/null || exit 1
has_account() { kubectl -n "$space" get serviceaccount default >/dev/null 2>&1; }
until_true has_account
image=localhost/tt:deb
in="--backend kubernetes --kube-namespace $space"
new="--yes $in --image $image"

# Everything of ours in the namespace: pods, ConfigMaps, policies.
objects() { kubectl -n "$space" get pods,configmaps,networkpolicies -l dev.terrarium=1 -o name; }
is_empty() { [ -z "$(objects)" ]; }
# pod NAME: the pod of a sandbox.
pod() { kubectl -n "$space" get pods -l dev.terrarium=1 -o name | grep "terrarium-$1-" | sed 's|pod/||'; }
is_gone() { [ -z "$(pod "$1")" ] && [ ! -e "run/terrarium/$1" ]; }

# during NAME COMMAND...: a run that never ends in the sandbox NAME, while the command is done to it. The run fails.
# $run_in: options of the sandbox, else $new.
during() {
	name=$1
	shift
	setsid -w timeout 100 "$terrarium" run ${run_in:-$new} --timeout 0 --name "$name" -c 'print("on", flush=True)
import time
time.sleep(1000)' >out 2>err &
	first=$!
	until_true grep -q on out
	"$@"
	code=0
	wait $first || code=$?
	tried="run, and $*"
	[ "$code" != 0 ] && [ "$code" != 124 ] && [ "$code" != 130 ] || wrong "the run should have failed"
	[ -s err ] || wrong "it should say why"
}
