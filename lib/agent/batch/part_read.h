/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PART_READ_H
#define TRM_AGENT_PART_READ_H

/* Where a part at the top level of C or C++ ends: the tokens of one part. */

#include "agent/batch/c_token.h"
#include "agent/batch/part.h"

enum { TOKENS = 4096 };
/* Words that begin a statement. */
#define C_STATEMENTS "if for while do switch try return goto break continue throw case asm __asm__"

/* The tokens of one part. */
struct tokens {
	struct c_token list[TOKENS];
	size_t n;
	const char *end;  /* end of the last token */
	bool has_ended;   /* a semicolon or the closing brace ended the part */
	bool is_open;     /* a string, a comment or a bracket has no end */
	bool is_unpaired; /* a closing bracket has no opening one */
};

/* Read one part. A statement with a head, such as `if (x) y();`, includes its body. */
void part_read(struct c_cursor *c, struct tokens *t);
/* Bytes of the directive that begins with this token; everything from #if to its #endif is one. */
size_t part_directive_size(struct c_cursor *c, struct c_token t);

#endif
