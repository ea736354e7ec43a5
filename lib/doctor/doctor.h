/* SPDX-License-Identifier: MIT */
#ifndef TRM_DOCTOR_DOCTOR_H
#define TRM_DOCTOR_DOCTOR_H

#include <terrarium/doctor.h>
#include <terrarium/sandbox.h>

/* The receiver of the findings. */
struct doctor {
	trm_check_fn *fn;
	void *user;
	int n_failed;
};

/* Report one finding. `advice` may be NULL. */
void doctor_say(struct doctor *d, enum trm_check_status status, const char *name, const char *advice,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Report the levels of isolation: which ones work, why others do not, and which one is in use. */
void doctor_check_levels(struct doctor *d, enum trm_isolation want);
/* The first line of the output of --version; "" if there is none. */
void doctor_ask_version(const char *path, char *out, size_t cap);
/* Check the machine without starting anything. */
void doctor_check_machine(struct doctor *d);
/* Start a sandbox, report its guards and interpreters, and end it; then try one with a network. */
void doctor_try_sandbox(struct doctor *d, enum trm_isolation want);
/* Report Docker and Podman, or only the engine of the given backend. */
void doctor_check_engines(struct doctor *d, const char *only, const char *config);
/* Report what a recipe's step "doctor" finds. */
void doctor_ask_recipe(struct doctor *d, const struct trm_sandbox_opts *opts);
/* Start a sandbox of a recipe, and report whether it starts and what is enforced. */
void doctor_try_made(struct doctor *d, const struct trm_sandbox_opts *opts);
void doctor_try_server(struct doctor *d, const struct trm_sandbox_opts *opts);

#endif
