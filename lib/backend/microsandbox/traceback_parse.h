/* SPDX-License-Identifier: MIT */
#ifndef TRM_BACKEND_MICROSANDBOX_TRACEBACK_PARSE_H
#define TRM_BACKEND_MICROSANDBOX_TRACEBACK_PARSE_H

/* Which lines of a run's output are an exception. The server says "success" whatever happens: Python's
 * tracebacks stand among the lines of stderr, Node's "Uncaught Error: …" among those of stdout. */

#include <stdbool.h>
#include <stddef.h>

struct traceback_line {
	const char *text; /* without newline */
	bool is_stderr;
	bool is_open;  /* no newline was printed behind it */
	bool is_blame; /* out: it belongs to the exception */
};

struct blame {
	bool is_found;
	char name[96];       /* "ZeroDivisionError" */
	const char *message; /* behind it; borrowed from a line; "" */
	size_t first, last;  /* lines between these may belong to it: see is_blame */
};

/* The last one. */
void traceback_python(struct traceback_line *lines, size_t n, struct blame *ret);
void traceback_node(struct traceback_line *lines, size_t n, struct blame *ret);
/* "Error: Execution timed out after N seconds": the server's own word, at the end of stderr. The line, or n.
 */
size_t traceback_timeout(const struct traceback_line *lines, size_t n);

#endif
