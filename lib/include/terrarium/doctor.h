/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_DOCTOR_H
#define TERRARIUM_DOCTOR_H

/* Tests of this machine, with remedies. The functions block, because they try things out, except
 * trm_containers_start(). Do not call the others inside a loop. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>

TRM_BEGIN_API

enum trm_check_status { TRM_CHECK_OK, TRM_CHECK_WEAK, TRM_CHECK_FAILED, TRM_CHECK_NOTE };

struct trm_error;
struct trm_loop;

struct trm_check {
	enum trm_check_status status;
	char name[32];    /* "namespaces", "landlock", "sandbox: memory", "python3" */
	char detail[224]; /* what was found */
	char advice[400]; /* the remedy; "" if nothing needs fixing */
};

/* `fn` is called for each check, in order. The functions return the number of failed checks. */
typedef void trm_check_fn(void *user, const struct trm_check *check);
struct trm_sandbox_opts;
/* Check local sandboxes. Of `opts` only the isolation level is used. */
int trm_doctor(const struct trm_sandbox_opts *opts, trm_check_fn *fn, void *user);
/* Check a server: a sandbox is started there with `opts`, and stopped. */
int trm_doctor_server(const struct trm_sandbox_opts *opts, trm_check_fn *fn, void *user);

/* A backend that trm_sandbox_open() knows. Borrowed during the call. */
struct trm_backend_info {
	const char *name;
	const char *about;            /* one line */
	bool is_recipe;               /* terrarium/recipe.h */
	const char *like;             /* for a recipe: the recipe that it starts from; "": none */
	const char *where;            /* "FILE:LINE" if it is in the config file; "": it is built in */
	enum trm_check_status status; /* OK: it works here; NOTE: not tested */
	const char *detail;           /* what was found, or why it does not work */
	const char *advice;           /* what to do; "" */
};
typedef void trm_backend_fn(void *user, const struct trm_backend_info *info);
/* List the native backends, the built-in recipes, and those of the config file (`config_path` as in
 * trm_config_load()). With `tries`, the step "probe" of each recipe is run, all at the same time, for at
 * most ten seconds. TRM_EINVAL: the config file cannot be read. */
int trm_backends(const char *config_path, bool tries, trm_backend_fn *fn, void *user,
		struct trm_error *reterr);

/* A container that runs in an engine of a recipe (step "list_all") and that terrarium did not make; or,
 * with `problem`, an engine that cannot be asked. Borrowed during the call; the strings are clean text. */
struct trm_container_info {
	const char *backend; /* name of the recipe */
	const char *id, *name, *image, *state;
	const char *problem; /* "": none */
};
typedef void trm_container_fn(void *user, const struct trm_container_info *info);
/* Ask all engines at the same time, for at most three seconds. Engines that are not installed are skipped.
 * To use a container: trm_container_opts.container. TRM_EINVAL: the config file cannot be read. */
int trm_containers(const char *config_path, trm_container_fn *fn, void *user, struct trm_error *reterr);

/* The same on a loop. When all have answered or the time is over, `found` is called for each container,
 * then `done`. The handle becomes invalid when `done` returns. No callback comes before
 * trm_containers_start() has returned. Borrows `cb`. */
struct trm_containers;
struct trm_containers_cb {
	trm_container_fn *found;
	void (*done)(void *user);
};
int trm_containers_start(struct trm_loop *loop, const char *config_path, const struct trm_containers_cb *cb,
		void *user, struct trm_containers **ret, struct trm_error *reterr);
void trm_containers_cancel(struct trm_containers *containers); /* no callback follows; takes NULL */

/* Check a recipe (terrarium/recipe.h): whether its engine works, and what is enforced in its sandboxes. */
int trm_doctor_backend(const struct trm_sandbox_opts *opts, trm_check_fn *fn, void *user);

/* Test whether the driver of a language, in a sandbox made with `opts`, does what docs/languages.md demands:
 * one check for each behavior. NOTE: not tested, because the row lacks a sample. `answer_ms`: how long the
 * driver may take for one answer. */
struct trm_lang;
int trm_doctor_language(const struct trm_lang *lang, const struct trm_sandbox_opts *opts, uint32_t answer_ms,
		trm_check_fn *fn, void *user);

TRM_END_API

#endif
