/* SPDX-License-Identifier: MIT */
/* Several sandboxes in one thread, each with a run that never ends; all are interrupted once all have come so
 * far. An interrupt keeps variables, as the next run shows. */
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

enum { N_BOXES = 3 };

struct box {
	struct trm_sandbox *sandbox;
	struct trm_session *session;
	struct trm_run *run; /* NULL: none */
	unsigned n_runs;     /* that are over */
	bool has_begun, is_closed;
};

static struct box boxes[N_BOXES];
static unsigned n_begun;

static void run_next(struct box *box);

/* Once for each sandbox: its run prints something, or ends before that. */
static void note_begun(struct box *box)
{
	if (box->has_begun)
		return;
	box->has_begun = true;
	if (++n_begun < N_BOXES)
		return;
	for (unsigned i = 0; i < N_BOXES; i++)
		if (boxes[i].run)
			trm_run_interrupt(boxes[i].run);
}

/* An interrupt of a run that has printed nothing yet may come before its first line. */
static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	(void)run, (void)stream, (void)bytes, (void)n;
	note_begun(user);
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct box *box = user;
	(void)run;
	box->run = NULL;
	box->n_runs++;
	note_begun(box);
	printf("%s%s%s\n", trm_status_name(result->status), result->value ? ": x is " : "",
			result->value ? result->value : "");
	run_next(box);
}

static void run_next(struct box *box)
{
	static const char *const codes[] = {"x = 5\nprint('on', flush=True)\nwhile True: pass", "x"};
	static const struct trm_run_cb cb = {.output = on_output, .done = on_done};
	struct trm_run_opts opts = TRM_RUN_OPTS_INIT;
	struct trm_error why = {0};
	opts.lang = trm_lang_default();
	if (box->n_runs < 2) {
		opts.code = codes[box->n_runs];
		opts.code_len = strlen(opts.code);
		if (trm_session_run(box->session, &opts, &cb, box, &box->run, &why) == 0)
			return;
		fprintf(stderr, "%s\n", why.msg);
	}
	trm_session_close(box->session);
	trm_sandbox_close(box->sandbox);
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct box *box = user;
	(void)sandbox;
	if (why->code)
		fprintf(stderr, "%s\n", why->msg);
	box->is_closed = true;
}

/* Runs may be asked for at once: they wait until the sandbox is there. */
static int open_box(struct trm_loop *loop, struct box *box, struct trm_error *why)
{
	static const struct trm_sandbox_cb cb = {.closed = on_closed};
	int r = trm_sandbox_open(loop, NULL, &cb, box, &box->sandbox, why);
	if (r == 0)
		r = trm_session_open(box->sandbox, NULL, NULL, NULL, &box->session, why);
	if (r == 0)
		run_next(box);
	return r;
}

int main(void)
{
	struct trm_loop *loop;
	struct trm_error why;
	bool is_over = false;
	if (trm_loop_create(&loop, &why) < 0)
		return 1;
	for (unsigned i = 0; i < N_BOXES; i++)
		if (open_box(loop, &boxes[i], &why) < 0) {
			fprintf(stderr, "%s\n", why.msg);
			return 1;
		}
	while (!is_over && trm_loop_step(loop, -1) >= 0) {
		is_over = true;
		for (unsigned i = 0; i < N_BOXES; i++)
			is_over &= boxes[i].is_closed;
	}
	trm_loop_destroy(loop);
	return 0;
}
