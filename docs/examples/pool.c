/* SPDX-License-Identifier: MIT */
/* with create_pool_manager(backend="docker", config=PoolConfig(min_pool_size=2, ...), lang="python") as pool:
 *     with SandboxSession(lang="python", pool=pool) as session:
 *         session.run("print('Hello from pool!')")
 *
 * Each sandbox of this pool is used once, so nobody sees the files of another user.
 * Argument: a backend. */
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

struct client {
	struct trm_pool *pool;
	struct trm_sandbox *sandbox;
	struct trm_session *session;
	unsigned left; /* sandboxes still to be asked for */
	bool has_failed, is_over;
};

static void ask(struct client *c);

static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	(void)user;
	(void)run;
	(void)stream;
	fwrite(bytes, 1, n, stdout);
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct client *c = user;
	(void)run;
	c->has_failed = c->has_failed || result->exit_code != 0;
	trm_sandbox_close(c->sandbox); /* it ends: the pool starts another one */
}

static void on_pool_closed(void *user)
{
	((struct client *)user)->is_over = true;
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct client *c = user;
	(void)sandbox;
	(void)why;
	trm_session_close(c->session);
	c->session = NULL;
	ask(c);
}

static void on_taken(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	static const struct trm_run_cb cb = {.output = on_output, .done = on_done};
	static const char code[] = "print('Hello from pool!', 'x' in globals())\nx = 1";
	struct trm_session_opts session = TRM_SESSION_OPTS_INIT;
	struct trm_run_opts run = TRM_RUN_OPTS_INIT;
	struct client *c = user;
	c->sandbox = sandbox;
	session.is_shared = true; /* the interpreter that the pool has started */
	run.lang = trm_lang_default();
	run.code = code;
	run.code_len = strlen(code);
	if (sandbox && trm_session_open(sandbox, &session, NULL, NULL, &c->session, NULL) == 0
			&& trm_session_run(c->session, &run, &cb, c, NULL, NULL) == 0)
		return;
	printf("%s\n", sandbox ? "the code cannot be run" : why->msg);
	c->has_failed = true;
	c->left = 0;
	if (sandbox)
		trm_sandbox_close(sandbox);
	else
		ask(c);
}

static void ask(struct client *c)
{
	static const struct trm_sandbox_cb cb = {.closed = on_closed};
	if (!c->left || trm_pool_take(c->pool, &cb, c, on_taken, c, NULL) < 0)
		trm_pool_close(c->pool, on_pool_closed, c);
	else
		c->left--;
}

int main(int argc, char **argv)
{
	const struct trm_lang *languages[] = {trm_lang_default(), NULL};
	struct trm_pool_opts opts = TRM_POOL_OPTS_INIT;
	struct client c = {.left = 3};
	struct trm_loop *loop;
	struct trm_error why;
	opts.sandbox.backend = argc > 1 ? argv[1] : "local";
	opts.languages = languages;
	opts.min_idle = 2;             /* min_pool_size */
	opts.max = 10;                 /* max_pool_size */
	opts.idle_timeout_ms = 300000; /* idle_timeout */
	opts.wait_timeout_ms = 30000;  /* acquisition_timeout */
	if (trm_loop_create(&loop, &why) < 0 || trm_pool_open(loop, &opts, &c.pool, &why) < 0) {
		fprintf(stderr, "%s\n", why.msg);
		return 1;
	}
	ask(&c);
	while (!c.is_over)
		trm_loop_step(loop, -1);
	trm_loop_destroy(loop);
	return c.has_failed;
}
