/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_TRACEBACK_PARSE_H
#define TRM_BACKEND_MICROSANDBOX_TRACEBACK_PARSE_H

/* Finds the exception in a run's output. The server says "success" whatever happens: Python's tracebacks
 * are among the lines of stderr, Node's "Uncaught Error: …" among those of stdout. */

#include <stdbool.h>
#include <stddef.h>

struct traceback_line {
	const char *text; /* without newline */
	bool is_stderr;
	bool is_open;  /* no newline was printed after it */
	bool is_blame; /* out: it belongs to the exception */
};

struct blame {
	bool is_found;
	char name[96];       /* "ZeroDivisionError" */
	const char *message; /* the text after the name; borrowed from a line; "" */
	size_t first, last;  /* lines between these may belong to it: see is_blame */
};

/* Find the last exception. */
void traceback_python(struct traceback_line *lines, size_t n, struct blame *ret);
void traceback_node(struct traceback_line *lines, size_t n, struct blame *ret);
/* Find "Error: Execution timed out after N seconds", the server's own message at the end of stderr.
 * Returns the line, or n. */
size_t traceback_timeout(const struct traceback_line *lines, size_t n);

#endif
