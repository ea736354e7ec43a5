/* SPDX-License-Identifier: MIT */
#include <terrarium/interpreter.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <terrarium/install.h>
#include <terrarium/sandbox.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "base/opts.h"
#include "sync/text.h"

struct trm_interpreter {
	struct trm_interpreter_opts opts;
	struct trm_sync *sync;
};

enum { CODE_TYPES = 12 };

static const char *const code_types[CODE_TYPES + 1] = {"python", "py3", "python3", "py", "javascript", "js",
		"node", "typescript", "ts", "bash", "shell", "sh", NULL};

/* ---- life --------------------------------------------------------------------------- */

void trm_interpreter_opts_init(struct trm_interpreter_opts *opts, size_t size)
{
	struct trm_interpreter_opts defaults = {.require_confirm = true,
			.prompt = trm_prompt_stdio,
			.timeout_ms = 30000,
			.sync = TRM_SYNC_OPTS_INIT};
	defaults.sync.may_join = true;
	opts_fill(opts, size, &defaults, sizeof defaults);
}

int trm_interpreter_create(const struct trm_interpreter_opts *opts, struct trm_interpreter **ret,
		struct trm_error *reterr)
{
	struct trm_interpreter_opts own;
	trm_interpreter_opts_default(&own);
	int r = opts_take(&own, sizeof own, opts, reterr);
	if (r < 0)
		return r;
	own.sync.size = sizeof own.sync;
	opts = &own;
	struct trm_sync_opts sync = own.sync;
	if (opts->require_confirm && !opts->prompt)
		return trm_error_set(
				reterr, TRM_EINVAL, "require_confirm needs a prompt function to ask with");
	struct trm_interpreter *i = calloc(1, sizeof *i);
	if (!i)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	i->opts = *opts;
	sync.timeout_ms = opts->timeout_ms;
	if (opts->sandbox_name)
		sync.sandbox.name = opts->sandbox_name;
	if (opts->server_url)
		sync.sandbox.server.url = opts->server_url;
	if (opts->api_key)
		sync.sandbox.server.api_key = opts->api_key;
	if (opts->server_namespace)
		sync.sandbox.server.space = opts->server_namespace;
	r = trm_sync_create(&sync, &i->sync, reterr);
	if (r < 0) {
		free(i);
		return r;
	}
	log_write(LOG_INFO, "Initialized MicrosandboxInterpreter; sandbox name: %s", trm_sync_name(i->sync));
	*ret = i;
	return 0;
}

void trm_interpreter_destroy(struct trm_interpreter *i)
{
	if (!i)
		return;
	trm_sync_destroy(i->sync);
	free(i);
}

struct trm_sync *trm_interpreter_sync(struct trm_interpreter *i)
{
	return i->sync;
}

const char *const *trm_interpreter_supported_code_types(void)
{
	return code_types;
}

int trm_interpreter_update_action_space(struct trm_interpreter *i, struct trm_error *reterr)
{
	(void)i;
	return trm_error_set(reterr, TRM_ENOTSUP,
			"Microsandbox doesn't support action space updates. Code runs in an isolated environment, "
			"from which no function of this program can be called; define what it needs with run()");
}

/* ---- asking -------------------------------------------------------------------------- */

int trm_prompt_stdio(void *user, const char *question, char *answer, size_t cap)
{
	size_t n = 0;
	int c;
	(void)user;
	fputs(question, stdout);
	fflush(stdout);
	while ((c = getchar()) != EOF && c != '\n')
		if (n + 1 < cap)
			answer[n++] = (char)c;
	answer[n] = '\0';
	return c == EOF && n == 0 ? TRM_ECLOSED : 0;
}

/* `what`: "code" or "command". */
static int confirm(struct trm_interpreter *i, const char *what, struct trm_error *reterr)
{
	static const char *const yes[] = {"y", "yes", "ye"}, *const no[] = {"n", "no"};
	char question[40], answer[64] = "";
	snprintf(question, sizeof question, "Running %s? [Y/n]:", what);
	while (i->opts.prompt(i->opts.prompt_user, question, answer, sizeof answer) >= 0) {
		for (size_t k = 0; k < sizeof yes / sizeof *yes; k++)
			if (!strcasecmp(answer, yes[k]))
				return 0;
		for (size_t k = 0; k < sizeof no / sizeof *no; k++)
			if (!strcasecmp(answer, no[k]))
				return trm_error_set(reterr, TRM_ECANCELED,
						"Execution halted: User opted not to run the %s. This choice stops the "
						"current operation and any further %s execution.",
						what, what);
	}
	return trm_error_set(reterr, TRM_ECANCELED,
			"Execution halted: There was nobody to ask whether to run the %s (end of input).",
			what);
}

/* ---- running -------------------------------------------------------------------------- */

/* One part of the text, on a line of its own. */
static int add(struct buf *text, const char *label, const char *part)
{
	size_t n = strlen(part), before = text_space_before(part, n);
	int r = 0;
	if (before == n)
		return 0;
	n -= before + text_space_behind(part + before, n - before);
	if (text->len)
		r = buf_append(text, "\n", 1);
	if (r == 0)
		r = buf_append(text, label, strlen(label));
	return r < 0 ? r : buf_append(text, part + before, n);
}

enum { ADVICE = 300, PACKAGE_BYTES = 120 };

/* Write advice for output of a package manager that cannot work here; "": there is none to give. */
static void advise(const struct trm_sandbox *sandbox, const char *words, char out[ADVICE])
{
	char package[PACKAGE_BYTES];
	bool has_net = trm_sandbox_limits(sandbox)->net || trm_sandbox_is_adopted(sandbox)
		       || trm_sandbox_isolation(sandbox) == TRM_ISOLATION_NONE;
	bool is_apt = trm_apt_refused(words);
	out[0] = '\0';
	if (!has_net && trm_package_refused(words, package, sizeof package))
		snprintf(out, ADVICE,
				"this sandbox has no network to fetch %s by: start it with a network, or install "
				"the package from outside",
				package);
	else if (is_apt && !strcmp(trm_sandbox_backend(sandbox), "local"))
		snprintf(out, ADVICE,
				"apt-get works in containers, such as those of the backend docker; this sandbox sees "
				"the host's /usr, read-only");
}

static int make_text(const struct trm_sandbox *sandbox, const struct trm_execution *done, bool is_shell,
		char **ret_text)
{
	struct buf text;
	char code[16] = "", dropped[48] = "", advice[ADVICE] = "";
	buf_init(&text, SIZE_MAX / 4);
	if (is_shell && done->exit_code)
		snprintf(code, sizeof code, "%d", done->exit_code);
	if (done->result->dropped_bytes)
		snprintf(dropped, sizeof dropped, "%" PRIu64 " bytes of the output",
				done->result->dropped_bytes);
	int r = add(&text, "", done->output);
	if (r == 0)
		r = add(&text, "STDERR: ", done->error);
	if (r == 0)
		r = add(&text, "Exit code: ", code);
	if (r == 0)
		r = add(&text, "Not kept: ", dropped);
	if (sandbox)
		advise(sandbox, done->error, advice);
	if (r == 0)
		r = add(&text, "Note: ", advice);
	if (r == 0 && !text.len)
		r = add(&text, is_shell ? "Command " : "Code ", "executed successfully (no output)");
	if (r == 0)
		r = buf_append(&text, "", 1);
	char *copy = r == 0 ? malloc(text.len) : NULL;
	if (copy)
		memcpy(copy, buf_at(&text), text.len);
	buf_finish(&text);
	*ret_text = copy;
	return copy ? 0 : TRM_ENOMEM;
}

/* Only what the code itself has done is a text; that it was stopped is not. */
static int check(const struct trm_execution *done, struct trm_error *reterr)
{
	const struct trm_result *result = done->result;
	switch (result->status) {
	case TRM_STATUS_OK:
	case TRM_STATUS_ERROR: return 0;
	case TRM_STATUS_TIMEOUT: return trm_error_set(reterr, TRM_ETIMEDOUT, "%s", result->reason);
	case TRM_STATUS_INTERRUPTED: return trm_error_set(reterr, TRM_ECANCELED, "interrupted");
	default: break;
	}
	return trm_error_set(reterr, TRM_ECLOSED, "%s",
			result->reason ? result->reason : trm_status_name(result->status));
}

static int perform(struct trm_interpreter *i, const char *code, const struct trm_lang *language,
		char **ret_text, struct trm_error *reterr)
{
	struct trm_execution done = {0};
	int r = trm_sync_start(i->sync, reterr);
	if (r == 0)
		r = trm_sync_run_as(i->sync, language, code, -1, &done, reterr);
	if (r == 0)
		r = check(&done, reterr);
	if (r == 0
			&& (r = make_text(trm_sync_sandbox(i->sync), &done, language == trm_lang_shell(),
					    ret_text))
					   < 0)
		trm_error_set(reterr, r, "out of memory for its output");
	trm_execution_finish(&done);
	return r;
}

static int find_type(const char *code_type, struct trm_error *reterr)
{
	char list[120] = "";
	for (int k = 0; k < CODE_TYPES; k++) {
		if (!strcmp(code_type, code_types[k]))
			return k;
		snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? ", " : "",
				code_types[k]);
	}
	return trm_error_set(reterr, TRM_EINVAL,
			"Unsupported code type %.200s. `MicrosandboxInterpreter` only supports %s.",
			code_type, list);
}

int trm_interpreter_run(struct trm_interpreter *i, const char *code, const char *code_type, char **ret_text,
		struct trm_error *reterr)
{
	int type = find_type(code_type ? code_type : "python", reterr);
	if (type < 0)
		return type;
	if (i->opts.require_confirm) {
		log_write(LOG_INFO, "The following %s code will run on microsandbox: %s", code_types[type],
				code);
		int r = confirm(i, "code", reterr);
		if (r < 0)
			return r;
	}
	const struct trm_lang *language;
	bool is_typescript = !strcmp(code_types[type], "typescript") || !strcmp(code_types[type], "ts");
	if (is_typescript)
		log_write(LOG_WARNING,
				"TypeScript is passed to Node unchanged: types are syntax errors there");
	int r = trm_lang_find(is_typescript ? "node" : code_types[type], &language, reterr);
	if (r == 0)
		r = perform(i, code, language, ret_text, reterr);
	return r < 0 ? err_wrap(reterr, r, "Error executing code in microsandbox") : 0;
}

int trm_interpreter_execute_command(
		struct trm_interpreter *i, const char *command, char **ret_text, struct trm_error *reterr)
{
	if (i->opts.require_confirm) {
		log_write(LOG_INFO, "The following shell command will run on microsandbox: %s", command);
		int r = confirm(i, "command", reterr);
		if (r < 0)
			return r;
	}
	int r = perform(i, command, trm_lang_shell(), ret_text, reterr);
	return r < 0 ? err_wrap(reterr, r, "Error executing command in microsandbox") : 0;
}
