/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/camel.h"
#include "cmd/cmd.h"
#include "cmd/collect.h"
#include "cmd/confirm.h"
#include "cmd/findings.h"
#include "cmd/notebook_source.h"
#include "cmd/run_session.h"
#include "cmd/sandbox_list.h"
#include "cmd/source.h"
#include "stream/policy_gate.h"

/* Reads and checks all sources, and asks the person, before anything starts. */

struct request {
	struct policy_gate policy_gate;
	struct source *sources;
	size_t n_sources;
	const char *figures;   /* folder for figures; NULL: they are not saved */
	const char *artifacts; /* folder for all displays; NULL: they are not saved */
	const char *collect;   /* patterns of files to collect; NULL: none */
	bool no_plots;
	bool clears;             /* files of earlier runs in the directory are removed */
	const char *out;         /* folder to copy its files to; NULL: none */
	const char *dir;         /* folder to copy into the sandbox; NULL: none */
	const char *input;       /* file for standard input; NULL: stdin of this program */
	const char *const *args; /* after "--"; NULL: none */
	const char **with;       /* n_with lists of packages */
	size_t n_with;
	bool is_json;
	bool has_begun; /* from now on the results carry all messages */
	bool is_camel;
	bool is_pipe_broken;
	struct trm_findings findings; /* about code that was refused */
	struct trm_config config;     /* the last member, because its texts are long and rarely used */
};

enum {
	OPTION_CODE,
	OPTION_JSON,
	OPTION_FIGURES,
	OPTION_ARTIFACTS,
	OPTION_CLEAR,
	OPTION_COLLECT,
	OPTION_NO_PLOTS,
	OPTION_CAMEL,
	OPTION_COMMAND,
	OPTION_STDIN,
	OPTION_WITH,
	OPTION_DIR,
	OPTION_OUT,
};

static const struct option_spec options[] = {
		[OPTION_CODE] = {"--code", 'c', "CODE", "run CODE; may be given several times"},
		[OPTION_JSON] = {"--json", 0, NULL, "print the whole result as one JSON object per run"},
		[OPTION_FIGURES] = {"--save-figures", 0, "DIR", "save figures that the code shows in DIR"},
		[OPTION_ARTIFACTS] = {"--artifacts", 0, "DIR", "the same for all that is more than text"},
		[OPTION_CLEAR] = {"--clear-artifacts", 0, NULL,
				"remove those of earlier runs from DIR first"},
		[OPTION_COLLECT] = {"--collect", 0, "GLOBS",
				"show files that the code writes: '*.png,*.csv'"},
		[OPTION_NO_PLOTS] = {"--no-plots", 0, NULL, "drop figures"},
		[OPTION_CAMEL] = {"--camel", 0, NULL, "act as CAMEL's interpreter: see the manual"},
		[OPTION_COMMAND] = {"--command", 0, "CMD", "with --camel: run this shell command"},
		[OPTION_STDIN] = {"--stdin", 0, "FILE", "what the code reads from standard input"},
		[OPTION_WITH] = {"--with", 0, "PKG", "install packages first, such as 'rich>=13,six'"},
		[OPTION_DIR] = {"--dir", 0, "DIR", "copy what is in DIR into the sandbox first"},
		[OPTION_OUT] = {"--out", 0, "DIR", "copy the files that the code writes to DIR"},
		{0},
};

static struct source *add_source(struct request *q, enum source_kind kind, const char *name)
{
	if (kind == SOURCE_FILE && !strcmp(name, "-"))
		kind = SOURCE_STDIN;
	for (size_t i = 0; kind == SOURCE_STDIN && i < q->n_sources; i++)
		if (q->sources[i].kind == SOURCE_STDIN) {
			cmd_fail("'-' was given twice, but standard input can be read only once");
			return NULL;
		}
	struct source *grown = realloc(q->sources, (q->n_sources + 1) * sizeof *grown);
	if (!grown) {
		cmd_fail("out of memory");
		return NULL;
	}
	q->sources = grown;
	q->sources[q->n_sources] = (struct source){.kind = kind, .name = name};
	return &q->sources[q->n_sources++];
}

static bool add_with(struct request *q, const char *text)
{
	const char **grown = realloc(q->with, (q->n_with + 1) * sizeof *grown);
	if (!grown) {
		cmd_fail("out of memory");
		return false;
	}
	q->with = grown;
	q->with[q->n_with++] = text;
	return true;
}

/* OPTIONS_END, or the result that ended the options early. */
static int parse_run(struct request *q, struct options *o)
{
	for (;;) {
		int got = options_next(o);
		if (got == OPTION_JSON)
			q->is_json = true;
		else if (got == OPTION_CAMEL)
			q->is_camel = true;
		else if (got == OPTION_FIGURES)
			q->figures = o->value;
		else if (got == OPTION_ARTIFACTS)
			q->artifacts = o->value;
		else if (got == OPTION_CLEAR)
			q->clears = true;
		else if (got == OPTION_COLLECT)
			q->collect = o->value;
		else if (got == OPTION_NO_PLOTS)
			q->no_plots = true;
		else if (got == OPTION_STDIN)
			q->input = o->value;
		else if (got == OPTION_DIR)
			q->dir = o->value;
		else if (got == OPTION_OUT)
			q->out = o->value;
		else if (got == OPTION_WITH) {
			o->fetches = true;
			if (!add_with(q, o->value))
				return OPTIONS_WRONG;
		} else if (got == OPTIONS_OPERAND && o->only_operands && q->n_sources) {
			q->args = (const char *const *)o->argv + o->at - 1;
			return OPTIONS_END;
		} else if (got == OPTION_CODE || got == OPTION_COMMAND || got == OPTIONS_OPERAND) {
			struct source *s = add_source(
					q, got == OPTIONS_OPERAND ? SOURCE_FILE : SOURCE_ARGUMENT, o->value);
			if (!s)
				return OPTIONS_WRONG;
			s->is_command = got == OPTION_COMMAND;
		} else
			return got;
	}
}

static int find_language(const char *name, const struct trm_lang **ret)
{
	struct trm_error why = {0};
	if (!*name)
		name = trm_lang_default()->name;
	return trm_lang_find(name, ret, &why) < 0 ? cmd_fail("%s", why.msg) : 0;
}

/* Put the cells of a notebook in its place. */
static int take_notebook(struct request *q, size_t at, const struct trm_lang *forced, size_t *ret_n,
		struct trm_error *reterr)
{
	struct source *cells;
	size_t n;
	int r = source_split_notebook(&q->sources[at], forced, &cells, &n, reterr);
	if (r < 0)
		return r;
	struct source *grown = realloc(q->sources, (q->n_sources + n) * sizeof *grown);
	if (!grown) {
		for (size_t i = 0; i < n; i++)
			source_finish(&cells[i]);
		free(cells);
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	}
	q->sources = grown;
	source_finish(&grown[at]);
	memmove(grown + at + n, grown + at + 1, (q->n_sources - at - 1) * sizeof *grown);
	memcpy(grown + at, cells, n * sizeof *cells);
	free(cells);
	q->n_sources += n - 1;
	*ret_n = n;
	return 0;
}

/* Read all code and find its languages. 0 or an exit code. */
static int read_sources(struct request *q, const struct options *o)
{
	bool is_forced = options_has(o, "language");
	const struct trm_lang *lang;
	/* CAMEL's interpreter checks its own names of languages. */
	if (find_language(q->is_camel && is_forced ? "" : q->config.language, &lang))
		return CMD_FAILED;
	for (size_t i = 0; i < q->n_sources; i++) {
		struct source *s = &q->sources[i];
		struct trm_error why = {0};
		if (s->kind == SOURCE_FILE && s->name == o->bare_word && access(s->name, F_OK) < 0)
			return cmd_fail("%s %s: must be on or off (and there is no file '%s')",
					o->bare_switch, s->name, s->name);
		if (source_read(s, &why) < 0)
			return cmd_fail("%s%s", why.msg,
					i && why.code == TRM_ENOENT && *s->name
							? "; arguments of a program follow '--'"
							: "");
		size_t n = 1;
		int r = source_is_notebook(s) ? take_notebook(q, i, is_forced ? lang : NULL, &n, &why)
					      : source_guess(s, is_forced ? lang : NULL, lang, &why);
		if (r < 0)
			return cmd_fail("%s", why.msg);
		i += n - 1;
	}
	return 0;
}

/* Collect the packages of --with and those that the code itself names. Every program gets both. 0 or an exit
 * code. */
static int find_libraries(struct request *q, const struct options *o)
{
	bool has_any = false;
	for (size_t i = 0; i < q->n_sources && !q->is_camel; i++) {
		struct source *s = &q->sources[i];
		struct trm_error why = {0};
		for (size_t k = 0; k < q->n_with; k++)
			if (trm_libraries_add(&s->libraries, s->lang, q->with[k], &why) < 0)
				return cmd_fail("--with: %s", why.msg);
		if (source_find_libraries(s, &why) < 0)
			return cmd_fail("%s", why.msg);
		has_any |= s->libraries != NULL;
	}
	if (has_any && options_has(o, "net") && !q->config.limits.net)
		return cmd_fail("--net off also forbids fetching the packages that the code needs; leave it out: they are "
				"fetched outside of the sandbox, which gets no network by that");
	return 0;
}

/* A language without displays makes no figures that could be saved. */
static void tell_no_plots(const struct request *q)
{
	for (size_t i = 0; (q->figures || q->artifacts) && !q->collect && i < q->n_sources; i++)
		if (q->sources[i].lang->commands) {
			cmd_fail("%s shows no figures: let the code write files, and add --collect '*.png'",
					q->sources[i].lang->name);
			return;
		}
}

static int play_all(struct request *q, const struct options *o)
{
	struct run_session_opts opts = {
			.config = &q->config,
			.asked = options_asked(o),
			.sources = q->sources,
			.n_sources = q->n_sources,
			.args = q->args,
			.figures = q->artifacts ? q->artifacts : q->figures,
			.saves_all = q->artifacts != NULL,
			.clears = q->clears,
			.collect = q->collect,
			.no_plots = q->no_plots,
			.dir = q->dir,
			.out = q->out,
			.has_env = options_has(o, "env"),
			.has_workdir = options_has(o, "workdir"),
			.is_json = q->is_json,
			.policy = policy_gate_enforced(&q->policy_gate),
	};
	opts.asked.no_packages = true;
	for (size_t i = 0; i < q->n_sources; i++)
		opts.asked.no_packages &= !q->sources[i].libraries;
	return run_session(&opts, &q->is_pipe_broken);
}

static int be_camel(struct request *q, const struct options *o)
{
	struct camel_opts opts = {
			.config = &q->config,
			.sources = q->sources,
			.n_sources = q->n_sources,
			.policy = policy_gate_enforced(&q->policy_gate),
			.code_type = options_has(o, "language") ? q->config.language : NULL,
	};
	return camel(&opts, &q->is_pipe_broken);
}

/* Refuse options that contradict each other. 0 or an exit code. */
static int check_options(const struct request *q)
{
	if (q->is_camel && (q->dir || q->out))
		return cmd_fail("--camel and %s do not go together: 'terrarium cp' copies files into and out of a sandbox "
				"that is kept",
				q->dir ? "--dir" : "--out");
	if (q->is_camel && q->n_with)
		return cmd_fail("--camel and --with do not go together: install in a sandbox that is kept, and name it");
	const char *extra = q->is_json     ? "--json"
			    : q->figures   ? "--save-figures"
			    : q->artifacts ? "--artifacts"
			    : q->collect   ? "--collect"
			    : q->no_plots  ? "--no-plots"
					   : NULL;
	if (q->is_camel && extra)
		return cmd_fail("--camel prints texts: it cannot be combined with %s", extra);
	if (q->figures && (q->artifacts || q->no_plots))
		return cmd_fail("--save-figures cannot be combined with %s",
				q->artifacts ? "--artifacts, which saves figures as well" : "--no-plots");
	if (q->clears && !q->figures && !q->artifacts)
		return cmd_fail("--clear-artifacts has no effect without --artifacts DIR or --save-figures DIR");
	if (q->collect && collect_check(q->collect))
		return CMD_FAILED;
	for (size_t i = 0; i < q->n_sources && !q->is_camel; i++)
		if (q->sources[i].is_command)
			return cmd_fail("--command is for --camel; give -l bash -c '%s', or see 'terrarium exec --help'",
					q->sources[i].name);
	return 0;
}

/* Replace standard input by the file. */
static int take_input(const struct request *q)
{
	for (size_t i = 0; i < q->n_sources; i++)
		if (q->sources[i].kind == SOURCE_STDIN)
			return cmd_fail("--stdin and '-' do not go together: standard input is the code then");
	int fd = open(q->input, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
		return cmd_fail("--stdin: cannot read %s: %s", q->input, strerror(errno));
	close(fd);
	return 0;
}

/* Refuse arguments for languages without them before anything starts. */
static int check_args(const struct request *q)
{
	for (size_t i = 0; q->args && i < q->n_sources; i++)
		if (!q->sources[i].lang->takes_args)
			return cmd_fail("code in %s cannot be given arguments: the language's row lacks \"takes_args\"",
					q->sources[i].lang->name);
	return 0;
}

/* Scan the code before a sandbox is started for it, and report all findings. 0 or an exit code. */
static int scan_enforced(struct request *q)
{
	struct trm_policy *policy = policy_gate_enforced(&q->policy_gate);
	struct trm_error why = {0};
	for (size_t i = 0; policy && i < q->n_sources; i++) {
		const struct source *s = &q->sources[i];
		if (trm_policy_scan(policy, s->lang, s->text, s->n, &q->findings, &why) < 0)
			return cmd_fail("%s", why.msg);
		if (!i || s->lang != s[-1].lang)
			findings_note_coarse(policy, s, &q->findings);
		if (trm_policy_refusal(policy, &q->findings, &why) < 0) {
			cmd_fail("%s", why.msg);
			if (!q->is_json)
				findings_print(stderr, s, &q->findings);
			return CMD_FAILED;
		}
		trm_findings_finish(&q->findings);
	}
	return CMD_OK;
}

static bool is_folder(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Leave of the path what is there; "": nothing of a relative one. */
static void cut_missing(char *path)
{
	struct stat st;
	size_t n = strlen(path);
	while (n && lstat(path, &st) < 0 && errno == ENOENT) {
		while (n > 1 && path[n - 1] == '/')
			n--;
		while (n && path[n - 1] != '/')
			n--;
		while (n > 1 && path[n - 1] == '/')
			n--;
		path[n] = '\0';
	}
}

/* Can the folder be made when the code has ended? Its files would be lost otherwise. */
static int check_out(const char *out)
{
	char there[PATH_MAX];
	if (is_folder(out))
		return CMD_OK;
	if (!*out || strlen(out) >= sizeof there)
		return cmd_fail("--out: a folder has a name of 1 to %d bytes", PATH_MAX - 1);
	strcpy(there, out);
	cut_missing(there);
	if (!strcmp(there, out))
		return cmd_fail("--out: '%s' is no folder", out);
	errno = ENOTDIR;
	const char *parent = *there ? there : ".";
	if (!is_folder(parent) || access(parent, W_OK | X_OK) < 0)
		return cmd_fail("--out: '%s' is no folder, and none can be made there: %s", out,
				strerror(errno));
	return CMD_OK;
}

static int run_parsed(struct request *q, const struct options *o)
{
	if (check_options(q))
		return CMD_FAILED;
	if (q->input && take_input(q))
		return CMD_FAILED;
	if (q->dir && !is_folder(q->dir))
		return cmd_fail("--dir: '%s' is no folder", q->dir);
	if (q->out && check_out(q->out))
		return CMD_FAILED;
	if (!q->n_sources && (q->input || isatty(STDIN_FILENO)))
		return cmd_fail("nothing to run: give a FILE, - for standard input, or -c CODE");
	if (!q->n_sources && !add_source(q, SOURCE_STDIN, "-"))
		return CMD_FAILED;
	if (options_config_start(o, &q->config) < 0 || options_check_kept(o, &q->config))
		return CMD_FAILED;
	struct trm_error why = {0};
	if (policy_gate_open(&q->policy_gate, &q->config, o->config_path, &why) < 0)
		return cmd_fail("%s", why.msg);
	int code = read_sources(q, o);
	if (code == 0)
		code = check_args(q);
	if (code == 0 && !q->is_camel)
		code = scan_enforced(q);
	if (code == 0)
		code = find_libraries(q, o);
	if (code == 0 && (options_has_request(o) || options_has(o, "keep")))
		sandbox_list_note_running(o, &q->config, true);
	if (q->n_sources)
		q->sources[0].dir = q->dir;
	if (code == 0 && !q->is_camel)
		code = confirm_if_wanted(&q->config, &q->policy_gate, q->sources, q->n_sources);
	if (code)
		return code;
	tell_no_plots(q);
	q->has_begun = true;
	return q->is_camel ? be_camel(q, o) : play_all(q, o);
}

/* --json may come after the wrong option, where the options were not read. */
static bool asks_for_json(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--json"))
			return true;
	return false;
}

static int run_words(struct request *q, const struct cmd *cmd, int argc, char **argv)
{
	struct options o;
	options_init(&o, cmd->name, options, argc, argv);
	int got = parse_run(q, &o);
	if (got == OPTIONS_END)
		return run_parsed(q, &o);
	if (got == OPTIONS_HELP)
		return cmd_print_help(cmd);
	q->is_json = asks_for_json(argc, argv);
	return CMD_FAILED;
}

/* The settings are too large for the stack. */
static int run_main(const struct cmd *cmd, int argc, char **argv)
{
	struct request *q = calloc(1, sizeof *q);
	if (!q)
		return cmd_fail("out of memory");
	int code = run_words(q, cmd, argc, argv);
	if (q->is_json && !q->has_begun && code == CMD_FAILED)
		run_print_refusal(cmd_last_failure(), &q->findings);
	for (size_t i = 0; i < q->n_sources; i++)
		source_finish(&q->sources[i]);
	free(q->sources);
	trm_findings_finish(&q->findings);
	free(q->with);
	policy_gate_close(&q->policy_gate);
	if (q->is_pipe_broken)
		cmd_die_of_pipe();
	free(q);
	return code;
}

static const char *const settings[] = {"language", "timeout", "net", "backend", NULL};

const struct cmd cmd_run = {
		.name = "run",
		.usage = "run [OPTIONS] [FILE… | - | -c CODE…] [-- ARG…]",
		.summary = "run code in a sandbox",
		.help = "Runs code in the sandbox that --name names, else in a new one. One FILE runs as "
			"its interpreter would. Several share state; -c, - and .ipynb cells print the last value. "
			"Exit codes: the first failed run's; 124 time limit, 125 our own.",
		.operands = "FILE|-...",
		.options = options,
		.settings = settings,
		.asks = true,
		.run = run_main,
};
