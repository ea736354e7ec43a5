/* SPDX-License-Identifier: MIT */
#include "stream/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "text/cluster.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Private modes (CSI ? n h/l) that may pass, and the state in which each is left at the end. */
enum { MODE_CURSOR = 25 };
static const struct {
	int mode;
	char leave;
} modes[] = {
		{1, 'l'},                                         /* application cursor keys */
		{5, 'l'},                                         /* reverse screen */
		{6, 'l'},                                         /* origin */
		{7, 'h'},                                         /* wrap */
		{12, 'l'},                                        /* blinking cursor */
		{MODE_CURSOR, 'h'},                               /* cursor shown */
		{47, 'l'}, {1047, 'l'}, {1048, 'l'}, {1049, 'l'}, /* other screen */
		{1000, 'l'}, {1002, 'l'}, {1003, 'l'}, {1005, 'l'}, {1006, 'l'}, {1015, 'l'}, /* mouse */
		{1004, 'l'},                                                                  /* focus */
		{2004, 'l'}, /* bracketed paste */
		{2026, 'l'}, /* synchronized update */
};
#define N_MODES (sizeof modes / sizeof *modes)

void filter_init(struct filter *f, enum filter_kind kind)
{
	*f = (struct filter){.kind = kind};
}

struct out {
	char *mem;
	size_t n;
};

static void emit(struct out *out, const void *bytes, size_t n)
{
	memcpy(out->mem + out->n, bytes, n);
	out->n += n;
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static bool may_pass_control(const struct filter *f, char c)
{
	return is_one_of(c, f->kind == FILTER_SCREEN ? "\a\b\t\n\v\f\r\016\017" : "\b\t\n\r");
}

/* ---- sequences ---------------------------------------------------------------- */

/* CSI ? n h or l with one allowed mode. Remembers what must be undone. */
static bool may_pass_mode(struct filter *f, const char *params, char final)
{
	char *end;
	long mode = strtol(params, &end, 10);
	if (end == params || *end != final || (f->kind < FILTER_SCREEN && mode != MODE_CURSOR))
		return false;
	for (size_t i = 0; i < N_MODES; i++)
		if (modes[i].mode == mode) {
			if (final == modes[i].leave)
				f->modes &= ~(1u << i);
			else
				f->modes |= 1u << i;
			return true;
		}
	return false;
}

/* No more digits than any screen needs: some terminals count as far as a sequence says. */
static bool are_short(const char *params, size_t most)
{
	for (size_t n; *params; params += n + (n == 0)) {
		n = strspn(params, "0123456789");
		if (n > most)
			return false;
	}
	return true;
}

/* `params` of n bytes, then `final`. What is not here: tab stops, which nobody can restore, and whatever
 * makes a terminal answer, resize or print. */
static bool may_pass_move(const struct filter *f, const char *params, size_t n, char final)
{
	enum { DIGITS = 5, DIGITS_REPEAT = 3 };
	if (f->kind == FILTER_LINES || !are_short(params, final == 'b' ? DIGITS_REPEAT : DIGITS))
		return false;
	if (f->kind == FILTER_LIVE)
		return is_one_of(final, "CDGKX") || (final == 'J' && strspn(params, "0") == n);
	if (f->kind == FILTER_PROGRESS)
		return is_one_of(final, "ABCDEFGKX") || (final == 'J' && strspn(params, "0") == n);
	if (final == 'J') /* not what has scrolled away: that is not the program's */
		return n < 2 && *params != '3';
	if (final == 'T') /* with five parameters it begins mouse tracking */
		return strspn(params, "0123456789") == n;
	return is_one_of(final, "ABCDEFGHIKLMPSXZ@`abdefrsu");
}

/* How many parameters a color takes behind 38, 48 or 58: "5;n", "2;r;g;b". */
static int color_params(const char *rest)
{
	return *rest != ';' ? 0 : !strncmp(rest, ";5;", 3) ? 2 : !strncmp(rest, ";2;", 3) ? 4 : 0;
}

/* Text that is there and cannot be seen deceives: 8 becomes 7, and 28, which ends it, 27. */
static void show_concealed(struct filter *f, char *params)
{
	int skip = 0;
	for (char *at = params; *at != 'm'; at += strcspn(at, ";m"), at += *at == ';') {
		char *end;
		long n = strtol(at, &end, 10);
		if (skip) {
			skip--;
			continue;
		}
		if (n == 8) {
			end[-1] = '7';
			f->is_concealed = true;
		} else if (n == 28 && f->is_concealed) {
			end[-1] = '7';
		} else if (n == 38 || n == 48 || n == 58) {
			skip = color_params(end);
		}
		if (n == 0 || n == 28)
			f->is_concealed = false;
	}
}

/* CSI n A, B, E or F: the cursor stays in the lines that were passed on, so that nothing above them, such as
 * a question, is drawn over. */
static void move_line(struct filter *f, struct out *out)
{
	char final = f->held[f->n_held - 1], move[24];
	bool is_up = final == 'A' || final == 'F';
	uint32_t room = is_up ? f->row : f->lowest - f->row;
	unsigned long n = strtoul(f->held + 2, NULL, 10);
	n = n == 0 ? 1 : n;
	n = n > room ? room : n;
	f->row = is_up ? f->row - (uint32_t)n : f->row + (uint32_t)n;
	if (n)
		emit(out, move, (size_t)snprintf(move, sizeof move, "\033[%lu%c", n, final));
	else if (final == 'E' || final == 'F')
		emit(out, "\r", 1);
}

static bool is_line_move(const struct filter *f)
{
	size_t digits = strspn(f->held + 2, "0123456789");
	return f->kind == FILTER_LIVE && digits <= 5 && digits + 3 == f->n_held
	       && is_one_of(f->held[f->n_held - 1], "ABEF");
}

/* f->held is ESC [ … final, NUL-terminated. */
static bool may_pass_csi(struct filter *f)
{
	char *params = f->held + 2;
	size_t n = strspn(params, "0123456789;:");
	char final = f->held[f->n_held - 1];
	if (f->kind != FILTER_LINES && *params == '?' && is_one_of(final, "hl"))
		return may_pass_mode(f, params + 1, final);
	if (params[n] != final || params[n + 1])
		return false; /* private or intermediate signs: queries, reports, downloads */
	if (final == 'm') {
		f->is_colored = strspn(params, "0;:") != n;
		if (!are_short(params, 3))
			return false;
		show_concealed(f, params);
		return true;
	}
	if (!may_pass_move(f, params, n, final))
		return false;
	f->has_region |= final == 'r';
	return true;
}

static void pass_held(struct filter *f, bool may_pass, struct out *out)
{
	if (may_pass)
		emit(out, f->held, f->n_held);
	f->n_held = 0;
	f->state = FILTER_TEXT;
}

static void take_escape(struct filter *f, char c, struct out *out)
{
	f->held[f->n_held++] = c;
	if (c == '[') {
		f->state = FILTER_CSI;
	} else if (is_one_of(c, "]PX^_")) { /* OSC DCS SOS PM APC */
		f->n_held = 0;
		f->state = FILTER_STRING;
	} else if (is_one_of(c, "()*+")) {
		f->state = FILTER_CHARSET;
	} else if ((unsigned char)c < 0x20 || (c >= 0x20 && c < 0x30)) {
		f->n_held = 0; /* ESC SP F and the like: dropped; the final byte then counts as text */
		f->state = FILTER_TEXT;
	} else {
		bool may_pass = f->kind == FILTER_SCREEN && is_one_of(c, "78DEM=>");
		f->has_region |= may_pass && c == '=';
		pass_held(f, may_pass, out);
	}
}

static void take_charset(struct filter *f, char c, struct out *out)
{
	f->held[f->n_held++] = c;
	bool may_pass = f->kind == FILTER_SCREEN && is_one_of(c, "0AB");
	f->has_region |= may_pass;
	pass_held(f, may_pass, out);
}

static void take_csi(struct filter *f, char c, struct out *out)
{
	unsigned char byte = (unsigned char)c;
	if (byte < 0x20 || byte > 0x7e || f->n_held + 2 > sizeof f->held) {
		f->n_held = 0; /* no sequence that a terminal should see */
		f->state = FILTER_TEXT;
		return;
	}
	f->held[f->n_held++] = c;
	if (byte >= 0x40) {
		f->held[f->n_held] = 0;
		if (is_line_move(f))
			move_line(f, out);
		pass_held(f, !is_line_move(f) && may_pass_csi(f), out);
	}
}

static void note_newline(struct filter *f)
{
	f->row++;
	f->lowest = f->row > f->lowest ? f->row : f->lowest;
}

/* OSC and similar strings are dropped up to their end. A newline ends them, too, so that an unclosed
 * string does not drop everything after it. Nothing of them was passed on, so this is safe. */
static void take_string(struct filter *f, char c, struct out *out)
{
	if (c == '\033') {
		f->state = FILTER_STRING_ESCAPE;
	} else if (c == '\n') {
		f->state = FILTER_TEXT;
		note_newline(f);
		emit(out, "\n", 1);
	} else if (is_one_of(c, "\a\030\032")) {
		f->state = FILTER_TEXT;
	}
}

static void begin_escape(struct filter *f)
{
	f->held[0] = '\033';
	f->n_held = 1;
	f->state = FILTER_ESCAPE;
}

/* ---- text ----------------------------------------------------------------------- */

/* Length of the UTF-8 sequence that begins with this byte; 1 if none does. */
static size_t sequence_length(unsigned char lead)
{
	return lead >= 0xf0 && lead <= 0xf4 ? 4
	       : lead >= 0xe0               ? (lead <= 0xef ? 3 : 1)
	       : lead >= 0xc2               ? 2
					    : 1;
}

/* Tag characters are invisible ASCII. They have one use: the flags of regions, which are a black flag,
 * letters and digits, and an end. */
static bool is_hidden_tag(struct filter *f, uint32_t cp)
{
	enum { FLAG = 0x1f3f4, TAG = 0xe0000, TAG_END = 0xe007f, FLAG_TAGS = 7 };
	uint8_t left = f->flag_left;
	char c = cp > TAG && cp < TAG_END ? (char)(cp - TAG) : 0;
	f->flag_left = cp == FLAG ? FLAG_TAGS : 0;
	if (cp < TAG || cp > TAG_END)
		return false;
	if (left && cp == TAG_END)
		return false;
	bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
	if (left <= 1 || !is_letter)
		return true;
	f->flag_left = left - 1;
	return false;
}

/* Decide on the code points in f->held. `is_last`: no byte will complete them. */
static void pass_code_points(struct filter *f, bool is_last, struct out *out)
{
	size_t at = 0;
	while (at < f->n_held) {
		uint32_t cp;
		bool is_valid;
		size_t left = f->n_held - at, n = trm_utf8_decode(f->held + at, left, &cp, &is_valid);
		if (!is_valid && !is_last && left < sequence_length((unsigned char)f->held[at]))
			break;
		bool is_tag = is_hidden_tag(f, is_valid ? cp : 0);
		bool is_odd = !is_valid || trm_text_is_deceptive(cp) || is_tag;
		if (is_odd || (f->n_marks == FILTER_MARKS_MAX && codepoint_width(cp) <= 0))
			emit(out, replacement, 3);
		if (is_odd || codepoint_width(cp) > 0) {
			f->n_marks = 0;
		} else {
			is_odd = f->n_marks >= FILTER_MARKS_MAX; /* of those that are too many, one is told */
			f->n_marks += f->n_marks <= FILTER_MARKS_MAX;
		}
		if (!is_odd)
			emit(out, f->held + at, n);
		at += n;
	}
	memmove(f->held, f->held + at, f->n_held - at);
	f->n_held -= at;
}

static void take_text(struct filter *f, char c, struct out *out)
{
	if ((unsigned char)c >= 0x80) {
		bool continues = ((unsigned char)c & 0xc0) == 0x80;
		if (!continues)
			pass_code_points(f, true, out);
		f->held[f->n_held++] = c;
		pass_code_points(f, false, out);
		return;
	}
	pass_code_points(f, true, out);
	if (c == '\033') {
		begin_escape(f);
		return;
	}
	if (c == '\n')
		note_newline(f);
	f->n_marks = f->flag_left = 0;
	f->has_region |= c == '\016' && f->kind == FILTER_SCREEN;
	if (((unsigned char)c >= 0x20 && c != 0x7f) || may_pass_control(f, c))
		emit(out, &c, 1);
	else
		emit(out, replacement, 3);
}

static void take_filter_char(struct filter *f, char c, struct out *out)
{
	switch (f->state) {
	case FILTER_TEXT: take_text(f, c, out); return;
	case FILTER_STRING: take_string(f, c, out); return;
	case FILTER_STRING_ESCAPE:
		f->state = FILTER_TEXT;
		if (c != '\\') { /* not the end of the string: a sequence of its own */
			begin_escape(f);
			take_filter_char(f, c, out);
		}
		return;
	default: break;
	}
	if (c == '\033') {
		begin_escape(f);
	} else if (f->state == FILTER_ESCAPE) {
		take_escape(f, c, out);
	} else if (f->state == FILTER_CHARSET) {
		take_charset(f, c, out);
	} else {
		take_csi(f, c, out);
	}
}

/* The number of bytes at the front that are plain text, as most output is. */
static size_t plain_prefix(const char *in, size_t n)
{
	size_t i = 0;
	while (i < n && ((in[i] >= 0x20 && in[i] < 0x7f) || in[i] == '\n'))
		i++;
	return i;
}

size_t filter_feed(struct filter *f, const char *in, size_t n, char *out_mem)
{
	struct out out = {out_mem, 0};
	for (size_t i = 0; i < n;) {
		size_t plain = f->state == FILTER_TEXT && !f->n_held ? plain_prefix(in + i, n - i) : 0;
		emit(&out, in + i, plain);
		if (plain)
			f->n_marks = f->flag_left = 0;
		for (size_t k = i; f->kind == FILTER_LIVE && k < i + plain; k++)
			if (in[k] == '\n')
				note_newline(f);
		i += plain;
		if (i < n)
			take_filter_char(f, in[i++], &out);
	}
	return out.n;
}

size_t filter_finish(struct filter *f, char *out_mem)
{
	struct out out = {out_mem, 0};
	if (f->state == FILTER_TEXT)
		pass_code_points(f, true, &out);
	for (size_t i = 0; i < N_MODES; i++)
		if (f->modes & (1u << i))
			out.n += (size_t)snprintf(
					out.mem + out.n, 16, "\033[?%d%c", modes[i].mode, modes[i].leave);
	if (f->has_region) /* DECSTBM moves the cursor: around it, save and restore */
		emit(&out, "\0337\033[r\0338\033(B\017\033>", strlen("\0337\033[r\0338\033(B\017\033>"));
	if (f->is_colored)
		emit(&out, "\033[m", 3);
	if (f->kind == FILTER_LIVE && f->row < f->lowest)
		out.n += (size_t)snprintf(out.mem + out.n, 24, "\033[%uB\r", f->lowest - f->row);
	filter_init(f, f->kind);
	return out.n;
}
