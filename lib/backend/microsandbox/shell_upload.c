/* SPDX-License-Identifier: MIT */
#include "backend/microsandbox/shell_upload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/err.h"
#include "base/shell.h"
#include "base/utf8.h"

enum { NO_TIME = 1000000000 };

/* b, e and x begin, end and give up a file, p and z put bytes and zeros into it; d and u enter and leave
 * a directory; l is a link, t a time. Modes and times of directories come last, because creating files in
 * them changes them. */
const char PUT_HEAD[] =
		"set -e\nT=$1 N=$2 P=\n"
		"trap 'r=$?; [ $r = 0 ] || [ -z \"$P\" ] || rm -f -- \"$P\"; exit $r' EXIT\n"
		"fail() { w=$(echo \"$3\" | head -n 1); echo \"$T$1: $2${w:+: ${w##*: }}\" >&2; exit 1; }\n"
		"free() { if [ -e \"$T$1\" ] && [ ! -f \"$T$1\" ] && [ ! -L \"$T$1\" ]; then\n"
		"fail \"$1\" 'something of that name is not a file'; fi; }\n"
		"t() { [ -z \"$1\" ] || touch -h -d \"$1\" -- \"$2\" 2>/dev/null || :; }\n"
		"b() { free \"$1\"; P=$T$1.part~\n"
		"w=$( { : >\"$P\"; } 2>&1) || fail \"$1\" 'the file cannot be made' \"$w\"; }\n"
		"p() { P=$T$1.part~; w=$( { printf %s \"$2\" | base64 -d >>\"$P\"; } 2>&1) ||\n"
		"fail \"$1\" 'the file cannot be written' \"$w\"; }\n"
		"z() { P=$T$1.part~; truncate -s \"+$2\" -- \"$P\"; }\n"
		"e() { P=$T$1.part~; [ -z \"$4\" ] || [ \"$(stat -c %s -- \"$P\")\" = \"$4\" ] ||\n"
		"fail \"$1\" 'the file has not arrived whole'\n"
		"chmod -- \"$2\" \"$P\"; t \"$3\" \"$P\"\n"
		"[ ! -L \"$T$1\" ] || rm -f -- \"$T$1\"; mv -f -- \"$P\" \"$T$1\"; P=; }\n"
		"x() { rm -f -- \"$T$1.part~\"; P=; }\n"
		"d() { if [ -d \"$T$1\" ]; then N=${N}o; return; fi\n"
		"w=$(mkdir -m 700 -- \"$T$1\" 2>&1) || fail \"$1\" 'the directory cannot be made' \"$w\"; N=${N}n; }\n"
		"u() { case $N in *n) chmod -- \"$2\" \"$T$1\"; t \"$3\" \"$T$1\";; esac; N=${N%?}; }\n"
		"l() { free \"$1\"; ln -sfn -- \"$2\" \"$T$1\"; t \"$3\" \"$T$1\"; }\n";
const char PUT_TAIL[] = "printf %s \"$N\"\n";

void put_lines_init(struct put_lines *l, size_t max_bytes, size_t piece_bytes)
{
	buf_init(&l->text, max_bytes);
	buf_init(&l->piece, piece_bytes);
}

void put_lines_finish(struct put_lines *l)
{
	buf_finish(&l->text);
	buf_finish(&l->piece);
}

/* ---- words ------------------------------------------------------------------------------- */

static void append_text(struct buf *out, const char *text)
{
	buf_append(out, text, strlen(text));
}

static void begin_line(struct put_lines *l, const char *command, const char *path)
{
	append_text(&l->text, command);
	append_text(&l->text, " ");
	shell_quote(&l->text, path);
}

static void end_line(struct put_lines *l)
{
	buf_append(&l->text, "", 1);
}

static struct put_time time_of(const struct entry *e)
{
	return (struct put_time){.mode = e->mode, .s = e->mtime_s, .ns = e->mtime_ns};
}

static void add_time(struct put_lines *l, const struct put_time *time)
{
	char word[48] = " ''";
	if (time->ns < NO_TIME)
		snprintf(word, sizeof word, " @%" PRId64 ".%09" PRIu32, time->s, time->ns);
	append_text(&l->text, word);
}

static void add_number(struct put_lines *l, uint64_t number)
{
	char word[32];
	snprintf(word, sizeof word, " %" PRIu64, number);
	append_text(&l->text, word);
}

static void add_mode_and_time(struct put_lines *l, const struct put_time *time)
{
	char word[16];
	snprintf(word, sizeof word, " %03o", time->mode & ENTRY_MODE_MASK);
	append_text(&l->text, word);
	add_time(l, time);
}

/* ---- files ------------------------------------------------------------------------------------ */

static void begin_file(struct put_lines *l, const char *path, struct put_time time)
{
	memcpy(l->file, path, strlen(path) + 1);
	l->file_time = time;
	l->has_file = true;
	l->has_piece = false;
	l->file_bytes = 0;
	begin_line(l, "b", path);
	end_line(l);
}

void put_lines_begin(struct put_lines *l, uint32_t mode)
{
	begin_file(l, "", (struct put_time){.mode = mode, .ns = NO_TIME});
}

static void add_bytes(struct put_lines *l, const char *bytes, size_t n)
{
	for (size_t at = 0; at < n; at += PUT_LINE_BYTES) {
		begin_line(l, "p", l->file);
		append_text(&l->text, " ");
		l->is_short |= base64_put(&l->text, bytes + at,
					       n - at < PUT_LINE_BYTES ? n - at : PUT_LINE_BYTES)
			       < 0;
		end_line(l);
	}
}

static void end_piece(struct put_lines *l)
{
	static const char mark = PUT_PIECE;
	const char *bytes = buf_at(&l->piece);
	size_t n = l->piece.len;
	if (n <= PUT_LINE_BYTES || !utf8_is_valid(l->file, strlen(l->file))) {
		add_bytes(l, bytes, n);
	} else {
		l->has_piece = true;
		buf_append(&l->text, &mark, 1);
		buf_append(&l->text, l->file, strlen(l->file) + 1);
		l->is_short |= base64_put(&l->text, bytes, n) < 0;
		end_line(l);
	}
	buf_clear(&l->piece);
}

void put_lines_bytes(struct put_lines *l, const char *bytes, size_t n)
{
	l->sum.bytes += n;
	l->file_bytes += n;
	while (n) {
		size_t room = l->piece.max - l->piece.len, now = n < room ? n : room;
		if (buf_append(&l->piece, bytes, now) < 0) {
			l->is_short = true;
			return;
		}
		bytes += now;
		n -= now;
		if (l->piece.len == l->piece.max)
			end_piece(l);
	}
}

static void add_hole(struct put_lines *l, uint64_t bytes)
{
	end_piece(l);
	begin_line(l, "z", l->file);
	add_number(l, bytes);
	end_line(l);
	l->sum.bytes += bytes;
	l->file_bytes += bytes;
}

void put_lines_end(struct put_lines *l)
{
	end_piece(l);
	begin_line(l, "e", l->file);
	add_mode_and_time(l, &l->file_time);
	if (l->has_piece)
		add_number(l, l->file_bytes);
	end_line(l);
	l->has_file = false;
	l->is_over = l->depth == 0;
	l->sum.files++;
}

/* ---- nodes -------------------------------------------------------------------------------------- */

static int refuse_node(struct put_lines *l, const char *path, const char *reason, struct trm_error *why)
{
	l->sum.refused++;
	l->is_over = l->depth == 0;
	return trm_error_set(why, TRM_EPERM, "%.200s: %s", path, reason);
}

static int refuse_order(struct trm_error *why)
{
	return trm_error_set(why, TRM_EPROTO, "a broken tree of files");
}

static int in_file(struct put_lines *l, const struct entry *e, struct trm_error *why)
{
	switch (e->kind) {
	case ENTRY_END: put_lines_end(l); return 0;
	case ENTRY_HOLE: add_hole(l, e->size); return 0;
	case ENTRY_FAIL:
		l->has_file = false;
		buf_clear(&l->piece);
		begin_line(l, "x", l->file);
		end_line(l);
		return refuse_node(l, l->file, e->text, why);
	default: return refuse_order(why);
	}
}

static int enter_directory(
		struct put_lines *l, const struct entry *e, const char *path, struct trm_error *why)
{
	if (l->depth == ENTRY_DEPTH_MAX)
		return refuse_order(why);
	l->dirs[l->depth++] = time_of(e);
	begin_line(l, "d", path);
	end_line(l);
	memcpy(l->below, path, strlen(path) + 1);
	l->sum.dirs++;
	return 0;
}

static int leave_directory(struct put_lines *l, struct trm_error *why)
{
	char *slash = strrchr(l->below, '/');
	if (!l->depth)
		return refuse_order(why);
	begin_line(l, "u", l->below);
	add_mode_and_time(l, &l->dirs[--l->depth]);
	end_line(l);
	if (slash)
		*slash = '\0';
	l->is_over = l->depth == 0;
	return 0;
}

static int add_link(struct put_lines *l, const struct entry *e, const char *path, struct trm_error *why)
{
	char reason[200];
	if (!l->depth || !entry_link_is_inside(e->text, l->depth - 1)) {
		snprintf(reason, sizeof reason, "this link leads out of the copied tree (to %.150s)",
				e->text);
		return refuse_node(l, path, reason, why);
	}
	const struct put_time time = time_of(e);
	begin_line(l, "l", path);
	append_text(&l->text, " ");
	shell_quote(&l->text, e->text);
	add_time(l, &time);
	end_line(l);
	l->sum.links++;
	return 0;
}

int put_lines_entry(struct put_lines *l, const struct entry *e, struct trm_error *why)
{
	char path[PUT_PATH_BYTES];
	if (l->has_file)
		return in_file(l, e, why);
	if (e->kind == ENTRY_UP || e->kind == ENTRY_TOTAL)
		return e->kind == ENTRY_UP ? leave_directory(l, why) : 0;
	int n = snprintf(path, sizeof path, "%s%s%s", l->below, *e->name ? "/" : "", e->name);
	if (n < 0 || (size_t)n >= sizeof path)
		return trm_error_set(why, TRM_EINVAL, "%.60s…: this path is too long", path);
	switch (e->kind) {
	case ENTRY_DIR: return enter_directory(l, e, path, why);
	case ENTRY_FILE: begin_file(l, path, time_of(e)); return 0;
	case ENTRY_LINK: return add_link(l, e, path, why);
	case ENTRY_FAIL: return refuse_node(l, path, e->text, why);
	default: return refuse_order(why);
	}
}
