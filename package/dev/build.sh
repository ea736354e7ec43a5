# shellcheck shell=sh disable=SC2154 # the lists of packages are in packages.sh
# SPDX-License-Identifier: MIT
# Building, and the verbs that do little else.

# configure DIR on|off [CMAKE OPTIONS]: with tests or without. ninja itself sees later changes of the build files.
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
	cmake -G Ninja -S . -B "$dir" -DTERRARIUM_TESTS="$tests" "$@" >"$dir/configure.log" 2>&1 || {
		cat "$dir/configure.log" >&2
		rm -f "$dir/build.ninja"
		die "cmake failed"
	}
	grep -o 'No syntax highlighting: .*' "$dir/configure.log" >&2 || :
	say "building $dir: $(grep -c '^build .*\.o:' "$dir/build.ninja") files to compile, once"
}

# compile DIR [TARGET]: prints nothing when all is well.
compile() {
	if ! out=$(ninja -C "$@" 2>&1); then
		printf '%s\n' "$out" >&2
		die "the build in $1 failed"
	fi
}

# What tests need is asked for by tests only; but a tree that has them keeps them.
build() {
	need "$build_needs"
	if [ -f build/build.ninja ] && grep -qix 'TERRARIUM_TESTS:BOOL=on' build/CMakeCache.txt; then
		configure build on
	else
		configure build off
	fi
	compile build
}

verb_run() {
	wish "$build_needs" "$build_requested" # at once
	need "$build_needs"
	need "$run_needs" & # comes while the compiler works
	trap 'wait' EXIT
	build
	wait $! || exit 1
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
	rm -rf build build-asan build-tsan build-valgrind build-fuzz build-gcc build-clang build-release build-deb build-boot build-bare
}
