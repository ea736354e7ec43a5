/* SPDX-License-Identifier: MIT */
/* Which backend supports which option. An option without effect is refused, because the person relies on it.
 */
#include <inttypes.h>
#include <string.h>

#include <terrarium/config.h>
#include <terrarium/recipe.h>
#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/options.h"

enum {
	ON_LOCAL = 1,
	ON_SERVER = 2,   /* microsandbox */
	ON_ENGINE = 4,   /* a new sandbox of a recipe */
	ON_EXISTING = 8, /* an existing container */
	ON_CONTAINERS = ON_ENGINE | ON_EXISTING,
};

#define FOR_CONTAINERS "containers: add --backend docker or podman"
#define FOR_NEW_CONTAINERS "new containers: add --backend docker or podman"
#define FOR_PODS "pods: add --backend kubernetes"
#define FOR_CLAIMS "pods of agent-sandbox: add --backend agent-sandbox"
#define FOR_SERVERS "sandboxes on a server: add --backend microsandbox"
#define FOR_NEW \
	"new sandboxes, and a container that exists keeps its own: set it when you create the container"

/* Options that are not listed work everywhere. With `asks_recipe` the recipe decides as well. */
static const struct {
	const char *setting;
	int works_on;
	bool asks_recipe;
	const char *is_for;
} fits[] = {
		{"isolation", ON_LOCAL, false, "sandboxes of the backend local"},
		{"from", ON_LOCAL | ON_ENGINE, false, "new sandboxes of local and of containers"},
		{"net_allow", ON_LOCAL, false, "sandboxes of the backend local"},
		{"net_allow_host", ON_LOCAL, false,
				"sandboxes of the backend local: an engine's network knows no names"},
		{"memory", ON_LOCAL | ON_SERVER | ON_ENGINE, true, FOR_NEW},
		{"cpus", ON_LOCAL | ON_SERVER | ON_ENGINE, true, FOR_NEW},
		{"processes", ON_LOCAL | ON_ENGINE, true, "new sandboxes of other backends"},
		{"disk", ON_LOCAL | ON_ENGINE, true, "new sandboxes of other backends"},
		{"file_size", ON_LOCAL | ON_CONTAINERS, false, "sandboxes of other backends"},
		{"open_files", ON_LOCAL | ON_CONTAINERS, false, "sandboxes of other backends"},
		{"idle_timeout", ON_LOCAL | ON_CONTAINERS, false, "sandboxes of other backends"},
		{"max_lifetime", ON_LOCAL | ON_CONTAINERS, false, "sandboxes of other backends"},
		{"image", ON_SERVER | ON_CONTAINERS, false, FOR_CONTAINERS},
		{"container", ON_CONTAINERS, false, FOR_CONTAINERS},
		{"dockerfile", ON_CONTAINERS, false, FOR_CONTAINERS},
		{"user", ON_CONTAINERS, false, FOR_CONTAINERS},
		{"engine_arg", ON_ENGINE, true, FOR_NEW_CONTAINERS},
		{"runtime", ON_ENGINE, true, FOR_NEW_CONTAINERS},
		{"environment", ON_CONTAINERS, false, "sandboxes of micromamba (--backend micromamba)"},
		{"kube_context", ON_CONTAINERS, true, FOR_PODS},
		{"kube_namespace", ON_CONTAINERS, true, FOR_PODS},
		{"service_account", ON_ENGINE, true, "new " FOR_PODS},
		{"runtime_class", ON_ENGINE, true, "new " FOR_PODS},
		{"pod_manifest", ON_ENGINE, true, "new " FOR_PODS},
		{"warm_pool", ON_ENGINE, true, "new " FOR_CLAIMS},
		{"template", ON_ENGINE, true, "new " FOR_CLAIMS},
		{"kube_transport", ON_CONTAINERS, true, FOR_PODS},
		{"read_only", ON_CONTAINERS, false, FOR_CONTAINERS},
		{"commit", ON_CONTAINERS, false, FOR_CONTAINERS},
		{"commit_over", ON_CONTAINERS, false, FOR_CONTAINERS},
		{"keep_image", ON_CONTAINERS, false, FOR_CONTAINERS},
		{"volume", ON_SERVER, false, FOR_SERVERS ", or give --mount"},
		{"port", ON_SERVER, false, FOR_SERVERS},
		{"shell", ON_SERVER, false, FOR_SERVERS},
		{"script", ON_SERVER, false, FOR_SERVERS},
		{"namespace", ON_SERVER, false, FOR_SERVERS},
		{"server_url", ON_SERVER, false, FOR_SERVERS},
		{"api_key", ON_SERVER, false, FOR_SERVERS},
		{"api_key_file", ON_SERVER, false, FOR_SERVERS},
		{"ca_file", ON_SERVER, false, FOR_SERVERS},
};

static int kind_of(const struct trm_config *config)
{
	if (!strcmp(config->backend, "local") || !strcmp(config->backend, "fake"))
		return ON_LOCAL;
	if (!strcmp(config->backend, "microsandbox"))
		return ON_SERVER;
	return *config->container ? ON_EXISTING : ON_ENGINE;
}

/* "--read-only=off" and "--image ''" request nothing. */
static bool is_asked(const struct options *o, const struct trm_config *config, const char *name)
{
	char value[8];
	if (!options_has(o, name))
		return false;
	trm_config_get(config, setting_find(name), value, sizeof value);
	return *value && strcmp(value, "off") != 0;
}

/* Problems with a recipe (missing, not readable) are reported when it is opened. */
static bool recipe_takes(const struct trm_config *config, const char *option, bool is_read_only)
{
	struct trm_recipe *recipe = NULL;
	bool takes = trm_recipe_load(config->backend, *config->path ? config->path : NULL, &recipe, NULL) < 0
		     || trm_recipe_takes(recipe, option, is_read_only);
	trm_recipe_free(recipe);
	return takes;
}

static int refuse_backend_option(
		const struct trm_config *config, int kind, const char *option, const char *is_for)
{
	return cmd_fail("%s does nothing on the backend '%s'%s: it is for %s", option, config->backend,
			kind == ON_EXISTING ? " with --container" : "", is_for);
}

static int check_option(const struct trm_config *config, int kind, size_t row)
{
	const struct trm_setting *setting = setting_find(fits[row].setting);
	if (!(fits[row].works_on & kind))
		return refuse_backend_option(config, kind, setting->option, fits[row].is_for);
	if (kind == ON_ENGINE && fits[row].asks_recipe
			&& !recipe_takes(config, setting->option, config->read_only))
		return cmd_fail("%s does nothing on the backend '%s': its recipe %s", setting->option,
				config->backend,
				recipe_takes(config, setting->option, true)
						? "limits that only with --read-only"
						: "does not use it");
	return CMD_OK;
}

/* A running sandbox is compared with the options when the client joins it. */
static bool is_running(const struct trm_config *config)
{
	struct trm_entry entry;
	return *config->name && trm_registry_lists(config->backend)
	       && trm_registry_find(config->name, &entry, NULL) == 0;
}

static void tell_disk(const struct options *o, const struct trm_config *config)
{
	struct trm_sandbox_opts opts;
	struct trm_config_lists lists;
	char hint[TRM_DISK_HINT];
	if (!options_has(o, "disk") || strcmp(config->backend, "local") != 0 || is_running(config))
		return;
	trm_config_sandbox_opts(config, &lists, &opts);
	if (trm_disk_hint(&opts, hint, sizeof hint))
		cmd_fail("note: %s", hint);
}

int options_check_backend(const struct options *o, const struct trm_config *config)
{
	int kind = kind_of(config);
	for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
		if (is_asked(o, config, fits[i].setting)
				&& (!(fits[i].works_on & kind) || fits[i].asks_recipe) && !is_running(config)
				&& check_option(config, kind, i))
			return CMD_FAILED;
	tell_disk(o, config);
	return CMD_OK;
}

int options_check_kept(const struct options *o, const struct trm_config *config)
{
	static const char *const of_kept[] = {"idle_timeout"};
	for (size_t i = 0; i < sizeof of_kept / sizeof *of_kept; i++)
		if (!config->keep && options_has(o, of_kept[i]) && !is_running(config))
			return cmd_fail("%s is for sandboxes that are kept: add --keep",
					setting_find(of_kept[i])->option);
	return CMD_OK;
}
