# SPDX-License-Identifier: MIT
# Completion of terrarium for bash; printed by 'terrarium completion bash'. To use it: eval "$(terrarium completion bash)"

_terrarium() {
	local word cur=${COMP_WORDS[COMP_CWORD]} line i
	local -a words=()
	COMPREPLY=()
	# bash divides words at "=" and ":"; the program gets them whole.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if ((i > 1)) && [[ $word == [=:]* || ( $word && ${COMP_WORDS[i - 1]} == [=:] ) ]]; then
			words[${#words[@]} - 1]+=$word
		else
			words+=("$word")
		fi
	done
	[[ $cur != [=:] ]] || cur=
	word=${words[${#words[@]} - 1]}
	while IFS= read -r line; do
		case $line in
		:files | :dirs)
			compopt -o filenames 2>/dev/null
			while IFS= read -r line; do
				COMPREPLY+=("$line")
			done < <(if [[ $line == :dirs ]]; then compgen -d -- "$cur"; else compgen -f -- "$cur"; fi)
			;;
		*)
			line=${line%%$'\t'*}
			COMPREPLY+=("${line#"${word%"$cur"}"}")
			;;
		esac
	done < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
	[[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *[/:=] ]] || compopt -o nospace +o filenames 2>/dev/null
}

complete -F _terrarium terrarium
