#!/bin/sh
# SPDX-License-Identifier: MIT
# `terrarium export`: a recorded session as other files.
. "$(dirname "$0")/tell.sh"

cat >a.trec <<'REC'
{"terrarium":"recording","version":1,"program":"0.1.0","started":"2026-03-01T09:00:00Z","rows":36,"cols":120}
{"t":0.5,"e":"run","run":1,"language":"python","text":"print('hi')\n1+1"}
{"t":0.5,"e":"accepted","run":1,"number":1}
{"t":0.51,"e":"started","run":1}
{"t":0.52,"e":"output","run":1,"stream":"stdout","text":"hi <b> \u001b[31mred\u001b[0m\n"}
{"t":0.53,"e":"output","run":1,"stream":"stderr","b64":"w6kK/w=="}
{"t":0.54,"e":"display","run":1,"mime":"image/png","text":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}
{"t":0.54,"e":"display","run":1,"mime":"application/json","text":"{\"a\":[1,2]}"}
{"t":0.55,"e":"done","run":1,"status":"ok","exit_code":0,"value":"2","wall_us":4000,"cpu_us":3000}
{"t":0.7,"e":"run","run":2,"language":"bash","text":"exit 2"}
{"t":0.7,"e":"accepted","run":2,"number":2}
{"t":0.72,"e":"done","run":2,"status":"error","exit_code":2,"wall_us":4000}
{"t":0.8,"e":"run","run":3,"language":"python","text":"1/0"}
{"t":0.8,"e":"accepted","run":3,"number":3}
{"t":0.82,"e":"done","run":3,"status":"error","exit_code":1,"error":{"name":"ZeroDivisionError","message":"division by zero","traceback":["Traceback:"]},"wall_us":4000}
{"t":0.9,"e":"outp
REC

for format in ipynb md html script; do
	try export a.trec --to $format -o a.$format
	expect_code 0
	expect_err ""
	try export a.trec --to $format
	cmp -s out a.$format || wrong "the same on standard output"
done
expect_in a.md '```python'
expect_in a.html '<html lang="en">'
expect_in a.html 'alt="Figure made by run 1"'
expect_in a.html '&lt;b&gt;'
expect_in a.script '# %% [1] ok'
tried="/usr/bin/python3 on a.script"
/usr/bin/python3 -c 'import ast; ast.parse(open("a.script").read())' >out 2>err || wrong "no Python"

# The screen as a cast.
try export a.trec --to cast --size 100x30 -o a.cast
expect_code 0
tried="/usr/bin/python3 on a.cast"
/usr/bin/python3 -c '
import json
lines = [json.loads(line) for line in open("a.cast")]
assert (lines[0]["version"], lines[0]["width"], lines[0]["height"]) == (2, 100, 30)
times = [line[0] for line in lines[1:]]
assert times == sorted(times) and {line[1] for line in lines[1:]} == {"o"}
assert "ZeroDivisionError" in "".join(line[2] for line in lines[1:]) or "Traceback:" in "".join(line[2] for line in lines[1:])
' >out 2>err || wrong "no asciicast"
try export a.trec --to cast --size 5x5
expect_code 125

# By the name, and what is wrong.
try export a.trec -o b.ipynb
expect_code 0
cmp -s a.ipynb b.ipynb || wrong "the ending says the format"
try export a.trec -o b.docx
expect_code 125
expect_in err "there is no format"
try export nowhere.trec --to md
expect_code 125
expect_in err "nowhere.trec"
try export a.md --to html
expect_code 125
expect_in err "not a terrarium recording"
try export --to html
expect_code 125

# What Jupyter itself says of the notebook.
tried="nbformat"
if /usr/bin/python3 -c 'import nbformat' 2>err; then
	/usr/bin/python3 -c '
import nbformat
nb = nbformat.read("a.ipynb", nbformat.NO_CONVERT)
nbformat.validate(nb)
kinds = [[o.output_type for o in c.outputs] for c in nb.cells]
assert kinds == [["stream", "stream", "display_data", "display_data", "execute_result"], ["error"], ["error"]], kinds
assert [c.execution_count for c in nb.cells] == [1, 2, 3]
assert nb.cells[0].outputs[2].data["image/png"].startswith("iVBOR")
assert nb.cells[1].source == "%%bash\nexit 2"
assert nb.metadata.kernelspec.name == "python3"
' >out 2>err || wrong "it is not valid"
fi
verdict
