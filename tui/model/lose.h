/* SPDX-License-Identifier: MIT */
#ifndef TUI_LOSE_H
#define TUI_LOSE_H

/* Questions before something is lost for good, and what that would be: the run in hand, variables, files,
 * unsaved buffers. The dialog stands at once and fills in as the kernels and the sandbox answer. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct effects;
struct model;
struct msg;
struct trm_lang;

enum lose_what {
	LOSE_NOTHING,
	LOSE_WORKBENCH,  /* by leaving */
	LOSE_NONE_OF_IT, /* nothing: the sandbox stays, and text is kept */
	LOSE_SANDBOX,    /* by starting another */
	LOSE_KERNEL,     /* by starting it anew */
	LOSE_VARIABLES,  /* by forgetting them */
};

enum lose_files { FILES_UNKNOWN, FILES_ASKED, FILES_KNOWN };

struct lose {
	enum lose_what what;
	const struct trm_lang *lang; /* of a kernel, of variables */
	enum lose_files files;
	size_t n_files;
	uint64_t file_bytes;
	bool has_more;   /* files than were told */
	char names[400]; /* of the first ones */
};

/* Ask, and tell what would be lost. */
void lose_ask(struct model *m, enum lose_what what, struct effects *out);
/* Is there anything that leaving would lose? */
bool lose_is_worth_asking(const struct model *m);
/* The question about leaving stands. */
bool lose_is_leaving(const struct model *m);
/* What is known has changed: the dialog, if it is open, says so. */
void lose_refresh(struct model *m);

void lose_answer_dialog(struct model *m, int answer, struct effects *out);
/* MSG_FILES; the answer to a reset. */
void lose_take_files(struct model *m, const struct msg *msg);
void lose_answer(struct model *m, const struct msg *msg, struct effects *out);

#endif
