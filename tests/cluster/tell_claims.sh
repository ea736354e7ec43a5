# SPDX-License-Identifier: MIT
# For the scripts about agent-sandbox: tell_cluster.sh, with a template and a warm pool of ours in the test's namespace.
. "$(dirname "$0")/tell_cluster.sh"
in="--backend agent-sandbox --kube-namespace $space"
pool="--yes $in --warm-pool terrarium"
template="--yes $in --template terrarium"
"$terrarium" backends --print-manifest agent-sandbox --image "$image" >manifest.json &&
	kubectl -n "$space" apply --server-side --filename manifest.json >/dev/null || exit 1
is_warm() { [ "$(kubectl -n "$space" get sandboxwarmpool terrarium --output 'jsonpath={.status.readyReplicas}')" = 2 ]; }
until_true is_warm

# Everything of ours: claims, the pools of single sandboxes.
objects() { kubectl -n "$space" get sandboxclaims,sandboxwarmpools -l dev.terrarium=1 -o name; }
# claim NAME: the claim of a sandbox.
claim() { kubectl -n "$space" get sandboxclaims -o name | grep "/terrarium-$1-" | sed 's|.*/||'; }
# place NAME: its pod.
place() { kubectl -n "$space" get sandboxclaim "$(claim "$1")" --output 'jsonpath={.status.sandbox.name}'; }
is_gone() { [ -z "$(claim "$1")" ] && [ ! -e "run/terrarium/$1" ]; }
