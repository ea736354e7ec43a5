/* SPDX-License-Identifier: MIT */
/* A run with libraries waits at the head of the queue until these are there. An installation cannot be
 * dropped: who interrupts the run waits for its end, and if the run, or its session, has to end before that,
 * the installation goes on being stopped without it. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/install.h>
#include <terrarium/text.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/utf8.h"
#include "session/session.h"

struct libraries {
	struct own_run *own; /* NULL: it has ended */
	struct trm_install *install;
	uint64_t begun_ns; /* 0: the sandbox has all of them */
	struct buf words;  /* the end of what the package manager has said */
};

enum { WORDS_MAX = 4096 };

static void end_libraries(struct libraries *l)
{
	buf_finish(&l->words);
	free(l);
}

static void tell_installing(struct libraries *l, int stream, const void *bytes, size_t n)
{
	struct trm_run *run = l->own ? &l->own->run : NULL;
	if (!run || !run->cb->installing || run->is_interrupted)
		return;
	struct trm_session *s = run->session;
	session_enter(s);
	run->cb->installing(run->user, run, stream, bytes, n);
	session_leave(s);
}

static void on_begun(void *user, struct trm_install *install)
{
	struct libraries *l = user;
	(void)install;
	l->begun_ns = clock_ns();
	tell_installing(l, TRM_STDERR, "", 0);
}

static void on_words(void *user, struct trm_install *install, int stream, const void *bytes, size_t n)
{
	struct libraries *l = user;
	const char *last = bytes;
	size_t kept = n < WORDS_MAX ? n : WORDS_MAX;
	(void)install;
	if (l->words.len + kept > WORDS_MAX)
		buf_take(&l->words, l->words.len + kept - WORDS_MAX);
	buf_append(&l->words, last + n - kept, kept);
	tell_installing(l, stream, bytes, n);
}

/* Drop pip's "ERROR: " at the beginnings of lines: the name of the error says it. */
static void drop_marks(char *text)
{
	static const char mark[] = "ERROR: ";
	char *to = text;
	for (bool is_begin = true; *text; is_begin = *text++ == '\n') {
		if (is_begin && !strncmp(text, mark, sizeof mark - 1))
			text += sizeof mark - 1;
		*to++ = *text;
		if (!*text)
			return;
	}
	*to = '\0';
}

/* From the first error that is still there; without one, its last lines. */
static char *last_words(const struct libraries *l)
{
	static const char *const marks[] = {"ERROR:", "npm ERR!", "npm error", "Error"};
	const char *text = l->words.len ? buf_at(&l->words) : "", *from = NULL;
	size_t n = l->words.len;
	for (size_t i = 0; i < sizeof marks / sizeof *marks && !from; i++)
		from = memmem(text, n, marks[i], strlen(marks[i]));
	for (int lines = 0; !from && n && lines < 6; lines++) {
		const char *newline = memrchr(text, '\n', n - 1);
		n = newline ? (size_t)(newline - text) : 0;
		if (!newline || lines == 5)
			from = newline ? newline + 1 : text;
	}
	if (!from)
		from = text;
	n = (size_t)(text + l->words.len - from);
	while (n && from[n - 1] == '\n')
		n--;
	char *words = utf8_repair(from, n, NULL);
	if (words)
		drop_marks(words);
	return words;
}

static void fail_run(struct libraries *l, int exit_code, const struct trm_error *why)
{
	/* The tool's own words do not say why it was ended, or what failed behind it. */
	bool is_tools = exit_code > 0 && why->code != TRM_ETIMEDOUT;
	char *words = is_tools ? last_words(l) : NULL;
	struct trm_result result = {
			.status = TRM_STATUS_ERROR,
			.exit_code = exit_code > 0 && exit_code < 256 ? exit_code : 1,
			.error_name = (char *)"InstallError",
			.error_message = words && *words ? words : (char *)why->msg,
			.reason = words && *words ? (char *)why->msg : NULL,
	};
	run_unqueue(l->own);
	run_finish(&l->own->run, &result);
	free(words);
}

static void on_installed(void *user, struct trm_install *install, int exit_code, const struct trm_error *why)
{
	struct libraries *l = user;
	struct own_run *own = l->own;
	(void)install;
	if (!own) {
		end_libraries(l);
		return;
	}
	struct trm_session *s = own->run.session;
	session_enter(s);
	own->installation = NULL;
	if (l->begun_ns)
		own->install_ns = clock_ns() - l->begun_ns;
	if (why->code == TRM_OK) {
		for (char **name = own->libraries; *name; name++)
			free(*name);
		free(own->libraries);
		own->libraries = NULL;
	} else if (!own->run.is_interrupted) {
		fail_run(l, exit_code, why);
	}
	end_libraries(l);
	session_due(s);
	session_leave(s);
}

static const struct trm_install_cb install_cb = {.output = on_words, .begun = on_begun, .done = on_installed};

static struct libraries *begin_libraries(struct own_run *own, struct trm_error *reterr)
{
	struct trm_run *run = &own->run;
	struct libraries *l = calloc(1, sizeof *l);
	const struct trm_install_opts opts = {.size = sizeof(struct trm_install_opts),
			.lang = run->lang,
			.packages = (const char *const *)own->libraries,
			.is_shared = true,
			.net_credentials = run->session->opts.net_credentials};
	if (!l) {
		trm_error_set(reterr, TRM_ENOMEM, "out of memory");
		return NULL;
	}
	l->own = own;
	buf_init(&l->words, WORDS_MAX);
	if (trm_install_start(run->session->sandbox, &opts, &install_cb, l, &l->install, reterr) == 0)
		return l;
	end_libraries(l);
	return NULL;
}

bool libraries_are_there(struct own_run *own, bool in_turn)
{
	struct trm_run *run = &own->run;
	struct trm_error why = {0};
	if (!own->libraries)
		return true;
	if (own->installation)
		return false;
	if (!in_turn) {
		session_due(run->session);
		return false;
	}
	struct trm_session *s = run->session;
	own->installation = begin_libraries(own, &why);
	if (!own->installation) {
		struct libraries none = {.own = own};
		fail_run(&none, -1, &why);
		session_due(s);
	}
	return false;
}

void libraries_cancel(struct own_run *own)
{
	trm_install_cancel(own->installation->install);
}

void libraries_forget(struct own_run *own)
{
	struct libraries *l = own->installation;
	if (!l)
		return;
	own->installation = NULL;
	l->own = NULL;
	trm_install_cancel(l->install);
}

int libraries_check(const struct trm_session *s, const struct trm_run_opts *o, struct trm_error *reterr)
{
	int r = *o->libraries ? trm_install_supports(o->lang, reterr) : 0;
	for (const char *const *name = o->libraries; *name && r == 0; name++) {
		struct trm_findings findings;
		r = trm_package_check(o->lang, *name, reterr);
		if (r < 0 || !s->opts.policy)
			continue;
		r = trm_policy_scan_package(s->opts.policy, o->lang, *name, &findings, reterr);
		if (r == 0)
			r = trm_policy_refusal(s->opts.policy, &findings, reterr);
		trm_findings_finish(&findings);
	}
	return r;
}
