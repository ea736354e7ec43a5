/* SPDX-License-Identifier: MIT */
#ifndef TESTS_KERNEL_DRIVERS_HARNESS_H
#define TESTS_KERNEL_DRIVERS_HARNESS_H

/* A kernel's driver, started directly with pipes at descriptors 0 to 5 and at
 * the spare ones, and talked to as lib/kernel/kernel.h says. Everything that
 * waits has a deadline and fails the running cmocka test when it passes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "kernel/kernel.h"

enum {
	DRIVER_CHANNELS = 2 * (1 + KERNEL_SPARE_SETS), /* stdout and stderr of set k are 2k and 2k+1 */
	DRIVER_DEADLINE_MS = 60000,
};

struct driver_text {
	char *bytes; /* NUL-terminated, never NULL once anything was read */
	size_t n, cap;
};

struct driver {
	pid_t pid;
	int stdin_fd, request_fd, event_fd; /* -1: closed */
	int stdin_reader_fd;                /* the other end, for opening stdin again after EOF */
	int channel_fd[DRIVER_CHANNELS];
	struct driver_text channel[DRIVER_CHANNELS]; /* since the last driver_send() */
	struct driver_text line;                     /* bytes of events not yet a whole line */
	struct driver_text traceback;                /* as driver_traceback() gave it */
	unsigned set;                                /* where output of the current run arrives */
	unsigned last_id;
	char cwd[64];
	char version[32];
	/* about the last run or question */
	cJSON *events;   /* array: everything but its `done` or `reply` */
	cJSON *done;     /* that, or NULL while it is under way */
	const char *out; /* what it printed in its own set; "" if nothing */
	const char *err;
	size_t out_len, err_len;
	/* what to send when it asks for input, a line at a time; NULL or used up: EOF, until the next run */
	const char *answers;
	int wait_status; /* of the process, once pid is 0 */
};

/* Start the driver of a language and wait until it is ready. Skips the test when there is no interpreter. */
struct driver *driver_start(unsigned lang);
/* The same with another driver than the embedded one. */
struct driver *driver_start_source(unsigned lang, struct embed source);
/* Close descriptor 3 and wait for the driver to exit by itself. Takes NULL. */
void driver_stop(struct driver *d);

/* Send code to be run, and return at once. */
void driver_send(struct driver *d, const char *code);
/* Send a request: JSON text of its members but the id (`"op":"variables"`), sent as it is. */
void driver_send_request(struct driver *d, const char *members);
/* Deliver what comes until `done` or `reply` is there; gives it (borrowed). */
const cJSON *driver_wait(struct driver *d);
/* The same for a program: false when its process has ended instead. */
bool driver_wait_end(struct driver *d);
/* driver_send() and driver_wait(). */
const cJSON *driver_run(struct driver *d, const char *code);
/* A question with code and a cursor (-1: at its end); gives `data` of the reply. */
const cJSON *driver_ask(struct driver *d, const char *op, const char *code, int cursor);
/* Deliver what comes until the text is on that channel. */
void driver_wait_text(struct driver *d, unsigned channel, const char *text);
/* Deliver what comes until an event of that kind is there; gives it (borrowed). */
const cJSON *driver_wait_event(struct driver *d, const char *kind);
/* Wait until the process has ended and deliver what it has left; gives the wait status. */
int driver_wait_exit(struct driver *d);
/* SIGINT to the process group, as the agent does. */
void driver_interrupt(struct driver *d);
void driver_stdin(struct driver *d, const char *text);

/* A text member of `done`, "" when absent. */
const char *driver_text_of(const struct driver *d, const char *member);
/* All lines of error.traceback of the last run, with newlines. Borrowed until the next call. */
const char *driver_traceback(struct driver *d);

/* Run code and compare status and stdout; stderr must be empty unless the status is "error". */
#define check_run(d, code, status, output) driver_check(d, code, status, output, __FILE__, __LINE__)
/* Run code and compare the value (NULL: none); the status must be "ok". */
#define check_value(d, code, value) driver_check_value(d, code, value, __FILE__, __LINE__)
/* Run code that must fail with that error name. */
#define check_error(d, code, name) driver_check_error(d, code, name, __FILE__, __LINE__)
void driver_check(struct driver *d, const char *code, const char *status, const char *output,
		const char *file, int line);
void driver_check_value(struct driver *d, const char *code, const char *value, const char *file, int line);
void driver_check_error(struct driver *d, const char *code, const char *name, const char *file, int line);

#define assert_contains(text, part) \
	do { \
		if (!strstr(text, part)) \
			fail_msg("\"%.2000s\" does not contain \"%s\"", text, part); \
	} while (0)
#define assert_lacks(text, part) \
	do { \
		if (strstr(text, part)) \
			fail_msg("\"%.2000s\" contains \"%s\"", text, part); \
	} while (0)

#endif
