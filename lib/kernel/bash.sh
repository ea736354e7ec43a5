# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The kernel driver for Bash. What is spoken on its descriptors is in kernel.h. In the embedded source
# bash_again.sh, bash_ask.sh, bash_display.sh and bash_program.sh come before this file.
#
# Theory of operation. The user's code runs in this very shell, by `eval` at the top level, so that
# variables, functions, options and the directory persist and `declare` makes globals. The loop is
# mapfile's: it reads /dev/zero and evaluates __trm_loop after each byte, for ever. So what breaks that
# loop (a stray `break` of the user's, or our own way out of a run) only leads back into it; and after
# `break` Bash executes nothing more of the strings being evaluated, which no other means achieves.
#
# The way out of a run from any depth (exit, interrupt): a DEBUG trap under `extdebug` makes every
# function and sourced file return before its next command, and breaks the loop when the top level
# is reached. No error is raised that the code could catch.
#
# What ends the shell all the same (set -e, set -u, ${x:?}, `builtin exit`) reaches the EXIT trap: it
# saves the state as text and executes Bash anew in the same process, which reads it. What is lost by
# that: the table of jobs, xtrace, and where it happened in a function, what its locals had hidden.
#
# Nothing is forked while code is run, only to answer questions. Descriptors of ours, all of them
# close-on-exec: 254 requests, 253 events, 252 251 set 0, 250 … 243 the spare sets, 242 /dev/zero,
# 241 both ends of a pipe in which nothing is, 240 standard input. 213 … 239 are used in passing.
# Whatever may run inside the user's code begins with "builtin", and its variables with "__trm_".

__trm_start='. /proc/self/fd/5; mapfile -d "" -c 1 -C "$__trm_loop" -u 242 __trm_ticks'
__trm_loop='while { __trm_step "$?"; } 2>/dev/null; do'
__trm_loop+=' builtin eval "$__trm_before" && __trm_nothing; builtin eval "$__trm_code"; done #' # one line, as LINENO counts
# A `for` goes on with its next word when it is broken here, one loop less: it is skipped, word by word.
__trm_unwind='if [[ ${BASH_SOURCE[0]+x} ]]; then __trm_two
	elif [[ $BASH_COMMAND != "for "* ]]; then builtin trap - DEBUG; ! builtin break 9999
	else ! builtin :; fi'
# __trm_id: of the run, as JSON text, empty between runs. __trm_how: why it is being left, "exit" or
# "interrupted". __trm_exit: with which status. __trm_on_exit: the user's EXIT trap. __trm_last: exit
# status of the last run. __trm_flags: those of the options e, E and T
# that were set before.
__trm_set=0  # of descriptors 1 and 2
__trm_due=   # the set that `done` has named, until they have moved there
__trm_is_leaving= # the program has ended
__trm_pid=   # the newest process when the last run ended
declare -A __trm_strangers # processes that have none of our pipes, and get none any more
__trm_failglob= # it is the user's, and off while processes are looked for
__trm_cpu=0  # at the end of the last run, µs

# ---- descriptors --------------------------------------------------------------------

# Move descriptor $1 to $2, close-on-exec. Bash has no word for that, but it marks the copy that it
# keeps of a redirected descriptor so, and a duplicate of a marked one is marked as well.
__trm_hide() {
	local copy=10
	while [[ -e /proc/self/fd/$copy ]]; do ((++copy)); done
	eval "{ exec 239>&$copy; } $1>&-; exec $1>&- $2>&239 239>&-"
}

# Descriptor 241.
__trm_open_pause() {
	exec 238<<<''
	exec 241<>/proc/self/fd/238 238>&- # a here-string of this size is a pipe: now both ends of it
	builtin read -r -u 241 __trm_line
	__trm_hide 241 241
}

# Put all descriptors in their places: requests and events come at $1 and $2, the spare sets at the rest.
__trm_hide_all() {
	local fd place=250
	exec 235<&0 236>&1 237>&2 242</dev/zero
	__trm_open_pause
	__trm_hide 235 240
	__trm_hide 236 252
	__trm_hide 237 251
	__trm_hide 242 242
	__trm_hide "$1" 254
	__trm_hide "$2" 253
	for fd in "${@:3}"; do
		[[ -e /proc/self/fd/$fd ]] && __trm_hide "$fd" $place
		((--place))
	done
}

# Move stdout and stderr to the set that is due, and the copies that the user has made of them, but not what was
# redirected. An interrupt may come at any step: then the next run begins this anew.
__trm_move() {
	local - fd from=$((252 - 2 * __trm_set)) to=$((252 - 2 * __trm_due))
	set +f
	for fd in /proc/self/fd/*; do
		fd=${fd##*/}
		[[ $fd == 2[1-5][0-9] ]] && continue # ours, and Bash's own
		# Opened anew, to be without close-on-exec.
		[[ /proc/self/fd/$fd -ef /proc/self/fd/$from ]] && builtin eval "exec $fd>/proc/self/fd/$to"
		[[ /proc/self/fd/$fd -ef /proc/self/fd/$((from - 1)) ]] &&
			builtin eval "exec $fd>/proc/self/fd/$((to - 1))"
	done
	__trm_set=$__trm_due __trm_due=
	builtin return 0
}

# What the user has closed, and not redirected, is there again in the next run: else nobody would hear of anything.
__trm_reopen() {
	[[ -e /proc/self/fd/1 ]] || builtin eval "exec 1>&$((252 - 2 * __trm_set))"
	[[ -e /proc/self/fd/2 ]] || builtin eval "exec 2>&$((251 - 2 * __trm_set))"
}

# ---- JSON ------------------------------------------------------------------------------

# The text of a JSON string's inside, in __trm_text. __trm_parse has dealt with \".
__trm_decode() {
	local raw=$1 rest high low
	__trm_text=$raw
	[[ $raw == *\\* ]] || builtin return 0
	if [[ $raw == *\\/* || $raw == *\\u[dD][89abAB]* ]]; then
		raw=${raw//\\\\/$'\1'} # so that every backslash begins an escape
		raw=${raw//\\\///}
		while [[ $raw == *\\u[dD][89abAB][0-9a-fA-F][0-9a-fA-F]\\u[dD][c-fC-F]* ]]; do
			rest=${raw#*\\u[dD][89abAB][0-9a-fA-F][0-9a-fA-F]}
			high=${raw:${#raw} - ${#rest} - 4:4} low=${rest:2:4}
			builtin printf -v high '\\U%08x' $((0x10000 + ((0x$high & 0x3ff) << 10) + (0x$low & 0x3ff)))
			raw=${raw:0:${#raw} - ${#rest} - 6}$high${rest:6}
		done
		raw=${raw//$'\1'/\\\\}
	fi
	builtin printf -v __trm_text %b "$raw"
}

# A JSON string with its quotes, in __trm_text.
__trm_quote() {
	local text=$1 i c code
	text=${text//\\/\\\\}
	text=${text//\"/\\\"}
	text=${text//$'\n'/\\n}
	text=${text//$'\t'/\\t}
	if [[ $text == *[[:cntrl:]]* ]]; then
		for ((i = 1; i < 32; i++)); do
			builtin printf -v code '\\x%02x' $i
			builtin printf -v c %b "$code"
			builtin printf -v code '\\u%04x' $i
			text=${text//"$c"/"$code"}
		done
	fi
	__trm_text=\"$text\"
}

# Take a request, one flat object, apart: into the variables __trm_got_KEY, strings still encoded but
# for their quotes. Control characters cannot be in it and stand for what would mislead a search.
__trm_parse() {
	local line=$1 key value rest has_escapes=
	__trm_got_op= __trm_got_id= __trm_got_code= __trm_got_file= __trm_got_program= __trm_got_cursor=0 __trm_got_cwd=
	__trm_got_args=() __trm_got_env=()
	if ((${#line} > 4096)); then
		__trm_parse_long "$line"
		builtin return
	fi
	if [[ $line == *\\* ]]; then
		has_escapes=1
		line=${line//\\\\/$'\1'}
		line=${line//\\\"/$'\2'}
	fi
	for key in op id code file program cursor cwd; do
		value=${line#*\"$key\":}
		[[ $value == "$line" ]] && continue
		value=${value# }
		case $value in
		\"*)
			value=${value#\"} value=${value%%\"*}
			[[ $has_escapes ]] && value=${value//$'\2'/\"} value=${value//$'\1'/\\\\}
			;;
		*) value=${value%%[!0-9a-z]*} ;;
		esac
		builtin printf -v "__trm_got_$key" %s "$value"
	done
	for key in args env; do
		[[ $line == *\"$key\":\[* ]] || continue
		rest=${line#*\"$key\":\[}
		while [[ $rest == \"* ]]; do
			rest=${rest#\"} value=${rest%%\"*} rest=${rest#*\"} rest=${rest#,}
			[[ $has_escapes ]] && value=${value//$'\2'/\"} value=${value//$'\1'/\\\\}
			__trm_take_item $key "$value"
		done
	done
}

# An item of the list $1.
__trm_take_item() {
	if [[ $1 == env ]]; then
		__trm_got_env+=("$2")
	else
		__trm_got_args+=("$2")
	fi
}

# The same for a long one. Splitting at the quotes and joining again is the one way that takes Bash
# time in proportion; elements are read and added in order only, for they are a linked list.
__trm_parse_long() {
	local IFS=\" LC_ALL=C key= value part slashes i n is_list=
	local parts=($1) string
	for ((i = 1; i < ${#parts[@]}; i += 2)); do
		string=() n=0
		for (( ; ; ++i)); do
			part=${parts[i]}
			case $part in
			*\\\\) # an even number of backslashes leaves the quote alone
				slashes=${part##*[!\\]}
				((${#slashes} % 2)) || break
				;;
			*\\) ;;
			*) break ;;
			esac
			string[n++]=${part%?}
		done
		string[n]=$part
		value=${string[*]} part=${parts[i + 1]-}
		if [[ $is_list ]]; then
			__trm_take_item "$is_list" "$value"
			[[ $part == *]* ]] && is_list=
			continue
		fi
		if [[ -z $key && $part == *:* ]]; then
			key=$value value=${part#*:}
			value=${value//[\},[:space:]]}
			[[ $value ]] || continue
		fi
		case $key in
		op | id | code | file | program | cursor | cwd) builtin printf -v "__trm_got_$key" %s "$value" ;;
		args | env) is_list=$key ;;
		esac
		key=
	done
}

# ---- runs --------------------------------------------------------------------------------

__trm_nothing() {
	builtin :
}

__trm_two() {
	builtin return 2 # from a DEBUG trap: leave the function or the sourced file
}

# Leave the run for the reason $1 with exit status $2: begins with the next command.
__trm_leave() {
	__trm_how=$1 __trm_exit=$2
	__trm_flags=${-//[^eET]}
	set +e # or the trap's status would end the shell
	builtin shopt -s extdebug
	builtin trap "$__trm_unwind" DEBUG
}

# Bash answers every one of these with the EXIT trap, which would save it from its death.
__trm_arm_deadly() {
	local signal
	for signal in HUP ILL TRAP ABRT BUS FPE USR1 SEGV USR2 ALRM TERM XCPU VTALRM PROF SYS; do
		builtin trap "builtin trap - EXIT $signal; builtin kill -$signal $$" $signal
	done
}

__trm_arm() {
	builtin trap 'if [[ $__trm_id ]]; then __trm_leave interrupted 130; else __trm_hurried=1; fi' INT
	builtin trap '__trm_die "$?" "$@"' EXIT
}

# Can what $1 is in /proc be written to? What was closed meanwhile could.
__trm_is_writable() {
	local info
	builtin read -r -d '' info <"${1/fd/fdinfo}"
	info=${info#*flags:}
	info=${info%%$'\n'*}
	[[ ${info: -1} != 0 ]]
}

# Add those of our sets to which process $1 in /proc can print to __trm_taken. Whatever descriptor it has them
# on, but for those where its copy of our own are, if it is a subshell. A shell that redirects puts them aside,
# and has them back a moment later: so all have been seen only if it slept meanwhile; and who has ended may have
# left a child that nobody has seen.
__trm_look_at() {
	local before= after= place own has=
	builtin read -r -d '' before <"$1/status"
	if [[ -r $1/fd ]]; then
		for place in "$1"/fd/*; do
			[[ $place != */2[1-5][0-9] && -p $place ]] || continue
			for own in {243..252}; do
				[[ $place -ef /proc/self/fd/$own ]] && __trm_is_writable "$place" &&
					__trm_taken+="$(((252 - own) / 2)) " && has=1
			done
		done
		builtin read -r -d '' after <"$1/status"
	elif [[ ! $before || $before == *State:?Z* ]]; then
		after=$before
	else # it is not ours to look at, nor are our pipes its
		__trm_strangers[$1]=1
		builtin return 0
	fi
	[[ $after && $after == "$before" && $after != *State:?[RZ]* ]] || __trm_is_unsure=1
	[[ $has || $after != "$before" || $after == *State:?R* ]] || __trm_strangers[$1]=1
}

# Are there processes that may still print to the current set? They are looked for in /proc, where also
# those are found that no longer are children of ours. No new process: none to look for.
__trm_has_heirs() {
	local newest p try
	builtin read -r p p p p newest </proc/loadavg
	[[ $newest == "$__trm_pid" ]] && builtin return 1
	# Their numbers are given away again; or they are too many to be kept.
	((newest < ${__trm_pid:-0} || ${#__trm_strangers[@]} > 1000)) && __trm_strangers=()
	set +f
	for try in 1 2; do
		__trm_taken=' ' __trm_is_unsure=
		for p in /proc/[0-9]*; do
			[[ $p == '/proc/[0-9]*' ]] && __trm_is_unsure=1 # nobody can be seen: it cannot be excluded
			[[ $p == "/proc/$$" || ${__trm_strangers[$p]-} ]] || __trm_look_at "$p"
		done
		[[ $__trm_is_unsure && $__trm_taken != *" $__trm_set "* ]] || break
	done
	__trm_pid=$newest # not before: an interrupt begins this anew
	[[ $__trm_is_unsure || $__trm_taken == *" $__trm_set "* ]]
}

# The set to move to, in __trm_to: one that nobody else has, or else the next.
__trm_choose_set() {
	local i
	for i in 1 2 3 4 1; do
		__trm_to=$(((__trm_set + i) % 5))
		[[ $__trm_taken == *" $__trm_to "* ]] || builtin return 0
	done
}

# CPU time of the shell and of its children that have ended, in __trm_cpu, µs.
__trm_count_cpu() {
	local shell children part
	builtin times >&241
	builtin read -r -u 241 shell
	builtin read -r -u 241 children
	__trm_cpu=0
	for part in $shell $children; do # such as 0m1.234s
		part=${part%s}
		((__trm_cpu += ${part%m*} * 60000000 + 10#${part##*[!0-9]} * 1000))
		part=${part#*m}
		((__trm_cpu += 10#${part%[!0-9]*} * 1000000))
	done
}

# Report the end of the run, which gave exit status $1.
__trm_finish() {
	local status=ok code=$1 members= id=$__trm_id due=$__trm_due
	[[ $__trm_how ]] && code=$__trm_exit
	((code)) && status=error
	[[ $__trm_how == interrupted ]] && status=interrupted
	local cpu=$__trm_cpu newest=$__trm_pid
	__trm_put_back
	__trm_count_cpu
	members=",\"cpu_us\":$((__trm_cpu - cpu))"
	[[ $BASHOPTS == *failglob* ]] && __trm_failglob=1 && builtin shopt -u failglob
	# If a set is due still, this run was interrupted before it began.
	if [[ ! $due ]] && __trm_has_heirs; then
		__trm_choose_set
		due=$__trm_to members+=",\"set\":$__trm_to"
	fi
	[[ $__trm_failglob ]] && builtin shopt -s failglob && __trm_failglob=
	[[ $__trm_pid == "$newest" ]] || __trm_count_cpu # what the look has taken is not the next run's
	[[ $due ]] && __trm_before='__trm_move;'
	__trm_last=$code __trm_id= __trm_how= __trm_exit=0 __trm_due=$due
	builtin printf '{"ev":"done","id":"%s","status":"%s","exit_code":%d%s}\n' \
		"$id" $status "$code" "$members" >&253
}

__trm_begin() {
	__trm_decode "$__trm_got_file"
	BASH_ARGV0=$__trm_text # what Bash calls itself in messages
	__trm_file=$__trm_text
	__trm_give_args
	__trm_decode "$__trm_got_code"
	[[ $__trm_text == *BASH_SOURCE* ]] && __trm_name_source
	[[ $__trm_got_program ]] && __trm_source=$__trm_text __trm_text=__trm_program
	[[ $__trm_text == *$'\r\n'* ]] && __trm_text=${__trm_text//$'\r\n'/$'\n'}
	__trm_code=$__trm_trace$__trm_text
	__trm_before+='__trm_reopen;'
	__trm_give_env
	((__trm_last)) && [[ $__trm_text != exit* ]] && __trm_before+='__trm_again && __trm_nothing'
	__trm_arm
	__trm_id=$__trm_got_id
}

# The arguments are positional parameters during this run. Those from before it are in __trm_kept.
__trm_give_args() {
	local text
	[[ $__trm_is_given ]] && __trm_before+='builtin set -- "${__trm_kept[@]}"; __trm_is_given=;'
	__trm_args=()
	for text in "${__trm_got_args[@]}"; do
		__trm_decode "$text"
		__trm_args+=("$__trm_text")
	done
	[[ $__trm_got_program || ${#__trm_args[@]} == 0 ]] && builtin return
	__trm_before+='__trm_kept=("$@") __trm_is_given=1; builtin set -- "${__trm_args[@]}";'
}

# The variables and the directory of this run alone. What they were is in __trm_had: names, each with its value
# and its attributes, or with nothing. (Bash does not take IFS from its environment either.)
__trm_give_env() {
	local text name value
	__trm_had=() __trm_had_cwd=
	for text in "${__trm_got_env[@]}"; do
		__trm_decode "$text"
		name=${__trm_text%%=*}
		[[ $name == [a-zA-Z_]*([a-zA-Z0-9_]) && $name != IFS ]] || continue
		builtin printf -v value %q "${__trm_text#*=}"
		if [[ -v $name ]]; then
			__trm_had+=("$name" "=${!name}" "${!name@a}")
		else
			__trm_had+=("$name" '' '')
		fi
		__trm_before+="builtin export $name=$value;"
	done
	[[ $__trm_got_cwd ]] || builtin return 0
	__trm_decode "$__trm_got_cwd"
	if [[ -d $__trm_text && -x $__trm_text ]]; then
		__trm_had_cwd=$PWD __trm_had_old=${OLDPWD-}
		builtin cd -- "$__trm_text"
	else
		__trm_where=$__trm_text
		__trm_code='__trm_refuse_cwd'
	fi
}

__trm_refuse_cwd() {
	builtin printf 'bash: cannot change to the directory %s\n' "$__trm_where" >&2
	builtin return 1
}

# The newest is put back first: a variable may have been given twice.
__trm_put_back() {
	local i name
	for ((i = ${#__trm_had[@]} - 3; i >= 0; i -= 3)); do
		name=${__trm_had[i]}
		if [[ ${__trm_had[i + 1]} ]]; then
			builtin printf -v "$name" %s "${__trm_had[i + 1]#=}"
			[[ ${__trm_had[i + 2]} == *x* ]] || builtin declare -g +x "$name"
		else
			builtin unset -v "$name"
		fi
	done
	if [[ $__trm_had_cwd ]]; then
		builtin cd -- "$__trm_had_cwd"
		OLDPWD=$__trm_had_old
		[[ $OLDPWD ]] || builtin unset -v OLDPWD
	fi
	__trm_had=() __trm_had_cwd=
}

# Programs ask by BASH_SOURCE, which is empty here, whether they were sourced: outside of functions it is $0.
__trm_name_source() {
	[[ $__trm_got_program ]] && builtin return
	__trm_text=${__trm_text//'${BASH_SOURCE[0]}'/'${BASH_SOURCE[0]-$0}'}
	__trm_text=${__trm_text//'${BASH_SOURCE}'/'${BASH_SOURCE-$0}'}
	__trm_text=${__trm_text//'"$BASH_SOURCE"'/'"${BASH_SOURCE-$0}"'}
}

# The program has ended: its EXIT trap is run as the last code. What exits there is the process.
__trm_end_program() {
	builtin trap - EXIT
	builtin trap 'builtin exit 130' INT
	__trm_code=$__trm_on_exit __trm_on_exit= __trm_is_leaving=1
	__trm_before+='__trm_again && __trm_nothing'
}

__trm_again() {
	builtin return "$__trm_last" # so that the next run finds $? as it was
}

# Between runs: report the end of the last one, which gave exit status $1, and wait for the next.
__trm_step() {
	case $- in
	*x*) __trm_trace='set -x; ' && set +x ;;
	*) __trm_trace= ;;
	esac
	if [[ $__trm_how ]]; then
		builtin shopt -u extdebug
		set +TE
		[[ $__trm_flags ]] && set -"$__trm_flags"
		__trm_flags=
	fi
	[[ $__trm_is_leaving ]] && builtin exit 0
	local - IFS=$' \t\n'
	set +euv +o posix -f
	__trm_before=
	if [[ $__trm_id ]]; then
		if [[ $__trm_how == exit && $__trm_on_exit ]]; then
			__trm_code=$__trm_on_exit __trm_on_exit= __trm_last=$__trm_exit __trm_before='__trm_again && __trm_nothing'
			builtin return 0
		fi
		__trm_finish "$1"
		if (($1 == 2)) && __trm_has_broken_parser; then
			__trm_code='for __trm_argument do __trm_keep_argument; done; __trm_revive $-'
			builtin return 0
		fi
	fi
	while builtin read -r -u 254 __trm_line; do
		[[ $__trm_line == *$'\x18' ]] && continue # its client has died before it was whole
		__trm_parse "$__trm_line"
		[[ $__trm_got_op == run ]] && __trm_begin && builtin return 0
		[[ $__trm_got_op == leave ]] && __trm_end_program && builtin return 0
		__trm_answer
	done
	builtin trap - EXIT
	builtin eval "$__trm_on_exit"
	builtin exit 0
}

# ---- builtins that work differently here -------------------------------------------------

__trm_wrappers='exit() { __trm_do_exit "$?" "$@"; }
trap() { __trm_do_trap "$@"; }
display() { __trm_display "$@"; }
read() {
	{ local -; set +x; } 2>/dev/null
	[[ $__trm_id && /proc/self/fd/0 -ef /proc/self/fd/240 ]] && __trm_await "$@"
	builtin read "$@"
}'

# exit, called with the arguments after the first, when $? was that.
__trm_do_exit() {
	local __trm_n=${2-$1}
	if [[ ! $__trm_id || $BASHPID != "$$" || $# -gt 2 ]]; then
		shift
		builtin exit "$@"
		builtin return
	fi
	if [[ $__trm_n != ?([-+])+([0-9]) ]]; then
		builtin printf '%s: line %d: exit: %s: numeric argument required\n' "$0" "${BASH_LINENO[1]}" "$__trm_n" >&2
		__trm_n=2
	fi
	__trm_leave exit $((${__trm_n//[0-9]}10#${__trm_n#[-+]} & 255))
}

# An EXIT trap of the user's is kept beside ours. Those for what is no signal must not see the driver's
# own commands; and as a function cannot take them off, for Bash puts them back when it returns, they
# are made to do nothing.
__trm_do_trap() {
	local __trm_action=${1-} __trm_signal
	if [[ $BASHPID != "$$" || $# -eq 0 || $1 == -[lp]* ]]; then
		builtin trap "$@"
		builtin return
	fi
	[[ $1 == -- ]] && shift && __trm_action=${1-}
	if (($# == 1)); then
		__trm_action=-
	else
		shift
	fi
	for __trm_signal; do
		case ${__trm_signal#SIG} in
		EXIT | exit | 0) __trm_on_exit=${__trm_action#-} ;;
		DEBUG | ERR | RETURN)
			# `case`, because it leaves $? alone.
			builtin trap "case \$BASH_COMMAND,\${FUNCNAME-} in *__trm_* | *,trap) ;; *)
${__trm_action#-}
;; esac" "$__trm_signal"
			;;
		*) builtin trap -- "$__trm_action" "$__trm_signal" ;;
		esac
	done
}

# Before read: say that a line is awaited, and wait until there is one, or EOF.
__trm_await() {
	local word prompt= secret=false is_prompt= IFS=$' \t\n'
	builtin read -t 0 && builtin return
	for word; do
		if [[ $is_prompt ]]; then
			prompt=$word is_prompt=
			continue
		fi
		case $word in
		-*u* | -*t*) builtin return ;; # another descriptor, or no endless wait
		-*p) is_prompt=1 ;;
		-p*) prompt=${word#-p} ;;
		esac
		[[ $word == -*s* ]] && secret=true
	done
	__trm_quote "$prompt"
	builtin printf '{"ev":"input","id":"%s","prompt":%s,"secret":%s}\n' "$__trm_id" "$__trm_text" $secret >&253
	until builtin read -t 0; do
		builtin read -t 0.02 -u 241 # a pause in which traps are run
	done
}

# ---- starting ----------------------------------------------------------------------------------

__trm_begin_state() {
	__trm_id= __trm_how= __trm_exit=0 __trm_on_exit= __trm_last=0 __trm_flags= __trm_before= __trm_arguments= __trm_is_given= __trm_had=() __trm_had_cwd=
	eval "$__trm_wrappers"
	shopt -s expand_aliases
	__trm_arm_deadly
}

mapfile -t -d '' __trm_environ </proc/self/environ
for __trm_text in /proc/[0-9]*; do __trm_strangers[$__trm_text]=1; done
__trm_begin_state
__trm_arm
__trm_hide_all 3 4 {10..17}
exec 5<&-
printf '{"ev":"ready","version":"%s"}\n' "${BASH_VERSION%%(*}" >&253
