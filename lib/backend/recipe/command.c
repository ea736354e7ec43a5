/* SPDX-License-Identifier: MIT */
#include "backend/recipe/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

#include "base/buf.h"
#include "base/err.h"

enum { LINE_BYTES = 512, OUT, ERR = OUT + 1 };

struct pipe_end {
	struct command *command;
	struct trm_watch *watch;
	int fd; /* -1: closed */
	struct buf bytes;
	char line[LINE_BYTES];
	size_t line_n;
};

struct command {
	struct trm_loop *loop;
	const struct command_cb *cb;
	void *user;
	char *step, *env;
	size_t n, env_n, at; /* `at`: of the next command */
	uint32_t timeout_ms, silence_ms;
	const char *program;
	pid_t pid;
	int status;
	struct trm_child *child;
	struct trm_timer *timeout, *silence;
	bool is_timed_out, is_stopped;
	struct pipe_end out, err;
};

extern char **environ;

/* ---- the end ------------------------------------------------------------------------- */

static void end_close(struct pipe_end *end)
{
	trm_watch_remove(end->watch);
	end->watch = NULL;
	if (end->fd >= 0)
		close(end->fd);
	end->fd = -1;
}

static void command_destroy(struct command *c)
{
	end_close(&c->out);
	end_close(&c->err);
	buf_finish(&c->out.bytes);
	buf_finish(&c->err.bytes);
	trm_child_remove(c->child);
	trm_timer_remove(c->timeout);
	trm_timer_remove(c->silence);
	free(c->step);
	free(c->env);
	free(c);
}

/* The last lines, joined, for a message. */
static char *words_of(const struct command *c)
{
	const struct buf *from = c->err.bytes.len ? &c->err.bytes : &c->out.bytes;
	const char *text = buf_at(from) ? buf_at(from) : "";
	size_t n = from->len, cap = COMMAND_MAX_WORDS + 1;
	char *words = malloc(cap), *flat = malloc(n + 1);
	if (words)
		words[0] = '\0';
	for (size_t i = 0; words && flat && i < n; i++)
		flat[i] = text[i] == '\n' || text[i] == '\r' || text[i] == '\t' ? ' ' : text[i];
	while (words && flat && n && flat[n - 1] == ' ')
		n--;
	if (words && flat)
		trm_text_clean_line(words, cap, flat, n);
	free(flat);
	return words;
}

static char *last_of(const struct command *c)
{
	const struct buf *from = c->err.bytes.len ? &c->err.bytes : &c->out.bytes;
	const char *text = buf_at(from) ? buf_at(from) : "";
	size_t end = from->len, start;
	while (end && strchr("\r\n\t ", text[end - 1]))
		end--;
	for (start = end; start && text[start - 1] != '\n';)
		start--;
	char *last = malloc(COMMAND_MAX_WORDS + 1);
	if (last)
		trm_text_clean_line(last, COMMAND_MAX_WORDS + 1, text + start, end - start);
	return last;
}

static char *out_of(const struct command *c)
{
	size_t n = c->out.bytes.len;
	const char *text = buf_at(&c->out.bytes);
	while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		n--;
	return strndup(n ? text : "", n);
}

static void finish_command(struct command *c)
{
	char *out = out_of(c), *words = words_of(c), *last = last_of(c);
	bool has_all = out && words
		       && last; /* otherwise the step has failed, because its output cannot be read */
	const struct command_result result = {.status = has_all ? c->status : -1,
			.is_timed_out = c->is_timed_out,
			.is_stopped = c->is_stopped,
			.out = has_all ? out : "",
			.words = has_all ? words : "out of memory",
			.last = has_all ? last : "out of memory",
			.program = c->program};
	trm_timer_stop(c->timeout);
	trm_timer_stop(c->silence);
	c->cb->done(c->user, &result);
	free(out);
	free(words);
	free(last);
	command_destroy(c);
}

static void kill_all(const struct command *c, int signo)
{
	if (c->child)
		kill(-c->pid, signo); /* its session is a process group of its own */
}

/* ---- what it prints ------------------------------------------------------------------- */

static void report_line(struct pipe_end *end)
{
	struct command *c = end->command;
	char clean[LINE_BYTES + 8];
	trm_text_clean_line(clean, sizeof clean, end->line, end->line_n);
	end->line_n = 0;
	if (*clean && c->cb->line && !c->is_stopped)
		c->cb->line(c->user, clean);
}

static void collect_lines(struct pipe_end *end, const char *bytes, size_t n)
{
	size_t room = end->bytes.max - end->bytes.len;
	if (end == &end->command->err && n > room && n <= end->bytes.max)
		buf_take(&end->bytes, n - room);
	buf_append(&end->bytes, bytes, n);
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\n' || bytes[i] == '\r')
			report_line(end);
		else if (end->line_n < LINE_BYTES)
			end->line[end->line_n++] = bytes[i];
	}
}

static void drain_pipe(struct pipe_end *end)
{
	char bytes[4096];
	ssize_t n = 0;
	while (end->fd >= 0 && ((n = read(end->fd, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0)
			collect_lines(end, bytes, (size_t)n);
	if (end->fd >= 0 && (n == 0 || errno != EAGAIN))
		end_close(end);
}

static void on_bytes(void *user, int fd, uint32_t events)
{
	struct pipe_end *end = user;
	struct command *c = end->command;
	(void)fd, (void)events;
	if (c->silence_ms && c->child)
		trm_timer_start(c->silence, c->silence_ms, 0);
	drain_pipe(end);
}

static int end_open(struct pipe_end *end, struct command *c, int *ret_far, struct trm_error *reterr)
{
	int fds[2];
	end->command = c;
	end->fd = -1;
	end->line_n = 0;
	buf_clear(&end->bytes);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return trm_error_set_errno(reterr, errno, "cannot make a pipe for %s", c->program);
	end->fd = fds[0];
	*ret_far = fds[1];
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	return trm_loop_add_fd(c->loop, fds[0], TRM_READ, on_bytes, end, &end->watch, reterr);
}

/* ---- running ---------------------------------------------------------------------------- */

static int run_next(struct command *c, struct trm_error *reterr);

/* Do not wait for other processes that hold the pipes (such as a helper that stays). */
static void on_end(void *user, pid_t pid, int status)
{
	struct command *c = user;
	struct trm_error why = {0};
	(void)pid;
	c->child = NULL;
	c->status = status;
	drain_pipe(&c->out);
	drain_pipe(&c->err);
	end_close(&c->out);
	end_close(&c->err);
	if (status == 0 && !c->is_stopped && !c->is_timed_out && c->at < c->n) {
		if (run_next(c, &why) == 0)
			return;
		c->status = -1;
		buf_clear(&c->err.bytes);
		buf_append(&c->err.bytes, why.msg, strlen(why.msg));
	}
	finish_command(c);
}

static void end_it(struct command *c)
{
	kill_all(c, SIGTERM);
	trm_timer_stop(c->silence);
	trm_timer_start(c->timeout, COMMAND_STOP_MS, 0);
}

static void on_impatient(void *user)
{
	struct command *c = user;
	if (c->is_timed_out || c->is_stopped) {
		kill_all(c, SIGKILL);
		return;
	}
	c->is_timed_out = true;
	end_it(c);
}

static size_t split_command(struct command *c, char **argv)
{
	size_t n = 0;
	while (c->at < c->n && c->step[c->at] && n < COMMAND_MAX_ARGS) {
		argv[n++] = c->step + c->at;
		c->at += strlen(c->step + c->at) + 1;
	}
	while (c->at < c->n && !c->step[c->at])
		c->at++;
	argv[n] = NULL;
	return n;
}

/* Our environment and the recipe's additions. The first value of a name counts, so the additions come
 * first. */
static char **make_env(const struct command *c)
{
	size_t n = 0, i = 0;
	for (char **at = environ; at && *at; at++)
		n++;
	for (size_t k = 0; k < c->env_n; k++)
		n += !c->env[k];
	char **env = malloc((n + 1) * sizeof *env);
	for (size_t k = 0; env && k < c->env_n; k += strlen(c->env + k) + 1)
		env[i++] = c->env + k;
	for (char **at = environ; env && at && *at; at++) {
		size_t len = strcspn(*at, "="), k = 0;
		while (k < c->env_n && (strncmp(c->env + k, *at, len) != 0 || c->env[k + len] != '='))
			k += strlen(c->env + k) + 1;
		if (k >= c->env_n)
			env[i++] = *at;
	}
	if (env)
		env[i] = NULL;
	return env;
}

static int spawn_command(struct command *c, char **argv, int out, int err)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	char **env = make_env(c);
	int error = env ? 0 : ENOMEM;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	posix_spawn_file_actions_adddup2(&files, err, 2);
	posix_spawn_file_actions_addclosefrom_np(&files, 3);
	if (!error)
		error = posix_spawnp(&c->pid, argv[0], &files, &attr, argv, env);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	free(env);
	return error;
}

static int spawn_failed(const char *program, int error, struct trm_error *reterr)
{
	if (error == ENOENT)
		return trm_error_set(reterr, TRM_EMISSING,
				"the program '%.100s' is not installed, or not in PATH", program);
	return trm_error_set_errno(reterr, error, "cannot start '%.100s'", program);
}

static int run_next(struct command *c, struct trm_error *reterr)
{
	char *argv[COMMAND_MAX_ARGS + 1];
	int out = -1, err = -1;
	if (!split_command(c, argv))
		return trm_error_set(reterr, TRM_EINVAL, "there is no command to run");
	c->program = argv[0];
	int r = end_open(&c->out, c, &out, reterr);
	if (r == 0)
		r = end_open(&c->err, c, &err, reterr);
	int error = r == 0 ? spawn_command(c, argv, out, err) : 0;
	if (error)
		r = spawn_failed(argv[0], error, reterr);
	if (out >= 0)
		close(out);
	if (err >= 0)
		close(err);
	if (r == 0 && (r = trm_loop_add_child(c->loop, c->pid, on_end, c, &c->child, reterr)) < 0) {
		kill(-c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
	}
	if (r == 0 && c->timeout_ms)
		trm_timer_start(c->timeout, c->timeout_ms, 0);
	if (r == 0 && c->silence_ms)
		trm_timer_start(c->silence, c->silence_ms, 0);
	return r;
}

static char *copied(const char *bytes, size_t n)
{
	char *copy = malloc(n + 1);
	if (copy && n)
		memcpy(copy, bytes, n);
	if (copy)
		copy[n] = '\0';
	return copy;
}

int command_start(struct trm_loop *loop, const struct command_opts *opts, const struct command_cb *cb,
		void *user, struct command **ret, struct trm_error *reterr)
{
	struct command *c = calloc(1, sizeof *c);
	if (!c)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*c = (struct command){.loop = loop,
			.cb = cb,
			.user = user,
			.n = opts->n,
			.env_n = opts->env_n,
			.timeout_ms = opts->timeout_ms,
			.silence_ms = opts->silence_ms,
			.out.fd = -1,
			.err.fd = -1,
			.program = "a command"};
	buf_init(&c->out.bytes, COMMAND_MAX_OUT);
	buf_init(&c->err.bytes, COMMAND_MAX_WORDS);
	c->step = copied(opts->step, opts->n);
	c->env = copied(opts->env, opts->env_n);
	int r = c->step && c->env ? 0 : trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	if (r == 0)
		r = trm_loop_add_timer(loop, on_impatient, c, &c->timeout, reterr);
	if (r == 0)
		r = trm_loop_add_timer(loop, on_impatient, c, &c->silence, reterr);
	if (r == 0)
		r = run_next(c, reterr);
	if (r < 0)
		command_destroy(c);
	else
		*ret = c;
	return r;
}

int command_start_args(struct trm_loop *loop, const struct trm_recipe *recipe, const struct buf *args,
		struct command_opts opts, const struct command_cb *cb, void *user, struct command **ret,
		struct trm_error *reterr)
{
	struct buf env;
	buf_init(&env, RECIPE_EXPANDED_MAX);
	int r = recipe_env(recipe, &env, reterr);
	opts.step = buf_at(args);
	opts.n = args->len;
	opts.env = buf_at(&env);
	opts.env_n = env.len;
	if (r == 0)
		r = command_start(loop, &opts, cb, user, ret, reterr);
	buf_finish(&env);
	return r;
}

int command_start_step(struct trm_loop *loop, const struct trm_recipe *recipe, enum recipe_step step,
		const struct recipe_facts *facts, uint32_t timeout_ms, const struct command_cb *cb,
		void *user, struct command **ret, struct trm_error *reterr)
{
	const struct command_opts opts = {.timeout_ms = timeout_ms};
	struct buf args;
	buf_init(&args, RECIPE_EXPANDED_MAX);
	int r = recipe_expand(recipe, step, facts, &args, reterr);
	if (r == 0)
		r = command_start_args(loop, recipe, &args, opts, cb, user, ret, reterr);
	buf_finish(&args);
	return r;
}

void command_stop(struct command *c)
{
	if (c->is_stopped)
		return;
	c->is_stopped = true;
	end_it(c);
}

void command_abandon(struct command *c)
{
	if (!c)
		return;
	kill_all(c, SIGKILL);
	trm_child_detach(c->child);
	c->child = NULL;
	command_destroy(c);
}
