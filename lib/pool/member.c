/* SPDX-License-Identifier: MIT */
/* One sandbox of a pool: from its start until it has closed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <terrarium/lang.h>
#include <terrarium/loop.h>

#include "base/err.h"
#include "pool/pool.h"

enum { SETUP_TIMEOUT_MS = 120000 };

/* ---- preparing ------------------------------------------------------------------------------ */

static void fail_member(struct member *member, const struct trm_error *why)
{
	if (!member->why.code)
		member->why = *why;
	member_end(member);
}

static void finish_preparing(struct member *member)
{
	member->state = MEMBER_IDLE;
	member->idle_since_ns = trm_loop_now_ns(member->pool->loop);
	pool_is_prepared(member->pool);
}

static const struct trm_lang *language_at(const struct member *member)
{
	const struct trm_lang *const *languages = member->pool->opts.languages;
	return languages ? languages[member->n_languages] : NULL;
}

/* The code that warms its kernel: the setup, or an empty piece. NULL: none, because an empty run of a batch
 * language would leave nothing behind that a later one could use. */
static const char *setup_of(const struct member *member)
{
	const char *const *setup = member->pool->opts.setup;
	const char *code = setup ? setup[member->n_languages] : NULL;
	return code || language_at(member)->commands ? code : "";
}

static void prepare_next(struct member *member);

static void on_setup_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct member *member = user;
	const struct trm_lang *lang = language_at(member);
	struct trm_error why;
	(void)run;
	if (member->is_ending)
		return;
	/* Only what was asked for must succeed. A kernel that did not survive is of no use in any case. */
	if (result->status == TRM_STATUS_OK || (!*setup_of(member) && result->status == TRM_STATUS_ERROR)) {
		member->n_languages++;
		prepare_next(member);
		return;
	}
	trm_error_set(&why, TRM_EIO, "%s in a sandbox of the pool: %s%s%s",
			*setup_of(member) ? "the setup code fails" : "the interpreter fails",
			result->reason       ? result->reason
			: result->error_name ? result->error_name
					     : lang->name,
			!result->reason && result->error_message ? ": " : "",
			!result->reason && result->error_message ? result->error_message : "");
	fail_member(member, &why);
}

/* Start the kernel of the next language, and warm it. */
static void prepare_next(struct member *member)
{
	static const struct trm_run_cb cb = {.done = on_setup_done};
	const struct trm_lang *lang = language_at(member);
	const char *code = lang ? setup_of(member) : NULL;
	struct trm_run_opts opts;
	struct trm_error why = {0};
	int r = 0;
	trm_run_opts_default(&opts);
	opts.lang = lang;
	opts.code = code;
	opts.code_len = code ? strlen(code) : 0;
	opts.timeout_ms = SETUP_TIMEOUT_MS;
	opts.is_quiet = true;
	if (!lang)
		finish_preparing(member);
	else if (code)
		r = trm_session_run(member->session, &opts, &cb, member, NULL, &why);
	else
		r = trm_session_warm(member->session, lang, &why);
	if (r < 0)
		fail_member(member, &why);
}

static bool is_wanted_language(const struct member *member, const struct trm_lang *lang)
{
	const struct trm_lang *const *languages = member->pool->opts.languages;
	while (languages && *languages && *languages != lang)
		languages++;
	return languages && *languages;
}

/* The start of a kernel without setup, and the health of an idle sandbox. */
static void on_kernel(void *user, const struct trm_lang *lang, enum trm_kernel_state state)
{
	struct member *member = user;
	struct trm_error why;
	bool is_next = member->state == MEMBER_PREPARING && lang == language_at(member) && !setup_of(member);
	bool is_lost = member->state == MEMBER_IDLE && state == TRM_KERNEL_NONE
		       && is_wanted_language(member, lang);
	if (member->is_ending)
		return;
	if (is_next && state == TRM_KERNEL_IDLE) {
		member->n_languages++;
		prepare_next(member);
	} else if (is_lost || (is_next && state == TRM_KERNEL_NONE)) {
		trm_error_set(&why, TRM_EMISSING,
				is_lost ? "the interpreter of %s has ended in an idle sandbox of the pool"
					: "%s does not start in a sandbox of the pool: 'terrarium langs' shows "
					  "what is installed",
				lang->name);
		fail_member(member, &why);
	}
}

static const struct trm_session_cb SESSION_CB = {.kernel = on_kernel};

static void open_session(struct member *member)
{
	struct trm_session_opts opts;
	struct trm_error why = {0};
	trm_session_opts_default(&opts);
	opts.is_shared = true;
	opts.client = "terrarium pool";
	if (trm_session_open(member->sandbox, &opts, &SESSION_CB, member, &member->session, &why) < 0)
		fail_member(member, &why);
	else
		prepare_next(member);
}

static void on_installed(void *user, struct trm_install *install, int exit_code, const struct trm_error *why)
{
	struct member *member = user;
	struct trm_error failure = *why;
	(void)install;
	member->install = NULL;
	if (member->is_ending)
		return;
	if (!failure.code && exit_code)
		trm_error_set(&failure, TRM_EIO,
				"the libraries of the pool cannot be installed: the package manager ended with "
				"exit code %d",
				exit_code);
	if (failure.code)
		fail_member(member, &failure);
	else
		open_session(member);
}

static const struct trm_install_cb INSTALL_CB = {.done = on_installed};

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	struct member *member = user;
	const struct trm_pool_opts *opts = &member->pool->opts;
	struct trm_error why = {0};
	member->sandbox = sandbox;
	member->state = MEMBER_PREPARING;
	if (!opts->libraries || !*opts->libraries) {
		open_session(member);
		return;
	}
	const struct trm_install_opts install = {.size = sizeof(struct trm_install_opts),
			.lang = opts->languages[0],
			.packages = opts->libraries,
			.is_shared = true};
	if (trm_install_start(sandbox, &install, &INSTALL_CB, member, &member->install, &why) < 0)
		fail_member(member, &why);
}

/* ---- callbacks of its sandbox, for its owner -------------------------------------------------- */

static void on_warning(void *user, struct trm_sandbox *sandbox, const char *text)
{
	const struct member *member = user;
	if (member->cb && member->cb->warning)
		member->cb->warning(member->user, sandbox, text);
}

static void on_progress(void *user, struct trm_sandbox *sandbox, const char *text)
{
	const struct member *member = user;
	if (member->cb && member->cb->progress)
		member->cb->progress(member->user, sandbox, text);
}

static void on_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	const struct member *member = user;
	if (member->cb && member->cb->metrics)
		member->cb->metrics(member->user, sandbox, metrics);
}

static void on_clients(void *user, struct trm_sandbox *sandbox, unsigned n)
{
	const struct member *member = user;
	if (member->cb && member->cb->clients)
		member->cb->clients(member->user, sandbox, n);
}

static void unlink_member(struct member *member)
{
	for (struct member **at = &member->pool->members; *at; at = &(*at)->next)
		if (*at == member) {
			*at = member->next;
			return;
		}
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct member *member = user;
	if (member->cb && member->cb->closed)
		member->cb->closed(member->user, sandbox, why);
	trm_session_close(member->session);
	if (member->pool) {
		unlink_member(member);
		pool_has_lost(member->pool, member->state, member->why.code ? &member->why : why);
	}
	free(member);
}

static const struct trm_sandbox_cb SANDBOX_CB = {.progress = on_progress,
		.warning = on_warning,
		.ready = on_ready,
		.metrics = on_metrics,
		.clients = on_clients,
		.closed = on_closed};

/* ---- start, owner, end -------------------------------------------------------------------------- */

int member_start(struct trm_pool *pool, struct trm_error *reterr)
{
	struct trm_sandbox_opts opts = pool->opts.sandbox;
	struct member *member = calloc(1, sizeof *member);
	uint32_t id = 0;
	char name[65];
	if (!member)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	if (getrandom(&id, sizeof id, 0) != sizeof id)
		id = (uint32_t)trm_loop_now_ns(pool->loop);
	snprintf(name, sizeof name, "%.55s-%08x", opts.name ? opts.name : "pool", id);
	opts.name = name;
	*member = (struct member){.pool = pool, .next = pool->members};
	int r = trm_sandbox_open(pool->loop, &opts, &SANDBOX_CB, member, &member->sandbox, reterr);
	if (r < 0) {
		free(member);
		return r;
	}
	pool->members = member;
	return 0;
}

void member_give(struct member *member, const struct trm_sandbox_cb *cb, void *user)
{
	trm_session_close(member->session); /* shared kernels stay */
	member->session = NULL;
	member->state = MEMBER_TAKEN;
	member->cb = cb;
	member->user = user;
}

void member_end(struct member *member)
{
	if (member->is_ending)
		return;
	member->is_ending = true;
	trm_install_cancel(member->install);
	trm_sandbox_stop(member->sandbox);
}
