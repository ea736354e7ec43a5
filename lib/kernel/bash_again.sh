# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Part of the Bash driver (bash.sh): executing Bash anew, with its state.

# The shell is exiting with status $1, by other means than our exit().
__trm_die() {
	local __trm_options=$-
	[[ $__trm_how ]] && __trm_options=${-//[ET]}$__trm_flags
	set +euxvf +o posix
	IFS=$' \t\n'
	[[ $__trm_id && $BASHPID == "$$" ]] || builtin exit "$1"
	__trm_last=$1
	[[ $__trm_on_exit ]] && (__trm_again && builtin :; builtin eval "$__trm_on_exit")
	__trm_on_exit= __trm_before= __trm_how=exit __trm_exit=$1
	{ __trm_finish "$1"; } 2>/dev/null
	builtin eval "$__trm_before"
	shift
	for __trm_argument; do __trm_keep_argument; done
	__trm_revive "$__trm_options"
}

# Bash 5.2 overwrites memory of its own when it parses on after a substitution without an end. So
# nothing here may have it parse a substitution or an array.
__trm_has_broken_parser() {
	local said=
	[[ $__trm_code == *[\$\<\>]\(* ]] || builtin return 1
	LC_ALL=C "$BASH" --norc --noprofile -O extglob -n -c "$__trm_code" 2>&241
	builtin read -r -t 0.01 -u 241 said
	while builtin read -t 0 -u 241; do builtin read -r -t 0.01 -u 241 __trm_text; done
	[[ $said == *"looking for matching \`)'"* ]]
}

__trm_keep_argument() {
	builtin printf -v __trm_text ' %q' "$__trm_argument"
	__trm_arguments+=$__trm_text
}

# Start again with the same state. The options are $1, the positional parameters are in
# __trm_arguments, quoted.
__trm_revive() {
	set +euf +o posix
	__trm_open_source
	{
		__trm_save
		__trm_continuation
		builtin printf 'set -%sh\n' "${1//[^aefuCET]}"
	} >&228 2>/dev/null &
	__trm_restart
}

# The state as commands that restore it.
__trm_save() {
	local __trm_line
	builtin shopt -p
	builtin declare -f
	builtin declare -F | while builtin read -r __trm_line; do
		[[ $__trm_line == 'declare -f'?' '* ]] && builtin printf '%s\n' "$__trm_line"
	done
	for __trm_line in $(builtin compgen -v); do
		case $__trm_line in
		BASH | BASHOPTS | BASH_* | COMP_WORDBREAKS | DIRSTACK | EUID | FUNCNAME | GROUPS | IFS) ;;
		LINENO | PIPESTATUS | PPID | RANDOM | SHELLOPTS | SRANDOM | UID | __trm_line | __trm_options | __trm_ticks | _) ;;
		*) builtin declare -p "$__trm_line" ;;
		esac
	done
	builtin alias -p
	builtin printf 'set --%s\n' "$__trm_arguments"
}

# The pipe that the next shell reads its commands from: 228 to write, 229 to read.
__trm_open_source() {
	exec 229<<<''
	exec 228>/proc/self/fd/229
}

# What the next shell must do after it knows our functions and variables.
__trm_continuation() {
	builtin printf '%s\n' '__trm_id= __trm_how= __trm_arguments= __trm_ticks=()' \
		'__trm_hide_all 233 234 {220..213}' \
		'exec 229<&- 0<&230 1>&231 2>&232 230<&- 231>&- 232>&-' \
		'__trm_arm_deadly' '__trm_arm'
}

# Execute Bash anew in this process. The arguments are a command to do that by.
__trm_restart() {
	local fd
	exec 228>&- 230<&0 231>&1 232>&2 0<&240 1>&252 2>&251
	exec 233</proc/self/fd/254 234>/proc/self/fd/253 # anew, to be without close-on-exec
	for fd in {243..250}; do
		[[ -e /proc/self/fd/$fd ]] && eval "exec $((fd - 30))>/proc/self/fd/$fd"
	done
	exec "$@" "$BASH" --norc --noprofile -c "${__trm_start/5/229}"
}
