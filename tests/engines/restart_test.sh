#!/bin/sh
# SPDX-License-Identifier: MIT
# restart_test.sh TERRARIUM: dockerd is started again while somebody is attached to a container of ours. No other test may
# run beside it.
ours=docker
. "$(dirname "$0")/../cli/tell.sh"
own_runtime
engine=${DOCKER_HOST#unix://}
engine=${engine%/*}
new="--yes --backend docker --image localhost/tt:deb"

is_gone() { [ -z "$(docker ps -aq --filter "label=dev.terrarium.name=$1")" ] && [ ! -e "run/terrarium/$1" ]; }

for how in TERM KILL; do
	setsid -w "$terrarium" run $new --timeout 0 --name cut-$how -c 'print("on", flush=True)
import time
time.sleep(1000)' >out 2>err &
	first=$!
	until_true grep -q on out
	/usr/bin/python3 -B "$source/tests/engines/engine.py" restart docker "$engine" $how ||
		{ tried="restart $how"; wrong "dockerd should be back"; }
	code=0
	wait $first || code=$?
	tried="dockerd ended by SIG$how"
	[ "$code" = 125 ] || wrong "the exit code should be 125"
	# What takes its time is told of before.
	grep -vE ': (asking for its state|removing the sandbox)$' err >last
	[ "$(wc -l <last)" = 1 ] || wrong "there should be one line on stderr"
	expect_in last docker
	grep -qE 'engine|stopped|killed|removed' last || wrong "it should say what became of the container"
	try run $new --name next -c 'print(42)'
	expect_code 0
	expect_out 42
	# What could not be removed without an engine, whoever comes next removes.
	try run $new --keep --name next -c 1
	until_true is_gone cut-$how
	try stop next --yes
	until_true is_gone next
done
verdict
