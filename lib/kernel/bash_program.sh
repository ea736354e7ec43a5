# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Part of the Bash driver (bash.sh): a file as a program. A Bash of its own runs it, and this one waits: only so
# everything is as with `bash FILE`: $0, FUNCNAME, options, traps, whatever ends it.

# Put the program's source, __trm_source, where its file's name $1 leads to from here, if that is nowhere above
# and nothing is there; else into a new directory. The path is __trm_path; __trm_made is to be removed, with that.
__trm_place() {
	__trm_path=$1 __trm_made=
	[[ $1 == /* || /$1/ == */../* ]] && __trm_path=${1##*/}
	__trm_is_source "$__trm_path" || __trm_write_source "$__trm_path" ||
		__trm_write_source "$(mktemp -d)/${1##*/}"
}

__trm_is_source() {
	local text=
	[[ -f $1 && -r $1 ]] || builtin return
	IFS= builtin read -r -d '' text <"$1"
	[[ $text == "$__trm_source" ]]
}

# Not over a file, or through a link.
__trm_write_source() {
	local -
	[[ ! -L $1 ]] && { [[ $1 != */* || -d ${1%/*} ]] || mkdir -p -- "${1%/*}"; } || builtin return
	set -C
	builtin printf %s "$__trm_source" >"$1" && __trm_path=$1 __trm_made=$1
} 2>/dev/null

# The run of a program.
__trm_program() {
	local status died= interrupted=
	if ! __trm_place "$__trm_file"; then
		builtin printf 'terrarium: the sandbox has no place for %s: its /tmp cannot be written to\n' "$__trm_file" >&2
		builtin return 126
	fi
	__trm_open_source
	__trm_prelude >&228
	exec 228>&-
	builtin trap interrupted=1 INT
	# What this shell itself would say of a killed program goes aside.
	{
		BASH_ENV=/proc/self/fd/229 SHLVL=$((SHLVL - 1)) "$BASH" -- "$__trm_path" "${__trm_args[@]}" 2>&239 213>/proc/self/fd/253 239>&-
		status=$?
	} 239>&2 2>&241
	exec 229<&-
	__trm_arm
	[[ $__trm_made ]] && rm -f -- "$__trm_made"
	[[ $__trm_made == /* ]] && rmdir -- "${__trm_made%/*}" 2>/dev/null
	builtin read -t 0 -u 241 && builtin read -r -u 241 died
	[[ $interrupted ]] && __trm_leave interrupted 130
	[[ $died ]] && __trm_die_of $((status - 128))
	builtin return $status
}

# End as the program has, so that it is told as its own end.
__trm_die_of() {
	builtin trap - EXIT "$1"
	builtin kill -"$1" $$
}

# What the program's shell reads first: display and read, as here.
__trm_prelude() {
	builtin declare -f display read __trm_{hide,open_pause,join,quote,await,display,mime_of,display_one,put_display}
	builtin printf '__trm_id=%s __trm_display_max=%s; __trm_join\n' "$__trm_id" $__trm_display_max
	if [[ ${BASH_ENV-} ]]; then
		builtin printf 'BASH_ENV=%q; . "$BASH_ENV"\n' "$BASH_ENV"
	else
		builtin printf 'unset BASH_ENV\n'
	fi
}

# In that shell: the descriptors that these two use.
__trm_join() {
	exec 229<&- 235<&0
	__trm_open_pause
	__trm_hide 235 240
	__trm_hide 213 253
	builtin unset -f __trm_join __trm_open_pause __trm_hide
}
