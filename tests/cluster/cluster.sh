#!/bin/bash
# SPDX-License-Identifier: MIT
# A real one-node Kubernetes for tests, as root on Debian 12: no systemd, cgroup v1, no registry.
#
#   cluster.sh packages            install what Debian ships of it
#   cluster.sh build DIR           build DIR/bin/kube (all of Kubernetes and etcd) and DIR/bin/kubectl
#   cluster.sh start DIR           start a new, empty cluster; returns once its node is Ready.
#                                 Then: export KUBECONFIG=DIR/kubeconfig PATH=DIR/bin:$PATH
#   cluster.sh image DIR NAME ROOT [PROGRAM ARGUMENT...]
#                                 make an image of the folder ROOT and put it on the node; pods name it
#                                 with imagePullPolicy: Never (NAME is like localhost/busybox:1)
#   cluster.sh archive DIR FILE    put the images of a docker archive on the node
#   cluster.sh busybox DIR         localhost/busybox:1, of Debian's busybox-static
#   cluster.sh enter DIR COMMAND   run a command inside the cluster's namespaces
#   cluster.sh end DIR DAEMON      kill one of its daemons: etcd, kube-apiserver, kubelet …; a node is lost with
#                                 its kubelet
#   cluster.sh again DIR DAEMON    start that daemon again
#   cluster.sh stop DIR            end it; only DIR/bin, DIR/log and DIR/pki stay
#
# Everything runs in PID, mount, network, IPC and UTS namespaces of its own, so it meets nothing else
# on the machine (its ports are the usual ones, inside), and killing one process ends every process,
# mount, network device and socket of it. What is left are cgroups, all under one name, which stop
# removes. From outside the API is on a free port of 127.0.0.1: a listening socket made out here is
# handed in (kube listen, kube relay).
#
# DIR: absolute, 60 characters at most (Unix sockets), on ext4 or xfs (overlayfs goes on it), not under
# /run or /var, which are covered inside.
set -euo pipefail
self=$(readlink -f "$0")
src=$(dirname "$self")/kube                        # main.go, go.mod, go.sum
verb=${1:?verb}
if [ "$verb" != packages ]; then dir=$(readlink -m "${2:?directory}"); shift 2; fi
VERSION=1.34.4
NODE=10.250.0.1                                    # the node's address, inside
PODS=10.244.0.0/24

case "$verb" in packages) ;; *)
    case "$dir" in /run/*|/var/*) echo "$dir: not under /run or /var" >&2; exit 2;; esac
    [ ${#dir} -le 60 ] || { echo "$dir: too long" >&2; exit 2; }
    cg=kube-$(printf %s "$dir" | sha256sum | cut -c1-12) # the name of its cgroups
    ctr=(ctr -a "$dir/run/containerd.sock" -n k8s.io)
esac

packages() {
    apt-get update
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        containerd runc containernetworking-plugins busybox-static iproute2 openssl util-linux gcc libc6-dev
}

build() {
    mkdir -p "$dir/bin"
    export CGO_ENABLED=0 GOFLAGS=-buildvcs=false
    local v=k8s.io/component-base/version
    local ld="-s -w -X $v.gitVersion=v$VERSION -X $v.gitMajor=1 -X $v.gitMinor=34 -X $v.gitTreeState=clean"
    (cd "$src" && go build -trimpath -ldflags "$ld" -o "$dir/bin/kube" . &&
        # kubectl on its own as well: half the size and memory (10 s more, for the link)
        go build -trimpath -ldflags "$ld" -o "$dir/bin/kubectl" k8s.io/kubernetes/cmd/kubectl)
    for p in etcd kube-apiserver kube-controller-manager kube-scheduler kubelet; do ln -sf kube "$dir/bin/$p"; done
}

# --- certificates ------------------------------------------------------------------------------------------

key() { [ -e "$1" ] || openssl ecparam -name prime256v1 -genkey -noout -out "$1"; }

cert() { # NAME SUBJECT [SAN]: pki/NAME.key and pki/NAME.crt
    [ -e "$1.crt" ] && return
    key "$1.key"
    openssl req -new -key "$1.key" -subj "$2" -out "$1.csr"
    openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -out "$1.crt" \
        -extfile <(echo "keyUsage=digitalSignature"; echo "extendedKeyUsage=serverAuth,clientAuth"
                   if [ $# -gt 2 ]; then echo "subjectAltName=$3"; fi) 2>/dev/null
}

kubeconfig() { # NAME SERVER FILE
    (umask 077; cat >"$3" <<Y
apiVersion: v1
kind: Config
current-context: test
clusters: [{name: test, cluster: {server: "$2", certificate-authority-data: $(base64 -w0 ca.crt)}}]
users: [{name: $1, user: {client-certificate-data: $(base64 -w0 "$1.crt"), client-key-data: $(base64 -w0 "$1.key")}}]
contexts: [{name: test, context: {cluster: test, user: $1, namespace: default}}]
Y
)
}

pki() {
    mkdir -p "$dir/pki"; cd "$dir/pki"
    key ca.key; key sa.key
    [ -e ca.crt ] || openssl req -x509 -new -key ca.key -subj /CN=test-ca -days 3650 -out ca.crt
    cert apiserver /CN=kube-apiserver "IP:127.0.0.1,IP:$NODE,IP:10.96.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc"
    cert admin /O=system:masters/CN=admin
    cert apiserver-kubelet /O=system:masters/CN=apiserver-kubelet
    cert kubelet /O=system:nodes/CN=system:node:node "IP:$NODE,DNS:node"
    cert kube-controller-manager /CN=system:kube-controller-manager
    cert kube-scheduler /CN=system:kube-scheduler
    for u in kubelet kube-controller-manager kube-scheduler; do kubeconfig $u https://127.0.0.1:6443 $u.conf; done
    cd /
}

# --- inside the namespaces -----------------------------------------------------------------------------------

config() {
    cat >"$dir/run/containerd.toml" <<Y
version = 2
root = "$dir/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "$dir/run/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true    # where root lacks CAP_SYS_RESOURCE
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/run/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
Y
    # A bridge, and no way out of it: the namespace has no other device.
    mkdir -p "$dir/run/cni"
    cat >"$dir/run/cni/10-pods.conflist" <<Y
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "$PODS"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
Y
    cat >"$dir/run/kubelet.yaml" <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://$dir/run/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: /$cg
failCgroupV1: false
failSwapOn: false
oomScoreAdj: 0
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $dir/pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $dir/pki/kubelet.crt
tlsPrivateKeyFile: $dir/pki/kubelet.key
resolvConf: ""
makeIPTablesUtilChains: false
evictionHard: {}
imageGCHighThresholdPercent: 100
nodeStatusUpdateFrequency: 2s
Y
}

# daemon NAME ARGUMENT...: start it, and remember how, so that it can be started again.
daemon() {
    printf '%s\0' "$@" >"$dir/run/$1.command"
    launch "$1"
    daemons="${daemons:-} $1"
}

launch() { # NAME
    local command
    mapfile -d '' -t command <"$dir/run/$1.command"
    if [ -n "${RELAY_FD:-}" ]; then
        "${command[@]}" >>"$dir/log/$1.log" 2>&1 </dev/null {RELAY_FD}>&- &
    else
        "${command[@]}" >>"$dir/log/$1.log" 2>&1 </dev/null &
    fi
    echo $! >"$dir/run/$1.pid"
}

lives() { # NAME
    kill -0 "$(cat "$dir/run/$1.pid")" 2>/dev/null
}

# A daemon that nobody has ended takes the cluster with it: its log says why.
mind() {
    local name
    while :; do
        for name in $daemons; do
            if [ -e "$dir/run/$name.again" ]; then
                launch "$name"
                rm "$dir/run/$name.again"
            elif ! lives "$name" && [ ! -e "$dir/run/$name.ended" ]; then
                echo "$name ended" >"$dir/log/ended"
                return
            fi
        done
        sleep 0.1
    done
}

await() { # COMMAND...: until it succeeds, or a daemon has ended
    until "$@" >/dev/null 2>&1; do
        for p in $daemons; do lives "$p" || exit 1; done
        sleep 0.1
    done
}

inside() { # process 1 of the namespaces
    # Writes under /var and /run go elsewhere (volatile: its end waits for no disk), and the kubelet finds
    # the kernel settings that it would make (vm.overcommit_memory and such are the whole machine's) made.
    mkdir -p "$dir/var" "$dir/var.work" "$dir/run/sys"
    mount -t overlay overlay -o "volatile,lowerdir=/var,upperdir=$dir/var,workdir=$dir/var.work" /var
    mount -t tmpfs -o mode=755 tmpfs /run
    mkdir -p /var/lib/kubelet /var/lib/cni /var/log/pods /run/netns "$dir/kubelet"
    mount --bind "$dir/kubelet" /var/lib/kubelet           # so that volumes are not on an overlay
    while read -r f v; do
        echo "$v" >"$dir/run/sys/${f##*/}"
        mount --bind "$dir/run/sys/${f##*/}" "/proc/sys/$f"
    done <<Y
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
Y
    hostname node
    ip link set lo up
    ip addr add $NODE/32 dev lo

    cd "$dir/run"
    export PATH=$dir/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    unset KUBECONFIG http_proxy https_proxy HTTP_PROXY HTTPS_PROXY
    "$dir/bin/kube" relay 127.0.0.1:6443 </dev/null >"$dir/log/relay.log" 2>&1 &
    daemon containerd --config "$dir/run/containerd.toml" --log-level info
    daemon etcd --data-dir "$dir/etcd" --unsafe-no-fsync --log-level warn
    daemon kube-apiserver --advertise-address $NODE --secure-port 6443 \
        --etcd-servers http://127.0.0.1:2379 \
        --tls-cert-file "$dir/pki/apiserver.crt" --tls-private-key-file "$dir/pki/apiserver.key" \
        --client-ca-file "$dir/pki/ca.crt" --authorization-mode Node,RBAC \
        --enable-admission-plugins NodeRestriction --allow-privileged \
        --kubelet-client-certificate "$dir/pki/apiserver-kubelet.crt" \
        --kubelet-client-key "$dir/pki/apiserver-kubelet.key" \
        --kubelet-certificate-authority "$dir/pki/ca.crt" \
        --kubelet-preferred-address-types InternalIP \
        --service-account-issuer https://kubernetes.default.svc --service-cluster-ip-range 10.96.0.0/16 \
        --service-account-key-file "$dir/pki/sa.key" --service-account-signing-key-file "$dir/pki/sa.key"
    # These give up after some seconds (the controller manager: 10) without what they need.
    await test -S "$dir/run/containerd.sock"
    await kubectl --kubeconfig "$dir/pki/kubelet.conf" get --raw /readyz
    daemon kube-controller-manager --kubeconfig "$dir/pki/kube-controller-manager.conf" --leader-elect=false \
        --root-ca-file "$dir/pki/ca.crt" --service-account-private-key-file "$dir/pki/sa.key" \
        --use-service-account-credentials --kube-api-qps 500 --kube-api-burst 1000 --bind-address 127.0.0.1
    daemon kube-scheduler --kubeconfig "$dir/pki/kube-scheduler.conf" --leader-elect=false --bind-address 127.0.0.1
    daemon kubelet --config "$dir/run/kubelet.yaml" --kubeconfig "$dir/pki/kubelet.conf" \
        --node-ip $NODE --hostname-override node --cert-dir "$dir/run/kubelet-certs"
    exec {RELAY_FD}>&-
    unset RELAY_FD
    set +e
    mind
}

# --- outside -----------------------------------------------------------------------------------------------------

v1() { for c in /sys/fs/cgroup/*/; do [ -e "$c/cgroup.procs" ] && echo "${c%/}"; done; }

running() { # its first process outside, if it is this one and not another that got the number
    pid=$(cat "$dir/run/pid" 2>/dev/null) && grep -qa "inside.$dir" "/proc/$pid/cmdline" 2>/dev/null
}

until_ok() { # SECONDS COMMAND...
    local end=$(($(date +%s) + $1)); shift
    until "$@" >/dev/null 2>&1; do
        [ -d "/proc/$pid" ] || { echo "the cluster ended; see $dir/log" >&2; return 1; }
        [ "$(date +%s)" -lt $end ] || { echo "too slow: $*" >&2; return 1; }
        sleep 0.1
    done
}

start() {
    ! running || { echo "$dir: it runs already" >&2; exit 1; }
    [ "$(stat -fc %T /sys/fs/cgroup)" = tmpfs ] || { echo "written for cgroup v1" >&2; exit 2; }
    clean
    mkdir -p "$dir/run" "$dir/log"
    pki
    config
    for c in $(v1); do
        mkdir -p "$c/$cg"
        if [ -e "$c/$cg/cpuset.cpus" ]; then cat "$c/cpuset.cpus" >"$c/$cg/cpuset.cpus"; cat "$c/cpuset.mems" >"$c/$cg/cpuset.mems"; fi
    done
    setsid "$dir/bin/kube" listen "$dir/run/port" \
        unshare --pid --mount --net --ipc --uts --fork --kill-child --mount-proc \
        bash "$self" inside "$dir" </dev/null >"$dir/log/inside.log" 2>&1 &
    pid=$!
    echo $pid >"$dir/run/pid"
    trap 'stop' ERR
    until_ok 10 test -s "$dir/run/port"
    cd "$dir/pki"; kubeconfig admin "https://127.0.0.1:$(cat "$dir/run/port")" "$dir/kubeconfig"; cd /
    until_ok 30 test -S "$dir/run/containerd.sock"
    until_ok 30 "${ctr[@]}" version
    pause
    until_ok 60 "$dir/bin/kubectl" --kubeconfig "$dir/kubeconfig" get --raw /readyz
    local k=("$dir/bin/kubectl" --kubeconfig "$dir/kubeconfig")
    until_ok 60 "${k[@]}" -n default get serviceaccount default
    until_ok 60 "${k[@]}" get node node
    until_ok 60 "${k[@]}" wait --for=condition=Ready node/node --timeout=60s
    until_ok 60 bash -c '[ -z "$("$@")" ]' - "${k[@]}" get node node -o 'jsonpath={.spec.taints}'
    trap - ERR
}

image() { # NAME ROOT [PROGRAM ARGUMENT...]: a docker archive of one layer, made with tar
    local name=$1 root=$2 t; shift 2
    t=$(mktemp -d "$dir/run/image.XXXXXX")
    tar -C "$root" --numeric-owner --owner=0 --group=0 --sort=name --mtime=@0 -cf "$t/layer.tar" .
    local diff=sha256:$(sha256sum "$t/layer.tar" | cut -d' ' -f1) entry= a
    for a in "$@"; do entry=$entry${entry:+,}\"$a\"; done
    echo '{"architecture":"amd64","os":"linux","config":{"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],"Entrypoint":['"$entry"']},"rootfs":{"type":"layers","diff_ids":["'$diff'"]}}' >"$t/config.json"
    echo '[{"Config":"config.json","RepoTags":["'"$name"'"],"Layers":["layer.tar"]}]' >"$t/manifest.json"
    tar -C "$t" -cf "$t/image.tar" manifest.json config.json layer.tar
    "${ctr[@]}" images import "$t/image.tar" >/dev/null
    rm -r "$t"
}

archive() { # FILE: an image of another architecture stays packed
    "${ctr[@]}" images import "$1" >/dev/null 2>"$dir/log/import.log" ||
        grep -q 'failed to resolve rootfs' "$dir/log/import.log" || { cat "$dir/log/import.log" >&2; return 1; }
}

pause() {
    local t=$dir/run/pause; mkdir -p "$t"
    [ -x "$dir/bin/pause" ] || printf '%s\n' '#include <signal.h>' '#include <sys/wait.h>' '#include <unistd.h>' \
        'static void end(int s) { _exit(0); }' 'static void reap(int s) { while (waitpid(-1, 0, WNOHANG) > 0); }' \
        'int main(void) { signal(SIGTERM, end); signal(SIGINT, end); signal(SIGCHLD, reap); for (;;) pause(); }' |
        gcc -static -Os -s -x c -o "$dir/bin/pause" -
    cp "$dir/bin/pause" "$t/pause"
    image localhost/pause:1 "$t" /pause
}

busybox_image() {
    local t=$dir/run/busybox a; mkdir -p "$t"/{bin,tmp,etc,root}
    chmod 1777 "$t/tmp"
    echo root:x:0:0::/root:/bin/sh >"$t/etc/passwd"
    cp "$(command -v busybox)" "$t/bin/busybox"
    for a in $(busybox --list); do [ "$a" = busybox ] || ln -sf busybox "$t/bin/$a"; done
    image localhost/busybox:1 "$t"
}

clean() { # cgroups, deepest first, and all that a stopped cluster has no use for
    local c i
    for c in $(v1); do
        for i in $(seq 50); do
            [ -d "$c/$cg" ] || break
            find "$c/$cg" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
        done
    done
    rm -rf "$dir"/{run,etcd,containerd,kubelet,var,var.work,log,kubeconfig}
}

stop() {
    trap - ERR
    if running; then
        local first; first=$(pgrep -P "$pid" || true)      # process 1 of the namespace
        kill -KILL ${first:-$pid} 2>/dev/null || true      # the kernel ends the rest with it
        while running; do sleep 0.02; done             # a zombie has no command line
    fi
    cp -a "$dir/log" "$dir/log.keep" 2>/dev/null || true
    clean
    [ ! -d "$dir/log.keep" ] || mv "$dir/log.keep" "$dir/log"
}

end() { # DAEMON
    touch "$dir/run/$1.ended"
    "$self" enter "$dir" kill -KILL "$(cat "$dir/run/$1.pid")"
}

again() { # DAEMON
    touch "$dir/run/$1.again"
    for _ in $(seq 100); do
        [ -e "$dir/run/$1.again" ] || break
        sleep 0.1
    done
    rm -f "$dir/run/$1.ended"
}

enter() {
    running || { echo "$dir: it does not run" >&2; exit 1; }
    exec nsenter -a -t "$(pgrep -P "$pid")" "$@"
}

case "$verb" in
    packages|build|inside|start|image|archive|stop|enter|end|again) "$verb" "$@" ;;
    busybox) busybox_image ;;
    *) echo "$verb: no such verb" >&2; exit 2 ;;
esac
