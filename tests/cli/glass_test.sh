#!/bin/sh
# SPDX-License-Identifier: MIT
# What hostile code prints and calls its things, on the terminal: glass.py has it.
. "$(dirname "$0")/tell.sh"
need_local
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
code=0
tried="glass.py"
python3 "$source/tests/cli/glass.py" "$terrarium" >out 2>err || code=$?
expect_code 0
expect_out ""
expect_err ""
verdict
