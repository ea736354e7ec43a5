/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_LEAVE_H
#define TUI_REPL_LEAVE_H

/* Leaving the REPL: the warnings before that, and when it is over. */

#include <stdbool.h>

#include "stream/lost_files.h"

struct repl;
struct trm_error;
struct trm_timer;

struct leaving {
	bool is_wanted;          /* as soon as nothing is under way */
	bool was_warned;         /* that others lose the sandbox */
	struct lost_files lost;  /* files that end with the sandbox */
	struct trm_timer *timer; /* leaving does not wait longer for the list of files */
};

int leave_open(struct repl *r, struct trm_error *reterr);
/* Leave, now or when what is under way has ended. A person may be asked to do so again. */
void repl_leave(struct repl *r);

#endif
