#!/bin/sh
# SPDX-License-Identifier: MIT
# contract_test.sh TERRARIUM PROGRAM LANGUAGE: a program of tests/contract with pods of agent-sandbox, which it takes from a warm pool.
. "$(dirname "$0")/tell_claims.sh"
kubectl config view --raw --minify >here.yaml
KUBECONFIG=here.yaml kubectl config set-context --current --namespace="$space" >/dev/null
code=0
KUBECONFIG=$PWD/here.yaml "$2" agent-sandbox "$3" terrarium || code=$?
exit $code
