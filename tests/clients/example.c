/* SPDX-License-Identifier: MIT */
/* A whole client of libterrarium: two runs that share state, output as it comes.
 *
 *   cc example.c $(pkg-config --cflags --libs terrarium) && ./a.out [local|fake] CODE… */
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

struct client {
	struct trm_session *session;
	char **codes; /* left to run; NULL-terminated */
	bool is_over, is_closed;
};

static void run_next(struct client *c);

static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	(void)user;
	(void)run;
	fwrite(bytes, 1, n, stream == TRM_STDERR ? stderr : stdout);
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	(void)run;
	printf("[%s%s%s]\n", trm_status_name(result->status), result->value ? " " : "",
			result->value ? result->value : "");
	run_next(user);
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct client *c = user;
	(void)sandbox;
	if (why->code)
		fprintf(stderr, "example: %s\n", why->msg);
	c->is_over = c->is_closed = true;
}

static void run_next(struct client *c)
{
	static const struct trm_run_cb cb = {.output = on_output, .done = on_done};
	struct trm_run_opts opts;
	trm_run_opts_default(&opts);
	opts.lang = trm_lang_default();
	opts.code = *c->codes ? *c->codes++ : NULL;
	opts.code_len = opts.code ? strlen(opts.code) : 0;
	if (!opts.code || trm_session_run(c->session, &opts, &cb, c, NULL, NULL) < 0)
		c->is_over = true;
}

int main(int argc, char **argv)
{
	static const struct trm_sandbox_cb cb = {.closed = on_closed};
	struct client c = {.codes = argv + (argc > 1 ? 2 : 1)};
	struct trm_sandbox_opts opts;
	struct trm_sandbox *sandbox;
	struct trm_loop *loop;
	struct trm_error why;
	trm_sandbox_opts_default(&opts);
	opts.backend = argc > 1 ? argv[1] : NULL;
	if (trm_loop_create(&loop, &why) < 0 || trm_sandbox_open(loop, &opts, &cb, &c, &sandbox, &why) < 0
			|| trm_session_open(sandbox, NULL, NULL, NULL, &c.session, &why) < 0) {
		fprintf(stderr, "example: %s\n", why.msg);
		return 1;
	}
	run_next(&c); /* at once: nothing has to be waited for */
	while (!c.is_over)
		trm_loop_step(loop, -1);
	trm_session_close(c.session);
	if (!c.is_closed)
		trm_sandbox_close(sandbox);
	while (!c.is_closed)
		trm_loop_step(loop, -1);
	trm_loop_destroy(loop);
	return 0;
}
