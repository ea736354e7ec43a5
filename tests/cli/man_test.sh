#!/bin/sh
# SPDX-License-Identifier: MIT
# The man pages and the tables of the program name the same things: every command has a page, a row in terrarium.1 and
# its own options in the page; every setting is in terrarium-config.5; and no page names what there is not.
. "$(dirname "$0")/tell.sh"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }

try help --json
expect_code 0
expect_err ""
cp out table
code=0
tried="man pages"
python3 "$source/tests/cli/man_check.py" "$source/man" table >out 2>err || code=$?
expect_code 0
expect_out ""

# What groff and man complain about.
if command -v groff >/dev/null; then
	for page in "$source"/man/*; do
		tried="groff $page"
		groff -man -Tutf8 -ww -rLL=78n "$page" >out 2>err || code=$?
		expect_err ""
	done
fi

verdict
