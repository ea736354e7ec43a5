#!/bin/sh
# SPDX-License-Identifier: MIT
# The completion of bash, asked line by line (tests/screen/completion_test.c types into the shells themselves).
. "$(dirname "$0")/tell.sh"
command -v bash >/dev/null || { echo "SKIP: no bash"; exit 77; }
XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
trap '"$terrarium" stop --all --yes >/dev/null 2>&1; rm -rf "$dir" "$XDG_RUNTIME_DIR"' EXIT
mkdir bin here && ln -s "$terrarium" bin/terrarium && cd here
PATH=$dir/bin:$PATH
mkdir folder && touch a.py 'two words.trec'

complain() {
	cd ..
	wrong "$1"
	cd here
}

# completes LINE WANTED: what Tab has to offer at the end of the line, sorted. Words are cut as bash does it.
completes() {
	tried="completion of '$1'"
	code=0
	bash --norc --noprofile -c 'eval "$(terrarium completion bash)"
		COMP_LINE=$1 COMP_POINT=${#1} words=${1//:/ : }
		read -r -a COMP_WORDS <<<"${words//=/ = }"
		[[ $1 != *[\ :] ]] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_terrarium
		printf "%s\n" "${COMPREPLY[@]}"' - "$1" >../found 2>../err || code=$?
	sort ../found | tr '\n' '|' | sed 's/|$//' >../out
	[ "$(cat ../out)" = "$2" ] || complain "should be: $2"
	[ ! -s ../err ] || complain "nothing on stderr"
}

completes "terrarium metr" "metrics"
completes "terrarium re" "repl|replay|restart|resume"
completes "terrarium run --js" "--json"
completes "terrarium run --no" "--no-plots"
completes "terrarium run --scroll" "--scrollback"
completes "terrarium run -l " "bash|c|cpp|go|java|javascript|python|r|ruby|typescript"
completes "terrarium run --lang=j" "java|javascript"
completes "terrarium run --theme d" "dark|dusk"
completes "terrarium run --theme mono a" "a.py"
completes "terrarium run --keep " "-|a.py|folder|two words.trec"
completes "terrarium run --keep=" "off|on"
completes "terrarium run --keep on a" "a.py"
completes "terrarium run --net" "--net|--net-allow|--net-allow-host|--net-credentials"
completes "terrarium exec --scri" "--script"
completes "terrarium run --save-figures " "folder"
completes "terrarium run --timeout " ""
completes "terrarium replay t" "two words.trec"
completes "terrarium replay a.py " ""
completes "terrarium check " "config|keys|themes"
completes "terrarium check themes l" "light"
completes "terrarium export a.trec --to m" "md"
completes "terrarium run --backend m" "micromamba|microsandbox|msb"
completes "terrarium run --policy s" "strict"
completes "terrarium scan --policy s" "strict"
completes "terrarium config cpu" "cpus"
completes "terrarium help ex" "exec|export"
completes "terrarium completion " "bash|fish|zsh"
completes "terrarium -- me" ""
completes "terrarium nonsense " ""

# Every setting is an option that every command completes, and so are the words that it takes.
"$terrarium" help settings | sed -n '7,$s/^  \([a-z_]\{3,\}\) .*/--\1/p' | tr _ - | sed 's/^--language$/--lang/' >../settings
[ "$(wc -l <../settings)" -gt 60 ] || complain "the list of settings: $(cat ../settings)"
while read -r option; do
	for command in run exec repl attach serve; do
		tried="completion of 'terrarium $command $option'"
		"$terrarium" __complete "$command" "$option" </dev/null | grep -q "^$option	" || complain "it should be there"
	done
done <../settings
completes "terrarium run --wrap=" "off|on"


"$terrarium" run --yes --keep --name boxed -l bash -c 'mkdir data; touch data/one.csv report; printf x >"$(printf "data/\033e")"' \
	>/dev/null 2>&1 || { [ $n_wrong = 0 ] && echo "SKIP: no local sandbox on this machine" && exit 77; }
completes "terrarium stop b" "boxed"
completes "terrarium metrics --interval 1 " "boxed"
completes "terrarium run --name b" "boxed"
completes "terrarium cp b" "boxed:"
completes "terrarium cp a.py boxed:re" "report"
completes "terrarium cp boxed:data/" "data/one.csv"
completes "terrarium cp boxed:/usr/bi" "/usr/bin/"
completes "terrarium cp nobody:x" ""

cd ..
verdict
