#!/bin/sh
# SPDX-License-Identifier: MIT
# What the compiler and the linker do against exploits of memory errors is in force in each program.
. "$(dirname "$0")/tell.sh"
tried="the build" code=0
: >out >err

command -v readelf >/dev/null || { echo "SKIP: no readelf (Debian: binutils)"; exit 77; }
build=$(dirname "$terrarium")

# has FILE WORDS OPTIONS: readelf with these options tells of FILE a line with these words.
has() {
	readelf -W "$3" "$1" >told 2>/dev/null
	grep -qE "$2" told || wrong "$(basename "$1"): readelf $3 shows no '$2'"
}

for file in "$terrarium" "$build/terrarium-agent" "$build/terrarium-supervisor"; do
	has "$file" 'Type: +DYN' -h # code and data at addresses that vary
	has "$file" 'GNU_RELRO' -l
	has "$file" 'FLAGS.*NOW' -d
	has "$file" 'GNU_STACK.* RW ' -l # no code on the stack
	! readelf -lW "$file" | grep -qE 'LOAD.* RWE ' || wrong "$(basename "$file"): memory is both writable and executable"
done
for file in "$build/terrarium-agent" "$build/terrarium-supervisor"; do
	! readelf -lW "$file" | grep -q INTERP || wrong "$(basename "$file"): a static program needs no loader"
done
has "$terrarium" '__stack_chk_fail' --dyn-syms
if ! grep -q 'asan' told; then
	has "$terrarium" '__(memcpy|snprintf|vsnprintf|read)_chk' --dyn-syms
fi
# Jumps and returns only where they may go (CET): what we compile bears the mark. Programs have it if all that is linked
# into them has, down to the C library's first instructions.
if [ "$(uname -m)" = x86_64 ]; then
	readelf -nW "$build/libterrarium.a" >told 2>/dev/null
	parts=$(grep -c '^File: ' told) marked=$(grep -c 'x86 feature: IBT, SHSTK' told)
	[ "$parts" -gt 100 ] || wrong "libterrarium.a has $parts parts"
	[ "$marked" = "$parts" ] || wrong "libterrarium.a: of $parts parts $marked are marked for CET"
fi
verdict
