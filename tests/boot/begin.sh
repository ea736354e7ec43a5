#!/bin/sh
# SPDX-License-Identifier: MIT
# In the virtual machine, as root: installs the package and tries it in each way in which people come to a session.
set -u
n_failed=0

# part NAME COMMAND…
part() {
	name=$1
	shift
	printf '%s\n' "---- $name"
	start=$(cut -d. -f1 /proc/uptime)
	timeout 1200 "$@"
	code=$?
	[ $code = 0 ] || n_failed=$((n_failed + 1))
	printf '%s\n' "---- $name: exit $code, $(($(cut -d. -f1 /proc/uptime) - start)) s"
}

printf '%s\n' "up $(cut -d' ' -f1 /proc/uptime) s: $(uname -sr), $(systemd-detect-virt), $(stat -fc %T /sys/fs/cgroup)"
dpkg -i /stage/terrarium.deb >/tmp/dpkg.log 2>&1 || cat /tmp/dpkg.log
place=$(cat /stage/place)
mkdir -p "$place"
mount --bind /stage "$place"

part "logged in" su -l tester -c 'python3 -B /stage/session.py'
part "attacks, logged in" su -l tester -c "$place/isolation user"
loginctl enable-linger tester
part "a service of the user" su -l tester -c \
	'systemd-run --user --quiet --wait --pipe python3 -B /stage/session.py doctor scope_and_metrics deaths'
part "attacks, root" "$place/isolation" root
printf '%s\n' "boot: $n_failed failed"
sync
