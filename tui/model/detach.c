/* SPDX-License-Identifier: MIT */
#include "model/detach.h"

#include "command/command.h"
#include "model/effect.h"
#include "model/key_hint.h"
#include "model/model.h"

bool detach_is_certain(const struct model *m)
{
	return m->sandbox.state != SANDBOX_DEAD && (m->sandbox.is_kept || m->sandbox.is_attached);
}

bool detach_loses_later(const struct model *m)
{
	return m->sandbox.is_attached && !m->sandbox.is_kept && !m->sandbox.is_adopted;
}

/* ---- commands ---- */

static bool has_sandbox(struct model *m)
{
	char key[KEYMAP_NAME_BYTES];

	if (m->sandbox.state != SANDBOX_DEAD)
		return true;
	notices_add(&m->notices, m->now_ns, false, "there is no sandbox: %s starts one",
			key_hint(m, "run", key));
	return false;
}

static void detach(struct model *m, struct effects *out)
{
	if (has_sandbox(m))
		effect_plain(out, EFFECT_DETACH);
}

static void keep_sandbox(struct model *m, struct effects *out)
{
	if (has_sandbox(m))
		effect_add(out, (struct effect){.type = EFFECT_KEEP, .is_kept = !m->sandbox.is_kept});
}

static const struct command commands[] = {
		{"detach", "Detach", "leave the workbench; the sandbox keeps running with all its state",
				CONTEXT_ANY, .run = detach},
		{"keep", "Keep the sandbox (toggle)",
				"choose whether the sandbox keeps running when you leave", CONTEXT_ANY,
				.run = keep_sandbox},
};
const struct command_table detach_commands = COMMAND_TABLE(commands);
