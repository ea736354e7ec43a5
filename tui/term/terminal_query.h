/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_TERMINAL_QUERY_H
#define TUI_TERM_TERMINAL_QUERY_H

/* Asks a terminal about images, and whether it can show a frame in one step. An answer comes among the
 * keys, and must never be taken for a key, however late it comes.
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

struct terminal_answers {
	bool is_expected; /* a query was sent */
	bool is_whole;    /* and all answers have come */
	bool has_kitty, has_sixel;
	bool tells_keys;    /* it tells apart keys that are one key on others, such as Shift-Enter */
	bool has_sync;      /* it can hold back output between CSI ? 2026 h and l */
	int cell_w, cell_h; /* pixels; 0: unknown */
};

/* Handle a control sequence, s[0..n) parsed, if it is an answer. */
bool terminal_query_take_sequence(
		struct terminal_answers *a, const char *s, size_t n, const struct sequence *seq);

/* Handle an answer in s[0..n), which begins with ESC _. Returns its length; 0: more bytes are needed; -1:
 * it is no answer. */
long terminal_query_take_string(struct terminal_answers *a, const char *s, size_t n);

#endif
