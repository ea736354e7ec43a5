/* SPDX-License-Identifier: MIT */
#ifndef TUI_LINEAR_H
#define TUI_LINEAR_H

/* The workbench as a plain stream of lines, for screen readers, dumb terminals and pipes: another painter and
 * another keyboard for the same model. What has changed is told in words, each thing once; what is typed is
 * code for the buffer, an answer, input for the run, or, with a colon in front, a command. Nothing here does
 * I/O: text piles up in `out` for the app to print. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "record/writer.h"

struct effects;

struct linear {
	struct writer out; /* to be printed */
	bool has_person;   /* somebody types: prompts are shown */
	bool has_prompt;   /* the cursor stands behind one */
	/* what has been told */
	uint64_t line;      /* of the output: the next one */
	enum out_kind kind; /* of the line before */
	uint32_t ended;     /* runs up to this serial have ended, and it was said */
	uint32_t started;   /* that this one goes on was said */
	uint64_t notices;
	enum sandbox_state sandbox;
	bool has_sandbox;  /* its state was told at all */
	char doing[160];   /* what its start was said to wait for */
	uint64_t doing_ns; /* when to say the next of it; 0: nothing was heard of it */
	bool reads_line;
	enum trm_stop step;
	uint64_t question;           /* what tells one dialog from the next; 0: none */
	uint64_t question_lines[24]; /* of one whose lines change: those that were told */
	size_t n_question_lines;
	bool wants_variables, wants_sandboxes; /* as soon as they are known */
	/* what has been typed */
	bool kernel_query_words; /* how some words go on; … */
	size_t probe;            /* so many bytes of them stand at the end of the buffer */
	uint32_t last_run;       /* newest run when the last line of code was typed */
};

void linear_init(struct linear *l, bool has_person);
void linear_finish(struct linear *l); /* takes a zeroed object */

/* Tell what has changed. True: a text was told that needs no answer, and linear_line() with "" closes it. */
bool linear_tell(struct linear *l, const struct model *m);
/* The words before the cursor, if somebody types. To be called when nothing more will be told for now. */
void linear_prompt(struct linear *l, const struct model *m);

/* A line was typed (without its newline). What is to be done goes to `out`, as with update(). */
void linear_line(struct linear *l, struct model *m, const char *line, struct effects *out);
/* Ctrl-C */
void linear_interrupt(struct linear *l, struct model *m, struct effects *out);
/* The end of the input: of the run's, if it reads; else of the session. */
void linear_end(struct linear *l, struct model *m, struct effects *out);
/* Of a pipe or a file, the next line may be taken: nothing is under way that it might depend on. */
bool linear_is_ready(const struct linear *l, const struct model *m);

/* ---- private to the room ---- */

/* A line of its own; a prompt that stands there is left behind. */
void linear_say(struct linear *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* commands.c: "name rest" */
void linear_command(struct linear *l, struct model *m, const char *text, struct effects *out);

/* words.c: numbers as one says them */
void linear_metrics(struct linear *l, const struct model *m);
void linear_processes(struct linear *l, const struct model *m);
void linear_status(struct linear *l, const struct model *m);
void linear_variables(struct linear *l, const struct model *m);
void linear_sandboxes(struct linear *l, const struct model *m);
void linear_run(struct linear *l, const struct run_info *run);

/* line.c: at the end of the buffer */
void linear_append(struct model *m, const char *text, size_t n, struct effects *out);

/* search.c */
void linear_find(struct linear *l, const struct model *m, const char *what);
void linear_replace(struct linear *l, struct model *m, const char *what);
void linear_search(struct linear *l, const struct model *m, const char *what);
void linear_inspect(struct linear *l, struct model *m, const char *words, struct effects *out);
void linear_complete(struct linear *l, struct model *m, const char *words, struct effects *out);
void linear_complete_end(struct linear *l, struct model *m, struct effects *out);
bool linear_say_words(struct linear *l, const struct model *m);

/* tell.c */
void linear_output(struct linear *l, const struct model *m, uint32_t serial); /* of one run again; 0: all */

#endif
