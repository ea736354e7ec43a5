/* SPDX-License-Identifier: MIT */
#include "output/ansi.h"

#include <stdio.h>
#include <string.h>

#include "cells/canvas.h"

enum state { GROUND, UTF8, ESCAPE, ESCAPE_MORE, CSI, STRING, STRING_ESCAPE, STRING_C2 };

#define REPLACEMENT 0xFFFDu

/* ---- colors and attributes ---- */

static const struct {
	uint8_t code;
	uint16_t set, clear;
} sgr_attrs[] = {
		{1, ATTR_BOLD, 0},
		{2, ATTR_DIM, 0},
		{3, ATTR_ITALIC, 0},
		{4, ATTR_UNDERLINE, 0},
		{7, ATTR_REVERSE, 0},
		{9, ATTR_STRIKE, 0},
		{21, ATTR_UNDERLINE, 0},
		{22, 0, ATTR_BOLD | ATTR_DIM},
		{23, 0, ATTR_ITALIC},
		{24, 0, ATTR_UNDERLINE},
		{27, 0, ATTR_REVERSE},
		{29, 0, ATTR_STRIKE},
};

static uint8_t channel(uint16_t value)
{
	return value > 255 ? 255 : (uint8_t)value;
}

/* 38 and 48: `5;N` and `2;R;G;B`, with colons also `2:space:R:G:B`. Returns the number of parameters after k
 * that belong to it. */
static unsigned extended_color(const struct ansi *a, unsigned k, uint32_t *color)
{
	unsigned left = a->n_params - k - 1;
	const uint16_t *v = a->params + k + 1;
	bool colons = k + 1 < ANSI_PARAMS && (a->colons >> (k + 1) & 1);
	unsigned own = 0;

	while (own < left && (a->colons >> (k + 1 + own) & 1))
		own++;
	if (left >= 2 && v[0] == 5) {
		*color = COLOR_INDEX(channel(v[1]));
		return colons ? own : 2;
	}
	if (left >= 4 && v[0] == 2) {
		const uint16_t *rgb = colons && own >= 5 ? v + 2 : v + 1;
		*color = COLOR_RGB((uint32_t)channel(rgb[0]) << 16 | (uint32_t)channel(rgb[1]) << 8
				   | channel(rgb[2]));
		return colons ? own : 4;
	}
	return colons ? own : left;
}

static void sgr_attr(struct ansi *a, uint16_t code)
{
	for (size_t i = 0; i < sizeof sgr_attrs / sizeof *sgr_attrs; i++)
		if (sgr_attrs[i].code == code)
			a->attrs = (uint16_t)((a->attrs | sgr_attrs[i].set) & ~sgr_attrs[i].clear);
}

static void sgr(struct ansi *a)
{
	for (unsigned k = 0; k < a->n_params; k++) {
		uint16_t v = a->params[k];
		if (v == 0) {
			a->attrs = 0;
			a->fg = a->bg = COLOR_NONE;
		} else if (v == 38 || v == 48) {
			k += extended_color(a, k, v == 38 ? &a->fg : &a->bg);
		} else if (v >= 30 && v <= 37) {
			a->fg = COLOR_INDEX(v - 30);
		} else if (v >= 90 && v <= 97) {
			a->fg = COLOR_INDEX(v - 90 + 8);
		} else if (v >= 40 && v <= 47) {
			a->bg = COLOR_INDEX(v - 40);
		} else if (v >= 100 && v <= 107) {
			a->bg = COLOR_INDEX(v - 100 + 8);
		} else if (v == 39) {
			a->fg = COLOR_NONE;
		} else if (v == 49) {
			a->bg = COLOR_NONE;
		} else if (v == 4 && k + 1 < a->n_params && (a->colons >> (k + 1) & 1)) {
			sgr_attr(a, a->params[++k] ? 4 : 24); /* 4:3 is a curly underline, 4:0 none */
		} else {
			sgr_attr(a, v);
		}
	}
}

static size_t sgr_color(char *out, unsigned base, uint32_t color)
{
	unsigned r = color >> 16 & 255, g = color >> 8 & 255, b = color & 255;

	if (color == COLOR_NONE)
		return 0;
	if (color == COLOR_INDEX(b))
		return (size_t)sprintf(out, ";%u;5;%u", base, b);
	return (size_t)sprintf(out, ";%u;2;%u;%u;%u", base, r, g, b);
}

size_t ansi_sgr(uint16_t attrs, uint32_t fg, uint32_t bg, char out[ANSI_SGR_BYTES])
{
	size_t n = (size_t)sprintf(out, "\x1b[0");

	for (size_t i = 0; i < sizeof sgr_attrs / sizeof *sgr_attrs; i++)
		if (sgr_attrs[i].code < 10 && attrs & sgr_attrs[i].set)
			n += (size_t)sprintf(out + n, ";%u", sgr_attrs[i].code);
	n += sgr_color(out + n, 38, fg);
	n += sgr_color(out + n, 48, bg);
	out[n++] = 'm';
	out[n] = '\0';
	return n;
}

/* ---- control sequences ---- */

static void csi_begin(struct ansi *a)
{
	a->state = CSI;
	a->n_params = 1;
	a->params[0] = 0;
	a->colons = 0;
	a->ignored = 0;
}

static void string_begin(struct ansi *a, bool is_osc)
{
	a->state = STRING;
	a->is_osc = is_osc;
}

static void csi_digit(struct ansi *a, uint8_t b)
{
	uint16_t *v = &a->params[a->n_params - 1];
	*v = *v > 6000 ? 65535 : (uint16_t)(*v * 10 + (b - '0'));
}

static void csi_separator(struct ansi *a, bool is_colon)
{
	if (a->n_params == ANSI_PARAMS) {
		a->ignored = 1;
		return;
	}
	a->params[a->n_params] = 0;
	if (is_colon)
		a->colons |= (uint16_t)(1u << a->n_params);
	a->n_params++;
}

static enum ansi_op csi_final(struct ansi *a, uint8_t b, uint32_t *value)
{
	uint16_t v = a->params[0], count = v ? v : 1;

	a->state = GROUND;
	if (a->ignored)
		return ANSI_END;
	switch (b) {
	case 'm': sgr(a); return ANSI_END;
	case 'K': *value = v; return ANSI_ERASE;
	case 'C': *value = count; return ANSI_FORWARD;
	case 'D': *value = count; return ANSI_BACK;
	case 'G': *value = count - 1u; return ANSI_COLUMN;
	default: *value = b; return ANSI_CSI;
	}
}

unsigned ansi_param(const struct ansi *a, unsigned k, unsigned otherwise)
{
	return k < a->n_params && a->params[k] ? a->params[k] : otherwise;
}

/* Handle a byte of CSI … final. False: it is not part of the sequence and must be handled again. */
static bool csi_byte(struct ansi *a, uint8_t b, enum ansi_op *op, uint32_t *value)
{
	if (b >= '0' && b <= '9') {
		csi_digit(a, b);
	} else if (b == ';' || b == ':') {
		csi_separator(a, b == ':');
	} else if (b >= 0x20 && b < 0x40) {
		a->ignored = 1; /* private marks and intermediates: no supported sequence has any */
	} else if (b >= 0x40 && b < 0x7f) {
		*op = csi_final(a, b, value);
	} else {
		a->state = GROUND;
		return false;
	}
	return true;
}

static bool escape_byte(struct ansi *a, uint8_t b, enum ansi_op *op, uint32_t *value)
{
	a->state = GROUND;
	if (b == '[')
		csi_begin(a);
	else if (b == ']' || b == 'P' || b == 'X' || b == '^' || b == '_')
		string_begin(a, b == ']');
	else if (b >= 0x20 && b < 0x30)
		a->state = ESCAPE_MORE;
	else if (b < 0x20 || b >= 0x7f)
		return false;
	else {
		*value = b;
		*op = ANSI_ESCAPE;
	}
	return true;
}

static void string_byte(struct ansi *a, uint8_t b)
{
	if (b == 0x1b)
		a->state = STRING_ESCAPE;
	else if (b == 0xc2)
		a->state = STRING_C2;
	else if (b == 0x18 || b == 0x1a || (b == 0x07 && a->is_osc))
		a->state = GROUND;
}

/* ---- characters ---- */

static bool utf8_begin(struct ansi *a, uint8_t b)
{
	a->utf8_low = 0x80;
	a->utf8_high = 0xbf;
	if (b >= 0xc2 && b <= 0xdf) {
		a->utf8_left = 1;
		a->cp = b & 0x1f;
	} else if (b >= 0xe0 && b <= 0xef) {
		a->utf8_left = 2;
		a->cp = b & 0x0f;
		if (b == 0xe0)
			a->utf8_low = 0xa0;
		if (b == 0xed)
			a->utf8_high = 0x9f;
	} else if (b >= 0xf0 && b <= 0xf4) {
		a->utf8_left = 3;
		a->cp = b & 0x07;
		if (b == 0xf0)
			a->utf8_low = 0x90;
		if (b == 0xf4)
			a->utf8_high = 0x8f;
	} else {
		return false;
	}
	a->state = UTF8;
	return true;
}

/* A character is complete. C1 controls begin sequences, like their two-byte forms. */
static enum ansi_op char_done(struct ansi *a, uint32_t cp, uint32_t *value)
{
	if (cp >= 0x80 && cp < 0xa0) {
		if (cp == 0x9b)
			csi_begin(a);
		else if (cp == 0x90 || cp == 0x98 || (cp >= 0x9d && cp <= 0x9f))
			string_begin(a, cp == 0x9d);
		return ANSI_END;
	}
	*value = cp;
	return ANSI_CHAR;
}

/* False: the byte does not continue the character and must be handled again. */
static bool utf8_byte(struct ansi *a, uint8_t b, enum ansi_op *op, uint32_t *value)
{
	if (b < a->utf8_low || b > a->utf8_high) {
		a->state = GROUND;
		*value = REPLACEMENT;
		*op = ANSI_CHAR;
		return false;
	}
	a->cp = a->cp << 6 | (b & 0x3f);
	a->utf8_low = 0x80;
	a->utf8_high = 0xbf;
	if (--a->utf8_left == 0) {
		a->state = GROUND;
		*op = char_done(a, a->cp, value);
	}
	return true;
}

static enum ansi_op ground_byte(struct ansi *a, uint8_t b, uint32_t *value)
{
	*value = b;
	if (b >= 0x20 && b < 0x7f)
		return ANSI_CHAR;
	switch (b) {
	case '\r': return ANSI_RETURN;
	case '\b': return ANSI_BACKSPACE;
	case '\t': return ANSI_TAB;
	case 0x1b: a->state = ESCAPE; return ANSI_END;
	case 0: *value = REPLACEMENT; return ANSI_CHAR;
	}
	if (b < 0x80 || utf8_begin(a, b))
		return ANSI_END;
	*value = REPLACEMENT;
	return ANSI_CHAR;
}

/* Returns whether the byte was used. *op is the result (ANSI_END: none yet). */
static bool step_ansi(struct ansi *a, uint8_t b, enum ansi_op *op, uint32_t *value)
{
	switch ((enum state)a->state) {
	case GROUND: *op = ground_byte(a, b, value); return true;
	case UTF8: return utf8_byte(a, b, op, value);
	case ESCAPE: return escape_byte(a, b, op, value);
	case ESCAPE_MORE:
		if (b < 0x20 || b >= 0x30)
			a->state = GROUND;
		return b >= 0x20 && b < 0x7f;
	case CSI: return csi_byte(a, b, op, value);
	case STRING: string_byte(a, b); return true;
	case STRING_ESCAPE: a->state = b == '\\' ? GROUND : ESCAPE; return b == '\\';
	case STRING_C2: a->state = b == 0x9c ? GROUND : STRING; return b == 0x9c;
	}
	return true;
}

enum ansi_op ansi_next(struct ansi *a, const char **p, const char *end, uint32_t *ret_value)
{
	enum ansi_op op = ANSI_END;

	while (*p < end && op == ANSI_END) {
		if (step_ansi(a, (uint8_t) * *p, &op, ret_value))
			++*p;
	}
	return op;
}

bool ansi_end_line(struct ansi *a)
{
	bool cut = a->state == UTF8;

	a->state = GROUND;
	return cut;
}

bool ansi_is_plain(const struct ansi *a)
{
	return a->state == GROUND && a->attrs == 0 && a->fg == COLOR_NONE && a->bg == COLOR_NONE;
}
