/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/json_out.h"

static const struct {
	const char *word, *colour;
} looks[] = {
		[TRM_CHECK_OK] = {"ok", "32"},
		[TRM_CHECK_WEAK] = {"weak", "33"},
		[TRM_CHECK_FAILED] = {"failed", "31"},
		[TRM_CHECK_NOTE] = {"note", "36"},
};

struct report {
	bool is_json, has_colour, is_wrapped;
	size_t n;
	struct json_out json;
};

enum { DETAIL_COL = 29 };

static void print_row(const struct report *report, const struct trm_check *check)
{
	const char *colour = looks[check->status].colour;
	if (report->has_colour)
		printf("\033[%sm%-7s\033[m", colour, looks[check->status].word);
	else
		printf("%-7s", looks[check->status].word);
	printf(" %-20s ", check->name);
	if (report->is_wrapped)
		cmd_print_wrapped(check->detail, DETAIL_COL);
	else
		puts(check->detail);
	if (*check->advice) {
		printf("%*s> ", DETAIL_COL, "");
		if (report->is_wrapped)
			cmd_print_wrapped(check->advice, DETAIL_COL + 2);
		else
			puts(check->advice);
	}
	fflush(stdout); /* Checks take their time. */
}

static void put_row(struct json_out *j, const struct trm_check *check)
{
	json_open(j, NULL, '{');
	json_put_text(j, "status", looks[check->status].word);
	json_put_text(j, "name", check->name);
	json_put_text(j, "detail", check->detail);
	json_put_text(j, "advice", check->advice);
	json_close(j, '}');
}

static void on_check(void *user, const struct trm_check *check)
{
	struct report *report = user;
	if (report->is_json)
		put_row(&report->json, check);
	else
		print_row(report, check);
	report->n++;
}

static const struct option_spec options[] = {
		{"--json", 0, NULL, "print a list of {status, name, detail, advice}"},
		{0},
};

static int examine(const struct trm_config *config, struct report *report)
{
	struct trm_sandbox_opts opts;
	if (strcmp(config->backend, "local") == 0 || strcmp(config->backend, "fake") == 0)
		return trm_doctor(on_check, report);
	trm_config_sandbox_opts(config, &opts);
	return strcmp(config->backend, "microsandbox") == 0 ? trm_doctor_server(&opts, on_check, report)
							    : trm_doctor_backend(&opts, on_check, report);
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	struct report report = {0};
	struct trm_config config;
	options_init(&o, cmd->name, options, argc, argv);
	for (int got; (got = options_next(&o)) != OPTIONS_END;) {
		if (got == OPTIONS_HELP)
			return cmd_print_help(cmd);
		if (got == OPTIONS_WRONG)
			return CMD_FAILED;
		if (got == OPTIONS_OPERAND)
			return cmd_fail("'doctor' takes no arguments, such as '%s'", o.value);
		report.is_json = true;
	}
	if (options_config(&o, &config) < 0)
		return CMD_FAILED;
	report.has_colour = cmd_has_colour();
	report.is_wrapped = isatty(STDOUT_FILENO);
	json_init(&report.json);
	if (report.is_json)
		json_open(&report.json, NULL, '[');
	int n_failed = examine(&config, &report);
	if (report.is_json)
		json_close(&report.json, ']');
	else if (n_failed)
		printf("\n%d of %zu checks failed.\n", n_failed, report.n);
	int code = json_finish(&report.json);
	return code ? code : n_failed > 0;
}

const struct cmd cmd_doctor = {
		.name = "doctor",
		.usage = "doctor [--json]",
		.summary = "what works on this machine",
		.help = "Tries out everything that a local sandbox needs, and tells how to mend what does "
			"not work; with another --backend, the server, or the container engine. The exit code is 1 if something "
			"failed.",
		.options = options,
		.run = run,
};
