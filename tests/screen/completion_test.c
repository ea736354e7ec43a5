/* SPDX-License-Identifier: MIT */
/* The real shells with the scripts that `terrarium completion` prints: what Tab makes of a line. A shell that
 * is not installed is passed over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"

static const char *program;
static struct screen s = {.fd = -1};
static char folder[64];

struct shell {
	const char *path, *argv[6];
	const char *begin; /* typed: loads the completion */
};

static const struct shell bash = {"/bin/bash", {"/bin/bash", "--noprofile", "--norc", "-i", NULL},
		"PS1='ready> '; bind 'set bell-style none'; eval \"$(terrarium completion bash)\"\r"};
static const struct shell zsh = {"/usr/bin/zsh", {"/usr/bin/zsh", "-f", "-i", NULL},
		"PS1='ready> '; setopt nobeep; autoload -U compinit; compinit -D -u; "
		"source <(terrarium completion zsh)\r"};
static const struct shell fish = {"/usr/bin/fish", {"/usr/bin/fish", "--no-config", "-i", NULL},
		"function fish_prompt; echo 'ready> '; end; terrarium completion fish | source\r"};

static void make_file(const char *name)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

static void start(const struct shell *shell)
{
	char config[96], link[128], line[320];
	const char *env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", config, NULL};

	if (access(shell->path, X_OK) < 0) {
		print_message("%s is not installed\n", shell->path);
		skip();
	}
	snprintf(folder, sizeof folder, "/tmp/terrarium-test-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(config, sizeof config, "XDG_CONFIG_HOME=%s/config", folder);
	snprintf(link, sizeof link, "%s/bin", folder);
	assert_int_equal(mkdir(link, 0700), 0);
	snprintf(link, sizeof link, "%s/bin/terrarium", folder);
	assert_int_equal(symlink(program, link), 0);
	make_file("unlike.trec");
	screen_start(&s, 24, 100, shell->argv, env);
	/* What is typed before the shell reads its line may be lost. */
	screen_wait_quiet(&s, 300);
	snprintf(line, sizeof line, "cd %s; export HOME=%s PATH=\"%s/bin:$PATH\"\r", folder, folder, folder);
	screen_send(&s, line);
	screen_send(&s, shell->begin);
	screen_wait(&s, "ready> ");
	screen_wait_quiet(&s, 300);
}

/* With Tab behind it, `typed` becomes `wanted`. */
static void completes(const char *typed, const char *wanted)
{
	screen_send(&s, "\025"); /* kill the line */
	screen_send(&s, "clear\r");
	screen_wait_quiet(&s, 100);
	screen_send(&s, typed);
	screen_send(&s, "\t");
	screen_wait(&s, wanted);
}

/* With Tab twice, the choices are shown. */
static void offers(const char *typed, const char *const *wanted)
{
	completes(typed, "terrarium");
	screen_send(&s, "\t");
	for (; *wanted; wanted++)
		screen_wait(&s, *wanted);
}

static void try_all(const struct shell *shell)
{
	static const char *const shells[] = {"bash", "fish", "zsh", NULL};
	static const char *const themes[] = {"dark", "dusk", NULL};

	start(shell);
	completes("terrarium metr", "terrarium metrics");
	completes("terrarium run --js", "terrarium run --json");
	completes("terrarium run --mem", "terrarium run --memory");
	completes("terrarium run --scro", "terrarium run --scrollback");
	completes("terrarium run --lang javas", "terrarium run --lang javascript");
	completes("terrarium --theme proj", "terrarium --theme projector");
	completes("terrarium run --theme=proj", "terrarium run --theme=projector");
	completes("terrarium export --to ipy", "terrarium export --to ipynb");
	completes("terrarium replay unl", "terrarium replay unlike.trec");
	completes("terrarium help compl", "terrarium help completion");
	completes("terrarium config termi", "terrarium config terminate_grace");
	completes("terrarium check them", "terrarium check themes");
	/* An option's value is no operand. */
	completes("terrarium replay --theme dark unl", "terrarium replay --theme dark unlike.trec");
	completes("terrarium replay --confirm off unl", "terrarium replay --confirm off unlike.trec");
	completes("terrarium help --yes compl", "terrarium help --yes completion");
	completes("terrarium export -t md unl", "terrarium export -t md unlike.trec");
	offers("terrarium completion ", shells);
	offers("terrarium check themes d", themes);
	screen_send(&s, "\025exit\r");
	screen_end(&s);
}

static void in_bash(void **state)
{
	(void)state;
	try_all(&bash);
}

static void in_zsh(void **state)
{
	(void)state;
	try_all(&zsh);
}

static void in_fish(void **state)
{
	(void)state;
	try_all(&fish);
}

static int clean_up(void **state)
{
	char command[128];

	(void)state;
	screen_abandon(&s);
	if (!folder[0])
		return 0;
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	folder[0] = '\0';
	return system(command);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_teardown(in_bash, clean_up),
			cmocka_unit_test_teardown(in_zsh, clean_up),
			cmocka_unit_test_teardown(in_fish, clean_up),
	};

	if (argc < 2)
		return 2;
	program = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
