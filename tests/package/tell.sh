# SPDX-License-Identifier: MIT
# For the scripts beside this one, which are given: the build folder, cmake, cpack, the compiler.
set -eu
build=$1 cmake=$2 cpack=$3 cc=$4
source=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export HOME="$dir" XDG_CONFIG_HOME="$dir/config" LC_ALL=C.UTF-8
unset TERRARIUM_CONFIG TERRARIUM_DATA TERRARIUM_GRAMMARS DESTDIR PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
unset PYTHONUNBUFFERED

wrong() {
	echo "WRONG: $*"
	exit 1
}

# expect TEXT COMMAND…: what it prints is this.
expect() {
	wanted=$1
	shift
	out=$("$@" 2>&1) || wrong "$* failed: $out"
	[ "$out" = "$wanted" ] || wrong "$* printed '$out' instead of '$wanted'"
}

# expect_files TREE PATTERN…: each is there.
expect_files() {
	tree=$1
	shift
	for pattern in "$@"; do
		found=$(find "$tree" -path "$tree/$pattern")
		[ -n "$found" ] || wrong "there is no $pattern"
	done
}

# No file below TREE knows where it was built.
expect_no_paths() {
	found=$(grep -rlF -e "$source" -e "$build" "$1" || :)
	[ -z "$found" ] || wrong "these contain the path of the sources or of the build: $found"
}

# Programs of the tree work from where it lies now. Machines without sandboxes run nothing.
expect_runs() {
	version=$(sed -n 's/^#define TRM_VERSION_[A-Z]* \([0-9]*\)$/\1/p' "$source/lib/include/terrarium/version.h" | paste -sd.)
	expect "terrarium $version" "$1/bin/terrarium" --version
	"$build/terrarium" run --yes -c pass >/dev/null 2>&1 || return 0
	expect 42 "$1/bin/terrarium" run --yes -c '6 * 7'
}

# expect_client NAME LINK_OPTION…: a stranger's program, by what pkg-config says, runs code.
expect_client() {
	name=$1
	shift
	"$cc" -std=c11 -Wall -Werror -o "$name" "$source/tests/clients/example.c" "$@" || wrong "$name was not built"
	expect "[ok]
42
[ok 7]" "./$name" fake 'set x 42' 'get x
value 7'
	"$cc" -std=c11 -Wall -Werror -D_GNU_SOURCE -o "$name-sync" "$source/tests/clients/sync.c" "$@" \
		|| wrong "$name-sync was not built"
	"$cc" -std=c11 -Wall -Werror -o "$name-camel" "$source/tests/clients/interpreter.c" "$@" \
		|| wrong "$name-camel was not built"
	if cxx=$(command -v c++); then
		printf '%s\n' 'extern "C" {' '#include <terrarium/terrarium.h>' '}' \
			'int main() { return !trm_version(); }' >"$name.cpp"
		"$cxx" -std=c++17 -Wall -Wextra -pedantic -Werror -o "$name-cpp" "$name.cpp" "$@" && "./$name-cpp" \
			|| wrong "$name-cpp was not built"
	fi
	expect "Running code? [Y/n]:hi" "./$name-camel" fake python 'print hi' <<-Y
		y
	Y
	"$build/terrarium" run --yes -c pass >/dev/null 2>&1 || return 0
	expect "42
[ok]" "./$name" local 'print(6 * 7)'
	"./$name-sync" >said || wrong "$name-sync failed"
	grep -qx 'bash -c: 42, exit code 3' said || wrong "$name-sync ran no command"
}
