# shellcheck shell=sh disable=SC2154 # the lists of packages are in packages.sh
# SPDX-License-Identifier: MIT
# Release builds: figures, soaks, the Debian package, and that package in a virtual machine.

# soak_all SECONDS [server]: a server, and beside it programs.
soak_all() {
	code=0
	build-release/tests/bench/soak build-release/terrarium "$1" >build-release/soak-server.log 2>&1 &
	server=$!
	[ $# = 2 ] || /usr/bin/python3 -B tests/soak/soak.py build-release/terrarium "$1" || code=$?
	wait $server || code=1
	say "the server, at the beginning and at the end:"
	sed -n '1p;$p' build-release/soak-server.log
	[ $code = 0 ] || tail -n 20 build-release/soak-server.log
	return $code
}

make_release() {
	configure build-release on -DCMAKE_BUILD_TYPE=Release
	compile build-release
}

make_deb() {
	configure build-deb off -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DTERRARIUM_MORE_GRAMMARS=on
	compile build-deb
	rm -f build-deb/*.deb
	out=$(cd build-deb && cpack -G DEB 2>&1) || die "cpack failed: $out"
}

verb_bench() {
	need_group engines
	need "$bench_needs"
	make_release
	code=0
	BENCH_BUILD=build-release tests/bench/run "$@" || code=$?
	mkdir -p build
	cp build-release/bench.json build/bench.json
	return $code
}

verb_soak() {
	minutes=60
	case ${1:-} in
	'' | *[!0-9]*) ;;
	*)
		minutes=$1
		shift
		;;
	esac
	[ $# = 0 ] || [ "$*" = server ] || die "a soak is for so many minutes, and perhaps of the 'server' alone, not of '$*'"
	need_group core
	make_release
	soak_all "$((minutes * 60))" "$@"
}

verb_deb() {
	need "$build_needs" "$deb_needs"
	make_deb
	ls build-deb/*.deb
}

verb_boot() {
	need "$build_needs" "$unit_needs" "$deb_needs" "$boot_needs"
	make_deb
	configure build on
	compile build isolation
	sh tests/boot/run build-deb/*.deb build/tests/isolation/isolation
}
