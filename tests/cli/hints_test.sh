#!/bin/sh
# SPDX-License-Identifier: MIT
# What is told behind errors that a newcomer meets: files that are not in the sandbox, no network, unknown packages.
. "$(dirname "$0")/tell.sh"
own_runtime
need_local

# A file that lies in the current folder, and one that does not.
mkdir here && cd here && echo 1 >data.csv && echo 'answer = 42' >helper.py && mkdir sub && cd ..
in_here() {
	cd here
	tried="terrarium $*"
	code=0
	setsid -w "$terrarium" "$@" >../out 2>../err </dev/null || code=$?
	cd ..
}
expect_no_hint() { ! grep -q "^terrarium:" err || wrong "no hint"; }
in_here run --yes -c 'open("data.csv")'
expect_code 1
expect_in err "data.csv lies in this folder on your machine, but a sandbox sees only what it was given: add --dir '.'"
in_here run --yes --dir . -c 'open("data.csv").read()'
expect_out "'1\n'"
in_here run --yes -c 'open("nothing.csv")'
expect_no_hint
in_here run --yes -c 'open("../here/data.csv")'
expect_no_hint
in_here run --yes -c 'open("/etc/no-such-file")'
expect_no_hint
in_here run --yes --json -l bash -c 'cat data.csv'
expect_in out "data.csv lies in this folder"
in_here run --yes -c 'import helper'
expect_in err "helper.py lies in this folder on your machine, not in the sandbox: add --dir '.'"
in_here exec -- cat data.csv
expect_code 1
if has_namespaces; then
	expect_in err "add --mount 'data.csv:/workspace/data.csv'"
else
	expect_in err "'terrarium run --dir . -l bash -c …'"
fi
in_here run --yes --keep --name box -c 'open("data.csv")'
expect_in err "'terrarium cp data.csv box:' copies it in"
in_here exec box -- cat data.csv
expect_in err "'terrarium cp data.csv box:' copies it in"
printf 'open("data.csv")\n:lang bash\ncat data.csv\n' >here/script
tried="terrarium repl"
(cd here && "$terrarium" repl --yes <script >../out 2>../err) || :
[ "$(grep -c "':cp data.csv :' copies it in" err)" = 2 ] || wrong "two hints"

# There is no network. What the sandbox itself refuses is another matter.
try run --yes -c 'import urllib.request; urllib.request.urlopen("http://nowhere.invalid")'
expect_in err "this sandbox has no network: start one with a network (--net), or get packages with %pip install"
[ "$(grep -c "has no network" err)" = 1 ] || wrong "once"
try run --yes -c 'import socket; socket.create_connection(("192.0.2.1", 80))'
expect_in err "this sandbox has no network"
try run --yes -c 'import socket; socket.create_connection(("127.0.0.1", 9))'
expect_no_hint
try run --yes -l bash -c 'echo "curl: (6) Could not resolve host: nowhere" >&2; exit 6'
expect_err "curl: (6) Could not resolve host: nowhere
terrarium: this sandbox has no network: start one with a network (--net)"
try run --yes -l bash -c 'echo "Failed to connect to localhost port 9" >&2; exit 6'
expect_no_hint
try exec -- sh -c 'echo "Could not resolve host: nowhere" >&2; exit 6'
expect_code 6
expect_in err "this sandbox has no network"
try exec -- sh -c 'echo "Could not resolve host: nowhere" >&2'
expect_no_hint
if command -v node >/dev/null; then
	try run --yes -l javascript -c 'await fetch("http://nowhere.invalid")'
	expect_in err "this sandbox has no network"
fi
try run --yes -l bash -c 'echo "Error: getaddrinfo ENOTFOUND nowhere.invalid" >&2; exit 1'
expect_in err "this sandbox has no network"
# A run that has succeeded lacked nothing, and a file that may not be opened is no network.
try run --yes -l bash -c 'echo "Could not resolve host: nowhere" >&2'
expect_no_hint
try run --yes -c 'raise PermissionError(13, "Permission denied, cannot connect to", "/run/db.sock")'
expect_code 1
expect_no_hint
try run --yes -c 'def connect(path): raise PermissionError(13, "Permission denied")
connect("/run/db.sock")'
expect_no_hint

# No hint for a file elsewhere, whatever the code says.
try run --yes -c 'raise ModuleNotFoundError("No module named '"'/etc/passwd'"'")'
expect_code 1
! grep -q "passwd lies" err || wrong "a module has no such name"

# Files that end with the sandbox: a person is told, --out saves them.
on_terminal() {
	tried="on a terminal: terrarium $*"
	code=0
	printf '%s' "'$terrarium'" >line
	for word in "$@"; do
		printf ' "%s"' "$word" >>line
	done
	TERM=xterm script -qec "$(cat line)" /dev/null >out 2>err </dev/null || code=$?
}
mkdir -p given/sub && echo old >given/old && echo same >given/sub/same
on_terminal run --yes -c 'open(\"a.csv\", \"w\").close(); import os; os.mkdir(\"p\"); open(\"p/q\", \"w\").close()'
expect_in out "2 files and folders that were written in the sandbox ("
expect_in out "are gone with it: --out DIR saves them in DIR, and --keep keeps the sandbox"
on_terminal run --yes --dir given -c 'print(open(\"old\").read())'
expect_in out "old"
! grep -q "gone with it" out || wrong "nothing is lost"
on_terminal run --yes --dir given -c 'open(\"sub/same\", \"w\").write(\"new\\n\"); open(\".env\", \"w\").close()'
expect_in out "1 file that was written in the sandbox (sub/same) is gone with it"
on_terminal run --yes --name box -c 'open(\"b.csv\", \"w\").close()'
! grep -q "gone with it" out || wrong "a kept sandbox loses nothing"
mkdir -p tools && echo 'print(1)' >tools/x.py
on_terminal run --yes tools/x.py
! grep -q "gone with it" out || wrong "the program's folder is not the code's"
try run --yes -c 'open("a.csv", "w").close()'
expect_err ""

# saved FOLDER FILES: what is in the folder, and nothing else.
saved() { [ "$(cd "$1" && find . ! -name . | sort | tr '\n' ' ')" = "$2" ] || wrong "the files: $(find "$1")"; }
try run --yes --dir given --out saved -c 'import os; os.makedirs("p/q"); open("p/q/z", "w").write("deep"); open("old", "w").write("new\n")
open(".env", "w").close(); open("package.json", "w").close(); os.mkdir("empty")'
expect_code 0
expect_err ""
saved saved "./.env ./empty ./old ./p ./p/q ./p/q/z ./package.json "
[ "$(cat saved/old given/old)" = "new
old" ] || wrong "the copy in the sandbox has changed"
try run --yes --out saved/old -c 1
expect_code 125
expect_in err "--out: 'saved/old' is no folder"
try run --yes --out saved/old/x -c 1
expect_code 125
expect_in err "--out: 'saved/old/x' is no folder"
try run --yes --out "$dir/new/a//b/" -c 'open("x", "w").close()'
expect_code 0
expect_err ""
saved new "./a ./a/b ./a/b/x "
try run --yes --out new2/../new3 -c 'open("x", "w").close()'
expect_code 0
saved new3 "./x "
ln -s nowhere dangling
try run --yes --out dangling/x -c 1
expect_code 125
expect_in err "--out: 'dangling/x' is no folder, and none can be made there: "
if [ "$(id -u)" != 0 ]; then
	mkdir locked && chmod 555 locked
	try run --yes --out locked/a/b -c 1
	expect_code 125
	expect_in err "--out: 'locked/a/b' is no folder, and none can be made there: Permission denied"
	rmdir locked
fi
try run --yes --out saved2 -c 'open("x", "w").close(); 1/0'
expect_code 1
[ -f saved2/x ] || wrong "a failure keeps nothing back"
try run --yes --out unmade --dir nowhere -c 1
[ ! -e unmade ] || wrong "the folder is made only when there are files"
try run --yes --out res:1 -c 'open("x", "w").close()'
expect_code 0
saved res:1 "./x "
try run --yes --out - -c 'open("x", "w").close()'
expect_code 0
saved ./- "./x "
try run --yes --out saved3 tools/x.py
saved saved3 ""

# What one piece has written stays when a later one fails, or when somebody interrupts it.
try run --yes --out saved4 -c 'open("x", "w").close()' -c 'import os; os._exit(3)' -c 'open("y", "w").close()'
[ -f saved4/x ] || wrong "the first piece has written"
{ printf '# ' && head -c 15000000 /dev/zero | tr '\0' '\1'; } >long.py
try run --yes --out saved11 -c 'open("x", "w").close()' long.py
expect_code 125
expect_in err "the code is too long"
saved saved11 "./x "
rm -f out
"$terrarium" run --yes --out saved5 -c 'open("x", "w").close(); print(1, flush=True)
while True: pass' >out 2>err &
until_true test -s out
kill -INT $!
code=0 && wait $! || code=$?
tried="run --out, interrupted"
expect_code 130
[ -f saved5/x ] || wrong "an interrupt loses nothing"
rm -f out
"$terrarium" run --yes --out saved6 -c 'open("x", "w").close(); print(1, flush=True)
while True: pass' >out 2>err &
until_true test -s out
kill -TERM $!
code=0 && wait $! || code=$?
tried="run --out, terminated"
expect_code 143
[ -f saved6/x ] || wrong "a signal loses nothing"

# What a person has changed meanwhile stays. The sandbox ends the wait.
mkdir own && echo 1 >own/edited && echo 1 >own/left && mkfifo go
rm -f out
"$terrarium" run --yes --dir own --out own -c 'open("edited", "w").write("code\n"); open("left", "w").write("code\n")
print(1, flush=True); input()' >out 2>err <go &
tried="run --dir own --out own"
exec 9>go
until_true test -s out
echo mine >own/edited
echo >&9
exec 9>&-
code=0 && wait $! || code=$?
expect_code 125
expect_err "terrarium: own/edited: this has changed here meanwhile, and is not replaced"
[ "$(cat own/edited own/left)" = "mine
code" ] || wrong "whose edits: $(cat own/edited own/left)"

# Links are no way to files of this machine.
try run --yes --out links -c 'import os; os.symlink("/etc/passwd", "pw"); os.symlink("/usr", "usr"); os.symlink("x", "l"); open("x", "w").close()'
expect_code 125
expect_in err "links/pw: this link leads out of the copied tree (to /etc/passwd)"
[ "$(readlink links/l)" = x ] || wrong "a link stays a link"
saved links "./l ./x "
try run --yes --out links2 -l bash -c 'ln -s /etc/passwd x; mkdir d; ln -s ../../../etc/passwd d/up; ln -s /etc d/etc; ln -s loop loop; ln -s d/in in; echo in >d/in'
expect_code 125
for link in x d/up d/etc; do
	expect_in err "links2/$link: this link leads out of the copied tree (to "
done
saved links2 "./d ./d/in ./in ./loop "
! grep -r root: links2/d || wrong "the contents of /etc/passwd"

# What was there before was not written, and what is on this machine already is not copied.
try run --yes --keep --name older -c 'open("before", "w").close()'
try run --yes --name older --out saved7 -c 'open("after", "w").close()'
saved saved7 "./after "
try run --yes --name older -c 'import os; os.mkdir("shut"); os.chmod("shut", 0)'
if ! "$terrarium" exec older -- ls shut >/dev/null 2>&1; then
	try run --yes --name older --workdir shut --out saved9 -c 'open("x", "w").close()'
	expect_code 125
	expect_in err "terrarium: --out: what is written cannot be told from what is there: "
	[ ! -e saved9 ] || wrong "nothing has run"
fi
if has_namespaces; then
	mkdir shared
	try run --yes --isolation namespaces --mount "$dir/shared:/workspace/shared:rw" --out saved8 -c 'open("shared/x", "w").close(); open("y", "w").close()'
	expect_code 0
	saved saved8 "./y "
	[ -f shared/x ] || wrong "it is on this machine"
	try run --yes --isolation namespaces --mount "$dir/shared:/workspace:rw" --out saved10 -c 'open("z", "w").close()'
	expect_code 125
	expect_in err "it lies in a folder of this machine, which was mounted"
fi

# Behind a name that was mistyped may be a stranger's package.
try run --yes --json -c 'import nunpy'
expect_in out "\"hint\":\"if a package of this name is what you mean: 'terrarium run --with nunpy …' installs it first\""
try run --yes --json -c 'import skimage'
grep -q '"status":"ok"' out || expect_in out "\"hint\":\"'terrarium run --with scikit-image …' installs it first\""

# Files lie in memory.
if has_namespaces; then
	try run --yes --isolation namespaces --memory 64 --disk 60 -c 1
	expect_code 0
	expect_err "terrarium: note: files are kept in memory, so they can have 48 MiB, three quarters of the memory limit; 60 MiB of files need a limit of 80 MiB"
	try run --yes --memory 64 -c 1
	expect_err ""
fi
try run --yes --isolation none --memory 64 --disk 60 -c 'import os; print(os.getcwd())'
case $(cat out) in
/dev/shm/*) expect_in err "so they can have 48 MiB" ;;
*) ! grep -q "kept in memory" err || wrong "nothing to note" ;;
esac

# A command that was mistyped, with options and a file behind it.
for words in "rnu x.py" "rnu --json x.py" "rnu"; do
	try $words
	expect_code 125
	expect_err "terrarium: there is no command and no file 'rnu'; did you mean 'terrarium run'?"
done

verdict
