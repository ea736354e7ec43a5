# SPDX-License-Identifier: MIT
# For the scripts beside this one. After `try COMMAND…` what it did is in $code and in the files
# out and err; the expect_… functions compare. Ends with a verdict on everything.

terrarium=$1
source=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export XDG_CONFIG_HOME="$dir/config" HOME="$dir" LC_ALL=C.UTF-8
unset TERRARIUM_CONFIG TERRARIUM_BACKEND PYTHONUNBUFFERED
n_wrong=0

# try ARG…: run terrarium, away from any terminal.
try() {
	tried="terrarium $*"
	code=0
	setsid -w "$terrarium" "$@" >out 2>err || code=$?
}

wrong() {
	n_wrong=$((n_wrong + 1))
	printf 'WRONG: %s\n  %s\n' "$tried" "$1"
	printf '  code %s\n' "$code"
	sed 's/^/  out: /' out | head -n 20
	sed 's/^/  err: /' err | head -n 20
}

# is_json PYTHON: `value`, what was printed, is as this expression says.
is_json() {
	PYTHONDONTWRITEBYTECODE=1 python3 -c 'import json,sys; value = json.load(open("out")); sys.exit(not eval(sys.argv[1]))' \
		"$1" 2>>err || wrong "JSON with: $1"
}

expect_code() { [ "$code" = "$1" ] || wrong "the exit code should be $1"; }
# expect_out TEXT: exactly this, with a newline at its end; nothing if TEXT is empty.
expect_out() { [ "$(cat out)" = "$1" ] || wrong "stdout should be: $1"; }
expect_err() { [ "$(cat err)" = "$1" ] || wrong "stderr should be: $1"; }
expect_in() { grep -qF -e "$2" "$1" || wrong "$1 should contain: $2"; }

# until_true COMMAND…: within two minutes.
until_true() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		if [ $tries = 6000 ]; then
			tried="$*"
			wrong "this should have become true"
			return 1
		fi
		sleep 0.02
	done
}

# A runtime directory of our own; whatever goes wrong, none of its sandboxes is left running.
own_runtime() {
	export XDG_RUNTIME_DIR="$dir/run"
	mkdir -m 700 run
	trap '"$terrarium" stop --all --yes >/dev/null 2>&1; rm -rf "$dir"' EXIT
}

# field NAME KEY: of ps --json.
field() {
	"$terrarium" ps --json | python3 -c '
import json, sys
for box in json.load(sys.stdin):
    if box["name"] == sys.argv[1]:
        print(json.dumps(box[sys.argv[2]]))' "$1" "$2"
}

# Many tests need a sandbox of this machine.
need_local() {
	code=0
	"$terrarium" run --yes --backend local -c pass >out 2>err || code=$?
	if [ $code != 0 ]; then
		echo "SKIP: no local sandbox on this machine: $(tail -n 1 err)"
		exit 77
	fi
}

# Some tests are about namespaces, and not about sandboxes of any kind.
need_namespaces() {
	why=$(sh "$source/tests/support/namespaces.sh") || { echo "SKIP: $why"; exit 77; }
}

# as_named FILE: without namespaces a sandbox's folder lies somewhere on this machine: its places by the names that they
# have with namespaces.
as_named() { sed -e 's|/[a-z/]*/terrarium-[a-z2-7]\{8\}/home|/home/user|g' -e 's|/[a-z/]*/terrarium-[a-z2-7]\{8\}/|/|g' "$1"; }

has_namespaces() { sh "$source/tests/support/namespaces.sh" >/dev/null; }

# need_language LANG: its interpreter is there and starts.
need_language() {
	code=0
	"$terrarium" run --yes -l "$1" -c '' >out 2>err || code=$?
	if [ $code != 0 ]; then
		echo "SKIP: no $1 on this machine: $(tail -n 1 err)"
		exit 77
	fi
}

verdict() {
	if [ $n_wrong = 0 ]; then
		echo "all as expected"
		exit 0
	fi
	echo "$n_wrong wrong"
	exit 1
}
