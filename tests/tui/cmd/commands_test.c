/* SPDX-License-Identifier: MIT */
/* Command lines that are refused before anything is done: each command's own parsing, without a process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmocka_all.h"

enum { WORDS_MAX = 8 };

static int real[3];

static int begin(void **state)
{
	(void)state;
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	setenv("XDG_RUNTIME_DIR", "/nonexistent", 1);
	for (int fd = 0; fd < 3; fd++)
		real[fd] = dup(fd);
	return freopen("/dev/null", "r", stdin) ? 0 : -1;
}

/* Run a command line in this process. Returns the exit code, and what it has printed. */
static int run_line(const char *line, char *out, size_t cap)
{
	char words[256], *argv[WORDS_MAX + 1] = {NULL};
	int argc = 0;
	snprintf(words, sizeof words, "%s", line);
	for (char *save, *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		assert_true(argc < WORDS_MAX);
		argv[argc++] = word;
	}
	const struct cmd *cmd = cmd_find(argv[0]);
	assert_non_null(cmd);
	FILE *file = tmpfile();
	assert_non_null(file);
	fflush(stdout);
	dup2(fileno(file), 1);
	dup2(fileno(file), 2);
	int code = cmd->run(cmd, argc, argv);
	fflush(stdout);
	fflush(stderr);
	dup2(real[1], 1);
	dup2(real[2], 2);
	rewind(file);
	out[fread(out, 1, cap - 1, file)] = '\0';
	fclose(file);
	return code;
}

static void wrong_lines_are_refused_with_the_reason(void **state)
{
	static const struct {
		const char *line, *why;
	} cases[] = {
			{"attach", "which sandbox?"},
			{"attach a b c", "'attach' takes a NAME and a FILE, and 'c' is a third one"},
			{"attach --repl a b", "the REPL opens no file"},
			{"attach no/name", "name"},
			{"backends x", "'backends' takes no arguments, but got 'x'"},
			{"check nonsense", "'check' takes themes, keys or config, not 'nonsense'"},
			{"completion", "which shell?"},
			{"completion tcsh", "there is no completion for 'tcsh'"},
			{"completion bash zsh", "'completion' takes one shell, and 'zsh' is a second one"},
			{"config a b", "'config' takes one KEY, and 'b' is a second one"},
			{"config nonsense", "there is no setting 'nonsense'"},
			{"cp", "SRC and DST are missing"},
			{"cp a", "DST is missing"},
			{"demo", "nothing to show"},
			{"demo a b", "'demo' takes one FILE, and 'b' is a second one"},
			{"doctor x", "'doctor' takes no arguments, but got 'x'"},
			{"exec", "there is no command to execute"},
			{"export", "nothing to export"},
			{"export a b", "'export' takes one RECORDING, and 'b' is a second one"},
			{"export --to odd x", "there is no format 'odd'; known are ipynb"},
			{"help nonsense", "there is no command 'nonsense'"},
			{"help a b", "'help' takes one COMMAND, and 'b' is a second one"},
			{"inspect", "which sandbox?"},
			{"inspect a b", "'inspect' takes one NAME, and 'b' is a second one"},
			{"install", "there is no package to install"},
			{"keygen x", "'keygen' takes no arguments, but got 'x'"},
			{"keygen --expire soon", "--expire soon: must be a time such as 24h"},
			{"keygen --expire 0s", "--expire 0s: must be a time"},
			{"keygen --expire -1h", "--expire -1h: must be a time"},
			{"keygen --expire 101y", "--expire 101y: must be a time"},
			{"keygen --expire 99999999999999999999s", "must be a time"},
			{"langs x", "'langs' takes no arguments, but got 'x'"},
			{"logs", "which sandbox?"},
			{"logs a b", "'logs' takes one NAME, and 'b' is a second one"},
			{"mcp x", "'mcp' takes no arguments, but got 'x'"},
			{"metrics a b", "'metrics' takes one NAME, and 'b' is a second one"},
			{"metrics --count 0", "--count 0: must be a whole number, at least 1"},
			{"metrics --count x", "--count x: must be a whole number"},
			{"metrics --count -1", "--count -1: must be a whole number"},
			{"ps x", "'ps' lists all sandboxes and takes no arguments, but got 'x'"},
			{"repl a", "the REPL takes no file: 'a'"},
			{"replay", "nothing to replay"},
			{"replay a b", "'replay' takes one RECORDING, and 'b' is a second one"},
			{"restart", "which sandbox?"},
			{"restart a b", "'restart' takes one NAME, and 'b' is a second one"},
			{"resume", "which sandbox? Give the NAME of a suspended one"},
			{"resume a b", "'resume' takes one NAME, and 'b' is a second one"},
			{"resume no/name", "name"},
			{"serve x", "'serve' takes no arguments, but got 'x'"},
			{"serve --port x", "--port x: must be a number from 0 to 65535"},
			{"serve --port 65536", "--port 65536: must be a number from 0 to 65535"},
			{"serve --port -1", "must be a number from 0 to 65535"},
			{"snapshot", "NAME and TAG are missing"},
			{"snapshot a", "TAG is missing"},
			{"snapshot a b c", "'snapshot' takes NAME and TAG, and 'c' is one word too many"},
			{"snapshots x", "'x' is neither"},
			{"stop", "which sandbox? Give its NAME, or --all"},
			{"stop --all a", "give names or --all, not both"},
			{"suspend", "which sandbox?"},
			{"suspend a b", "'suspend' takes one NAME, and 'b' is a second one"},
			{"themes x", "'themes' takes no arguments, but got 'x'"},
	};
	char out[4000];
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(run_line(cases[i].line, out, sizeof out), CMD_FAILED);
		if (!strstr(out, cases[i].why) || strncmp(out, "terrarium: ", 11) != 0)
			fail_msg("'%s' was answered with: %s", cases[i].line, out);
	}
}

/* Options, settings and --help are the same for all: no command may forget one of these cases. */
static void every_command_knows_help_and_refuses_the_unknown(void **state)
{
	char line[80], out[16000];
	(void)state;
	size_t n;
	const struct cmd *const *all = cmd_table(&n);
	for (const struct cmd *const *c = all; c < all + n; c++) {
		snprintf(line, sizeof line, "%s --help", (*c)->name);
		assert_int_equal(run_line(line, out, sizeof out), CMD_OK);
		if (!strstr(out, (*c)->usage))
			fail_msg("'%s' does not show \"%s\": %s", line, (*c)->usage, out);
		snprintf(line, sizeof line, "%s --nonsense", (*c)->name);
		assert_int_equal(run_line(line, out, sizeof out), CMD_FAILED);
		if (!strstr(out, "unknown option '--nonsense'"))
			fail_msg("'%s' was answered with: %s", line, out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(wrong_lines_are_refused_with_the_reason),
			cmocka_unit_test(every_command_knows_help_and_refuses_the_unknown),
	};
	return cmocka_run_group_tests(tests, begin, NULL);
}
