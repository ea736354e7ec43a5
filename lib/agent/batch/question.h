/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_QUESTION_H
#define TRM_AGENT_QUESTION_H

/* Answers about names and variables of pieces. */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct order;

enum { QUESTION_NAME_SIZE = 64 };

/* What completes the word at the cursor. */
struct question_names {
	const struct order *order;
	const char *word;
	size_t n, start;
	struct buf names, kinds;
};

/* False: nothing can be completed there; question_end() is called all the same. `member_signs`: signs in
 * front of a member's name. */
bool question_begin(struct question_names *q, const struct order *o, const char *member_signs);
void question_add(struct question_names *q, const char *name, const char *kind);
void question_add_words(struct question_names *q, const char *words); /* keywords, apart by spaces */
/* Answer, and free it. */
void question_end(struct question_names *q);

/* Answer with variables; `known`: "NAME\0TYPE\0VALUE\0" for each. */
void question_answer_variables(const struct order *o, const struct buf *known);
/* The same for an inspection; without a variable it is not found. */
void question_answer_variable(const struct order *o, const struct buf *known);
/* The name at the cursor. False: there is none. */
bool question_name(const struct order *o, char name[QUESTION_NAME_SIZE]);

#endif
