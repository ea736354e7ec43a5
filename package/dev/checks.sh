# shellcheck shell=sh disable=SC2154 # the lists of packages are in packages.sh
# SPDX-License-Identifier: MIT
# What is checked without running the program: warnings, format, rules, static analysis.

sources() { find lib tui tests -name '*.[ch]' ! -path '*/generated/*'; }

# step NAME COMMAND…: one line each, output only of those that fail.
step() {
	name=$1
	shift
	if out=$("$@" 2>&1); then
		printf 'ok      %s\n' "$name"
	else
		printf 'FAILED  %s\n%s\n' "$name" "$out"
		n_bad=$((n_bad + 1))
	fi
}

build_strict() {
	configure "build-$1" on -DCMAKE_C_COMPILER="$1" -DTERRARIUM_WERROR=ON
	compile "build-$1"
}

check_format() { sources | xargs clang-format --dry-run -Werror; }

check_all() {
	n_bad=0
	step "gcc without warnings" build_strict gcc
	step "clang without warnings" build_strict clang
	step "who includes whom" sh tests/check/includes.sh
	step "names of languages" sh tests/check/languages.sh
	step "words" sh tests/check/words.sh
	step "names" python3 tests/check/names.py
	step "format" check_format
	step "tests under the sanitizers" sanitized_tests
	[ "$n_bad" = 0 ] || die "$n_bad checks failed"
}

verb_check() {
	need_group core
	need "$check_needs"
	check_all
}

verb_lint() {
	need "$build_needs" "$unit_needs" "$lint_needs"
	configure build on
	compile build
	python3 tests/check/lint.py build "$@"
}

verb_figures() { python3 tests/check/figures.py; }

verb_fmt() {
	need "$check_needs"
	sources | xargs clang-format -i
}
