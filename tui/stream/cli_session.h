/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_CLI_SESSION_H
#define TUI_STREAM_CLI_SESSION_H

/* The basis of `run` and `exec`: a loop, one sandbox, and the program's signals. SIGINT is an event.
 * SIGTERM, SIGHUP and SIGQUIT are events as well, or close the sandbox and then end the program. The
 * sandbox is gone from the machine before cli_session_finish() returns, unless it is left running. */

#include <stdbool.h>

#include <terrarium/terrarium.h>

#include "stream/progress.h"

struct cli_session_cb {
	void (*interrupt)(void *user);
	/* SIGTERM, SIGHUP or SIGQUIT has come for the first time. True: it is handled, and nothing else
	 * happens until the next one. May be NULL. */
	bool (*signal)(void *user, int signo);
	/* Called once a second after that. True: nobody reads the remaining output, so the sandbox is
	 * released as by another signal. Not NULL if `signal` is set. */
	bool (*is_stuck)(void *user);
	/* The sandbox has closed; why->code is TRM_OK if that was requested. Once. */
	void (*closed)(void *user, const struct trm_error *why);
	/* The current step before the sandbox is ready, and while it ends. NULL: it is shown on stderr. */
	void (*progress)(void *user, const char *text);
	/* Called after trm_sandbox_set_metrics(). May be NULL. */
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
	int ended_by; /* the signal that requested the end, or 0 */
	bool was_signaled;
	bool is_ready; /* and no progress has been shown since */
	bool is_closing;
	bool is_verbose;     /* what holds the limits is told, too */
	bool is_to_be_saved; /* an image of it was asked for */
	bool has_warned;     /* something went wrong in its end */
	struct progress progress;
};

/* Which sandbox to use. */
enum cli_session_how {
	CLI_SESSION_NEW,    /* a new one; kept, if the config says so */
	CLI_SESSION_ATTACH, /* the running one with the config's name, at the server if the backend is one;
			       TRM_ENOENT if there is none (for a server in `closed`) */
	CLI_SESSION_EITHER, /* the running one if the config names one, otherwise a new one */
};

/* Properties that were requested explicitly: a running sandbox without them is refused. */
struct cli_session_asked {
	bool backend;
	bool source; /* image, container or dockerfile of the config */
	/* Of a new one: the lifetime, which is then limited also if it is not kept. */
	bool lifetime;
	bool no_packages; /* trm_sandbox_opts.hides_packages of a new one that is not kept */
};

/* 0, or a negative code: TRM_EINVAL if the running one does not match `asked`. Call cli_session_finish()
 * in both cases. The config's keep setting is also applied to a sandbox that was running before. */
int cli_session_open(struct cli_session *cli_session, const struct trm_config *config,
		enum cli_session_how how, struct cli_session_asked asked, const struct cli_session_cb *cb,
		void *user, struct trm_error *reterr);
/* Does the sandbox go on after us, because it existed before or is kept? Then its kernels are not ours
 * alone. For a server this is known once it is ready. */
bool cli_session_is_shared(const struct cli_session *cli_session);
/* Release the sandbox: one that is kept, or existed before, is left running; otherwise it ends. */
void cli_session_close(struct cli_session *cli_session);
/* End the sandbox in any case. */
void cli_session_stop(struct cli_session *cli_session);
/* Release the sandbox and wait until that is done. Then cli_session_finish() only frees memory. */
void cli_session_end(struct cli_session *cli_session);
void cli_session_finish(struct cli_session *cli_session);
/* After that: the program's exit code, if it would otherwise be `code`. A requested image that could not
 * be saved is a failure of ours. */
enum { CLI_SESSION_NOT_SAVED = 125 };
int cli_session_code(const struct cli_session *cli_session, int code);

/* nohup needs SIGHUP to be ignored. (Shells also ignore SIGINT for background jobs, but a person who
 * sends it to one by hand means it.) */
bool cli_is_nohup(void);

#endif
