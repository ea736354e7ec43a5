/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SCREEN_H
#define TESTS_SCREEN_H

/* A program on a pty and what its screen shows. Nothing sleeps: screen_wait() reads until
 * the screen is as wanted, or fails the test after a deadline, showing the screen. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <vterm.h>

enum { SCREEN_DEADLINE_MS = 60000 };

#define KEY_F(n) (screen_f_keys[n])
extern const char *const screen_f_keys[13];

struct screen {
	pid_t pid;
	int fd; /* of the pty's master; -1: closed */
	int rows, cols;
	VTerm *vt;
	VTermScreen *vts;
	bool is_alternate; /* the program shows the alternate screen */
	bool has_mouse, has_cursor;
	size_t bytes;       /* that came from the program */
	char *text;         /* of the last screen_text() */
	char state_dir[48]; /* $XDG_STATE_HOME, unless the test sets another: empty at the start */
	char raw[4096];     /* the last bytes that came */
	size_t raw_len;
	bool is_escape, is_image; /* of what comes: the last byte was ESC; it is an image */
	/* Set by the test after screen_start(): */
	const char *reply; /* to a question for the terminal's kind (CSI c), instead of libvterm's own answers
			    */
	bool is_logged;    /* keep all bytes that come from now on */
	char *log;
	size_t log_len;
};

/* Start argv on a pty of this size, with exactly this environment beside PATH, HOME and XDG_STATE_HOME, and
 * where it has none an XDG_RUNTIME_DIR of this test's own, which then is also what else the test starts gets.
 */
void screen_start(struct screen *s, int rows, int cols, const char *const *argv, const char *const *env);

void screen_send(struct screen *s, const char *keys); /* NUL-terminated */
void screen_send_bytes(struct screen *s, const char *bytes, size_t n);
void screen_resize(struct screen *s, int rows, int cols);

/* All rows, each ended by a newline, trailing blanks cut; valid until the next call. */
const char *screen_text(struct screen *s);
bool screen_shows(struct screen *s, const char *text);

void screen_wait(struct screen *s, const char *text);      /* until it is shown */
void screen_wait_gone(struct screen *s, const char *text); /* until it is not */
/* Read for so long as something comes within `ms`; what does not end fails the test. */
void screen_wait_quiet(struct screen *s, int ms);

/* Leave the workbench, whether it asks what may be lost or not; then screen_end(). */
int screen_leave(struct screen *s);

/* Wait for the program's end; its exit code, or 128 + signal. Frees everything. */
int screen_end(struct screen *s);

/* Whether a sandbox of this machine can be had; if not, prints "SKIP: " and the reason. */
bool screen_has_sandboxes(const char *program);

/* After a test that failed half-way: kill what is still there, free everything. Takes one that has ended. */
void screen_abandon(struct screen *s);

/* Milliseconds, monotonic. */
double screen_now_ms(void);

#endif
