/* SPDX-License-Identifier: MIT */
#include "cmd/progress_bar.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <terrarium/text.h>

#include "text/bytes.h"
#include "text/cluster.h"

enum { TIMEOUT_MS = 500, SHARE_WIDTH = 20, LINE_BYTES = 512 };

void progress_bar_bytes(char *out, size_t cap, uint64_t bytes)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
	double value = (double)bytes / 1024;
	size_t unit = 0;
	if (bytes < 1024) {
		snprintf(out, cap, "%u byte%s", (unsigned)bytes, bytes == 1 ? "" : "s");
		return;
	}
	for (; value >= 1023.5 && unit + 1 < sizeof units / sizeof *units; unit++)
		value /= 1024;
	snprintf(out, cap, value < 9.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

/* "0:07", "1:02:03". */
static void put_time(char *out, size_t cap, double seconds)
{
	unsigned s = seconds < 360000 ? (unsigned)(seconds + 0.5) : 359999;
	if (s < 3600)
		snprintf(out, cap, "%u:%02u", s / 60, s % 60);
	else
		snprintf(out, cap, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
}

/* The share that is done, 0 to 1, of the bytes if their total is known, else of the files. Negative:
 * unknown. */
static double share_of(const struct trm_copy_progress *p)
{
	double share = p->total_bytes   ? (double)p->bytes / (double)p->total_bytes
		       : p->total_files ? (double)p->files / (double)p->total_files
					: -1;
	return share > 1 ? 1 : share;
}

struct line {
	char *at;
	size_t cap, len;
	unsigned columns; /* columns that are left */
};

/* Add a text if all of it fits. Otherwise nothing more is added. */
static void add_bar_text(struct line *line, const char *text)
{
	size_t n = strlen(text), columns = cluster_columns(text, n);
	if (columns > line->columns || line->len + n >= line->cap) {
		line->columns = 0;
		return;
	}
	memcpy(line->at + line->len, text, n + 1);
	line->len += n;
	line->columns -= (unsigned)columns;
}

static void add_share(struct line *line, double share)
{
	char text[64], filled[SHARE_WIDTH + 1];
	size_t n = (size_t)(share * SHARE_WIDTH);
	memset(filled, '=', SHARE_WIDTH);
	filled[n] = '\0';
	snprintf(text, sizeof text, "[%-*s] %3.0f %%  ", SHARE_WIDTH, filled, share * 100);
	add_bar_text(line, text);
}

static void add_bytes(struct line *line, const struct trm_copy_progress *p)
{
	char done[24], all[24], text[64];
	progress_bar_bytes(done, sizeof done, p->bytes);
	progress_bar_bytes(all, sizeof all, p->total_bytes);
	snprintf(text, sizeof text, p->total_bytes ? "%s of %s" : "%s", done, all);
	add_bar_text(line, text);
}

static void add_rate(struct line *line, const struct trm_copy_progress *p, double seconds, double share)
{
	char rate[24], text[64];
	progress_bar_bytes(rate, sizeof rate, (uint64_t)((double)p->bytes / seconds));
	snprintf(text, sizeof text, "  %s/s", rate);
	add_bar_text(line, text);
	if (share <= 0)
		return;
	put_time(rate, sizeof rate, seconds / share - seconds);
	snprintf(text, sizeof text, "  %s left", rate);
	add_bar_text(line, text);
}

static void add_files(struct line *line, const struct trm_copy_progress *p)
{
	char text[96];
	if (p->total_files > 1)
		snprintf(text, sizeof text, "  %llu of %llu files", (unsigned long long)p->files,
				(unsigned long long)p->total_files);
	else if (p->files > 1)
		snprintf(text, sizeof text, "  %llu files", (unsigned long long)p->files);
	else
		return;
	add_bar_text(line, text);
}

void progress_bar_text(char *out, size_t cap, unsigned columns, const struct trm_copy_progress *progress,
		double seconds)
{
	struct line line = {.at = out, .cap = cap, .columns = columns};
	double share = share_of(progress);
	char name[128] = "  ";
	out[0] = '\0';
	if (share >= 0 && columns >= 60)
		add_share(&line, share);
	add_bytes(&line, progress);
	add_rate(&line, progress, seconds > 0.001 ? seconds : 0.001, share);
	add_files(&line, progress);
	if (progress->path && *progress->path) {
		trm_text_clean_line(name + 2, sizeof name - 2, progress->path, strlen(progress->path));
		add_bar_text(&line, name);
	}
}

void progress_bar_init(struct progress_bar *progress_bar, int fd, uint64_t now_ns)
{
	*progress_bar = (struct progress_bar){.fd = isatty(fd) ? fd : -1, .start_ns = now_ns};
}

void progress_bar_draw(
		struct progress_bar *progress_bar, const struct trm_copy_progress *progress, uint64_t now_ns)
{
	char text[LINE_BYTES] = "\r";
	struct winsize size;
	double seconds = (double)(now_ns - progress_bar->start_ns) / 1e9;
	if (progress_bar->fd < 0 || seconds * 1000 < TIMEOUT_MS)
		return;
	unsigned columns = ioctl(progress_bar->fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
	progress_bar_text(text + 1, sizeof text - 8, columns - 1, progress, seconds);
	strcat(text, "\033[K");
	write_fully(progress_bar->fd, text, strlen(text)); /* copying goes on even if this fails */
	progress_bar->is_drawn = true;
}

void progress_bar_clear(struct progress_bar *progress_bar)
{
	if (progress_bar->is_drawn)
		write_fully(progress_bar->fd, "\r\033[K", 4);
	progress_bar->is_drawn = false;
}
