#!/bin/sh
# SPDX-License-Identifier: MIT
# enter.sh TREE GROUP COMMAND...: run the command in that tree as on a machine of its own: in new namespaces (the network
# is this machine's), and below a new control group of that name, which it sees as the root of each hierarchy.
set -eu
tree=$1 group=$2
shift 2

groups() { awk '$3 ~ /^cgroup2?$/ { print $2 }' /proc/self/mounts; }

if [ $$ != 1 ]; then
	for point in $(groups); do
		mkdir -p "$point/$group"
		for file in cpuset.cpus cpuset.mems; do # without these a cpuset of version 1 takes no process
			[ ! -e "$point/$file" ] || cat "$point/$file" >"$point/$group/$file"
		done
		# Nor has one of the processor any time for real-time scheduling.
		[ ! -e "$point/cpu.rt_runtime_us" ] || echo 100000 >"$point/$group/cpu.rt_runtime_us"
		echo $$ >"$point/$group/cgroup.procs"
	done
	exec unshare --cgroup --mount --uts --ipc --pid --fork --kill-child sh "$0" "$tree" "$group" "$@"
fi
mount --bind "$tree" "$tree"
mount -t proc proc "$tree/proc"
for dir in dev sys; do
	mount --rbind /$dir "$tree/$dir"
done
for point in $(groups | grep -v "^$tree"); do
	mount --bind "$point/$group" "$tree$point"
done
mount -t tmpfs -o mode=1777 tmpfs "$tree/dev/shm"
mount -t tmpfs -o mode=755 tmpfs "$tree/run"
cp /etc/resolv.conf /etc/hosts "$tree/etc"
hostname bare
cd "$tree"
pivot_root . mnt # nobody makes user namespaces in a chroot
umount -l /mnt
cd /
"$@" # not by exec: this shell reaps orphans
