/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cachedir.h"
#include "base/err.h"
#include "base/log.h"
#include "base/opts.h"
#include "install/install.h"
#include "sandbox/sandbox.h"

/* In order, where a recipe has it: fetch wheels into the cache (another sandbox); install from there, or
 * where the cache has not everything, from the index (this one); take what that has fetched into the cache.
 */

struct trm_install {
	struct trm_sandbox *sandbox; /* NULL: it has closed */
	struct sandbox_observer observer;
	const struct trm_install_cb *cb;
	void *user;
	struct tool_opts opts;
	struct fetch *fetch;
	struct tool *tool;
	struct harvest *harvest;
	struct buf held; /* what the downloader printed from its first error on */
	int held_stream; /* -1: there was none */
	bool is_canceled;
	bool is_shared, has_credentials;
	struct turn turn;
	struct trm_timer *turn_timer; /* until it is our turn */
	bool has_reported_turn;
	bool trusts_record; /* what the sandbox says that it has is not looked for */
	struct buf record;  /* with is_shared: what the sandbox says that it has */
};

enum { HELD_MAX = 256 * 1024 };

static void destroy(struct trm_install *in)
{
	turn_end(&in->turn);
	trm_timer_remove(in->turn_timer);
	tool_opts_finish(&in->opts);
	buf_finish(&in->held);
	buf_finish(&in->record);
	free(in);
}

static void finish(struct trm_install *in, int exit_code, const struct trm_error *why)
{
	if (in->sandbox)
		sandbox_unobserve(in->sandbox, &in->observer);
	in->cb->done(in->user, in, exit_code, why);
	destroy(in);
}

/* The packages are there either way. */
static void on_recorded(void *user, const struct trm_error *failed, uint64_t size, uint32_t mode)
{
	struct trm_install *in = user;
	struct trm_error none = {0};
	(void)size;
	(void)mode;
	if (failed->code)
		log_write(LOG_WARNING, "%s", failed->msg);
	finish(in, 0, &none);
}

static void end(struct trm_install *in, int exit_code, const struct trm_error *why)
{
	static const struct trm_transfer_cb cb = {.done = on_recorded};
	bool is_to_be_noted = exit_code == 0 && in->is_shared && in->sandbox;
	if (is_to_be_noted && record_add(&in->record, in->opts.lang, in->opts.packages) == 0
			&& trm_file_put(in->sandbox, RECORD_INSIDE, 0644, buf_at(&in->record), in->record.len,
					   &cb, in, NULL)
					   == 0)
		return;
	finish(in, exit_code, why);
}

static void fail(struct trm_install *in, int code, const char *what)
{
	struct trm_error why;
	trm_error_set(&why, code, "%s", what);
	end(in, -1, &why);
}

static void on_sandbox_closed(void *user, const struct trm_error *why)
{
	struct trm_install *in = user;
	(void)why;
	sandbox_unobserve(in->sandbox, &in->observer);
	in->sandbox = NULL;
	if (in->fetch)
		fetch_interrupt(in->fetch);
}

/* ---- the last step: what was installed ------------------------------------------------------ */

static void on_harvested(void *user, const char *group)
{
	struct trm_install *in = user;
	struct trm_error none = {0};
	(void)group;
	in->harvest = NULL;
	end(in, 0, &none);
}

/* It may be there, only not as a wheel; an index that did not answer will not do so the next moment. */
static bool may_be_built(unsigned seen)
{
	return (seen & (1u << TOOL_NOT_FOUND | 1u << TOOL_WANTS_BUILD))
	       && !(seen & (1u << TOOL_NOT_REACHED | 1u << TOOL_NO_ANSWER | 1u << TOOL_STALLED));
}

/* pip says "no such package" also if the downloader may not reach the index. */
static bool explain_unreachable(const struct trm_install *in, unsigned seen, struct trm_error *why)
{
	struct trm_limits limits = *trm_sandbox_limits(in->sandbox);
	char hint[300];
	if (!in->is_shared || limits.net || !(seen & (1u << TOOL_NOT_FOUND | 1u << TOOL_NOT_REACHED)))
		return false;
	limits.net = true;
	if (!trm_net_hint(&limits, hint, sizeof hint))
		return false;
	trm_error_set(why, TRM_EIO, "%s failed: %s", in->opts.lang->package_manager, hint);
	return true;
}

/* The tool's own words have been printed: here is what they mean. */
static void explain(struct trm_install *in, int exit_code, unsigned seen, struct trm_error *why)
{
	const char *tool = in->opts.lang->package_manager;
	if (!in->is_canceled && explain_unreachable(in, seen, why))
		return;
	if (in->is_shared && !in->is_canceled && may_be_built(seen) && !trm_sandbox_limits(in->sandbox)->net)
		trm_error_set(why, TRM_ENOTSUP,
				"%s failed: no such package or version, or one that must be built from source. To build it, "
				"start with --net on (exit code %d)",
				tool, exit_code);
	else if (in->is_canceled)
		trm_error_set(why, TRM_ECANCELED,
				"interrupted: %s did not finish, and the rest is not installed", tool);
	else if (seen & 1u << TOOL_STALLED)
		trm_error_set(why, TRM_ETIMEDOUT,
				"%s was ended: nothing, or next to nothing, has come from the package index for %d s; "
				"try again later, or name another index",
				tool, STALL_S);
	else if (seen & (1u << TOOL_NO_SPACE | 1u << TOOL_NO_SPACE_NPM))
		trm_error_set(why, TRM_ETOOBIG,
				"%s failed: the sandbox's files have reached their limit of %llu MiB; start one with more "
				"(--disk, --memory)",
				tool, (unsigned long long)trm_sandbox_limits(in->sandbox)->disk_bytes >> 20);
	else
		trm_error_set(why, TRM_EIO, "%s failed: see its output above (exit code %d)", tool,
				exit_code);
}

static void on_tool_output(void *user, int stream, const void *bytes, size_t n)
{
	struct trm_install *in = user;
	if (in->cb->output)
		in->cb->output(in->user, in, stream, bytes, n);
}

static void on_put(void *user, int exit_code, unsigned seen, const struct trm_error *failed)
{
	struct trm_install *in = user;
	struct trm_error why = *failed;
	in->tool = NULL;
	if (exit_code == 0 && in->opts.recipe->inside && !in->opts.recipe->has_fetcher && in->sandbox
			&& !sandbox_is_made(in->sandbox)
			&& harvest_start(in->sandbox, in->opts.recipe, on_harvested, in, &in->harvest, &why)
					   == 0)
		return;
	if (exit_code > 0 && in->sandbox)
		explain(in, exit_code, seen, &why);
	else if (exit_code == 0)
		why = (struct trm_error){0};
	else if (why.code == TRM_ENOENT)
		trm_error_set(&why, TRM_ENOENT,
				"%.200s: put the package manager of %s on the host, or in the container's image",
				failed->msg, in->opts.lang->name);
	end(in, exit_code, &why);
}

static int begin_put(struct trm_install *in, const char *verb, struct trm_error *reterr)
{
	static const struct tool_cb cb = {.output = on_tool_output, .done = on_put};
	return tool_start(in->sandbox, verb, &in->opts, &cb, in, &in->tool, reterr);
}

/* ---- the first: fetching --------------------------------------------------------------------- */

/* Errors of the downloader are only worth telling if nothing else will be tried: they are held back. pip
 * begins their lines so, on a terminal behind a color. */
static void on_fetch_output(void *user, int stream, const void *bytes, size_t n)
{
	static const char word[] = "ERROR: ";
	struct trm_install *in = user;
	const char *text = bytes,
		   *error = in->held_stream < 0 ? memmem(text, n, word, sizeof word - 1) : NULL;
	size_t shown = n;
	if (error) {
		const char *newline = memrchr(text, '\n', (size_t)(error - text));
		shown = newline ? (size_t)(newline + 1 - text) : 0;
		in->held_stream = stream;
	} else if (stream == in->held_stream) {
		shown = 0;
	}
	if (shown < n && buf_append(&in->held, text + shown, n - shown) < 0)
		shown = n; /* that much is no mere error */
	if (shown)
		on_tool_output(in, stream, text, shown);
}

static void tell_held(struct trm_install *in)
{
	if (in->held.len)
		on_tool_output(in, in->held_stream, buf_at(&in->held), in->held.len);
	buf_clear(&in->held);
}

/* A shared set is there, or it was to be: the sandbox takes notice of it. */
static void use_set(struct trm_install *in, int exit_code, const struct trm_error *failed)
{
	struct trm_error why = *failed;
	if (exit_code == 0 && *in->opts.set) {
		set_note(&in->opts);
		turn_end(&in->turn);
		if (begin_put(in, "use", &why) == 0)
			return;
	} else if (why.code == TRM_OK) {
		trm_error_set(&why, TRM_EIO, "the packages that were fetched could not be kept in the cache");
	}
	end(in, -1, &why);
}

/* Of all that is fetched for a run, only what is built needs a network in the sandbox itself. */
static bool may_build_here(const struct trm_install *in, unsigned seen)
{
	return may_be_built(seen) && (!in->is_shared || trm_sandbox_limits(in->sandbox)->net);
}

static void on_fetched(void *user, int exit_code, unsigned seen, const struct trm_error *failed)
{
	struct trm_install *in = user;
	struct trm_error why = *failed;
	in->fetch = NULL;
	if (!in->is_shared || exit_code)
		turn_end(&in->turn);
	if (seen & 1u << TOOL_STALLED)
		buf_clear(&in->held); /* that it was interrupted: not by anybody */
	if (exit_code > 0 && (in->is_canceled || !in->sandbox || !may_build_here(in, seen)))
		tell_held(in);
	if (!in->sandbox) {
		fail(in, TRM_ECLOSED, "the sandbox has closed");
	} else if (in->is_canceled) {
		fail(in, TRM_ECANCELED, "interrupted: nothing was installed");
	} else if (exit_code > 0 && !may_build_here(in, seen)) {
		explain(in, exit_code, seen, &why);
		end(in, exit_code, &why);
	} else if (in->is_shared && exit_code <= 0) {
		use_set(in, exit_code, &why);
	} else {
		/* What is there, but not as wheels, is built where it is wanted. */
		static const char words[] =
				"Some packages have no wheel: trying to build them in the sandbox.\n";
		if (exit_code > 0)
			on_tool_output(in, TRM_STDERR, words, sizeof words - 1);
		if (exit_code < 0)
			log_write(LOG_WARNING, "no downloader: %s", why.msg);
		if (begin_put(in, exit_code == 0 && *in->opts.group ? "put" : "build", &why) < 0)
			end(in, -1, &why);
	}
}

static bool has_cache(void)
{
	char path[CACHEDIR_PATH];
	struct trm_error why;
	int fd = cachedir_open("packages", path, &why);
	if (fd < 0)
		log_write(LOG_WARNING, "%s", why.msg);
	else
		close(fd);
	return fd >= 0;
}

/* Can the sandbox see what lies unpacked in the cache? What fits this machine's interpreter need not fit an
 * image's. */
static bool has_sets(const struct trm_install *in)
{
	return in->opts.recipe->has_sets && !sandbox_is_made(in->sandbox);
}

/* It is our turn: perhaps somebody else has fetched them since. */
static int begin_fetch(struct trm_install *in, struct trm_error *reterr)
{
	static const struct tool_cb cb = {.output = on_fetch_output, .done = on_fetched};
	if (in->is_shared && !in->opts.upgrades && set_find(&in->opts, false, in->opts.set)) {
		turn_end(&in->turn);
		return begin_put(in, "use", reterr);
	}
	in->opts.wants_set = in->is_shared;
	return fetch_start(in->sandbox, in->has_credentials, &in->opts, &cb, in, &in->fetch, reterr);
}

static void on_turn_timer(void *user)
{
	static const char words[] = "Waiting for another run that fetches the same packages.\n";
	struct trm_install *in = user;
	struct trm_error why = {0};
	if (!in->sandbox)
		fail(in, TRM_ECLOSED, "the sandbox has closed");
	else if (in->is_canceled)
		fail(in, TRM_ECANCELED, "interrupted: nothing was installed");
	else if (turn_take(&in->turn, &in->opts)) {
		trm_timer_stop(in->turn_timer);
		if (begin_fetch(in, &why) < 0 && (in->is_shared || begin_put(in, "build", &why) < 0))
			end(in, -1, &why);
	} else if (!in->has_reported_turn) {
		in->has_reported_turn = true;
		on_tool_output(in, TRM_STDERR, words, sizeof words - 1);
	}
}

/* One download of the same packages at a time, on the whole machine. */
static int begin_in_turn(struct trm_install *in, struct trm_error *reterr)
{
	enum { TURN_MS = 50 };
	if (turn_take(&in->turn, &in->opts))
		return begin_fetch(in, reterr);
	int r = trm_loop_add_timer(in->sandbox->loop, on_turn_timer, in, &in->turn_timer, reterr);
	if (r == 0)
		trm_timer_start(in->turn_timer, TURN_MS, TURN_MS);
	return r;
}

static int begin_shared(struct trm_install *in, struct trm_error *reterr)
{
	if (in->cb->begun)
		in->cb->begun(in->user, in);
	if (!has_sets(in))
		return begin_put(in, "build", reterr);
	if (!in->opts.upgrades && set_find(&in->opts, false, in->opts.set))
		return begin_put(in, "use", reterr);
	return begin_in_turn(in, reterr);
}

static void on_record_data(void *user, const void *bytes, size_t n)
{
	struct trm_install *in = user;
	buf_append(&in->record, bytes, n); /* what is too much counts as not there */
}

static void on_record(void *user, const struct trm_error *failed, uint64_t size, uint32_t mode)
{
	struct trm_install *in = user;
	struct trm_error why = {0};
	(void)size;
	(void)mode;
	if (failed->code != TRM_OK)
		buf_clear(&in->record); /* none is there, mostly */
	if (!in->sandbox)
		fail(in, TRM_ECLOSED, "the sandbox has closed");
	else if (in->is_canceled)
		fail(in, TRM_ECANCELED, "interrupted: nothing was installed");
	else if (in->trusts_record && in->record.len
			&& record_has(buf_at(&in->record), in->record.len, in->opts.lang, in->opts.packages))
		finish(in, 0, &why);
	else if (begin_shared(in, &why) < 0)
		end(in, -1, &why);
}

static int look_at_record(struct trm_install *in, struct trm_error *reterr)
{
	static const struct trm_transfer_cb cb = {.data = on_record_data, .done = on_record};
	return trm_file_get(in->sandbox, RECORD_INSIDE, RECORD_MAX, &cb, in, reterr);
}

static int begin(struct trm_install *in, const struct trm_install_opts *opts, struct trm_error *reterr)
{
	struct trm_error why = {0};
	if (in->is_shared)
		return look_at_record(in, reterr);
	/* What one image's programs fetch need not fit another's: each container fetches for itself. */
	if (in->opts.recipe->has_fetcher && !sandbox_is_made(in->sandbox) && has_cache()
			&& (!opts->requirements
					|| requirements_are_plain(opts->requirements, opts->requirements_len))
			&& begin_in_turn(in, &why) == 0)
		return 0;
	if (why.code)
		log_write(LOG_WARNING, "no downloader: %s", why.msg);
	return begin_put(in, "build", reterr);
}

/* ---- the whole ------------------------------------------------------------------------------- */

int trm_install_start(struct trm_sandbox *sandbox, const struct trm_install_opts *opts,
		const struct trm_install_cb *cb, void *user, struct trm_install **ret_install,
		struct trm_error *reterr)
{
	struct trm_install_opts own = TRM_INSTALL_OPTS_INIT;
	int r = opts_take(&own, sizeof own, opts, reterr);
	opts = &own;
	if (r == 0)
		r = install_check(sandbox, opts, reterr);
	if (r < 0)
		return r;
	struct trm_install *in = calloc(1, sizeof *in);
	if (!in)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*in = (struct trm_install){.sandbox = sandbox,
			.held_stream = -1,
			.observer = {.closed = on_sandbox_closed, .user = in},
			.cb = cb,
			.user = user,
			.is_shared = opts->is_shared || install_is_shared_only(sandbox, opts),
			.trusts_record = opts->is_shared && !opts->upgrades,
			.has_credentials = opts->net_credentials,
			.opts = {.lang = opts->lang,
					.recipe = recipe_for(opts->lang),
					.upgrades = opts->upgrades,
					.has_terminal = opts->has_terminal,
					.rows = opts->rows,
					.cols = opts->cols}};
	turn_init(&in->turn);
	buf_init(&in->held, HELD_MAX);
	buf_init(&in->record, RECORD_MAX);
	r = tool_opts_copy(&in->opts, opts) ? begin(in, opts, reterr)
					    : trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	if (r < 0) {
		destroy(in);
		return r;
	}
	sandbox_observe(sandbox, &in->observer);
	*ret_install = in;
	return 0;
}

void trm_install_cancel(struct trm_install *in)
{
	if (!in)
		return;
	in->is_canceled = true;
	if (in->fetch)
		fetch_interrupt(in->fetch);
	else if (in->tool)
		tool_interrupt(in->tool);
	else if (in->harvest)
		harvest_stop(in->harvest);
}

void trm_install_resize(struct trm_install *in, uint16_t rows, uint16_t cols)
{
	if (!in)
		return;
	in->opts.rows = rows; /* also of what is started later */
	in->opts.cols = cols;
	if (in->fetch)
		fetch_resize(in->fetch);
	else if (in->tool)
		tool_resize(in->tool);
}
