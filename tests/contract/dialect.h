/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CONTRACT_DIALECT_H
#define TESTS_CONTRACT_DIALECT_H

#include <stdbool.h>

/* The same deeds in each language of each backend. NULL: cannot be done there. */
struct dialect {
	const char *backend, *lang;
	const char *print_hello;   /* "hello\n" on stdout */
	const char *print_both;    /* "out\n" on stdout, "err\n" on stderr */
	const char *set_x, *get_x; /* x becomes 42; "42\n" */
	const char *value;         /* a value of 42 */
	const char *fail;          /* an exception */
	const char *fail_name;     /* its name; NULL where errors have none */
	const char *exit_3;
	const char *loop;      /* print "on\n", then go on for ever */
	const char *stubborn;  /* the same, and interrupts do nothing */
	const char *suicide;   /* SIGKILL to itself */
	const char *read_line; /* read a line, print "got LINE\n" */
	const char *flood;     /* 20 000 lines of 100 bytes */
	const char *late;      /* end, and print "late\n" when called */
	const char *call_late; /* call it, and go on for 200 ms */
	const char *slow;      /* print "on\n", and "slow\n" half a second later */
	bool asks;             /* code that waits for input says so */
	/* A microsandbox server as it was released: output comes at the end, values of expressions are part
	 * of it, nothing that runs can be given input or signals, and files are where commands start. */
	bool is_plain;
};

/* That of a backend, NULL if it has no such language. Engines of containers run the same interpreters as this
 * machine does. */
const struct dialect *dialect_find(const char *backend, const char *lang);

struct trm_sandbox_opts;
/* What its sandboxes are made from: an image, or a warm pool. */
void dialect_origin(struct trm_sandbox_opts *opts, const char *backend, const char *origin);

#endif
