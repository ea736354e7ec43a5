# SPDX-License-Identifier: MIT
# cp: folders above a target, tar streams in and out; exec: scripts.
. "$(dirname "$0")/tell.sh"
need_local
own_runtime
try run --yes --keep --name lab -c 1

# Folders above a target are made.
echo text >file
try cp file lab:deep/nested/file
expect_code 0
try exec lab -- cat deep/nested/file
expect_out text
mkdir -p folder/sub
echo inner >folder/sub/inner
ln -s sub/inner folder/link
chmod 750 folder/sub/inner
try cp folder lab:other/place
expect_code 0
try exec lab -- cat other/place/link
expect_out inner
try cp file lab:file/below
[ "$code" = 125 ] || try exec lab -- sh -c 'echo x >plain'
try cp file lab:plain/below
expect_code 125

# A directory comes out as a tar stream, which any tar reads.
"$terrarium" cp lab:other/place - 2>err | tar -tvf - >out
tried="cp lab:other/place -" code=0
expect_in out place/sub/inner
expect_in out "link -> sub/inner"
expect_err ""
mkdir unpacked
"$terrarium" cp lab:other/place - | tar -xf - -C unpacked
diff -r --no-dereference folder unpacked/place >/dev/null || wrong "what came out is something else"
[ "$(stat -c %a unpacked/place/sub/inner)" = 750 ] || wrong "modes are not kept"
"$terrarium" cp lab:other/place - | python3 -c '
import sys, tarfile
names = tarfile.open(fileobj=sys.stdin.buffer, mode="r|").getnames()
assert sorted(names) == ["place", "place/link", "place/sub", "place/sub/inner"], names' 2>err || wrong "Python cannot read it"
try cp lab:deep/nested/file -
expect_out text

# Links that lead out, and what is no file, are left out, which is said; the stream is whole.
try exec lab -- sh -c 'mkdir evil; ln -s /etc/passwd evil/absolute; ln -s ../../x evil/up; mkfifo evil/fifo; echo good >evil/good
	mkdir evil/$(printf "%0200d" 1); echo long >evil/$(printf "%0200d" 1)/$(printf "%0200d" 2)'
tried="cp lab:evil -" code=0
"$terrarium" cp lab:evil - 2>err >evil.tar || code=$?
expect_code 125
expect_in err "evil/absolute: this is a link that leads out"
expect_in err "evil/up: this is a link that leads out"
tar -tf evil.tar >out || wrong "the stream is not whole"
expect_in out evil/good
[ "$(grep -c . out)" = 4 ] || wrong "these should be four"

# A tar stream is unpacked by the sandbox's own tar, in a directory that is there.
tar -cf - folder | "$terrarium" cp - lab:deep 2>err || wrong "it should have been unpacked"
try exec lab -- cat deep/folder/sub/inner
expect_out inner
python3 - >hostile.tar <<'PY'
import io, sys, tarfile
tar = tarfile.open(fileobj=sys.stdout.buffer, mode='w|')
for name in '/tmp/absolute', '../../up', 'good':
	member = tarfile.TarInfo(name)
	member.size = 2
	tar.addfile(member, io.BytesIO(b'x\n'))
tar.close()
PY
tried="cp - lab:deep"
"$terrarium" cp - lab:deep <hostile.tar >out 2>err
try exec lab -- sh -c 'ls deep/good; ls /tmp/absolute ../up 2>&1'
expect_in out deep/good
head -c 300 hostile.tar | "$terrarium" cp - lab:deep >out 2>err && wrong "half a stream is no stream"
printf 'plain\n' | "$terrarium" cp - lab:new/plain || wrong "a file from standard input"
try exec lab -- cat new/plain
expect_out plain

# Scripts of this machine.
printf 'echo "$0 $# $1"; read line; echo "got $line"; exit 3\n' >script.sh
printf 'in\n' | { code=0; "$terrarium" exec --script script.sh lab -- 'a b' c >out 2>err || code=$?; echo $code >code; }
code=$(cat code)
tried="exec --script"
expect_code 3
expect_out "script.sh 2 a b
got in"
printf '#!/bin/bash\n[[ a == a ]] && echo ${BASH_VERSION:+bash}\n' >bash.sh
try exec --script bash.sh
expect_out bash
try exec --script nowhere.sh lab
expect_code 125
expect_in err "--script: cannot read nowhere.sh"
try exec --script script.sh nobody
expect_code 125
try exec --script script.sh lab more
expect_code 125
expect_in err "arguments of the script follow '--'"
verdict
