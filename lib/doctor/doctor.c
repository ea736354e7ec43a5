/* SPDX-License-Identifier: MIT */
#include "doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/sandbox.h>

#include "base/utf8.h"

static void clean(char *out, size_t cap, const char *s)
{
	trm_text_clean_line(out, cap, s, strlen(s));
}

void doctor_say(struct doctor *d, enum trm_check_status status, const char *name, const char *advice,
		const char *fmt, ...)
{
	struct trm_check check = {.status = status};
	char detail[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(detail, sizeof detail, fmt, args);
	va_end(args);
	clean(check.name, sizeof check.name, name);
	clean(check.detail, sizeof check.detail, detail);
	clean(check.advice, sizeof check.advice, advice ? advice : "");
	d->n_failed += status == TRM_CHECK_FAILED;
	d->fn(d->user, &check);
}

int trm_doctor_backend(const struct trm_sandbox_opts *opts, trm_check_fn *fn, void *user)
{
	struct doctor d = {.fn = fn, .user = user};
	doctor_check_engines(&d, opts->backend, opts->container.config);
	doctor_ask_recipe(&d, opts);
	doctor_try_made(&d, opts);
	return d.n_failed;
}

int trm_doctor_server(const struct trm_sandbox_opts *opts, trm_check_fn *fn, void *user)
{
	struct doctor d = {.fn = fn, .user = user};
	doctor_try_server(&d, opts);
	return d.n_failed;
}

int trm_doctor(const struct trm_sandbox_opts *opts, trm_check_fn *fn, void *user)
{
	struct doctor d = {.fn = fn, .user = user};
	doctor_check_levels(&d, opts->isolation);
	doctor_check_machine(&d);
	doctor_try_sandbox(&d, opts->isolation);
	doctor_check_engines(&d, NULL, NULL);
	return d.n_failed;
}
