#!/bin/sh
# SPDX-License-Identifier: MIT
# How the tests' own run tells what they leave behind (package/dev/tests.sh): what is new and nobody uses, and no more.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../package/dev/tests.sh"

dir=$(mktemp -d)
place=/dev/shm
[ -w $place ] || place=/tmp
# No other test's or sandbox's name: theirs are random.
old=$(mktemp -du "$place/terrarium-XXXXXXXX" | tr A-Z0189 a-zabcd)
new=$(mktemp -du "$place/terrarium-XXXXXXXX" | tr A-Z0189 a-zabcd)
trap 'rm -rf "$dir" "$old" "$new"' EXIT
n_wrong=0
wrong() {
	n_wrong=$((n_wrong + 1))
	echo "WRONG: $1"
}
is_left() { left_sandbox_files | grep -qx "$1"; }

run_dir=$dir/tt
mkdir "$old"
sandbox_files | sort >"$run_dir.files"
! is_left "$old" || wrong "$old was there before"
mkdir "$new"
is_left "$new" || wrong "$new was left behind"
exec 5<"$new"
! is_left "$new" || wrong "$new is in use"
exec 5<&-
is_left "$new" || wrong "$new is in use no more"

if [ "$(id -u)" = 0 ] && [ $place = /dev/shm ]; then
	object=$new.object
	trap 'rm -rf "$dir" "$old" "$new" "$object"' EXIT
	: >"$object"
	! is_left "$object" || wrong "$object is not of a sandbox"
	uid=$((1879048192 + 4000)) # no sandbox comes so far
	chown $uid "$object"
	is_left "$object" || wrong "$object was left behind"
fi

# Nothing is removed here: what would be, is listed.
(
	rm() { echo "$@"; }
	find() { echo "$@"; }
	sweep_killed_runs
) >"$dir/removed"
! grep -v '/tt-' "$dir/removed" || wrong "this may be somebody else's"
[ $n_wrong = 0 ]
