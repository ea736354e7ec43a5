/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/dynlib.h>
#include <terrarium/error.h>
#include <terrarium/grammar.h>
#include <terrarium/lang.h>
#include <terrarium/sandbox.h>

#include "backend/host/filters.h"
#include "backend/host/machine.h"
#include "backend/host/rundir.h"
#include "doctor/doctor.h"

void doctor_ask_version(const char *path, char *out, size_t cap)
{
	int fd[2];
	pid_t pid;
	posix_spawn_file_actions_t actions;
	char program[MACHINE_PATH], option[] = "--version";
	char *argv[] = {program, option, NULL}, *env[] = {NULL};
	snprintf(program, sizeof program, "%s", path);
	out[0] = '\0';
	if (pipe2(fd, O_CLOEXEC) < 0)
		return;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	int r = posix_spawn(&pid, path, &actions, NULL, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	close(fd[1]);
	if (r == 0) {
		ssize_t n = read(fd[0], out, cap - 1);
		out[n > 0 ? n : 0] = '\0';
		out[strcspn(out, "\n")] = '\0';
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	close(fd[0]);
}

static void look_at_filters(struct doctor *d)
{
	struct trm_error e;
	if (machine_check_filters(&e) < 0)
		doctor_say(d, TRM_CHECK_FAILED, "seccomp", "build terrarium on this machine", "%s", e.msg);
	else
		doctor_say(d, TRM_CHECK_OK, "seccomp", NULL, "filters for %s, two programs",
				filters_machine());
}

static void look_at_rundir(struct doctor *d)
{
	char path[RUNDIR_PATH];
	struct trm_error e;
	int fd = rundir_open(path, &e);
	if (fd < 0) {
		doctor_say(d, TRM_CHECK_FAILED, "runtime directory",
				"set XDG_RUNTIME_DIR to a folder that only you can use; in a read-only container: "
				"docker run --tmpfs /tmp",
				"%s", e.msg);
		return;
	}
	close(fd);
	rmdir(path); /* only if it is empty */
	doctor_say(d, TRM_CHECK_OK, "runtime directory", NULL, "%s", path);
}

/* Only sandboxes with a network need this. */
static void look_at_network(struct doctor *d)
{
	char path[MACHINE_PATH], version[128];
	struct trm_error e;
	if (machine_find_slirp(path, &e) < 0) {
		char *advice = strrchr(e.msg, ':');
		if (advice)
			*advice = '\0';
		doctor_say(d, TRM_CHECK_NOTE, "network (--net on)", advice ? advice + 2 : NULL, "%s", e.msg);
		return;
	}
	doctor_ask_version(path, version, sizeof version);
	char hint[TRM_NET_HINT];
	struct trm_limits limits = {.net = true};
	if (trm_net_hint(&limits, hint, sizeof hint))
		doctor_say(d, TRM_CHECK_NOTE, "network (--net on)", NULL, "%s", hint);
	doctor_say(d, TRM_CHECK_OK, "network (--net on)", NULL, "%s, %s", *version ? version : "slirp4netns",
			path);
}

/* Find the first file that matches one of these patterns, which are separated by |. */
static bool find_first(const char *patterns, char ret_path[MACHINE_PATH])
{
	char pattern[MACHINE_PATH];
	bool is_found = false;
	for (const char *at = patterns; *at && !is_found; at += strcspn(at, "|"), at += *at == '|') {
		glob_t found;
		snprintf(pattern, sizeof pattern, "%.*s", (int)strcspn(at, "|"), at);
		is_found = glob(pattern, GLOB_BRACE, NULL, &found) == 0;
		if (is_found)
			snprintf(ret_path, MACHINE_PATH, "%s", found.gl_pathv[0]);
		globfree(&found);
	}
	return is_found;
}

/* `terrarium install` uses these programs. They only count where sandboxes can see them. */
static void look_at_installers(struct doctor *d)
{
	static const struct {
		const char *name, *places, *package, *what;
	} tools[] = {
			{"pip",
					"/usr/{,local/}lib/python3*/{dist,site}-packages/pip/__main__.py|"
					"/usr/share/python-wheels/pip-*.whl|/usr/lib/python3*/ensurepip/_bundled/pip-*.whl",
					"python3-pip-whl", "Python"},
			{"npm", "/usr/{,local/}bin/npm", "npm", "JavaScript"},
	};
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
		char found[MACHINE_PATH], advice[64];
		if (find_first(tools[i].places, found)) {
			doctor_say(d, TRM_CHECK_OK, tools[i].name, NULL, "%s", found);
			continue;
		}
		snprintf(advice, sizeof advice, "apt install %s", tools[i].package);
		doctor_say(d, TRM_CHECK_NOTE, tools[i].name, advice,
				"not found in /usr, so 'terrarium install' does not work for %s",
				tools[i].what);
	}
}

/* Policies read these trees, and work without, but coarsely. */
static void look_at_grammars(struct doctor *d)
{
	for (unsigned i = 0; i < trm_lang_count(); i++) {
		const struct trm_lang *lang = trm_lang_at(i);
		struct trm_error why = {0};
		struct trm_grammar grammar = {0};
		if (!*lang->grammar || !lang->has_tab) /* those of the others are not missed */
			continue;
		if (trm_grammar_open(lang->grammar, &grammar, &why) == 0)
			doctor_say(d, TRM_CHECK_OK, "grammar", NULL, "%s", lang->name);
		else
			doctor_say(d, TRM_CHECK_NOTE, "grammar",
					"build or install terrarium with its grammars",
					"no grammar of %s: policies scan it coarsely, and count comments and strings as code; "
					"%s",
					lang->name, why.msg);
		trm_grammar_close(&grammar);
	}
}

/* Libraries that are loaded on demand. */
static void look_at_libraries(struct doctor *d)
{
	static const struct {
		const char *name, *file, *package, *what;
	} libraries[] = {
			{"HTTP server", "libmicrohttpd.so.12", "libmicrohttpd12",
					"'terrarium serve' cannot start"},
			{"keys of the server", "libgnutls.so.30", "libgnutls30",
					"'terrarium keygen' and 'serve' without --dev cannot work"},
	};
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		char advice[64];
		const struct trm_dynlib library = {
				libraries[i].file, libraries[i].package, libraries[i].name, NULL, 0};
		if (trm_dynlib_load(&library, NULL, NULL) == 0) {
			doctor_say(d, TRM_CHECK_OK, libraries[i].name, NULL, "%s", libraries[i].file);
			continue;
		}
		snprintf(advice, sizeof advice, "apt install %s", libraries[i].package);
		doctor_say(d, TRM_CHECK_NOTE, libraries[i].name, advice, "%s not found; %s",
				libraries[i].file, libraries[i].what);
	}
}

void doctor_check_machine(struct doctor *d)
{
	look_at_filters(d);
	look_at_rundir(d);
	look_at_network(d);
	look_at_installers(d);
	look_at_libraries(d);
	look_at_grammars(d);
}
