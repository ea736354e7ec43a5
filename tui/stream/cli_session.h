/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_CLI_SESSION_H
#define TUI_STREAM_CLI_SESSION_H

/* What `run` and `exec` stand on: a loop, one sandbox, and the signals of the
 * program. SIGINT is an event; SIGTERM, SIGHUP and SIGQUIT are one, too, or close the sandbox and
 * then are the end. The sandbox is gone from the machine before cli_session_finish() returns, unless it is
 * left running. */

#include <stdbool.h>

#include <terrarium/terrarium.h>

#include "stream/progress.h"

struct cli_session_cb {
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

struct cli_session {
	struct trm_loop *loop;
	struct trm_sandbox *sandbox; /* NULL when it has closed */
	const struct cli_session_cb *cb;
	void *user;
	struct trm_signal *signals;
	struct trm_timer *stuck_timer; /* NULL before `signal` */
	int signaled_by;
	int ended_by; /* signal that asked for the end, or 0 */
	bool was_signaled;
	bool is_ready; /* and nothing has been said since */
	bool is_closing;
	bool is_to_be_saved; /* an image of it was asked for */
	bool has_warned;     /* something went wrong in its end */
	struct progress progress;
};

/* Which sandbox it is to be. */
enum cli_session_how {
	CLI_SESSION_NEW,    /* one of our own; kept, if the config says so */
	CLI_SESSION_ATTACH, /* the running one of the config's name, at the server if the backend is one;
			 TRM_ENOENT if there is none, of a server's in `closed` */
	CLI_SESSION_EITHER, /* that one if the config names one that runs, else one of our own */
};

/* What was asked for in so many words: a running one that is otherwise is then refused. */
struct cli_session_asked {
	bool backend;
	bool source; /* image, container or dockerfile of the config */
};

/* 0, or a negative code: TRM_EINVAL, the running one is not what was `asked` for; cli_session_finish() is due
 * in both cases. What the config says of keeping is also done to one that was found running. */
int cli_session_open(struct cli_session *cli_session, const struct trm_config *config,
		enum cli_session_how how, struct cli_session_asked asked, const struct cli_session_cb *cb,
		void *user, struct trm_error *reterr);
/* The sandbox goes on after us, as it was there before or is kept: its kernels are not ours alone. Of a
 * server's it is known once it is ready. */
bool cli_session_is_shared(const struct cli_session *cli_session);
/* Let go of the sandbox: one that is kept, or was there before, is left running; else it ends. */
void cli_session_close(struct cli_session *cli_session);
/* End it, whatever it is. */
void cli_session_stop(struct cli_session *cli_session);
/* Let go of the sandbox and wait until it is gone from us; then finish only gives memory back. */
void cli_session_end(struct cli_session *cli_session);
void cli_session_finish(struct cli_session *cli_session);
/* After that: the program's exit code, where its own would be `code`. An image that was asked for and could
 * not be saved is a failure of ours. */
enum { CLI_SESSION_NOT_SAVED = 125 };
int cli_session_code(const struct cli_session *cli_session, int code);

#endif
