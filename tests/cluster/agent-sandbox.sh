#!/bin/bash
# SPDX-License-Identifier: MIT
# The engine agent-sandbox on a cluster of cluster.sh: its CRDs and its controller, from the Go module.
#
#   agent-sandbox.sh build DIR      build DIR/controller, and copy the CRDs to DIR/crds
#   agent-sandbox.sh start DIR      install DIR/engine/crds in the running cluster DIR, and start DIR/engine/controller in it
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
verb=${1:?verb} dir=$(readlink -m "${2:?directory}")
module=sigs.k8s.io/agent-sandbox

build() {
    mkdir -p "$dir/crds"
    cd "$here/agent-sandbox"
    CGO_ENABLED=0 GOFLAGS=-buildvcs=false go build -trimpath -ldflags '-s -w' -o "$dir/controller" \
        "$module/cmd/agent-sandbox-controller"
    install -m 644 "$(go list -m -f '{{.Dir}}' "$module")"/helm/crds/*.yaml "$dir/crds"
}

start() {
    local k=("$dir/bin/kubectl" --kubeconfig "$dir/kubeconfig") crd
    "${k[@]}" apply --server-side --filename "$dir/engine/crds/" >/dev/null
    # Nobody converts between the versions: only v1beta1 is used.
    for crd in "$dir"/engine/crds/*.yaml; do
        crd=$(basename "$crd" .yaml)
        "${k[@]}" patch crd "${crd#*_}.${crd%%_*}" --type=json \
            --patch '[{"op": "replace", "path": "/spec/conversion", "value": {"strategy": "None"}}]' >/dev/null
    done
    "${k[@]}" wait --for=condition=Established --timeout=60s --filename "$dir/engine/crds/" >/dev/null
    sed 's|server: "[^"]*"|server: "https://127.0.0.1:6443"|' "$dir/kubeconfig" >"$dir/run/controller.conf"
    # It lives in the cluster's namespaces, so that it ends with the cluster.
    "$here/cluster.sh" enter "$dir" "$dir/engine/controller" --extensions --kubeconfig "$dir/run/controller.conf" \
        --enable-webhook=false --leader-elect=false --metrics-bind-address=0 --health-probe-bind-address=0 \
        </dev/null >"$dir/log/agent-sandbox-controller.log" 2>&1 &
}

case $verb in
build | start) "$verb" ;;
*)
    echo "$verb: no such verb" >&2
    exit 2
    ;;
esac
