/* SPDX-License-Identifier: MIT */
#include "term/curses_cell.h"

#include <string.h>
#include <wchar.h>

#include <terrarium/text.h>

#include "term/keys.h"
#include "term/term_internal.h"
#include "term/terminal_query.h"
#include "text/cluster.h"

#define REPLACEMENT 0xFFFDu
#define ZWJ 0x200D

/* The number of a color in curses; -1 is the terminal's default. */
static int curses_color(uint32_t color, enum color_depth depth)
{
	color = color_degrade(color, depth);
	if (color == COLOR_NONE)
		return -1;
	if (depth != DEPTH_RGB)
		return (int)(color & 0xFF);
	if ((color & 0xFF000000u) == COLOR_INDEX(0) && (color & 0xFF) < 8)
		return (int)(color & 0xFF);
	/* With 24 bits, curses uses 0 to 7 for the palette, so the darkest blues are replaced. */
	uint32_t rgb = color_rgb(color);
	return rgb < 8 ? 8 : (int)rgb;
}

static attr_t curses_attrs(unsigned attrs)
{
	static const struct {
		unsigned ours;
		attr_t theirs;
	} table[] = {{ATTR_BOLD, A_BOLD}, {ATTR_DIM, A_DIM}, {ATTR_ITALIC, A_ITALIC},
			{ATTR_UNDERLINE, A_UNDERLINE}, {ATTR_REVERSE, A_REVERSE}};
	attr_t result = A_NORMAL;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (attrs & table[i].ours)
			result |= table[i].theirs;
	return result;
}

/* color_mend() with a cache, because it is slow. */
static uint32_t mended(struct curses_look *s, uint32_t fg, uint32_t bg, enum color_depth depth)
{
	struct curses_mended *m = &s->mended[(fg * 2654435761u ^ bg) >> 16 & (CURSES_MENDED - 1)];
	if (m->fg != fg || m->bg != bg)
		*m = (struct curses_mended){fg, bg, color_mend(fg, bg, depth)};
	return m->is;
}

/* Find attributes and pair of a style. Neighboring cells mostly share a style. */
static void resolve_style(struct curses_look *s, const struct term *t, const struct style *style)
{
	if (s->has_style && memcmp(&s->style, style, sizeof(*style)) == 0)
		return;
	enum role role = style->role < ROLE_COUNT ? (enum role)style->role : ROLE_TEXT;
	bool has_ground = style->ground > 0 && style->ground < ROLE_COUNT;
	bool is_heat = COLOR_IS_HEAT(style->fg);
	struct theme_style look =
			is_heat      ? theme_heat(&t->theme, role, style->fg & 0xFF, t->depth)
			: has_ground ? theme_style_on(&t->theme, role, (enum role)style->ground, t->depth)
				     : t->looks[role];
	uint32_t fg_of_program = is_heat ? COLOR_NONE : style->fg;
	bool is_own_text = fg_of_program != COLOR_NONE && style->bg == COLOR_NONE;
	uint32_t own = is_own_text ? mended(s, fg_of_program, look.bg, t->depth) : fg_of_program;
	int fg = curses_color(own != COLOR_NONE ? own : look.fg, t->depth);
	int bg = curses_color(style->bg != COLOR_NONE ? style->bg : look.bg, t->depth);
	s->style = *style;
	s->has_style = true;
	s->attrs = curses_attrs(look.attrs | style->attrs);
	s->pair = t->depth == DEPTH_NONE || (fg < 0 && bg < 0) ? 0 : alloc_pair(fg, bg);
	if (s->pair < 0)
		s->pair = 0;
}

static void make_cell(const struct curses_look *s, const wchar_t *text, cchar_t *out)
{
	setcchar(out, text, s->attrs, 0, &s->pair);
}

/* Emoji that a skin tone can follow (Emoji_Modifier_Base of Unicode) and that are two columns wide. */
static bool takes_tone(uint32_t cp)
{
	static const uint32_t bases[][2] = {{0x1F385, 0x1F385}, {0x1F3C2, 0x1F3C4}, {0x1F3C7, 0x1F3C7},
			{0x1F3CA, 0x1F3CA}, {0x1F442, 0x1F443}, {0x1F446, 0x1F450}, {0x1F466, 0x1F478},
			{0x1F47C, 0x1F47C}, {0x1F481, 0x1F483}, {0x1F485, 0x1F487}, {0x1F48F, 0x1F48F},
			{0x1F491, 0x1F491}, {0x1F4AA, 0x1F4AA}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596},
			{0x1F645, 0x1F647}, {0x1F64B, 0x1F64F}, {0x1F6A3, 0x1F6A3}, {0x1F6B4, 0x1F6B6},
			{0x1F6C0, 0x1F6C0}, {0x1F6CC, 0x1F6CC}, {0x1F90C, 0x1F90C}, {0x1F90F, 0x1F90F},
			{0x1F918, 0x1F91F}, {0x1F926, 0x1F926}, {0x1F930, 0x1F939}, {0x1F93C, 0x1F93E},
			{0x1F977, 0x1F977}, {0x1F9B5, 0x1F9B6}, {0x1F9B8, 0x1F9B9}, {0x1F9BB, 0x1F9BB},
			{0x1F9CD, 0x1F9CF}, {0x1F9D1, 0x1F9DD}};
	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++)
		if (cp >= bases[i][0] && cp <= bases[i][1])
			return true;
	return false;
}

static bool is_emoji(uint32_t cp)
{
	return cp >= 0x1F300 && cp <= 0x1FAFF && !codepoint_is_tone(cp);
}

/* Append the skin tones and joined emoji of a cluster to a cell. The cluster begins with `before`.
 * setcchar() would refuse them, because libc counts two more columns for each; curses itself writes
 * whatever a cell holds. */
static void join_emoji(const struct terminal_answers *a, const struct cell *cell, size_t at, uint32_t before,
		cchar_t *out)
{
	size_t n = strlen(cell->text), used = 1;
	while (at < n && used < CCHARW_MAX) {
		uint32_t cp, next = 0;
		bool valid;
		at += trm_utf8_decode(cell->text + at, n - at, &cp, &valid);
		if (codepoint_is_tone(cp) && takes_tone(before) && a->shaded == EMOJI_JOINED) {
			out->chars[used++] = (wchar_t)cp;
		} else if (cp == ZWJ && at < n && used + 2 <= CCHARW_MAX && a->linked == EMOJI_JOINED) {
			at += trm_utf8_decode(cell->text + at, n - at, &next, &valid);
			if (!is_emoji(next))
				return;
			out->chars[used++] = ZWJ;
			out->chars[used++] = (wchar_t)next;
			before = next;
		} else {
			return;
		}
	}
}

/* Convert a cell's cluster to curses cells. Returns their number (a flag is two). */
static size_t convert_cluster(const struct curses_look *s, const struct terminal_answers *a,
		const struct cell *cell, cchar_t *out)
{
	wchar_t text[CCHARW_MAX + 1] = {0};
	uint32_t cp;
	bool valid;
	size_t n = strlen(cell->text), used = 1;
	size_t at = trm_utf8_decode(cell->text, n, &cp, &valid);
	text[0] = (wchar_t)cp;
	if (cell->width == 2 && cp >= 0x1F1E6 && cp <= 0x1F1FF && at < n) {
		make_cell(s, text, out);
		trm_utf8_decode(cell->text + at, n - at, &cp, &valid);
		text[0] = (wchar_t)cp;
		make_cell(s, text, out + 1);
		return 2;
	}
	/* A lone skin tone would join the character before it, except where the terminal shows tones
	 * apart. */
	if (wcwidth(text[0]) != cell->width || (codepoint_is_tone(cp) && a->shaded != EMOJI_APART)) {
		text[0] = REPLACEMENT;
		make_cell(s, text, out);
		if (cell->width == 2)
			make_cell(s, L" ", out + 1);
		return cell->width;
	}
	uint32_t first = cp;
	size_t second = at;
	while (at < n && used < CCHARW_MAX) {
		at += trm_utf8_decode(cell->text + at, n - at, &cp, &valid);
		bool is_joiner = cp == ZWJ || cp == 0xFE0E || cp == 0xFE0F;
		if (cp == ZWJ)
			break;
		if (!is_joiner && wcwidth((wchar_t)cp) == 0)
			text[used++] = (wchar_t)cp;
	}
	make_cell(s, text, out);
	if (cell->width == 2 && used == 1 && is_emoji(first))
		join_emoji(a, cell, second, first, out);
	return 1;
}

size_t curses_cell(struct curses_look *s, const struct term *t, const struct cell *cell, cchar_t *out)
{
	unsigned char first = (unsigned char)cell->text[0];
	resolve_style(s, t, &cell->style);
	if (first < 0x20 || (first < 0x80 && cell->text[1] == '\0')) {
		wchar_t text[2] = {first < 0x20 || first == 0x7F ? L' ' : (wchar_t)first, 0};
		make_cell(s, text, out);
		return 1;
	}
	return convert_cluster(s, keys_answers(t->keys), cell, out);
}
