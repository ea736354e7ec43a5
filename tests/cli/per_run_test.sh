# SPDX-License-Identifier: MIT
# What holds for one run, or one command, in a sandbox that runs already; and folders that are put in.
. "$(dirname "$0")/tell.sh"
need_local
own_runtime

try run --yes --keep --name lab --env OWN=first -c 'import os; os.environ["OWN"]'
expect_out "'first'"

# Variables and directory of a run are put back at its end.
show='import os; print(os.environ.get("OWN"), os.environ.get("MORE"), os.getcwd())'
try run --yes --name lab --env OWN=second --env MORE='a b=c' --workdir /tmp -c "$show"
as_named out >out.named
mv out.named out
expect_out "second a b=c /tmp"
expect_err ""
try run --yes --name lab -c "$show"
as_named out >out.named
grep -qx "first None /workspace" out.named || wrong "they were not put back"
try run --yes --name lab --env OWN=third -c 'import os; del os.environ["OWN"]; 1/0'
expect_code 1
try run --yes --name lab -c "$show"
expect_in out "first None"
try run --yes --name lab --workdir /nowhere -c 1
expect_in err "cannot change to the directory /nowhere"
try run --yes --name lab --env MORE=x -c 'import subprocess; print(subprocess.check_output(["sh", "-c", "echo $MORE"], text=True))'
expect_in out x

# What a Python that code starts prints comes at once: nothing of it is lost. A run can say otherwise.
child="import os; print('said'); os._exit(0)"
try run --yes --name lab -c "import subprocess; r = subprocess.run(['python3', '-c', \"$child\"])"
expect_in out said
try exec lab -- python3 -c "$child"
expect_in out said
try run --yes --name lab --env PYTHONUNBUFFERED= -c "import subprocess; r = subprocess.run(['python3', '-c', \"$child\"])"
[ -s out ] && wrong "this child was to keep its output back"

if command -v node >/dev/null; then
	try run --yes --name lab -l js --env MORE=x --workdir /tmp -c 'process.env.MORE + process.cwd()' -c 'process.env.OWN'
	as_named out >out.named
	mv out.named out
	expect_out "'x/tmp'
'first'"
	try run --yes --name lab -l js -c '[process.env.MORE, process.cwd() == "/tmp"]'
	expect_out "[ undefined, false ]"
fi
if command -v gcc >/dev/null; then
	cat >env.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	char cwd[256];
	printf("%s %s\n", getenv("OWN"), getcwd(cwd, sizeof cwd));
}
C
	try run --yes --name lab --env OWN=c --workdir /tmp env.c
	as_named out >out.named
	mv out.named out
	expect_out "c /tmp"
	try run --yes --name lab env.c
	expect_in out "first "
fi
# Bash: also what was there, exported or not; whatever the run does to them, and however it ends.
try run --yes --name lab -l bash -c 'plain=old; export SHOWN=old; list=(a b); set -- p q'
try run --yes --name lab -l bash --env OWN=second --env 'MORE=a b=c "$x" \\ é' --env plain=new --env SHOWN=new --env list=z --workdir /tmp \
	-c 'echo "$OWN|$MORE|$plain|$SHOWN|$list ${list[1]}|$1$2"; pwd; env | grep -c -E "^(plain|SHOWN|MORE)="; cd /; SHOWN=changed; unset plain'
as_named out >out.named
grep -qxF 'second|a b=c "$x" \\ é|new|new|z b|pq' out || wrong "these were its variables"
grep -qx /tmp out.named || wrong "this was its directory"
grep -qx 3 out || wrong "they were to be exported"
try run --yes --name lab -l bash -c 'echo "$OWN|${MORE-none}|$plain|$SHOWN|${list[*]}|$1$2"; env | grep -c -E "^(plain|SHOWN|MORE)="; pwd; cd - 2>&1'
as_named out >out.named
[ "$(head -n 3 out.named)" = "first|none|old|old|a b|pq
1
/workspace" ] || wrong "they were not put back"
expect_in out "OLDPWD not set"
for end in 'exit 3' 'set -e; false' 'kill -INT $$; sleep 9' 'return 1'; do
	try run --yes --name lab -l bash --env MORE=x --workdir /tmp -c "$end"
	try run --yes --name lab -l bash -c 'set +e; echo "${MORE-none}"; pwd'
	as_named out >out.named
	[ "$(cat out.named)" = "none
/workspace" ] || wrong "after '$end' they were not put back"
done
long=$(printf '%05000d' 1)
try run --yes --name lab -l bash --env LONG=$long --env MORE=y -c 'echo ${#LONG} $MORE' -- "$long"
expect_out "5000 y"
try run --yes --name lab -l bash --workdir /nowhere -c 'echo ran'
expect_code 1
expect_out ""
expect_in err "cannot change to the directory /nowhere"
cat >env.sh <<'SH'
echo "$OWN $MORE"; pwd
SH
try run --yes --name lab --env MORE=x --workdir /tmp env.sh
expect_in out "first x"
for word in =x 1=x 'a b=x' ''; do
	try run --yes --name lab --env "$word" -c 'print("it ran")'
	grep -q "it ran" out && [ -n "$word" ] && wrong "that is no variable"
done

# Commands, likewise.
try exec --env MORE=y --workdir /tmp lab -- sh -c 'echo $MORE $OWN; pwd'
expect_code 0
as_named out >out.named
mv out.named out
expect_out "y first
/tmp"
expect_err ""
try exec lab -- sh -c 'echo "<$MORE>"'
expect_out "<>"
try exec --workdir /nowhere lab -- true
[ "$code" != 0 ] || wrong "there is no such directory"

# Limits of a running one stay, which is said.
try run --yes --name lab --memory 64 --env MORE=x -c 'import os; os.environ["MORE"]'
expect_out "'x'"
expect_in err "its limits and mounts stay as they are"

# A lifetime also ends a sandbox that is not kept, and says so; the time limit of the run is another thing.
try run --yes --max-lifetime 1.5 -c 'import time; print("begun", flush=True); time.sleep(100)'
expect_code 125
expect_out begun
expect_in err "the sandbox's lifetime of 1500 ms is over"
try run --yes --max-lifetime 60 --timeout 0.5 -c 'import time; time.sleep(100)'
expect_code 124
expect_in err "time limit 0.5 s"
try exec --max-lifetime 1 -- sleep 100
expect_code 125
expect_in err "lifetime of 1"

# A folder is put in: modules, data and folders beside a program are found.
mkdir -p project/package
echo 'word = "helped"' >project/helper.py
echo 'from . import inner' >project/package/__init__.py
echo 'number = 7' >project/package/inner.py
echo data >project/data.txt
cat >project/main.py <<'PY'
import helper, package.inner, sys
print(helper.word, package.inner.number, open('data.txt').read().strip(), __file__.rpartition('/')[2])
PY
try run --yes --dir project project/main.py
expect_code 0
expect_out "helped 7 data main.py"
cd project
try run --yes --dir . main.py
mv out err ..
cd ..
expect_out "helped 7 data main.py"
try run --yes --name lab --dir project -c 'import helper; helper.word'
expect_out "'helped'"
try run --yes --name lab --dir project --workdir /tmp -c 'open("data.txt").read()'
expect_out "'data\\n'"
try run --yes --dir nowhere -c 1
expect_code 125
expect_in err "--dir: 'nowhere' is no folder"
try run --yes --dir project/data.txt -c 1
expect_code 125
ln -s /etc/passwd project/link
try run --yes --dir project -c 'import helper, os; os.path.exists("link")'
expect_out False
expect_in err link
verdict
