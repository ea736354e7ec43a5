#!/bin/sh
# SPDX-License-Identifier: MIT
# A disk that is full: a clear sentence, no half-written file, and what was there before is as it was. In a mount
# namespace of its own, for which one has to be root.
if [ "${DISK_TEST_INSIDE:-}" != yes ]; then
	[ "$(id -u)" = 0 ] || { echo "SKIP: only root may mount"; exit 77; }
	unshare -m true 2>/dev/null || { echo "SKIP: no mount namespaces"; exit 77; }
	DISK_TEST_INSIDE=yes exec unshare -m sh "$0" "$@"
fi
. "$(dirname "$0")/../cli/tell.sh"
need_local
mkdir -m 700 run full
export XDG_RUNTIME_DIR="$dir/run" XDG_STATE_HOME="$dir/state"
trap '"$terrarium" stop --all --yes >/dev/null 2>&1; umount full; rm -rf "$dir"' EXIT
mount -t tmpfs -o size=64k,mode=700 none full || exit 77
"$terrarium" run --yes --keep --name here -c 'open("big", "wb").write(b"z" * 300000)' >out 2>err
expect_no_room() {
	[ "$code" -gt 0 ] && [ "$code" -lt 126 ] || wrong "it should have failed"
	expect_in err "No space left on device"
	[ "$(wc -l <err)" = 1 ] || wrong "one sentence is enough"
}
expect_empty() { [ -z "$(ls -A full)" ] || wrong "nothing should lie there: $(ls -A full)"; }

try cp here:big full/big
expect_no_room
expect_empty
echo old >full/big
try cp here:big full/big
expect_no_room
[ "$(cat full/big)" = old ] && [ "$(ls -A full)" = big ] || wrong "the old file, and nothing else: $(ls -A full)"
rm full/big

tried="run >full/out" code=0
setsid -w "$terrarium" run --yes -c 'print("x" * 300000)' >full/out 2>err || code=$?
expect_no_room
rm full/out

# ---- figures: the run is what it is, a line says which of its images was not kept
head -c 65536 /dev/zero >full/fill
cat >figure.py <<'CODE'
import base64, struct, zlib, os
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\0" + os.urandom(300) for _ in range(100))
png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 100, 100, 8, 2, 0, 0, 0)) \
    + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
class Figure:
    def _repr_png_(self): return png
Figure()
CODE
for room in 0 4096; do
	head -c $((65536 - room)) /dev/zero >full/fill
	try run --yes --save-figures full/figures figure.py
	expect_code 0
	expect_in err "No space left on device"
	[ -z "$(find full/figures -type f)" ] || wrong "half an image: $(ls -l full/figures)"
done
rm -rf full/figures full/fill

# ---- the config file
head -c 65536 /dev/zero >full/fill
mkdir full/config || wrong "a folder takes no room"
tried="config edit" code=0
XDG_CONFIG_HOME="$dir/full/config" VISUAL=true "$terrarium" config edit >out 2>err || code=$?
expect_no_room
[ -z "$(find full/config -type f)" ] || wrong "half a config: $(find full/config -type f)"
rm full/fill
XDG_CONFIG_HOME="$dir/full/config" VISUAL=true "$terrarium" config edit >out 2>err || wrong "config edit: $(cat err)"
grep -q '^}' full/config/terrarium/* || wrong "no whole config: $(ls -R full/config)"
rm -rf full/config

# ---- state of the program: runs go on without it
head -c 65536 /dev/zero >full/fill
export XDG_STATE_HOME="$dir/full/state"
try run --yes -c 'print(6 * 7)'
expect_code 0
expect_out 42
tried="repl" code=0
printf 'print(6 * 7)\n' | setsid -w "$terrarium" repl --yes >out 2>err || code=$?
expect_code 0
expect_out 42
export XDG_STATE_HOME="$dir/state"

# ---- the runtime directory
export XDG_RUNTIME_DIR="$dir/full"
try run --yes -c 'print(1)'
[ "$code" = 125 ] || [ "$code" = 0 ] || wrong "it should start, or say why not"
[ "$code" = 0 ] || expect_in err "No space left on device"
export XDG_RUNTIME_DIR="$dir/run"
umount full
mount -t tmpfs -o size=64k,nr_inodes=2,mode=700 none full
export XDG_RUNTIME_DIR="$dir/full"
try run --yes -c 'print(1)'
expect_code 125
expect_no_room
! grep -q 'already running' err || wrong "nothing is running there"
export XDG_RUNTIME_DIR="$dir/run"
rm -rf full/*

# ---- what the server keeps
export HOME="$dir/full" XDG_CONFIG_HOME="$dir/full" XDG_STATE_HOME="$dir/full"
tried="serve" code=0
timeout 5 setsid -w "$terrarium" serve --port 0 >out 2>err </dev/null || code=$?
[ $code = 124 ] || expect_in err "No space left on device"
[ -z "$(find full -type f)" ] || wrong "no file should be half there: $(find full -type f)"
export HOME="$dir"
verdict
