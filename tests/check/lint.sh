#!/bin/sh
# SPDX-License-Identifier: MIT
# lint.sh BUILD_DIR: static analysis of lib/ and tui/ by cppcheck, clang-tidy and gcc -fanalyzer, two at a time and each
# file for a bounded time. What they say is compared with lint.txt beside this file, which has a reason for each finding
# that stays: what is not there, and what is there but is not found any more, is a failure.
set -eu
build=$1 here=$(dirname "$0")
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# Left out: what finds a va_list uninitialised that va_start() has begun (clang 14), and matters of taste.
tidy_checks='-*,clang-analyzer-*,-clang-analyzer-security.insecureAPI.*,-clang-analyzer-valist.Uninitialized'
tidy_checks="$tidy_checks,-clang-analyzer-optin.performance.Padding,bugprone-*,-bugprone-easily-swappable-parameters"
tidy_checks="$tidy_checks,-bugprone-narrowing-conversions,-bugprone-reserved-identifier,-bugprone-branch-clone"
tidy_checks="$tidy_checks,-bugprone-assignment-in-if-condition,-bugprone-suspicious-string-compare"
tidy_checks="$tidy_checks,-bugprone-implicit-widening-of-multiplication-result"

echo "lint: cppcheck" >&2
cppcheck --enable=warning,performance,portability --inline-suppr --std=c11 -j2 -q \
	--template='cppcheck {id} {file}:{line} {message}' --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
	-D_GNU_SOURCE -D__x86_64__ -DTERRARIUM_VERSION='"x"' -Ilib -Ilib/include -Itui -I"$build/generated" lib tui \
	2>"$out/cppcheck" || :

# Those that the build knows, with the options that it has for them.
python3 - "$build" "$out" <<'PYTHON'
import json, os, re, shlex, sys
build, out = sys.argv[1:]
here, seen = os.getcwd(), set()
with open(build + "/compile_commands.json") as f, open(out + "/files", "w") as files:
    for entry in json.load(f):
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), here)
        if not re.match("(lib|tui)/", path) or path in seen:
            continue
        seen.add(path)
        args = [a for a in shlex.split(entry["command"]) if not a.endswith(("ccache", "/cc", "/gcc"))]
        args = args[:args.index("-o")] + ["-O1", os.path.join(entry["directory"], entry["file"])]
        with open(f"{out}/{len(seen)}.args", "w") as g:
            g.write(entry["directory"] + "\n" + " ".join(map(shlex.quote, args)))
        files.write(f"{len(seen)} {path}\n")
PYTHON

echo "lint: clang-tidy" >&2
cut -d' ' -f2 "$out/files" | xargs -P2 -n8 timeout 240 clang-tidy -p "$build" --quiet -checks="$tidy_checks" \
	>"$out/tidy.raw" 2>/dev/null || :
sed -nE "s#^$PWD/([^:]*):([0-9]+):[0-9]+: warning: (.*) \[([a-z0-9A-Z.-]+)[],].*#clang-tidy \4 \1:\2 \3#p" "$out/tidy.raw" |
	sort -u >"$out/tidy"

echo "lint: gcc -fanalyzer" >&2
# shellcheck disable=SC2016 # the inner shell expands
cut -d' ' -f1 "$out/files" | OUT="$out" xargs -P2 -n1 sh -c '
	{ read -r dir; read -r args; } <"$OUT/$1.args" || :
	cd "$dir" && eval "timeout 120 gcc $args -fanalyzer -fdiagnostics-plain-output -S -o /dev/null" 2>"$OUT/$1.gcc" || :
' sh
cat "$out"/*.gcc | sed -nE "s#^$PWD/([^:]*):([0-9]+):[0-9]+: warning: (.*) \[(-Wanalyzer-[a-z-]+)\]\$#gcc \4 \1:\2 \3#p" |
	sort -u >"$out/gcc"

# Lines move: a finding is its tool, check, file and words.
cat "$out/cppcheck" "$out/tidy" "$out/gcc" | grep -E '^(cppcheck|clang-tidy|gcc) ' >"$out/all" || :
cp "$out/all" "$build/lint.log"
sed -E 's/^([^ ]+ [^ ]+ [^:]+):[0-9]+ .*/\1/' "$out/all" | sort | uniq -c | sed -E 's/^ *([0-9]+) /\1 /' >"$out/found"
grep -vE '^(#|$)' "$here/lint.txt" | sed 's/ *|.*//' | sort >"$out/known"
bad=0
while read -r n tool check file; do
	known=$(grep -E "^[0-9]+ $tool $check $file$" "$out/known" | cut -d' ' -f1 || :)
	[ "$n" -le "${known:-0}" ] && continue
	grep -F "$tool $check $file:" "$out/all" || :
	bad=1
done <"$out/found"
[ $bad = 0 ] || { echo "lint: mend these, or explain them in tests/check/lint.txt" >&2; exit 1; }
echo "lint: nothing that is not explained in tests/check/lint.txt" >&2
