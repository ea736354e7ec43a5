# SPDX-License-Identifier: MIT
# Lines of notebooks in runs: !command, %pip, %time, %%bash.
. "$(dirname "$0")/own_index.sh"

# Commands run where the code does, stream, and give lines, values and exit codes.
try run --yes -c '!echo begin; echo wrong >&2
x = 20
!echo {x + 1} $x $$((1 + 1)); touch made
names = !ls
print(names, _exit_code)
!exit 3' -c 'print(_exit_code)'
expect_code 0
expect_out "begin
21 20 2
['made'] 0
3"
expect_in err wrong
try run --yes -c '!exit 3'
expect_code 3
try run --yes -c '
if True:
    !echo inside
x = (7
% 4)
print(x, """
!ls""")'
expect_code 0
expect_out "inside
3 
!ls"

# A traceback names the line that was written.
try run --yes -c '!true

1 / 0'
expect_code 1
expect_in err "line 3"

# Other statements of notebooks.
try run --yes -c '%time x = 5' -c '%cd /tmp' -c '%pwd' -c '%env A=b c' -c '!echo $$A' -c '%matplotlib inline'
expect_code 0
expect_in out "Wall time: "
expect_in out "'/tmp'
env: A=b c
b c"
try run --yes -c '%timeit 1 + 1'
expect_in out "per loop (mean ± std. dev. of 7 runs"

try run --yes -c 'count, name = 5, "x"' -c '%who' -c '%who str' -c '%whos int' -c '%who list'
expect_code 0
expect_out "count	 name
name
Variable   Type   Data/Info
---------------------------
count      int    5
There are no such variables."

# Cells in other languages, of all languages.
try run --yes -c '%%bash
y=7' -c '%%bash
echo $y; exit 4'
expect_code 4
expect_out 7
try run --yes -l javascript -c '%%time
console.log(6 * 7)' -c '!cat a.txt' -c '%%writefile a.txt
written'
expect_in out "42
CPU times: total: "
expect_in err "a.txt"
try run --yes -l javascript -c '%%writefile a.txt
it is
written' -c '!cat a.txt' -c 'var f = () => 5; !f()'
expect_code 0
expect_out "it is
written
false"
try run --yes -l bash -c '! grep x /dev/null; echo $?'
expect_out 0

# What only looks like it gets a hint.
try run --yes -c '%foo bar'
expect_code 1
expect_in err "there is no %foo here"
try run --yes -l javascript -c '!ls -la'
expect_code 1
expect_in err "in javascript this is read as code"

# And what lacks a sign.
try run --yes -c 'x = 1
pip install six'
expect_code 1
expect_in err "type %pip install six or !pip install six"
try run --yes -c 'conda install six'
expect_in err "type !conda install six"
try run --yes -c '"""
pip install six'
expect_code 1
grep -q "type %pip" err && wrong "err should not tell what to type"

# Policies read commands as Bash, and what is timed as Python.
try scan --policy production -c 'x = 1
!rm -rf /
%time __import__("os").system("x")
!echo {__import__("os")}'
expect_code 1
expect_in out "-c:2:2: high: rm"
expect_in out "-c:3:7: high: __import__"
expect_in out "-c:4:"

# Packages go to the installer: fetched outside, named in the question.
allow="--net-allow $address/32"
try run --yes $allow -c '%pip install -q demo
import demo, helper; print(demo.version, helper.f())'
expect_code 0
expect_out "1.0 helped"
# What is imported stays as it is; the person reads what helps. Nothing new needs no word.
try run --yes --net on $allow -c '%pip install moves==1.0
import moves, demo' -c '%pip install -q moves==1.0 demo' -c '!pip install "moves>1" # newer
moves.x' -c '%pip install moves'
expect_code 0
expect_out "1.0"
[ "$(grep -c "is imported already" err)" = 1 ] || wrong "it is said once"
expect_in err "moves is imported already: restart python to use 2.0"
printf '%%pip install moves==1.0\n%%pip install moves==2.0\nimport moves\n' >typed
try run --yes --net on $allow - <typed
! grep -q "is imported already" err || wrong "it was not imported before"
try run --yes -c '%pip install -r requirements.txt'
expect_code 125
expect_in err "not the option -r"
try run --yes --net off -c '!pip install demo'
expect_code 125
expect_in err "also forbids fetching"

# Notebooks: cells one after the other, in one sandbox; a command that fails ends none.
cat >book.ipynb <<'JSON'
{"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": {"name": "python3", "language": "python"}}, "cells": [
 {"cell_type": "markdown", "metadata": {}, "source": "# title"},
 {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": ["%pip install demo\n", "x = 5"]},
 {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": "!false"},
 {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": "%%bash\necho in bash"},
 {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": "import demo\n\nx * 2"},
 {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": "\n1 / 0"}]}
JSON
try run --yes $allow book.ipynb
expect_code 1
expect_out "in bash
10"
expect_in err '"<cell 5>", line 2'
echo '{"cells": []}' >empty.ipynb
try run --yes empty.ipynb
expect_code 125
expect_in err "empty.ipynb: it has no code"
echo 'nonsense' >broken.ipynb
try run --yes broken.ipynb
expect_code 125
expect_in err "not a valid JSON object"

# The REPL: the same, and a cell ends with a blank line.
printf '%%pip install demo\nimport demo; demo.version\n%%%%bash\necho in bash\n\n!echo shell\n%%time 5\n' >typed
try repl --yes --net on $allow <typed
expect_in out "'1.0'"
expect_in out "in bash"
expect_in out "shell"
expect_in out "Wall time"
printf 'f = () => 5; 1\n!f()\n' >typed
try repl --yes -l javascript <typed
expect_in out false
