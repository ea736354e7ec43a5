#!/bin/sh
# SPDX-License-Identifier: MIT
# with_container.sh ENGINE IMAGE COMMAND…: run the command with the name of a running container behind its arguments, which has
# to run afterwards, too.
set -eu
engine=$1 image=$2 name=docs-existing-$$
shift 2
"$engine" run -d --name "$name" "$image" sleep 600 >/dev/null
trap '"$engine" rm -f "$name" >/dev/null 2>&1' EXIT
"$@" "$name"
[ "$("$engine" inspect --format '{{.State.Running}}' "$name")" = true ] || { echo "the container was stopped"; exit 1; }
