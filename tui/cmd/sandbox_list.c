/* SPDX-License-Identifier: MIT */
#include "cmd/sandbox_list.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/config.h>
#include <terrarium/error.h>
#include <terrarium/recipe.h>

#include "cmd/cmd.h"

int sandbox_list_list(struct trm_registry *registry, const struct trm_entry **ret_entries, size_t *ret_n)
{
	struct trm_error why = {0};
	if (trm_registry_list(registry, ret_entries, ret_n, &why) < 0)
		return cmd_fail("%s", why.msg);
	return 0;
}

const struct trm_entry *sandbox_list_find(const struct trm_entry *entries, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!entries[i].is_stale && strcmp(entries[i].name, name) == 0)
			return &entries[i];
	return NULL;
}

bool sandbox_list_runs(const char *name, struct trm_entry *ret)
{
	return trm_registry_find(name, ret, NULL) == 0;
}

bool sandbox_list_suspends(const struct trm_config *config, const char *backend)
{
	struct trm_recipe *recipe = NULL;
	bool can = trm_recipe_load(backend, *config->path ? config->path : NULL, &recipe, NULL) == 0
		   && trm_recipe_suspends(recipe);
	trm_recipe_free(recipe);
	return can;
}

static int fail_unknown(const struct trm_entry *entries, size_t n, const char *name)
{
	char list[400] = "";
	size_t used = 0, n_named = 0, n_running = 0;
	struct trm_ended ended;
	if (trm_registry_ended(name, &ended))
		return cmd_fail("there is no running sandbox '%.80s': the one on the backend '%s' has ended (%s)",
				name, ended.backend, ended.why);
	for (size_t i = 0; i < n; i++) {
		n_running += !entries[i].is_stale;
		if (entries[i].is_stale || used > sizeof list - 80)
			continue;
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", n_named++ ? ", " : "",
				entries[i].name);
	}
	if (!n_named)
		return cmd_fail("there is no running sandbox '%.80s': none is running", name);
	return cmd_fail("there is no running sandbox '%.80s'; running: %s%s", name, list,
			n_named < n_running ? " …" : "");
}

int sandbox_list_fail_unknown(const char *name)
{
	struct trm_registry *registry;
	const struct trm_entry *entries;
	struct trm_error why = {0};
	size_t n;
	if (trm_sandbox_name_check(name, &why) < 0 || trm_registry_create(&registry, &why) < 0)
		return cmd_fail("%s", why.msg);
	int code = sandbox_list_list(registry, &entries, &n);
	if (code == 0)
		code = fail_unknown(entries, n, name);
	trm_registry_destroy(registry);
	return code;
}

/* A server is only asked if the answer matters. */
static bool runs_already(const struct options *o, const struct trm_config *config, struct trm_entry *ret)
{
	*ret = (struct trm_entry){0};
	if (sandbox_list_is_remote(config))
		return options_has_request(o) && sandbox_list_runs_remote(config, config->name);
	return trm_registry_lists(config->backend) && sandbox_list_runs(config->name, ret);
}

void sandbox_list_note_running(const struct options *o, const struct trm_config *config, bool holds_per_run)
{
	bool lets_go = options_has(o, "keep") && !config->keep;
	struct trm_entry entry;
	if (!*config->name || !runs_already(o, config, &entry))
		return;
	bool is_per_run = holds_per_run && !sandbox_list_is_remote(config);
	if (is_per_run ? options_has_lasting_request(o) : options_has_request(o))
		cmd_fail("sandbox '%s' is already running; its limits%s stay as they are", config->name,
				is_per_run ? " and mounts" : ", mounts and variables");
	if (lets_go && entry.is_kept)
		cmd_fail("sandbox '%s' was already running and stays; 'terrarium stop %s' stops it",
				config->name, config->name);
}
