#!/bin/sh
# SPDX-License-Identifier: MIT
# inside.sh USER [GROUP... | REGEX]: the README's two commands in a bare system, by root or by somebody with sudo who is made for
# it. `./dev run` runs a line of code first, then the workbench in a terminal, which is quit again.
set -eu
stage=$(dirname "$0")

# step NAME COMMAND...
step() {
	name=$1 start=$(date +%s)
	shift
	echo "bare: $name"
	if "$@"; then
		echo "bare: $name: done in $(($(date +%s) - start)) s"
	else
		echo "bare: $name: FAILED after $(($(date +%s) - start)) s"
		exit 1
	fi
}

run_code() {
	./dev run run --yes -c 'print(6*7)' | tee ../said
	grep -qx 42 ../said
}

run_workbench() {
	mkfifo ../keys
	script -qfec 'stty rows 30 cols 100; ./dev run' ../screen <../keys >/dev/null &
	exec 3>../keys
	n=0
	until grep -q 'Quit' ../screen; do
		sleep 0.2
		n=$((n + 1))
		[ $n -lt 300 ] || { cat ../screen; return 1; }
	done
	printf '\033[21~' >&3 # F10
	exec 3>&-
	wait $!
}

if [ "$1" = --commands ]; then
	shift
	cd terrarium
	step "./dev run run -c 'print(6*7)'" run_code
	step "./dev run (the workbench, and F10)" run_workbench
	step "./dev test $*" ./dev test "$@"
	echo "bare: both commands do their work"
	exit 0
fi

user=$1
shift
cp -r "$stage/etc/." /etc
mkdir -p /usr/local/share/ca-certificates # read when the package ca-certificates is installed
cp -r "$stage/certificates/." /usr/local/share/ca-certificates
if [ "$user" != root ]; then
	useradd -m -s /bin/bash "$user"
	echo "$user ALL=(ALL) NOPASSWD: ALL" >"/etc/sudoers.d/$user"
fi
home=$(getent passwd "$user" | cut -d: -f6)
cp -r "$stage/terrarium" "$home"
chown -R "$user" "$home/terrarium"
# shellcheck source=/dev/null
. /etc/os-release
echo "bare: $PRETTY_NAME, $(dpkg-query -f '.\n' -W | wc -l) packages, $(nproc) processors, as $user"
cd "$home"
# shellcheck disable=SC2046 # proxies: a word each
exec setpriv --reuid="$user" --regid="$user" --init-groups env -i HOME="$home" USER="$user" LOGNAME="$user" \
	SHELL=/bin/bash TERM=xterm-256color PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
	$(cat "$stage/proxies") sh "$stage/inside.sh" --commands "$@"
