/* SPDX-License-Identifier: MIT */
#include "stream/cli_session.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP}; /* SIGHUP may be ignored */
enum { N_SIGNALS = sizeof signals / sizeof *signals, STUCK_MS = 1000 };

static void on_stuck_due(void *user)
{
	struct cli_session *cli_session = user;
	if (cli_session->is_closing || !cli_session->cb->is_stuck(cli_session->user))
		return;
	cli_session->ended_by = cli_session->signaled_by;
	cli_session_close(cli_session);
}

static void watch_stuck(struct cli_session *cli_session, int signo)
{
	cli_session->signaled_by = signo;
	if (trm_loop_add_timer(cli_session->loop, on_stuck_due, cli_session, &cli_session->stuck_timer, NULL)
			== 0)
		trm_timer_start(cli_session->stuck_timer, STUCK_MS, STUCK_MS);
}

static void on_cli_signal(void *user, int signo)
{
	struct cli_session *cli_session = user;
	if (signo == SIGINT && !cli_session->is_closing) {
		cli_session->cb->interrupt(cli_session->user);
		return;
	}
	bool is_first = !cli_session->was_signaled && !cli_session->is_closing;
	cli_session->was_signaled = true;
	if (is_first && signo != SIGINT && cli_session->cb->signal
			&& cli_session->cb->signal(cli_session->user, signo)) {
		watch_stuck(cli_session, signo);
		return;
	}
	/* The second signal: exit at once. The supervisor ends the sandbox when we are gone. */
	if (cli_session->ended_by && signo != SIGINT)
		_exit(128 + signo);
	if (signo != SIGINT)
		cli_session->ended_by = signo;
	cli_session_close(cli_session);
}

static void on_cli_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct cli_session *cli_session = user;
	(void)sandbox;
	cli_session->sandbox = NULL;
	progress_clear(&cli_session->progress);
	cli_session->cb->closed(cli_session->user, why);
}

static void on_cli_progress(void *user, struct trm_sandbox *sandbox, const char *text)
{
	struct cli_session *cli_session = user;
	(void)sandbox;
	if (text[0] == '$' && text[1] == ' ') { /* a command, which was asked for */
		progress_print(&cli_session->progress, text);
		return;
	}
	if (cli_session->is_ready && !cli_session->is_closing) /* it ends by itself: what is slow now is
								  counted from here */
		progress_init(&cli_session->progress, trm_loop_now_ns(cli_session->loop));
	cli_session->is_ready = false;
	if (cli_session->cb->progress)
		cli_session->cb->progress(cli_session->user, text);
	else
		progress_say(&cli_session->progress, text, trm_loop_now_ns(cli_session->loop));
}

static void on_cli_warning(void *user, struct trm_sandbox *sandbox, const char *text)
{
	struct cli_session *cli_session = user;
	(void)sandbox;
	cli_session->has_warned = true;
	progress_print(&cli_session->progress, text);
}

static void tell_guards(struct cli_session *cli_session, const struct trm_sandbox *sandbox)
{
	static const char *const strengths[] = {[TRM_ENFORCED] = "enforced",
			[TRM_WEAK] = "weak",
			[TRM_NOT_ENFORCED] = "not enforced"};
	const struct trm_guard *guards;
	char line[256];
	for (size_t i = 0, n = trm_sandbox_guards(sandbox, &guards); i < n; i++) {
		snprintf(line, sizeof line, "%s: %s (%s)", guards[i].what, guards[i].how,
				strengths[guards[i].strength]);
		progress_print(&cli_session->progress, line);
	}
}

static void on_cli_ready(void *user, struct trm_sandbox *sandbox)
{
	struct cli_session *cli_session = user;
	cli_session->is_ready = true;
	progress_clear(&cli_session->progress);
	if (cli_session->is_verbose)
		tell_guards(cli_session, sandbox);
}

static void on_cli_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	struct cli_session *cli_session = user;
	(void)sandbox;
	if (cli_session->cb->metrics)
		cli_session->cb->metrics(cli_session->user, metrics);
}

static const struct trm_sandbox_cb sandbox_cb = {.progress = on_cli_progress,
		.warning = on_cli_warning,
		.ready = on_cli_ready,
		.metrics = on_cli_metrics,
		.closed = on_cli_closed};

bool cli_is_nohup(void)
{
	struct sigaction action;
	return sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* ---- which sandbox ----------------------------------------------------------------- */

static bool is_far(const struct trm_config *config)
{
	return strcmp(config->backend, "microsandbox") == 0;
}

static int join_session(
		struct cli_session *cli_session, const struct trm_config *config, struct trm_error *reterr)
{
	struct trm_sandbox_opts opts;
	struct trm_config_lists lists;
	trm_config_sandbox_opts(config, &lists, &opts);
	opts.metrics_interval_ms = 0;
	opts.server.join = TRM_REMOTE_JOIN;
	return trm_sandbox_open(
			cli_session->loop, &opts, &sandbox_cb, cli_session, &cli_session->sandbox, reterr);
}

/* Do "debian" and "docker.io/library/debian:latest" name the same image? The missing parts have fixed
 * values. */
static bool is_same_image(const char *a, const char *b)
{
	static const char *const fronts[] = {"docker.io/", "library/"};
	const char *names[] = {a, b};
	size_t n[2];
	for (int i = 0; i < 2; i++) {
		for (size_t k = 0; k < sizeof fronts / sizeof *fronts; k++)
			if (strncmp(names[i], fronts[k], strlen(fronts[k])) == 0)
				names[i] += strlen(fronts[k]);
		n[i] = strlen(names[i]);
		if (n[i] > 7 && strcmp(names[i] + n[i] - 7, ":latest") == 0)
			n[i] -= 7;
	}
	return n[0] == n[1] && memcmp(names[0], names[1], n[0]) == 0;
}

/* A built image has a new name each time, so built images cannot be compared. */
static bool is_same_source(const char *origin, const struct trm_config *config)
{
	if (*config->container)
		return strcmp(origin, config->container) == 0;
	if (*config->dockerfile)
		return strncmp(origin, TRM_BUILT_IMAGE, strlen(TRM_BUILT_IMAGE)) == 0;
	return !*config->image || is_same_image(origin, config->image);
}

static int check_same(const struct cli_session *cli_session, const struct trm_config *config,
		struct cli_session_asked asked, struct trm_error *reterr)
{
	const char *backend = trm_sandbox_backend(cli_session->sandbox),
		   *origin = trm_sandbox_origin(cli_session->sandbox);
	if (asked.backend && strcmp(backend, config->backend) != 0)
		return trm_error_set(reterr, TRM_EINVAL,
				"sandbox '%s' is already running, with the backend %s and not %s: leave --backend "
				"out, or choose another --name",
				config->name, backend, config->backend);
	if (!asked.source || !*origin || is_same_source(origin, config))
		return 0;
	return trm_error_set(reterr, TRM_EINVAL,
			"sandbox '%s' is already running, made from %s on %s: leave --%s out, or choose another "
			"--name",
			config->name, origin, backend,
			*config->container    ? "container"
			: *config->dockerfile ? "dockerfile"
					      : "image");
}

/* `asked`: the properties that the sandbox must have. */
static int attach_session(struct cli_session *cli_session, const struct trm_config *config,
		struct cli_session_asked asked, struct trm_error *reterr)
{
	if (is_far(config))
		return join_session(cli_session, config, reterr);
	int r = trm_sandbox_attach(cli_session->loop, config->name, NULL, &sandbox_cb, cli_session,
			&cli_session->sandbox, reterr);
	if (r == 0)
		r = check_same(cli_session, config, asked, reterr);
	if (r == 0 && config->keep && !trm_sandbox_is_kept(cli_session->sandbox))
		r = trm_sandbox_keep(cli_session->sandbox, true, reterr);
	return r;
}

static int start_session(struct cli_session *cli_session, const struct trm_config *config,
		struct cli_session_asked asked, struct trm_error *reterr)
{
	struct trm_sandbox_opts opts;
	struct trm_config_lists lists;
	trm_config_sandbox_opts(config, &lists, &opts);
	opts.limits_lifetime = asked.lifetime;
	opts.hides_packages = asked.no_packages && !config->keep;
	opts.metrics_interval_ms = 0;
	return trm_sandbox_open(
			cli_session->loop, &opts, &sandbox_cb, cli_session, &cli_session->sandbox, reterr);
}

/* Who was in a container, and names no backend, does not want to find himself on this machine. */
static int check_ended(
		const struct trm_config *config, struct cli_session_asked asked, struct trm_error *reterr)
{
	struct trm_ended ended;
	if (asked.backend || !*config->name || !trm_registry_ended(config->name, &ended)
			|| !strcmp(ended.backend, config->backend))
		return 0;
	return trm_error_set(reterr, TRM_ECLOSED,
			"sandbox '%s' was on the backend '%s', and has ended (%s): --backend %s starts a new one there, "
			"--backend %s one here",
			config->name, ended.backend, ended.why, ended.backend, config->backend);
}

/* Between the two looks somebody else may have started one, which is not yet to be found; or ended one, which
 * is still there. */
static int attach_or_start(struct cli_session *cli_session, const struct trm_config *config,
		struct cli_session_asked asked, struct trm_error *reterr)
{
	enum { TIMEOUT_MS = 5000, NAP_MS = 5 };
	const struct timespec nap = {.tv_nsec = NAP_MS * 1000000};
	bool is_local = trm_registry_lists(config->backend);
	/* A user of containers does not expect a sandbox elsewhere. */
	const struct cli_session_asked same = {
			.backend = asked.backend || strcmp(config->backend, "local") != 0,
			.source = asked.source};
	int r = is_local && *config->name ? attach_session(cli_session, config, same, reterr) : TRM_ENOENT;
	if (r == TRM_ENOENT && is_local && check_ended(config, asked, reterr) < 0)
		return TRM_ECLOSED;
	for (int waited_ms = 0; r == TRM_ENOENT || r == TRM_EEXIST; waited_ms += NAP_MS) {
		if (waited_ms)
			nanosleep(&nap, NULL);
		r = start_session(cli_session, config, asked, reterr);
		if (r != TRM_EEXIST || !is_local || !*config->name || waited_ms > TIMEOUT_MS)
			return r;
		r = attach_session(cli_session, config, same, reterr);
	}
	return r;
}

int cli_session_open(struct cli_session *cli_session, const struct trm_config *config,
		enum cli_session_how how, struct cli_session_asked asked, const struct cli_session_cb *cb,
		void *user, struct trm_error *reterr)
{
	*cli_session = (struct cli_session){.cb = cb,
			.user = user,
			.is_to_be_saved = *config->commit,
			.is_verbose = config->verbose};
	int r = trm_loop_create(&cli_session->loop, reterr);
	if (r == 0)
		progress_init(&cli_session->progress, trm_loop_now_ns(cli_session->loop));
	if (r == 0)
		r = trm_loop_add_signals(cli_session->loop, signals, N_SIGNALS - cli_is_nohup(),
				on_cli_signal, cli_session, &cli_session->signals, reterr);
	if (r < 0)
		return r;
	switch (how) {
	case CLI_SESSION_ATTACH: return attach_session(cli_session, config, asked, reterr);
	case CLI_SESSION_EITHER: return attach_or_start(cli_session, config, asked, reterr);
	case CLI_SESSION_NEW: break;
	}
	return start_session(cli_session, config, asked, reterr);
}

bool cli_session_is_shared(const struct cli_session *cli_session)
{
	return cli_session->sandbox && trm_sandbox_survives_close(cli_session->sandbox);
}

/* ---- the end ------------------------------------------------------------------------ */

/* Measure slowness from now on. */
static void begin_end(struct cli_session *cli_session)
{
	if (!cli_session->is_closing && cli_session->loop)
		progress_init(&cli_session->progress, trm_loop_now_ns(cli_session->loop));
	cli_session->is_closing = true;
}

void cli_session_close(struct cli_session *cli_session)
{
	begin_end(cli_session);
	if (cli_session->sandbox)
		trm_sandbox_close(cli_session->sandbox);
}

void cli_session_stop(struct cli_session *cli_session)
{
	begin_end(cli_session);
	if (cli_session->sandbox)
		trm_sandbox_stop(cli_session->sandbox);
}

void cli_session_end(struct cli_session *cli_session)
{
	cli_session_close(cli_session);
	while (cli_session->sandbox)
		trm_loop_step(cli_session->loop, -1);
}

void cli_session_finish(struct cli_session *cli_session)
{
	cli_session_end(cli_session);
	trm_signal_remove(cli_session->signals);
	trm_timer_remove(cli_session->stuck_timer);
	trm_loop_destroy(cli_session->loop);
	cli_session->loop = NULL;
}

int cli_session_code(const struct cli_session *cli_session, int code)
{
	return code == 0 && cli_session->is_to_be_saved && cli_session->has_warned ? CLI_SESSION_NOT_SAVED
										   : code;
}
