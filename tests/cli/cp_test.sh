#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium cp` with real sandboxes: into them, out of them, between them, and what must not be copied.
. "$(dirname "$0")/tell.sh"
need_local

box=cp-$$
other=cp-other-$$
# keep NAME: a sandbox that lives until the command in it is killed, with things in it that must not get out.
keep() {
	"$terrarium" exec --name "$1" --disk 32 --file-size 24 -- sh -c '
		mkdir -p "${TMPDIR:-/tmp}/evil/sub"
		cd "${TMPDIR:-/tmp}/evil"
		ln -s /etc/passwd absolute
		ln -s ../outside up
		ln -s sub/../../outside round
		mkfifo fifo
		echo good >good
		chmod 6755 good
		exec sleep 600' >/dev/null 2>&1 &
	pids="$pids $!"
	tries=0
	: >ready
	until "$terrarium" cp ready "$1:/tmp/ready" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 500 ] || { echo "no sandbox"; exit 1; }
	done
}
pids=
trap 'kill $pids 2>/dev/null; wait; chmod -R u+rwx "$dir"; rm -rf "$dir"' EXIT
keep $box
keep $other

# same A B: the same names, kinds, modes, times of files, contents and links.
list() { (cd "$1" && find . -printf '%P %y %m %l\n' | sort && find . -type f -printf '%P %T@ %s\n' | sort); }
same() {
	[ "$(list "$1")" = "$(list "$2")" ] || wrong "$1 and $2 should be the same: $(list "$1"; echo; list "$2")"
	diff -r --no-dereference "$1" "$2" >/dev/null || wrong "$1 and $2 differ"
}

# One file: there, back, in place of another, under another name, through pipes.
printf 'one\n' >one
chmod 751 one
touch -d '2001-02-03 04:05:06.789' one
try cp one $box:
expect_code 0
expect_out ""
expect_err ""
try cp $box:one two
expect_code 0
[ "$(stat -c '%a %y %s' one)" = "$(stat -c '%a %y %s' two)" ] || wrong "mode, time or size changed"
try cp $box:/workspace/one -
expect_out one
echo piped | "$terrarium" cp - $box:piped
try cp $box:piped two
[ "$(cat two)" = piped ] || wrong "the old file was not replaced"
mkdir folder
try cp $box:one $box:piped folder
[ "$(ls folder)" = "$(printf 'one\npiped')" ] || wrong "several go into a folder"
head -c 3000000 /dev/urandom >bytes
"$terrarium" cp - $box:bytes <bytes
"$terrarium" cp $box:bytes - | cmp - bytes || wrong "bytes changed on the way"

# A tree with everything that may be copied.
mkdir -p tree/deep/er tree/empty tree/closed
: >tree/zero
printf x >"tree/new
line"
printf y >"tree/a space"
printf z >"tree/ünï"
printf w >"$(printf 'tree/\377\376')"
ln -s ../zero tree/deep/link
ln -s nothing tree/dangling
printf hole >tree/sparse
truncate -s 20M tree/sparse
printf end >>tree/sparse
chmod 640 tree/zero
chmod 500 tree/closed
touch -d 1999-01-01 tree/deep
try cp tree $box:
expect_code 0
try cp $box:tree back
expect_code 0
expect_err ""
same tree back
[ "$(stat -c %Y tree/deep)" = "$(stat -c %Y back/deep)" ] || wrong "a directory's time changed"
[ "$(du -k back/sparse | cut -f1)" -lt 1000 ] || wrong "a hole was filled"
mkdir into
try cp $box:tree into
same tree into/tree
mkdir content
try cp $box:tree/. content
same tree content
try cp $box:tree back
same tree back/tree
try cp $box:tree $other:
expect_code 0
try cp $other:tree third
same tree third
try cp --json $box:tree/. json
expect_code 0
expect_in out '"ok":true'
expect_in out '"error":null'
expect_in out '"files":6'
expect_in out '"directories":5'
expect_in out '"links":2'

# Many small files.
mkdir many
seq 3000 | sed 's|^|many/|' | xargs touch
try cp many $box:
expect_code 0
try cp $box:many many2
[ "$(find many2 -type f | wc -l)" = 3000 ] || wrong "3000 files"

# A folder as a stream, with the progress that a terminal gets: it is counted first.
TERM=xterm script -qec "'$terrarium' cp $box:many - | tar t >list" /dev/null >out 2>err </dev/null || wrong "cp to a tar: $(cat out err)"
[ "$(wc -l <list)" = 3001 ] || wrong "$(wc -l <list) names in the archive"

# Streams of every hostile kind: nothing leads out of the directory, and what is wrong is the exit code.
PYTHONDONTWRITEBYTECODE=1 python3 - <<'PY'
import io, tarfile
def stream(name, *members):
	with tarfile.open(name, 'w') as tar:
		for path, kind, target in members:
			info = tarfile.TarInfo(path)
			info.type, info.linkname, info.size = kind, target, 5 if kind == tarfile.REGTYPE else 0
			tar.addfile(info, io.BytesIO(b'evil\n'))
stream('up.tar', ('../../up', tarfile.REGTYPE, ''))
stream('link.tar', ('way', tarfile.SYMTYPE, '/tmp'), ('way/link', tarfile.REGTYPE, ''))
stream('hard.tar', ('hard', tarfile.LNKTYPE, '/etc/passwd'))
stream('top.tar', ('/tmp/top', tarfile.REGTYPE, ''))
whole = open('top.tar', 'rb').read()
open('cut.tar', 'wb').write(whole[:600])
open('noise.tar', 'wb').write(bytes(range(256)) * 40)
open('size.tar', 'wb').write(whole[:124] + b'\x80' + b'\xff' * 11 + whole[136:])
PY
for kind in up link hard cut noise size top; do
	"$terrarium" exec $box -- mkdir -p in/$kind
	tried="cp - with $kind.tar" code=0
	"$terrarium" cp - $box:in/$kind <$kind.tar >out 2>err || code=$?
	[ $kind = top ] || [ $code != 0 ] || wrong "a stream that is wrong has code 0"
done
try exec $box -- sh -c 'ls /up ../up up in/up/up /tmp/link /tmp/top in/hard/hard 2>/dev/null; cat in/top/tmp/top'
expect_out evil

# Nobody else can write to what comes out, unless the umask allows it; a file of one's own is nobody else's.
mkdir -m 1777 wide
echo wide >wide/all
chmod 6777 wide/all
echo own >wide/own
chmod 600 wide/own
try cp wide $box:
expect_code 0
(umask 027 && try cp $box:wide narrow)
[ "$(stat -c %a narrow narrow/all narrow/own | tr '\n' ' ')" = "750 750 600 " ] || wrong "the umask is not kept to"
(umask 0 && try cp $box:wide/all as-it-was)
[ "$(stat -c %a as-it-was)" = 777 ] || wrong "the umask does not allow it"

# Not copied, and told: links that lead out, FIFOs, sockets, devices; the rest is.
mkdir bad
ln -s /etc/passwd bad/absolute
ln -s ../outside bad/up
mkdir bad/sub
ln -s ../../outside bad/sub/up
ln -s sub/../../outside bad/round
mkfifo bad/fifo
echo good >bad/good
chmod 4755 bad/good
try cp bad $box:
expect_code 125
expect_in err "terrarium: $box:bad/absolute: this link leads out of the copied tree (to /etc/passwd)"
expect_in err "$box:bad/sub/up"
expect_in err "$box:bad/round"
expect_in err "$box:bad/fifo: this is a FIFO"
expect_in err "terrarium: 5 not copied; 1 file (5 bytes) copied"
try cp $box:/tmp/evil . # /tmp is the sandbox's own at each level
expect_code 125
expect_in err "terrarium: evil/absolute: this link leads out of the copied tree (to /etc/passwd)"
expect_in err "evil/up: this link"
expect_in err "evil/round: this link"
expect_in err "evil/fifo: this is a FIFO"
expect_in err "terrarium: 4 not copied; 1 file (5 bytes) copied"
[ "$(find evil | sort | tr '\n' ' ')" = "evil evil/good evil/sub " ] || wrong "something got out"
[ "$(stat -c %a evil/good)" = 755 ] || wrong "set-id bits are not copied"

# A link at the place of a file is replaced, not written through.
echo mine >mine
mkdir linked
ln -s ../mine linked/one
try cp $box:one linked
expect_code 0
[ "$(cat mine)" = mine ] || wrong "a link was followed"
[ -f linked/one ] && [ ! -L linked/one ] || wrong "the link was not replaced"
mkdir elsewhere
mkdir -p trap/tree
ln -s ../../elsewhere trap/tree/deep
try cp $box:tree trap
expect_code 125
expect_in err "trap/tree/deep: something of that name is not a directory"
[ -z "$(ls elsewhere)" ] || wrong "a link was followed"

# Mistakes: one sentence each, with the reason.
mistake() {
	sentence=$1
	shift
	try cp "$@"
	expect_code 125
	expect_err "terrarium: $sentence"
}
mistake "nothing: No such file or directory" nothing $box:
mistake "$box:nothing: No such file or directory" $box:nothing .
mistake "there is no running sandbox 'unknown-$$'" unknown-$$:x .
mistake "neither one nor two is in a sandbox: write NAME:PATH for the one that is" one two
mistake "$box:nowhere/: there is no such directory" one $box:nowhere/
read_only="Read-only file system"
has_namespaces || read_only="Permission denied"
mistake "$box:/usr/x: the file cannot be made: $read_only" one $box:/usr/x
mistake "$box:piped: this is not a directory, and a directory cannot be copied onto it" tree $box:piped
mistake "$box:../x: a target in a sandbox may not contain '..', which leads where links in the sandbox lead: write the path without it" one $box:../x
mistake "$box:a/../../x: a target in a sandbox may not contain '..', which leads where links in the sandbox lead: write the path without it" one $box:a/../../x
mistake "/dev/null: this is a device, a FIFO or a socket, and not overwritten" $box:one /dev/null
mistake "both are in the same sandbox: copy with cp inside it (terrarium exec)" $box:one $box:two
mistake "DST is missing; see 'terrarium cp --help'" $box:one
mistake "two: this is not a directory, but several sources need one" $box:one $box:piped two
mkdir -p two.d/one
mistake "two.d/one: there is a directory of that name" $box:one two.d
mistake "two.d/none/: there is no such directory" $box:one two.d/none/
mistake "'a b' is not a valid sandbox name: a name has 1 to 64 letters, digits, dots, underscores and hyphens, and begins with a letter or a digit" one "a b:"
mistake "an empty path names no file" one ""
mistake "there are more than the 1 MiB that may be copied (--max-size)" --max-size 1 $box:bytes three
[ ! -e three ] || wrong "something was left of a file that is too big"
head -c 2000000 /dev/zero >three
mistake "$box: there are more than the 1 MiB that may be copied (--max-size)" --max-size 1 three $box:three
rm three
mkdir few
try cp --max-files 3 $box:many few
expect_code 125
expect_in err "there are more than the 3 files and directories that may be copied (--max-files)"

# No space half-way: nothing of that file is left, what came before is, and it is said.
mkdir full
head -c 20000000 /dev/zero | tr '\0' x >full/a
cp full/a full/b
if has_namespaces; then
	try cp full $box:
	expect_code 125
	expect_in err "No space left on device: the sandbox's disk limit is reached (--disk)"
	expect_in err "1 file (19 MiB) copied before"
	try cp $box:full emptied
	[ "$(find emptied -type f | wc -l)" = 1 ] || wrong "half a file was left"
else # files are looked at from time to time: the limit is met a little later
	head -c 2000000 full/a >piece
	is_full() {
		try cp piece $box:piece$tries
		sleep 0.1
		[ $code != 0 ]
	}
	until_true is_full
	expect_code 125
	expect_in err "No space left on device: the sandbox's disk limit is reached (--disk)"
fi
head -c 26000000 full/a >huge
cat full/a >>huge
try cp huge $other:
expect_code 125
expect_in err "huge: the file is larger than the file size limit here"
try cp $other:huge .
expect_in err "$other:huge: No such file or directory"

# A sandbox that ends in the middle.
mkfifo slow
"$terrarium" cp - $other:slow <slow >out 2>err &
copy=$!
exec 9>slow
head -c 300000 /dev/zero >&9 # more than the pipe holds: it has begun
kill "${pids##* }"
code=0
tried="cp into a sandbox that ends"
wait $copy || code=$?
exec 9>&-
expect_code 125
expect_in err "terrarium: sandbox '$other': "

verdict
