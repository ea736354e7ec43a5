/* SPDX-License-Identifier: MIT */
#include "command/command.h"

#include <string.h>

#include "model/effect.h"
#include "model/model.h"
#include "model/update.h"

static const struct command_table *const tables[] = {
		&workbench_commands,
		&buffer_commands,
		&confirmation_commands,
		&settings_commands,
		&tutor_commands,
		&file_picker_commands,
		&clear_commands,
		&time_limit_commands,
		&cell_commands,
		&finder_commands,
		&find_all_commands,
		&goto_commands,
		&install_commands,
		&copier_commands,
		&editor_commands,
		&output_commands,
		&output_block_commands,
		&output_search_commands,
		&figure_commands,
		&metrics_commands,
		&memory_commands,
		&sandboxes_commands,
		&engines_commands,
		&stopping_commands,
		&variables_commands,
		&table_commands,
		&gallery_commands,
		&inspect_commands,
		&record_commands,
		&complete_commands,
		&replay_commands,
		&demo_commands,
		&loss_commands,
		&detach_commands,
		&history_commands,
};

const struct context_info contexts[CONTEXT_COUNT] = {
		[CONTEXT_EDITOR] = {"editor", "In the editor"},
		[CONTEXT_OUTPUT] = {"output", "In the output"},
		[CONTEXT_METRICS] = {"metrics", "In the metrics"},
		[CONTEXT_VARIABLES] = {"variables", "In the variables"},
		[CONTEXT_POPUP] = {"popup", "While completions are shown"},
		[CONTEXT_STOPPING] = {"clock", "While a run is being stopped"},
		[CONTEXT_REPLAY] = {"replay", "In a replay"},
		[CONTEXT_DEMO] = {"demo", "In a demo"},
		[CONTEXT_PAUSED] = {"paused", "While a run is paused near the memory limit"},
		[CONTEXT_SANDBOXES] = {"sandboxes", "In the list of sandboxes"},
		[CONTEXT_TABLE] = {"table", "In a table"},
		[CONTEXT_GALLERY] = {"gallery", "In the gallery"},
		[CONTEXT_ANY] = {"any", "Everywhere"},
		[CONTEXT_ALWAYS] = {"always", "Everywhere, also in dialogs"},
};

const struct command *command_at(size_t i)
{
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
		if (i < tables[t]->n)
			return &tables[t]->commands[i];
		i -= tables[t]->n;
	}
	return NULL;
}

const struct command *command_find(const char *name)
{
	const struct command *c;

	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (size_t i = 0; i < tables[t]->n; i++) {
			c = &tables[t]->commands[i];
			if (c->name[0] == name[0] && strcmp(c->name, name) == 0)
				return c;
		}
	return NULL;
}

bool command_is(const struct command *c, const char *name)
{
	return c && strcmp(c->name, name) == 0;
}

bool command_applies(const struct model *m, const struct command *c)
{
	return (c->key_context != CONTEXT_DEMO || m->demo.is_on)
	       && (c->key_context != CONTEXT_REPLAY || m->replay.is_on);
}

void command_run(struct model *m, const struct command *c, struct effects *out)
{
	if (!replay_allows(m, c)) {
		replay_refuse(m);
		return;
	}
	if (!command_applies(m, c)) {
		notices_add(&m->notices, m->now_ns, false,
				c->key_context == CONTEXT_DEMO ? "no demo is running"
							       : "no recording is playing");
		return;
	}
	if (c->edit) {
		vi_break(&m->vi, model_editor(m));
		editor_done(m, editor_command(model_editor(m), c, false, m->now_ns), out);
		return;
	}
	m->needs_draw = true;
	c->run(m, out);
}
