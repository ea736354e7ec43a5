# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Part of the Bash driver (bash.sh): answers to questions. These may fork.

__trm_reply() {
	builtin printf '{"ev":"reply","id":"%s","data":%s}\n' "$__trm_got_id" "$1" >&253
}

# The user's own variables or functions ($1), in __trm_names: what a shell that was just started has not.
__trm_own_names() {
	local -A __trm_known=()
	local __trm_name __trm_base=__trm_base_$1
	[[ ${!__trm_base-} ]] || builtin printf -v "$__trm_base" %s \
		"$(env -i "${__trm_environ[@]}" "$BASH" --norc --noprofile -c 'compgen -A "$1"' - "$1")"
	for __trm_name in ${!__trm_base} BASH_REMATCH FUNCNAME OLDPWD PIPESTATUS _ exit trap read display; do
		__trm_known[$__trm_name]=1
	done
	__trm_names=()
	for __trm_name in $(builtin compgen -A "$1"); do
		[[ ${__trm_known[$__trm_name]-} || $__trm_name == __trm_* ]] || __trm_names+=("$__trm_name")
	done
}

# Members that describe the variable $1, in __trm_members. Nothing is forked for it.
__trm_describe() {
	local __trm_type=string __trm_size= __trm_value=
	builtin eval "case \${$1@a} in
		*A*) __trm_type='associative array' __trm_size=\${#$1[@]} __trm_value=\"(\${$1[*]@K})\" ;;
		*a*) __trm_type=array __trm_size=\${#$1[@]}
			if ((__trm_size > 100)); then
				__trm_value=(\"\${$1[@]:0:100}\") __trm_value=\"(\${__trm_value[*]@Q} …)\"
			else
				__trm_value=\"(\${$1[*]@Q})\"
			fi ;;
		*i*) __trm_type=integer ;;
		esac
		[[ \$__trm_size ]] || __trm_size=\${#$1} __trm_value=\${$1-}"
	((${#__trm_value} > 1000)) && __trm_value=${__trm_value:0:1000}…
	__trm_quote "$__trm_value"
	builtin printf -v __trm_members '"name":"%s","type":"%s","size":%d,"value":%s' \
		"$1" "$__trm_type" "$__trm_size" "$__trm_text"
}

# With a cursor of 1: names and types only. An interrupt, if a run waits, ends the list where it is.
__trm_variables() {
	local __trm_name __trm_names __trm_members __trm_list=
	__trm_hurried=
	__trm_own_names variable
	for __trm_name in "${__trm_names[@]}"; do
		[[ $__trm_hurried ]] && break
		__trm_members="\"name\":\"$__trm_name\",\"type\":\"variable\",\"size\":\"\",\"value\":\"\""
		[[ $__trm_got_cursor == 1 ]] || __trm_describe "$__trm_name"
		__trm_list+=",{$__trm_members}"
	done
	__trm_own_names function
	for __trm_name in "${__trm_names[@]}"; do
		[[ $__trm_hurried ]] && break
		__trm_text='""'
		[[ $__trm_got_cursor == 1 ]] || __trm_quote "$(builtin declare -f "$__trm_name")"
		__trm_list+=",{\"name\":\"$__trm_name\",\"type\":\"function\",\"size\":null,\"value\":$__trm_text}"
	done
	__trm_reply "{\"variables\":[${__trm_list#,}]}"
}

__trm_breaks='][:space:];&|()<>"`='\''['  # characters that end a word, for a regular expression
__trm_command_place='(^|[;&|({`]|(^|[[:space:]])(then|do|else|if|while|until|elif|time|!))[[:space:]]*$'

# What compgen says to the further arguments, each line with the kind $1 before it.
__trm_of_kind() {
	local kind=$1 name
	shift
	builtin compgen "$@" | while builtin read -r name; do
		if [[ $kind == file && -d ${name/#\~/$HOME} ]]; then
			builtin printf 'directory %s/\n' "${name%/}"
		else
			builtin printf '%s %s\n' "$kind" "$name"
		fi
	done
}

# The candidates for the word $2 that stands behind the text $1, one per line, each with its kind.
__trm_candidates() {
	set +f
	case $2 in
	*\$\{*) __trm_of_kind variable -v -P "${2%\{*}{" -- "${2##*\{}" ;;
	*\$*) __trm_of_kind variable -v -P "${2%\$*}\$" -- "${2##*\$}" ;;
	*/* | '~'*) __trm_of_kind file -f -- "$2" ;;
	*)
		if [[ ! $1 =~ $__trm_command_place ]]; then
			__trm_of_kind file -f -- "$2"
		elif [[ $2 ]]; then
			__trm_of_kind keyword -k -- "$2"
			__trm_of_kind function -A function -- "$2"
			__trm_of_kind alias -a -- "$2"
			__trm_of_kind builtin -b -- "$2"
			__trm_of_kind command -c -- "$2"
		fi
		;;
	esac | grep -v -e __trm_ | LC_ALL=C sort -s -u -k 2
}

__trm_complete() {
	local __trm_before_word=${__trm_code:0:__trm_got_cursor} __trm_word __trm_name __trm_list= __trm_kind __trm_kinds=
	[[ $__trm_before_word =~ [^$__trm_breaks]*$ ]]
	__trm_word=${BASH_REMATCH[0]}
	while builtin read -r __trm_kind __trm_name; do
		__trm_quote "$__trm_name"
		__trm_list+=,$__trm_text
		__trm_kinds+=,\"$__trm_kind\"
	done < <(__trm_candidates "${__trm_before_word%"$__trm_word"}" "$__trm_word")
	local __trm_from=$((${#__trm_before_word} - ${#__trm_word}))
	__trm_reply "{\"matches\":[${__trm_list#,}],\"kinds\":[${__trm_kinds#,}],\"start\":$__trm_from,\"end\":$__trm_got_cursor}"
}

__trm_inspect() {
	local __trm_head=${__trm_code:0:__trm_got_cursor} __trm_tail=${__trm_code:__trm_got_cursor}
	local __trm_name __trm_type __trm_value= __trm_signature= __trm_doc=
	[[ $__trm_head =~ [^$__trm_breaks\$\{\}]*$ ]]
	__trm_name=${BASH_REMATCH[0]}
	[[ $__trm_tail =~ ^[^$__trm_breaks\$\{\}]* ]]
	__trm_name+=${BASH_REMATCH[0]}
	if [[ $__trm_name =~ ^[a-zA-Z_][a-zA-Z_0-9]*$ ]] &&
		builtin declare -p "$__trm_name" >&/dev/null; then
		local __trm_members
		__trm_describe "$__trm_name"
		__trm_reply "{\"found\":true,$__trm_members}"
		return
	fi
	__trm_type=$(builtin type -t -- "$__trm_name")
	case $__trm_type in
	'') __trm_reply '{"found":false}' && return ;;
	function) __trm_value=$(builtin declare -f "$__trm_name") ;;
	builtin | keyword)
		__trm_signature=$(builtin help -s "$__trm_name")
		__trm_doc=$(builtin help "$__trm_name")
		;;
	file) __trm_value=$(builtin type -P "$__trm_name") ;;
	alias) __trm_value=${BASH_ALIASES[$__trm_name]} ;;
	esac
	local __trm_data=
	for __trm_head in name type value signature doc; do
		builtin eval "__trm_quote \"\$__trm_$__trm_head\""
		__trm_data+=",\"$__trm_head\":$__trm_text"
	done
	__trm_reply "{\"found\":true$__trm_data}"
}

# Bash's own parser decides, in a shell that does not execute.
__trm_is_complete() {
	local __trm_status=complete __trm_said
	__trm_said=$(LC_MESSAGES=C "$BASH" --norc --noprofile -O extglob -n -c "$__trm_code" 2>&1)
	case $? in
	0) [[ $__trm_said == *'delimited by end-of-file'* || $__trm_code == *[!\\]\\ ]] && __trm_status=incomplete ;;
	*)
		__trm_status=invalid
		[[ $__trm_said == *'unexpected '@(EOF|end of file|'token `EOF'\')* ]] && __trm_status=incomplete
		;;
	esac
	__trm_reply "{\"status\":\"$__trm_status\",\"indent\":\"\"}"
}

# Only a new shell has forgotten everything.
__trm_reset() {
	exec 2>&$((251 - 2 * __trm_set))
	__trm_open_source
	{
		builtin declare -f $(builtin compgen -A function __trm_)
		builtin declare -p ${!__trm_*}
		__trm_continuation
		builtin printf '%s\n' 'builtin eval "$__trm_before"' __trm_begin_state '__trm_reply {}'
	} >&228 2>/dev/null &
	__trm_restart env -i "${__trm_environ[@]}"
}

__trm_answer() {
	__trm_decode "$__trm_got_code"
	local __trm_code=$__trm_text
	case $__trm_got_op in
	variables | complete | inspect | is_complete | reset) "__trm_$__trm_got_op" ;;
	*)
		builtin printf '{"ev":"reply","id":"%s","error":"%s"}\n' \
			"$__trm_got_id" 'This operation is not known.' >&253
		;;
	esac
}
