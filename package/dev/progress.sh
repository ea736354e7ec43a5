# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Steps that take long say how far they are: on a terminal in a line that is rewritten each second, elsewhere every ten
# seconds in a line of its own. A step that goes on beside another (is_beside=1) leaves the terminal to that one.
is_beside=

# with_progress WHAT COUNT LOG COMMAND...: run the command with its output in the file LOG. COUNT is a function that
# reads this file and prints how far the command is. The output is shown if the command fails.
with_progress() (
	what=$1 count=$2 log=$3
	shift 3
	: >"$log"
	show_progress &
	shower=$!
	code=0
	"$@" >"$log" 2>&1 </dev/null || code=$?
	kill $shower 2>/dev/null || :
	wait $shower 2>/dev/null || :
	[ ! -t 2 ] || printf '\r\033[K' >&2
	[ $code = 0 ] || cat "$log" >&2
	exit $code
)

# Until it is killed, or this script has ended.
show_progress() {
	seconds=0
	while sleep 1 && kill -0 $$ 2>/dev/null; do
		seconds=$((seconds + 1))
		if [ -t 2 ]; then
			[ -n "$is_beside" ] || printf '\r\033[Kdev: %s: %s' "$what" "$("$count" "$log")" >&2
		elif [ $((seconds % 10)) = 0 ]; then
			say "$what: $("$count" "$log")"
		fi
	done
}

count_compiled() {
	sed -n 's/^\[\([0-9]*\)\/\([0-9]*\)\].*/\1 of \2/p' "$1" | tail -n 1
}

# Each package is fetched, unpacked and set up.
count_installed() {
	awk '
		/ newly installed, / { n = $1 + $3 }
		/^Get:/ { fetched++ }
		/^Unpacking / { unpacked++ }
		/^Setting up / { ready++ }
		END {
			print fetched + 0 " fetched, " unpacked + 0 " unpacked, " ready + 0 " ready, of " n + 0
		}' "$1"
}

count_fetched() {
	grep -c '^Get:' "$1" || :
}
