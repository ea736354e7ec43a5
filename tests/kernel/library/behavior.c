/* SPDX-License-Identifier: MIT */
#include "behavior.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned n_failures;
static const struct behavior *row;

void behavior_fail(const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	printf("FAILED  %s: ", row->name);
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	n_failures++;
}

static void expect_text(const char *what, const char *got, const char *want)
{
	if (want && strcmp(got, want) != 0)
		behavior_fail("%s is '%.400s', not '%.400s'", what, got, want);
}

static bool shows(const struct bed *bed, const struct trm_result *r, const char *part)
{
	if (strstr(bed_stderr(bed), part) || (r->error_message && strstr(r->error_message, part)))
		return true;
	for (char **line = r->traceback; line && *line; line++)
		if (strstr(*line, part))
			return true;
	return false;
}

static void check_result(const struct language *language, const struct bed *bed, const struct trm_result *r)
{
	if (r->status != row->status)
		behavior_fail("status is %s (%s), not %s", trm_status_name(r->status),
				r->reason          ? r->reason
				: r->error_message ? r->error_message
						   : "",
				trm_status_name(row->status));
	if (r->exit_code != row->exit_code && !(row->exit_code < 0 && r->exit_code > 0))
		behavior_fail("exit code is %d, not %d", r->exit_code, row->exit_code);
	if (r->state_lost != row->loses_state)
		behavior_fail("state_lost is %d", r->state_lost);
	expect_text("stdout", bed_stdout(bed), row->out);
	expect_text("stderr", bed_stderr(bed), row->err);
	expect_text("value", r->value ? r->value : "", row->value);
	expect_text("error", r->error_name ? r->error_name : "", row->error);
	expect_text("prompt", bed->prompts.s ? bed->prompts.s : "", row->prompt);
	if (row->out_has && !strstr(bed_stdout(bed), row->out_has))
		behavior_fail("'%s' is not in stdout '%.400s'", row->out_has, bed_stdout(bed));
	for (size_t i = 0; i < 4 && row->shows[i]; i++)
		if (!shows(bed, r, row->shows[i])) {
			behavior_fail("'%s' is not shown", row->shows[i]);
			for (char **line = r->traceback; line && *line; line++)
				printf("        | %s\n", *line);
		}
	if (shows(bed, r, language->driver_name))
		behavior_fail("the driver '%s' is shown", language->driver_name);
	if (row->check)
		row->check(bed, r);
}

static const struct behavior *late_row;

static bool late_is_there(struct bed *bed)
{
	return bed->late.s && strstr(bed->late.s, late_row->late);
}

static void check_late(struct bed *bed, unsigned long long number)
{
	late_row = row;
	if (!bed_wait_for(bed, late_is_there, BED_DEADLINE_MS))
		behavior_fail("late output is '%s', not '%s'", bed->late.s ? bed->late.s : "", row->late);
	else if (bed->late_number != number && !row->late_of_any)
		behavior_fail("late output is said to be of run %llu, not %llu", bed->late_number, number);
	free(bed->late.s);
	bed->late = (struct bed_text){0};
}

static void check_state(const struct language *language, struct bed *bed, bool loses_state)
{
	const struct trm_result *r = bed_run(bed, language->name, language->get_state);
	bool is_there = r->status == TRM_STATUS_OK && strcmp(bed_stdout(bed), "42\n") == 0;
	if (is_there == loses_state)
		behavior_fail("afterwards the state is %s: %s, '%.200s' '%.200s'",
				is_there ? "there" : "gone", trm_status_name(r->status), bed_stdout(bed),
				r->error_message ? r->error_message : "");
	if (!is_there)
		bed_run(bed, language->name, language->set_state);
}

static bool is_on(struct bed *bed)
{
	return strstr(bed_stdout(bed), "on\n") || bed->result;
}

static const struct trm_result *interrupt(const struct language *language, struct bed *bed)
{
	struct trm_run_opts o;
	trm_run_opts_default(&o);
	o.lang = bed_lang(language->name);
	o.code = row->code;
	o.code_len = strlen(row->code);
	o.offers_stdin = row->input;
	bed_begin(bed, &o);
	if (!bed_wait_for(bed, is_on, BED_DEADLINE_MS))
		behavior_fail("it does not print 'on'");
	if (bed->run)
		trm_run_interrupt(bed->run);
	/* What withstands it need not be waited for as long as for a machine that is busy with other things.
	 */
	if (bed->run && row->loses_state) {
		trm_run_interrupt(bed->run);
		trm_run_interrupt(bed->run);
	}
	return bed_end(bed);
}

static void run_row(const struct language *language, struct bed *bed)
{
	double start = bed_now_ms();
	unsigned before = n_failures;
	const struct trm_result *r = row->is_interrupted ? interrupt(language, bed)
				     : row->input ? bed_run_with(bed, language->name, row->code, row->input)
						  : bed_run(bed, language->name, row->code);
	unsigned long long number = r->number;
	bool is_mild = row->or_error && r->error_name && strcmp(r->error_name, row->or_error) == 0;
	if (!is_mild)
		check_result(language, bed, r);
	check_state(language, bed, row->loses_state && !is_mild);
	if (row->late)
		check_late(bed, number);
	else if (bed->late.n)
		behavior_fail("there is late output: '%.200s'", bed->late.s);
	free(bed->late.s);
	bed->late = (struct bed_text){0};
	if (n_failures == before)
		printf("ok      %s (%.1f ms)\n", row->name, bed_now_ms() - start);
	fflush(stdout);
}

int behavior_main(const struct language *language, int argc, char **argv)
{
	struct trm_session_opts opts;
	struct bed bed;
	trm_session_opts_default(&opts);
	opts.grace_ms = 20000; /* by the interrupt; how quick it is, ./dev bench tells */
	opts.timeout_ms = BED_DEADLINE_MS;
	opts.output_keep_bytes = 8u << 20;
	if (!bed_works("local", NULL))
		return 77;
	if (!bed_open(&bed, "local", NULL, &opts))
		return 1;
	bed_run(&bed, language->name, language->set_state);
	for (row = language->rows; row->name; row++)
		if (argc < 2 || strstr(row->name, argv[1]))
			run_row(language, &bed);
	bed_close(&bed);
	printf("%u failures\n", n_failures);
	return n_failures ? 1 : 0;
}
