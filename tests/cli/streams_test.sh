#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium cp NAME:DIR -`: folders as tar streams, out of sandboxes that want to do harm.
. "$(dirname "$0")/tell.sh"
own_runtime
need_local
box=streams
try run --yes --keep --name $box -l bash -c true
expect_code 0

# A reader that is slower than a sandbox that has little to say, but a lot of it.
cat >slow_reader.py <<'PY'
import array, fcntl, sys, tarfile, termios
waiting = array.array('i', [0])
while waiting[0] < 65536: # the pipe is full
	fcntl.ioctl(0, termios.FIONREAD, waiting)
with tarfile.open(fileobj=sys.stdin.buffer, mode='r|') as tar:
	print(sum(1 for member in tar))
PY
"$terrarium" exec $box -- python3 -c 'import os
for i in range(20000): os.makedirs(f"dirs/{i}")' || wrong "no folders"
[ "$("$terrarium" cp $box:dirs - 2>err | python3 -B slow_reader.py)" = 20001 ] || wrong "a slow reader should get it all"

# A stream out of a sandbox that wants to do harm: only names below the folder's, no link out, no devices; a tar that reads it
# is told by the exit code that something is missing.
cat >evil.py <<'PY'
import os, socket
temporary = os.environ.get('TMPDIR', '/tmp')
os.makedirs(temporary + '/out/sub')
os.chdir(temporary + '/out')
open('plain', 'w').write('text')
os.symlink('/etc/passwd', 'absolute')
os.symlink('../../etc', 'up')
os.symlink('sub/../../x', 'round')
os.symlink('plain', 'stays')
os.link('plain', 'hard')
open('../good', 'w').close()
os.link('../good', 'linked-from-outside')
os.mkfifo('fifo')
try:
	socket.socket(socket.AF_UNIX).bind('socket')
except OSError: # not at every level
	pass
open('..x', 'w').close()
open('-rf', 'w').close()
open('new\nline \x1b[2J', 'w').close()
open('n' * 255, 'w').close()
with open('sparse', 'w') as file:
	file.truncate(20 << 20)
os.chmod('plain', 0o6755)
for _ in range(20): # paths of more than 4096 bytes
	os.mkdir('d' * 250)
	os.chdir('d' * 250)
open('end', 'w').close()
PY
try cp evil.py $box:
try exec $box -- python3 evil.py
expect_code 0
tried="cp $box:/tmp/out -" code=0
"$terrarium" cp $box:/tmp/out - >out.tar 2>err || code=$?
: >out
expect_code 125
cat >look.py <<'PY'
import sys, tarfile
with tarfile.open(sys.argv[1]) as tar:
	members = {m.name: m for m in tar}
for name, m in members.items():
	assert name.split('/')[0] == 'out' and '..' not in name.split('/'), name
	assert m.isdir() or m.isreg() or m.issym(), name
	assert m.mode & 0o7000 == 0 and m.uid == m.gid == 0, name
assert [m.linkname for m in members.values() if m.issym()] == ['plain'], 'links'
assert not {'out/fifo', 'out/socket', 'out/up'} & set(members)
for name in ('plain', 'hard', 'linked-from-outside', '..x', '-rf', 'new\nline \x1b[2J', 'n' * 255):
	assert 'out/' + name in members, name
assert members['out/sparse'].size == 20 << 20
PY
python3 -B look.py out.tar 2>out || wrong "the archive"
mkdir unpacked
(cd unpacked && tar xf ../out.tar --exclude='*/ddd*') 2>out || wrong "tar should read it"
[ "$(find unpacked -type l)" = unpacked/out/stays ] || wrong "links: $(find unpacked -type l)"
[ "$(ls unpacked)" = out ] || wrong "there is something beside the folder"
try cp --max-size 10 $box:/tmp/out -
expect_code 125
expect_in err "there are more than the 10 MiB that may be copied"

# A sandbox that ends in the middle of a stream: whoever reads it is told.
try exec $box -- sh -c 'cd "${TMPDIR:-/tmp}" && mkdir many && head -c 20000000 /dev/zero >many/a'
mkfifo drain
"$terrarium" cp $box:/tmp/many - >drain 2>err &
copy=$!
exec 8<drain
head -c 512 <&8 >first
"$terrarium" stop $box --yes >out 2>&1
cat <&8 >rest
exec 8<&-
code=0
tried="cp from a sandbox that ends"
wait $copy || code=$?
expect_code 125
verdict
