/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "cmd/cmd.h"
#include "record/cast.h"
#include "record/export.h"
#include "record/file.h"
#include "theme/theme.h"

enum { OPTION_TO, OPTION_OUTPUT, OPTION_SIZE };

static const struct option_spec options[] = {
		[OPTION_TO] = {"--to", 't', "ipynb|md|html|script|cast",
				"output format; default: from the name after -o"},
		[OPTION_OUTPUT] = {"--output", 'o', "FILE", "write to FILE instead of standard output"},
		[OPTION_SIZE] = {"--size", 0, "COLSxROWS", "terminal size of a cast; default: as recorded"},
		{0},
};

struct request {
	const char *from, *to, *output, *size;
	struct cast_opts cast;
	struct theme theme;
};

static int parse_export(struct request *q, struct options *o)
{
	for (;;) {
		int got = options_next(o);
		if (got == OPTION_TO)
			q->to = o->value;
		else if (got == OPTION_OUTPUT)
			q->output = o->value;
		else if (got == OPTION_SIZE)
			q->size = o->value;
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
	struct transcript transcript;
	struct writer w;

	if (recording_load(&recording, q->from, &why) < 0)
		return cmd_fail("%s", why.msg);
	writer_init(&w, WRITER_MAX);
	if (format->write) {
		transcript_init(&transcript, 0);
		recording_fill_transcript(&recording, &transcript);
		format->write(&transcript, &w);
		transcript_finish(&transcript);
	} else {
		cast_write(&recording, &q->cast, &w);
	}
	int code = write_out(q, &w);
	writer_finish(&w);
	recording_finish(&recording);
	return code;
}

/* Set up the appearance of a cast. 0 or an exit code. */
static int prepare_cast(struct request *q, const struct options *o)
{
	struct settings settings;
	struct trm_error why = {0};
	char rest;

	if (q->size
			&& (sscanf(q->size, "%dx%d%c", &q->cast.cols, &q->cast.rows, &rest) != 2
					|| q->cast.cols < 40 || q->cast.rows < 11 || q->cast.cols > 1000
					|| q->cast.rows > 1000))
		return cmd_fail("--size %s: must be COLUMNSxROWS, such as 120x36, from 40x11 to 1000x1000",
				q->size);
	if (options_settings(o, &settings) < 0)
		return CMD_FAILED;
	if (theme_load(settings.theme, &q->theme, &why) < 0)
		return cmd_fail("%s", why.msg);
	q->cast.theme = &q->theme;
	return CMD_OK;
}

static int export_main(const struct cmd *cmd, int argc, char **argv)
{
	struct request q = {0};
	struct options o;

	options_init(&o, cmd->name, options, argc, argv);
	int got = parse_export(&q, &o);
	if (got != OPTIONS_END)
		return got == OPTIONS_HELP ? cmd_print_help(cmd) : CMD_FAILED;
	if (!q.from)
		return cmd_fail("nothing to export: give a RECORDING (made with terrarium --record FILE)");
	if (!q.to && !q.output)
		return cmd_fail("which format? Give --to FORMAT or -o FILE");
	const struct export_format *format = q.to ? export_find(q.to) : export_guess(q.output);
	if (!format)
		return cmd_fail("there is no format '%s'; known are ipynb, md, html, script and cast",
				q.to ? q.to : q.output);
	if (!format->write && prepare_cast(&q, &o) != CMD_OK)
		return CMD_FAILED;
	return convert(&q, format);
}

static const char *const settings[] = {"theme", NULL};

const struct cmd cmd_export = {
		.name = "export",
		.usage = "export RECORDING --to FORMAT [-o FILE]",
		.summary = "convert a recording",
		.help = "Converts a recorded session to a notebook, Markdown, a web page, a script or "
			"an asciicast. A notebook has one language. If the session used others beside "
			"Python, their cells begin with %%bash or %%script node. Without Python, the "
			"language of each cell is in its metadata.",
		.operands = "FILE",
		.options = options,
		.settings = settings,
		.run = export_main,
};
