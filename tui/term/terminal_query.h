/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_TERMINAL_QUERY_H
#define TUI_TERM_TERMINAL_QUERY_H

/* Asks the terminal about images, frames shown in one go, and the width of emoji of several code points.
 * The answers arrive among the keys. No answer may be mistaken for keys, however late it arrives.
 *
 * Sources: xterm's ctlseqs (primary device attributes, of which 4 is sixel; CSI 16 t gives the size of a
 * cell; CSI ? 2026 $ p asks for synchronized output, mode 2026 of contour and others); kitty's "Terminal
 * graphics protocol" (a query is answered by APC G … ST). Every terminal reports its primary device
 * attributes, so the query for them comes last: answers that are missing by then never come. */

#include <stdbool.h>
#include <stddef.h>

struct sequence;

/* Support of kitty's protocol, size of a cell, device attributes. */
#define TERMINAL_QUERY_QUERY "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033[16t\033[?2026$p\033[c"
/* The same for terminals that would display the first query, or hold it back. */
#define TERMINAL_QUERY_QUERY_PLAIN "\033[16t\033[?2026$p\033[c"

/* Sent with the second frame: by then the alternate screen is active, and leftovers are painted over.
 * Also asks for the active flags of kitty's keyboard protocol (CSI ? FLAGS u). */
#define TERMINAL_QUERY_QUERY_SYNC "\033[?2026$p\033[?u"

/* An emoji with a skin tone, then two emoji linked by a joiner, each at the start of the row. The cursor
 * position behind each (CSI 6 n) shows whether the terminal draws one picture, which is two columns wide. */
#define TERMINAL_QUERY_EMOJI \
	"\r\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd\033[6n\r\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80\033[6n\r"

/* The way a terminal shows several code points that form one emoji. */
enum emoji_way { EMOJI_UNKNOWN, EMOJI_APART, EMOJI_JOINED };

struct terminal_answers {
	bool is_expected; /* a query was sent */
	bool is_whole;    /* all answers have come */
	bool has_kitty, has_sixel;
	bool tells_keys;               /* reports Enter and Shift-Enter, for example, as different keys */
	bool has_sync;                 /* can hold back output between CSI ? 2026 h and l */
	int cell_w, cell_h;            /* pixels; 0: unknown */
	int n_positions;               /* cursor positions reported so far */
	enum emoji_way shaded, linked; /* emoji with a skin tone; with a joiner */
};

/* Handle a control sequence, s[0..n) parsed, if it is an answer. */
bool terminal_query_take_sequence(
		struct terminal_answers *a, const char *s, size_t n, const struct sequence *seq);

/* Handle an answer in s[0..n), which begins with ESC _. Returns its length; 0: more bytes are needed; -1:
 * it is no answer. */
long terminal_query_take_string(struct terminal_answers *a, const char *s, size_t n);

#endif
