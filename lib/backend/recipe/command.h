/* SPDX-License-Identifier: MIT */
#ifndef TRM_RECIPE_COMMAND_H
#define TRM_RECIPE_COMMAND_H

/* A recipe's step on the loop: its commands, one after the other until one fails, each with the null device
 * as stdin, in a session of its own (nobody asks the terminal for a password), and with nothing open but
 * stdout and stderr, which are gathered. What they print is a stranger's. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/loop.h>

struct buf;
struct command;
struct trm_error;

enum {
	COMMAND_MAX_OUT = 256 << 10, /* of stdout; more of it is dropped */
	COMMAND_MAX_WORDS = 4 << 10, /* of stderr: the last of it is kept */
	COMMAND_STOP_MS = 1500,      /* from SIGTERM to SIGKILL */
	COMMAND_MAX_ARGS = 1024,
};

struct command_opts {
	const char *step; /* strings, each ended by NUL, with an empty one between commands … */
	size_t n;         /* … so many bytes: lib/recipe/recipe.h */
	const char *env;  /* "NAME=value" likewise; the program's own environment comes along */
	size_t env_n;
	uint32_t timeout_ms; /* of each command; 0: none */
	uint32_t silence_ms; /* so long without a byte is too long; 0: it is not */
};

struct command_result {
	int status; /* wait status of the last command that ran; 0: all went well */
	bool is_timed_out, is_stopped;
	const char *out;     /* stdout of the last, NUL-terminated, without trailing newlines */
	const char *words;   /* the end of stderr (of stdout if that is empty), fit to be shown, one line */
	const char *last;    /* the last line of that */
	const char *program; /* of the last */
};

struct command_cb {
	/* A line of stdout or stderr as it comes, fit to be shown. May be NULL. */
	void (*line)(void *user, const char *line);
	/* Last, exactly once; the handle dies when this returns, and `result` with it. */
	void (*done)(void *user, const struct command_result *result);
};

/* Copies `opts`; borrows `cb`. TRM_EINVAL: there is nothing to run; TRM_ENOENT: no such program. */
int command_start(struct trm_loop *loop, const struct command_opts *opts, const struct command_cb *cb,
		void *user, struct command **ret, struct trm_error *reterr);
/* Ask for its end; `done` follows soon. */
void command_stop(struct command *command);
/* No callback follows; what runs is killed at once. Takes NULL. */
void command_abandon(struct command *command);

#endif
