/* SPDX-License-Identifier: MIT */
#ifndef TUI_SYNTAX_SYNTAX_INTERNAL_H
#define TUI_SYNTAX_SYNTAX_INTERNAL_H

/* What the files of this folder share: the segments of a text.
 *
 *   segments   0      1       2      | 3 (loose)     4 (loose)
 *   text       [------[-------[------|---------......[---------....
 *                                    known
 *
 * The first `closed` ones are sound: each begins where a statement of the top level does, and was parsed
 * without anything left open at its end. Those behind are remains, shown until their text has been parsed
 * again. */

#include <tree_sitter/api.h>

#include "syntax/language.h"

#ifndef SYNTAX_WINDOW
#define SYNTAX_WINDOW ((size_t)16 << 10) /* bytes of a segment, about */
#endif
#define SYNTAX_WINDOW_MAX (64 * SYNTAX_WINDOW) /* of one that has no end: it is then cut anywhere */
#define SYNTAX_REACH (512 * SYNTAX_WINDOW)     /* bytes of a text that are ever parsed */
#define SYNTAX_COLUMNS 1024                    /* of a line, where a grammar counts them over and over */
#define SYNTAX_TREES 24                        /* kept at a time */

struct segment {
	size_t bytes;  /* of the text that it covers */
	size_t lead;   /* bytes from where the tree begins to where the segment does; 0 in closed ones */
	size_t last;   /* of a closed one: where its last statement begins; what is changed there may concern
			  the next */
	TSTree *tree;  /* NULL: not kept */
	bool is_dirty; /* edited since it was parsed */
	bool is_plain; /* there is no tree, and shall be none */
	bool is_rough; /* parsed with more behind it, and errors there, which may have told on it */
};

/* The kinds of bytes [from, to) of the text, as they were painted last: walking a tree takes longer than
 * everything else that a key costs. None: from == to. */
enum { MEMO_LEAST = 64, MEMO_MOST = 16 * 1024 };
struct memo {
	size_t from, to;
	uint8_t *kinds; /* room for MEMO_MOST; NULL until it is needed */
};

/* Edits that trees have not been told yet: with a memo at hand, nobody needs the tree before it is parsed
 * anew, and a key need not wait for it. */
enum { UNTOLD_MAX = 32 };
struct untold {
	size_t segment;
	TSInputEdit edit;
};

struct syntax {
	const struct syntax_language *language; /* NULL: plain */
	TSParser *parser;
	struct segment *segments;
	size_t n, cap, closed;
	size_t known;      /* bytes of the closed segments */
	size_t window;     /* bytes to be tried behind them */
	size_t tried;      /* bytes behind them that were parsed and found to have no end; 0: not tried yet */
	bool from_scratch; /* the next parse may not build upon an old tree */
	bool is_parsing;   /* a parse has begun and not ended: */
	size_t job;        /* of this segment; == closed: of what is behind them */
	size_t job_start, job_bytes;
	size_t fresh_from, fresh_to; /* bytes typed last, unknown to the trees yet */
	struct memo memo;
	struct untold untold[UNTOLD_MAX];
	size_t n_untold;
};

/* Tell the trees what they have not been told: before they are looked at, parsed upon or dropped. */
void segment_tell(struct syntax *s);

/* Where segment i begins in the text. */
size_t segment_start(const struct syntax *s, size_t i);

/* From segment i on nothing is sure any more: what is behind the closed ones is to be parsed anew. */
void segment_loosen(struct syntax *s, size_t i);

/* What is read from: a text from `start` on, or bytes. */
struct source {
	const struct text *text;
	const char *bytes;
	size_t start, len;
};

/* Fill kinds of bytes [from, to) of a tree's own count; kinds[0] is that of byte `from`. */
void paint_tree(const struct syntax_language *l, const TSTree *tree, const struct source *source,
		uint32_t from, uint32_t to, uint8_t *kinds);

/* memo.c: kept in step with the text by memo_edited(), and to be forgotten when trees change. */
void memo_forget(struct syntax *s);
void memo_finish(struct syntax *s);
bool memo_get(const struct syntax *s, size_t from, size_t to, uint8_t *kinds); /* false: not all is known */
void memo_put(struct syntax *s, size_t from, size_t to, const uint8_t *kinds); /* too few or too many: not */
void memo_edited(struct syntax *s, size_t pos, size_t removed, size_t inserted);

/* parse.c: forget the parse that is going on. */
void parse_cancel(struct syntax *s);

#endif
