#!/bin/sh
# SPDX-License-Identifier: MIT
# serve_test.sh TERRARIUM: the server with sandboxes in the cluster, on this machine and in a pod of package/kubernetes, which has
# the rights of its Role and no more. A server that replaces another one removes what that one left.
. "$(dirname "$0")/tell_claims.sh"

admin() { "$CLUSTER" admin "$CLUSTER_DIR" "$@"; }

# await_port FILE: until the server, or the tunnel to it, has told its port.
port_of() { sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' "$1" | head -n 1; }
has_port() { [ -n "$(port_of "$1")" ]; }

# ---- on this machine, with both backends

# serves BACKEND OPTION...
serves() {
	backend=$1
	shift
	"$terrarium" serve --dev --port 0 --backend "$backend" --kube-namespace "$space" "$@" >told 2>errors &
	server=$!
	until_true has_port told
	there="--backend microsandbox --server-url http://127.0.0.1:$(port_of told)"
	try run --yes $there --name lab --image python -c 'x = 41' -c 'import os; print(x + 1, os.path.exists("/.terrarium/agent"))'
	[ "$code" = 0 ] || cat errors
	expect_code 0
	expect_out '42 True'
	url=http://127.0.0.1:$(port_of told) MSB_API_KEY=none
	export MSB_API_KEY
	start limited '"memory":64'
	unset MSB_API_KEY
	cp out "started-$backend"
	kill -TERM $server
	wait $server || :
	until_true is_empty || objects
}
# start NAME [MEMBER]: a sandbox that nobody ends, with this member in its config.
start() {
	tried="sandbox.start $1"
	python3 - "$url/api/v1/rpc" "$1" "{\"image\":\"microsandbox/python\"${2:+,$2}}" >out 2>err <<'PY' || wrong "the server should start it"
import json, os, sys, urllib.request
call = {"jsonrpc": "2.0", "id": 1, "method": "sandbox.start",
        "params": {"sandbox": sys.argv[2], "namespace": "default", "config": json.loads(sys.argv[3])}}
request = urllib.request.Request(sys.argv[1], json.dumps(call).encode(), {
    "Content-Type": "application/json", "Authorization": "Bearer " + os.environ["MSB_API_KEY"]})
reply = json.load(urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=100))
print(reply)
sys.exit("error" in reply)
PY
}
serves kubernetes --image "$image"
until_true is_warm
serves agent-sandbox --warm-pool terrarium
expect_in started-agent-sandbox 'its memory and cpus are those of its SandboxTemplate'
! grep -q SandboxTemplate started-kubernetes || wrong "a pod of ours has the memory that the request names"

# ---- in the cluster

mkdir -p root/usr/bin root/bin root/tmp
cp "$terrarium" root/usr/bin/terrarium
cp "$(command -v kubectl)" root/usr/bin/kubectl
cp "$(command -v busybox)" root/bin/sh
# Two libraries are loaded when they are needed.
loaded=$(ldconfig -p | sed -n 's/.*lib\(gnutls\.so\.30\|microhttpd\.so\.12\) .*x86-64.* => //p')
{
	echo "$loaded"
	ldd "$terrarium" $loaded
} | grep '/lib' | grep -o '/[^ :]*' | sort -u | while read -r library; do
	[ "$library" = "$terrarium" ] && continue
	mkdir -p "root$(dirname "$library")"
	cp -L "$library" "root$library"
done
admin image localhost/terrarium:1 "$PWD/root"

# The folder as it is, in the test's namespace. Here nobody answers at the address of the API service.
mkdir overlay
cp -r "$source/package/kubernetes" overlay/base
cat >overlay/kustomization.yaml <<YAML
namespace: $space
resources: [base]
patches:
  - target: {kind: Namespace}
    patch: '[{"op": "replace", "path": "/metadata/name", "value": "$space"}]'
  - target: {kind: Deployment}
    patch: |
      - {op: add, path: /spec/template/spec/containers/0/env/-, value: {name: KUBERNETES_SERVICE_HOST, value: 10.250.0.1}}
      - {op: add, path: /spec/template/spec/containers/0/env/-, value: {name: KUBERNETES_SERVICE_PORT, value: "6443"}}
      - {op: add, path: /spec/template/spec/containers/0/command/-, value: --image}
      - {op: add, path: /spec/template/spec/containers/0/command/-, value: $image}
YAML
kubectl apply --server-side --force-conflicts -k overlay >applied 2>&1 || cat applied
tried="the folder package/kubernetes"
kubectl -n "$space" rollout status deployment/terrarium --timeout=120s >rolled 2>&1 || {
	wrong "the server should become ready"
	kubectl -n "$space" logs deployment/terrarium
}

# rights: of the account, by what it may do. Not one of those that a Role should not have.
can() { kubectl -n "$space" auth can-i --quiet --as "system:serviceaccount:$space:terrarium" "$@"; }
for right in 'create pods' 'create pods/exec' 'create configmaps' 'create sandboxclaims.extensions.agents.x-k8s.io'; do
	can $right || wrong "the server should be allowed to $right"
done
for right in 'get secrets' 'list secrets' 'create deployments' 'update roles' 'get configmaps'; do
	! can $right || wrong "the server should not be allowed to $right"
done

# tunnel: to the server's pod, by kubectl. Sets $there.
tunnel() {
	kubectl -n "$space" port-forward deployment/terrarium :5555 >tunnel.out 2>&1 &
	line=$!
	until_true has_port tunnel.out
	MSB_API_KEY=$(kubectl -n "$space" exec deployment/terrarium -- terrarium keygen)
	export MSB_API_KEY
	url=http://127.0.0.1:$(port_of tunnel.out)
	there="--backend microsandbox --server-url $url"
}
pods() { kubectl -n "$space" get pods,configmaps -l dev.terrarium=1 -o name; }
has_no_pods() { [ -z "$(pods)" ]; }

tunnel
try run --yes $there --name lab --image python -c 'x = 41' -c 'print(x + 1)'
[ "$code" = 0 ] || kubectl -n "$space" logs deployment/terrarium
expect_code 0
expect_out 42

# ---- a successor

start left
[ -n "$(pods)" ] || wrong "there should be a pod of the server's"
before=$(pods | grep pod/)
kill $line
wait $line 2>/dev/null || :
# Its pod is deleted without a chance to clean up.
kubectl -n "$space" delete pod -l app.kubernetes.io/name=terrarium --grace-period=0 --force >/dev/null 2>&1
is_replaced() { kubectl -n "$space" rollout status deployment/terrarium --timeout=5s >/dev/null 2>&1; }
until_true is_replaced
tunnel
start next
is_removed() { ! pods | grep -qxF "$before"; }
until_true is_removed || pods
kill $line
wait $line 2>/dev/null || :

# ---- a successor that adopts

kubectl -n "$space" patch deployment terrarium --type=json \
	--patch '[{"op": "replace", "path": "/spec/template/spec/containers/0/command/6", "value": "--adopt"}]' >/dev/null
until_true is_replaced
tunnel
start kept
try run --yes $there --name kept --image python -c 'x = 41'
expect_code 0
before=$(pods | grep pod/terrarium-default-kept)
kill $line
wait $line 2>/dev/null || :
kubectl -n "$space" delete pod -l app.kubernetes.io/name=terrarium --grace-period=0 --force >/dev/null 2>&1
until_true is_replaced
tunnel
start kept # waits for the adoption: a client that found it stopped would end what it had started
try run --yes $there --name kept --image python -c 'print(x + 1)'
[ "$code" = 0 ] || kubectl -n "$space" logs deployment/terrarium
expect_code 0
expect_out 42
pods | grep -qxF "$before" || wrong "it should be the same pod"
try stop $there kept
expect_code 0
until_true has_no_pods || pods
kill $line
wait $line 2>/dev/null || :
kubectl delete -n "$space" deployment terrarium --wait=true >/dev/null
until_true has_no_pods || pods
verdict
