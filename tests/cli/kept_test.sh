#!/bin/sh
# SPDX-License-Identifier: MIT
# Sandboxes that outlive the program: run --keep, ps, exec, stop, and the ways in which they end.
. "$(dirname "$0")/tell.sh"
need_local
own_runtime

is_gone() { ! "$terrarium" ps | grep -q "^$1 " && [ ! -e "run/terrarium/$1" ]; }
is_field() { [ "$(field "$1" "$2")" = "$3" ]; }
has_clients() { is_field "$1" clients "$2"; }
expect_field() { [ "$(field "$1" "$2")" = "$3" ] || wrong "$2 of $1 should be $3, and is $(field "$1" "$2")"; }

# ---- state stays, and is come back to

try run --yes --keep --name lab -c 'x = 41' -c 'open("note", "w").write("kept")'
expect_code 0
expect_err ""
try run --yes --name lab -c 'x + 1'
expect_code 0
expect_out 42
try run --yes --name lab -l bash -c 'cat note'
expect_out kept
try exec lab -- cat note
expect_out kept
try exec lab -- sh -c 'cat; echo err >&2; exit 7' <"$source/LICENSE"
expect_code 7
expect_err err
cmp -s out "$source/LICENSE" || wrong "standard input as it was"
try exec lab -- nonsense
expect_code 127
expect_err "terrarium: nonsense: not found in the sandbox"

# Interrupted is the whole group: also who was not yet what it is, and let the first signal go by.
cat >pair.py <<'EOF'
import ctypes, os, signal
end = lambda *_: signal.signal(signal.SIGINT, signal.SIG_DFL)
def end_after_child(*_):
    os.read(heard, 1)
    end()
    os.kill(os.getpid(), signal.SIGINT)
heard, hears = os.pipe()
signal.signal(signal.SIGINT, end_after_child)
if os.fork() == 0:
    signal.signal(signal.SIGINT, lambda *_: (end(), os.write(hears, b".")))
    ctypes.CDLL(None).prctl(15, b"half-started", 0, 0, 0)  # PR_SET_NAME
    print("on", flush=True)
while True:
    signal.pause()
EOF
: >pair.out
"$terrarium" exec lab -- python3 -c "$(sed "s/half-started/half-$$/" pair.py)" >pair.out 2>pair.err &
pair=$!
until_true grep -q on pair.out
kill -INT $pair
wait $pair
[ $? = 130 ] || wrong "an interrupted command"
none_is_left() { ! cat /proc/[0-9]*/comm 2>/dev/null | grep -qx "half-$$"; }
until_true none_is_left
try run --yes --name lab --memory 64 -c 'x'
expect_out 41
expect_err "terrarium: sandbox 'lab' is already running; its limits and mounts stay as they are"
try run --yes --name lab --idle-timeout 1 -c 'x'
expect_err "terrarium: sandbox 'lab' is already running; its limits and mounts stay as they are"
try run --yes --name lab -c 'import sys; sys.exit(3)'
expect_code 3
try run --yes --name lab --timeout 0.3 -c 'while True: pass'
expect_code 124
try run --yes --name lab -c 'x'
expect_out 41

# ---- what somebody's earlier run has left behind goes on printing, and not into the output of who comes later

try run --yes --keep --name left -c 'import os, subprocess
left = subprocess.Popen(["sh", "-c", "while :; do echo late; echo >>count; done"])
def wait_for_more():
    size = os.path.getsize
    before = size("count")
    while size("count") < before + 20000: pass
while not os.path.exists("count"): pass'
try run --yes --name left -c 'wait_for_more()' -c '6 * 7'
expect_out 42
try run --yes --name left -c 'left.kill(); left.wait()' -c '"ended"'
expect_out "-9
'ended'"
if "$terrarium" run --yes --name left -l javascript -c 'ticks = 0; left = setInterval(() => console.log("tick", ++ticks), 1), 0' >out; then
	try run --yes --name left -l javascript -c 'for (const until = ticks + 50; ticks < until;) await new Promise(done => setTimeout(done, 1)); 42'
	expect_out 42
fi
"$terrarium" stop --yes left >out

# ---- who comes back finds it as it was left, or not: runs, numbers and input are the same

try run --yes --keep --name again -c 'import subprocess; n = 0'
for i in 1 2 3; do
	try run --yes --name again -c 'n += 1; n'
	expect_out $i
done
try run --yes --name again -c 'import os; os.mkfifo("go"); later = subprocess.Popen("read line <go; echo late", shell=True)' -c 'n'
try exec again -- sh -c 'echo >go'
has_late() { "$terrarium" logs again 2>/dev/null | grep -q '^late$'; }
until_true has_late
printf 'one\ntwo' >input
"$terrarium" run --yes --name again -c 'print(input()); print(input())' <input >out 2>err
expect_out "one
two"
printf three | "$terrarium" run --yes --name again -c 'print(input())' -c 'n' >out 2>err
expect_out "three
3"
"$terrarium" run --yes --name again -c 'import sys; [sys.stdin.read()]' </dev/null >out 2>err
expect_out "['']"
tried="the number of the run"
"$terrarium" run --yes --name again -c '1 / 0' >out 2>err
expect_in err 'File "<run 11>"'
"$terrarium" run --yes --name again -c '1 / 0' >out 2>err
expect_in err 'File "<run 12>"'
# What was printed in between takes no number: the run that was sent too soon keeps its own.
try run --yes --name again -c 'talker = subprocess.Popen("read line <go; yes late | head -c 1000000; touch said", shell=True)'
try exec again -- sh -c 'echo >go; until [ -e said ]; do sleep 0.01; done'
"$terrarium" run --yes --name again -c '1 / 0' >out 2>err
expect_in err 'File "<run 14>"'
"$terrarium" stop --yes again >out

# ---- ps

try ps
expect_code 0
expect_in out "lab "
try ps --names
expect_out lab
try ps --json
[ "$(field lab kernels)" = '["python", "bash"]' ] || wrong "kernels: $(field lab kernels)"
expect_field lab state '"running"'
expect_field lab kept true
expect_field lab clients 0
expect_field lab backend '"local"'
expect_field lab mem_limit_bytes 536870912
expect_field lab idle_timeout_s 28800.0
expect_field lab max_lifetime_s 604800.0

# One that is not kept is found, too, and attached to; it ends with the one that started it.
mkfifo go
"$terrarium" exec --name brief -- sh -c 'read line; echo "$line"' <go >brief.out 2>brief.err &
brief=$!
exec 3>go
until_true has_clients brief 1
expect_field brief kept false
try exec brief -- echo inside
expect_out inside
try run --yes --name brief -c '1 + 1'
expect_out 2
echo over >&3
exec 3>&-
wait $brief || wrong "exec --name brief failed"
until_true is_gone brief

# ---- names

try run --yes --keep --name lab -c 'x'
expect_out 41
for name in a/b ../up .hidden -dash _low 'a b' "$(printf 'a\tb')" "$(printf '\033[31m')" ; do
	try run --yes --keep --name="$name" -c pass
	expect_code 125
	expect_in err "is not a valid sandbox name: a name has 1 to 64 letters"
	[ "$(wc -l <err)" = 1 ] || wrong "one line"
	try attach -- "$name"
	expect_code 125
	expect_in err "is not a valid sandbox name: a name has 1 to 64 letters"
done
long=$(printf '%0200d' 0)
try run --yes --keep --name "$long" -c pass
expect_code 125
expect_in err "must not be longer than 64 bytes"
try exec "$long" -- true
expect_code 125
expect_in err "is not a valid sandbox name"
try stop "$long"
expect_code 1
expect_in err "is not a valid sandbox name"
try exec nowhere -- true
expect_code 125
expect_err "terrarium: there is no running sandbox 'nowhere'"
try exec lab --
expect_code 125
expect_in err "there is no command to execute"
try exec lab --timeout 1 -- true
expect_code 125
expect_in err "'lab' is a running sandbox; options go before its name"
try attach nowhere
expect_code 125
expect_err "terrarium: there is no running sandbox 'nowhere'; running: lab"
try stop nowhere
expect_code 1
expect_err "terrarium: there is no running sandbox 'nowhere'; running: lab"
try stop
expect_code 125
try stop --all lab
expect_code 125
try ps lab
expect_code 125
try run --yes --backend fake --keep -c pass
expect_code 125
expect_in err "cannot be kept"
[ "$("$terrarium" ps --names)" = lab ] || wrong "nothing else should have been started"

# Without a name one is told which it is.
try run --yes --keep -c 'pass'
expect_code 0
name=$(sed -n 's/^terrarium: sandbox \(sandbox-[0-9a-f]*\) is kept: .*/\1/p' err)
[ -n "$name" ] || wrong "the name should be told"
try stop "$name" nowhere
expect_code 1
expect_out "$name"
until_true is_gone "$name"

# ---- clients that die in any way

"$terrarium" run --yes --name lab -c 'import os, time
print("started", flush=True)
y = 1
while not os.path.exists("go"): time.sleep(0.02)
y = 2' >out 2>err &
pid=$!
until_true grep -q started out
until_true has_clients lab 1 # it opens its line to the supervisor 2 ms after it came
kill -KILL $pid
wait $pid 2>/dev/null
until_true has_clients lab 0
"$terrarium" exec lab -- touch go
try run --yes --name lab -c 'y'
expect_out 2
"$terrarium" exec lab -- sh -c 'echo $$; exec sleep 1000' >out 2>err &
pid=$!
until_true grep -q . out
kill -STOP $pid
try run --yes --name lab -c 'x'
expect_out 41
kill -KILL $pid
wait $pid 2>/dev/null
until_true has_clients lab 0
tried="exec, then kill -9: its command"
"$terrarium" exec lab -- sh -c 'ps ax | grep -c "[s]leep 1000"' >out 2>err
expect_out 0
# Nobody waits for what one who is gone was asked, whether he came before that or after; who comes later is asked
# as ever.
mkfifo nothing
sleep 1000 >nothing &
typist=$!
for others in 0 1; do
	"$terrarium" run --yes --name lab --timeout 0 -c 'input("who? ")' <nothing >out 2>err &
	asked=$!
	until_true grep -q who out
	if [ $others = 1 ]; then
		"$terrarium" run --yes --name lab -c 'x' >waited 2>err &
		waiting=$!
		until_true has_clients lab 2
	fi
	kill -KILL $asked
	wait $asked 2>/dev/null
	[ $others = 0 ] || wait $waiting || wrong "who waited failed"
	try run --yes --name lab -c 'x'
	expect_out 41
done
[ "$(cat waited)" = 41 ] || wrong "who waited saw: $(cat waited)"
kill $typist
echo me | "$terrarium" run --yes --name lab -c 'input()' >out 2>err
expect_out "'me'"
# Who was told to end does not wait for a reader that takes nothing.
mkfifo unread
sleep 1000 <unread &
reader=$!
for how in "run --yes --name lab -c print('x'*10**7)" "exec lab -- yes"; do
	# shellcheck disable=SC2086
	"$terrarium" $how >unread 2>err &
	pid=$!
	until_true has_clients lab 1
	kill -TERM $pid
	code=0
	wait $pid || code=$?
	tried="$how, unread, then SIGTERM"
	expect_code 143
	until_true has_clients lab 0
done
kill $reader
try run --yes --name lab -c 'x'
expect_out 41
# The signals of `exec` are its command's.
"$terrarium" exec lab -- sh -c 'trap "echo TERM; exit 9" TERM; echo started; while :; do sleep 0.05; done' >out 2>err &
pid=$!
until_true grep -q started out
kill -TERM $pid
code=0
wait $pid || code=$?
tried="exec, then SIGTERM"
expect_code 9
expect_in out TERM
# A run does not go on when its client was told to end.
"$terrarium" run --yes --name lab -c 'print("started", flush=True)
while True: pass' >out 2>err &
pid=$!
until_true grep -q started out
kill -TERM $pid
code=0
wait $pid || code=$?
tried="run --name, then SIGTERM"
expect_code 143
try run --yes --name lab -c 'x'
expect_out 41
# Not even if the sandbox had not answered yet: here the agent stands still meanwhile. Nor is any state lost.
agent() {
	python3 -c '
import sys
def below(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return [p for child in f.read().split() for p in [child] + below(child)]
for pid in below(sys.argv[1]):
    with open(f"/proc/{pid}/cmdline", "rb") as f:
        if f.read().split(b"\0")[0].endswith(b"agent"):
            print(pid)' "$(field "${1-lab}" supervisor_pid)"
}
has_taken_signals() { ! grep -q 'Pnd:.*[1-9a-f]' "/proc/$pid/status" 2>/dev/null; }
agents=$(agent)
[ -n "$agents" ] || { wrong "there should be an agent"; exit 1; }
for signal in INT TERM; do
	tried="run --name, then SIG$signal before the agent has answered"
	kill -STOP $agents
	setsid "$terrarium" run --yes --name lab --timeout 60 -c 'while True: pass' >out 2>err &
	pid=$!
	until_true has_clients lab 1
	kill -$signal $pid
	until_true has_taken_signals
	kill -CONT $agents
	code=0
	wait $pid || code=$?
	[ $signal = INT ] && expect_code 130 || expect_code 143
	try run --yes --name lab --timeout 20 -c 'x'
	expect_out 41
	[ "$(field lab clients)" = 0 ] || wrong "nobody is left"
done
tried="exec, then SIGTERM before the agent has answered"
kill -STOP $agents
"$terrarium" exec lab -- true >out 2>err &
pid=$!
until_true has_clients lab 1
kill -TERM $pid
code=0
wait $pid || code=$?
kill -CONT $agents
expect_code 143
expect_err ""
# Whose program is gone is interrupted from a transcript, and its time-out is kept to by whoever only asks something.
abandon() {
	"$terrarium" run --yes --name lab --timeout "$1" -c 'print("started", flush=True)
while True: pass' >out 2>err &
	pid=$!
	until_true grep -q started out
	kill -KILL $pid
	wait $pid 2>/dev/null
}
abandon 600
tried="repl: :interrupt"
code=0
printf ':interrupt\nx\n' | setsid -w "$terrarium" repl --yes --name lab >out 2>err || code=$?
expect_code 0
expect_out 41
expect_err ""
abandon 1
tried="repl, behind an abandoned run"
printf 'x\n' | setsid -w timeout 60 "$terrarium" attach --repl --yes lab >out 2>err || code=$?
expect_code 0
expect_out 41

# ---- the reasons of an end reach everybody who is attached

# attach_to NAME: somebody who waits, with what it says in $1.err.
attach_to() {
	"$terrarium" exec "$1" -- sleep 1000 >"$1.out" 2>"$1.err" &
	attached=$!
	until_true has_clients "$1" 1
}
expect_reason() { # NAME SENTENCE
	code=0
	wait $attached || code=$?
	cp "$1.out" out
	cp "$1.err" err
	tried="end of $1"
	expect_code 125
	expect_in err "$2"
	until_true is_gone "$1"
}
attach_to lab
try stop lab
expect_code 0
expect_out lab
expect_reason lab "the sandbox was stopped by process"
expect_in err " (terrarium stop lab)"

for name in forced killed; do
	try run --yes --keep --name $name -c 'x = 1'
	attach_to $name
	if [ $name = forced ]; then
		try stop --force $name
		expect_code 0
		expect_out $name
	else
		kill -KILL "$(field killed supervisor_pid)"
		# Listing sweeps what was left behind.
		until_true is_gone killed
	fi
	expect_reason $name "supervisor was killed from outside"
done

# Also who comes when the agent has ended and the supervisor is not done yet.
waits_at_door() { ls -l /proc/$attached/fd | grep -q socket; }
try run --yes --keep --name late -c 'x = 1'
supervisor=$(field late supervisor_pid)
agents=$(agent late)
kill -STOP "$supervisor"
kill -KILL $agents
"$terrarium" exec late -- true >late.out 2>late.err &
attached=$!
until_true waits_at_door
kill -CONT "$supervisor"
expect_reason late "agent was killed by signal 9"

try run --yes --keep --idle-timeout 0.4 --name idle -c 'x = 1'
expect_code 0
until_true is_gone idle
# Attached is not idle, and neither is a computation that nobody waits for.
try run --yes --keep --idle-timeout 6 --name busy -c 'x = 1'
attach_to busy
sleep 7
has_clients busy 1 || wrong "a sandbox that somebody is attached to is not idle"
kill -KILL $attached
wait $attached 2>/dev/null
until_true is_gone busy
try run --yes --keep --idle-timeout 0.5 --name works -c 'import threading
def work():
    import os
    while not os.path.exists("enough"): pass
threading.Thread(target=work).start()'
sleep 1.2
"$terrarium" ps --names | grep -qx works || wrong "a long computation is not idle"
try exec works -- touch enough
expect_code 0
until_true is_gone works

try run --yes --keep --max-lifetime 12 --name old -c 'x = 1'
attach_to old
expect_reason old "the sandbox's lifetime of 12 s is over"

# ---- what was left behind

try run --yes --keep --name left -c 'x = 1'
cp -a run/terrarium/left run/terrarium/copy
try ps --all
expect_in out "left behind"
[ ! -e run/terrarium/copy ] || wrong "listing sweeps what was left behind"
mkdir run/terrarium/empty
try ps
[ ! -e run/terrarium/empty ] || wrong "listing sweeps what was left behind"
try run --yes --name left -c 'x'
expect_out 1

# ---- the runtime directory

chmod 755 run/terrarium
for words in ps "run --yes -c pass" "exec left -- true" "stop left" "run --yes --name left -c x"; do
	# shellcheck disable=SC2086
	try $words
	expect_code 125
	expect_err "terrarium: the runtime directory $dir/run/terrarium is open to others (mode 0755): chmod 700 it, or set XDG_RUNTIME_DIR to another one"
done
chmod 600 run/terrarium
for words in ps "run --yes --name left -c x" "exec left -- true" "stop left"; do
	# shellcheck disable=SC2086
	try $words
	expect_code 125
	expect_err "terrarium: the runtime directory $dir/run/terrarium is closed to you, too (mode 0600): chmod 700 it, or set XDG_RUNTIME_DIR to another one"
done
chmod 700 run/terrarium
mkdir -m 777 run/terrarium/open
for words in "run --yes --name open -c 1" "exec open -- true"; do
	# shellcheck disable=SC2086
	try $words
	expect_code 125
	expect_err "terrarium: the directory of sandbox 'open' belongs to another user, or is open to others: chmod 700 it, or remove it"
done
try ps --names
expect_code 0
expect_out left
rmdir run/terrarium/open
chmod 777 run
try ps
expect_code 125
expect_in err "$dir/run is open to others (mode 0777)"
chmod 700 run
if [ "$(id -u)" = 0 ]; then
	chown nobody run/terrarium
	try ps
	expect_code 125
	expect_in err "belongs to user $(id -u nobody) and not to you (user 0)"
	chown root run/terrarium
else
	XDG_RUNTIME_DIR=/ try ps
	expect_code 125
	expect_in err "belongs to user 0"
fi
ln -s "$dir/run" elsewhere
XDG_RUNTIME_DIR="$dir/elsewhere" try ps --names
expect_out left
mkdir other
ln -s /tmp other/terrarium
XDG_RUNTIME_DIR="$dir/other" try ps
expect_code 125
expect_in err "is not a directory"
XDG_RUNTIME_DIR="$dir/missing" try ps
expect_code 0

try stop --all --yes
expect_code 0
expect_out left
until_true is_gone left
try ps --json
expect_out "[]"
[ ! -e run/terrarium ] || wrong "the last one takes the directory along"

# A umask that denies us our own is taken to mean the others alone.
denied() (
	umask "$1"
	try run --yes --keep --name shut -c 'print(6 * 7)'
	expect_code 0
	expect_out 42
	try exec shut -- echo hi
	expect_out hi
	try ps --names
	expect_out shut
	try config edit
	expect_code 0
	try stop shut
	[ $n_wrong = 0 ]
)
for mask in 0777 0400 0200 0100; do
	rm -rf config state
	: >out
	: >err
	EDITOR=true XDG_STATE_HOME="$dir/state" denied $mask || n_wrong=$((n_wrong + 1))
	[ "$(stat -c %a config/terrarium config/terrarium/config.json | tr '\n' ' ')" = "700 600 " ] || wrong "our own"
done

verdict
