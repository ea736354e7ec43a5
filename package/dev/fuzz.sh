# shellcheck shell=sh disable=SC2154 # the lists of packages are in packages.sh
# SPDX-License-Identifier: MIT
# The fuzzers of tests/fuzz.

# merge_finds NAME: of what was found, the inputs that go other ways than those which are kept; two dozen are
# enough to begin with, the rest is found again soon. Files that were not named by libFuzzer stay in any case.
merge_finds() {
	"build-fuzz/tests/fuzz/fuzz_$1" -set_cover_merge=1 -max_len=1024 "tests/fuzz/corpus/$1" "build-fuzz/corpus/$1" \
		>>"build-fuzz/$1.log" 2>&1 || say "nothing was kept of fuzz_$1: see build-fuzz/$1.log"
	find "tests/fuzz/corpus/$1" -type f | sort | grep -E '/[0-9a-f]{40}$' | tail -n +25 | xargs -r rm
}

# fuzz_one NAME SECONDS: what crashes it, takes too long or too much memory is left in build-fuzz/crashes.
fuzz_one() {
	mkdir -p "build-fuzz/corpus/$1" "tests/fuzz/corpus/$1" build-fuzz/crashes
	if TERRARIUM_FUZZ_SEEDS="build-fuzz/corpus/$1" "build-fuzz/tests/fuzz/fuzz_$1" -max_total_time="$2" \
		-max_len=4096 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="build-fuzz/crashes/$1-" "build-fuzz/corpus/$1" "tests/fuzz/corpus/$1" \
		>"build-fuzz/$1.log" 2>&1; then
		printf 'ok      %-12s %s inputs\n' "$1" \
			"$(sed -n 's/^stat::number_of_executed_units: *//p' "build-fuzz/$1.log")"
		[ -z "$fuzz_keeps" ] || merge_finds "$1"
	else
		printf 'FAILED  %s\n' "$1"
		tail -n 40 "build-fuzz/$1.log"
		n_bad=$((n_bad + 1))
	fi
	rmdir "tests/fuzz/corpus/$1" 2>/dev/null || : # empty
}

fuzz_all() {
	fuzz_keeps="" seconds=30 n_bad=0
	if [ "${1:-}" = --keep ]; then
		fuzz_keeps=1
		shift
	fi
	case ${1:-} in
	'' | *[!0-9]*) ;;
	*)
		seconds=$1
		shift
		;;
	esac
	for name; do
		[ -e "tests/fuzz/fuzz_$name.c" ] || die "there is no fuzzer '$name': see tests/fuzz/fuzz_*.c"
	done
	configure build-fuzz on -DCMAKE_C_COMPILER=clang -DTERRARIUM_FUZZ=ON -DTERRARIUM_ASAN=ON -DTERRARIUM_UBSAN=ON
	compile build-fuzz fuzzers
	if [ $# = 0 ]; then
		# shellcheck disable=SC2046 # one word per fuzzer
		set -- $(find tests/fuzz -name "fuzz_*.c" | sort | sed 's,.*/fuzz_\(.*\)\.c,\1,')
	fi
	for name; do
		fuzz_one "$name" "$seconds"
	done
	[ "$n_bad" = 0 ] || die "$n_bad fuzzers failed; 'build-fuzz/tests/fuzz/fuzz_NAME FILE' repeats a crash"
}

verb_fuzz() {
	need "$build_needs" "$unit_needs" "$check_needs"
	fuzz_all "$@"
}
