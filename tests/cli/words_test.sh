#!/bin/sh
# SPDX-License-Identifier: MIT
# Command lines, settings and their mistakes: everything that is told before a sandbox starts.
. "$(dirname "$0")/tell.sh"

try --version
expect_code 0
expect_in out "terrarium "

try help --json
expect_code 0
commands=$(grep -o '{"command":"[a-z]*"' out | cut -d'"' -f4)
[ "$(echo "$commands" | wc -l)" -ge 9 ] || wrong "the table of commands has more rows"
[ "$commands" = "$(echo "$commands" | sort -u)" ] || wrong "the table of commands is sorted"
# fits WORDS: this help is a screen of 24 lines and 80 columns, or less. Of the settings there are more than lines.
fits() {
	# shellcheck disable=SC2086
	try $1
	expect_code 0
	expect_err ""
	[ "$1" = "help settings" ] || [ "$(wc -l <out)" -le 24 ] || wrong "a help has at most 24 lines"
	[ "$(LC_ALL=C.UTF-8 wc -L <out)" -le 80 ] || wrong "a help has at most 80 columns"
}
for words in --help -h help "help options" "help settings"; do
	fits "$words"
done
for command in $commands; do
	fits "$command --help"
	cp out help
	[ "$command" = help ] || [ "$command" = config ] || { try help "$command" && cmp -s out help || wrong "like --help"; }
	# shellcheck disable=SC2086
	try "$command" --nonsense
	expect_code 125
	expect_err "terrarium: unknown option '--nonsense'; see 'terrarium $command --help'"
done

# Each of these is one sentence on stderr and our own failure.
mistakes() {
	while IFS='|' read -r words sentence; do
		# shellcheck disable=SC2086
		try $words </dev/null
		expect_code 125
		expect_out ""
		expect_err "terrarium: $sentence"
	done
}
printf 'x' >script
printf '\177ELF\0\0' >binary.py
mkdir folder.py
mistakes <<'MISTAKES'
rnu|there is no command and no file 'rnu'; did you mean 'terrarium run'?
--nonsense|unknown option '--nonsense'; see 'terrarium --help'
run --nonsense|unknown option '--nonsense'; see 'terrarium run --help'
run --memroy 5 -c x|unknown option '--memroy'; did you mean --memory?
run -c|a value is missing after '-c'; see 'terrarium run --help'
run --json=yes|no value can be given to '--json'; see 'terrarium run --help'
run -c x|there is no terminal to ask on before code is run; give --yes to run it without asking
run --yes --name= -c x|--name '': a sandbox cannot have an empty name; without --name it has a random one
run --yes --net maybe|--net maybe: must be on or off (and there is no file 'maybe')
run --yes --keep maybe -c x|--keep maybe: must be on or off (and there is no file 'maybe')
run --yes --memory -1 -c x|--memory -1: must be at least 16 MiB
run --yes --memory=lots -c x|--memory lots: must be a number of MiB, such as 512 or 2G
run --yes --open-files 63 -c x|--open-files 63: must be at least 64
run --yes --cpus 0 -c x|--cpus 0: must be at least 0.01 cores
run --yes --timeout never -c x|--timeout never: must be a number of seconds, such as 30 or 500ms
run --yes --metrics-interval 0.1 -c x|--metrics-interval 0.1: must be at least 0.2 seconds
run --yes --theme nope -c x|--theme has no effect on 'terrarium run': it is a setting of the workbench and the REPL
exec --scrollback 3 -- true|--scrollback has no effect on 'terrarium exec': it is a setting of the workbench and the REPL
logs x --graphs ascii|--graphs has no effect on 'terrarium logs': it is a setting of the workbench and the REPL
logs x --disk 64|--disk has no effect on 'terrarium logs': it describes a new sandbox
stop x --net on|--net has no effect on 'terrarium stop': it describes a new sandbox
run --yes --config nowhere.json -c x|cannot read nowhere.json: No such file or directory
run --yes nowhere.py|cannot read nowhere.py: No such file or directory
run --yes binary.py|cannot run binary.py: it is a binary file (a NUL byte in line 1), not text
run --yes folder.py|cannot run folder.py: it is a directory
run --yes - -|'-' was given twice, but standard input can be read only once
run --yes --backend moon -c x|there is no backend 'moon': known are local, microsandbox, fake, docker, podman, micromamba, kubernetes, agent-sandbox, msb
exec --yes|there is no command to execute; see 'terrarium exec --help'
help nonsense|there is no command 'nonsense'; see 'terrarium help'
help rnu|there is no command 'rnu'; did you mean 'terrarium help run'?
frobnicate|there is no command and no file 'frobnicate'; see 'terrarium help'
--theme light run|options follow the command: terrarium run …
run --jsn -c x|unknown option '--jsn'; did you mean --json?
run --metrics 5 -c x|unknown option '--metrics'; did you mean --metrics-interval?
version 1|'version' takes no arguments
MISTAKES

# The question of an engine is answered by the advice.
mkdir engine
cat >engine/docker <<'END'
#!/bin/sh
echo 'Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?' >&2
exit 1
END
chmod +x engine/docker
before=$PATH
PATH=$PWD/engine:$PATH
try run --yes --backend docker -c x
PATH=$before
expect_in err "Docker daemon at unix:///x; start it (systemctl start docker)"

try run --yes -l cobol -c x
expect_code 125
expect_in err "unknown language 'cobol'"
expect_in err "the languages are python, javascript, bash"
try run --yes script
expect_code 125
expect_in err "'script' has no ending"

# The config file, .env and the environment, and who wins.
mkdir -p config/terrarium
echo '{ "backend": "fake", // for tests
  "timeout": 20, "memroy": 64 }' >config/terrarium/config.json
try run --yes -c x
expect_code 125
expect_err "terrarium: $dir/config/terrarium/config.json:2:18: unknown setting \"memroy\"; did you mean \"memory\"?"
echo '{ "backend": "moon" }' >config/terrarium/config.json
echo 'TERRARIUM_BACKEND=mars' >.env
try run --yes -c x
expect_in err "'mars'"
TERRARIUM_BACKEND=venus try run --yes -c x
expect_in err "'venus'"
TERRARIUM_BACKEND=venus try run --yes --backend fake -c 'print hello'
expect_code 0
expect_out hello
echo 'TERRARIUM_CONFIRM=off' >.env
try run --yes --backend fake -c 'print hello'
expect_code 125
expect_in err ".env:1: TERRARIUM_CONFIRM cannot be set here"
rm .env
echo '{ "backend": "fake", "confirm": false }' >config/terrarium/config.json
try run -c 'print hello'
expect_code 0
expect_out hello
printf '{ "memory": 64,\n  "cpus": }' >bad.json
try run --yes --config bad.json -c x
expect_code 125
expect_in err "bad.json:2:11: this is not JSON"

# The home of somebody else: what is in there is not for us.
if [ "$(id -u)" != 0 ]; then
	rm -r config/terrarium
	mkdir config/terrarium
	chmod 0 config
	try run --yes --backend fake -c 'print hello'
	expect_code 0
	expect_out hello
	chmod 700 config
fi

verdict
