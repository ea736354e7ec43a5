/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/findings.h"
#include "cmd/json_out.h"
#include "cmd/source.h"

/* Scans code with a policy, without a sandbox. Nothing is run. */

struct scan_request {
	struct source *sources;
	size_t n_sources, n_refused;
	const struct trm_lang *lang; /* language of the option; NULL: guess it from the file */
	bool is_json;
	struct trm_policy *policy;
	struct trm_config config; /* the last member, because it is large */
};

enum { OPTION_CODE, OPTION_JSON };

static const struct option_spec options[] = {
		[OPTION_CODE] = {"--code", 'c', "CODE", "scan CODE; may be given several times"},
		[OPTION_JSON] = {"--json", 0, NULL, "print one JSON object per piece of code"},
		{0},
};

static int add_scanned(struct scan_request *q, enum source_kind kind, const char *name)
{
	struct source *grown = realloc(q->sources, (q->n_sources + 1) * sizeof *grown);
	if (!grown)
		return cmd_fail("out of memory");
	q->sources = grown;
	kind = kind == SOURCE_FILE && !strcmp(name, "-") ? SOURCE_STDIN : kind;
	q->sources[q->n_sources++] = (struct source){.kind = kind, .name = name};
	return CMD_OK;
}

static int parse_scan(struct scan_request *q, struct options *o, const struct cmd *cmd, bool *ret_is_done)
{
	for (int got; (got = options_next(o)) != OPTIONS_END;) {
		*ret_is_done = got == OPTIONS_HELP || got == OPTIONS_WRONG;
		if (got == OPTIONS_HELP)
			return cmd_print_help(cmd);
		if (got == OPTIONS_WRONG)
			return CMD_FAILED;
		if (got == OPTION_JSON)
			q->is_json = true;
		else if (add_scanned(q, got == OPTION_CODE ? SOURCE_ARGUMENT : SOURCE_FILE, o->value))
			return CMD_FAILED;
	}
	return CMD_OK;
}

static void print_scan_json(const struct scan_request *q, const struct source *s,
		const struct trm_findings *found, struct json_out *json)
{
	json_open(json, NULL, '{');
	json_put_text(json, "file", s->kind == SOURCE_ARGUMENT ? NULL : s->name);
	json_put_text(json, "language", s->lang->name);
	json_put_text(json, "policy", trm_policy_name(q->policy));
	json_put_text(json, "threshold", trm_severity_name(trm_policy_threshold(q->policy)));
	json_put_bool(json, "safe", !found->n_refused);
	json_put_bool(json, "coarse", found->has_no_tree);
	findings_put_json(json, found);
	json_close(json, '}');
}

static int scan_source(struct scan_request *q, struct source *s)
{
	struct trm_findings found;
	struct trm_error why = {0};
	if (source_read(s, &why) < 0
			|| source_guess(s, q->lang, q->lang ? q->lang : trm_lang_default(), &why) < 0
			|| trm_policy_scan(q->policy, s->lang, s->text, s->n, &found, &why) < 0)
		return cmd_fail("%s", why.msg);
	int code = CMD_OK;
	q->n_refused += found.n_refused;
	if (q->is_json) {
		struct json_out json;
		json_init(&json);
		print_scan_json(q, s, &found, &json);
		code = json_finish(&json);
	} else {
		findings_print(stdout, s, &found);
		findings_note_coarse(q->policy, s, &found);
	}
	trm_findings_finish(&found);
	return code;
}

static int scan_all(struct scan_request *q, const struct options *o)
{
	struct trm_error why = {0};
	if (!q->n_sources && isatty(STDIN_FILENO))
		return cmd_fail("nothing to scan: give a FILE, - for standard input, or -c CODE");
	if (!q->n_sources && add_scanned(q, SOURCE_FILE, "-"))
		return CMD_FAILED;
	if (options_config(o, &q->config) < 0)
		return CMD_FAILED;
	bool is_named = options_has(o, "language") && *q->config.language;
	if ((is_named && trm_lang_find(q->config.language, &q->lang, &why) < 0)
			|| trm_policy_load(q->config.policy, o->config_path, &q->policy, &why) < 0)
		return cmd_fail("%s", why.msg);
	int code = CMD_OK;
	for (size_t i = 0; i < q->n_sources && code == CMD_OK; i++)
		code = scan_source(q, &q->sources[i]);
	int flushed = cmd_flush();
	return code ? code : flushed ? flushed : q->n_refused > 0;
}

static int scan_main(const struct cmd *cmd, int argc, char **argv)
{
	struct scan_request *q = calloc(1, sizeof *q);
	struct options o;
	bool is_done = false;
	if (!q)
		return cmd_fail("out of memory");
	options_init(&o, cmd->name, options, argc, argv);
	int code = parse_scan(q, &o, cmd, &is_done);
	if (!is_done && code == CMD_OK)
		code = scan_all(q, &o);
	for (size_t i = 0; i < q->n_sources; i++)
		source_finish(&q->sources[i]);
	free(q->sources);
	trm_policy_free(q->policy);
	free(q);
	return code;
}

static const char *const settings[] = {"policy", "language", NULL};

const struct cmd cmd_scan = {
		.name = "scan",
		.usage = "scan [OPTIONS] [FILE… | - | -c CODE…]",
		.summary = "scan code with a policy",
		.help = "Tells what the policy finds in the code, with its place, severity and reason. "
			"Nothing is run, and no sandbox is started. The exit code is 0 if the policy "
			"lets all of it run, 1 if it refuses something, 125 if terrarium failed.",
		.operands = "FILE|-...",
		.options = options,
		.settings = settings,
		.run = scan_main,
};
