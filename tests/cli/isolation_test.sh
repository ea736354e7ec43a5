#!/bin/sh
# SPDX-License-Identifier: MIT
# The levels of isolation from the front door, on machines that lack this or that. Each shortage is made in namespaces
# of the test's own, or by a seccomp profile.
. "$(dirname "$0")/tell.sh"
own_runtime
refuse=$REFUSE

# Words that are wrong, and options that a level cannot serve.
try run --yes --isolation landlok -c 'print(1)'
expect_code 125
expect_in err "landlock"
try run --yes --backend docker --isolation landlock -c 'print(1)'
expect_code 125
expect_in err "isolation"

# None is only taken when it is asked for, and its guards say so.
try run --yes --isolation none -c 'print(6 * 7)'
expect_code 0
expect_out 42
try exec --isolation none -- echo here
expect_out here
try run --yes --isolation none --keep --name bare -c pass
try inspect bare
expect_in out "not enforced: none: code runs with all rights"
try stop bare
try doctor --isolation none
expect_code 0
expect_in out "'none' is set"

# Whoever is asked before code runs is told so. on_terminal [EXPECT ANSWER]… -- COMMAND…: what is seen is in out.
on_terminal() {
	tried="on a terminal: $*"
	code=0
	python3 "$source/tests/cli/terminal.py" "$@" >out 2>err || code=$?
}
on_terminal 'Run this?' y -- "$terrarium" run --isolation none -c 'print(6 * 7)'
expect_in out "WITHOUT ISOLATION, with all your rights"
expect_in out "this machine's network"
! grep -q "no network" out || wrong "code has this machine's network"
expect_in out 42
on_terminal 'Run what you enter?' y 'NO ISOLATION [1]>' 'print(6 * 7)' '[2]>' :quit -- \
	"$terrarium" repl --isolation none
expect_code 0
expect_in out "WITHOUT ISOLATION, with all your rights"
expect_in out "this machine's network"
expect_in out "not enforced: isolation, network"
! grep -q "no network" out || wrong "code has this machine's network"
try run --yes --isolation none --keep --name open -c pass
on_terminal 'Run this?' n -- "$terrarium" run --name open -c pass
expect_in out "in the running sandbox open: WITHOUT ISOLATION"
TERRARIUM_TRUST=local on_terminal 'Run this?' n -- "$terrarium" run --name open -c pass
expect_in out "in the running sandbox open: WITHOUT ISOLATION"
on_terminal 'Run what you enter?' n -- "$terrarium" attach --repl open
try stop open

# Where no level works, the question says how to make one work.
for way in repl --linear; do
	on_terminal '[q]uit?' q -- "$refuse" mount landlock_restrict_self -- "$terrarium" $way
	expect_code 125
	expect_in out "landlock: Landlock cannot be used: a seccomp profile refuses landlock_restrict_self"
	expect_in out "  cure: "
done

code=0
"$terrarium" run --yes --isolation landlock -c pass >out 2>err || code=$?
if [ $code != 0 ]; then
	[ $n_wrong = 0 ] || verdict
	cat err
	echo "SKIP: no Landlock on this machine"
	exit 77
fi

# Older kernels: each version runs code, and what it lacks is weak.
for abi in 1 2 3 4 5 6 7; do
	export TERRARIUM_LANDLOCK_ABI=$abi
	try run --yes --isolation landlock -c 'open("f", "w").write("x"); print(open("f").read())' -c 'open("/etc/shadow")'
	expect_out x
	expect_in err "Permission denied: '/etc/shadow'"
	try run --yes --isolation landlock -l bash -c 'echo $((6 * 7))'
	expect_out 42
	try run --yes --isolation landlock --keep --name old -c pass
	try inspect old
	[ $abi -ge 6 ] || expect_in out "other processes weak"
	[ $abi -lt 6 ] || ! grep -q "other processes weak" out || wrong "scopes hold from ABI 6 on"
	try stop old
	try doctor --isolation landlock
	expect_code 0
	[ $abi -ge 6 ] || expect_in out "signals and abstract sockets (6.12)"
	[ $abi -ge 3 ] || expect_in out "truncation of files (Linux 6.2)"
done
TERRARIUM_LANDLOCK_ABI=3 try doctor --isolation landlock
expect_in out "TERRARIUM_LANDLOCK_ABI is set"
! grep -q "unknown variable TERRARIUM_LANDLOCK" out || wrong "the variable is known"
TERRARIUM_LANDLOCK_ABI=abc try run --yes --isolation landlock -c 'print(6 * 7)'
expect_out 42
TERRARIUM_LANDLOCK_ABI=abc try doctor --isolation landlock
expect_in out "TERRARIUM_LANDLOCK_ABI is no number: it is ignored"
TERRARIUM_LANDLOCK_ABI=0 try run --yes --isolation landlock -c pass
expect_code 125
expect_in err "TERRARIUM_LANDLOCK_ABI"
unset TERRARIUM_LANDLOCK_ABI

# What takes namespaces is refused, and it is said why.
mkdir shown
try run --yes --isolation landlock --mount "$dir/shown:/elsewhere" -c pass
expect_code 125
expect_in err "without namespaces"
try run --yes --isolation landlock --workdir /elsewhere -c pass
expect_code 125
expect_in err "choose one below /workspace"
try run --yes --isolation landlock --net on --net-allow 10.0.0.0/8 -c pass
expect_code 125
expect_in err "an address filter (--net-allow) needs namespaces"

# What code leaves there would be removed with its sandbox.
if [ "$(id -u)" = 0 ] && [ -w /dev/shm ]; then
	try run --yes --isolation landlock --mount /dev/shm:/workspace/m:rw -c pass
	expect_code 125
	expect_in err "mount another directory"
fi

# Nobody has a name, a home or a place for it.
tried="without HOME"
(unset HOME XDG_CONFIG_HOME; "$terrarium" run --yes --isolation landlock -c 'print(1)' >out 2>err) || wrong "it should run"
expect_out 1
HOME=/proc XDG_CONFIG_HOME= try run --yes --isolation landlock -c 'print(1)'
expect_out 1
if [ "$(id -u)" = 0 ] && setpriv --reuid=54321 --regid=54321 --clear-groups test -x "$terrarium"; then
	mkdir nameless
	chown 54321 nameless
	chmod 755 "$dir"
	tried="a user without a name"
	XDG_RUNTIME_DIR= setpriv --reuid=54321 --regid=54321 --clear-groups env "HOME=$dir/nameless" \
		"XDG_RUNTIME_DIR=$dir/nameless" "$terrarium" run --yes --isolation landlock \
		-c 'import os; print(os.getuid())' >out 2>err || wrong "it should run"
	expect_out 54321
fi

# A mount below an entry of "/" that has a colon in its name.
if [ "$(id -u)" = 0 ] && mkdir "/isolation-$$:x"; then
	echo inside >"/isolation-$$:x/file"
	ln -s "/isolation-$$:x" colon
	try run --yes --isolation landlock --mount "$dir/colon:/workspace/m" -c 'print(open("m/file").read(), end="")'
	rm -r "/isolation-$$:x"
	expect_code 0
	expect_out inside
fi

# A profile that refuses a call: that call is named.
refused() {
	tried="refuse $*"
	code=0
	"$refuse" "$@" >out 2>err || code=$?
}
for call in landlock_create_ruleset landlock_add_rule landlock_restrict_self; do
	refused $call -- "$terrarium" run --yes --isolation landlock -c pass
	expect_code 125
	expect_in err "a seccomp profile refuses $call"
done
refused prctl=22 -- "$terrarium" run --yes --isolation landlock -c pass
expect_in err "a seccomp profile refuses prctl(PR_SET_SECCOMP)"
# Limits that cannot be set are not promised.
for level in landlock none; do
	refused prlimit64 -- "$terrarium" run --yes --isolation $level -c pass
	expect_code 125
	expect_in err "prlimit64"
done
for call in unshare mount sethostname pivot_root; do
	refused $call -- "$terrarium" run --yes --isolation namespaces -c pass
	if [ $call != unshare ] || [ $code != 0 ]; then # bubblewrap makes them by clone()
		expect_code 125
		expect_in err "a seccomp profile refuses"
	fi
	refused $call -- "$terrarium" run --yes -c 'print(6 * 7)'
	expect_out 42
done
refused mount -- "$terrarium" doctor
expect_code 0
expect_in out "'auto' uses landlock, which is weaker than namespaces"
refused mount landlock_restrict_self -- "$terrarium" run --yes -c pass
expect_code 125
expect_in err "this machine offers no isolation"
expect_in err "landlock_restrict_self"
expect_in err "the isolation level none (--isolation)"
refused mount landlock_restrict_self -- "$terrarium" doctor
expect_code 1
expect_in out "neither namespaces nor landlock works here"
refused mount landlock_restrict_self -- "$terrarium" run --yes --isolation none -c 'print(6 * 7)'
expect_out 42
for call in accept4 bind epoll_create1 execveat fcntl flock kill memfd_create pidfd_open pipe2 prctl=36 prlimit64 setsid \
	signalfd4 socketpair tgkill; do
	for level in landlock none; do
		refused $call -- "$terrarium" run --yes --isolation $level -c pass
		expect_code 125
		expect_in err "${call%=*}"
	done
done
refused accept4 -- "$terrarium" doctor
expect_code 1
expect_in out "a seccomp profile refuses accept4, without which no sandbox runs"

# The user's own limit may be lower than that of the sandbox.
tried="a low limit of file sizes"
(ulimit -f 16384; exec "$terrarium" run --yes --isolation landlock -c 'open("big", "wb").write(bytes(12 << 20))') >out 2>err \
	&& wrong "the file is too big"
expect_in err "file size limit 8 MiB reached"
if [ "$(id -u)" = 0 ]; then
	refused mount setresuid -- "$terrarium" run --yes -c pass
	expect_in err "setresuid"
fi

# Places. `within SCRIPT ARG…`: the script in a mount namespace, then terrarium with these arguments.
if [ "$(id -u)" = 0 ]; then spaces=-m; else spaces=-rm; fi
if ! unshare $spaces mount -t tmpfs tmpfs /mnt 2>err; then
	echo "not tried, as there are no namespaces for it: places that are full, closed or missing"
	verdict
fi
case $terrarium in
/tmp/* | /var/tmp/*) noexec=noexec,exec ;; # it could not be started itself
*) noexec=noexec ;;
esac
within() {
	script=$1
	shift
	tried="($script) terrarium $*"
	code=0
	unshare $spaces sh -ec "$script"'
exec "$0" "$@"' "$terrarium" "$@" >out 2>err || code=$?
}
closed='for place in /dev/shm /tmp /var/tmp; do mount --rbind $place $place && mount -o remount,bind,OPTION $place; done
mount -t tmpfs -o mode=700 tmpfs "$XDG_RUNTIME_DIR"'

within 'mount -t tmpfs -o size=4m tmpfs /dev/shm' run --yes --isolation landlock --disk 3 \
	-c 'open("big", "wb").write(bytes(8 << 20))' -c 'import os; os.unlink("big"); open("f", "w").write("x" * 1000)' -c 'print(6 * 7)'
# The watcher of the disk limit may be faster than the disk that fills.
grep -q "No space left on device\|File too large" err || wrong "the file should not have fitted: $(cat err)"
expect_in out 42
within 'mount -t tmpfs -o ro tmpfs /dev/shm' run --yes --isolation landlock -c 'print(6 * 7)'
expect_out 42
few_devices='mount -t tmpfs -o mode=755 tmpfs /mnt
for file in null zero full random urandom tty; do touch /mnt/$file && mount --bind /dev/$file /mnt/$file; done
mount --rbind /mnt /dev; [ ! -e /dev/shm ] && [ ! -e /dev/fd ]'
within "$few_devices" run --yes --isolation landlock -c 'print(6 * 7)'
expect_out 42
within "$few_devices" run --yes --isolation landlock -l bash -c 'echo $((6 * 7))'
expect_out 42
within 'for place in / /run /tmp /var/tmp; do mount --rbind $place $place && mount -o remount,bind,ro $place; done
mount -t tmpfs -o mode=1777 tmpfs /dev/shm; unset XDG_RUNTIME_DIR' run --yes --isolation landlock -c 'print(6 * 7)'
expect_out 42
within 'mount --bind "$XDG_RUNTIME_DIR" "$XDG_RUNTIME_DIR" && mount -o remount,bind,ro "$XDG_RUNTIME_DIR"' \
	run --yes --isolation landlock -c pass
expect_code 125
expect_in err "set XDG_RUNTIME_DIR to a directory of your own in which you can write"
if [ $noexec = noexec ]; then # terrarium does not lie in a place that is hidden here
	within 'mount -o remount,bind,ro /dev/shm 2>/dev/null || mount -t tmpfs -o ro tmpfs /dev/shm
for place in /tmp /var/tmp; do mount -t tmpfs -o size=600k,mode=1777 tmpfs $place; done
mkdir -p "$XDG_RUNTIME_DIR" && chmod 700 "$XDG_RUNTIME_DIR"' run --yes --isolation landlock \
		-c 'open("big", "wb").write(bytes(1 << 20))'
	expect_code 1
	expect_in err "disk full during this run: limit 256 MiB, in use n/a; or this machine's disk is full"
fi
within 'mount -t tmpfs -o mode=700 tmpfs "$XDG_RUNTIME_DIR"; mount -o remount,bind,ro /; ! mkdir /made 2>/dev/null' \
	run --yes --isolation landlock -c 'print(6 * 7)'
expect_out 42
if [ "$(id -u)" = 0 ]; then # who cannot see the locks of others takes other users than they have
	"$terrarium" run --yes --isolation landlock -c 'import time; open("/dev/stderr", "w").write("up"); time.sleep(1000)' \
		>other 2>&1 &
	other=$!
	until_true grep -q up other
	within 'mount -t tmpfs -o mode=700 tmpfs "$XDG_RUNTIME_DIR"; mount -o remount,bind,ro /' \
		run --yes --isolation landlock -c 'print(6 * 7)'
	expect_out 42
	kill -INT $other
	wait $other
	grep -q KeyboardInterrupt other || wrong "the other sandbox should be there still: $(cat other)"
fi
within "$(echo "$closed" | sed s/OPTION/$noexec/)" doctor --isolation landlock
expect_code 0
[ $noexec != noexec ] || expect_in out "mounted noexec"
within "$(echo "$closed" | sed s/OPTION/$noexec/)" run --yes --isolation landlock -c 'print(6 * 7)'
expect_out 42
within "$(echo "$closed" | sed s/OPTION/ro/)" run --yes --isolation landlock -c pass
expect_code 125
expect_in err "/dev/shm, /tmp and /var/tmp are not writable"
within 'mount -t tmpfs tmpfs /proc' run --yes --isolation landlock -c 'print(6 * 7)'
expect_code 125
expect_in err "as /proc is not mounted"
within 'mount -t tmpfs tmpfs /proc' doctor
expect_code 1
expect_in out "as /proc is not mounted"
! grep -q "'auto' uses" out || wrong "no level can be used"

# A namespace of root's in which there is nobody else.
if [ "$(id -u)" = 0 ]; then
	tried="unshare -Ur"
	code=0
	unshare -Ur "$terrarium" run --yes -c 'print(6 * 7)' >out 2>err || code=$?
	expect_code 125
	expect_in err "a sandbox needs a user of its own, and this user namespace has only root"
	code=0
	unshare -Ur "$terrarium" doctor >out 2>err || code=$?
	expect_code 1
	expect_in out "this user namespace has only root"
fi

# A process 1 that reaps nobody: what ends is not left to it.
tried="process 1 reaps nothing"
unshare $spaces -pf --mount-proc /usr/bin/python3 - "$terrarium" >out 2>err <<'PYTHON' || wrong "it should run"
import os, subprocess, sys
code = 'import subprocess; subprocess.Popen(["sh", "-c", "sleep 1000 & sleep 1000"], start_new_session=True)'
for level in "landlock", "none":
    subprocess.run([sys.argv[1], "run", "--yes", "--isolation", level, "-c", code], check=True)
states = [open("/proc/%s/stat" % p).read().rsplit(")", 1)[1].split()[0] for p in os.listdir("/proc") if p.isdigit()]
print(len(states), states.count("Z"))
PYTHON
[ "$(tail -n 1 out)" = "1 0" ] || wrong "nobody should be left, dead or alive"

verdict
