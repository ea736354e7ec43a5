#!/bin/sh
# SPDX-License-Identifier: MIT
# life_test.sh TERRARIUM ENGINE: the life of a container of ours: kept, come back to, used by several, ended; and what is
# left when somebody is killed or the container is taken away.
ours=$2
. "$(dirname "$0")/../cli/tell.sh"
own_runtime
image=localhost/tt:deb
new="--yes --backend $ours --image $image"

# Containers with the label of this name, whatever state they are in.
containers() { "$ours" ps -aq --filter "label=dev.terrarium.name=$1"; }
is_gone() { [ -z "$(containers "$1")" ] && [ ! -e "run/terrarium/$1" ]; }
is_entered() { [ -S "run/terrarium/$1/agent.sock" ] && [ -n "$(containers "$1")" ]; }

# ---- kept, found again, ended

try run $new --keep --name lab -c 'x = 41' -c 'open("note", "w").write("kept")'
expect_code 0
[ "$(field lab backend)" = "\"$ours\"" ] || wrong "ps should call its backend $ours, not $(field lab backend)"
[ "$(containers lab | wc -l)" = 1 ] || wrong "there should be one container with the label of lab"
try run --yes --name lab -c 'print(x + 1, open("note").read())'
expect_out '42 kept'
try exec lab -- sh -c 'echo $0; exit 3' a
expect_code 3
expect_out a
try run $new --keep --name lab -c 'x' # the one that is there, as in the local backend
expect_out 41
[ "$(containers lab | wc -l)" = 1 ] || wrong "there should still be one"
echo content >file
try cp file lab:there
expect_code 0
try cp lab:there back
cmp -s file back || wrong "a file should come back as it went"

# Two that are attached do not disturb one another; the second one's interrupt reaches the first one's run.
setsid -w "$terrarium" run --yes --timeout 0 --name lab -c 'print("on", flush=True)
import time
time.sleep(1000)' >first 2>&1 &
first=$!
until_true grep -q on first
kill -INT $first
wait $first
[ $? = 130 ] || { tried='kill -INT'; wrong "the first should have ended with 130"; }
try run --yes --name lab -c 'x'
expect_out 41

# A time-out ends what the run waits for, and leaves the rest as it was.
try run --yes --name lab --timeout 1 -c 'import subprocess; subprocess.run(["sleep", "1001"])'
expect_code 124
try exec lab -- sh -c 'for p in /proc/[0-9]*/cmdline; do tr "\0" " " <"$p" 2>/dev/null; echo; done'
! grep -q '^sleep 1001' out || wrong "sleep should have been killed"
try run --yes --name lab -c 'x'
expect_out 41

# What a Python that code starts prints comes at once: of a run and of a command. --env says otherwise.
child="import os; print('said'); os._exit(0)"
try run --yes --name lab -c "import subprocess; r = subprocess.run(['python3', '-c', \"$child\"])"
expect_in out said
try exec lab -- python3 -c "$child"
expect_out said
try run --yes --name lab --env PYTHONUNBUFFERED= -c "import subprocess; r = subprocess.run(['python3', '-c', \"$child\"])"
expect_out ""
setsid -w "$terrarium" run --yes --timeout 0 --name lab -c 'import subprocess
subprocess.run(["python3", "-c", "import time; print(\"at once\"); time.sleep(1000)"])' >first 2>&1 &
first=$!
until_true grep -q "at once" first
kill -INT $first
wait $first

try stop lab --yes
expect_code 0
until_true is_gone lab

# The value of the options, and that of an image, count.
try run $new --env PYTHONUNBUFFERED=7 -c 'import os; os.environ["PYTHONUNBUFFERED"]'
expect_out "'7'"
printf 'FROM %s\nENV PYTHONUNBUFFERED=8\n' $image >Dockerfile
try run --yes --backend "$ours" --dockerfile Dockerfile -c 'import os; os.environ["PYTHONUNBUFFERED"]'
expect_out "'8'"

# ---- somebody is killed

# The client: its sandbox goes with it.
setsid "$terrarium" run $new --timeout 0 --name orphan -c 'import time; time.sleep(1000)' >first 2>&1 &
first=$!
until_true is_entered orphan
kill -KILL $first
wait $first 2>/dev/null
until_true is_gone orphan

# The supervisor: nobody is there to take its container away but the next one who comes along.
try run $new --keep --name left -c 1
expect_code 0
kill -KILL "$(field left supervisor_pid)"
try ps --all
until_true eval '"$terrarium" ps --all >/dev/null 2>&1; is_gone left'

# ---- the container is taken away

setsid -w "$terrarium" run $new --timeout 0 --name robbed -c 'print("on", flush=True)
import time
time.sleep(1000)' >out 2>err &
first=$!
until_true grep -q on out
"$ours" rm -f "$(containers robbed)" >/dev/null
code=0
wait $first || code=$?
tried="$ours rm -f"
[ "$code" != 0 ] && [ "$code" != 130 ] || wrong "a run whose container was removed should fail"
grep -qE 'removed|stopped' err || wrong "it should say what became of the container"
until_true is_gone robbed
verdict
