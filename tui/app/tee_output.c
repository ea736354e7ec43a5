/* SPDX-License-Identifier: MIT */
/* Writes output to files on the host: a selection, or everything that a run prints. Files get new names in
 * the current folder, or else in the home directory. No file is ever overwritten. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app_internal.h"
#include "output/runs.h"
#include "text/bytes.h"
#include "text/format.h"

enum { NAMES_TRIED = 1000 };

/* Create "DIR/terrarium-run-3.txt", or with "-2" … if that exists. Returns the descriptor, or -1 with errno.
 */
static int create_in(const char *dir, uint64_t run, char path[PATH_MAX])
{
	for (int i = 1; i <= NAMES_TRIED; i++) {
		char again[16] = "";
		if (i > 1)
			snprintf(again, sizeof again, "-%d", i);
		if (snprintf(path, PATH_MAX, "%s/terrarium-run-%" PRIu64 "%s.txt", dir, run, again)
				>= PATH_MAX)
			break;
		int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	errno = EEXIST;
	return -1;
}

static int create_output_file(uint64_t run, char path[PATH_MAX])
{
	char here[PATH_MAX];
	const char *home = getenv("HOME");
	int fd = getcwd(here, sizeof here) ? create_in(here, run, path) : -1;

	return fd < 0 && home && *home == '/' ? create_in(home, run, path) : fd;
}

void app_keep_output(struct app *a, const struct effect *effect)
{
	char path[PATH_MAX] = "", text[PATH_MAX + 128], size[24];
	int fd = create_output_file(effect->keep_output.run, path);
	int r = fd < 0 ? -errno : write_fully(fd, effect->keep_output.bytes, effect->keep_output.len);

	if (fd >= 0 && close(fd) < 0 && r == 0)
		r = -errno;
	if (fd >= 0 && r < 0)
		unlink(path);
	if (r == 0)
		snprintf(text, sizeof text, "wrote %s to %s", format_bytes(size, effect->keep_output.len),
				path);
	else
		snprintf(text, sizeof text, "the output was not written to %s: %s", path, strerror(-r));
	app_notify(a, r == 0 ? MSG_NOTICE : MSG_ERROR, text);
}

/* ---- all output of a run ---- */

static void report_tee(struct app *a, const struct tee *s, bool goes_on, const char *failure)
{
	char text[PATH_MAX + 128], size[24];

	format_bytes(size, s->bytes);
	if (failure)
		snprintf(text, sizeof text, "spilling to %s stopped after %s: %s", s->path, size, failure);
	else if (goes_on)
		snprintf(text, sizeof text, "the run's output goes to %s, too%s", s->path,
				s->lacks_start ? " (from here on: its beginning was dropped)" : "");
	else
		snprintf(text, sizeof text, "the run's output is in %s (%s)", s->path, size);
	app_send(a, &(struct msg){.type = MSG_SPILL,
				    .run.serial = s->serial,
				    .run.spill.text = text,
				    .run.spill.goes_on = goes_on,
				    .run.spill.has_failed = failure != NULL});
}

void tee_bytes(struct app *a, struct tee *s, const void *bytes, size_t n)
{
	if (s->fd < 0)
		return;
	int r = write_fully(s->fd, bytes, n);
	if (r == 0) {
		s->bytes += n;
		return;
	}
	close(s->fd);
	s->fd = -1;
	report_tee(a, s, false, strerror(-r));
}

/* The scrollback has a piece or two for each line, so pieces are collected. */
struct piece_buffer {
	char bytes[1 << 18];
	size_t n;
};

static void tee_piece(struct app *a, struct tee *s, struct piece_buffer *b, const char *bytes, size_t n)
{
	if (n > sizeof b->bytes - b->n) {
		tee_bytes(a, s, b->bytes, b->n);
		b->n = 0;
	}
	if (n > sizeof b->bytes) {
		tee_bytes(a, s, bytes, n);
		return;
	}
	memcpy(b->bytes + b->n, bytes, n);
	b->n += n;
}

/* Write the run's earlier output, as far as it is still stored. */
static void tee_kept(struct app *a, struct tee *s)
{
	struct outpane *p = &a->model.out;
	const struct out_block *block = out_blocks_of(&p->blocks, s->serial);
	struct out_reader r;
	struct out_piece piece;

	if (!block)
		return;
	s->lacks_start = block->line < scrollback_first(&p->store);
	struct piece_buffer *b = calloc(1, sizeof *b);
	if (!b) {
		s->lacks_start = true;
		return;
	}
	out_reader_seek(&r, &p->store, block->line);
	while (s->fd >= 0 && out_reader_next(&r, &piece)) {
		if (piece.run != s->serial || (piece.kind != OUT_STDOUT && piece.kind != OUT_STDERR))
			continue;
		tee_piece(a, s, b, piece.bytes, piece.n);
		if (piece.ends_line && !piece.is_soft)
			tee_piece(a, s, b, "\n", 1);
	}
	tee_bytes(a, s, b->bytes, b->n);
	free(b);
}

void tee_begin(struct app *a, struct tee *s, uint32_t serial)
{
	const struct run_info *info = runs_find(&a->model.out.runs, serial);

	*s = (struct tee){.serial = serial, .fd = -1};
	s->fd = create_output_file(info ? info->number : 0, s->path);
	if (s->fd < 0) {
		report_tee(a, s, false, strerror(errno));
		return;
	}
	tee_kept(a, s);
	if (s->fd >= 0)
		report_tee(a, s, true, NULL);
}

void tee_end(struct app *a, struct tee *s)
{
	if (s->fd < 0)
		return;
	int fd = s->fd;
	s->fd = -1;
	if (close(fd) < 0)
		report_tee(a, s, false, strerror(errno));
	else
		report_tee(a, s, false, NULL);
}
