/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/doctor.h>
#include <terrarium/error.h>
#include <terrarium/text.h>

#include "conform/behavior.h"
#include "conform/talk.h"

/* One driver in one sandbox shows all behaviors. After a fault a new driver is started, so that the next
 * behavior is not blamed for the fault. */

enum { SILENCES_MAX = 3 };

struct report {
	trm_check_fn *fn;
	void *user;
	int n_failed;
};

static void say(struct report *r, enum trm_check_status status, const char *name, const char *detail)
{
	struct trm_check check = {.status = status};
	snprintf(check.name, sizeof check.name, "%s", name);
	trm_text_clean_line(check.detail, sizeof check.detail, detail, strlen(detail));
	r->n_failed += status == TRM_CHECK_FAILED;
	r->fn(r->user, &check);
}

/* The sample that the row needs and the language lacks; NULL: none. */
static const char *missing_sample(const struct talk *t, const struct behavior *b)
{
	for (size_t i = 0; i < 2; i++)
		if (b->samples[i] != NO_SAMPLE && !kernel_spec(t->lang)->samples[b->samples[i]])
			return kernel_sample_name((enum kernel_sample)b->samples[i]);
	return NULL;
}

static void tell_no_start(struct report *r, const struct talk *t, const struct behavior *b)
{
	char detail[300];
	if (t->why.code)
		snprintf(detail, sizeof detail, "%.280s", t->why.msg);
	else if (!t->proc && t->signal)
		snprintf(detail, sizeof detail, "signal %d ended the driver before \"ready\"", t->signal);
	else if (!t->proc)
		snprintf(detail, sizeof detail, "the driver ended before \"ready\", exit code %d",
				t->exit_code);
	else
		snprintf(detail, sizeof detail, "before \"ready\": %s", t->fault);
	say(r, TRM_CHECK_FAILED, b->name, detail);
}

/* False: further attempts are pointless. */
static bool try(struct report *r, struct talk *t, const struct behavior *b, unsigned *n_silences)
{
	char detail[300] = "", text[320];
	const char *missing = missing_sample(t, b);
	if (missing) {
		snprintf(text, sizeof text, "not tested: \"samples\" of the language has no \"%s\"", missing);
		say(r, TRM_CHECK_NOTE, b->name, text);
		return true;
	}
	if (!talk_start(t)) {
		tell_no_start(r, t, b);
		return false;
	}
	if (b->check(t, detail, sizeof detail)) {
		say(r, TRM_CHECK_OK, b->name, detail);
		return true;
	}
	say(r, TRM_CHECK_FAILED, b->name, detail);
	*n_silences += t->is_late;
	talk_kill(t);
	return *n_silences < SILENCES_MAX;
}

static void say_rest(struct report *r, size_t n)
{
	char detail[80];
	snprintf(detail, sizeof detail, "%zu more: not tested, because the driver does not answer", n);
	say(r, TRM_CHECK_NOTE, "the rest", detail);
}

int trm_doctor_language(const struct trm_lang *lang, const struct trm_sandbox_opts *opts, uint32_t answer_ms,
		trm_check_fn *fn, void *user)
{
	struct report r = {.fn = fn, .user = user};
	struct talk t;
	struct trm_error why;
	unsigned n_silences = 0;
	size_t i = 0;
	if (talk_open(&t, lang, opts, &why) < 0) {
		say(&r, TRM_CHECK_FAILED, "sandbox", why.msg);
		return r.n_failed;
	}
	t.start_ms = opts->start_timeout_ms;
	t.answer_ms = answer_ms;
	while (i < n_behaviors && try(&r, &t, &behaviors[i], &n_silences))
		i++;
	if (i < n_behaviors)
		say_rest(&r, n_behaviors - i - 1);
	talk_close(&t);
	return r.n_failed;
}
