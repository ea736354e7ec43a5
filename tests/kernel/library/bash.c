/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "behaviour.h"

static void check_long_line(const struct bed *bed, const struct trm_result *r)
{
	if (bed->out[0].n != 10000001 || r->stdout_bytes != 10000001)
		behaviour_fail("%zu bytes came", bed->out[0].n);
}

static void check_many_lines(const struct bed *bed, const struct trm_result *r)
{
	size_t lines = 0;
	(void)r;
	for (const char *at = bed->out[0].s; at && (at = strchr(at, '\n')); at++)
		lines++;
	if (lines != 1000000)
		behaviour_fail("%zu lines came", lines);
}

static void check_raw_bytes(const struct bed *bed, const struct trm_result *r)
{
	(void)r;
	if (bed->out[0].n != 5 || memcmp(bed->out[0].s, "\xff\xfe\0a\n", 5) != 0)
		behaviour_fail("the bytes changed on the way");
}

static void check_quick(const struct bed *bed, const struct trm_result *r)
{
	(void)bed;
	if (r->wall_us > 3000000)
		behaviour_fail("it took %.1f ms", (double)r->wall_us / 1000);
}

#define FAILS(code) .status = TRM_STATUS_ERROR, .exit_code = code
#define INTERRUPTED .is_interrupted = true, .status = TRM_STATUS_INTERRUPTED, .exit_code = 130

static const struct behaviour ROWS[] = {
		{.name = "a last line without newline", .code = "echo a\nprintf b", .out = "a\nb"},
		{.name = "functions persist",
				.code = "greet() { echo \"hello $1\"; }\nalias ll='echo aliased'"},
		{.name = "and are seen", .code = "greet you", .out = "hello you\n"},
		{.name = "exports persist", .code = "export E=exported; cd /tmp; set -- a 'b c'"},
		{.name = "and are seen, with directory",
				.code = "bash -c 'echo $E'; pwd; cd /workspace",
				.out = "exported\n/tmp\n"},
		{.name = "shell options persist", .code = "shopt -s nullglob; set -u"},
		{.name = "an unset variable under set -u",
				.code = "echo $nothing_here\necho after",
				FAILS(-1),
				.shows = {"unbound variable"}},
		{.name = "and options are put back",
				.code = "set +u; shopt -u nullglob; echo back",
				.out = "back\n"},
		{.name = "the last exit code", .code = "echo a; false", FAILS(1), .out = "a\n"},
		{.name = "an exit code", .code = "(exit 7)", FAILS(7)},
		{.name = "$? is the one of the run before", .code = "true"},
		{.name = "exit", .code = "echo bye; exit; echo no", .out = "bye\n"},
		{.name = "exit 3", .code = "echo bye; exit 3; echo no", FAILS(3), .out = "bye\n"},
		{.name = "exit in a function", .code = "f() { exit 4; }; f; echo no", FAILS(4), .out = ""},
		{.name = "exit in a loop in a function",
				.code = "g() { while read -r l; do exit 5; done <<< x; }; g; echo no",
				FAILS(5),
				.out = ""},
		{.name = "variables set before an exit", .code = "before=1; exit 0"},
		{.name = "are kept", .code = "echo $before", .out = "1\n"},
		{.name = "set -e", .code = "set -e\nfalse\necho no", FAILS(1), .out = ""},
		{.name = "and after it", .code = "echo still; set +e", .out = "still\n"},
		{.name = "return outside a function",
				.code = "echo a; return 6; echo on",
				.out = "a\non\n",
				.shows = {"return"}},
		{.name = "an unclosed quote",
				.code = "echo 'x\necho y",
				.status = TRM_STATUS_ERROR,
				.exit_code = 2,
				.out = "",
				.shows = {"unexpected EOF"}},
		{.name = "an unclosed bracket",
				.code = "for i in 1 2; do\necho $i",
				.status = TRM_STATUS_ERROR,
				.exit_code = 2,
				.out = "",
				.shows = {"syntax error"}},
		{.name = "an unclosed substitution",
				.code = "echo $(echo x",
				.status = TRM_STATUS_ERROR,
				.exit_code = 2,
				.shows = {"unexpected EOF"}},
		{.name = "a syntax error",
				.code = "if true; then\n  echo a\nfi)\n",
				.status = TRM_STATUS_ERROR,
				.exit_code = 2,
				.shows = {"line 3"}},
		{.name = "an unclosed here-document", .code = "cat <<END\nbody", .out_has = "body"},
		{.name = "read with a line",
				.code = "read -r name; echo \"hi $name\"",
				.input = "bob\n",
				.out_has = "hi bob\n"},
		{.name = "read -p",
				.code = "read -r -p 'name? ' name; echo \"hi $name\"",
				.input = "bob\n",
				.out_has = "hi bob\n"},
		{.name = "read without an offer",
				.code = "read -r name; echo \"code $?\"",
				.out = "code 1\n"},
		{.name = "read after the last line",
				.code = "while read -r l; do echo \"<$l>\"; done; echo end",
				.input = "a\nb\n",
				.out = "<a>\n<b>\nend\n"},
		{.name = "stdin of a command",
				.code = "cat | tr a-z A-Z",
				.input = "ab\ncd\n",
				.out = "AB\nCD\n"},
		{.name = "cat without an offer",
				.code = "cat; echo done",
				.out = "done\n",
				.check = check_quick},
		{.name = "blank lines and indents",
				.code = "\n\nif true\nthen\n\n    echo a\n\n  else\n\n echo b\n\nfi\n\n",
				.out = "a\n"},
		{.name = "lines like prompts",
				.code = "echo '> a'; echo '$ b'; echo; echo '... c'",
				.out = "> a\n$ b\n\n... c\n"},
		{.name = "here-documents",
				.code = "cat <<'END'\n$x `y`\nEND\necho after",
				.out = "$x `y`\nafter\n"},
		{.name = "arrays and maps",
				.code = "declare -A m=([a]=1 [b]=2); arr=(x y z); echo ${m[b]} ${arr[@]:1}",
				.out = "2 y z\n"},
		{.name = "quotes of all kinds",
				.code = "echo \"a'b\" 'c\"d' $'e\\tf' \\\\",
				.out = "a'b c\"d e\tf \\\n"},
		{.name = "both streams",
				.code = "echo out; echo err >&2; ls /nope",
				FAILS(2),
				.out = "out\n",
				.shows = {"err", "/nope"}},
		{.name = "output after the end",
				.code = "(sleep 0.3; echo late one) &\necho now",
				.out = "now\n",
				.late = "late one\n"},
		{.name = "a background process",
				.code = "sleep 1000 &\necho on",
				.out = "on\n",
				.check = check_quick},
		{.name = "and its end",
				.code = "kill $!; wait $! 2>/dev/null; echo \"code $?\"",
				.out_has = "code 143\n"},
		{.name = "a daemon",
				.code = "setsid sleep 1000 & disown; echo on",
				.out = "on\n",
				.check = check_quick},
		{.name = "wait for a job",
				.code = "(sleep 0.05; echo job) & wait; echo waited",
				.out = "job\nwaited\n"},
		{.name = "bytes that are not UTF-8",
				.code = "printf '\\xff\\xfe\\0a\\n'",
				.check = check_raw_bytes},
		{.name = "code that is not ASCII",
				.code = "v='\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80'; echo \"$v ${#v}\"",
				.out = "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80 3\n"},
		{.name = "a line of 10 MB",
				.code = "head -c 10000000 /dev/zero | tr '\\0' x; echo",
				.check = check_long_line},
		{.name = "1 000 000 lines", .code = "seq 1000000", .check = check_many_lines},
		{.name = "deep recursion",
				.code = "FUNCNEST=500; r() { r; }; r",
				FAILS(1),
				.check = check_quick},
		{.name = "a failing command's line",
				.code = "echo one\n\nnosuchcommand here",
				FAILS(127),
				.out = "one\n",
				.shows = {"nosuchcommand", "line 3"}},
		{.name = "a changed PATH", .code = "PATH=/nowhere; ls", FAILS(127)},
		{.name = "and changed back",
				.code = "PATH=/usr/bin:/bin; ls / >/dev/null && echo ok",
				.out = "ok\n"},
		{.name = "traps of its own",
				.code = "trap 'echo trapped' EXIT; trap 'echo usr' USR1; kill -USR1 $$; trap "
					"- EXIT USR1",
				.out_has = "usr\n"},
		{.name = "an IFS of its own",
				.code = "IFS=,; set -- $(echo a,b); echo \"$1-$2\"; unset IFS",
				.out = "a-b\n"},
		{.name = "an endless loop", .code = "echo on; while :; do :; done", INTERRUPTED},
		{.name = "an endless flood",
				.code = "echo on; while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done",
				INTERRUPTED},
		{.name = "a flood of a command", .code = "echo on; yes", INTERRUPTED},
		{.name = "a command that sleeps",
				.code = "echo on; sleep 1000; echo no",
				INTERRUPTED,
				.out = "on\n"},
		{.name = "a pipeline", .code = "echo on; sleep 1000 | cat", INTERRUPTED},
		{.name = "a wait for a job", .code = "sleep 1000 & echo on; wait", INTERRUPTED},
		{.name = "a wait for input", .code = "echo on; read -r line", .input = "", INTERRUPTED},
		{.name = "an ignored interrupt",
				.code = "trap '' INT; echo on; while :; do :; done",
				INTERRUPTED,
				.loses_state = true},
		{.name = "SIGKILL",
				.code = "kill -KILL $$",
				.status = TRM_STATUS_KILLED,
				.exit_code = 137,
				.loses_state = true},
		{.name = "SIGSEGV",
				.code = "kill -SEGV $$",
				.status = TRM_STATUS_KILLED,
				.exit_code = 139,
				.loses_state = true},
		{0},
};

static const struct language BASH = {
		.name = "bash",
		.set_state = "x=42",
		.get_state = "echo $x",
		.driver_name = "terrarium",
		.rows = ROWS,
};

int main(int argc, char **argv)
{
	return behaviour_main(&BASH, argc, argv);
}
