#!/bin/sh
# SPDX-License-Identifier: MIT
# adopt_test.sh TERRARIUM: sandboxes outlive a server with --adopt that is killed or ends, and the next one goes on with them. One
# that cannot be adopted is removed and named.
. "$(dirname "$0")/tell_cluster.sh"

has_port() { grep -q '127\.0\.0\.1:[0-9]' told; }
# serves OPTION...: sets $there.
serves() {
	: >told
	"$terrarium" serve --dev --port 0 --backend kubernetes --kube-namespace "$space" --image "$image" "$@" >told 2>errors &
	server=$!
	until_true has_port || cat errors
	there="--backend microsandbox --server-url http://127.0.0.1:$(sed -n 's/.*127\.0\.0\.1:\([0-9]*\).*/\1/p' told | head -n 1)"
}
# ends SIGNAL
ends() {
	kill "-$1" $server
	wait $server 2>/dev/null || :
}
# starts NAME: it stays after its client.
call() { # METHOD NAME MORE
	tried="$1 $2"
	python3 - "${there##* }/api/v1/rpc" "$1" "$2" "${3:-}" >out 2>err <<'PY'
import json, sys, urllib.request
params = {"sandbox": sys.argv[3], "namespace": "default"}
params.update(json.loads(sys.argv[4] or "{}"))
call = {"jsonrpc": "2.0", "id": 1, "method": sys.argv[2], "params": params}
request = urllib.request.Request(sys.argv[1], json.dumps(call).encode(), {"Content-Type": "application/json"})
try:
    reply = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=100)
except urllib.error.HTTPError as error:
    reply = error
reply = json.load(reply)
print(json.dumps(reply))
sys.exit("error" in reply)
PY
}
# unit: every process that systemd would end with the server.
unit() {
	ps -eo pid=,ppid=,args= | awk -v root="$server" -v ours="$PWD/run/" '
		{ parent[$1] = $2 }
		index($0, ours) && /kubectl[ ]proxy/ { of[$1]; of[$2] }
		END {
			of[root]
			do {
				more = 0
				for (pid in parent)
					if (parent[pid] in of && !(pid in of)) { of[pid]; more = 1 }
			} while (more)
			for (pid in of) if (pid in parent) print pid
		}'
}
run_in() { call sandbox.repl.run "$1" "{\"language\":\"python\",\"code\":\"$2\"}"; }

# ---- killed

serves --adopt
for name in lab lost gone; do
	call sandbox.start $name '{"config":{"image":"microsandbox/python"}}' || wrong "it should start"
done
run_in lab 'x = 41' || wrong "it should run"
before=$(pod default-lab)
lost=$(pod default-lost) gone=$(pod default-gone)
ends KILL
# Nobody but a server with --adopt touches what was left.
try run $new -c 'print(1)'
expect_out 1
serves
ends TERM
[ "$(pod default-lab)" = "$before" ] || wrong "the pod should still be there"

# Somebody who may annotate a pod writes a row of the list into a mark, and somebody removes another pod.
kubectl -n "$space" annotate --overwrite pod "$gone" "dev.terrarium.adoptable=default/gone
terrarium-default-forged-01234567	$(kubectl -n "$space" get pod "$gone" --output \
	'jsonpath={.metadata.annotations.dev\.terrarium\.supervisor}')	default/forged	00112233445566778899aabbccddeeff	1" >/dev/null

# One ends meanwhile.
kubectl -n "$space" exec "$lost" -c sandbox -- /.terrarium/agent stop --key \
	"$(kubectl -n "$space" get pod "$lost" --output 'jsonpath={.spec.containers[?(@.name=="sandbox")].command[3]}')" >/dev/null 2>&1
has_ended() { [ "$(kubectl -n "$space" get pod "$lost" --output 'jsonpath={.status.phase}')" != Running ]; }
until_true has_ended

serves --adopt
run_in lab 'print(x + 1)' || wrong "its variables should be there: $(cat errors)"
expect_in out 42
[ "$(pod default-lab)" = "$before" ] || wrong "it should be the same pod"
! run_in lost '1' || wrong "it has ended"
expect_in out 'could not be adopted and was removed'
expect_in errors default/lost
is_lost_gone() { [ -z "$(pod default-lost)" ]; }
until_true is_lost_gone
! grep -q forged errors || wrong "a mark must not be read as a row: $(cat errors)"
call sandbox.start lost || wrong "it can be started anew"

# ---- ended in peace, and the third server goes on with it

ends TERM
# The policy is one that a cluster gets which forbids NET_ADMIN.
kubectl -n "$space" create -f - >/dev/null <<YAML
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: "$gone", labels: {dev.terrarium: "1"}}, spec: {podSelector: {}}}
YAML
kubectl -n "$space" delete pod "$gone" --grace-period=0 --force >/dev/null 2>&1
[ "$(pod default-lab)" = "$before" ] || wrong "the pod should outlive a server that ends"
serves --adopt --net on
run_in lab 'print(x + 2)' || wrong "its variables should be there: $(cat errors)"
expect_in out 43
is_swept() { ! objects | grep -q "/$gone\$"; }
until_true is_swept || objects

# ---- every process of the server gets SIGTERM

kill -TERM $(unit)
wait $server 2>/dev/null || :
is_ended() { [ -z "$(unit)" ]; }
until_true is_ended || unit
[ "$(pod default-lab)" = "$before" ] || wrong "the pod should outlive them"

# A client that comes while it is being adopted has not started it.
mkdir held
cat >held/kubectl <<SH
#!/bin/sh
case " \$* " in *" annotate "*" pod/"*) until [ -e "$PWD/go" ]; do sleep 0.02; done ;; esac
exec "$(command -v kubectl)" "\$@"
SH
chmod +x held/kubectl
way=$PATH
PATH=$PWD/held:$PATH
serves --adopt
PATH=$way
call sandbox.metrics.get lab || wrong "the server should answer"
expect_in out '"running": true'
timeout 100 "$terrarium" run --yes $there --name lab --image python -c 'print(x + 3)' >joined 2>&1 &
client=$!
touch go
wait $client || :
grep -qx 44 joined || wrong "its variables should be there: $(cat joined errors)"
[ "$(pod default-lab)" = "$before" ] || wrong "a client that did not start it must not end it"

# One of them is ended.
try stop default.lab
expect_code 0
call sandbox.stop lost || wrong "it should stop"
until_true is_empty || objects
ends TERM

# ---- refused where it would do nothing

try serve --dev --port 0 --adopt
expect_code 125
expect_in err "sandboxes of the backend 'local' end with their server"
try serve --dev --port 0 --backend kubernetes --adopt --take-over
expect_code 125
expect_in err '--take-over'
try serve --dev --port 0 --backend kubernetes --adopt --pool python=1
expect_code 125
expect_in err '--pool'
until_true is_empty || objects
verdict
