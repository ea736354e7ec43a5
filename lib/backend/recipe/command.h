/* SPDX-License-Identifier: MIT */
#ifndef TRM_RECIPE_COMMAND_H
#define TRM_RECIPE_COMMAND_H

/* A step of a recipe on the loop: its commands run one after the other until one fails. Each has the null
 * device as stdin, a session of its own (so that it cannot ask the terminal for a password), and only
 * stdout and stderr open, which are collected. Their contents are not trusted. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/loop.h>

#include "recipe/recipe.h"

struct buf;
struct command;
struct trm_error;

enum {
	COMMAND_MAX_OUT = 256 << 10, /* of stdout; the rest is dropped */
	COMMAND_MAX_WORDS = 4 << 10, /* of stderr: the end is kept */
	COMMAND_STOP_MS = 1500,      /* from SIGTERM to SIGKILL */
	COMMAND_MAX_ARGS = 1024,
};

struct command_opts {
	const char *step; /* strings, each ended by NUL, with an empty one between commands … */
	size_t n;         /* … so many bytes: lib/recipe/recipe.h */
	const char *env;  /* "NAME=value" likewise; added to the program's own environment */
	size_t env_n;
	uint32_t timeout_ms; /* of each command; 0: none */
	uint32_t silence_ms; /* longest time without output; 0: unlimited */
};

struct command_result {
	int status; /* wait status of the last command that ran; 0: success */
	bool is_timed_out, is_stopped;
	const char *out;     /* stdout of the last, NUL-terminated, without trailing newlines */
	const char *words;   /* the end of stderr (of stdout if that is empty) for display, one line */
	const char *last;    /* the last line of that */
	const char *program; /* of the last */
};

struct command_cb {
	/* A line of stdout or stderr as it comes, fit for display. May be NULL. */
	void (*line)(void *user, const char *line);
	/* Last, exactly once. The handle and `result` are freed when this returns. */
	void (*done)(void *user, const struct command_result *result);
};

/* Copies `opts`; borrows `cb`. Errors: TRM_EINVAL: the command is empty; TRM_EMISSING: there is no such
 * program. */
int command_start(struct trm_loop *loop, const struct command_opts *opts, const struct command_cb *cb,
		void *user, struct command **ret, struct trm_error *reterr);
/* The same with the recipe's variables, and with `args` for the step; the rest of `opts` counts. */
int command_start_args(struct trm_loop *loop, const struct trm_recipe *recipe, const struct buf *args,
		struct command_opts opts, const struct command_cb *cb, void *user, struct command **ret,
		struct trm_error *reterr);
/* The same with a step of the recipe; errors also as recipe_expand(). */
int command_start_step(struct trm_loop *loop, const struct trm_recipe *recipe, enum recipe_step step,
		const struct recipe_facts *facts, uint32_t timeout_ms, const struct command_cb *cb,
		void *user, struct command **ret, struct trm_error *reterr);
/* Ask the step to end; `done` follows soon. */
void command_stop(struct command *command);
/* Kill the step at once, without a callback. Accepts NULL. */
void command_abandon(struct command *command);

#endif
