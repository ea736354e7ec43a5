/* SPDX-License-Identifier: MIT */
#include "cmd/camel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/confirm.h"
#include "cmd/source.h"
#include "stream/sink.h"

/* The interpreter blocks, so signals arrive through a descriptor that interrupts it. The question and the
 * printing also watch this descriptor. The first signal ends the sandbox and then the program. */

struct camel {
	const struct camel_opts *opts;
	struct trm_interpreter *interpreter;
	struct trm_config_lists lists; /* room for those of its sandbox */
	struct trm_loop *loop;         /* for printing */
	struct sink out;
	int signal_fd;
	int answer_fd;               /* where the person types; -1: no terminal */
	const struct source *source; /* current source that was not shown yet */
	int exit_code;
	int ended_by; /* signal, or 0 */
	bool is_over, is_broken, is_pipe_broken;
};

/* ---- signals --------------------------------------------------------------------------- */

static int open_signals(void)
{
	static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction action;
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		/* nohup ignores SIGHUP */
		if (wanted[i] != SIGHUP || sigaction(SIGHUP, NULL, &action) < 0
				|| action.sa_handler != SIG_IGN)
			sigaddset(&set, wanted[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Has a signal arrived? */
static bool is_ended(struct camel *c)
{
	struct signalfd_siginfo info;
	if (!c->ended_by && read(c->signal_fd, &info, sizeof info) == (ssize_t)sizeof info)
		c->ended_by = (int)info.ssi_signo;
	return c->ended_by != 0;
}

static const char *code_type(const struct camel *c, const struct source *source)
{
	return c->opts->code_type ? c->opts->code_type : source->lang->name;
}

/* ---- the question ----------------------------------------------------------------------------- */

/* Read one byte from the person. 0: there are no more. */
static char next_byte(struct camel *c)
{
	char byte;
	for (;;) {
		struct pollfd fds[] = {{.fd = c->answer_fd, .events = POLLIN},
				{.fd = c->signal_fd, .events = POLLIN}};
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return 0;
		if (is_ended(c))
			return 0;
		if (!fds[0].revents)
			continue;
		ssize_t n = read(c->answer_fd, &byte, 1);
		if (n == 1 && byte)
			return byte;
		if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
			return 0;
	}
}

static int ask_person(void *user, const char *question, char *out, size_t cap)
{
	struct camel *c = user;
	size_t n = 0;
	char byte;
	if (c->answer_fd < 0)
		return TRM_ECLOSED;
	if (c->source)
		confirm_show(stderr, c->source->is_command ? "shell command" : code_type(c, c->source),
				c->source);
	c->source = NULL;
	fputs(question, stderr);
	fflush(stderr);
	while ((byte = next_byte(c)) && byte != '\n')
		if (n + 1 < cap)
			out[n++] = byte;
	out[n] = '\0';
	if (byte != '\n')
		fputc('\n', stderr);
	return byte == '\n' || (n && !c->ended_by) ? 0 : TRM_ECLOSED;
}

/* Read answers from stdin, as Python's input() does. If the code comes from stdin, read them from the
 * terminal. */
static int open_answers(const struct camel_opts *opts)
{
	for (size_t i = 0; i < opts->n_sources; i++)
		if (opts->sources[i].kind == SOURCE_STDIN)
			return open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return STDIN_FILENO;
}

/* ---- printing --------------------------------------------------------------------------- */

static void on_camel_broken(void *user, struct sink *sink, int saved_errno)
{
	struct camel *c = user;
	(void)sink;
	c->is_pipe_broken = saved_errno == EPIPE;
	c->is_over = c->is_broken = true;
	c->exit_code = CMD_FAILED;
	if (!c->is_pipe_broken)
		cmd_fail("cannot write the output: %s", strerror(saved_errno));
}

static void on_camel_signal(void *user, int fd, uint32_t events)
{
	(void)fd;
	(void)events;
	is_ended(user);
}

static void print_camel(struct camel *c, const char *text)
{
	struct trm_watch *watch = NULL;
	sink_line(&c->out, text);
	if (trm_loop_add_fd(c->loop, c->signal_fd, TRM_READ, on_camel_signal, c, &watch, NULL) < 0)
		return;
	while (!sink_is_empty(&c->out) && !c->is_broken && !c->ended_by)
		trm_loop_step(c->loop, -1);
	trm_watch_remove(watch);
}

/* ---- runs ------------------------------------------------------------------------------- */

static void report_interpreter_failure(struct camel *c, const struct trm_error *why)
{
	cmd_fail("%s", why->msg);
	if (why->code == TRM_ECANCELED) /* a "no", or a signal */
		c->is_over = true;
	if (!c->exit_code)
		c->exit_code = why->code == TRM_ETIMEDOUT ? CMD_TIMED_OUT : CMD_FAILED;
}

/* Never run TypeScript as JavaScript without a word. */
static void note_typescript(const struct camel_opts *opts)
{
	const char *type = opts->code_type ? opts->code_type : "";
	if (!strcmp(type, "ts") || !strcmp(type, "typescript"))
		fputs("terrarium: TypeScript is passed to Node unchanged, as CAMEL does: types in it are syntax "
		      "errors\n",
				stderr);
}

static void run_one(struct camel *c, const struct source *source)
{
	struct trm_error why = {0};
	char *text = NULL;
	c->source = source;
	int r = source->is_command
				? trm_interpreter_execute_command(c->interpreter, source->text, &text, &why)
				: trm_interpreter_run(c->interpreter, source->text, code_type(c, source),
						&text, &why);
	if (is_ended(c))
		c->is_over = true;
	else if (r < 0)
		report_interpreter_failure(c, &why);
	else
		print_camel(c, text);
	free(text);
}

/* A sandbox without a chosen name: print its name, so that the person can find it again. */
static void note_kept(struct camel *c)
{
	const char *name = trm_sync_name(trm_interpreter_sync(c->interpreter));
	struct trm_sandbox *s = trm_sync_sandbox(trm_interpreter_sync(c->interpreter));
	if (s && trm_sandbox_is_kept(s) && !*c->opts->config->name)
		fprintf(stderr,
				"terrarium: sandbox %s is kept: 'terrarium attach %s' opens it, 'terrarium stop "
				"%s' ends it\n",
				name, name, name);
}

static int create_interpreter(struct camel *c, struct trm_error *reterr)
{
	const struct trm_config *config = c->opts->config;
	struct trm_interpreter_opts opts;
	trm_interpreter_opts_default(&opts);
	trm_config_sandbox_opts(config, &c->lists, &opts.sync.sandbox);
	opts.sync.sandbox.metrics_interval_ms = 0;
	opts.sync.output_keep_bytes = config->output_keep_bytes;
	opts.sync.interrupt_fd = c->signal_fd;
	opts.sync.policy = c->opts->policy;
	opts.sandbox_name = *config->name ? config->name : NULL;
	opts.timeout_ms = config->timeout_ms;
	opts.require_confirm = config->confirm;
	opts.prompt = ask_person;
	opts.prompt_user = c;
	int r = trm_loop_create(&c->loop, reterr);
	return r < 0 ? r : trm_interpreter_create(&opts, &c->interpreter, reterr);
}

int camel(const struct camel_opts *opts, bool *ret_is_pipe_broken)
{
	static const struct sink_cb sink_cb = {.broken = on_camel_broken};
	struct camel c = {.opts = opts, .signal_fd = open_signals(), .answer_fd = open_answers(opts)};
	struct trm_error why = {0};
	if (create_interpreter(&c, &why) < 0) {
		c.exit_code = cmd_fail("%s", why.msg);
	} else {
		note_typescript(opts);
		sink_init(&c.out, c.loop, STDOUT_FILENO, FILTER_LINES, &sink_cb, &c);
		for (size_t i = 0; i < opts->n_sources && !c.is_over && !c.ended_by; i++)
			run_one(&c, &opts->sources[i]);
		note_kept(&c);
		sink_finish(&c.out);
	}
	trm_interpreter_destroy(c.interpreter);
	trm_loop_destroy(c.loop);
	close(c.signal_fd);
	if (c.answer_fd > STDIN_FILENO)
		close(c.answer_fd);
	*ret_is_pipe_broken = c.is_pipe_broken;
	return c.ended_by ? CMD_SIGNALED + c.ended_by : c.exit_code;
}
