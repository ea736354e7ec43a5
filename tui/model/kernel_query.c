/* SPDX-License-Identifier: MIT */
#include "model/kernel_query.h"

#include <stdlib.h>
#include <string.h>

#include "model/complete.h"
#include "model/confirm_loss.h"
#include "model/effect.h"
#include "model/inspect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/variables.h"

static void (*const TAKERS[ASK_COUNT])(struct model *m, const struct msg *msg, struct effects *out) = {
		[ASK_COMPLETE] = complete_answer,
		[ASK_INSPECT] = inspect_answer,
		[ASK_SIGNATURE] = signature_answer,
		[ASK_VARIABLES] = variables_answer,
		[ASK_RESET] = loss_answer,
		[ASK_TABLE] = table_page_answer,
		[ASK_MEMBERS] = variable_tree_answer,
};

bool kernel_query_can(const struct model *m, const struct trm_lang *lang)
{
	bool is_busy = model_is_running(m) && m->run.lang == lang;

	return m->sandbox.state == SANDBOX_READY && !is_busy && !m->is_quitting;
}

void kernel_query_send(struct model *m, enum ask_purpose purpose, enum trm_question question,
		const struct trm_lang *lang, const char *code, size_t len, size_t cursor, struct effects *out)
{
	uint32_t serial = ++m->kernel_queries.last_serial;

	bool is_sent = effect_add(out, (struct effect){.type = EFFECT_ASK,
						       .ask = {.serial = serial,
								       .question = question,
								       .lang = lang,
								       .code = effects_copy(out, code, len),
								       .cursor = cursor}});

	m->kernel_queries.items[purpose] = (struct ask){serial, lang, is_sent};
}

void kernel_query_table(struct model *m, const struct trm_lang *lang, const struct trm_table_query *query,
		struct effects *out)
{
	uint32_t serial = ++m->kernel_queries.last_serial;
	struct effect effect = {.type = EFFECT_ASK,
			.ask = {.serial = serial, .question = TRM_ASK_TABLE, .lang = lang, .table = *query}};

	effect.ask.table.path = effects_string(out, query->path);
	effect.ask.table.find = effects_string(out, query->find ? query->find : "");
	m->kernel_queries.items[ASK_TABLE] = (struct ask){serial, lang, effect_add(out, effect)};
}

void kernel_query_forget(struct model *m, enum ask_purpose purpose)
{
	m->kernel_queries.items[purpose] = (struct ask){0};
}

void update_answer(struct model *m, const struct msg *msg, struct effects *out)
{
	for (int i = 0; i < ASK_COUNT; i++) {
		struct ask *ask = &m->kernel_queries.items[i];
		if (!ask->is_open || ask->serial != msg->answer.serial)
			continue;
		ask->is_open = false;
		TAKERS[i](m, msg, out);
		return;
	}
}
