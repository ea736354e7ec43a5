#!/bin/sh
# SPDX-License-Identifier: MIT
# snapshot_test.sh TERRARIUM ENGINE: a snapshot of a container is an image, from which new sandboxes start.
ours=$2
. "$(dirname "$0")/../cli/tell.sh"
own_runtime
new="--yes --backend $ours --image localhost/tt:deb"
image=localhost/terrarium-snapshot-$(id -u):base

has_image() { "$ours" image inspect "$image" >/dev/null 2>&1; }

# Files are in it, where they were written by code and by root; variables and processes are not.
try run $new --keep --name lab -l bash -c 'echo work >file; echo home >~/own; x=1; sleep 1000 & echo up'
expect_out up
try snapshot lab base
expect_code 0
expect_out base
has_image || wrong "there should be an image $image"
try run --yes --name lab -l bash -c 'echo $x; echo later >file'
expect_out 1
try run --yes --from base -l bash -c 'cat file ~/own; echo "x=$x"; id -u; cat /proc/[0-9]*/cmdline | tr "\0" " " | grep -c "sleep 100[0]"; ls /.terrarium/agent'
expect_in out work
expect_in out home
expect_in out "x="
expect_in out 1000
try run --yes --from base -c 'print(6 * 7)'
expect_out 42

# The list knows it; what uses it keeps it.
try snapshots --json
is_json 'value[0]["tag"] == "base" and value[0]["backend"] == "'"$ours"'" and value[0]["image"] == "'"$image"'" and "bytes" not in value[0]'
try run --yes --keep --name user1 --from base -c 1
expect_code 0
[ "$(field user1 backend)" = "\"$ours\"" ] || wrong "its backend should be $ours"
try snapshots rm base
expect_code 1
expect_in err "is in use by user1"
try stop user1 --yes

# Replaced, and gone behind our back: nothing is fetched in its place.
try snapshot lab base
expect_code 125
expect_in err "there is a snapshot 'base'"
try snapshot lab base --force
expect_code 0
try run --yes --from base -l bash -c 'cat file'
expect_out later
"$ours" image rm -f "$image" >/dev/null 2>&1
try run --yes --from base -c 1
expect_code 125
expect_in err "$image"
try snapshots rm base
expect_code 0
try snapshots
expect_out ""
try snapshot lab base
try snapshots rm base
expect_code 0
has_image && wrong "the image should be gone"
try stop lab --yes

# What cannot be saved is refused with the reason, and nothing is left of it.
try run $new --keep --name ro --read-only -c 1
try snapshot ro ro
expect_code 125
expect_in err "read-only"
try stop ro --yes
"$ours" run -d --name theirs-$$ localhost/tt:deb sleep 1000 >/dev/null
try run --yes --backend "$ours" --container theirs-$$ --keep --name visit -c 1
try snapshot visit v
expect_code 125
expect_in err "is not Terrarium's own: save it with '$ours commit'"
try stop visit --yes
"$ours" rm -f theirs-$$ >/dev/null
try run --yes --backend "$ours" --image localhost/tt:deb --from base -c 1
expect_code 125
try snapshots
expect_out ""
verdict
