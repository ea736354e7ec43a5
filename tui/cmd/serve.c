/* SPDX-License-Identifier: MIT */
/* A server in the foreground. It prints its address on stdout, so that a script can wait for it. Requests
 * (--verbose) and errors go to stderr. Of a request only the method and the sandbox are printed, never code
 * or keys. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/recipe.h>
#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/serve.h"
#include "stream/cli_session.h"
#include "stream/policy_gate.h"

enum {
	N_SIGNALS = 3,
	VOLUMES_MAX = 32,
	POOLS_MAX = 32,
	SNAPSHOTS_MAX = 32,
	POOL_IDLE_MAX = 1000,
	PROGRESS_MS = 500, /* time between messages about a slow stop */
	FILES_MAX = 65536, /* this many descriptors are enough */
	FILES_SPARE = 512, /* not for clients, which get … */
	CLIENTS_PART = 2,  /* … half of the others */
	CONNECTIONS_MIN = 64,
	CONNECTIONS_MAX = 12000,
};

static const int signals[N_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

struct serve {
	struct trm_config config;
	struct trm_serve_opts opts;
	const char *volumes[VOLUMES_MAX + 1]; /* folders; NULL-terminated */
	size_t n_volumes;
	const char *snapshots[SNAPSHOTS_MAX + 1]; /* NULL-terminated */
	size_t n_snapshots;
	struct trm_serve_pool pools[POOLS_MAX];
	char pool_images[POOLS_MAX][128];
	struct trm_config_lists lists; /* room for the lists of the options */
	struct trm_remote_opts there;  /* the server that has the sandboxes, with --backend microsandbox */
	const char *key_file;
	bool takes_over; /* --take-over */
	bool is_dev, resets_key, is_verbose, is_quiet;
	char key[TRM_SERVER_KEY];
	struct trm_loop *loop;
	struct trm_server *server; /* NULL: it has ended */
	struct trm_signal *handler;
	struct trm_timer *progress;
	bool is_closing;
	unsigned n_reported; /* number of remaining sandboxes in the last message */
};

enum {
	OPTION_HOST,
	OPTION_PORT,
	OPTION_DEV,
	OPTION_FORCE,
	OPTION_KEY_FILE,
	OPTION_RESET_KEY,
	OPTION_NAMESPACE_DIR,
	OPTION_VOLUMES,
	OPTION_MAX_SANDBOXES,
	OPTION_POOL,
	OPTION_SNAPSHOT,
	OPTION_KEEP_FILES,
	OPTION_TAKE_OVER,
	OPTION_ADOPT,
	OPTION_VERBOSE,
	OPTION_QUIET,
};

static const struct option_spec options[] = {
		[OPTION_HOST] = {"--host", 0, "HOST", "address to listen on; default: 127.0.0.1"},
		[OPTION_PORT] = {"--port", 0, "PORT", "default: 5555; 0: any free port"},
		[OPTION_DEV] = {"--dev", 0, NULL, "require no keys; only on this machine"},
		[OPTION_FORCE] = {"--force", 0, NULL, "with --dev: serve other machines too"},
		[OPTION_KEY_FILE] = {"--key-file", 0, "FILE", "file of the server key; created if missing"},
		[OPTION_RESET_KEY] = {"--reset-key", 0, NULL,
				"make a new server key; earlier keys become invalid"},
		[OPTION_NAMESPACE_DIR] = {"--namespace-dir", 0, "DIR",
				"where to keep files of stopped sandboxes"},
		[OPTION_VOLUMES] = {"--volumes", 0, "DIR", "allow volumes below DIR; repeatable"},
		[OPTION_MAX_SANDBOXES] = {"--max-sandboxes", 0, "N",
				"most that may run at a time; 0: no limit"},
		[OPTION_POOL] = {"--pool", 0, "IMAGE=N", "keep N of IMAGE (python …) ready; repeatable"},
		[OPTION_SNAPSHOT] = {"--snapshot", 0, "TAG",
				"let clients start from the snapshot; repeatable"},
		[OPTION_KEEP_FILES] = {"--keep-files", 0, "MIB", "most to save of a stopped sandbox (1024)"},
		[OPTION_TAKE_OVER] = {"--take-over", 0, NULL, "remove what an earlier server left behind"},
		[OPTION_ADOPT] = {"--adopt", 0, NULL, "go on with sandboxes of an earlier server"},
		[OPTION_VERBOSE] = {"--verbose", 'v', NULL, "print a line on stderr for each request"},
		[OPTION_QUIET] = {"--quiet", 'q', NULL, "print only errors"},
		{0},
};

/* ---- messages ------------------------------------------------------------------------ */

static void print_addresses(const struct serve *s)
{
	bool is_v6 = strchr(s->opts.host, ':');
	if (!s->is_quiet || !s->opts.port)
		printf("Serving sandboxes at http://%s%s%s:%u\n", is_v6 ? "[" : "", s->opts.host,
				is_v6 ? "]" : "", trm_server_port(s->server));
	if (!s->is_quiet && s->is_dev)
		puts("Developers' mode: no key is asked for. Every program on this machine, and every web page in its\n"
		     "browsers, can run code in these sandboxes.");
	else if (!s->is_quiet)
		printf("Clients need a key; make one with: terrarium keygen%s%s\n",
				s->key_file ? " --key-file " : "", s->key_file ? s->key_file : "");
	if (!s->is_quiet)
		puts("Ctrl-C stops all sandboxes and ends.");
	fflush(stdout);
}

static void on_request(void *user, const struct trm_server_request *r)
{
	const struct serve *s = user;
	char line[512], status[16] = "gone", now[16] = "";
	time_t seconds = time(NULL);
	struct tm tm;
	if (!s->is_verbose)
		return;
	if (localtime_r(&seconds, &tm))
		strftime(now, sizeof now, "%H:%M:%S", &tm);
	if (r->status)
		snprintf(status, sizeof status, "%d", r->status);
	int n = snprintf(line, sizeof line, "%s %s %s %s %.1f ms%s%s", now, r->verb, r->path, status,
			(double)r->took_ns / 1e6, *r->note ? " " : "", r->note);
	char clean[600];
	trm_text_clean_line(clean, sizeof clean, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
	fprintf(stderr, "%s\n", clean);
}

/* Problems such as files that cannot be saved, for which there is often no reply that could report them. */
static void on_log(void *user, int level, const char *msg)
{
	enum { WARNING = 1 };
	(void)user;
	if (level <= WARNING)
		fprintf(stderr, "terrarium: %s\n", msg);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void on_serve_closed(void *user, struct trm_server *server)
{
	struct serve *s = user;
	(void)server;
	s->server = NULL;
}

static const struct trm_server_cb callbacks = {.request = on_request, .closed = on_serve_closed};

/* Print first that the server is stopping, then how many sandboxes remain. */
static void on_serve_progress(void *user)
{
	struct serve *s = user;
	unsigned n = s->server ? trm_server_sandboxes(s->server) : 0;
	if (n && n != s->n_reported && !s->is_quiet)
		fprintf(stderr,
				s->n_reported ? "%u left\n"
					      : "Stopping sandboxes and saving their files (Ctrl-C again: do not wait): %u\n",
				n);
	s->n_reported = n;
}

static void on_serve_signal(void *user, int signo)
{
	struct serve *s = user;
	if (s->is_closing) {
		fputs("terrarium: not waiting; remaining sandboxes end by themselves, and their files are not saved\n",
				stderr);
		_exit(CMD_SIGNALED + signo);
	}
	s->is_closing = true;
	trm_timer_start(s->progress, PROGRESS_MS, PROGRESS_MS);
	if (s->server)
		trm_server_close(s->server);
}

/* ---- the main loop ------------------------------------------------------------------- */

/* Allow as many descriptors as possible, and a share of them for clients. */
static void take_files(struct serve *s)
{
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return;
	if (files.rlim_cur < FILES_MAX) {
		files.rlim_cur = files.rlim_max < FILES_MAX ? files.rlim_max : FILES_MAX;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	rlim_t spare = files.rlim_cur > FILES_SPARE ? files.rlim_cur - FILES_SPARE : 0;
	rlim_t share = spare / CLIENTS_PART;
	s->opts.max_connections = share < CONNECTIONS_MIN   ? CONNECTIONS_MIN
				  : share > CONNECTIONS_MAX ? CONNECTIONS_MAX
							    : (unsigned)share;
}

static int open_server(struct serve *s, struct trm_error *why)
{
	int r = s->is_dev ? 0 : trm_server_key(s->key_file, s->resets_key, s->key, why);
	s->opts.key = s->is_dev ? NULL : s->key;
	if (r == 0)
		r = trm_loop_create(&s->loop, why);
	if (r == 0)
		r = trm_loop_add_signals(s->loop, signals, N_SIGNALS - cli_is_nohup(), on_serve_signal, s,
				&s->handler, why);
	if (r == 0)
		r = trm_loop_add_timer(s->loop, on_serve_progress, s, &s->progress, why);
	if (r == 0)
		r = trm_server_open(s->loop, &s->opts, &callbacks, s, &s->server, why);
	return r;
}

static int serve(struct serve *s)
{
	struct trm_error why = {0};
	trm_set_log(on_log, NULL);
	take_files(s);
	int code = open_server(s, &why) < 0 ? cmd_fail("%s", why.msg) : CMD_OK;
	if (s->server)
		print_addresses(s);
	while (s->server)
		trm_loop_step(s->loop, -1);
	trm_signal_remove(s->handler);
	trm_timer_remove(s->progress);
	trm_loop_destroy(s->loop);
	trm_set_log(NULL, NULL);
	explicit_bzero(s->key, sizeof s->key);
	return code;
}

/* ---- the command line -------------------------------------------------------------------- */

static bool read_number(const char *option, const char *text, unsigned long max, unsigned long *ret)
{
	char *end;
	*ret = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && *ret <= max)
		return true;
	cmd_fail("%s %s: must be a number from 0 to %lu", option, *text ? text : "''", max);
	return false;
}

static bool add_volumes(struct serve *s, const char *dir)
{
	struct stat st;
	const char *wrong = dir[0] != '/'                 ? "must be a path from the root"
			    : s->n_volumes == VOLUMES_MAX ? "there are too many of these"
			    : stat(dir, &st) < 0          ? strerror(errno)
			    : !S_ISDIR(st.st_mode)        ? "is not a directory"
							  : NULL;
	if (wrong) {
		cmd_fail("--volumes %s: %s", dir, wrong);
		return false;
	}
	s->volumes[s->n_volumes++] = dir;
	s->opts.volume_dirs = s->volumes;
	return true;
}

/* IMAGE=N or IMAGE=N:CODE. */
static bool add_pool(struct serve *s, const char *text)
{
	size_t n = strcspn(text, "="), i = s->opts.n_pools;
	const char *number = text[n] ? text + n + 1 : text + n;
	size_t digits = strcspn(number, ":");
	char count[16];
	unsigned long n_idle;
	if (!n || !text[n] || n >= sizeof s->pool_images[0] || digits >= sizeof count || i == POOLS_MAX) {
		cmd_fail("--pool %s: %s", *text ? text : "''",
				i == POOLS_MAX ? "there are too many of these"
					       : "must be IMAGE=N or IMAGE=N:CODE, as in python=8");
		return false;
	}
	snprintf(count, sizeof count, "%.*s", (int)digits, number);
	if (!read_number("--pool IMAGE=N", count, POOL_IDLE_MAX, &n_idle))
		return false;
	snprintf(s->pool_images[i], sizeof s->pool_images[i], "%.*s", (int)n, text);
	s->pools[i] = (struct trm_serve_pool){.image = s->pool_images[i],
			.n_idle = (unsigned)n_idle,
			.setup = number[digits] ? number + digits + 1 : NULL};
	s->opts.pools = s->pools;
	s->opts.n_pools++;
	return true;
}

static bool add_snapshot(struct serve *s, const char *tag)
{
	if (s->n_snapshots == SNAPSHOTS_MAX) {
		cmd_fail("--snapshot %s: there are too many of these", tag);
		return false;
	}
	s->snapshots[s->n_snapshots++] = tag;
	s->opts.snapshots = s->snapshots;
	return true;
}

static bool take_serve_option(struct serve *s, int option, const char *value)
{
	unsigned long number;
	switch (option) {
	case OPTION_HOST: s->opts.host = value; break;
	case OPTION_PORT:
		if (!read_number("--port", value, UINT16_MAX, &number))
			return false;
		s->opts.port = (uint16_t)number;
		break;
	case OPTION_DEV: s->is_dev = true; break;
	case OPTION_FORCE: s->opts.is_forced = true; break;
	case OPTION_KEY_FILE: s->key_file = value; break;
	case OPTION_RESET_KEY: s->resets_key = true; break;
	case OPTION_NAMESPACE_DIR: s->opts.namespace_dir = value; break;
	case OPTION_VOLUMES: return add_volumes(s, value);
	case OPTION_MAX_SANDBOXES:
		if (!read_number("--max-sandboxes", value, 100000, &number))
			return false;
		s->opts.max_sandboxes = (unsigned)number;
		break;
	case OPTION_POOL: return add_pool(s, value);
	case OPTION_SNAPSHOT: return add_snapshot(s, value);
	case OPTION_KEEP_FILES:
		if (!read_number("--keep-files", value, 1 << 20, &number))
			return false;
		s->opts.files_keep_bytes =
				/* 1: a limit that nothing fits into */
				number ? (uint64_t)number << 20 : 1;
		break;
	case OPTION_TAKE_OVER: s->takes_over = true; break;
	case OPTION_ADOPT: s->opts.adopts = true; break;
	case OPTION_VERBOSE: s->is_verbose = true; break;
	case OPTION_QUIET: s->is_quiet = true; break;
	}
	return true;
}

static const char *contradiction(const struct serve *s)
{
	if (s->is_dev && (s->resets_key || s->key_file))
		return "--dev asks for no keys: leave out --key-file and --reset-key, or --dev";
	if (s->opts.is_forced && !s->is_dev)
		return "--force is for --dev only: with keys, any address may be served";
	if (s->opts.adopts && s->takes_over)
		return "--adopt goes on with what an earlier server left, and --take-over removes it: leave out one of them";
	if (s->opts.adopts && s->opts.n_pools)
		return "--adopt does not work with --pool: the sandboxes of a pool have no name by which a later server could "
		       "find them";
	if (!*s->opts.host)
		return "--host '': must be an address or a name";
	return NULL;
}

void serve_take_config(struct trm_serve_opts *opts, struct trm_remote_opts *there,
		struct trm_config_lists *lists, const struct options *o, const struct trm_config *config)
{
	struct trm_sandbox_opts sandbox;
	trm_config_sandbox_opts(config, lists, &sandbox);
	opts->backend = config->backend;
	opts->isolation = sandbox.isolation;
	opts->from = sandbox.from;
	opts->container = sandbox.container;
	*there = sandbox.server;
	opts->server = there;
	opts->idle_timeout_ms = config->idle_timeout_ms;
	opts->limits = config->limits;
	opts->forbids_libraries = options_has(o, "net") && !config->limits.net;
	opts->start_timeout_ms = config->start_timeout_ms;
	opts->output_max_bytes = config->output_max_bytes;
}

/* Does the server use itself as its backend? Each start would then wait for itself. */
static bool asks_itself(const struct serve *s)
{
	const char *const hosts[] = {s->opts.host, "localhost"};
	char own[300];
	if (strcmp(s->config.backend, "microsandbox") != 0 || !s->there.url)
		return false;
	for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
		int n = snprintf(own, sizeof own, "http://%s:%u", hosts[i], s->opts.port);
		if (n > 0 && !strncmp(s->there.url, own, (size_t)n)
				&& !strspn(s->there.url + n, "0123456789"))
			return true;
	}
	return false;
}

int serve_check_isolation(const struct options *o, const struct trm_config *config)
{
	struct trm_error why = {0};
	if (strcmp(config->backend, "local") != 0)
		return CMD_OK;
	if (strcmp(config->isolation, "none") == 0 && !options_has(o, "isolation"))
		return cmd_fail("a server runs code without isolation only if its command line says so: --isolation "
				"none");
	if (strcmp(config->isolation, "auto") == 0 && trm_isolation_best(&why) == TRM_ISOLATION_NONE)
		return cmd_fail("%s", why.msg);
	return CMD_OK;
}

/* Only an engine can hold what a server before this one left. */
static int check_take_over(const struct serve *s)
{
	struct trm_recipe *recipe = NULL;
	const char *file = *s->config.path ? s->config.path : NULL;
	bool has_engine = trm_recipe_load(s->config.backend, file, &recipe, NULL) == 0;
	trm_recipe_free(recipe);
	if (s->takes_over && !has_engine)
		return cmd_fail("--take-over does nothing on the backend '%s': it is for sandboxes in an engine or a "
				"cluster, which outlive a server that is killed",
				s->config.backend);
	return CMD_OK;
}

/* What the template of a claimed pod decides. */
static int check_claimed(const struct serve *s, const struct options *o)
{
	static const char *const settings_of_template[] = {
			"image", "net", "read_only", "commit", "dockerfile", "container", "from"};
	struct trm_recipe *recipe = NULL;
	const char *file = *s->config.path ? s->config.path : NULL;
	bool is_claimed = trm_recipe_load(s->config.backend, file, &recipe, NULL) == 0
			  && trm_recipe_takes(recipe, "--warm-pool", false);
	trm_recipe_free(recipe);
	const char *option = s->n_volumes ? "--volumes" : s->n_snapshots ? "--snapshot" : NULL;
	for (size_t i = 0; !option && i < sizeof settings_of_template / sizeof *settings_of_template; i++) {
		const struct trm_setting *setting = trm_setting_find(settings_of_template[i]);
		char value[8];
		trm_config_get(&s->config, setting, value, sizeof value);
		if (options_has(o, settings_of_template[i]) && *value && strcmp(value, "off") != 0)
			option = setting->option;
	}
	if (is_claimed && option)
		return cmd_fail("%s does nothing on the backend '%s': the SandboxTemplate of its pods says which image, "
				"network and volumes they have",
				option, s->config.backend);
	return CMD_OK;
}

static int serve_main(const struct cmd *cmd, int argc, char **argv)
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
			return cmd_fail("'serve' takes no arguments, but got '%s'", o.value);
		if (!take_serve_option(&s, got, o.value))
			return CMD_FAILED;
	}
	const char *wrong = contradiction(&s);
	if (wrong)
		return cmd_fail("%s", wrong);
	if (options_config_start(&o, &s.config) < 0)
		return CMD_FAILED;
	serve_take_config(&s.opts, &s.there, &s.lists, &o, &s.config);
	s.opts.container.kube.takes_over = s.takes_over || s.opts.adopts;
	if (serve_check_isolation(&o, &s.config) != CMD_OK || check_take_over(&s) != CMD_OK
			|| check_claimed(&s, &o) != CMD_OK)
		return CMD_FAILED;
	if (asks_itself(&s))
		return cmd_fail("the server that is to be asked for sandboxes, %s, would be this one itself: give another "
				"--server-url or --port",
				s.there.url);
	/* There is no person to ask, so a policy that would ask refuses. */
	struct policy_gate policy_gate;
	struct trm_error why = {0};
	if (policy_gate_open(&policy_gate, &s.config, o.config_path, &why) < 0)
		return cmd_fail("%s", why.msg);
	s.opts.policy = policy_gate.mode == TRM_POLICY_ADVISE ? NULL : policy_gate.policy;
	int code = serve(&s);
	policy_gate_close(&policy_gate);
	return code;
}

static const char *const settings[] = {"idle_timeout", "memory", NULL};

const struct cmd cmd_serve = {
		.name = "serve",
		.usage = "serve [OPTIONS]",
		.summary = "serve sandboxes over HTTP",
		.help = "Serves sandboxes with microsandbox's protocol 0.2; clients need keys (keygen).\n"
			"Try: terrarium serve --dev, then run --backend microsandbox -c 'print(1)'",
		.options = options,
		.settings = settings,
		.run = serve_main,
};
