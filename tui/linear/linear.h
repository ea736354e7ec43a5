/* SPDX-License-Identifier: MIT */
#ifndef TUI_LINEAR_H
#define TUI_LINEAR_H

/* The workbench as a plain stream of lines, for screen readers, dumb terminals and pipes. Linear mode
 * shows the same model as the full screen, with other output and other input. It reports each change
 * once, in words. A typed line is code for the buffer, an answer to a question, input for the run, or,
 * with a colon in front, a command. Nothing here does I/O: text collects in `out`, and the app prints it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "model/order.h"
#include "record/writer.h"

struct msg;

/* Takes a message to update(). */
typedef void linear_send_fn(void *user, struct msg *msg);

struct linear {
	linear_send_fn *send;
	void *user;
	struct writer out; /* to be printed */
	bool has_person;   /* a person types: prompts are shown */
	bool has_prompt;   /* the cursor stands behind a prompt */
	/* already reported: */
	uint64_t line;      /* the next line of the output to report */
	enum out_kind kind; /* kind of the previous line */
	uint32_t ended;     /* the ends of all runs up to this serial were reported */
	uint32_t started;   /* this run was reported as running */
	uint64_t notices;
	enum sandbox_state sandbox;
	bool has_sandbox;  /* false until the first report of the sandbox's state */
	char doing[160];   /* the reported step of its start */
	uint64_t doing_ns; /* when to report the next step; 0: no step has been reported */
	bool reads_line;
	enum trm_stop step;
	uint64_t question;           /* hash that tells one dialog from the next; 0: no dialog */
	uint64_t question_lines[24]; /* the reported lines of a dialog whose lines change */
	size_t n_question_lines;
	bool wants_variables, wants_sandboxes; /* report them as soon as they are known */
	/* state of the input: */
	bool kernel_query_words; /* completions were requested; … */
	size_t probe;            /* … for this many bytes at the end of the buffer */
	uint32_t last_run;       /* newest run at the time of the last line of code */
	uint32_t typed_in;       /* id of the buffer with that line; 0: none */
};

void linear_init(struct linear *l, bool has_person, linear_send_fn *send, void *user);
void linear_finish(struct linear *l); /* takes a zeroed object */

/* Report all changes. True: a text was shown that needs no answer; the caller closes it by linear_line()
 * with "". */
bool linear_report(struct linear *l, const struct model *m);
/* The text in front of the cursor, for a person who types. The caller calls linear_prompt() when it has
 * nothing else to report for now. */
void linear_prompt(struct linear *l, const struct model *m);

/* Say what the buffers are, perhaps without empty ones, and which one typed code goes to. */
void linear_say_buffers(struct linear *l, const struct model *m, bool has_empty);
/* A line was typed (without its newline). What it asks for goes to `send`, which changes the model. */
void linear_line(struct linear *l, const struct model *m, const char *line);
/* Ctrl-C */
void linear_interrupt(struct linear *l, const struct model *m);
/* The end of the input: of the run's input if the run reads, otherwise of the session. */
void linear_end(struct linear *l, const struct model *m);
/* For input from a pipe or a file: the next line may be taken, because it can depend on nothing that is
 * still in progress. */
bool linear_is_ready(const struct linear *l, const struct model *m);

/* ---- private to the room ---- */

/* Write a line of its own. The cursor leaves a shown prompt first. */
void linear_say(struct linear *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* commands.c: "name rest" */
void linear_command(struct linear *l, const struct model *m, const char *text);

/* words.c: values in spoken form */
void linear_metrics(struct linear *l, const struct model *m);
void linear_processes(struct linear *l, const struct model *m);
void linear_status(struct linear *l, const struct model *m);
void linear_variables(struct linear *l, const struct model *m);
void linear_sandboxes(struct linear *l, const struct model *m);
void linear_run(struct linear *l, const struct run_info *run);

/* line.c */
void linear_order(struct linear *l, struct order order);
void linear_order_command(struct linear *l, const char *name);                 /* of the workbench */
void linear_append(struct linear *l, const struct model *m, const char *text); /* at the end of the buffer */

/* search.c */
void linear_find(struct linear *l, const struct model *m, const char *what);
void linear_find_all(struct linear *l, const struct model *m, const char *what);
void linear_replace(struct linear *l, const struct model *m, const char *what);
void linear_search(struct linear *l, const struct model *m, const char *what);
void linear_inspect(struct linear *l, const struct model *m, const char *words);
void linear_complete(struct linear *l, const struct model *m, const char *words);
void linear_complete_end(struct linear *l, const struct model *m);
bool linear_print_candidates(struct linear *l, const struct model *m);

/* report.c */
void linear_output(struct linear *l, const struct model *m, uint32_t serial); /* of one run again; 0: all */

#endif
