/* SPDX-License-Identifier: MIT */
/* Runs of text with lines of notebooks. The interpreter is sent what they mean; everybody else is shown what
 * was written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/magic.h>

#include "session/session.h"

int notebook_read(const struct trm_run_opts *opts, struct trm_magic *ret, struct trm_run_opts *ret_opts,
		struct trm_error *reterr)
{
	*ret_opts = *opts;
	*ret = (struct trm_magic){0};
	/* Text that is no code will be refused. */
	int r = opts->lang && opts->code ? trm_magic_read(opts->lang, opts->code, opts->code_len, ret, reterr)
					 : 0;
	if (r <= 0)
		return r;
	ret_opts->lang = ret->lang;
	ret_opts->code = ret->code;
	ret_opts->code_len = ret->code_len;
	return 0;
}

void notebook_take(struct own_run *own, const struct trm_run_opts *opts, struct trm_magic *magic)
{
	struct trm_run *run = &own->run;
	char hint[400];
	bool is_cell = magic->code && trm_magic_is_cell(opts->lang, opts->code, opts->code_len);
	if (magic->code) {
		own->meant = magic->code;
		own->meant_len = magic->code_len;
		run->lang = magic->lang;
		own->is_timed = magic->is_timed;
		magic->code = NULL;
	}
	if (!is_cell && opts->code_len
			&& trm_magic_hint(opts->lang, opts->code, opts->code_len, hint, sizeof hint))
		own->magic_hint = strdup(hint);
}

static void tell_us(uint64_t us, char *out, size_t cap)
{
	if (us < 1000)
		snprintf(out, cap, "%u µs", (unsigned)us);
	else if (us < 1000000)
		snprintf(out, cap, "%.3g ms", (double)us / 1e3);
	else
		snprintf(out, cap, "%.*f s", us < 10000000 ? 2 : 1, (double)us / 1e6);
}

/* A command such as "pip install six" was typed as code, and the row of the error shows it. */
static bool tell_sign(const struct trm_result *result, char *out, size_t cap)
{
	static const char *const commands[] = {
			"pip install ", "pip3 install ", "npm install ", "conda install "};
	bool is_syntax = result->error_name && !strcmp(result->error_name, "SyntaxError");
	for (char **row = is_syntax ? result->traceback : NULL; row && *row; row++) {
		const char *line = *row + strspn(*row, " \t");
		for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
			bool has_magic = *line == 'p' && result->lang == trm_lang_default();
			if (strncmp(line, commands[i], strlen(commands[i])) != 0 || strlen(line) > cap / 3)
				continue;
			snprintf(out, cap, "type %s%s%s!%s", has_magic ? "%" : "", has_magic ? line : "",
					has_magic ? " or " : "", line);
			return true;
		}
	}
	return false;
}

/* As the last words of its output, in front of what its value is. */
void notebook_tell(struct own_run *own, struct trm_result *result)
{
	struct trm_run *run = &own->run;
	char wall[32], cpu[32], text[128], hint[400];
	if (!own->magic_hint && tell_sign(result, hint, sizeof hint))
		own->magic_hint = strdup(hint);
	if (own->magic_hint && result->status == TRM_STATUS_ERROR && !result->hint)
		result->hint = own->magic_hint;
	if (!own->is_timed || !run->is_begun)
		return;
	tell_us(result->wall_us, wall, sizeof wall);
	tell_us(result->cpu_us, cpu, sizeof cpu);
	int n = result->has_cpu ? snprintf(
				text, sizeof text, "CPU times: total: %s\nWall time: %s\n", cpu, wall)
				: snprintf(text, sizeof text, "Wall time: %s\n", wall);
	run_print(run, TRM_STDOUT, text, (size_t)n);
}
