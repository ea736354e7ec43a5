# shellcheck shell=sh disable=SC2154 # the lists of packages are in packages.sh
# SPDX-License-Identifier: MIT
# Running the tests, plain and under sanitizers.

run_dir='' report='' # of this run of tests: see begin_run

# ---- groups: "name|lists of packages that its tests need|lists of packages that they can do without" ----

# In ctest a test of a group has its name as label (see tests/CMakeLists.txt). Tests without such a label are "core".
groups='core|run_needs unit_needs test_needs|test_requested
engines|run_needs unit_needs test_needs engine_needs|test_requested
cluster|run_needs unit_needs test_needs cluster_needs|test_requested
languages|run_needs unit_needs test_needs|test_requested language_requested
clients|run_needs unit_needs test_needs client_needs|test_requested client_requested'

group_names() { printf '%s\n' "$groups" | cut -d '|' -f 1; }
is_group() { group_names | grep -qx -e "$1"; }

# lists GROUP COLUMN: the packages of these lists.
lists() {
	for list in $(printf '%s\n' "$groups" | grep "^$1|" | cut -d '|' -f "$2"); do
		eval "printf '%s\n' \"\$$list\""
	done
}

# One installation for all that is needed, and one for the rest.
need_group() {
	need "$build_needs" "$(lists "$1" 2)"
	wish "$build_requested" "$(lists "$1" 3)"
}

# test_group DIR GROUP: run the tests of a group.
test_group() {
	if [ "$2" = core ]; then
		run_tests "$1" -LE "^($(group_names | grep -vx core | paste -sd '|'))\$"
	else
		run_tests "$1" -L "^$2\$"
	fi
}

# ---- what the tests of a run leave behind ----

# Everything that they make is in one folder, whose name is short, because it is part of the names of sockets, and in
# control groups of the run's own: so other sandboxes on this machine and the tests of another clone do not count.
begin_run() {
	if [ -z "$run_dir" ]; then
		sweep_killed_runs
		run_dir=$(mktemp -d /tmp/tt-XXXXXX)
		echo $$ >"$run_dir.owner"
		report=$run_dir.report
		: >"$report"
		chmod 711 "$run_dir"
		user_folders "$run_dir"
		enter_groups
		empty_groups | sort >"$run_dir.groups"
		sandbox_files | sort >"$run_dir.files"
	fi
	trap end_run EXIT
	trap 'exit 1' HUP INT TERM
}

# The folders and control groups of runs whose owner was killed.
sweep_killed_runs() {
	for owner in /tmp/tt-??????.owner; do
		if [ -O "$owner" ] && ! kill -0 "$(cat "$owner")" 2>/dev/null; then
			killed=${owner%.owner}
			find /sys/fs/cgroup -depth -type d -path "*/${killed##*/}*" -exec rmdir {} + 2>/dev/null || :
			rm -rf --one-file-system "$killed" "$killed".*
		fi
	done
}

end_run() {
	while read -r place; do
		if [ "${place##*/}" = "${run_dir##*/}" ]; then
			echo $$ >"${place%/*}/cgroup.procs" || :
			find "$place" -depth -type d -exec rmdir {} + || :
		fi
	done <"$run_dir.places"
	rm -rf --one-file-system "$run_dir" "$run_dir".*
}

# user_folders DIR: where the tests of one user put temporary files (some drop to another user) and sandboxes.
user_folders() {
	mkdir -p "$1/tmp" "$1/run"
	chmod 755 "$1/tmp"
	chmod 700 "$1/run"
}

# Where sandboxes make their control groups: in groups of this run where such can be made, else in our present ones. Two
# trees tell enough; in that of "cpu" a group would have but the share of one process, and where there is only one tree
# a group of ours could give sandboxes no limits.
enter_groups() {
	grep -E '[:,](memory|pids)[:,]|^0::' /proc/self/cgroup | while IFS=: read -r _ list path; do
		tree=/sys/fs/cgroup/${list%%,*}
		[ -n "$list" ] || [ ! -d /sys/fs/cgroup/unified ] || tree=/sys/fs/cgroup/unified
		place=${tree%/}${path%/}
		if [ "$tree" != /sys/fs/cgroup/ ] && mkdir "$place/${run_dir##*/}" 2>/dev/null; then
			place=$place/${run_dir##*/}
			echo $$ >"$place/cgroup.procs"
		fi
		echo "$place"
	done >"$run_dir.places"
}

# Control groups of sandboxes in which no process is: a sandbox that runs has some. (The reaper looks for processes.)
empty_groups() {
	while read -r place; do
		for group in "$place"/terrarium-[0-9]*; do
			[ ! -d "$group" ] || grep -qs . "$group/cgroup.procs" || echo "$group"
		done
	done <"$run_dir.places"
}

# The folders of sandboxes without namespaces (lib/wire/folder.h), and what sandboxes' own users (supervisor/limits/user.h)
# have made in /dev/shm. They lie outside of the run's folder, where another terrarium has its own.
sandbox_files() {
	[ "$(id -u)" = 0 ] && mine='' || mine="-uid $(id -u)" # of other users nothing is known but to root
	# shellcheck disable=SC2086 # no words or two
	find /dev/shm /tmp /var/tmp -mindepth 1 -maxdepth 1 $mine -type d -regex '.*/terrarium-[a-z2-7]*' \
		-name 'terrarium-????????' 2>/dev/null || :
	find /dev/shm -mindepth 1 -maxdepth 1 -not -type d \( -uid +60999 -uid -61184 -o -uid +1879048191 -uid -1879052288 \) \
		2>/dev/null || :
}

# in_use FILE: a supervisor has the folder of its sandbox open, and the owner of an object runs.
in_use() {
	if [ -d "$1" ]; then
		find /proc/[0-9]*/fd -lname "$1" 2>/dev/null | grep -q .
	else
		find /proc -maxdepth 1 -uid "$(stat -c %u "$1" 2>/dev/null || echo 0)" -name '[1-9]*' 2>/dev/null | grep -q .
	fi
}

# Those that are new since the beginning of the run and belong to no sandbox that runs.
left_sandbox_files() {
	sandbox_files | sort | comm -13 "$run_dir.files" - | while read -r file; do
		in_use "$file" || [ ! -e "$file" ] || echo "$file"
	done
}

# One thing per line. Files that are called by a number alone (or storage and a number) are podman's own: it leaves them
# when one of its commands is ended.
leftovers() {
	awk -v dir="$run_dir/" 'index($2, dir) == 1 { print "mount " $2 }' /proc/self/mounts
	empty_groups | sort | comm -13 "$run_dir.groups" - | sed 's/^/control group /'
	left_sandbox_files | sed 's/^/file /'
	for folder in "$run_dir/tmp" "$run_dir/run/terrarium" "$run_dir/nobody/tmp" "$run_dir/nobody/run/terrarium"; do
		find "$folder" -mindepth 1 -maxdepth 1 2>/dev/null | grep -vE '/(storage)?[0-9]{6,}$' | sed 's/^/file /'
	done
}

# What is still there thirty seconds later.
report_leftovers() {
	for _ in $(seq 30); do
		leftovers >"$run_dir.left"
		[ -s "$run_dir.left" ] || return 0
		sleep 1
	done
	sed 's/^/left behind: /' "$run_dir.left" | tee -a "$report"
}

# ---- running ----

# report_results WHO CONSOLE LOG: "passed NAME", "failed NAME", "skipped NAME: WHY", "second try: NAME" and
# "timed out: NAME", one per line, from what ctest has printed and from its own log, in which a test that is skipped
# says "SKIP: WHY".
report_results() {
	awk -v who="$1" '
		is_log && $2 == "Testing:" { name = $3 }
		is_log && sub(/^SKIP: /, "") { why[name] = ": " $0 }
		is_log || !/Test +#[0-9]+: / { next }
		{
			name = $0
			sub(/^.*Test +#[0-9]+: /, "", name)
			sub(/ .*/, "", name)
			result = / Passed / ? "passed" : /\*\*\*Skipped/ ? "skipped" : "failed"
			if (name in results && result == "passed")
				print "second try: " name who
			if (/\*\*\*Timeout/)
				print "timed out: " name who
			if (!(name in results))
				names[n++] = name
			results[name] = result
		}
		END {
			for (i = 0; i < n; i++) {
				name = names[i]
				print results[name] " " name who (results[name] == "skipped" ? why[name] : "")
			}
		}' is_log=1 "$3" is_log=0 "$2"
	grep -q 'tests passed\|No tests were found' "$2" || echo "failed ctest itself$1"
	grep '^left behind: ' "$2" || :
}

# run_pass DIR WHO COMMAND...: a run of ctest. What fails is run once more: this machine may be busy, and a fault of the
# product fails twice.
run_pass() {
	dir=$1 who=$2
	shift 2
	mkdir -p "$dir/Testing/Temporary"
	: >"$dir/Testing/Temporary/LastTest.log"
	"$@" 2>&1 </dev/null | tee "$run_dir.log" # nobody is asked anything
	report_results "$who" "$run_dir.log" "$dir/Testing/Temporary/LastTest.log" >>"$report"
}

# Three tests for each processor: a test waits for two thirds of its time.
ctest_options="-j$(($(nproc) * 3)) --output-on-failure --repeat until-pass:2"

# Root also sees the tests labeled "unprivileged" pass as an ordinary user. A tree under a home
# that others may not enter is shown to that user in a mount namespace of its own.
test_as_nobody() {
	dir=$1
	shift
	user_folders "$run_dir/nobody"
	mkdir -p "$run_dir/nobody/home"
	chown -R nobody "$run_dir/nobody"
	chmod -R a+rwX "$dir/Testing"
	namespace=
	if ! setpriv --reuid=nobody --regid=nogroup --clear-groups test -r "$PWD/dev"; then
		namespace="unshare -m"
		if ! unshare -m true 2>/dev/null; then
			echo "skipped the tests as nobody: they cannot enter $PWD, and no mount namespace can be made to show it" \
				>>"$report"
			return
		fi
	fi
	# shellcheck disable=SC2016,SC2086 # the inner shell expands; two words or none
	run_pass "$dir" " (as nobody)" "$dir/tests/reaper" $namespace sh -eu -c '
		tree=$1 mine=$2 namespace=$3
		shift 3
		if [ -n "$namespace" ]; then
			mkdir "$mine/tree" && mount --bind "$tree" "$mine/tree"
			mount -t tmpfs -o mode=755 none "/$(printf %s "$tree" | cut -d/ -f2)" && mkdir -p "$tree"
			mount --move "$mine/tree" "$tree" && cd "$tree"
		fi
		setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all env -i HOME="$mine/home" \
			TMPDIR="$mine/tmp" XDG_RUNTIME_DIR="$mine/run" PATH=/usr/bin:/bin LANG=C.UTF-8 TERM=xterm-256color \
			ctest "$@"
	' sh "$PWD" "$run_dir/nobody" "$namespace" --test-dir "$PWD/$dir" $ctest_options -L unprivileged "$@"
}

# run_tests DIR OPTION...: the tests that these options of ctest select.
run_tests() {
	dir=$1
	shift
	begin_run
	# shellcheck disable=SC2086 # one word per option
	run_pass "$dir" "" env TMPDIR="$run_dir/tmp" XDG_RUNTIME_DIR="$run_dir/run" \
		"$dir/tests/reaper" ctest --test-dir "$dir" $ctest_options "$@"
	[ "$(id -u)" != 0 ] || test_as_nobody "$dir" "$@"
}

n_results() { grep -c "^$1" "$report" || :; }

# All that did not just pass is named once more; the last line counts.
verdict() {
	report_leftovers
	grep -v '^passed ' "$report" | grep -v '^left behind: ' >&2 || :
	n_failed=$(n_results failed) n_left=$(n_results 'left behind')
	if [ "$(n_results 'timed out')" != 0 ]; then
		n_left=0 # ctest kills a test that takes too long, which then cannot clean up
	fi
	say "$n_left processes, mounts, control groups or files were left behind"
	printf '%d passed, %d failed, %d skipped\n' "$(n_results passed)" "$n_failed" "$(n_results skipped)"
	[ "$n_failed" = 0 ] && [ "$n_left" = 0 ]
}

# test_some DIR [REGEX]: the core, or the tests of any group whose name matches.
test_some() {
	if [ $# = 1 ]; then
		test_group "$1" core
	else
		run_tests "$1" -R "$2"
	fi
	verdict
}

# test_groups GROUP...: each with the packages that it needs, which are installed no sooner.
test_groups() {
	for group; do
		is_group "$group" || die "there is no group '$group': the groups are $(group_names | paste -sd ' ')"
	done
	for group; do
		need_group "$group"
		configure build on
		compile build
		test_group build "$group"
	done
	verdict
}

sanitized_tests() {
	configure build-asan on -DCMAKE_BUILD_TYPE=Debug -DTERRARIUM_ASAN=ON -DTERRARIUM_UBSAN=ON
	compile build-asan
	test_some build-asan "$@"
}

# Where there are threads: saving big files, waking a loop, one trm_sync per thread, libcurl's resolver, and servers of
# tests. All else has one thread.
threaded='lib/(loop/(loop|http)|sync/(sync|threads|local)|backend/microsandbox/server)_test|screen/saving_fake'

# unit_targets DIR...: the programs of the unit tests, one per line.
unit_targets() { find "$@" -name '*_test.c' | sed 's,^tests/\(.*\)\.c$,\1,'; }

# compile_units DIR [REGEX]: what unit tests need, and nothing else.
compile_units() {
	# shellcheck disable=SC2046 # one word per target
	compile "$1" terrarium reaper $(unit_targets tests/lib tests/tui | grep -xE "${2:-.*}" | tr / .)
}

verb_quick() {
	need "$build_needs" "$run_needs" "$unit_needs"
	configure build on
	compile_units build
	test_some build '^(lib|tui)/'
}

verb_test() {
	if [ $# = 0 ]; then
		test_groups core
	elif [ "$*" = all ]; then
		# shellcheck disable=SC2046 # one word per group
		test_groups $(group_names)
	elif [ $# != 1 ] || is_group "$1"; then
		test_groups "$@"
	else
		need_group core
		configure build on
		compile build
		test_some build "$1"
	fi
}

verb_asan() {
	need_group core
	sanitized_tests "$@"
}

verb_tsan() {
	need_group core
	configure build-tsan on -DCMAKE_BUILD_TYPE=Debug -DTERRARIUM_TSAN=ON
	compile_units build-tsan "$threaded"
	compile build-tsan screen.saving
	test_some build-tsan "${1:-^($threaded)$}"
}

verb_valgrind() {
	need_group core
	need "$valgrind_needs"
	configure build-valgrind on -DTERRARIUM_VALGRIND=ON
	compile_units build-valgrind
	test_some build-valgrind "${1:-^(lib|tui)/}"
}

verb_cover() {
	need_group core
	configure build-cover on -DCMAKE_BUILD_TYPE=Debug -DTERRARIUM_COVER=ON
	if [ $# = 0 ]; then
		# shellcheck disable=SC2046 # one word per target
		compile_units build-cover && compile build-cover $(find tests/fuzz -name 'fuzz_*.c' -exec basename {} .c \;)
	else
		compile build-cover
	fi
	find build-cover -name '*.gcda' -delete
	test_some build-cover "${1:-^(lib|tui)/|^fuzz/fuzz_}"
	python3 tests/check/cover.py build-cover
}
