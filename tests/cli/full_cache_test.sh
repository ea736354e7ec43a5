# SPDX-License-Identifier: MIT
# The disk with the shared packages is full, or a program is killed while it unpacks: a sentence, nothing half-made is used
# later, and with room it works.
. "$(dirname "$0")/own_index.sh"
allow="--net-allow $address/32"
mkdir full
trap 'umount full 2>/dev/null; stop_all' EXIT
mount -t tmpfs -o size=8m,mode=755 none full 2>err || { echo "SKIP: no tmpfs can be mounted: $(cat err)"; exit 77; }
export XDG_CACHE_HOME="$dir/full"

# expect_nothing_half: no set, nobody who thinks that there is one, nothing that a later run would have to tell apart.
expect_nothing_half() {
	[ -z "$(find full -path '*/sets/*' -o -path '*/asked/?*')" ] || wrong "something is left: $(find full)"
	[ -z "$(find full -name '.new-*' -o -name '.old-*' -o -name '*.lock')" ] || wrong "half is left: $(find full)"
}

# It fills up in the middle of a file: the wheel has 40 KiB, what is in it 40 MiB.
try run --yes $allow --with big -c 'print("it ran")'
expect_code 1
expect_out ""
expect_in err "No space left on device"
expect_in err "cache"
expect_nothing_half
try run --yes --json $allow --with big -c 'print("it ran")'
is_json '"No space left on device" in value["error"]["message"] and value["stdout"] == ""'
expect_nothing_half

# Small ones fit, and are used.
try run --yes $allow --with demo -c 'import demo; print(demo.version)'
expect_out 1.0
rm -rf full/terrarium

# It is full at the beginning.
head -c 20000000 /dev/zero >full/fill 2>/dev/null
try run --yes $allow --with demo -c 'print("it ran")'
expect_code 1
expect_out ""
expect_in err "No space left on device"
expect_nothing_half

# There are bytes, but no more files: some of the package's have no room.
rm full/fill
try run --yes $allow --with plain -c 'import plain; print(plain.x)'
expect_out 2
inodes=$(df --output=iused full | tail -n 1)
mount -o remount,nr_inodes=$((inodes + 8)) full
try run --yes $allow --with demo -c 'print("it ran")'
expect_code 1
expect_out ""
expect_in err "No space left on device"
[ -z "$(find full -name '.new-*' -o -name '.old-*' -o -name '*.lock')" ] || wrong "half is left: $(find full)"
try run --yes $allow --with plain -c 'import plain; print(plain.x)'
expect_out 2

# With room again everything is as it should be.
mount -o remount,size=100m,nr_inodes=10000 full
try run --yes $allow --with demo,big -c 'import demo; print(demo.version)'
expect_code 0
expect_out 1.0
chmod -R u+w full
rm -rf full/terrarium

# A program that is killed while it unpacks leaves a folder that nobody uses, and that goes later.
setsid "$terrarium" run --yes $allow --with big -c 1 >out 2>err &
running=$!
until_true sh -c "[ -n \"\$(find full -path '*/.new-*')\" ] || ! kill -0 $running 2>/dev/null"
kill -KILL $running 2>/dev/null
wait $running 2>/dev/null
left=$(find full -path '*/sets/.new-*' -prune)
try run --yes $allow --with big -c 'print("it ran")'
expect_code 0
expect_out "it ran"
if [ -n "$left" ]; then
	touch -d '2 days ago' "$left"
	try run --yes $allow --with demo -c 1
	[ ! -e "$left" ] || wrong "an old half of a set should be gone"
fi
verdict
