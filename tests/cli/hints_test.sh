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
grep -q "add --mount 'data.csv:/workspace/data.csv'\|'terrarium run --dir \. -l bash -c …'" err || wrong "what to do"
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
mkdir given && echo old >given/old && mkdir given/sub
on_terminal run --yes -c 'open(\"a.csv\", \"w\").close(); import os; os.mkdir(\"p\")'
expect_in out "2 files that were written in the sandbox ("
expect_in out "are gone with it: --out DIR saves them in DIR, and --keep keeps the sandbox"
on_terminal run --yes --dir given -c 'print(open(\"old\").read())'
expect_in out "old"
! grep -q "gone with it" out || wrong "nothing is lost"
on_terminal run --yes --dir given -c 'open(\"old\", \"w\").write(\"new\\n\")'
expect_in out "1 file that was written in the sandbox (old) is gone with it"
on_terminal run --yes --name box -c 'open(\"b.csv\", \"w\").close()'
! grep -q "gone with it" out || wrong "a kept sandbox loses nothing"
try run --yes -c 'open("a.csv", "w").close()'
expect_err ""
try run --yes --dir given --out saved -c 'import os; os.makedirs("p/q"); open("p/q/z", "w").write("deep"); open("old", "w").write("new\n")
open("sub/b", "w").close()'
expect_code 0
expect_err ""
[ "$(cd saved && find . -type f | sort | tr '\n' ' ')" = "./old ./p/q/z ./sub/b " ] || wrong "the files: $(find saved)"
[ "$(cat saved/old given/old)" = "new
old" ] || wrong "the copy in the sandbox has changed"
try run --yes --out saved/old -c 1
expect_code 125
expect_in err "--out: 'saved/old' is no folder"
try run --yes --out saved2 -c 'open("x", "w").close(); 1/0'
expect_code 1
[ -f saved2/x ] || wrong "a failure keeps nothing back"

# Behind a name that was mistyped may be a stranger's package.
try run --yes --json -c 'import nunpy'
expect_in out "\"hint\":\"if a package of this name is what you mean: 'terrarium run --with nunpy …' installs it first\""
try run --yes --json -c 'import skimage'
grep -q '"status":"ok"' out || expect_in out "\"hint\":\"'terrarium run --with scikit-image …' installs it first\""

# Files lie in memory.
if has_namespaces; then
	try run --yes --isolation namespaces --memory 64 --disk 60 -c 1
	expect_code 0
	expect_err "terrarium: note: files are kept in memory, so they can have 48 MiB, three quarters of --memory; --disk 60 needs --memory 80"
	try run --yes --memory 64 -c 1
	expect_err ""
	try run --yes --isolation landlock --memory 64 --disk 60 -c 1
	! grep -q "kept in memory" err || wrong "nothing to note"
fi

# A command that was mistyped, with options and a file behind it.
for words in "rnu x.py" "rnu --json x.py" "rnu"; do
	try $words
	expect_code 125
	expect_err "terrarium: there is no command and no file 'rnu'; did you mean 'terrarium run'?"
done

verdict
