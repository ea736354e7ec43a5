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

for lang in python javascript bash; do
	try tutor --sample -l $lang
	expect_code 0
	cp out sample.$lang
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
done

verdict
