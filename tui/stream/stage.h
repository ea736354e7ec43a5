/* SPDX-License-Identifier: MIT */
#ifndef TUI_STAGE_H
#define TUI_STAGE_H

/* What `run` and `exec` stand on: a loop, one sandbox, and the signals of the
 * program. SIGINT is an event; SIGTERM, SIGHUP and SIGQUIT are one, too, or close the sandbox and
 * then are the end. The sandbox is gone from the machine before stage_finish() returns, unless it is left
 * running. */

#include <stdbool.h>

#include <terrarium/terrarium.h>

#include "stream/progress.h"

struct stage_cb {
	void (*interrupt)(void *user);
	/* SIGTERM, SIGHUP or SIGQUIT has come for the first time. True: it is dealt with, nothing else
	 * happens until the next one. May be NULL. */
	bool (*signal)(void *user, int signo);
	/* Once a second after that. True: nobody takes the output that is left; the sandbox is let go of, as
	 * by another signal. Not NULL where `signal` is there. */
	bool (*is_stuck)(void *user);
	/* The sandbox has closed; why->code is TRM_OK if that was asked for. Once. */
	void (*closed)(void *user, const struct trm_error *why);
	/* What is being done before the sandbox is there, and while it ends. NULL: it is said on stderr. */
	void (*progress)(void *user, const char *words);
	/* When trm_sandbox_set_metrics() has asked for them. May be NULL. */
	void (*metrics)(void *user, const struct trm_metrics *metrics);
};

struct stage {
	struct trm_loop *loop;
	struct trm_sandbox *sandbox; /* NULL when it has closed */
	const struct stage_cb *cb;
	void *user;
	struct trm_signal *signals;
	struct trm_timer *stuck_timer; /* NULL before `signal` */
	int signalled_by;
	int ended_by; /* signal that asked for the end, or 0 */
	bool was_signalled;
	bool is_ready; /* and nothing has been said since */
	bool is_closing;
	bool is_to_be_saved; /* an image of it was asked for */
	bool has_warned;     /* something went wrong in its end */
	struct progress progress;
};

/* Which sandbox it is to be. */
enum stage_how {
	STAGE_NEW,    /* one of our own; kept, if the config says so */
	STAGE_ATTACH, /* the running one of the config's name, at the server if the backend is one; TRM_ENOENT
			 if there is none, of a server's in `closed` */
	STAGE_EITHER, /* that one if the config names one that runs, else one of our own */
};

/* What was asked for in so many words: a running one that is otherwise is then refused. */
struct stage_asked {
	bool backend;
	bool source; /* image, container or dockerfile of the config */
};

/* 0, or a negative code: TRM_EINVAL, the running one is not what was `asked` for; stage_finish() is due in
 * both cases. What the config says of keeping is also done to one that was found running. */
int stage_open(struct stage *stage, const struct trm_config *config, enum stage_how how,
		struct stage_asked asked, const struct stage_cb *cb, void *user, struct trm_error *reterr);
/* The sandbox goes on after us, as it was there before or is kept: its kernels are not ours alone. Of a
 * server's it is known once it is ready. */
bool stage_is_shared(const struct stage *stage);
/* Let go of the sandbox: one that is kept, or was there before, is left running; else it ends. */
void stage_close(struct stage *stage);
/* End it, whatever it is. */
void stage_stop(struct stage *stage);
/* Let go of the sandbox and wait until it is gone from us; then finish only gives memory back. */
void stage_end(struct stage *stage);
void stage_finish(struct stage *stage);
/* After that: the program's exit code, where its own would be `code`. An image that was asked for and could
 * not be saved is a failure of ours. */
enum { STAGE_NOT_SAVED = 125 };
int stage_code(const struct stage *stage, int code);

#endif
