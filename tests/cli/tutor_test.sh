#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium tutor --sample`: each sample of a language that is installed runs.
. "$(dirname "$0")/tell.sh"
need_local

export XDG_CONFIG_HOME="$PWD/config"
try tutor --sample
expect_code 0
expect_in out "# %% Values"
try tutor --sample -l cobol
expect_code 125

# as_file ENDING TOOL...: the sample of $lang runs as a file here, and with the real tool where that is installed.
as_file() {
	file=sample.$1
	shift
	cp sample.$lang "$file"
	try run --yes --timeout 120 --memory 1024 "$file"
	expect_code 0
	command -v "$1" >/dev/null || return 0
	tried="$* $file"
	code=0 && "$@" "$file" >out 2>err || code=$?
	expect_code 0
}
for lang in python javascript bash; do
	try tutor --sample -l $lang
	expect_code 0
	cp out sample.$lang
	case $lang in
	python) as_file py python3 ;;
	javascript) as_file js node ;;
	bash) as_file sh bash ;;
	esac
	try run --yes -l $lang -c "$(cat sample.$lang)"
	expect_code 0
done
expect_in out "THREE!"
for lang in typescript ruby r java cpp c go; do
	try tutor --sample -l $lang
	expect_code 0
	cp out sample.$lang
	try langs
	grep "^$lang " out | grep -q missing && continue
	try run --yes --timeout 120 --memory 1024 -l $lang -c "$(cat sample.$lang)"
	expect_code 0
	case $lang in
	typescript) as_file ts tsc --noEmit ;;
	ruby) as_file rb ruby ;;
	r) as_file r Rscript ;;
	c) as_file c gcc -o sample.out ;;
	go) as_file go true ;; # its own tool has run it, in the sandbox
	*) head -n 1 sample.$lang | grep -q "Made for cells" || wrong "its first comment should say that it is no file" ;;
	esac
done

verdict
