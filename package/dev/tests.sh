# shellcheck shell=sh disable=SC2154 # the lists of packages are in packages.sh
# SPDX-License-Identifier: MIT
# Running the tests, plain and under sanitizers.

# What a run of the program could leave behind, one thing per line. (Processes are the reaper's.)
leftovers() {
	grep -s terrarium /proc/self/mounts | sed 's/^/mount /' || :
	find /sys/fs/cgroup -type d -name '*terrarium*' 2>/dev/null | sed 's/^/cgroup /' || :
	for dir in /tmp /dev/shm /run /run/terrarium "${XDG_RUNTIME_DIR:-/run}" "${XDG_RUNTIME_DIR:-/run}/terrarium"; do
		find "$dir" -maxdepth 1 -name '*terrarium*' -o -path '*/terrarium/*' 2>/dev/null | sed 's/^/file /' || :
	done
}

# check_leftovers BEFORE: what is new since then, and is still there thirty seconds later.
check_leftovers() {
	leftovers | sort -u | comm -13 "$1" - >"$1.left"
	for _ in $(seq 30); do
		[ -s "$1.left" ] || break
		sleep 1
		leftovers | sort -u | comm -12 "$1.left" - >"$1.still"
		mv "$1.still" "$1.left"
	done
	sed 's/^/left behind: /' "$1.left"
	n_left=$((n_left + $(wc -l <"$1.left")))
	rm -f "$1" "$1.left"
}

n_passed=0 n_failed=0 n_skipped=0 n_left=0 n_unsteady=0

count() { grep -cE "^ *[0-9]+/[0-9]+ Test +#.*$2" "$1" || :; }

# run_ctest LOG COMMAND…: a run of ctest, seen on the screen and counted. What fails is run once more, and told apart:
# this machine may be busy, and a fault of the product fails twice.
run_ctest() {
	log=$1
	shift
	"$@" 2>&1 </dev/null | tee "$log" # nobody is asked anything
	passed=$(count "$log" ' Passed ') skipped=$(count "$log" '\*\*\*Skipped')
	failed=$(count "$log" '\*\*\*(Failed|Timeout|Exception|Not Run)')
	again=$(grep -cE '^ *Test +#.* Passed ' "$log" || :)
	passed=$((passed + again)) failed=$((failed - again)) n_unsteady=$((n_unsteady + again))
	sed -nE 's/^ *Test +#[0-9]+: ([^ ]+) .* Passed .*/unsteady: \1 failed, and passed when it was run again/p' "$log"
	grep -qE 'tests passed|No tests were found' "$log" || failed=1 # it did not even run
	n_left=$((n_left + $(grep -c '^left behind: ' "$log" || :)))
	n_passed=$((n_passed + passed)) n_skipped=$((n_skipped + skipped)) n_failed=$((n_failed + failed))
}

# Root also sees the tests labelled "unprivileged" pass as an ordinary user. A tree under a home
# that others may not enter is shown to that user in a mount namespace of its own.
test_as_nobody() {
	nobody_home=$(mktemp -d /tmp/dev-nobody-XXXXXX)
	chown nobody "$nobody_home"
	mkdir -p "$1/Testing/Temporary"
	chmod -R a+rwX "$1/Testing"
	namespace=
	if ! setpriv --reuid=nobody --regid=nogroup --clear-groups test -r "$PWD/dev"; then
		namespace="unshare -m"
	fi
	# shellcheck disable=SC2086 # two words or none
	run_ctest "$1/test-nobody.log" "$1/tests/reaper" $namespace sh -eu -c '
		tree=$1 home=$2 regex=$3 namespace=$4
		if [ -n "$namespace" ]; then
			mkdir "$home/tree" && mount --bind "$tree" "$home/tree"
			mount -t tmpfs -o mode=755 none "/$(printf %s "$tree" | cut -d/ -f2)" && mkdir -p "$tree"
			mount --move "$home/tree" "$tree" && cd "$tree"
		fi
		as_nobody() {
			setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all env -i HOME="$home" \
				TMPDIR="$home" PATH=/usr/bin:/bin LANG=C.UTF-8 TERM=xterm-256color "$@"
		}
		as_nobody ctest --test-dir "$tree/$5" -L unprivileged --output-on-failure --repeat until-pass:2 -R "$regex"
	' sh "$PWD" "$nobody_home" "$2" "$namespace" "$1"
	rm -rf "$nobody_home"
}

# run_tests DIR [REGEX]
run_tests() {
	before=$(mktemp)
	leftovers | sort -u >"$before"
	run_ctest "$1/test.log" "$1/tests/reaper" ctest --test-dir "$1" -j2 --output-on-failure --repeat until-pass:2 \
		-R "${2:-.}"
	[ "$(id -u)" != 0 ] || test_as_nobody "$1" "${2:-.}"
	check_leftovers "$before"
	[ "$n_skipped" = 0 ] || say "$n_skipped tests were skipped; 'build/terrarium doctor' tells what is missing"
	[ "$n_unsteady" = 0 ] || say "$n_unsteady tests are unsteady: they failed, and passed when they were run again"
	say "$n_left processes, mounts, cgroups or files left behind"
	printf '%d passed, %d failed\n' "$n_passed" "$n_failed"
	[ "$n_failed" = 0 ] && [ "$n_left" = 0 ]
}

sanitized_tests() {
	configure build-asan on -DCMAKE_BUILD_TYPE=Debug -DTERRARIUM_ASAN=ON -DTERRARIUM_UBSAN=ON
	compile build-asan
	run_tests build-asan "${1:-.}"
}

# Where there are threads: saving big files, waking a loop, one trm_sync per thread, libcurl's resolver, and servers of
# tests. All else has one thread.
threaded='lib/(loop/(loop|http)|sync/(sync|threads|local)|backend/microsandbox/server)_test|screen/editor_fake'

# unit_targets DIR…: the programs of the tests of single files, one per line.
unit_targets() { find "$@" -name '*_test.c' | sed 's,^tests/\(.*\)\.c$,\1,'; }

threads_tests() {
	configure build-tsan on -DCMAKE_BUILD_TYPE=Debug -DTERRARIUM_TSAN=ON
	# shellcheck disable=SC2046 # one word per target
	compile build-tsan terrarium reaper screen.editor \
		$(unit_targets tests/lib | grep -xE "$threaded" | tr / .)
	run_tests build-tsan "${1:-^($threaded)$}"
}

memory_tests() {
	configure build-valgrind on -DTERRARIUM_VALGRIND=ON
	# shellcheck disable=SC2046 # one word per target
	compile build-valgrind terrarium reaper $(unit_targets tests/lib tests/tui | tr / .)
	run_tests build-valgrind "${1:-^(lib|tui)/}"
}

verb_test() {
	need "$build_needs" "$run_needs" "$test_needs"
	wish "$test_wishes"
	configure build on
	compile build
	run_tests build "${1:-.}"
}

verb_asan() {
	need "$build_needs" "$run_needs" "$test_needs"
	wish "$test_wishes"
	sanitized_tests "${1:-.}"
}

verb_tsan() {
	need "$build_needs" "$run_needs" "$test_needs"
	threads_tests "$@"
}

verb_valgrind() {
	need "$build_needs" "$run_needs" "$test_needs" "$valgrind_needs"
	memory_tests "$@"
}
