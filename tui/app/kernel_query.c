/* SPDX-License-Identifier: MIT */
/* Questions to the kernels. The answers become messages with the serial of the question. */
#include <stdlib.h>
#include <string.h>

#include "app/app_internal.h"

struct question {
	struct app *app;
	uint32_t serial;
};

static void send_kernel_answer(struct app *a, uint32_t serial, const char *json, const char *why)
{
	app_send(a, &(struct msg){.type = MSG_ANSWER,
				    .answer.serial = serial,
				    .answer.json = json,
				    .answer.why = why});
}

static void on_query_answer(void *user, const char *json, const struct trm_error *why)
{
	struct question q = *(struct question *)user;

	free(user);
	send_kernel_answer(q.app, q.serial, json, json ? NULL : why->msg);
}

void app_ask(struct app *a, const struct effect *effect)
{
	struct question *q = malloc(sizeof *q);
	struct trm_error err = {0};

	if (!q || !a->session) {
		send_kernel_answer(a, effect->ask.serial, NULL, q ? "there is no sandbox" : "out of memory");
		free(q);
		return;
	}
	*q = (struct question){a, effect->ask.serial};
	if (effect->ask.question == TRM_ASK_TABLE) {
		if (trm_session_table(a->session, effect->ask.lang, &effect->ask.table, on_query_answer, q,
				    &err)
				== 0)
			return;
	} else if (trm_session_ask(a->session, effect->ask.lang, effect->ask.question, effect->ask.code,
				   effect->ask.cursor, on_query_answer, q, &err)
			== 0) {
		return;
	}
	free(q);
	send_kernel_answer(a, effect->ask.serial, NULL, err.msg);
}
