#!/bin/sh
# SPDX-License-Identifier: MIT
# Option before environment before .env before config file before default, for a setting of every kind; and that
# `terrarium config` tells which it was.
. "$(dirname "$0")/tell.sh"
mkdir -p config/terrarium
file=$dir/config/terrarium/config.json
unset VISUAL EDITOR

# wins KEY VALUE FROM WHERE [WORDS…]: with these words on the command line the setting is this, from there.
wins() {
	key=$1 value=$2 from=$3 where=$4
	shift 4
	try config "$key" "$@"
	expect_code 0
	expect_out "$value"
	try config "$key" --json "$@"
	expect_in out "\"value\":\"$value\",\"from\":\"$from\",\"where\":$where,"
}

# name, variable, option, and values of: default, file (as JSON), .env, environment, option. Shown as in the last five.
while IFS='|' read -r name variable option default json in_file dotenv in_dotenv in_env in_option; do
	unset "$variable"
	rm -f .env "$file"
	wins "$name" "$default" default null
	printf '{ // one\n  "%s": %s }' "$name" "$json" >"$file"
	wins "$name" "$in_file" file "\"$file:2:3\""
	printf '# two\n%s=%s\n' "$variable" "$dotenv" >.env
	wins "$name" "$in_dotenv" .env '".env:2"'
	export "$variable=$in_env"
	wins "$name" "$in_env" environment "\"$variable\""
	wins "$name" "$in_option" option "\"$option\"" "$option" "$in_option"
	wins "$name" "$in_option" option "\"$option\"" "$option=$in_option"
	export "$variable="
	wins "$name" "$in_file" file "\"$file:2:3\""
	unset "$variable"
	echo "$variable=" >.env
	wins "$name" "$in_file" file "\"$file:2:3\""
done <<'ROWS'
theme|TERRARIUM_THEME|--theme|dark|"light"|light|"mono" # m|mono|paper|projector
graphs|TERRARIUM_GRAPHS|--graphs|braille|"blocks"|blocks|'ascii'|ascii|braille|blocks
restore|TERRARIUM_RESTORE|--restore|on|false|off|yes|on|off|on
memory|TERRARIUM_MEMORY|--memory|512|"2G"|2048|64|64|128|99
cpus|TERRARIUM_CPUS|--cpus|1|0.5|0.5|2|2|3|4
processes|TERRARIUM_PROCESSES|--processes|128|64|64|65|65|66|67
timeout|TERRARIUM_TIMEOUT|--timeout|30|"500ms"|0.5|1m|60|0|7
ROWS
rm -f .env

# The letter, the switch alone, and --yes.
echo '{ "confirm": true }' >"$file"
wins language js option '"--lang"' -l js
wins linear on option '"--linear"' --linear
wins confirm off option '"--yes"' --yes
wins confirm on file "\"$file:1:3\""

# What only .env itself can get wrong.
printf 'A=1\nTERRARIUM_MEMORY=1\nTERRARIUM_MEMORY=lots\n' >.env
try config memory
expect_code 125
expect_err "terrarium: .env:3: TERRARIUM_MEMORY lots: must be a number of MiB, such as 512 or 2G"
printf 'TERRARIUM_MEMORY=lots\nexport TERRARIUM_MEMORY="6${FOUR:-4}" # really\r\n' >.env
wins memory 64 .env '".env:2"'
printf 'TERRARIUM_CONFIG=elsewhere.json\nTERRARIUM_NONSENSE=1\nnot a line\n' >.env
wins memory 512 default null
mkdir env.folder && rm .env && mv env.folder .env
wins memory 512 default null
rmdir .env

# The table, one key, the file.
try config
expect_code 0
[ "$(head -n 1 out | cut -c1-7)" = SETTING ] || wrong "there is a head"
awk 'NR == 1 { at = index($0, "FROM") } substr($0, at - 1, 2) !~ /^ [^ ]/ { exit 1 }' out || wrong "columns stand below their heads"
tr -s ' ' <out >squeezed
expect_in squeezed "confirm on $file:1:3"
expect_in squeezed "memory 512 default"
try config --json
[ "$(grep -c '"name":' out)" = "$("$terrarium" help --json | grep -o '"setting":' | wc -l)" ] || wrong "a row per setting"
try config nonsense
expect_code 125
expect_err "terrarium: there is no setting 'nonsense'; 'terrarium config' lists them"
try config memroy
expect_err "terrarium: there is no setting 'memroy'; did you mean memory?"
try config memory cpus
expect_err "terrarium: 'config' takes one KEY, and 'cpus' is a second one"
try config path
expect_out "$file"
try config path --config here.json
expect_out here.json
rm -r config
EDITOR='sh -c "echo { \\\"memory\\\": 1 } >\$0"' try config edit
expect_code 125
expect_err "terrarium: $file:1:3: \"memory\": 1: must be at least 16 MiB"
EDITOR='printf "%s\n"' try config edit
expect_in out "$file"
EDITOR=false try config edit
expect_code 125
expect_err "terrarium: the editor 'false' failed (VISUAL or EDITOR names it)"
rm "$file"
EDITOR=true try config edit
expect_code 0
[ "$(stat -c %a "$file")" = 600 ] || wrong "it is one's own"
expect_in "$file" '	// "memory": "512",'
sed -i 's|// "memory": "512"|"memory": "333"|' "$file"
try config memory
expect_out 333
HOME= XDG_CONFIG_HOME= try config path
expect_code 125

# The workbench goes into a folder, and a relative path stays what it was.
mkdir folder
echo '{"memory": 1}' >here.json
try --config here.json folder
expect_code 125
expect_in err "here.json:1:"
TERRARIUM_CONFIG=here.json try folder
expect_code 125
expect_in err "here.json:1:"
mv here.json folder
TERRARIUM_CONFIG=here.json try folder
expect_code 125
expect_in err "/here.json"
expect_in err "No such file"
rm -r folder

# A variable that nobody reads.
TERRARIUM_LANGUAGE=bash try config language
expect_code 0
expect_err ""
TERRARIUM_LANGUAGE=bash try config
expect_code 0
expect_in err "terrarium: note: unknown variable TERRARIUM_LANGUAGE; did you mean TERRARIUM_LANG?"
TERRARIUM_LANGUAGE=bash try doctor --backend fake --json
expect_in out '"status":"note","name":"environment","detail":"unknown variable TERRARIUM_LANGUAGE: it is ignored","advice":"did you mean TERRARIUM_LANG?"'

verdict
