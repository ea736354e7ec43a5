/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "cmd/cmd.h"
#include "record/export.h"
#include "record/file.h"

enum { OPTION_TO, OPTION_OUTPUT };

static const struct option_spec options[] = {
		[OPTION_TO] = {"--to", 't', "FORMAT", "ipynb, md, html or script; else by the name after -o"},
		[OPTION_OUTPUT] = {"--output", 'o', "FILE", "write there instead of to standard output"},
		{0},
};

struct request {
	const char *from, *to, *output;
};

static int parse(struct request *q, struct options *o)
{
	for (;;) {
		int got = options_next(o);
		if (got == OPTION_TO)
			q->to = o->value;
		else if (got == OPTION_OUTPUT)
			q->output = o->value;
		else if (got != OPTIONS_OPERAND)
			return got;
		else if (q->from) {
			cmd_fail("'export' takes one RECORDING, and '%s' is a second one", o->value);
			return OPTIONS_WRONG;
		} else
			q->from = o->value;
	}
}

static int write_out(const struct request *q, const struct writer *w)
{
	struct trm_error why = {0};

	if (w->error)
		return cmd_fail("%s cannot be exported: %s", q->from, trm_strerror(w->error));
	if (q->output && strcmp(q->output, "-") != 0)
		return file_write(q->output, w->bytes, w->n, &why) < 0 ? cmd_fail("%s", why.msg) : CMD_OK;
	fwrite(w->bytes, 1, w->n, stdout);
	return cmd_flush();
}

static int convert(const struct request *q, const struct export_format *format)
{
	struct recording recording;
	struct trm_error why = {0};
	struct story story;
	struct writer w;

	if (recording_load(&recording, q->from, &why) < 0)
		return cmd_fail("%s", why.msg);
	story_init(&story, 0);
	recording_tell(&recording, &story);
	writer_init(&w, WRITER_MAX);
	format->write(&story, &w);
	int code = write_out(q, &w);
	writer_finish(&w);
	story_finish(&story);
	recording_finish(&recording);
	return code;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	struct request q = {0};
	struct options o;

	options_init(&o, cmd->name, options, argc, argv);
	int got = parse(&q, &o);
	if (got != OPTIONS_END)
		return got == OPTIONS_HELP ? cmd_print_help(cmd) : CMD_FAILED;
	if (!q.from)
		return cmd_fail("nothing to export: give a RECORDING (made with terrarium --record FILE)");
	if (!q.to && !q.output)
		return cmd_fail("into what shall it be made? Give --to FORMAT or -o FILE");
	const struct export_format *format = q.to ? export_find(q.to) : export_guess(q.output);
	if (!format)
		return cmd_fail("there is no format '%s'; known are ipynb, md, html, script and cast",
				q.to ? q.to : q.output);
	return convert(&q, format);
}

const struct cmd cmd_export = {
		.name = "export",
		.usage = "export RECORDING --to FORMAT [-o FILE]",
		.summary = "make a notebook, a page or a script of a recorded session",
		.help = "A notebook has one language: where others were used beside Python, their cells begin with\n"
			"%%bash or %%script node; without Python, the language of each cell stands in its metadata.\n",
		.options = options,
		.run = run,
};
