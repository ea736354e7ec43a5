/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_CONFIRM_LOSS_H
#define TUI_MODEL_CONFIRM_LOSS_H

/* Questions before something is lost for good: the current run, variables, files, unsaved buffers. The
 * dialog opens at once and is updated as the kernels and the sandbox answer. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct effects;
struct model;
struct msg;
struct trm_lang;

enum loss {
	LOSS_NOTHING,
	LOSS_WORKBENCH, /* by quitting */
	/* By detaching, which loses nothing: the sandbox keeps running, and text is kept. */
	LOSS_NONE_OF_IT,
	/* By detaching from a sandbox that its owner has not kept: it ends with the owner. */
	LOSS_LATER,
	LOSS_SANDBOX,   /* by starting another sandbox */
	LOSS_KERNEL,    /* by restarting the kernel */
	LOSS_VARIABLES, /* by resetting the kernel */
};

enum loss_files { FILES_UNKNOWN, FILES_ASKED, FILES_KNOWN };

struct loss_question {
	enum loss what;
	const struct trm_lang *lang; /* for a kernel and for variables */
	enum loss_files files;
	size_t n_files;
	uint64_t file_bytes;
	bool has_more;   /* there are more files than were listed */
	char names[400]; /* of the first files */
};

/* Ask, and list what would be lost. */
void loss_ask(struct model *m, enum loss what, struct effects *out);
/* Would quitting lose anything? */
bool loss_is_worth_asking(const struct model *m);
/* Is the question about quitting open? */
bool loss_is_leaving(const struct model *m);
/* Update the dialog, if it is open, after new facts. */
void loss_refresh(struct model *m);

void answer_loss(struct model *m, int answer, struct effects *out); /* the function of the dialog */
/* MSG_FILES; the answer to a reset. */
void loss_take_files(struct model *m, const struct msg *msg);
void loss_answer(struct model *m, const struct msg *msg, struct effects *out);

#endif
