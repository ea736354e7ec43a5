#!/bin/sh
# SPDX-License-Identifier: MIT
# Containers that others have made: listed by `ps --containers`, looked into by `attach ENGINE:CONTAINER`. A shell
# script is the engine; the container is this machine.
terrarium=$1
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
export XDG_RUNTIME_DIR="$dir/run" XDG_CONFIG_HOME="$dir/config" PATH="$dir/bin:/usr/bin:/bin" HOME="$dir"
unset TERRARIUM_BACKEND DOCKER_HOST
mkdir -m 700 "$dir/run" && mkdir -p "$dir/bin" "$dir/config/terrarium"
for engine in docker podman; do # whatever is installed here plays no part
	printf '#!/bin/sh\nexit 0\n' >"$dir/bin/$engine" && chmod +x "$dir/bin/$engine"
done

cat >"$dir/bin/toy" <<'END'
#!/bin/sh
echo "$*" >>"$HOME/log"
case $1 in
list) printf '0a1b\tweb\tsome:image\trunning\n2c3d\tterrarium-mine-01234567\tx\trunning\n\tno id\n' ;;
adopt) printf 'running\t\t0a1b\tsome:image\n' ;;
put) cat >"$HOME/agent" && chmod +x "$HOME/agent" ;;
connect) exec "$HOME/agent" connect --key "$2" -- ;;
release) exec "$HOME/agent" stop --key "$2" --remove ;;
esac
END
chmod +x "$dir/bin/toy"
cat >"$dir/config/terrarium/config.json" <<'END'
{"backends": {
	"toy": {"program": "toy", "put_reads": "agent", "steps": {
		"list_all": ["toy", "list"],
		"adopt": ["toy", "adopt", "{container}"],
		"put": ["toy", "put", "{id}"],
		"connect": ["toy", "connect", "{key}"],
		"release": ["toy", "release", "{key}", "{id}"],
		"destroy": ["toy", "destroy", "{id}"]}},
	"stuck": {"program": "sh", "steps": {
		"list_all": ["sh", "-c", "sleep 1000"], "connect": ["sh", "{agent}", "{key}"], "destroy": ["sh"]}},
	"sour": {"program": "sh", "steps": {
		"list_all": ["sh", "-c", "echo no daemon here >&2; exit 1"],
		"connect": ["sh", "{agent}", "{key}"], "destroy": ["sh"]}}
}}
END

failures=0
check() { # what, file, extended regular expression
	grep -Eq -- "$3" "$2" && return
	echo "FAILED: $1: no '$3' in:" && cat "$2"
	failures=$((failures + 1))
}
check_not() {
	grep -Eq -- "$3" "$2" || return 0
	echo "FAILED: $1: '$3' in:" && cat "$2"
	failures=$((failures + 1))
}

"$terrarium" ps --containers >"$dir/out" 2>"$dir/err" || failures=$((failures + 1))
check 'the table' "$dir/out" '^toy:web +running +some:image$'
check_not 'our own' "$dir/out" 'mine|no id'
check 'an engine that fails' "$dir/err" '^terrarium: cannot list the containers of sour: no daemon here$'
check 'an engine that hangs' "$dir/err" '^terrarium: cannot list the containers of stuck: .*within 3 s$'
"$terrarium" ps >"$dir/out" 2>"$dir/err"
check_not 'nobody has asked' "$dir/out" 'toy:web'
"$terrarium" ps -c --json >"$dir/out" 2>/dev/null
check 'json' "$dir/out" '"name":"toy:web","state":"running","backend":"toy","origin":"some:image","container":"0a1b"'
"$terrarium" ps -c --names >"$dir/out" 2>/dev/null
check 'names' "$dir/out" '^toy:web$'

"$terrarium" attach --repl none:web </dev/null >"$dir/out" 2>"$dir/err" && failures=$((failures + 1))
check 'no such engine' "$dir/err" 'none'
"$terrarium" attach --repl toy: </dev/null >"$dir/out" 2>"$dir/err" && failures=$((failures + 1))
check 'no container' "$dir/err" 'ENGINE:CONTAINER'
: >"$dir/log"
echo 'echo code has run' | setsid "$terrarium" attach --repl -l bash toy:web >"$dir/out" 2>"$dir/err" && failures=$((failures + 1))
check 'nobody to ask' "$dir/err" 'no terminal to ask on before an agent is put into toy:web; give --yes'
check_not 'nothing was done' "$dir/log" 'put|connect'
echo 'echo code has run' | setsid "$terrarium" attach --repl -l bash --yes toy:web >"$dir/out" 2>"$dir/err" ||
	failures=$((failures + 1))
check 'a run in it' "$dir/out" '^code has run$'
check 'the agent is taken out' "$dir/log" '^release [0-9a-f]{32} 0a1b$'
[ -e "$dir/agent" ] && echo 'FAILED: its file is still there' && failures=$((failures + 1))
check_not 'and nothing else is done' "$dir/log" 'destroy'
[ $failures -eq 0 ] || { cat "$dir/err"; exit 1; }
