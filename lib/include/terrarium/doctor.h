/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_DOCTOR_H
#define TERRARIUM_DOCTOR_H

/* What works on this machine, and how to mend what does not. Blocking (it
 * tries things out), but for trm_containers_start(): not for use inside a loop. */

#include <stdbool.h>
#include <stddef.h>

enum trm_check_status { TRM_CHECK_OK, TRM_CHECK_WEAK, TRM_CHECK_FAILED, TRM_CHECK_NOTE };

struct trm_error;
struct trm_loop;

struct trm_check {
	enum trm_check_status status;
	char name[32];    /* "namespaces", "landlock", "sandbox: memory", "python3" */
	char detail[224]; /* what was found */
	char advice[400]; /* what to do; "" when there is nothing to mend */
};

/* Calls `fn` for each check, in order. Returns the number of checks that failed. */
typedef void trm_check_fn(void *user, const struct trm_check *check);
struct trm_sandbox_opts;
/* For local sandboxes; of `opts` only the level of isolation is used. */
int trm_doctor(const struct trm_sandbox_opts *opts, trm_check_fn *fn, void *user);
/* The same for a server: a sandbox is started there as `opts` say, and stopped. */
int trm_doctor_server(const struct trm_sandbox_opts *opts, trm_check_fn *fn, void *user);

/* A backend that trm_sandbox_open() knows. Borrowed during the call. */
struct trm_backend_info {
	const char *name;
	const char *about;            /* one line */
	bool is_recipe;               /* terrarium/recipe.h */
	const char *like;             /* of a recipe: what it starts from; "": nothing */
	const char *where;            /* "FILE:LINE" of one of the config file; "": it comes with terrarium */
	enum trm_check_status status; /* OK: it works here; NOTE: nobody has tried */
	const char *detail;           /* what was found, or why it does not work */
	const char *advice;           /* what to do; "" */
};
typedef void trm_backend_fn(void *user, const struct trm_backend_info *info);
/* Our own ones, the built-in recipes, those of the config file (`config_path` as in trm_config_load()). With
 * `tries` the step "probe" of each recipe is run, all at the same time, for ten seconds at most. TRM_EINVAL:
 * the config file cannot be read. */
int trm_backends(const char *config_path, bool tries, trm_backend_fn *fn, void *user,
		struct trm_error *reterr);

/* A container that runs in an engine of a recipe (its step "list_all") and that we have not made, or, with
 * `problem`, an engine that cannot be asked. Borrowed during the call; texts are fit to be shown. */
struct trm_container_info {
	const char *backend; /* name of the recipe */
	const char *id, *name, *image, *state;
	const char *problem; /* "": none */
};
typedef void trm_container_fn(void *user, const struct trm_container_info *info);
/* All engines are asked at the same time, for three seconds at most; those that are not installed have none.
 * To look into one: trm_container_opts.container. TRM_EINVAL: the config file cannot be read. */
int trm_containers(const char *config_path, trm_container_fn *fn, void *user, struct trm_error *reterr);

/* The same on a loop. Once all have answered or their time is over: `found` for each, then `done`, when which
 * returns the handle is gone; neither is called before trm_containers_start() has returned. Borrows `cb`. */
struct trm_containers;
struct trm_containers_cb {
	trm_container_fn *found;
	void (*done)(void *user);
};
int trm_containers_start(struct trm_loop *loop, const char *config_path, const struct trm_containers_cb *cb,
		void *user, struct trm_containers **ret, struct trm_error *reterr);
void trm_containers_cancel(struct trm_containers *containers); /* no callback follows; takes NULL */

/* For a recipe (terrarium/recipe.h): whether its engine works, and what is enforced in a sandbox of it. */
int trm_doctor_backend(const struct trm_sandbox_opts *opts, trm_check_fn *fn, void *user);

#endif
