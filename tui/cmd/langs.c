/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "cmd/langs_prepare.h"
#include "cmd/status.h"
#include "stream/cli_session.h"

/* Asks the interpreters for their versions in a sandbox, where they would run. */

struct answer {
	struct langs *langs;
	struct trm_proc *proc; /* NULL: it has ended, or was never started */
	char text[128];        /* the first bytes of its output */
	size_t n;
	bool is_found; /* the program was found and has started */
};

struct langs {
	struct cli_session cli_session;
	struct answer answers[TRM_LANG_MAX];
	struct trm_error why; /* why the interpreters could not be asked; code 0: they could */
	bool is_image;        /* the sandbox is made from an image, which has programs in its own PATH */
};

/* ---- questions ---- */

static void on_langs_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct answer *a = user;
	size_t room = sizeof a->text - a->n;

	(void)proc;
	(void)channel;
	n = n < room ? n : room;
	memcpy(a->text + a->n, bytes, n);
	a->n += n;
}

static void on_langs_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *exit, const struct trm_error *why)
{
	struct answer *a = user;

	(void)proc;
	a->proc = NULL;
	a->is_found = exit && exit->exit_code != CMD_NOT_FOUND;
	if (!exit && why->code != TRM_ENOENT && !a->langs->why.code)
		a->langs->why = *why;
}

static const struct trm_proc_cb proc_cb = {.output = on_langs_output, .exited = on_langs_exited};

static void on_langs_interrupt(void *user)
{
	struct langs *l = user;

	cli_session_close(&l->cli_session);
}

static void on_langs_closed(void *user, const struct trm_error *why)
{
	struct langs *l = user;

	if (why->code && !l->why.code)
		l->why = *why;
}

static const struct cli_session_cb cli_session_cb = {
		.interrupt = on_langs_interrupt, .closed = on_langs_closed};

static int spawn_version(struct langs *l, unsigned id, struct trm_error *reterr)
{
	enum { WORDS = 8 };
	const char *const *version = trm_lang_at(id)->version;
	const char *slash = strrchr(version[0], '/');
	const char *argv[WORDS + 1] = {slash && l->is_image ? slash + 1 : version[0]};
	for (size_t i = 1; i < WORDS && version[i]; i++)
		argv[i] = version[i];
	struct trm_proc_opts opts = {.size = sizeof(struct trm_proc_opts), .argv = argv};

	l->answers[id].langs = l;
	return trm_proc_spawn(l->cli_session.sandbox, &opts, &proc_cb, &l->answers[id], &l->answers[id].proc,
			reterr);
}

static bool is_waiting(const struct langs *l)
{
	for (unsigned id = 0; id < trm_lang_count(); id++)
		if (l->answers[id].proc)
			return true;
	return false;
}

static void ask_versions(struct langs *l, const struct trm_config *config, struct cli_session_asked asked)
{
	int r = cli_session_open(
			&l->cli_session, config, CLI_SESSION_EITHER, asked, &cli_session_cb, l, &l->why);

	l->is_image = r == 0 && *trm_sandbox_origin(l->cli_session.sandbox) != '\0';
	for (unsigned id = 0; id < trm_lang_count() && r == 0; id++)
		r = spawn_version(l, id, &l->why);
	while (r == 0 && is_waiting(l) && trm_loop_step(l->cli_session.loop, -1) >= 0)
		;
	cli_session_finish(&l->cli_session);
}

/* ---- printing ---- */

static const char *kind_of(const struct trm_lang *lang)
{
	return lang->has_pieces ? "compiled" : lang->commands ? "batch" : "resident";
}

/* Find the first number with a dot in the first line: "GNU bash, version 5.2.15(1)-release", "v18.20.4". */
static bool version_of(const struct answer *a, char out[32])
{
	static const char digits[] = "0123456789";
	char line[sizeof a->text + 1];

	trm_text_clean_line(line, sizeof line, a->text, a->n);
	for (const char *p = strpbrk(line, digits); p; p = strpbrk(p, digits)) {
		size_t n = strspn(p, "0123456789."), first = strspn(p, digits);
		if (p[first] == '.') {
			snprintf(out, 32, "%.*s", (int)(n < 31 ? n : 31), p);
			return true;
		}
		p += n;
	}
	return false;
}

static void join_names_but(char *out, size_t cap, const char *const *words, const char *except)
{
	size_t used = 0;

	for (out[0] = '\0'; *words && used < cap; words++)
		if (!except || strcmp(*words, except) != 0)
			used += (size_t)snprintf(out + used, cap - used, "%s%s", used ? " " : "", *words);
}

static void put_words(struct json_out *j, const char *key, const char *const *words, const char *except)
{
	json_open(j, key, '[');
	for (; *words; words++)
		if (!except || strcmp(*words, except) != 0)
			json_put_text(j, NULL, *words);
	json_close(j, ']');
}

static int print_langs_json(const struct langs *l)
{
	struct json_out j;

	json_init(&j);
	json_open(&j, NULL, '[');
	for (unsigned id = 0; id < trm_lang_count(); id++) {
		const struct trm_lang *lang = trm_lang_at(id);
		char version[32];
		json_open(&j, NULL, '{');
		json_put_text(&j, "name", lang->name);
		put_words(&j, "aliases", lang->aliases, lang->name);
		put_words(&j, "endings", lang->suffixes, NULL);
		json_put_text(&j, "kind", kind_of(lang));
		json_put_text(&j, "interpreter", lang->interpreter);
		json_put_text(&j, "package", *lang->package ? lang->package : NULL);
		json_put_text(&j, "image", *lang->image ? lang->image : NULL);
		json_put_text(&j, "package_manager", *lang->package_manager ? lang->package_manager : NULL);
		if (l->why.code)
			json_put_null(&j, "found");
		else
			json_put_bool(&j, "found", l->answers[id].is_found);
		json_put_text(&j, "version", version_of(&l->answers[id], version) ? version : NULL);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	return json_finish(&j);
}

static void describe_missing(const struct langs *l, const struct trm_lang *lang, char *out, size_t cap)
{
	const char *image = l->is_image ? lang->image : "";

	if (!*lang->package && !*image)
		snprintf(out, cap, "missing");
	else
		snprintf(out, cap, "missing: %s%s%s%s%s", *lang->package ? "apt install " : "", lang->package,
				*lang->package && *image ? ", or " : "", *image ? "image " : "", image);
}

static int print_langs_table(const struct langs *l)
{
	printf("%-12s %-16s %-16s %-9s %-17s %s\n", "LANGUAGE", "ALSO", "ENDINGS", "KIND", "INTERPRETER",
			"VERSION");
	for (unsigned id = 0; id < trm_lang_count(); id++) {
		const struct trm_lang *lang = trm_lang_at(id);
		char also[64], endings[64], version[32], missing[200];
		join_names_but(also, sizeof also, lang->aliases, lang->name);
		join_names_but(endings, sizeof endings, lang->suffixes, NULL);
		bool has_version = version_of(&l->answers[id], version);
		describe_missing(l, lang, missing, sizeof missing);
		printf("%-12s %-16s %-16s %-9s %-17s %s\n", lang->name, also, endings, kind_of(lang),
				lang->interpreter,
				l->why.code                ? "n/a"
				: !l->answers[id].is_found ? missing
				: has_version              ? version
							   : "n/a");
	}
	return cmd_flush();
}

static int print_lang_names(void)
{
	for (unsigned id = 0; id < trm_lang_count(); id++)
		puts(trm_lang_at(id)->name);
	return cmd_flush();
}

/* ---- the sandbox ---- */

static void on_langs_backend(void *user, const struct trm_backend_info *info)
{
	struct trm_config *config = user;
	bool has_images = !strcmp(info->name, "docker") || !strcmp(info->name, "podman");

	if (has_images && info->status == TRM_CHECK_OK && !strcmp(config->backend, "local"))
		snprintf(config->backend, sizeof config->backend, "%s", info->name);
}

/* For an image without a chosen engine, use the first engine that works. */
static int load_config(const struct options *o, struct trm_config *config)
{
	struct trm_error why = {0};

	if (options_config(o, config) < 0)
		return -1;
	if (options_has(o, "image") && !options_has(o, "backend") && !strcmp(config->backend, "local")
			&& trm_backends(o->config_path, true, on_langs_backend, config, &why) < 0) {
		cmd_fail("%s", why.msg);
		return -1;
	}
	return options_check_backend(o, config) ? -1 : 0;
}

/* ---- testing a driver ---- */

enum { TEST_COL = 39 };

struct test {
	struct json_out json;
	bool is_json;
	unsigned n[TRM_CHECK_NOTE + 1]; /* number of checks per status */
};

static void on_langs_check(void *user, const struct trm_check *check)
{
	struct test *t = user;

	t->n[check->status]++;
	if (t->is_json) {
		json_open(&t->json, NULL, '{');
		json_put_text(&t->json, "status", status_word(check->status));
		json_put_text(&t->json, "name", check->name);
		json_put_text(&t->json, "detail", check->detail);
		json_close(&t->json, '}');
		return;
	}
	status_print(check->status, "note");
	printf(*check->detail ? " %-30s " : " %s\n", check->name);
	if (*check->detail)
		status_print_text(check->detail, TEST_COL);
	fflush(stdout);
}

static int test_driver(const struct options *o, const char *name, bool is_json)
{
	struct trm_config config;
	struct trm_sandbox_opts opts;
	struct trm_config_lists lists;
	const struct trm_lang *lang;
	struct trm_error why = {0};
	struct test t = {.is_json = is_json};

	if (load_config(o, &config) < 0)
		return CMD_FAILED;
	if (trm_lang_find(name, &lang, &why) < 0)
		return cmd_fail("%s", why.msg);
	trm_config_sandbox_opts(&config, &lists, &opts);
	json_init(&t.json);
	if (is_json)
		json_open(&t.json, NULL, '[');
	int n_failed = trm_doctor_language(
			lang, &opts, config.timeout_ms ? config.timeout_ms : UINT32_MAX, on_langs_check, &t);
	if (is_json)
		json_close(&t.json, ']');
	else
		printf("\n%s: %u passed, %d failed, %u not tested.\n", lang->name, t.n[TRM_CHECK_OK],
				n_failed, t.n[TRM_CHECK_NOTE]);
	int code = json_finish(&t.json);
	return code ? code : n_failed > 0;
}

/* ---- the command ---- */

enum { OPTION_JSON, OPTION_NAMES, OPTION_TEST, OPTION_PREPARE };
static const struct option_spec options[] = {
		[OPTION_JSON] = {"--json", 0, NULL, "print a list of objects"},
		[OPTION_NAMES] = {"--names", 0, NULL, "print only names; start no sandbox"},
		[OPTION_TEST] = {"--test", 0, "LANG",
				"test whether the driver of this language keeps to the protocol"},
		[OPTION_PREPARE] = {"--prepare", 0, "LANG|all",
				"make what the language's compiler can use again in all local sandboxes"},
		{0},
};

static int show_langs(const struct options *o, bool is_json)
{
	struct trm_config config;
	struct langs l = {0};

	if (load_config(o, &config) < 0)
		return CMD_FAILED;
	ask_versions(&l, &config, options_asked(o));
	if (l.cli_session.ended_by)
		return CMD_SIGNALED + l.cli_session.ended_by;
	int code = is_json ? print_langs_json(&l) : print_langs_table(&l);
	/* The table is still correct, except for the versions that could not be found. */
	return l.why.code ? cmd_fail("cannot find the versions: %s", l.why.msg) : code;
}

static int langs_main(const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	unsigned given = 0;
	const char *tested = NULL, *prepared = NULL;
	int got;

	options_init(&o, cmd->name, cmd->options, argc, argv);
	while ((got = options_next(&o)) >= 0) {
		given |= 1u << got;
		if (got == OPTION_TEST)
			tested = o.value;
		if (got == OPTION_PREPARE)
			prepared = o.value;
	}
	if (got == OPTIONS_HELP)
		return cmd_print_help(cmd);
	if (got == OPTIONS_OPERAND)
		return cmd_fail("'langs' takes no arguments, but got '%s'", o.value);
	if (got == OPTIONS_WRONG)
		return CMD_FAILED;
	if (prepared && given != 1u << OPTION_PREPARE)
		return cmd_fail("--prepare goes with no other option of 'langs'");
	if (prepared) {
		struct trm_config config;
		return load_config(&o, &config) < 0 ? CMD_FAILED : langs_prepare(&config, prepared);
	}
	if (tested && given & 1u << OPTION_NAMES)
		return cmd_fail("--names and --test exclude each other");
	if (tested)
		return test_driver(&o, tested, given & 1u << OPTION_JSON);
	if (given & 1u << OPTION_NAMES) {
		struct trm_error why = {0};
		return trm_lang_load(o.config_path, &why) < 0 ? cmd_fail("%s", why.msg) : print_lang_names();
	}
	return show_langs(&o, given & 1u << OPTION_JSON);
}

static const char *const settings[] = {"backend", "image", "name", NULL};

const struct cmd cmd_langs = {
		.name = "langs",
		.usage = "langs [--json | --names | --test LANG | --prepare LANG|all]",
		.summary = "list the languages",
		.help = "Lists the languages with their aliases, file name endings and interpreters. To "
			"find the versions it asks a new sandbox, one of an --image, or the running one that "
			"--name names. A "
			"resident language keeps variables from run to run, and so does a compiled one, unless the "
			"code has main(). A batch language keeps only files. What "
			"is missing is named with the Debian package that brings it. --test tries the driver "
			"of one language, a built-in one or your own, and fails if it breaks the protocol of "
			"docs/languages.md. --prepare makes what compilers of "
			"C, C++, Go and Java can use again, once for all local sandboxes, in a new sandbox: "
			"precompiled headers, Go's own packages, the archive of Java's classes. It prints the "
			"folder that it has filled. 'all' means each language that is installed.",
		.options = options,
		.settings = settings,
		.run = langs_main,
};
