# SPDX-License-Identifier: MIT
# Completion of terrarium for bash; made by 'terrarium completion bash'. To use it: eval "$(terrarium completion bash)"

# Rows, their fields apart by tabs: C command operands summary; O command option value help (of a command);
# S . option value help (taken by all); V kind word - help (a value). A field that says nothing is "-". What values are is
# told in tui/cmd/options.h.
_terrarium_table='@TABLE@'

# _terrarium_list KIND [COMMAND]: third fields of rows of that kind.
_terrarium_list() {
	local row kind command name
	while IFS=$'\t' read -r kind command name row; do
		[[ $kind == "$1" && ($# == 1 || $command == "$2") ]] && printf '%s\n' "$name"
	done <<<"$_terrarium_table"
}

# _terrarium_value COMMAND OPTION: what follows the option; "-": nothing.
_terrarium_value() {
	local kind command name value help found=-
	while IFS=$'\t' read -r kind command name value help; do
		[[ $kind != C && $name == "$2" && ($kind == S || $command == "$1") ]] && found=$value
	done <<<"$_terrarium_table"
	printf '%s' "$found"
}

# _terrarium_add WORDS: those that begin with what is typed, behind $prefix.
_terrarium_add() {
	local word
	while IFS= read -r word; do
		[[ -n $word && $word == "$cur"* ]] && COMPREPLY+=("$prefix$word")
	done <<<"$1"
}

# _terrarium_offer VALUE: whatever may stand in its place.
_terrarium_offer() {
	local kind file
	local -a kinds
	IFS='|' read -r -a kinds <<<"$1"
	for kind in "${kinds[@]}"; do
		case $kind in
		FILE | RECORDING | PATH | DIR | NAME:PATH)
			compopt -o filenames 2>/dev/null
			while IFS= read -r file; do
				COMPREPLY+=("$prefix$file")
			done < <(if [[ $kind == DIR ]]; then compgen -d -- "$cur"; else compgen -f -- "$cur"; fi)
			if [[ $kind == NAME:PATH ]]; then
				_terrarium_add "$("$program" ps --names 2>/dev/null | sed 's/$/:/')"
				[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace +o filenames 2>/dev/null
			fi
			;;
		NAME) _terrarium_add "$("$program" ps --names 2>/dev/null)" ;;
		THEME) _terrarium_add "$("$program" themes --names 2>/dev/null)" ;;
		BACKEND) _terrarium_add "$("$program" backends --names 2>/dev/null)" ;;
		LANG | SETTING | POLICY) _terrarium_add "$(_terrarium_list V "$kind")" ;;
		COMMAND) _terrarium_add "$(_terrarium_list C .)" ;;
		[a-z]* | -) [[ $kind == - && $1 == - ]] || _terrarium_add "$kind" ;;
		esac
	done
}

# _terrarium_inside NAME PATH: what begins so in a sandbox. What it answers may be anything.
_terrarium_inside() {
	local path
	while IFS= read -r path; do
		[[ $path == "$2"* && $path != *[[:cntrl:]]* ]] && COMPREPLY+=("$path")
	done < <("$program" exec "$1" -- bash -c \
		'compgen -f -- "$1" | while IFS= read -r f; do [[ -d $f ]] && f+=/; echo "$f"; done | head -n 500' \
		- "$2" 2>/dev/null </dev/null)
	compopt -o nospace 2>/dev/null
	[[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} != */ ]] && compopt +o nospace 2>/dev/null
}

# Of the options those that the command names; if none of them fits, of all.
_terrarium_offer_options() {
	_terrarium_add "$(_terrarium_list O "$command")"
	[[ ${#COMPREPLY[@]} != 0 ]] || _terrarium_add "$(_terrarium_list S .)"
}

# _terrarium_offer_operand N: the Nth operand of the command.
_terrarium_offer_operand() {
	local kind dot name operands summary
	local -a places=()
	while IFS=$'\t' read -r kind dot name operands summary; do
		[[ $kind == C && $name == "$command" ]] && read -r -a places <<<"$operands"
	done <<<"$_terrarium_table"
	local n=${#places[@]}
	((n)) || return
	if (($1 < n)); then
		_terrarium_offer "${places[$1]%...}"
	elif [[ ${places[n - 1]} == *... ]]; then
		_terrarium_offer "${places[n - 1]%...}"
	fi
}

_terrarium() {
	local program=${COMP_WORDS[0]} command=workbench cur='' prefix='' word value='' i n=0 only_operands='' switch=''
	COMPREPLY=()
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		# A switch turns on without a value: on or off may follow, and must behind a "=".
		[[ -n $switch && $word == '=' ]] && value=$switch
		[[ -n $switch && ($word == on || $word == off) && $i != "$COMP_CWORD" ]] && switch='' && continue
		switch=''
		if [[ -n $value ]]; then
			# bash takes --name=value for three words.
			if [[ $word == '=' ]]; then
				((i < COMP_CWORD)) && continue
				word=''
			fi
			((i < COMP_CWORD)) && value='' && continue
			cur=$word
			_terrarium_offer "$value"
			return
		fi
		if [[ -z $only_operands && $word == -?* ]]; then
			if ((i == COMP_CWORD)); then
				if [[ $word == --*=* ]]; then
					prefix=${word%%=*}= cur=${word#*=}
					_terrarium_offer "$(_terrarium_value "$command" "${word%%=*}")"
				else
					cur=$word
					_terrarium_offer_options
				fi
				return
			fi
			if [[ $word == -- ]]; then
				only_operands=yes
			elif [[ $word != --*=* ]]; then
				value=$(_terrarium_value "$command" "$word")
				[[ $value != 'on|off' ]] || { switch=$value && value=-; }
				[[ $value != - ]] || value=''
			fi
			continue
		fi
		if ((i == COMP_CWORD)); then
			cur=$word
		elif ((n == 0)) && [[ $command == workbench && $'\n'"$(_terrarium_list C .)"$'\n' == *$'\n'"$word"$'\n'* ]]; then
			command=$word
		else
			((n++))
		fi
	done
	# bash takes NAME:PATH for several words, too.
	word=${COMP_LINE:0:COMP_POINT}
	word=${word##*[[:space:]]}
	if [[ $command == cp && $word == [A-Za-z0-9]*:* && $word != */*:* ]]; then
		_terrarium_inside "${word%%:*}" "${word#*:}"
		return
	fi
	[[ $command != workbench || $n != 0 || -n $only_operands ]] || _terrarium_offer COMMAND
	_terrarium_offer_operand "$n"
}

complete -F _terrarium terrarium
