/* SPDX-License-Identifier: MIT */
#ifndef TUI_SYNTAX_SYNTAX_INTERNAL_H
#define TUI_SYNTAX_SYNTAX_INTERNAL_H

/* Shared by the files of this folder: the segments of a text.
 *
 *   segments   0      1       2      | 3 (loose)     4 (loose)
 *   text       [------[-------[------|---------......[---------....
 *                                    known
 *
 * The first `closed` segments are reliable: each begins with a statement of the top level, and was parsed
 * with nothing left open at its end. Those after them are remains, which are shown until their text has
 * been parsed again. */

#include <tree_sitter/api.h>

#include "syntax/language.h"

#ifndef SYNTAX_WINDOW
#define SYNTAX_WINDOW ((size_t)16 << 10) /* approximate size of a segment in bytes */
#endif
#define SYNTAX_WINDOW_MAX (64 * SYNTAX_WINDOW) /* for one without an end: it is then cut anywhere */
#define SYNTAX_REACH (512 * SYNTAX_WINDOW)     /* bytes of a text that are parsed at most */
#define SYNTAX_COLUMNS 1024                    /* longest line for grammars that count columns repeatedly */
#define SYNTAX_TREES 24                        /* kept at a time */

struct segment {
	size_t bytes;  /* of the text that it covers */
	size_t lead;   /* bytes from the beginning of the tree to that of the segment; 0 in closed ones */
	size_t last;   /* of a closed one: start of its last statement; changes there may affect the next
			  segment */
	TSTree *tree;  /* NULL: not kept */
	bool is_dirty; /* edited since it was parsed */
	bool is_plain; /* there is no tree, and none is wanted */
	bool is_rough; /* parsed with more text after it that had errors, which may have affected it */
};

/* The kinds of bytes [from, to) of the text, as last painted. Walking a tree takes longer than everything
 * else that a key costs. None: from == to. */
enum { MEMO_LEAST = 64, MEMO_MOST = 16 * 1024 };
struct memo {
	size_t from, to;
	uint8_t *kinds; /* room for MEMO_MOST; NULL until needed */
};

/* Edits that the trees have not been told yet. With a memo nobody needs the tree before it is parsed
 * again, so a key need not wait for the edit. */
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
	size_t window;     /* bytes to try after them */
	size_t tried;      /* bytes after them that were parsed without finding an end; 0: not tried yet */
	bool from_scratch; /* the next parse must not build on an old tree */
	bool is_parsing;   /* a parse has begun and not ended: */
	size_t job;        /* of this segment; == closed: of the text after them */
	size_t job_start, job_bytes;
	size_t fresh_from, fresh_to; /* bytes typed last, unknown to the trees so far */
	struct memo memo;
	struct untold untold[UNTOLD_MAX];
	size_t n_untold;
};

/* Tell the trees about pending edits. Call this before they are read, used for a parse, or dropped. */
void segment_apply_edits(struct syntax *s);

/* The start of segment i in the text. */
size_t segment_start(const struct syntax *s, size_t i);

/* From segment i on nothing is reliable any more: the text after the closed segments must be parsed
 * again. */
void segment_loosen(struct syntax *s, size_t i);

/* The bytes to read: a text from `start` on, or bytes in memory. */
struct source {
	const struct text *text;
	const char *bytes;
	size_t start, len;
};

/* faults.c: mark a node that is an error or a missing token. */
void faults_mark(TSNode error, const struct source *source, uint32_t from, uint32_t to, uint8_t *kinds);
size_t syntax_source_read(const struct source *s, uint32_t at, char *out, size_t n);

/* memo.c. memo_edited() keeps it in step with the text; call memo_forget() when trees change. */
void memo_forget(struct syntax *s);
void memo_finish(struct syntax *s);
bool memo_get(const struct syntax *s, size_t from, size_t to,
		uint8_t *kinds); /* false: not all of it is known */
void memo_put(struct syntax *s, size_t from, size_t to,
		const uint8_t *kinds); /* no effect if there are too few or too many bytes */
void memo_edited(struct syntax *s, size_t pos, size_t removed, size_t inserted);

/* parse.c: discard the current parse. */
void parse_cancel(struct syntax *s);
bool parse_is_closed(TSNode node); /* without an error, and without a string that has no end */

#endif
