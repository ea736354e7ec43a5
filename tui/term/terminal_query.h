/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_TERMINAL_QUERY_H
#define TUI_TERM_TERMINAL_QUERY_H

/* What a terminal answers when it is asked about images, and whether it can show a frame in one go. An answer
 * comes among the keys; it must never be taken for one, however late it comes.
 *
 * Sources: xterm's ctlseqs (primary device attributes, of which 4 is sixel; CSI 16 t gives the size of a
 * cell; CSI ? 2026 $ p asks for synchronized output, contour's and others' mode 2026); kitty's "Terminal
 * graphics protocol" (a query is answered by APC G … ST). Every terminal answers the first, so what has not
 * come by then does not come. */

#include <stdbool.h>
#include <stddef.h>

struct sequence;

/* Is it kitty's protocol? How large is a cell? Who are you? */
#define TERMINAL_QUERY_QUERY "\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033[16t\033[?2026$p\033[c"
/* The same for those that would show the first, or hold it back. */
#define TERMINAL_QUERY_QUERY_PLAIN "\033[16t\033[?2026$p\033[c"

/* Asked with the second frame: the alternate screen is there then, and what it leaves is painted over. */
#define TERMINAL_QUERY_QUERY_SYNC "\033[?2026$p"

struct terminal_answers {
	bool is_expected; /* something was asked */
	bool is_whole;    /* and answered to its end */
	bool has_kitty, has_sixel;
	bool has_sync;      /* holds back what it shows between CSI ? 2026 h and l */
	int cell_w, cell_h; /* pixels; 0: not told */
};

/* Take a control sequence, s[0..n) parsed, if it is an answer. */
bool terminal_query_take_sequence(
		struct terminal_answers *a, const char *s, size_t n, const struct sequence *seq);

/* Take an answer from s[0..n), which begins with ESC _. Returns its bytes; 0: more are needed; -1: it is
 * none. */
long terminal_query_take_string(struct terminal_answers *a, const char *s, size_t n);

#endif
