# shellcheck shell=sh disable=SC2154 # the lists of packages are in packages.sh
# SPDX-License-Identifier: MIT
# Building, and the verbs that do little else.

# configure DIR on|off [CMAKE OPTIONS]: with tests or without. ninja itself sees later changes of the build files. The folder
# "build" is for trying and testing: it compiles in half the time of the others.
configure() {
	dir=$1 tests=$2
	shift 2
	if [ -f "$dir/CMakeCache.txt" ] && ! grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$dir/CMakeCache.txt"; then
		say "the sources have moved: building $dir anew"
		rm -rf "$dir"
	fi
	if [ -f "$dir/build.ninja" ] && grep -qix "TERRARIUM_TESTS:BOOL=$tests" "$dir/CMakeCache.txt"; then
		return 0
	fi
	wish "$build_requested"
	grammars=
	has_one '.grammars/tree-sitter-bash-*.tar.gz' || grammars=', and fetching the grammars for syntax highlighting'
	say "configuring $dir$grammars"
	mkdir -p "$dir"
	[ "$dir" != build ] || set -- -DCMAKE_BUILD_TYPE=Quick "$@"
	cmake -G Ninja -S . -B "$dir" -DTERRARIUM_TESTS="$tests" "$@" >"$dir/configure.log" 2>&1 || {
		cat "$dir/configure.log" >&2
		rm -f "$dir/build.ninja"
		die "cmake failed"
	}
	grep -o 'No syntax highlighting: .*' "$dir/configure.log" >&2 || :
	say "building $dir: $(grep -c '^build .*\.o:' "$dir/build.ninja") files to compile, once"
}

# compile DIR [TARGET...]
compile() {
	with_progress "compiling" count_compiled "$1/compile.log" ninja -C "$@" || die "the build in $1 failed"
}

# build [TARGET]: what tests need is asked for by tests only; but a tree that has them keeps them.
build() {
	need "$build_needs"
	if [ -f build/build.ninja ] && grep -qix 'TERRARIUM_TESTS:BOOL=on' build/CMakeCache.txt; then
		configure build on
	else
		configure build off
	fi
	compile build "$@"
}

verb_run() {
	wish "$build_needs" "$build_requested" # at once
	need "$build_needs"
	(is_beside=1 && need "$run_needs") & # comes while the compiler works
	run_packages=$!
	trap 'wait' EXIT
	build terrarium
	! grep -qs '^State:.[^Z]' /proc/$run_packages/status || say "waiting for the packages that are being installed"
	wait $run_packages || exit 1
	exec build/terrarium "$@"
}

verb_build() {
	build
}

# Those that a plain build leaves out. The build keeps them from then on.
verb_grammars() {
	wish "$build_requested"
	build
	cmake -S . -B build -DTERRARIUM_MORE_GRAMMARS=on >build/configure.log 2>&1 || die "cmake failed: see build/configure.log"
	! grep -o 'No syntax highlighting.*' build/configure.log >&2 || exit 1
	compile build
	ls build/grammars
}

verb_clean() {
	rm -rf build build-asan build-tsan build-valgrind build-cover build-fuzz build-gcc build-clang build-release build-deb build-boot build-bare
}
