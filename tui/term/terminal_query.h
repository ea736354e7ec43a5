/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_TERMINAL_QUERY_H
#define TUI_TERM_TERMINAL_QUERY_H

/* What a terminal answers when it is asked about images, whether it can show a frame in one go, and how wide
 * it shows an emoji of several code points. An answer comes among the keys; it must never be taken for one,
 * however late it comes.
 *
 * Sources: xterm's ctlseqs (primary device attributes, of which 4 is sixel; CSI 16 t gives the size of a
 * cell; CSI ? 2026 $ p asks for synchronized output, contour's and others' mode 2026); kitty's "Terminal
 * graphics protocol" (a query is answered by APC G … ST). Every terminal reports its primary device
 * attributes, and we ask for them last: answers that are missing by then never come. */

#include <stdbool.h>
#include <stddef.h>

struct sequence;

/* Do you know kitty's protocol? How large is a cell? Which terminal are you? */
#define TERMINAL_QUERY_QUERY "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033[16t\033[?2026$p\033[c"
/* The same for terminals that would display the first query, or hold it back. */
#define TERMINAL_QUERY_QUERY_PLAIN "\033[16t\033[?2026$p\033[c"

/* Sent with the second frame: by then the alternate screen is active, and leftovers are painted over. It also
 * asks which of kitty's ways to tell keys apart are on (CSI ? FLAGS u). */
#define TERMINAL_QUERY_QUERY_SYNC "\033[?2026$p\033[?u"

/* An emoji with a skin tone, then one of two that a joiner links, each at the start of the row. Where the
 * cursor is behind them (CSI 6 n) tells whether the terminal shows one picture, which is two columns wide. */
#define TERMINAL_QUERY_EMOJI \
	"\r\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd\033[6n\r\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80\033[6n\r"

/* How a terminal shows several code points that are one emoji. */
enum emoji_way { EMOJI_UNKNOWN, EMOJI_APART, EMOJI_JOINED };

struct terminal_answers {
	bool is_expected; /* a query was sent */
	bool is_whole;    /* and all answers have come */
	bool has_kitty, has_sixel;
	bool tells_keys;               /* it tells apart keys that are one key on others, such as Shift-Enter */
	bool has_sync;                 /* it can hold back output between CSI ? 2026 h and l */
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
