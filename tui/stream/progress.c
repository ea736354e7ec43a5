/* SPDX-License-Identifier: MIT */
#include "stream/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void progress_init(struct progress *p, uint64_t now_ns)
{
	*p = (struct progress){.since_ns = now_ns};
}

/* Write as much of it as fits into a row. */
static void write_over(struct progress *p, const char *text)
{
	struct winsize size = {.ws_col = 80};
	char row[512];
	ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	size_t room = size.ws_col > 20 ? size.ws_col - 1u : 79u;
	snprintf(row, sizeof row, "terrarium: %s", text);
	size_t n = strlen(row);
	while (n > room || (n < strlen(row) && ((unsigned char)row[n] & 0xc0) == 0x80))
		n--; /* no byte is wider than a column */
	fprintf(stderr, "\r\033[K%.*s", (int)n, row);
	fflush(stderr);
	p->is_shown = true;
}

void progress_say(struct progress *p, const char *text, uint64_t now_ns)
{
	char phase[PROGRESS_PHASE];
	bool is_tty = isatty(STDERR_FILENO);
	uint64_t silent_ms = is_tty ? PROGRESS_SILENT_MS : PROGRESS_LINES_MS;
	if (now_ns - p->since_ns < silent_ms * 1000000)
		return;
	if (is_tty) {
		write_over(p, text);
		return;
	}
	/* The time and the details change all the time. */
	const char *time = strstr(text, " ("), *line = strstr(text, " - ");
	size_t n = strlen(text);
	n = time ? (size_t)(time - text) : n;
	n = line && (size_t)(line - text) < n ? (size_t)(line - text) : n;
	snprintf(phase, sizeof phase, "%.*s", (int)n, text);
	if (strcmp(phase, p->phase) == 0)
		return;
	memcpy(p->phase, phase, sizeof phase);
	fprintf(stderr, "terrarium: %s\n", phase);
}

void progress_print(struct progress *p, const char *text)
{
	progress_clear(p);
	fprintf(stderr, "terrarium: %s\n", text);
}

void progress_clear(struct progress *p)
{
	if (p->is_shown)
		fputs("\r\033[K", stderr);
	p->is_shown = false;
}
