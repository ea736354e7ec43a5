/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "cmd/status.h"

struct report {
	bool is_json;
	size_t n;
	struct json_out json;
};

enum { DETAIL_COL = 29 };

static void print_check_row(const struct trm_check *check)
{
	status_print(check->status, status_word(check->status));
	printf(" %-20s ", check->name);
	status_print_text(check->detail, DETAIL_COL);
	if (*check->advice) {
		printf("%*s> ", DETAIL_COL, "");
		status_print_text(check->advice, DETAIL_COL + 2);
	}
	fflush(stdout); /* The checks take some time. */
}

static void put_row(struct json_out *j, const struct trm_check *check)
{
	json_open(j, NULL, '{');
	json_put_text(j, "status", status_word(check->status));
	json_put_text(j, "name", check->name);
	json_put_text(j, "detail", check->detail);
	json_put_text(j, "advice", check->advice);
	json_close(j, '}');
}

static void on_doctor_check(void *user, const struct trm_check *check)
{
	struct report *report = user;
	if (report->is_json)
		put_row(&report->json, check);
	else
		print_check_row(check);
	report->n++;
}

static const struct option_spec options[] = {
		{"--json", 0, NULL, "print a list of {status, name, detail, advice}"},
		{0},
};

static void on_leftover(void *user, const char *name, const char *nearest)
{
	struct trm_check check = {.status = TRM_CHECK_NOTE, .name = "environment"};
	char shown[128];
	trm_text_clean_line(shown, sizeof shown, name, strlen(name));
	snprintf(check.detail, sizeof check.detail, "unknown variable %s: it is ignored", shown);
	if (nearest)
		snprintf(check.advice, sizeof check.advice, "did you mean %s?", nearest);
	else
		snprintf(check.advice, sizeof check.advice, "terrarium help settings lists the variables");
	on_doctor_check(user, &check);
}

static int examine(const struct trm_config *config, struct report *report)
{
	struct trm_sandbox_opts opts;
	struct trm_config_lists lists;
	trm_config_sandbox_opts(config, &lists, &opts);
	if (strcmp(config->backend, "local") == 0 || strcmp(config->backend, "fake") == 0)
		return trm_doctor(&opts, on_doctor_check, report);
	return strcmp(config->backend, "microsandbox") == 0
			       ? trm_doctor_server(&opts, on_doctor_check, report)
			       : trm_doctor_backend(&opts, on_doctor_check, report);
}

static int doctor_main(const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	struct report report = {0};
	struct trm_config config;
	unsigned given;
	int code;
	if (!cmd_read_flags(cmd, argc, argv, &o, &given, &code))
		return code;
	if (options_config(&o, &config) < 0)
		return CMD_FAILED;
	report.is_json = given;
	json_init(&report.json);
	if (report.is_json)
		json_open(&report.json, NULL, '[');
	int n_failed = examine(&config, &report);
	setting_unknown_env(on_leftover, &report);
	if (report.is_json)
		json_close(&report.json, ']');
	else if (n_failed)
		printf("\n%d of %zu checks failed.\n", n_failed, report.n);
	code = json_finish(&report.json);
	return code ? code : n_failed > 0;
}

const struct cmd cmd_doctor = {
		.name = "doctor",
		.usage = "doctor [--json]",
		.summary = "test what works here",
		.help = "Tests everything that a local sandbox needs, says which level of isolation is taken "
			"and why the others are not, and how to fix what does not work. With another --backend "
			"it tests that server or container engine. The exit code is 1 if no sandbox can be "
			"started.",
		.options = options,
		.run = doctor_main,
};
