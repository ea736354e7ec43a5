#!/bin/sh
# SPDX-License-Identifier: MIT
# Commands that meet a limit say which, as runs do; and whatever code does to its interpreter, its descriptors or its
# folder, the next run works.
. "$(dirname "$0")/tell.sh"
need_local
own_runtime
memory=64
hog='while True: hog.append(bytearray(10 ** 7))'

expect_words() { grep -qE -e "^terrarium: ($words)" err || wrong "err should say: $words"; }

# meets WORDS -- CODE: a command in a new sandbox, and in one that is kept, which lives on. WORDS is a pattern.
meets() {
	words=$1
	shift
	try exec --memory "$memory" "$@"
	expect_words
	"$terrarium" exec --memory "$memory" --keep on --name lab -- true || wrong "cannot be kept"
	try exec lab "$@"
	expect_words
	try exec lab -- echo alive
	expect_out alive
	expect_err ""
	"$terrarium" stop lab >stopped || wrong "does not end"
}

if "$terrarium" doctor | grep -q '^ok .*sandbox: memory'; then
	meets "killed: out of memory at 64 of 64 MiB" -- python3 -c "hog = []
$hog"
else # who looks now and then may be faster than the limit of a single process
	meets "an allocation was refused: memory limit 64 MiB|killed: out of memory at 64 of 64 MiB" -- python3 -c "hog = []
$hog"
fi

# ---- a run is told what it has met, and not what somebody else met before it

if "$terrarium" doctor | grep -q '^ok .*sandbox: memory'; then
	try run --yes --keep --memory 64 --name lab -c 'import os, subprocess, sys
os.mkfifo("go")
later = subprocess.Popen([sys.executable, "-c", "open(\"go\").read(); hog = bytearray(10 ** 9)"])'
	expect_code 0
	try run --yes --name lab -c 1
	expect_out 1
	try exec lab -- sh -c 'echo >go'
	has_died() { "$terrarium" run --yes --name lab -c 'later.poll()' | grep -q -- -9; }
	until_true has_died
	try run --yes --name lab -c '1 / 0'
	expect_in err ZeroDivisionError
	! grep -q memory err || wrong "err blames the memory"
	try run --yes --name lab -c 'subprocess.call([sys.executable, "-c", "hog = bytearray(10 ** 9)"])'
	expect_out -9
	try run --yes --name lab -c 'sys.exit(subprocess.call([sys.executable, "-c", "hog = bytearray(10 ** 9)"]))'
	expect_in err "killed: out of memory at 64 of 64 MiB"
	try run --yes --name lab -c '1 / 0'
	! grep -q memory err || wrong "err blames the memory"
	"$terrarium" stop lab >stopped || wrong "does not end"
fi
# The same with processes, of which not every kernel tells by itself.
try run --yes --keep --processes 24 --name lab -c 'import subprocess
def crowd(n): return [subprocess.Popen(["sleep", "600"]) for _ in range(n)]
few = crowd(9)'
expect_code 0
try run --yes --name lab -c 'crowd(99)'
expect_in err "process limit 24 reached"
try exec lab -- true
[ "$code" = 0 ] || expect_err "terrarium: true: cannot be started: the sandbox's process limit is reached"
try run --yes --name lab -c '1 / 0'
expect_in err ZeroDivisionError
! grep -q "process limit" err || wrong "err blames the process limit"
"$terrarium" stop lab >stopped || wrong "does not end"
memory=400 # else so many processes may be too much memory first, where it is watched
meets "process limit 128 reached" -- python3 -c 'import os, time
for _ in range(300):
    if not os.fork(): time.sleep(60); os._exit(0)'
meets "limit of 4096 open files reached" -- python3 -c 'files = []
while True: files.append(open("/dev/null"))'

"$terrarium" exec --disk 4 --file-size 2 --keep on --name lab -- true || wrong "cannot be kept"
try exec lab -- dd if=/dev/zero of=big bs=1M count=3
expect_in err "terrarium: file size limit 2 MiB reached"
try exec lab -- sh -c 'rm big; for i in $(seq 100); do head -c 500000 /dev/zero >$i || exit; sleep 0.05; done'
words="disk full|file size limit 2 MiB reached, or disk limit 4 MiB" # the latter where files are only watched
expect_words
try exec lab -- false
expect_code 1
expect_err "" # it was full before
"$terrarium" stop lab >stopped || wrong "does not end"

# Time is limited only where that is asked for; who passes over the interrupt is killed.
"$terrarium" run --yes --keep on --name lab -c 'kept = 41' || wrong "cannot be kept"
try exec --timeout 0.3 lab -- sleep 1000
expect_code 124
expect_err "terrarium: timed out: time limit 0.3 s"
try exec --timeout 0.3 --grace 0.3 -- sh -c 'trap "" INT; echo on; sleep 1000; sleep 1000'
expect_code 124
expect_out on
try exec --timeout 60 lab -- echo in time
expect_code 0
expect_out "in time"

# What is done to the folder that all start in, or to what the interpreters work with, is not the end of them.
try run --yes --name lab -c 'import os; os.chmod(".", 0); os.kill(os.getpid(), 9)'
expect_code 137
try run --yes --name lab -c 'import os; os.getcwd()'
expect_out "'/'"
try exec lab -- pwd
expect_out /
as_named err >named && mv named err
expect_err "terrarium: /workspace cannot be entered (Permission denied): starting in /"
try exec lab -- sh -c 'chmod 755 "${TERRARIUM_WORKSPACE-/workspace}"'
expect_code 0
try exec lab -- pwd
as_named out >named && mv named out
expect_out /workspace
expect_err ""
try run --yes --name lab -c 'import builtins
for name in list(vars(builtins)): delattr(builtins, name)'
try run --yes --name lab -c '6 * 7'
expect_out 42
try run --yes --name lab -c 'class E(BaseException):
    @property
    def __traceback__(self): raise self
raise E'
try run --yes --name lab -c '6 * 6'
expect_out 36
expect_err ""
try run --yes -l js -c 'process.kill(-1, "SIGKILL")' -c '6 * 7'
expect_in err "ESRCH"
expect_out 42
if has_namespaces; then # else no code may signal another command's processes
	"$terrarium" exec lab -- sh -c 'echo on; exec sleep 1000' >sleep 2>&1 &
	sleeper=$!
	until_true grep -q on sleep
	try run --yes --name lab -l js -c 'process.kill(-1, "SIGTERM")'
	expect_out true
	tried="terrarium exec lab -- sleep 1000"
	code=0
	wait $sleeper || code=$?
	expect_code 143
fi
try run --yes --name lab -l js -c '6 * 6'
expect_out 36
try run --yes --name lab -l bash -c 'exec >&- 2>&-'
try run --yes --name lab -l bash -c 'echo out; echo err >&2'
expect_code 0
expect_out out
expect_err err
try run --yes --name lab -l bash -c 'exec >file 2>&1'
try run --yes --name lab -l bash -c 'echo out'
expect_out "" # what was redirected stays so
try exec lab -- cat file
expect_out out

verdict
