/* SPDX-License-Identifier: MIT */
/* The Model Context Protocol over stdin and stdout: one JSON message per line, in both directions.
 *
 * Theory of operation. When stdin is readable, its lines go to a server that does not listen on the network.
 * Replies are written at once, so a client that does not read them delays only itself. At the end of the
 * input the program waits for the remaining calls as long as the replies have a reader, and at most LAST_MS.
 * Then the sandboxes end. Nothing else is written to stdout. */
#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/serve.h"
#include "stream/policy_gate.h"

enum { LINE_MAX_BYTES = 2 << 20, READ_BYTES = 64 << 10, LAST_MS = 10000, WAIT_MS = 20, N_ENDS = 3 };

static const int ends[N_ENDS] = {SIGINT, SIGTERM, SIGHUP};

struct bridge {
	struct trm_config config;
	struct trm_serve_opts opts;
	struct trm_remote_opts there;
	struct trm_config_lists lists; /* room for those of the options */
	char files[512]; /* folder of our own for the files of stopped sandboxes; "": another one is named */
	struct trm_loop *loop;
	struct trm_server *server; /* NULL: it has ended */
	struct trm_watch *input;
	struct trm_signal *handler;
	struct trm_timer *timer;
	char *line; /* incomplete line */
	size_t n, cap;
	bool is_too_long; /* skip the rest of that line */
	unsigned n_waiting, waited_ms;
	bool is_at_end, is_deaf; /* end of the input; stdout has no reader */
};

/* ---- replies ------------------------------------------------------------------------------------ */

static void close_bridge(struct bridge *b)
{
	trm_watch_remove(b->input);
	b->input = NULL;
	b->is_at_end = true;
	if (b->server)
		trm_server_close(b->server);
}

static void write_reply(struct bridge *b, const char *bytes, size_t n)
{
	while (n && !b->is_deaf) {
		ssize_t part = write(STDOUT_FILENO, bytes, n);
		if (part < 0 && errno == EAGAIN)
			poll(&(struct pollfd){.fd = STDOUT_FILENO, .events = POLLOUT}, 1, -1);
		else if (part < 0 && errno != EINTR)
			b->is_deaf = true;
		bytes += part > 0 ? part : 0;
		n -= part > 0 ? (size_t)part : 0;
	}
}

static void on_reply(void *user, const char *reply, size_t n)
{
	struct bridge *b = user;
	b->n_waiting--;
	if (!reply)
		return;
	write_reply(b, reply, n);
	write_reply(b, "\n", 1);
}

static void refuse_line(struct bridge *b, const char *why)
{
	char text[512];
	int n = snprintf(text, sizeof text,
			"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"%s\"}}\n",
			why);
	write_reply(b, text, (size_t)n);
}

/* ---- messages ------------------------------------------------------------------------------------ */

static void take_line(struct bridge *b)
{
	struct trm_error why = {0};
	size_t n = b->n;
	bool is_blank = strspn(b->line ? b->line : "", " \t\r") >= n;
	b->n = 0;
	if (b->is_too_long)
		refuse_line(b, "the message is longer than 2 MiB");
	b->n_waiting++;
	if (b->is_too_long || is_blank || trm_server_mcp(b->server, b->line, n, on_reply, b, &why) < 0)
		b->n_waiting--;
	if (why.code == TRM_ENOMEM)
		refuse_line(b, "out of memory");
	b->is_too_long = false;
}

static void add_to_line(struct bridge *b, const char *bytes, size_t n)
{
	if (n > LINE_MAX_BYTES - b->n || b->is_too_long) {
		b->is_too_long = true;
		return;
	}
	if (b->n + n + 1 > b->cap) {
		size_t cap = 2 * (b->n + n + 1);
		char *grown = realloc(b->line, cap);
		if (!grown) {
			b->is_too_long = true;
			return;
		}
		b->line = grown;
		b->cap = cap;
	}
	memcpy(b->line + b->n, bytes, n);
	b->n += n;
	b->line[b->n] = '\0';
}

/* The last line may lack its newline. */
static void end_input(struct bridge *b)
{
	if (b->n || b->is_too_long)
		take_line(b);
	trm_watch_remove(b->input);
	b->input = NULL;
	b->is_at_end = true;
	trm_timer_start(b->timer, 0, WAIT_MS);
}

static bool read_lines(struct bridge *b)
{
	static char bytes[READ_BYTES];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n <= 0) {
		end_input(b);
		return false;
	}
	for (const char *at = bytes, *end = bytes + n; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		add_to_line(b, at, (size_t)((newline ? newline : end) - at));
		if (newline)
			take_line(b);
		at = newline ? newline + 1 : end;
	}
	return true;
}

static void on_stdin(void *user, int fd, uint32_t events)
{
	(void)fd;
	(void)events;
	read_lines(user);
}

static bool has_reader(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO};
	return poll(&out, 1, 0) <= 0 || !(out.revents & (POLLERR | POLLHUP | POLLNVAL));
}

static void on_mcp_wait(void *user)
{
	struct bridge *b = user;
	b->waited_ms += WAIT_MS;
	if (b->n_waiting && !b->is_deaf && has_reader() && b->waited_ms < LAST_MS)
		return;
	trm_timer_stop(b->timer);
	close_bridge(b);
}

static void on_end_signal(void *user, int signo)
{
	struct bridge *b = user;
	if (b->is_at_end && b->is_deaf)
		_exit(CMD_SIGNALED + signo);
	b->is_deaf = true;
	close_bridge(b);
}

static void on_server_closed(void *user, struct trm_server *server)
{
	struct bridge *b = user;
	(void)server;
	b->server = NULL;
}

/* ---- the main loop -------------------------------------------------------------------------- */

static int make_folder(struct bridge *b)
{
	const char *run = getenv("XDG_RUNTIME_DIR");
	if (b->opts.namespace_dir)
		return CMD_OK;
	snprintf(b->files, sizeof b->files, "%s/terrarium-mcp-XXXXXX", run && *run ? run : "/tmp");
	if (!mkdtemp(b->files)) {
		b->files[0] = '\0';
		return cmd_fail("cannot make a folder for the files of sandboxes: %s", strerror(errno));
	}
	b->opts.namespace_dir = b->files;
	return CMD_OK;
}

static int remove_entry(const char *path, const struct stat *st, int flag, struct FTW *where)
{
	(void)st;
	(void)flag;
	(void)where;
	remove(path);
	return 0;
}

static int open_bridge(struct bridge *b, struct trm_error *why)
{
	static const struct trm_server_cb callbacks = {.closed = on_server_closed};
	int r = trm_loop_create(&b->loop, why);
	if (r == 0)
		r = trm_loop_add_signals(b->loop, ends, N_ENDS, on_end_signal, b, &b->handler, why);
	if (r == 0)
		r = trm_loop_add_timer(b->loop, on_mcp_wait, b, &b->timer, why);
	if (r == 0)
		r = trm_server_open(b->loop, &b->opts, &callbacks, b, &b->server, why);
	if (r == 0)
		r = trm_loop_add_fd(b->loop, STDIN_FILENO, TRM_READ, on_stdin, b, &b->input, why);
	/* A file cannot be watched, but it is always readable. */
	if (r == TRM_ENOTSUP) {
		while (read_lines(b))
			continue;
		r = 0;
	}
	return r;
}

static int speak(struct bridge *b)
{
	struct trm_error why = {0};
	int code = make_folder(b);
	if (code == CMD_OK && open_bridge(b, &why) < 0)
		code = cmd_fail("%s", why.msg);
	if (code && b->server)
		close_bridge(b);
	while (b->server)
		trm_loop_step(b->loop, -1);
	trm_watch_remove(b->input);
	trm_signal_remove(b->handler);
	trm_timer_remove(b->timer);
	trm_loop_destroy(b->loop);
	if (*b->files)
		nftw(b->files, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	free(b->line);
	return code;
}

enum { OPTION_NAMESPACE_DIR };

static const struct option_spec options[] = {
		[OPTION_NAMESPACE_DIR] = {"--namespace-dir", 0, "DIR",
				"where to keep files of stopped sandboxes"},
		{0},
};

static int run_bridge(struct bridge *b, const struct cmd *cmd, int argc, char **argv)
{
	struct policy_gate policy_gate;
	struct trm_error why = {0};
	struct options o;
	options_init(&o, cmd->name, options, argc, argv);
	trm_serve_opts_default(&b->opts);
	for (int got; (got = options_next(&o)) != OPTIONS_END;) {
		if (got == OPTIONS_HELP)
			return cmd_print_help(cmd);
		if (got == OPTIONS_WRONG)
			return CMD_FAILED;
		if (got == OPTIONS_OPERAND)
			return cmd_fail("'mcp' takes no arguments, but got '%s'", o.value);
		b->opts.namespace_dir = o.value;
	}
	if (options_config_start(&o, &b->config) < 0)
		return CMD_FAILED;
	b->opts.has_no_listener = true;
	serve_take_config(&b->opts, &b->there, &b->lists, &o, &b->config);
	if (serve_check_isolation(&o, &b->config) != CMD_OK)
		return CMD_FAILED;
	if (isatty(STDIN_FILENO))
		fputs("terrarium: waiting for messages of the Model Context Protocol, one on a line; Ctrl-D ends\n",
				stderr);
	/* There is no person to ask, so a policy that would ask refuses. */
	if (policy_gate_open(&policy_gate, &b->config, o.config_path, &why) < 0)
		return cmd_fail("%s", why.msg);
	b->opts.policy = policy_gate.mode == TRM_POLICY_ADVISE ? NULL : policy_gate.policy;
	int code = speak(b);
	policy_gate_close(&policy_gate);
	return code;
}

/* The settings are too large for the stack. */
static int mcp_main(const struct cmd *cmd, int argc, char **argv)
{
	struct bridge *b = calloc(1, sizeof *b);
	if (!b)
		return cmd_fail("out of memory");
	int code = run_bridge(b, cmd, argc, argv);
	free(b);
	return code;
}

static const char *const settings[] = {"idle_timeout", "memory", "cpus", "max_output", "backend", NULL};

const struct cmd cmd_mcp = {
		.name = "mcp",
		.usage = "mcp [OPTIONS]",
		.summary = "serve sandboxes on stdio",
		.help = "Serves sandboxes over standard input and output with the Model Context Protocol, for "
			"programs that start their servers themselves. The sandboxes end with it. For "
			"HTTP, see 'terrarium serve'.",
		.options = options,
		.settings = settings,
		.run = mcp_main,
};
