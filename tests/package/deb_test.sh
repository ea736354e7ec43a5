# SPDX-License-Identifier: MIT
# The Debian package: what is in it, with which modes, and that it works from where it is unpacked.
. "$(dirname "$0")/tell.sh"
if ! command -v dpkg-shlibdeps >/dev/null; then
	echo "SKIP: no dpkg-shlibdeps (dpkg-dev)"
	exit 77
fi

(cd "$build" && "$cpack" -G DEB -B "$dir/made") >log 2>&1 || wrong "cpack: $(cat log)"
deb=$(echo made/*.deb)
dpkg-deb -x "$deb" tree
dpkg-deb -e "$deb" control

for package in bubblewrap python3 'libc6 (>= ' 'libcjson1 (>= '; do
	dpkg-deb -f "$deb" Depends | grep -qF "$package" || wrong "it should depend on $package"
done
for package in nodejs slirp4netns python3-pip-whl libreadline8 libchafa0 librsvg2-2; do
	dpkg-deb -f "$deb" Recommends | grep -qw "$package" || wrong "it should recommend $package"
done
expect_files tree usr/bin/terrarium usr/include/terrarium/terrarium.h 'usr/lib*/libterrarium.so.0.2' \
	'usr/lib*/pkgconfig/terrarium.pc' usr/share/man/man1/terrarium.1.gz usr/share/terrarium/themes/ocean.json \
	usr/share/doc/terrarium/copyright usr/share/doc/terrarium/changelog.Debian.gz
[ ! -e tree/usr/local ] || wrong "it writes into /usr/local"

dpkg-deb -c "$deb" >list
grep -qv ' root/root ' list && wrong "not all files belong to root: $(grep -v ' root/root ' list)"
grep -v '^l' list | grep -E '^.(.{4}w|.{7}w|..[sS]|.{5}[sS])' && wrong "others may write, or it is set-uid"
found=$(find tree/usr/lib tree/usr/include tree/usr/share -type f -perm /111)
[ -z "$found" ] || wrong "these are no programs: $found"
for file in tree/usr/bin/* tree/usr/libexec/terrarium/* $(find tree -name 'lib*.so.0*' -type f); do
	readelf -SW "$file" | grep -qE '\.(symtab|debug_info)' && wrong "not stripped: $file"
done
expect_no_paths tree
(cd tree && md5sum --quiet -c ../control/md5sums) || wrong "the sums do not fit"
expect_runs tree/usr
echo "all as expected"
