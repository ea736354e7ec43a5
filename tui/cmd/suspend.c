/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/sandbox_list.h"

/* The engine is asked by commands, which take their time. */
enum { TIMEOUT_MS = 60000 };

static int suspend_entry(struct trm_registry *registry, const struct trm_entry *entry)
{
	struct trm_error why = {0};
	struct trm_ended ended;
	int r = trm_registry_suspend(registry, entry, &why);
	if (r == 0)
		r = trm_registry_wait(registry, entry, TIMEOUT_MS, &why);
	if (r < 0)
		return cmd_fail("%s: %s", entry->name, why.msg);
	if (!trm_registry_ended(entry->name, &ended))
		return cmd_fail("%s: it could not be suspended, and was removed", entry->name);
	puts(entry->name);
	return cmd_flush();
}

static int perform(const char *name, const struct trm_config *config)
{
	struct trm_registry *registry;
	struct trm_entry entry;
	struct trm_error why = {0};
	if (!sandbox_list_runs(name, &entry))
		return sandbox_list_fail_unknown(name);
	if (!sandbox_list_suspends(config, entry.backend))
		return cmd_fail("the backend '%s' cannot suspend sandboxes, as agent-sandbox can: 'terrarium snapshot %s' "
				"saves files, where a backend can do that",
				entry.backend, name);
	if (trm_registry_create(&registry, &why) < 0)
		return cmd_fail("%s", why.msg);
	int code = suspend_entry(registry, &entry);
	trm_registry_destroy(registry);
	return code;
}

static int run_suspend(const struct cmd *cmd, int argc, char **argv)
{
	struct trm_config config;
	struct options o;
	const char *name;
	unsigned given;
	int code;
	if (!cmd_read_one(cmd, argc, argv, &o, "NAME", &given, &name, &code))
		return code;
	if (!name)
		return cmd_fail("which sandbox? Give its NAME; 'terrarium ps' lists them");
	return options_check_starts_none(&o) < 0 || options_config(&o, &config) < 0 ? CMD_FAILED
										    : perform(name, &config);
}

const struct cmd cmd_suspend = {
		.name = "suspend",
		.usage = "suspend NAME",
		.summary = "suspend a sandbox",
		.help = "Gives the pod of the sandbox NAME back to the cluster. Files in its volume claims stay, "
			"everything else is lost. 'terrarium resume' goes on with them.",
		.operands = "NAME",
		.run = run_suspend,
};
