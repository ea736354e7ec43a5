/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/exec.h"
#include "cmd/json_out.h"
#include "cmd/progress_bar.h"
#include "cmd/sandbox_list.h"
#include "stream/cli_session.h"
#include "stream/filter_pipe.h"

enum { SIGNALS = 4, REFUSED_SHOWN = 20, OPEN_FILES_WANTED = 4096 };

struct cp {
	struct trm_config config;
	struct trm_loop *loop;
	struct trm_config_lists lists; /* room for the lists of `far` */
	struct trm_sandbox_opts far;   /* options of the server, if the sandbox is on one */
	struct trm_copy *copy;         /* NULL: it has ended */
	struct progress_bar progress_bar;
	bool is_json, is_to_stdout;
	int out_fd; /* where "-" writes to */
	/* … if that is a terminal, which never gets raw bytes of a sandbox */
	struct filter_pipe filter_pipe;
	int ended_by;
	struct json_out json; /* the list of refused files, then the other fields */
	uint64_t n_refused, start_ns;
	struct trm_copy_progress sum;
	struct trm_error why;
};

/* ---- messages -------------------------------------------------------------------------- */

static const char *many(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void put_sum(char *out, size_t cap, const struct trm_copy_progress *p)
{
	char bytes[24];
	progress_bar_bytes(bytes, sizeof bytes, p->bytes);
	snprintf(out, cap, "%llu file%s (%s)", (unsigned long long)p->files, many(p->files), bytes);
}

static void on_cp_progress(void *user, const struct trm_copy_progress *progress)
{
	struct cp *cp = user;
	progress_bar_draw(&cp->progress_bar, progress, trm_loop_now_ns(cp->loop));
}

static void on_cp_refused(void *user, const struct trm_error *why)
{
	struct cp *cp = user;
	if (cp->is_json && cp->n_refused < 1000)
		json_put_text(&cp->json, NULL, why->msg);
	if (cp->n_refused++ >= REFUSED_SHOWN)
		return;
	progress_bar_clear(&cp->progress_bar);
	cmd_fail("%s", why->msg);
}

static void on_cp_done(void *user, const struct trm_error *why, const struct trm_copy_progress *progress)
{
	struct cp *cp = user;
	cp->copy = NULL;
	cp->why = *why;
	cp->sum = *progress;
	cp->sum.path = NULL;
}

static const struct trm_copy_cb copy_cb = {
		.progress = on_cp_progress, .refused = on_cp_refused, .done = on_cp_done};

/* Print a summary if the person had to wait. */
static void report_end(struct cp *cp, bool was_drawn)
{
	char sum[64], rate[24];
	double seconds = cp->loop ? (double)(trm_loop_now_ns(cp->loop) - cp->start_ns) / 1e9 : 0;
	put_sum(sum, sizeof sum, &cp->sum);
	progress_bar_bytes(rate, sizeof rate,
			(uint64_t)((double)cp->sum.bytes / (seconds > 0.001 ? seconds : 0.001)));
	if (cp->why.code == TRM_ECANCELED)
		cmd_fail("stopped; %s copied", sum);
	else if (cp->why.code)
		cmd_fail(cp->sum.files ? "%s; %s copied before" : "%s", cp->why.msg, sum);
	else if (cp->sum.refused)
		cmd_fail("%llu not copied; %s copied", (unsigned long long)cp->sum.refused, sum);
	else if (was_drawn)
		fprintf(stderr, "%s in %.1f s, %s/s\n", sum, seconds, rate);
}

static void put_json(struct cp *cp)
{
	struct json_out *j = &cp->json;
	json_close(j, ']');
	json_put_bool(j, "ok", !cp->why.code && !cp->sum.refused);
	json_put_text(j, "error", cp->why.code ? cp->why.msg : NULL);
	json_put_u64(j, "files", cp->sum.files);
	json_put_u64(j, "directories", cp->sum.dirs);
	json_put_u64(j, "links", cp->sum.links);
	json_put_u64(j, "bytes", cp->sum.bytes);
	json_put_u64(j, "not_copied", cp->sum.refused);
	json_put_number(j, "seconds", (double)(trm_loop_now_ns(cp->loop) - cp->start_ns) / 1e9, 3);
	json_close(j, '}');
}

/* ---- the copy ----------------------------------------------------------------------------- */

static void on_cp_signal(void *user, int signo)
{
	struct cp *cp = user;
	cp->ended_by = signo;
	if (cp->copy)
		trm_copy_cancel(cp->copy);
}

/* Open the same pipe once more, because O_NONBLOCK then affects only this program. */
static int open_stdout(void)
{
	struct stat st;
	if (fstat(STDOUT_FILENO, &st) < 0 || !S_ISFIFO(st.st_mode))
		return STDOUT_FILENO;
	int fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? STDOUT_FILENO : fd;
}

/* A deep tree needs an open descriptor per level. */
static void allow_open_files(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= OPEN_FILES_WANTED)
		return;
	limit.rlim_cur = limit.rlim_max < OPEN_FILES_WANTED ? limit.rlim_max : OPEN_FILES_WANTED;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* The reader of stdout has gone, so end as cat would. */
static bool is_reader_gone(const struct cp *cp)
{
	struct pollfd p = {.fd = cp->out_fd};
	return cp->is_to_stdout && cp->why.code == TRM_ECLOSED && poll(&p, 1, 0) == 1 && p.revents & POLLERR;
}

static int open_output(struct cp *cp, struct trm_error *reterr)
{
	if (!isatty(STDOUT_FILENO)) {
		cp->out_fd = open_stdout();
		return 0;
	}
	int r = filter_pipe_init(&cp->filter_pipe, cp->loop, STDOUT_FILENO, reterr);
	cp->out_fd = filter_pipe_fd(&cp->filter_pipe);
	cp->progress_bar.fd = -1;
	return r;
}

static int start_cp(struct cp *cp, char **places, size_t n, struct trm_error *reterr)
{
	char *target = places[n - 1];
	places[n - 1] = NULL;
	cp->out_fd = -1;
	cp->is_to_stdout = strcmp(target, "-") == 0;
	int r = cp->is_to_stdout ? open_output(cp, reterr) : 0;
	if (r < 0)
		return r;
	sandbox_list_remote_opts(&cp->config, NULL, &cp->lists, &cp->far);
	const struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.far = sandbox_list_is_remote(&cp->config) ? &cp->far : NULL,
			.sources = (const char *const *)places,
			.target = target,
			.in_fd = STDIN_FILENO,
			.out_fd = cp->is_json ? -1 : cp->out_fd,
			.max_bytes = cp->config.max_copy_bytes,
			.max_files = cp->config.max_copy_files,
			.wants_total = cp->progress_bar.fd >= 0};
	return trm_copy_start(cp->loop, &opts, &copy_cb, cp, &cp->copy, reterr);
}

static void copy_places(struct cp *cp, char **places, size_t n)
{
	static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};
	struct trm_signal *handler = NULL;
	int r = trm_loop_create(&cp->loop, &cp->why);
	if (r == 0)
		r = trm_loop_add_signals(cp->loop, signals, SIGNALS - cli_is_nohup(), on_cp_signal, cp,
				&handler, &cp->why);
	if (r == 0) {
		cp->start_ns = trm_loop_now_ns(cp->loop);
		progress_bar_init(&cp->progress_bar, STDERR_FILENO, cp->start_ns);
		start_cp(cp, places, n, &cp->why);
	}
	while (cp->copy)
		trm_loop_step(cp->loop, -1);
	if (cp->filter_pipe.loop)
		filter_pipe_drain(&cp->filter_pipe, &cp->ended_by);
	bool was_drawn = cp->progress_bar.is_drawn;
	progress_bar_clear(&cp->progress_bar);
	if (is_reader_gone(cp))
		cmd_die_of_pipe();
	report_end(cp, was_drawn);
	if (cp->is_json)
		put_json(cp);
	filter_pipe_finish(&cp->filter_pipe);
	trm_signal_remove(handler);
	trm_loop_destroy(cp->loop);
}

/* ---- the command line ------------------------------------------------------------------------ */

enum { OPTION_JSON };

static const struct option_spec options[] = {
		{"--json", 0, NULL, "print a summary as one JSON object"},
		{0},
};

/* Is this a directory in the running sandbox? */
static bool is_folder_inside(const char *name, const char *path)
{
	struct trm_sync_opts opts;
	struct trm_sync *sync = NULL;
	struct trm_entry entry;
	struct trm_command_execution done = {0};
	bool is_folder = false;
	if (!sandbox_list_runs(name, &entry))
		return false;
	trm_sync_opts_default(&opts);
	opts.sandbox.name = name;
	opts.may_join = true;
	if (trm_sync_create(&opts, &sync, NULL) == 0 && trm_sync_start(sync, NULL) == 0
			&& trm_sync_command(sync, "test", (const char *const[]){"-d", path, NULL}, -1, &done,
					   NULL)
					   == 0)
		is_folder = done.success;
	trm_command_execution_finish(&done);
	trm_sync_destroy(sync);
	return is_folder;
}

/* "cp - NAME:DIR": stdin is a tar stream, which tar in the sandbox unpacks, so that a hostile stream can
 * only do harm there. False: another kind of copy. */
static bool unpacks(const struct cp *cp, char **places, size_t n, int *ret_code)
{
	char name[65], *target = places[n - 1];
	size_t len = strcspn(target, ":/");
	if (n != 2 || strcmp(places[0], "-") != 0 || target[len] != ':' || !len || len >= sizeof name
			|| sandbox_list_is_remote(&cp->config))
		return false;
	snprintf(name, sizeof name, "%.*s", (int)len, target);
	char *colon = target + len;
	char *path = colon[1] ? colon + 1 : (char *)".";
	if (!is_folder_inside(name, path))
		return false;
	char *argv[] = {(char *)"tar", (char *)"-xof", (char *)"-", (char *)"-C", path, NULL};
	*ret_code = exec_in(&cp->config, name, argv);
	return true;
}

static int cp_main(const struct cmd *cmd, int argc, char **argv)
{
	struct cp cp = {0};
	struct options o;
	size_t n = 0;
	int got;
	options_init(&o, cmd->name, options, argc, argv);
	while ((got = options_next(&o)) != OPTIONS_END) {
		if (got == OPTIONS_HELP)
			return cmd_print_help(cmd);
		if (got == OPTIONS_WRONG)
			return CMD_FAILED;
		if (got == OPTION_JSON)
			cp.is_json = true;
		else
			argv[n++] = argv[o.at - 1];
	}
	if (n < 2)
		return cmd_fail("%s; see 'terrarium cp --help'",
				n ? "DST is missing" : "SRC and DST are missing");
	if (options_config(&o, &cp.config) < 0)
		return CMD_FAILED;
	int code;
	if (!cp.is_json && unpacks(&cp, argv, n, &code))
		return code;
	json_init(&cp.json);
	if (cp.is_json) {
		json_open(&cp.json, NULL, '{');
		json_open(&cp.json, "refused", '[');
	}
	allow_open_files();
	copy_places(&cp, argv, n);
	int written = json_finish(&cp.json);
	if (cp.ended_by)
		return CMD_SIGNALED + cp.ended_by;
	return cp.why.code || cp.sum.refused ? CMD_FAILED : written;
}

static const char *const settings[] = {"max_size", "max_files", NULL};

const struct cmd cmd_cp = {
		.name = "cp",
		.usage = "cp [OPTIONS] SRC… DST",
		.summary = "copy files in and out",
		.help = "Copies files and directories. NAME:PATH is in the running sandbox NAME, "
			"relative to its working directory; PATH is on this machine; - is standard "
			"input or output; of a directory it is a tar stream, both ways. As with cp -r, an existing directory DST receives SRC, and "
			"any other DST becomes its name. DIR/. means the contents of DIR. Copies keep "
			"modes, times and holes, but not owners. A file appears whole or not at all. "
			"Links that lead out, devices, FIFOs and sockets are reported and not copied. "
			"The exit code is 125 if something was not copied.",
		.options = options,
		.operands = "NAME:PATH...",
		.settings = settings,
		.run = cp_main,
};
