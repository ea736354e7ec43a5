/* SPDX-License-Identifier: MIT */
/* Installs packages. The callbacks become messages of a run, so the installation looks like a run. */
#include <stdlib.h>
#include <string.h>

#include "app/app_internal.h"

struct app_install {
	struct app *app;
	struct trm_install *handle;
	const struct trm_lang *lang;
	uint32_t serial;
	uint64_t began_ns;
};

static void send_install_msg(const struct app_install *in, struct msg msg)
{
	msg.run.serial = in->serial;
	app_send(in->app, &msg);
}

static void on_app_install_output(
		void *user, struct trm_install *install, int stream, const void *bytes, size_t n)
{
	(void)install;
	send_install_msg(user, (struct msg){.type = MSG_RUN_OUTPUT,
					       .run.output.stream = stream,
					       .run.output.bytes = bytes,
					       .run.output.len = n});
}

static void on_app_install_done(
		void *user, struct trm_install *install, int exit_code, const struct trm_error *why)
{
	struct app_install *in = user, ended = *in;
	char reason[sizeof why->msg];
	struct trm_result result = {
			.status = why->code == TRM_OK          ? TRM_STATUS_OK
				  : why->code == TRM_ECANCELED ? TRM_STATUS_INTERRUPTED
							       : TRM_STATUS_ERROR,
			.lang = in->lang,
			.exit_code = exit_code < 0 ? 1 : exit_code,
			.wall_us = (app_clock_ns() - in->began_ns) / 1000,
	};

	(void)install;
	memcpy(reason, why->msg, sizeof reason);
	if (why->code != TRM_OK)
		result.reason = reason;
	in->app->install = NULL;
	free(in);
	send_install_msg(&ended, (struct msg){.type = MSG_RUN_DONE, .run.result = &result});
}

static const struct trm_install_cb install_cb = {
		.output = on_app_install_output, .done = on_app_install_done};

/* Split a text into words, in place. NULL: out of memory. */
static const char **words_of(char *text)
{
	size_t n = 0;
	char *rest = NULL;
	const char **words = calloc(strlen(text) / 2 + 2, sizeof *words);

	for (char *word = words ? strtok_r(text, " \t", &rest) : NULL; word;
			word = strtok_r(NULL, " \t", &rest))
		words[n++] = word;
	return words;
}

static int begin_app_install(
		struct app *a, struct app_install *in, char *text, bool is_shared, struct trm_error *reterr)
{
	const char **words = words_of(text);
	struct trm_install_opts opts = {
			.size = sizeof(struct trm_install_opts),
			.lang = in->lang,
			.packages = words,
			.is_shared = is_shared,
			.net_credentials = a->opts->sandbox.net_credentials,
			.env = a->env,
			.has_terminal = true,
			.rows = (uint16_t)a->model.out.screen.want_rows,
			.cols = (uint16_t)model_output_cols(&a->model),
	};
	int r = words ? trm_install_start(a->sandbox, &opts, &install_cb, in, &in->handle, reterr)
		      : trm_error_set(reterr, TRM_ENOMEM, "out of memory");

	free(words);
	return r;
}

void app_install(struct app *a, const struct effect *effect)
{
	struct app_install *in = calloc(1, sizeof *in);
	struct trm_error err = {0};

	if (!in || !a->sandbox || a->install) {
		free(in);
		app_send(a, &(struct msg){.type = MSG_RUN_REFUSED,
					    .run.serial = effect->install.serial,
					    .run.why = "there is nothing to install into"});
		return;
	}
	*in = (struct app_install){.app = a,
			.lang = effect->install.lang,
			.serial = effect->install.serial,
			.began_ns = app_clock_ns()};
	a->install = in;
	if (begin_app_install(a, in, effect->install.packages, effect->install.is_shared, &err) == 0) {
		send_install_msg(in, (struct msg){.type = MSG_RUN_STARTED});
		return;
	}
	a->install = NULL;
	send_install_msg(in, (struct msg){.type = MSG_RUN_REFUSED, .run.why = err.msg});
	free(in);
}

bool app_install_interrupt(struct app *a, uint64_t serial)
{
	if (!a->install || a->install->serial != serial)
		return false;
	trm_install_cancel(a->install->handle);
	return true;
}

void app_install_finish(struct app *a)
{
	for (int i = 0; i < 2 && a->install; i++)
		trm_install_cancel(a->install->handle);
	while (a->install && trm_loop_step(a->loop, 100) >= 0)
		;
}
