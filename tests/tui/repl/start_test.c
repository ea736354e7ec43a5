/* SPDX-License-Identifier: MIT */
/* Commands of the REPL, with the words behind them, without a sandbox. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "repl/command.h"
#include "repl/repl_internal.h"

static struct repl *r;
static struct settings settings;
static char said[16000];

static int set_up(void **state)
{
	static const struct show_cb show_cb;
	static struct repl_opts opts = {.settings = &settings};

	(void)state;
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	r = calloc(1, sizeof *r);
	if (!r || trm_loop_create(&r->cli_session.loop, NULL) < 0)
		return -1;
	r->opts = &opts;
	r->lang = trm_lang_default();
	r->config.timeout_ms = 30000;
	show_init(&r->show, r->cli_session.loop, &r->paint, &show_cb, r);
	r->show.is_terminal = r->show.is_mixed = false; /* wherever the test runs */
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	show_finish(&r->show);
	trm_loop_destroy(r->cli_session.loop);
	free(r);
	return 0;
}

/* Type a line behind the colon. Returns what has been printed on stdout and stderr. */
static const char *typed(const char *line)
{
	int real[3] = {-1, dup(1), dup(2)};
	FILE *file = tmpfile();

	assert_non_null(file);
	fflush(stdout);
	dup2(fileno(file), 1);
	dup2(fileno(file), 2);
	repl_command_start(r, line);
	while (!show_is_idle(&r->show))
		trm_loop_step(r->cli_session.loop, -1);
	for (int fd = 1; fd < 3; fd++) {
		dup2(real[fd], fd);
		close(real[fd]);
	}
	rewind(file);
	said[fread(said, 1, sizeof said - 1, file)] = '\0';
	fclose(file);
	return said;
}

static void expect(const char *line, const char *answer)
{
	if (!strstr(typed(line), answer))
		fail_msg(":%s was answered with: %s", line, said);
}

static void wrong_words_are_refused(void **state)
{
	static const char *const cases[][2] = {
			{"nonsense", "there is no command :nonsense; :help lists them"},
			{"hepl", "there is no command :hepl; did you mean :help?"},
			{"re", ":re may be :reset, :restart"},
			{"quit now", ":quit takes no arguments"},
			{"a\033[2Jb", "there is no command :a"},
			{"confirm maybe", ":confirm takes on or off, not 'maybe'"},
			{"keep maybe", ":keep takes on or off, not 'maybe'"},
			{"timeout soon", ":timeout"},
			{"timeout -1", ":timeout"},
			{"lang cobol", "cobol"},
			{"theme no-such-theme", "no-such-theme"},
			{"help zzz", "no command matches 'zzz'"},
			{"save", ":save"},
			{"save x.py", "nothing has been run in python yet"},
			{"save x.png", "no image has been shown yet"},
			{"artifacts save 1", "no run has shown images, tables or files yet"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		expect(cases[i][0], cases[i][1]);
		assert_null(strchr(said, '\033'));
	}
	assert_int_not_equal(r->exit_code, 0); /* a script learns of it */
}

static void names_may_be_short_and_blanks_many(void **state)
{
	(void)state;
	expect("  timeout   2.5  ", "runs have a time limit of 2.5 s");
	assert_int_equal(r->config.timeout_ms, 2500);
	expect("timeo", "runs have a time limit of 2.5 s");
	expect("timeout 0", "runs have no time limit");
	assert_int_equal(r->exit_code, 0);
}

static void confirming_is_turned_on_and_off(void **state)
{
	(void)state;
	expect("confirm", "code runs without a question");
	expect("confirm on", "asks before each input");
	assert_int_equal(r->confirm_mode, CONFIRM_EACH);
	expect("confirm off", "only about findings of high severity");
	assert_int_equal(r->confirm_mode, CONFIRM_HIGH);
}

static void languages_are_listed_with_the_current_one(void **state)
{
	char line[80];

	(void)state;
	snprintf(line, sizeof line, "* %s\n", r->lang->name);
	expect("lang", line);
	for (unsigned i = 0; i < trm_lang_count(); i++)
		assert_non_null(strstr(said, trm_lang_at(i)->name));
}

static void help_knows_every_command(void **state)
{
	char line[80];

	(void)state;
	typed("help");
	for (const struct repl_command *c = repl_command_table; c->name; c++) {
		snprintf(line, sizeof line, ":%s", c->name);
		if (!strstr(said, line))
			fail_msg("%s is not in :help", line);
	}
	for (const struct repl_command *c = repl_command_table; c->name; c++) {
		snprintf(line, sizeof line, "help :%s", c->name);
		expect(line, c->help);
	}
}

static void history_is_searched(void **state)
{
	char first[] = "first = 1", second[] = "second = 2", *items[] = {first, second};

	(void)state;
	r->history.items = items;
	r->history.n = 2;
	expect("history", "    1  first = 1\n    2  second = 2\n");
	expect("history sec", "    2  second = 2\n");
	assert_null(strstr(said, "first"));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
			CASE(wrong_words_are_refused),
			CASE(names_may_be_short_and_blanks_many),
			CASE(confirming_is_turned_on_and_off),
			CASE(languages_are_listed_with_the_current_one),
			CASE(help_knows_every_command),
			CASE(history_is_searched),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
