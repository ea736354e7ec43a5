/* SPDX-License-Identifier: MIT */
#ifndef TUI_ASKS_H
#define TUI_ASKS_H

/* Questions of the workbench to a kernel. For each purpose the newest question counts: an
 * answer to an older one is stale and dropped. Nobody waits for an answer. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/session.h>

struct effects;
struct model;
struct msg;

enum ask_purpose {
	ASK_COMPLETE,  /* the popup in the editor: complete.c */
	ASK_INSPECT,   /* inspect.c */
	ASK_SIGNATURE, /* of the call that is being typed: signature.c */
	ASK_VARIABLES, /* variables.c */
	ASK_RESET,     /* lose.c */
	ASK_COUNT
};

struct ask {
	uint32_t serial; /* of the newest question; 0: none */
	const struct trm_lang *lang;
	uint64_t sent_ns;
	bool is_open; /* the answer has not come yet */
};

struct asks {
	struct ask items[ASK_COUNT];
	uint32_t last_serial;
};

/* Can a kernel of this language answer at once? Not while it runs code, or is not there. */
bool asks_can(const struct model *m, const struct trm_lang *lang);

/* Ask. `cursor` as in trm_session_ask(). */
void asks_send(struct model *m, enum ask_purpose purpose, enum trm_question question,
		const struct trm_lang *lang, const char *code, size_t len, size_t cursor,
		struct effects *out);
/* The answer will not be wanted. */
void asks_forget(struct model *m, enum ask_purpose purpose);

/* MSG_ANSWER. */
void update_answer(struct model *m, const struct msg *msg, struct effects *out);

#endif
