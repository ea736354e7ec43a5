#!/bin/sh
# SPDX-License-Identifier: MIT
# What is made once for all sandboxes: headers, the program that keeps the state, Java's classes, Go's packages. It is used, it is not used
# where it does not fit, and no sandbox can change it.
. "$(dirname "$0")/../cli/tell.sh"
need_local

# Where sandboxes of root can reach it, and not below /tmp, which is another one for them.
prepared=$(mktemp -d /var/tmp/terrarium-test-XXXXXX) && chmod 755 "$prepared"
trap 'rm -rf "$dir" "$prepared"' EXIT
export XDG_CACHE_HOME="$prepared"
folder="$prepared/terrarium/compilers"
inside=/var/cache/terrarium-compilers
host='#include <unistd.h>
char exe[200]; readlink("/proc/self/exe", exe, 199);
exe'
tried=

# The header is taken only if it fits the compiler and its options.
try_compiler() {
	try langs --prepare "$1"
	expect_code 0
	expect_in out "$folder/$1"
	try run --yes --timeout 120 -l "$1" -c "$host" -c "$3"
	expect_code 0
	expect_in out "$inside/$1/host"
	expect_in out 42
	try run --yes -l bash -c "cd; : >e.$2; set -- \$(sed 1d $inside/$1/made_with)
		\"\$@\" -fPIC -fno-optimize-sibling-calls -H -include $inside/$1/front.h -c -o e.o e.$2 2>&1 | head -n 1"
	expect_out "! $inside/$1/front.h.gch"
	try run --yes --timeout 120 --isolation landlock -l "$1" -c "$host"
	[ "$code" != 0 ] || expect_in out "$folder/$1/host"
	# Other options of the same language.
	words=$(sed 1d "$folder/$1/made_with" | sed 's/.*/"&",/' | tr -d '\n')
	echo "{ \"languages\": { \"$1\": { \"like\": \"$1\", \"pieces\": [$words \"-DOWN=42\"] } } }" >own.json
	try run --yes --config own.json --timeout 120 -l "$1" -c "$host" -c OWN
	expect_code 0
	expect_in out /tmp/
	expect_in out 42
}

if command -v gcc >/dev/null; then
	try_compiler c c 'int64_t half = 21; (int)(2 * half)'
	tried=c
fi
if command -v g++ >/dev/null; then
	try_compiler cpp cpp '#include <map>
std::map<int, int> squares{{1, 42}}; squares[1]'
	tried="$tried cpp"
fi
if command -v javac >/dev/null; then
	try langs --prepare java
	expect_code 0
	for level in namespaces landlock; do
		try run --yes --timeout 120 --isolation $level -l java -c 'int x = 42;' -c 'x' \
			-c 'new java.io.File("/tmp/.terrarium-java").exists() + System.getProperty("java.class.path")'
		[ "$code" = 0 ] || { [ $level = landlock ] && continue; }
		expect_code 0
		expect_in out 42
		[ $level = landlock ] || expect_in out '"true"'
	done
	tried="$tried java"
fi
if command -v go >/dev/null; then
	# `go build` writes down how a program was built; without it nothing does.
	info='_, known := debug.ReadBuildInfo()
fmt.Println("by go build:", known)'
	try langs --prepare go
	expect_code 0
	try run --yes --timeout 120 -l go -c "import (\"fmt\"; \"os\"; \"runtime/debug\")
$info" -c 'fmt.Println(nothing)'
	expect_code 1
	expect_in out 'by go build: false'
	expect_in err '<run 2>:1:13: undefined: nothing'
	# A module chooses the version of the language.
	try run --yes --timeout 120 -l go -c 'import "os"
os.WriteFile("go.mod", []byte("module own\n\ngo 1.18\n"), 0o644)' -c "import (\"fmt\"; \"runtime/debug\")
$info"
	expect_code 0
	expect_in out 'by go build: true'
	# Another compiler does not find its packages.
	for words in '"go", "build", "-ldflags=-s -w"' '"/bin/sh", "-c", "ls -d ~/.cache/go-build; exit 1"'; do
		echo "{ \"languages\": { \"go\": { \"like\": \"go\", \"pieces\": [$words] } } }" >own.json
		try run --yes --config own.json --timeout 120 -l go -c 'nothing()'
		[ "$code" != 0 ] || wrong "a piece with an error has run"
	done
	expect_in err 'go-build'
	expect_in err 'No such file'
	tried="$tried go"
fi
[ "$tried" ] || { echo "SKIP: no compiler is installed"; exit 77; }

find "$folder" -type f -exec cksum {} + | sort >before
change="cd \${TERRARIUM_PREPARED:-$inside} && for file in */*; do echo own >\"\$file\"; rm -f \"\$file\"; done; touch own; mkdir x"
for level in namespaces landlock; do
	try run --yes --isolation $level -l bash -c "$change"
done
find "$folder" -type f -exec cksum {} + | sort >after
cmp before after || wrong "a sandbox has changed what was prepared"
[ ! -e "$folder/own" ] && [ ! -e "$folder/x" ] || wrong "a sandbox has added to what was prepared"
# Where nothing isolates, nothing is offered.
try run --yes --isolation none -l bash -c 'echo "[$TERRARIUM_PREPARED]"'
expect_out "[]"
# A folder that others can write into is not used.
chmod o+w "$folder"
try run --yes -l bash -c "ls $inside"
[ "$code" != 0 ] || wrong "a folder that everybody can write into should not be used"
chmod o-w "$folder"
verdict
