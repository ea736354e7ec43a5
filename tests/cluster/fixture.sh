#!/bin/bash
# SPDX-License-Identifier: MIT
# A cluster for tests: a fixture of CTest.
#
#   fixture.sh up DIR ARCHIVE       build Kubernetes, once per machine, start a cluster and load the images
#   fixture.sh engine DIR           build agent-sandbox, once per machine, and start it on that cluster
#   fixture.sh down DIR             end it
#   fixture.sh with DIR COMMAND...  the command, with KUBECONFIG and a PATH with the cluster's own kubectl
#   fixture.sh admin DIR VERB ...   cluster.sh of that cluster: end, again, enter
#
# DIR is a name in the folder for temporary files. Where no cluster can run, `up` says why in one line and `with` exits
# with 77; with TERRARIUM_NEED_CLUSTER=1 in the environment both are failures.
# The programs are built into ~/.cache/terrarium-tests (0.2 GB), from Go modules: some 4 GB of disk while it lasts.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
verb=$1 dir=${TMPDIR:-/tmp}/$2
shift 2
version=$(cat "$here/kube/main.go" "$here/kube/go.mod" "$here/kube/go.sum" | sha256sum | cut -c 1-12)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/terrarium-tests/kube-$version

unable() {
    echo "SKIP: $*"
    [ -z "${TERRARIUM_NEED_CLUSTER:-}" ] || exit 1
    exit 77
}

find_go() { # VERSION WHAT: Go 1.VERSION or newer
    local go has
    for go in go /usr/local/go/bin/go /usr/lib/go-1.*/bin/go; do
        command -v "$go" >/dev/null || continue
        has=$("$go" version | sed -n 's/.* go1\.\([0-9]*\).*/\1/p')
        [ "${has:-0}" -lt "$1" ] || { PATH=$(dirname "$(command -v "$go")"):$PATH; return; }
    done
    unable "no Go 1.$1 or newer, by which $2 would be built"
}

check_machine() {
    local program
    [ "$(id -u)" = 0 ] || unable "a cluster takes root"
    [ "$(stat -fc %T /sys/fs/cgroup)" = tmpfs ] || unable "the cluster is written for version 1 of control groups"
    for program in containerd runc ctr busybox ip openssl unshare nsenter gcc; do
        command -v "$program" >/dev/null || unable "$program is not installed (tests/cluster/cluster.sh packages)"
    done
    [ -x /usr/lib/cni/bridge ] || unable "containernetworking-plugins is not installed"
}

build() {
    [ ! -x "$cache/bin/kubectl" ] || return 0
    find_go 24 Kubernetes
    local free
    mkdir -p "$cache"
    free=$(df --output=avail -B1G "$cache" | tail -1)
    [ "$free" -ge 5 ] || unable "$cache has $free GB left, and building takes 5"
    "$here/cluster.sh" build "$cache" >"$cache/build.log" 2>&1 || {
        tail -3 "$cache/build.log"
        unable "Kubernetes cannot be built: see $cache/build.log"
    }
}

# Ends the cluster when the test program is gone without `down`.
mind() { # PID
    setsid sh -c 'while kill -0 "$1" 2>/dev/null && [ -d "$2/run" ]; do sleep 1; done; [ ! -d "$2/run" ] || "$3" stop "$2"
        rm -rf "$2"' - "$1" "$dir" "$here/cluster.sh" </dev/null >/dev/null 2>&1 &
}

up() { # ARCHIVE
    check_machine
    build
    mkdir -p "$dir"
    ln -sfn "$cache/bin" "$dir/bin"
    "$here/cluster.sh" start "$dir" || unable "the cluster does not start: see $dir/log"
    mind "$PPID"
    "$here/cluster.sh" busybox "$dir"
    [ ! -e "${1:-}" ] || "$here/cluster.sh" archive "$dir" "$1"
}

engine() {
    [ -e "$dir/kubeconfig" ] || unable "there is no cluster"
    local sum cache
    sum=$(cat "$here/agent-sandbox.sh" "$here/agent-sandbox/go.mod" "$here/agent-sandbox/go.sum" | sha256sum | cut -c 1-12)
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/terrarium-tests/agent-sandbox-$sum
    if [ ! -e "$cache/complete" ]; then
        find_go 26 agent-sandbox
        mkdir -p "$cache"
        "$here/agent-sandbox.sh" build "$cache" >"$cache/build.log" 2>&1 || {
            tail -3 "$cache/build.log"
            unable "agent-sandbox cannot be built: see $cache/build.log"
        }
        touch "$cache/complete"
    fi
    ln -sfn "$cache" "$dir/engine"
    "$here/agent-sandbox.sh" start "$dir"
}

down() {
    [ ! -d "$dir" ] || "$here/cluster.sh" stop "$dir"
    rm -rf "$dir"
}

with() { # COMMAND...
    [ -e "$dir/kubeconfig" ] || unable "there is no cluster"
    export KUBECONFIG=$dir/kubeconfig PATH=$dir/bin:$PATH CLUSTER="$here/fixture.sh" CLUSTER_DIR=${dir##*/}
    exec "$@"
}

admin() { # VERB ...
    local what=$1
    shift
    exec "$here/cluster.sh" "$what" "$dir" "$@"
}

case $verb in
up | engine | down | with | admin) "$verb" "$@" ;;
*)
    echo "$verb: no such verb" >&2
    exit 2
    ;;
esac
