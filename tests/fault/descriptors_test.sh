#!/bin/sh
# SPDX-License-Identifier: MIT
# With ever more descriptors: whatever is missing is said in one sentence, nothing hangs, nothing stays behind.
. "$(dirname "$0")/../cli/tell.sh"
need_local
own_runtime
"$terrarium" run --yes --keep --name here -c 'open("f", "w").write("x")' >out 2>err || wrong "a sandbox that stays"

cat >limit.py <<'PYTHON'
import os, resource, sys
os.closerange(3, 1024)  # such as whoever started the tests has left open
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
PYTHON

# with N ARG…: the program with so few.
with() {
	tried="with $1 descriptors: terrarium"
	n=$1
	shift
	tried="$tried $*" code=0
	timeout 120 /usr/bin/python3 limit.py "$n" "$terrarium" "$@" >out 2>err </dev/null || code=$?
	[ $code -lt 126 ] || wrong "it should neither hang nor crash"
	[ $code = 0 ] || grep -q '^terrarium: ' err || wrong "it should say why"
	[ "$(wc -l <err)" -le 2 ] || wrong "a sentence is enough"
	! grep -q "''" err || wrong "it should know what it speaks of"
}

# The front of the program needs three for itself and its files.
for n in 5 6 7 8 9 10 11 12 13 14 15 16 18 20 22 24 26 28 30 33 36 40 50; do
	with $n run --yes -c 'print(6 * 7)'
	[ $code != 0 ] || expect_out 42
	with $n ps
	[ $code != 0 ] || expect_in out here
	with $n cp here:f got
	[ $code != 0 ] || [ "$(cat got)" = x ] || wrong "the file"
	[ $code = 0 ] || [ ! -e got ] || wrong "nothing should have come"
	rm -f got
	with $n exec here -- cat f
	[ $code != 0 ] || expect_out x
done
[ "$(ls run/terrarium | grep -cv '^\(supervisor\|here\|uid\)')" = 0 ] || wrong "nothing else should be in $(ls run/terrarium)"
verdict
