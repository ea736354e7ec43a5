/* SPDX-License-Identifier: MIT */
/* :install PACKAGE… in the language of the prompt, and :net. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/install.h>

#include "repl/command.h"
#include "repl/repl_internal.h"
#include "repl/words.h"
#include "stream/tty.h"

struct install {
	struct trm_install *install;
	struct filter filter; /* for progress displays */
	bool has_terminal;
};

static void on_repl_install_output(
		void *user, struct trm_install *install, int stream, const void *bytes, size_t n)
{
	struct repl *r = user;
	(void)install;
	if (r->install->has_terminal)
		show_screen(&r->show, &r->install->filter, bytes, n);
	else
		show_output(&r->show, stream, bytes, n, false);
}

static void on_repl_install_done(
		void *user, struct trm_install *install, int exit_code, const struct trm_error *why)
{
	struct repl *r = user;
	struct install *in = r->install;
	(void)install;
	r->install = NULL;
	if (in->has_terminal)
		show_screen(&r->show, &in->filter, NULL, 0);
	free(in);
	if (r->is_over)
		return;
	show_end(&r->show);
	repl_fail(r, exit_code > 0 ? exit_code : 0);
	if (why->code)
		repl_error(r, "%s", why->msg);
	repl_done(r);
}

static const struct trm_install_cb install_cb = {
		.output = on_repl_install_output, .done = on_repl_install_done};

static void on_repl_install_interrupt(struct repl *r)
{
	if (r->install)
		trm_install_cancel(r->install->install);
}

static const struct activity installing = {.what = "installing", .interrupt = on_repl_install_interrupt};

static int start_repl_install(
		struct repl *r, const char *const *packages, bool is_shared, struct trm_error *reterr)
{
	struct install *in = calloc(1, sizeof *in);
	struct winsize size;
	char term[80];
	const char *env[] = {tty_name(term, sizeof term), NULL};
	if (!in)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	tty_size(&size);
	filter_init(&in->filter, FILTER_PROGRESS);
	in->has_terminal = repl_has_person(r);
	struct trm_install_opts opts = {.size = sizeof(struct trm_install_opts),
			.lang = r->lang,
			.packages = packages,
			.is_shared = is_shared,
			.net_credentials = r->config.net_credentials,
			.env = in->has_terminal ? env : NULL,
			.has_terminal = in->has_terminal,
			.rows = size.ws_row,
			.cols = size.ws_col};
	int e = trm_install_start(r->cli_session.sandbox, &opts, &install_cb, r, &in->install, reterr);
	r->install = e == 0 ? in : NULL;
	if (e < 0)
		free(in);
	return e;
}

void repl_command_install(struct repl *r, const char *rest)
{
	struct trm_error why = {0};
	struct words words = {0};
	int e = words_split(&words, rest, &why);
	if (e == 0 && !words.n) {
		repl_error(r, "which packages? for example :install %s",
				!strcmp(r->lang->package_manager, "npm") ? "left-pad" : "rich");
	} else if (e < 0 || start_repl_install(r, (const char *const *)words.items, false, &why) < 0) {
		repl_error(r, "%s", why.msg);
	} else {
		repl_begin(r, &installing);
	}
	words_finish(&words);
}

void repl_install_with(struct repl *r)
{
	struct trm_error why = {0};
	if (!r->owes_with)
		return;
	r->owes_with = false;
	if (start_repl_install(r, (const char *const *)r->opts->with, true, &why) == 0) {
		repl_begin(r, &installing);
		return;
	}
	repl_fail(r, 0);
	repl_error(r, "%s", why.msg);
}

void repl_command_install_resize(struct repl *r)
{
	struct winsize size;
	if (!r->install)
		return;
	tty_size(&size);
	trm_install_resize(r->install->install, size.ws_row, size.ws_col);
}

void repl_command_install_close(struct repl *r)
{
	while (r->install) {
		trm_install_cancel(r->install->install);
		trm_loop_step(r->cli_session.loop, -1);
	}
}

/* At a server the granted network can differ from the requested one: print the server's guard. */
static void print_far(struct repl *r)
{
	const struct trm_guard *guards;
	size_t n = trm_sandbox_guards(r->cli_session.sandbox, &guards);
	for (size_t i = 0; i < n; i++)
		if (strcmp(guards[i].what, "network") == 0)
			show_answer(&r->show, ROLE_TEXT, "%s", guards[i].how);
}

void repl_command_net(struct repl *r, const char *rest)
{
	const struct trm_limits *l = trm_sandbox_limits(r->cli_session.sandbox);
	char text[TRM_NET_ALLOW + 32];
	if (*rest && strcmp(rest, "on") != 0 && strcmp(rest, "off") != 0)
		repl_error(r, ":net takes on or off, not '%s'", rest);
	else if (repl_is_far(r))
		print_far(r);
	else if (*rest && strcmp(rest, l->net ? "on" : "off") != 0)
		repl_error(r,
				"the network is set when a sandbox starts: quit, and start again with "
				"terrarium repl --net %s",
				rest);
	else
		show_answer(&r->show, ROLE_TEXT, "%s", trm_limits_describe_net(l, text, sizeof text));
}
