#!/bin/sh
# SPDX-License-Identifier: MIT
# --mount, --env and --workdir: what a sandbox sees of the machine, and that it sees nothing else.
. "$(dirname "$0")/tell.sh"
need_local
need_namespaces # without them little can be mounted: isolation_test.sh
XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
trap '"$terrarium" stop --all --yes >/dev/null 2>&1; rm -rf "$dir" "$XDG_RUNTIME_DIR"' EXIT
inside_home=/home/user
mkdir -p data/sub "with blank:colon"
echo inside >data/file
echo outside >secret
ln -s ../secret data/link
chmod 700 data

# ---- reading and writing
try run --yes --mount ./data:/data -l bash -c 'cat /data/file; cat /data/link; echo x >/data/new; rm -f /data/file; ls /data'
expect_in out "inside"
expect_in err "/data/link: No such file"
expect_in err "/data/new: Read-only file system"
expect_in err "'/data/file': Read-only file system"
[ "$(cat data/file)" = inside ] || wrong "a read-only mount is read-only"
try run --yes --mount data:/workspace/out:rw -c 'open("/workspace/out/new", "w").write("from inside")'
expect_code 0
[ "$(cat data/new)" = "from inside" ] || wrong "what is written is there"
[ "$(stat -c %u data/new)" = "$(id -u)" ] || wrong "and belongs to the user"
# What is in a file's buffer when the program ends is not lost, nor that of a child.
try run --yes --mount data:/data:rw -c 'import os
if os.fork() == 0:
    child = open("/data/child", "w")
    child.write("here neither")
else:
    os.wait()
    files = [open("/data/open", "w"), open("/data/bytes", "wb")]
    files[0].write("not closed")
    files[1].write(b"by anybody")'
expect_code 0
[ "$(cat data/open data/bytes data/child)" = "not closedby anybodyhere neither" ] || wrong "files are written at the end"
rm -f data/open data/bytes data/child
try run --yes --mount data/file:/file --mount "with blank:colon:/b c:rw" -l bash -c 'cat /file; echo y >"/b c/y"; echo z >/file'
expect_in out "inside"
expect_in err "/file: Read-only"
[ -e "with blank:colon/y" ] || wrong "colons and blanks in paths"
mkdir whole && try run --yes --mount whole:/workspace:rw -c 'open("here", "w").write("1")'
expect_code 0
[ -e whole/here ] || wrong "/workspace itself may be a mount"
# shellcheck disable=SC2088 # it is terrarium that knows the home directory
try run --yes --mount '~/data:'$inside_home/data -l bash -c 'cat ~/data/file'
expect_out inside
# Neither programs with rights of others nor devices.
cp /bin/true data/suid && chmod 4755 data/suid
try exec --mount data:/data -- grep ' /data ' /proc/self/mountinfo
expect_in out "nosuid,nodev"
if [ "$(id -u)" = 0 ]; then
	# Of other users' files it owns nothing.
	mkdir shared && chmod 755 shared && echo s >shared/others && chmod 600 shared/others && chown 12345 shared/others
	try run --yes --mount shared:/shared:rw -l bash -c 'cat /shared/others; echo x >>/shared/others; echo own >/shared/own'
	expect_in err "/shared/others: Permission denied"
	[ "$(cat shared/others)" = s ] || wrong "others' files stay theirs"
	[ "$(stat -c %u shared/own)" = 0 ] || wrong "a new file belongs to the owner of the folder"
	# Submounts come along, and are read-only, too.
	mkdir -p tree/below
	if unshare -m sh -c 'mount -t tmpfs none tree/below && echo sub >tree/below/file && setsid -w "$0" run --yes \
		--mount tree:/tree -l bash -c "cat /tree/below/file; echo x >/tree/below/new"' "$terrarium" >out 2>err; then
		wrong "a submount is read-only"
	fi
	grep -q "mount: " err || { expect_in out sub && expect_in err "/tree/below/new: Read-only"; }
fi

# ---- variables and the working directory
try run --yes --env A=1,2 --env B= --env 'C=x y' --workdir /workspace/a/b -c 'import os
print(os.environ["A"], repr(os.environ["B"]), os.environ["C"], os.getcwd())'
expect_out "1,2 '' x y /workspace/a/b"
PASSED="a secret" try run --yes --env PASSED -l bash -c "echo \$PASSED"
expect_out "a secret"
try exec --workdir /app --env X=1 -- sh -c "pwd; echo \$X; touch here && ls"
expect_out "/app
1
here"
try exec --mount data:/d --workdir /d/sub -- pwd
expect_out /d/sub
try exec --mount data:/d --workdir /d/nope -- pwd
expect_code 125
expect_in err "cannot start in /d/nope: No such file"
[ ! -e data/nope ] || wrong "no directory is made in a mount"
echo 'import os; print(os.getcwd(), os.environ["A"])' | setsid -w "$terrarium" repl --yes --env A=7 --workdir /tmp/x >out 2>err
expect_out "/tmp/x 7"
# A list takes the place of the configured one; values are shown to nobody.
printf '{ "env": ["A=hidden", "NOT_SET"], "mount": "%s/data:/data", "workdir": "/w" }' "$dir" >c.json
try run --yes --config c.json -l bash -c "echo \$A \$PWD; cat /data/file"
expect_out "hidden /w
inside"
try config --config c.json
grep -q hidden out && wrong "values are not shown"
try exec --config c.json --env B=2 --mount '' -- sh -c "echo [\$A] \$B; ls /data"
expect_in out "[] 2"
TERRARIUM_MOUNT="data:/x
data/file:/y" try exec -- cat /x/file /y
expect_out "inside
inside"
echo 'TERRARIUM_MOUNT=/etc:/x' >.env
try exec -- ls /x
expect_code 125
expect_in err ".env:1: TERRARIUM_MOUNT cannot be set here"
rm .env

# ---- what is refused
mkfifo fifo
mkdir -p "$XDG_RUNTIME_DIR/mine"
while IFS='|' read -r words sentence; do
	# shellcheck disable=SC2086
	try run --yes $words -c 1
	expect_code 125
	expect_out ""
	expect_in err "$sentence"
	[ "$(wc -l <err)" = 1 ] || wrong "one sentence"
done <<REFUSED
--mount nowhere:/data|cannot mount nowhere: there is no such file or directory
--mount data:data|is not HOST:GUEST
--mount data|is not HOST:GUEST
--mount data:/data:rwx|a mount is ro (read-only, the default) or rw (read-write)
--mount data:/|nothing can be mounted at / in a sandbox
--mount data:/usr/lib|its programs and interpreters are there
--mount data:/proc/x|its processes are shown there
--mount data:/dev/x|its devices are there
--mount data:/sys|nothing may be visible there
--mount data:/run/agent|terrarium's own program is there
--mount data:/a/../b|must be spelled without
--mount data:/a --mount data:/a|two mounts at the same place: /a
--mount data:/a --mount data:/a/b|a mount cannot be within another one: /a/b in /a
--mount fifo:/a|it is a named pipe, and only files and directories can be mounted
--mount /:/a|that is the whole machine
--mount /proc:/a|a view into the host's kernel
--mount /dev/null:/a|a device
--mount $XDG_RUNTIME_DIR:/a|sockets that control sandboxes
--mount $XDG_RUNTIME_DIR/terrarium:/a|sockets that control sandboxes
--env 1=2|is not a variable
--env A_VARIABLE_THAT_IS_NOT_SET|is not set here
--workdir data|must begin at the root
--mount data:/x --backend fake|sandboxes of the fake backend cannot have mounts
REFUSED
ln -s "$XDG_RUNTIME_DIR" alias
try run --yes --mount alias:/a -c 1
expect_in err "sockets that control sandboxes"
try run --yes --mount "$(printf 'data:/a\033[2J')" -c 1
expect_in err "control characters"
set --
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do set -- "$@" --mount "data:/m$i"; done
try run --yes "$@" -c 1
expect_in err "--mount: at most 16 are allowed"
try run --yes --mount "$dir:$inside_home/all:rw" -c 1
expect_code 0
expect_in err "contains your home directory"

# ---- options that need another one, or change nothing
try run --yes --net-allow 10.0.0.0/8 -c 1
expect_out 1
expect_err "terrarium: --net-allow takes effect only with --net on or --net-allow-host, when a sandbox is started"
try run --yes --keep --name kept -c 1
try run --yes --keep=off --name kept -c 2
expect_out 2
expect_err "terrarium: sandbox 'kept' was already running and stays; 'terrarium stop kept' stops it"
# Who is killed by somebody else is told by whom; who runs in a sandbox that ends with its owner, that it did.
setsid -w "$terrarium" run --yes --name kept -c 'import os, time; open("/tmp/up", "w"); time.sleep(60)' >out 2>err &
sleeper=$!
until "$terrarium" exec kept -- test -e /tmp/up 2>/dev/null; do :; done
try stop kept
wait $sleeper && wrong "it was running"
expect_in err "was stopped by process"
mkfifo go.fifo
setsid -w "$terrarium" exec --name owned -- sh -c 'touch /tmp/up; read line' <go.fifo &
owner=$!
exec 9>go.fifo
until "$terrarium" exec owned -- test -e /tmp/up 2>/dev/null; do :; done
setsid -w "$terrarium" exec owned -- sh -c 'touch /tmp/other; sleep 60' >out 2>err 9>&- &
other=$!
until "$terrarium" exec owned -- test -e /tmp/other 2>/dev/null; do :; done
exec 9>&-
wait $owner
wait $other && wrong "it cannot have ended well"
expect_in err "the sandbox was not kept, and the program that it belonged to has ended or stopped it: process"

# ---- what is told
try run --yes --keep --name mounted --mount data:/data --mount whole:/w:rw --env SECRET=hidden --workdir /w -c 1
try inspect mounted
expect_in out "mounts      $dir/data"
expect_in out "whole → /w read and write"
expect_in out "variables   SECRET"
expect_in out "workdir     /w"
grep -q hidden out && wrong "values are not told"
try exec mounted -- pwd
expect_out /w
try run --yes --name mounted --mount data:/more -c 1
expect_err "terrarium: sandbox 'mounted' is already running; its limits and mounts stay as they are"
try ps --json
expect_in out '"clients":0'
# Who only looks is no client.
"$terrarium" metrics mounted --json >/dev/null && try ps --json
expect_in out '"clients":0'
try stop mounted

# ---- a folder and a link to what nobody may see, exchanged all the time: the code sees the folder, or nothing
mkdir -p place/good && echo good >place/good/file && ln -s "$XDG_RUNTIME_DIR/terrarium" place/evil
cat >swap.py <<'SWAP'
import ctypes, os
libc = ctypes.CDLL(None)
while os.path.exists("go"):
    for i in range(1000):
        libc.renameat2(-100, b"place/good", -100, b"place/evil", 2)  # RENAME_EXCHANGE
SWAP
try run --yes --keep --name bystander -c 1
touch go
python3 swap.py &
swapper=$!
n_good=0 n_refused=0
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
	try exec --mount place/good:/data -- ls -A /data
	if [ "$code" = 0 ]; then
		expect_out file
		n_good=$((n_good + 1))
	else
		expect_in err "cannot mount"
		n_refused=$((n_refused + 1))
	fi
done
rm go
wait $swapper
echo "seen $n_good times, refused $n_refused times"
verdict
