#compdef terrarium
# SPDX-License-Identifier: MIT
# Completion of terrarium for zsh; made by 'terrarium completion zsh'. To use it: save it as _terrarium in a folder of
# $fpath, or after compinit: source <(terrarium completion zsh)

# Rows, their fields apart by tabs: C . command operands summary; O command option value help (of a command);
# S . option value help (taken by all); V kind word - help (a value). A field that says nothing is "-". What values are is
# told in tui/cmd/options.h.
_terrarium_table='@TABLE@'

# _terrarium_rows KIND COMMAND: "name:help" of rows of that kind, for _describe.
_terrarium_rows() {
	local row
	local -a fields
	for row in ${(f)_terrarium_table}; do
		fields=("${(@ps:\t:)row}")
		[[ $fields[1] == $1 && $fields[2] == $2 ]] && reply+=("${fields[3]//:/\\:}${${fields[5]:#-}:+:$fields[5]}")
	done
}

# _terrarium_value OPTION: in $REPLY what follows it; empty: nothing.
_terrarium_value() {
	local row
	local -a fields
	REPLY=
	for row in ${(f)_terrarium_table}; do
		fields=("${(@ps:\t:)row}")
		[[ $fields[1] != C && $fields[3] == $1 && ($fields[1] == S || $fields[2] == $command) ]] && REPLY=$fields[4]
	done
	[[ $REPLY != - ]] || REPLY=
}

# _terrarium_offer VALUE: whatever may stand in its place.
_terrarium_offer() {
	local kind
	local -a names reply
	for kind in ${(s:|:)1}; do
		case $kind in
		FILE | RECORDING | PATH) _files ;;
		DIR) _files -/ ;;
		NAME:PATH)
			if [[ $PREFIX == [A-Za-z0-9]*:* && $PREFIX != */*:* ]]; then
				_terrarium_inside
				return
			fi
			names=(${(f)"$($program ps --names 2>/dev/null)"})
			compadd -S : -- $names
			_files
			;;
		NAME)
			names=(${(f)"$($program ps --names 2>/dev/null)"})
			_describe -t sandboxes 'running sandbox' names
			;;
		THEME)
			names=(${(f)"$($program themes --names 2>/dev/null)"})
			_describe -t themes theme names
			;;
		BACKEND)
			names=(${(f)"$($program backends --names 2>/dev/null)"})
			_describe -t backends backend names
			;;
		LANG | SETTING | POLICY)
			reply=()
			_terrarium_rows V $kind
			_describe -t values ${(L)kind} reply
			;;
		COMMAND) _terrarium_commands ;;
		[a-z]* | -) compadd -- $kind ;;
		esac
	done
}

# NAME:PATH, with PATH in a sandbox. What it answers may be anything.
_terrarium_inside() {
	local -a paths
	paths=(${(f)"$($program exec ${PREFIX%%:*} -- bash -c \
		'compgen -f -- "$1" | while IFS= read -r f; do [[ -d $f ]] && f+=/; echo "$f"; done | head -n 500' \
		- ${PREFIX#*:} 2>/dev/null </dev/null)"})
	paths=(${paths:#*[[:cntrl:]]*})
	compset -P '*:'
	compadd -S '' -- ${(M)paths:#*/}
	compadd -- ${paths:#*/}
}

_terrarium_commands() {
	local -a reply
	_terrarium_rows C .
	_describe -t commands command reply
}

# Of the options those that the command names; if none of them fits, of all.
_terrarium_options() {
	local -a reply
	_terrarium_rows O $command
	_describe -o -t options option reply && return
	reply=()
	_terrarium_rows S .
	_describe -o -t options setting reply
}

# _terrarium_operand N: the Nth operand of the command, from 0.
_terrarium_operand() {
	local row
	local -a fields places
	for row in ${(f)_terrarium_table}; do
		fields=("${(@ps:\t:)row}")
		[[ $fields[1] == C && $fields[3] == $command ]] && places=(${=fields[4]})
	done
	if (($1 < $#places)); then
		_terrarium_offer ${places[$1 + 1]%...}
	elif [[ $places[-1] == *... ]]; then
		_terrarium_offer ${places[-1]%...}
	fi
}

_terrarium() {
	local program=$words[1] command=workbench word value= switch= only_operands= REPLY
	local -i i n=0
	local -a reply
	for ((i = 2; i < CURRENT; i++)); do
		word=$words[i]
		# A switch turns on without a value: on or off may follow.
		[[ -n $switch && $word == (on|off) ]] && switch= && continue
		switch=
		if [[ -n $value ]]; then
			value=
		elif [[ -z $only_operands && $word == -?* ]]; then
			if [[ $word == -- ]]; then
				only_operands=yes
			elif [[ $word != --*=* ]]; then
				_terrarium_value $word
				[[ $REPLY == 'on|off' ]] && switch=$REPLY || value=$REPLY
			fi
		elif [[ $command == workbench && $n == 0 && $_terrarium_table == *$'C\t.\t'$word$'\t'* ]]; then
			command=$word
		else
			((n++))
		fi
	done
	word=$words[CURRENT]
	if [[ -n $value ]]; then
		_terrarium_offer $value
	elif [[ -z $only_operands && $word == --*=* ]]; then
		_terrarium_value ${word%%=*}
		compset -P '*='
		_terrarium_offer $REPLY
	elif [[ -z $only_operands && $word == -* ]]; then
		_terrarium_options
	else
		[[ $command != workbench || $n != 0 || -n $only_operands ]] || _terrarium_commands
		_terrarium_operand $n
	fi
}

if [[ $funcstack[1] == _terrarium ]]; then
	_terrarium "$@"
else
	compdef _terrarium terrarium
fi
