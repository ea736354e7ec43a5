#!/bin/sh
# SPDX-License-Identifier: MIT
# visit_test.sh TERRARIUM ENGINE: a visit to a container of others leaves nothing behind, and the name of a kept container
# that is gone is not used for something else without a word.
ours=$2
. "$(dirname "$0")/../cli/tell.sh"
own_runtime
trap '"$terrarium" stop --all --yes >/dev/null 2>&1; "$ours" rm -f host-$$ >/dev/null 2>&1; "$ours" image rm -f localhost/tt:seen-$$ >/dev/null 2>&1; rm -rf "$dir"' EXIT
"$ours" run -d --name host-$$ --network none localhost/tt:deb sleep 1000 >/dev/null # it reaps nobody
visit="--yes --backend $ours --container host-$$"

# traces: what is in the container that was not there at the beginning.
traces() {
	"$ours" exec host-$$ sh -c 'ls -d /.terrarium /workspace 2>/dev/null; cat /proc/[0-9]*/stat 2>/dev/null | grep ") Z " || :'
}
is_clean() { [ -z "$(traces)" ]; }

for i in 1 2 3; do
	try run $visit -c 'print("here")'
	expect_code 0
	expect_out here
	until_true is_clean || traces
done
# What was started and left is gone, too, and so are those whose parent has ended.
try run $visit -l bash -c 'sleep 500 & (sleep 501 & true); echo on'
expect_out on
until_true is_clean || traces
# A file that the run has made is the user's.
try run $visit -c 'open("kept", "w").write("mine")'
expect_code 0
[ "$("$ours" exec host-$$ cat /workspace/kept)" = mine ] || wrong "the file should be there"
"$ours" exec host-$$ rm -r /workspace
# A directory of the container's own stays.
"$ours" exec host-$$ mkdir /own
try run $visit --workdir /own -c 1
expect_code 0
"$ours" exec host-$$ ls -d /own >out || wrong "a directory that was there should stay"
# Of several that had to be made, all go.
try run $visit --workdir /deep/er/est -c 1
expect_code 0
"$ours" exec host-$$ sh -c '[ ! -e /deep ]' || wrong "/deep should be gone"
# When the supervisor is killed, somebody else takes the agent away.
try run $visit --keep --name lost -c 1
expect_code 0
kill -KILL "$(field lost supervisor_pid)"
until_true is_clean || traces
# An image of it has no agent.
try run $visit --commit localhost/tt:seen-$$ -c 1
expect_code 0
"$ours" run --rm --network none localhost/tt:seen-$$ sh -c 'ls -d /.terrarium /workspace 2>/dev/null; echo end' >out
[ "$(cat out)" = end ] || wrong "nothing of ours should be in the image"
[ "$("$ours" inspect -f '{{.State.Running}}' host-$$)" = true ] || wrong "it should go on running"

# ---- the name of a container that is gone

try run --yes --backend "$ours" --image localhost/tt:deb --keep --name kk -c 'x = 1'
expect_code 0
"$ours" kill "$("$ours" ps -q --filter label=dev.terrarium.name=kk)" >/dev/null
is_over() { [ -e run/terrarium/.ended-kk ]; }
until_true is_over
is_gone() { [ ! -e run/terrarium/kk ]; }
until_true is_gone
try run --yes --name kk -c 1
expect_code 125
expect_out ""
expect_in err "sandbox 'kk' was on the backend '$ours', and has ended"
expect_in err "--backend $ours starts a new one there, --backend local one here"
try attach kk
expect_code 125
expect_in err "there is no running sandbox 'kk': the one on the backend '$ours' has ended"
try run --yes --backend "$ours" --image localhost/tt:deb --keep --name kk -c '1'
expect_code 0
[ ! -e run/terrarium/.ended-kk ] || wrong "it is forgotten when one of that name starts"
try stop kk --yes
until_true is_gone
[ ! -e run/terrarium/.ended-kk ] || wrong "who stops it knows that it has ended"

# ---- options for the engine

new="--yes --backend $ours --image localhost/tt:deb"
try run $new --keep --name opts --engine-arg=--hostname=greenhouse --engine-arg --env=A=secret -v -l bash -c 'echo $HOSTNAME; echo $A'
expect_out "greenhouse
secret"
expect_in err 'terrarium: $ image: '"$ours"' image inspect'
expect_in err 'terrarium: $ create: '"$ours"' '
expect_in err '--hostname=greenhouse --env=A=…'
grep -q secret err && wrong "values of variables are not told"
try inspect opts
expect_in out "engine      --hostname=greenhouse"
expect_in out "            --env=A=secret"
try inspect opts --json
is_json 'value["engine_args"] == ["--hostname=greenhouse", "--env=A=secret"]'
try stop opts --yes
try run $new --engine-arg=--memory=2g -c 1
expect_code 125
expect_in err "the engine argument '--memory=2g' is refused: Terrarium sets --memory itself, by the setting memory"
try run $new --engine-arg=--nosuch-option -c 1
expect_code 125
expect_in err nosuch-option
try run $new --runtime nosuch -c 1
expect_code 125
expect_in err "the engine has no such runtime"
try run --yes --engine-arg=--init -c 1
expect_code 125
expect_in err "--engine-arg does nothing on the backend 'local'"
try run $visit --runtime runc -c 1
expect_code 125
expect_in err "--runtime does nothing on the backend '$ours' with --container"
# Names in any case.
try run --yes --backend "$(echo "$ours" | tr a-z A-Z)" --image localhost/tt:deb -c 'print(1)'
expect_out 1
# A name that is none is found at the start.
try run $new --commit UPPER/Case:1 -c 'print(1)'
expect_code 125
expect_out ""
expect_in err "an image cannot be called 'UPPER/Case:1'"
# A sh is no bash.
try run --yes --backend "$ours" --image localhost/tt:musl -l sh -c 'echo 1'
expect_in err "its sh runs commands, but no code that keeps its state"
verdict
