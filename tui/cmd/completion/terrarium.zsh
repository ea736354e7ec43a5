#compdef terrarium
# SPDX-License-Identifier: MIT
# Completion of terrarium for zsh; printed by 'terrarium completion zsh'. To use it: save it as _terrarium in a folder of
# $fpath, or after compinit: source <(terrarium completion zsh)

_terrarium() {
	local line word
	local -a values unfinished
	for line in ${(f)"$($words[1] __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
		word=${line%%$'\t'*}
		case $line in
		:files | :dirs)
			[[ $PREFIX != --*=* ]] || compset -P '*='
			if [[ $line == :dirs ]]; then _files -/; else _files; fi
			;;
		*) if [[ $word == *[/:=] ]]; then unfinished+=($word); else
				values+=("${word//:/\\:}${${(M)line:#*$'\t'*}:+:${line#*$'\t'}}")
			fi ;;
		esac
	done
	compadd -S '' -a unfinished
	_describe -t values value values
}

if [[ $funcstack[1] == _terrarium ]]; then
	_terrarium "$@"
else
	compdef _terrarium terrarium
fi
