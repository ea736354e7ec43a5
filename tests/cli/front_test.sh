#!/bin/sh
# SPDX-License-Identifier: MIT
# What people start is a small static program with the full one behind it: nobody can tell which of them it was.
. "$(dirname "$0")/tell.sh"
tried="the build" code=0
: >out >err
full=$(dirname "$terrarium")/terrarium-full
[ -e "$full" ] || { echo "SKIP: this build has the full program alone"; exit 77; }
need_local
own_runtime
try run --yes --keep --name lab -c 'x = 41'
expect_code 0

# Numbers of runs and the name of the program's file are not the same twice.
plain() { sed -e 's/<run [0-9]*>/<run>/g' -e 's/"\(run\|started_ms\|wall_ms\|cpu_ms\|wall_us\|cpu_us\|mem_peak_bytes\)":[^,}]*/"\1":0/g' "$1"; }

# same ARG…: both programs do the same with these words, and print the same.
same() {
	tried="terrarium $*"
	code=0
	setsid -w "$full" "$@" <input >out 2>err || code=$?
	plain out >full.out
	plain err >full.err
	full_code=$code code=0
	setsid -w "$terrarium" "$@" <input >out 2>err || code=$?
	plain out >front.out
	plain err >front.err
	[ "$code" = "$full_code" ] || wrong "the full program's exit code is $full_code"
	cmp -s full.out front.out || wrong "the full program prints on stdout: $(cat full.out)"
	cmp -s full.err front.err || wrong "the full program prints on stderr: $(cat full.err)"
}

echo 'typed' >input
echo 'print("from a file", x)' >code.py
echo 'echo from bash' >code.sh
printf '\377' >broken.py

# ---- run
same run --yes --name lab -c 'x + 1'
same run --yes --name=lab -c 'print("a"); 7' -c '"b"'
same run -y --name lab code.py
same run -y --name lab code.sh
same run --yes --name lab -l bash -c 'echo $((6*7)); exit 3'
same run --yes --name lab -c '1/0'
same run --yes --name lab -c 'import sys; sys.stderr.write("aside\n"); sys.exit(7)'
same run --yes --name lab -c 'input()'
same run --yes --name lab --json -c '[1, {"a": "é"}]'
same run --yes --name lab --timeout 0.2 -c 'while True: pass'
same run --yes --name lab -c 'for i in range(20000): print(i, "\x1b[31mred\x1b[0m")'
same run --yes --name lab --memory 99 -c 1
same run --yes --name lab -c 'import os, signal; os.kill(os.getpid(), signal.SIGSEGV)'
same run --yes --name lab -c 'import os, signal; os.kill(os.getpid(), signal.SIGFPE)'
same run --yes --name lab -c 'print(b"<svg/>")' --save-figures figures
same run --yes --name lab -
same run --yes --name lab
same run --name lab -c 1
same run --yes --name lab no-such-file.py
same run --yes --name lab broken.py
same run --yes --name lab "$dir"
same run --yes --name ../lab -c 1
same run --yes --name lab --no-such-option -c 1
same run --yes --name lab -c
same run --name lab --help
same run --yes --name lab -c 1 --memory none
same run --yes --name lab --backend none -c 1
same run --yes -c '"a sandbox of its own"'
same run --yes --name lab --command true
same run --yes -c --name -c lab

# ---- exec
same exec lab -- echo 'some words'
same exec --name lab sh -c 'cat; echo aside >&2; exit 5'
same exec lab -- sh -c 'kill -FPE $$'
same exec lab -- no-such-command
same exec lab -- /etc/passwd
same exec lab --
same exec nobody -- true
same exec
same exec --help

# ---- settings
mkdir -p config/terrarium
echo '{ "confirm": false, "timeout": 5, "language": "bash" } // a comment' >config/terrarium/config.json
same run --name lab -c 'echo by config'
echo '{ "confirm": false, }' >config/terrarium/config.json
same run --name lab -c 'echo broken config'
echo '{ "confirm": true, "no such": 1 }' >config/terrarium/config.json
same run --yes --name lab -c 'echo unknown setting'
rm config/terrarium/config.json
export TERRARIUM_TIMEOUT=never
same run --yes --name lab -c 1
unset TERRARIUM_TIMEOUT
echo 'TERRARIUM_LANGUAGE="bash"' >.env
same run --yes --name lab -c 'echo by .env'
rm .env

# ---- the rest is handed over as it is
same --version
same themes
same no-such-command

# Whoever copies the one file has all of it; and a file that another user has put beside it is not started.
mkdir alone
cp "$terrarium" alone/program
code=0
tried="a copy of the program alone"
alone/program langs >out 2>err || code=$?
expect_code 0
expect_in out python
if [ "$(id -u)" = 0 ]; then
	printf '#!/bin/sh\necho planted\n' >alone/terrarium-full
	chmod 755 alone/terrarium-full
	chown 65534 alone/terrarium-full
	tried="a copy with another user's file beside it"
	alone/program langs >out 2>err || code=$?
	expect_in out python
fi

# A reader that goes away ends it as any program.
for program in "$full" "$terrarium"; do
	tried="$program | head"
	code=0
	{ "$program" run --yes --name lab -c 'for i in range(10**6): print(i)' 2>err || echo $? >code; } | head -n 1 >out
	[ "$(cat code)" = 141 ] || wrong "the exit code should be 141, and is $(cat code)"
done
verdict
