/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <terrarium/install.h>

#include "base/buf.h"
#include "base/err.h"
#include "sync/sync.h"

enum { LAST_WORDS = 1024 };

struct waiting {
	struct trm_sync *sync;
	struct buf words; /* the end of the package manager's output */
	struct trm_error why;
	bool is_done;
};

static void on_output(void *user, struct trm_install *install, int stream, const void *bytes, size_t n)
{
	struct waiting *w = user;
	size_t kept = n < LAST_WORDS ? n : LAST_WORDS;
	(void)install;
	if (w->sync->opts.output)
		w->sync->opts.output(w->sync->opts.user, stream, bytes, n);
	if (w->words.len + kept > LAST_WORDS)
		buf_take(&w->words, w->words.len + kept - LAST_WORDS);
	buf_append(&w->words, (const char *)bytes + n - kept, kept);
}

static void on_done(void *user, struct trm_install *install, int exit_code, const struct trm_error *why)
{
	struct waiting *w = user;
	(void)install;
	(void)exit_code;
	w->why = *why;
	w->is_done = true;
}

/* The last line of the output gives the reason, and one line fits into a sentence. */
static void tell_failure(struct waiting *w, struct trm_error *reterr)
{
	char *line = text_tidy(w->words.len ? buf_at(&w->words) : "", w->words.len);
	char *newline = line ? strrchr(line, '\n') : NULL;
	const char *last = newline ? newline + 1 : line;
	trm_error_set(reterr, w->why.code, "%s%s%.100s", w->why.msg, last && *last ? ": " : "",
			last ? last : "");
	free(line);
}

static int check_packages(const struct trm_sync *s, const char *const *packages, struct trm_error *reterr)
{
	int r = 0;
	for (; s->opts.policy && packages && *packages && r == 0; packages++) {
		struct trm_findings findings;
		r = trm_policy_scan_package(s->opts.policy, s->opts.language, *packages, &findings, reterr);
		if (r == 0)
			r = trm_policy_refusal(s->opts.policy, &findings, reterr);
		trm_findings_finish(&findings);
	}
	return r;
}

int trm_sync_install(struct trm_sync *s, const char *const *packages, struct trm_error *reterr)
{
	static const struct trm_install_cb cb = {.output = on_output, .done = on_done};
	struct waiting w = {.sync = s};
	struct trm_install *install;
	int r = sync_need_started(s, reterr);
	if (r < 0)
		return r;
	const struct trm_install_opts opts = {.size = sizeof(struct trm_install_opts),
			.lang = s->opts.language,
			.packages = packages,
			.is_shared = true,
			.net_credentials = s->opts.sandbox.net_credentials};
	buf_init(&w.words, LAST_WORDS);
	r = check_packages(s, packages, reterr);
	if (r == 0)
		r = trm_install_start(s->sandbox, &opts, &cb, &w, &install, reterr);
	if (r < 0) {
		buf_finish(&w.words);
		return err_wrap(reterr, r, "Failed to install packages");
	}
	for (int i = 0; i < 2 && !w.is_done && sync_wait(s, &w.is_done, i ? SYNC_GRACE_MS : -1, &w.why) < 0;
			i++)
		trm_install_cancel(install);
	sync_wait_out(s, &w.is_done, -1);
	r = w.why.code;
	if (r < 0)
		tell_failure(&w, reterr);
	buf_finish(&w.words);
	return r < 0 ? err_wrap(reterr, r, "Failed to install packages") : 0;
}
