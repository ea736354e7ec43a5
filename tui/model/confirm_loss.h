/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_CONFIRM_LOSS_H
#define TUI_MODEL_CONFIRM_LOSS_H

/* Questions before something is lost for good, and what that would be: the run in hand, variables, files,
 * unsaved buffers. The dialog stands at once and fills in as the kernels and the sandbox answer. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct effects;
struct model;
struct msg;
struct trm_lang;

enum loss {
	LOSS_NOTHING,
	LOSS_WORKBENCH,  /* by leaving */
	LOSS_NONE_OF_IT, /* nothing: the sandbox stays, and text is kept */
	LOSS_SANDBOX,    /* by starting another */
	LOSS_KERNEL,     /* by starting it anew */
	LOSS_VARIABLES,  /* by forgetting them */
};

enum loss_files { FILES_UNKNOWN, FILES_ASKED, FILES_KNOWN };

struct loss_question {
	enum loss what;
	const struct trm_lang *lang; /* of a kernel, of variables */
	enum loss_files files;
	size_t n_files;
	uint64_t file_bytes;
	bool has_more;   /* files than were told */
	char names[400]; /* of the first ones */
};

/* Ask, and tell what would be lost. */
void loss_ask(struct model *m, enum loss what, struct effects *out);
/* Is there anything that leaving would lose? */
bool loss_is_worth_asking(const struct model *m);
/* The question about leaving stands. */
bool loss_is_leaving(const struct model *m);
/* What is known has changed: the dialog, if it is open, says so. */
void loss_refresh(struct model *m);

void loss_answer_dialog(struct model *m, int answer, struct effects *out);
/* MSG_FILES; the answer to a reset. */
void loss_take_files(struct model *m, const struct msg *msg);
void loss_answer(struct model *m, const struct msg *msg, struct effects *out);

#endif
