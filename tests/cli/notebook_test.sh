#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium run x.ipynb`: the cells of a notebook, in order, until one fails.
. "$(dirname "$0")/tell.sh"
export TERRARIUM_BACKEND=fake

cell() {
	printf '{"cell_type":"%s","metadata":{},"source":"%s"}' "$1" "$2"
}
printf '{"nbformat":4,"nbformat_minor":4,"metadata":{},"cells":[%s,%s,%s,%s]}\n' "$(cell markdown '# print no')" \
	"$(cell code 'set a 7\nvalue 1')" "$(cell code '')" "$(cell code 'get a')" >good.ipynb
cp good.ipynb before.ipynb
try run --yes good.ipynb
expect_code 0
expect_err ""
expect_out "1
7"
cmp -s good.ipynb before.ipynb || wrong "running changes nothing in the file"
try run --yes --json good.ipynb -c 'get a'
[ "$(wc -l <out)" = 3 ] || wrong "one object per cell"

printf '{"nbformat":4,"metadata":{},"cells":[%s,%s,%s]}\n' "$(cell code 'print one')" \
	"$(cell code 'fail E bad')" "$(cell code 'print three')" >bad.ipynb
try run --yes bad.ipynb -c 'print behind'
expect_code 1
expect_out "one
behind"
expect_in err "E: bad"
expect_in err "terrarium: bad.ipynb, cell 2 failed: 1 cell behind it was not run"

# Broken ones.
printf '{"cells":[\n{"cell_type":"code","source":1}]}' >broken.ipynb
try run --yes broken.ipynb
expect_code 125
expect_err "terrarium: cannot run broken.ipynb: cell 1 has no source that is text"
printf '{"cells":[%s]}' "$(cell markdown text)" >text.ipynb
try run --yes text.ipynb
expect_code 125
expect_err "terrarium: cannot run text.ipynb: it has no cell with code"
printf '{"cells":\n' >cut.ipynb
try run --yes cut.ipynb
expect_code 125
expect_in err "cannot run cut.ipynb: it is not a valid JSON object (line 2: it ends too early)"
verdict
