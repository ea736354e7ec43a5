/* SPDX-License-Identifier: MIT */
#include "cmd/confirm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/config.h>

#include "cmd/boxes.h"
#include "cmd/source.h"
#include "stream/filter.h"

enum { SHOWN_SOURCES = 8, SHOWN_BYTES = 60 };

/* Code and names may hold anything: at most SHOWN_BYTES of the first line, fit for a terminal. */
static void print_clean(FILE *tty, const char *text, size_t n)
{
	char out[3 * SHOWN_BYTES + FILTER_SEQUENCE_MAX], end[FILTER_FINISH_MAX];
	struct filter filter;
	const char *newline = memchr(text, '\n', n);
	size_t line = newline ? (size_t)(newline - text) : n, shown = line > SHOWN_BYTES ? SHOWN_BYTES : line;
	while (shown < line && shown && ((unsigned char)text[shown] & 0xc0) == 0x80)
		shown--; /* not in the middle of a code point */
	filter_init(&filter, FILTER_LINES);
	size_t n_out = filter_feed(&filter, text, shown, out), n_end = filter_finish(&filter, end);
	fwrite(out, 1, n_out, tty);
	fwrite(end, 1, n_end, tty);
	fputs(shown < n ? " …\n" : "\n", tty);
}

void confirm_show(FILE *tty, const char *what, const struct source *s)
{
	size_t lines = s->n && s->text[s->n - 1] != '\n';
	for (size_t i = 0; i < s->n; i++)
		lines += s->text[i] == '\n';
	if (s->text)
		fprintf(tty, "  %s, %zu line%s: ", what, lines, lines == 1 ? "" : "s");
	else
		fprintf(tty, "  %s: ", what); /* it has not been read yet */
	if (s->kind == SOURCE_FILE)
		print_clean(tty, s->name, strlen(s->name));
	else
		print_clean(tty, s->text, s->n);
}

/* Where nothing is ours to enforce, it is said what was asked for, and of whom. */
static void print_server(FILE *tty, const struct trm_config *c)
{
	fprintf(tty,
			"in a new sandbox of the server %s (namespace %s, image %s), which is asked for %.4g MiB memory "
			"and %.3g core%s; all else, the network too, is its matter,\n",
			c->server_url, c->server_space, *c->image ? c->image : "by language",
			(double)c->limits.mem_bytes / (1 << 20), c->limits.cpus,
			c->limits.cpus == 1 ? "" : "s");
}

static void print_local(FILE *tty, const struct trm_config *c)
{
	struct trm_entry entry;
	bool is_running = *c->name && strcmp(c->backend, "local") == 0 && boxes_runs(c->name, &entry);
	const struct trm_limits *l = is_running ? &entry.limits : &c->limits;
	char net[TRM_NET_ALLOW + 32];
	if (is_running)
		fprintf(tty, "in the running sandbox %s", c->name);
	else
		fprintf(tty, "in a new %s sandbox%s", c->backend, c->keep ? " that is kept" : "");
	fprintf(tty, ": %.4g MiB memory, %.3g core%s, %u processes, %.4g MiB disk, %s,\n",
			(double)l->mem_bytes / (1 << 20), l->cpus, l->cpus == 1 ? "" : "s", l->procs,
			(double)l->disk_bytes / (1 << 20), trm_limits_tell_net(l, net, sizeof net));
}

static void print_question(FILE *tty, const struct trm_config *c, const struct source *sources, size_t n)
{
	for (size_t i = 0; i < n && i < SHOWN_SOURCES; i++)
		confirm_show(tty, sources[i].lang->name, &sources[i]);
	if (n > SHOWN_SOURCES)
		fprintf(tty, "  … and %zu more\n", n - SHOWN_SOURCES);
	if (strcmp(c->backend, "microsandbox") == 0)
		print_server(tty, c);
	else
		print_local(tty, c);
	if (c->timeout_ms)
		fprintf(tty, "%.4g s per run. ", c->timeout_ms / 1000.0);
	else
		fputs("no time limit. ", tty);
	fputs("Run this? [Y/n] ", tty);
	fflush(tty);
}

/* One line from the terminal; only its first letter counts. EOF is a no. */
static char read_answer(int fd)
{
	char first = 0, c;
	for (;;) {
		ssize_t n = read(fd, &c, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 'n';
		if (c == '\n')
			return first ? first : 'y';
		if (!first && c != ' ')
			first = c;
	}
}

enum confirm_answer confirm_runs(const struct trm_config *config, const struct source *sources, size_t n)
{
	int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return CONFIRM_NOBODY;
	FILE *tty = fdopen(fd, "w");
	if (!tty) {
		close(fd);
		return CONFIRM_NOBODY;
	}
	print_question(tty, config, sources, n);
	char answer = read_answer(fd);
	fclose(tty);
	return answer == 'y' || answer == 'Y' ? CONFIRM_YES : CONFIRM_NO;
}
