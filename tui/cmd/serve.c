/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"

enum { VOLUMES_MAX = 32 };

struct serve {
	struct trm_serve_opts opts;
	struct trm_config config;
	const char *volumes[VOLUMES_MAX + 1]; /* directories; NULL-terminated */
	size_t n_volumes;
	struct trm_loop *loop;
	struct trm_server *server; /* NULL: over */
	struct trm_signal *signals[2];
};

enum { OPTION_HOST, OPTION_PORT, OPTION_NAMESPACE_DIR, OPTION_VOLUMES, OPTION_MAX_SANDBOXES };

static const struct option_spec options[] = {
		[OPTION_HOST] = {"--host", 0, "HOST", "address to listen at; default: 127.0.0.1"},
		[OPTION_PORT] = {"--port", 0, "PORT", "default: 5555; 0: any that is free, which is printed"},
		[OPTION_NAMESPACE_DIR] = {"--namespace-dir", 0, "DIR", "where sandboxes and their files are remembered"},
		[OPTION_VOLUMES] = {"--volumes", 0, "DIR", "volumes may lie in there; may be given several times"},
		[OPTION_MAX_SANDBOXES] = {"--max-sandboxes", 0, "N", "running at once; default: no limit"},
		{0},
};

static void on_closed(void *user, struct trm_server *server)
{
	struct serve *s = user;
	(void)server;
	s->server = NULL;
}

static const struct trm_server_cb callbacks = {.closed = on_closed};

static void on_signal(void *user, int signo)
{
	struct serve *s = user;
	(void)signo;
	if (s->server)
		trm_server_close(s->server);
}

static int open_all(struct serve *s, struct trm_error *why)
{
	static const int signals[] = {SIGINT, SIGTERM};
	int r = trm_loop_create(&s->loop, why);
	for (size_t i = 0; i < sizeof signals / sizeof *signals && r == 0; i++)
		r = trm_loop_add_signal(s->loop, signals[i], on_signal, s, &s->signals[i], why);
	if (r == 0)
		r = trm_server_open(s->loop, &s->opts, &callbacks, s, &s->server, why);
	return r;
}

static int serve(struct serve *s)
{
	struct trm_error why = {0};
	int code = open_all(s, &why) < 0 ? cmd_fail("%s", why.msg) : CMD_OK;
	if (s->server) {
		printf("Serving at http://%s:%u\n", s->opts.host, trm_server_port(s->server));
		fflush(stdout);
	}
	while (s->server)
		trm_loop_step(s->loop, -1);
	for (size_t i = 0; i < sizeof s->signals / sizeof *s->signals; i++)
		trm_signal_remove(s->signals[i]);
	trm_loop_destroy(s->loop);
	return code;
}

static bool read_port(struct serve *s, const char *text)
{
	char *end;
	unsigned long port = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || port > UINT16_MAX) {
		cmd_fail("--port %s: must be a number from 0 to 65535", *text ? text : "''");
		return false;
	}
	s->opts.port = (uint16_t)port;
	return true;
}

static bool read_max(struct serve *s, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || n > UINT16_MAX) {
		cmd_fail("--max-sandboxes %s: must be a number from 0 (no limit) to 65535", *text ? text : "''");
		return false;
	}
	s->opts.max_sandboxes = (unsigned)n;
	return true;
}

static bool add_volumes(struct serve *s, const char *dir)
{
	if (dir[0] != '/' || s->n_volumes == VOLUMES_MAX) {
		cmd_fail(dir[0] != '/' ? "--volumes %s: must be a path from the root"
				       : "--volumes %s: there are too many of these",
				dir);
		return false;
	}
	s->volumes[s->n_volumes++] = dir;
	s->opts.volume_dirs = s->volumes;
	return true;
}

/* What every sandbox is like whose start does not say otherwise. */
static bool read_config(struct serve *s, const struct options *o)
{
	if (options_config(o, &s->config) < 0)
		return false;
	s->opts.backend = s->config.backend;
	s->opts.limits = s->config.limits;
	s->opts.start_timeout_ms = s->config.start_timeout_ms;
	s->opts.idle_timeout_ms = s->config.idle_timeout_ms;
	return true;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	struct serve s = {0};
	struct options o;
	options_init(&o, cmd->name, options, argc, argv);
	trm_serve_opts_default(&s.opts);
	for (int got; (got = options_next(&o)) != OPTIONS_END;) {
		if (got == OPTIONS_HELP)
			return cmd_print_help(cmd);
		if (got == OPTIONS_WRONG)
			return CMD_FAILED;
		if (got == OPTIONS_OPERAND)
			return cmd_fail("'serve' takes no arguments, such as '%s'", o.value);
		if (got == OPTION_HOST)
			s.opts.host = o.value;
		if (got == OPTION_NAMESPACE_DIR)
			s.opts.namespace_dir = o.value;
		if ((got == OPTION_PORT && !read_port(&s, o.value)) || (got == OPTION_VOLUMES && !add_volumes(&s, o.value))
				|| (got == OPTION_MAX_SANDBOXES && !read_max(&s, o.value)))
			return CMD_FAILED;
	}
	return read_config(&s, &o) ? serve(&s) : CMD_FAILED;
}

const struct cmd cmd_serve = {
		.name = "serve",
		.usage = "serve [--host HOST] [--port PORT]",
		.summary = "serve sandboxes over HTTP",
		.help = "Sandboxes for other programs, as the microsandbox server 0.2 offered them: JSON-RPC at "
			"/api/v1/rpc. Ends with Ctrl-C.",
		.options = options,
		.run = run,
};
