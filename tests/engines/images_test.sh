#!/bin/sh
# SPDX-License-Identifier: MIT
# images_test.sh ENGINE: what the other tests take for granted of the engine and of its images.
set -u
engine=podman
[ "$1" != docker ] || engine=docker
n_wrong=0

# expect TEXT IMAGE COMMAND…: it prints exactly this.
expect() {
	text=$1
	shift
	out=$("$engine" run --rm --network none "$@" 2>&1)
	[ "$out" = "$text" ] && return
	echo "WRONG: $engine run $*: should print '$text' and printed: $out"
	n_wrong=$((n_wrong + 1))
}

expect 'hello' localhost/tt:static
[ "$1" != rootless ] || # of which one image is enough
	{ [ $n_wrong = 0 ] && echo "all as expected"; exit; }
expect '3.11' localhost/tt:deb python3 -c 'import ssl, sqlite3, sys; print("%d.%d" % sys.version_info[:2])'
expect '42' localhost/tt:deb node -e 'console.log(6 * 7)'
expect '1234:1234 /home/worker yes' localhost/tt:user bash -c 'echo "$(id -u):$(id -g) $PWD $FROM_IMAGE"'
expect '/usr/local/bin/python3 /bin/bash' localhost/tt:slim bash -c \
	'PATH=$PATH:/usr/local/bin; echo $(type -P python3) $BASH; [ ! -e /usr/bin/bash ] && [ ! -e /usr/bin/python3 ]'
expect 'hello' localhost/tt:musl hello
expect '' localhost/tt:exits
"$engine" run --rm --network none localhost/tt:exits
[ $? = 3 ] || { echo "WRONG: localhost/tt:exits should exit with 3"; n_wrong=$((n_wrong + 1)); }
architecture=$("$engine" image inspect -f '{{.Architecture}}' localhost/tt:foreign)
[ "$architecture" != "$("$engine" image inspect -f '{{.Architecture}}' localhost/tt:static)" ] ||
	{ echo "WRONG: localhost/tt:foreign is of $architecture too"; n_wrong=$((n_wrong + 1)); }
[ $n_wrong = 0 ] && echo "all as expected"
