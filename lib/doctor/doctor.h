/* SPDX-License-Identifier: MIT */
#ifndef TRM_DOCTOR_DOCTOR_H
#define TRM_DOCTOR_DOCTOR_H

#include <terrarium/doctor.h>
#include <terrarium/sandbox.h>

/* Where findings go. */
struct doctor {
	trm_check_fn *fn;
	void *user;
	int n_failed;
};

/* Report one finding. `advice` may be NULL. */
void doctor_say(struct doctor *d, enum trm_check_status status, const char *name, const char *advice,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* The levels of isolation: which ones work, why others do not, and which one is taken. */
void doctor_look_at_levels(struct doctor *d, enum trm_isolation want);
/* The first line that a program prints for --version; "" if it prints none. */
void doctor_ask_version(const char *path, char *out, size_t cap);
/* What can be seen without starting anything. */
void doctor_look_around(struct doctor *d);
/* Start a sandbox, look what holds in it and which interpreters run, end it; and one with a network. */
void doctor_try_sandbox(struct doctor *d, enum trm_isolation want);
/* Docker and Podman; or what commands the one backend. */
void doctor_look_at_engines(struct doctor *d, const char *only, const char *config);
/* A sandbox of a recipe: does it start, and what is enforced in it? */
void doctor_try_made(struct doctor *d, const struct trm_sandbox_opts *opts);
void doctor_try_server(struct doctor *d, const struct trm_sandbox_opts *opts);

#endif
