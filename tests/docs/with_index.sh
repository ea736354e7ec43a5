#!/bin/sh
# SPDX-License-Identifier: MIT
# with_index.sh ADDRESS COMMAND…: run the command with a package index of the test's own, in a network that this process
# has to itself.
set -eu
if [ -z "${IN_OWN_NETWORK:-}" ]; then
	[ "$(id -u)" = 0 ] || { echo "SKIP: only root can make a network for the test"; exit 77; }
	why=$(unshare -n true 2>&1) || { echo "SKIP: no network of the test's own can be made: $why"; exit 77; }
	IN_OWN_NETWORK=1 exec unshare -n sh "$0" "$@"
fi
here=$(cd "$(dirname "$0")" && pwd)
address=$1
shift
ip link set lo up
ip address add "$address/32" dev lo
dir=$(mktemp -d)
cd "$dir"
python3 -B "$here/../cli/package_index.py" "$address" &
index=$!
trap 'kill $index; rm -rf "$dir"' EXIT
until [ -s port ]; do
	kill -0 $index
	sleep 0.05
done
url=http://$address:$(cat port)
PIP_INDEX_URL="$url/simple/" PIP_TRUSTED_HOST=$address npm_config_registry="$url/npm/" "$@"
