#!/bin/sh
# SPDX-License-Identifier: MIT
# pull_test.sh TERRARIUM ENGINE HELLO: images that are fetched, and fetching that goes wrong; from a registry of our own.
ours=$2
hello=$3
. "$(dirname "$0")/../cli/tell.sh"
own_runtime
registry=
trap '"$terrarium" stop --all --yes >/dev/null 2>&1; [ -z "$registry" ] || kill $registry; rm -rf "$dir"' EXIT

# It listens where the engine is: a dockerd of the tests has a network of its own, of loopback alone.
enter=
if [ "$ours" = docker ]; then
	socket=${DOCKER_HOST#unix://}
	enter="nsenter -t $(cat "${socket%/*}/minder") -n --"
fi
$enter /usr/bin/python3 -B "$source/tests/engines/registry.py" "$hello" >port &
registry=$!
until_true [ -s port ]
at=127.0.0.1:$(cat port)
if [ "$ours" = podman ]; then
	printf 'unqualified-search-registries = []\n[[registry]]\nlocation = "%s"\ninsecure = true\n' "$at" >registries
	export CONTAINERS_REGISTRIES_CONF="$dir/registries"
fi
# engine ARG…: a command of the engine that should not take long.
engine() {
	timeout --foreground -k 10 60 "$ours" "$@" >/dev/null 2>&1 || { [ $? != 124 ] || wrong "hung: $ours $*"; false; }
}
has_image() { engine image inspect "$at/$1:1"; }
# podman was once seen not to come back from a pull, on a busy machine: it is asked again then, but not a third time.
fetch() {
	tried="terrarium exec --backend $ours --image $*"
	for turn in 1 2; do
		code=0
		setsid -w timeout --foreground -k 10 120 "$terrarium" exec --backend "$ours" --image "$@" >out 2>err || code=$?
		[ $code = 124 ] && grep -q pulling err || return 0
		printf 'hung: %s\n' "$(tail -n 1 err)"
	done
}
is_left() { [ -n "$(ls run/terrarium 2>/dev/null)" ]; }

# Fetched for it, and removed with it; or left, if that is asked for.
fetch "$at/whole:1" -- /hello
expect_code 0
expect_out hello
! has_image whole || wrong "an image that was fetched for a sandbox should be removed with it"
fetch "$at/whole:1" --keep-image on -- /hello
expect_out hello
has_image whole || wrong "--keep-image should keep it"
engine rmi "$at/whole:1"

# Not there; breaks off.
for name in none cut; do
	fetch "$at/$name:1" -- /hello
	expect_code 125
	expect_out ''
	tail -n 1 err >last
	expect_in last "$at/$name:1"
	! has_image $name || wrong "there should be no image"
	! is_left || wrong "nothing should be left in the runtime directory"
done

# Interrupted in the middle.
setsid -w timeout --foreground -k 10 120 "$terrarium" exec --backend "$ours" --image "$at/slow:1" -- /hello \
	>out 2>err &
client=$!
until_true grep -qi pull err
kill -INT $client
code=0
wait $client || code=$?
tried="kill -INT while $at/slow:1 is pulled"
[ "$code" = 130 ] || wrong "the exit code should be 130"
! has_image slow || wrong "there should be no image"
! is_left || wrong "nothing should be left in the runtime directory"
! pgrep -f "$ours pull.*$at/slow" >/dev/null || wrong "nobody should go on pulling"

# Nobody there.
kill $registry
wait $registry 2>/dev/null
registry=
fetch "$at/none:1" -- /hello
expect_code 125
tail -n 1 err >last
expect_in last "$at/none:1"
expect_in last refused
verdict
