/* SPDX-License-Identifier: MIT */
#ifndef TESTS_KERNEL_LIBRARY_BEHAVIOR_H
#define TESTS_KERNEL_LIBRARY_BEHAVIOR_H

/* What each kernel must bear, through the whole library and a real local
 * sandbox: a table of code and what comes of it, run one after the other in one
 * sandbox. After each row the state set at the beginning must still be there. */

#include <stdbool.h>
#include <stddef.h>

#include "support/bed.h"

struct behavior {
	const char *name;
	const char *code;
	const char *input;   /* offered on stdin; NULL: none is offered */
	bool is_interrupted; /* as soon as it has printed "on\n"; must end within 100 ms */
	enum trm_status status;
	int exit_code;        /* -1: any but 0 */
	const char *out;      /* stdout, exactly; NULL: not looked at */
	const char *out_has;  /* is in stdout; NULL: not looked at */
	const char *err;      /* stderr, exactly; NULL: not looked at */
	const char *value;    /* NULL: not looked at; "": there is none */
	const char *error;    /* name of the error; NULL: not looked at; "": there is none */
	const char *shows[4]; /* are in the traceback, the error's message or stderr */
	const char *prompt;   /* was asked for with it; NULL: not looked at */
	const char *late;     /* arrives late, and is this run's */
	bool late_of_any;     /* … or another's: a thread does not tell */
	bool loses_state;     /* the interpreter is killed */
	const char *or_error; /* this error, with the state kept, is as good: the means differ */
	/* Further looks; NULL: none. */
	void (*check)(const struct bed *bed, const struct trm_result *result);
};

struct language {
	const char *name;
	const char *set_state;       /* a variable becomes 42 */
	const char *get_state;       /* prints "42\n" if it is */
	const char *driver_name;     /* what no traceback may show */
	const struct behavior *rows; /* ends with a zeroed one */
};

/* Run all rows, or those whose names contain argv[1]. Returns the exit code of the program. */
int behavior_main(const struct language *language, int argc, char **argv);

/* Say what is wrong with the row in hand, and go on. */
__attribute__((format(printf, 1, 2))) void behavior_fail(const char *fmt, ...);

#endif
