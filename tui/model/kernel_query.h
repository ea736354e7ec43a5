/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_KERNEL_QUERY_H
#define TUI_MODEL_KERNEL_QUERY_H

/* Questions of the workbench to a kernel. For each purpose only the newest question counts. An answer to an
 * older one is dropped. Nothing waits for an answer. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/session.h>

struct effects;
struct trm_table_query;
struct model;
struct msg;

enum ask_purpose {
	ASK_COMPLETE,  /* the completion popup: complete.c */
	ASK_INSPECT,   /* inspect.c */
	ASK_SIGNATURE, /* of the call at the cursor: inspect.c */
	ASK_VARIABLES, /* variables.c */
	ASK_RESET,     /* confirm_loss.c */
	ASK_TABLE,     /* table_page.c */
	ASK_MEMBERS,   /* variable_tree.c */
	ASK_COUNT
};

struct ask {
	uint32_t serial; /* of the newest question; 0: none */
	const struct trm_lang *lang;
	bool is_open; /* there is no answer yet */
};

struct kernel_queries {
	struct ask items[ASK_COUNT];
	uint32_t last_serial;
};

/* Can the kernel of this language answer at once? It cannot while it runs code or does not exist. */
bool kernel_query_can(const struct model *m, const struct trm_lang *lang);

/* Ask. `cursor` is as in trm_session_ask(). */
void kernel_query_send(struct model *m, enum ask_purpose purpose, enum trm_question question,
		const struct trm_lang *lang, const char *code, size_t len, size_t cursor,
		struct effects *out);
/* Ask for a page of a table. */
void kernel_query_table(struct model *m, const struct trm_lang *lang, const struct trm_table_query *query,
		struct effects *out);
/* Ignore the answer for this purpose. */
void kernel_query_forget(struct model *m, enum ask_purpose purpose);

/* MSG_ANSWER. */
void update_answer(struct model *m, const struct msg *msg, struct effects *out);

#endif
