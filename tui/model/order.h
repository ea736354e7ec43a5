/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_ORDER_H
#define TUI_MODEL_ORDER_H

/* What front ends without keys ask of the model by MSG_ORDER: the linear workbench, which reads lines, the
 * player of recordings and the monitor. Pointers are borrowed during one update(). */

#include <stddef.h>
#include <stdint.h>

struct command;
struct effects;
struct model;
struct msg;
struct trm_lang;

/* After the colon: the members of struct order that go with it. */
enum order_kind {
	ORDER_COMMAND,     /* : command */
	ORDER_EDIT,        /* : from, to, text, len; replace these bytes of the current buffer */
	ORDER_GO_TO_LINE,  /* : number, from 0 */
	ORDER_BUFFER,      /* : number of the buffer to show, from 0 */
	ORDER_LANGUAGE,    /* : lang */
	ORDER_PICK,        /* : number of an item of the dialog, from 0; as if Enter was pressed on it */
	ORDER_PRESS,       /* : number of a button of the dialog, from 0 */
	ORDER_FILL,        /* : text for the field of the dialog, then Enter; NULL: leave what is in it */
	ORDER_INPUT,       /* : text, a line for the run; NULL: the end of its input */
	ORDER_SANDBOX,     /* : number of the sandbox to select in the list, from 0 */
	ORDER_OPEN,        /* : text, a path */
	ORDER_SAVE,        /* : text, a path */
	ORDER_EXPORT,      /* : text, a path */
	ORDER_RECORD,      /* : text, a path */
	ORDER_FORGET_HELP, /* close the list of completions */
	ORDER_REFUSE,      /* say that a recording cannot be changed */
	ORDER_LEAVE,       /* quit without a question */
	ORDER_RUN,         /* : lang, text, len; run exactly these bytes */
	ORDER_SHOW_LIST,   /* : number; show the list of sandboxes, or 0: hide it */
	ORDER_REWIND,      /* forget what came from the recording */
	ORDER_POSITION,    /* : number, the time in the recording, in us */
};

struct order {
	enum order_kind kind;
	uint64_t number;
	size_t from, to;
	const char *text;
	size_t len;
	const struct command *command;
	const struct trm_lang *lang;
};

void order_update(struct model *m, const struct msg *msg, struct effects *out);

#endif
