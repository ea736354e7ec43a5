#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium run` in the other languages, in real sandboxes of this machine.
. "$(dirname "$0")/tell.sh"
need_local
need_language js
need_language bash

# The languages, by name and by file.
try run --yes -l js -c '[1, 2].map(x => x * 2)'
expect_code 0
expect_out "[ 2, 4 ]"
echo 'console.log("from node")' >a.js
echo 'echo "from bash"; exit 4' >b.sh
try run --yes a.js b.sh
expect_code 4
expect_out "from node
from bash"

seq 100000 >numbers
try run --yes -l bash -c 'wc -l' <numbers
expect_out 100000
printf 'one\ntwo\n' >lines
try run --yes -l bash -c 'read -r x; echo "got $x"; cat' <lines
expect_out "got one
two"
try run --yes -l js -c 'require("fs").readFileSync(0, "utf8").length' <lines
expect_out 8

# One sandbox: its files are everybody's.
try run --yes -l bash -c 'echo shared >file' -c 'cat file'
expect_out shared

verdict
