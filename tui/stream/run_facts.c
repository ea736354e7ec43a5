/* SPDX-License-Identifier: MIT */
#include "stream/run_facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/config.h>
#include <terrarium/recipe.h>

static const char *const LEVELS[] = {
		[TRM_ISOLATION_AUTO] = "",
		[TRM_ISOLATION_NAMESPACES] = "",
		[TRM_ISOLATION_LANDLOCK] = "isolated by Landlock (weaker than namespaces), ",
		[TRM_ISOLATION_NONE] = "WITHOUT ISOLATION, with all your rights, ",
};

char *run_facts_limits(const char *backend, const struct trm_config *config, const struct trm_limits *limits,
		enum trm_isolation level, char *out, size_t cap)
{
	char net[TRM_NET_ALLOW + TRM_RECIPE_BYTES];
	bool is_made = strcmp(backend, "local") != 0 && strcmp(backend, "fake") != 0;
	struct trm_recipe *recipe = NULL;

	if (is_made && trm_recipe_load(backend, *config->path ? config->path : NULL, &recipe, NULL) == 0)
		trm_recipe_describe_limits(recipe, limits, out, cap);
	else
		snprintf(out, cap, "%s%.4g MiB memory, %.3g core%s, %u processes, %.4g MiB disk, %s",
				LEVELS[level], (double)limits->mem_bytes / (1 << 20), limits->cpus,
				limits->cpus == 1 ? "" : "s", limits->procs,
				(double)limits->disk_bytes / (1 << 20),
				level == TRM_ISOLATION_NONE
						? "this machine's network"
						: trm_limits_describe_net(limits, net, sizeof net));
	trm_recipe_free(recipe);
	return out;
}

char *run_facts_guards(const struct trm_sandbox *sandbox, enum trm_strength strength, char *out, size_t cap)
{
	const struct trm_guard *guards;
	size_t used = 0, n = trm_sandbox_guards(sandbox, &guards);
	*out = '\0';
	for (size_t i = 0; i < n && used < cap; i++)
		if (guards[i].strength == strength)
			used += (size_t)snprintf(
					out + used, cap - used, "%s%s", used ? ", " : "", guards[i].what);
	return out;
}

struct engine_say {
	void (*say)(void *user, const char *sentence);
	void *user;
};

__attribute__((format(printf, 2, 3))) static void say_engine(
		const struct engine_say *to, const char *fmt, ...)
{
	char sentence[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(sentence, sizeof sentence, fmt, args);
	va_end(args);
	to->say(to->user, sentence);
}

void run_facts_engine(const struct trm_config *c, void (*say)(void *user, const char *sentence), void *user)
{
	const struct engine_say to = {say, user};

	if (*c->runtime)
		say_engine(&to, "runtime: %s", c->runtime);
	if (*c->environment)
		say_engine(&to, "environment of micromamba: %s", c->environment);
	if (*c->kube_context || *c->kube_namespace)
		say_engine(&to, "cluster: %s%s%s%s", *c->kube_context ? "context " : "", c->kube_context,
				*c->kube_namespace ? " namespace " : "", c->kube_namespace);
	if (*c->pod_manifest)
		say_engine(&to, "pod manifest: %s, which may replace these limits", c->pod_manifest);
	if (*c->warm_pool)
		say_engine(&to, "a pod of the warm pool %s, with its limits, user and network", c->warm_pool);
	if (*c->sandbox_template)
		say_engine(&to, "a pod of the template %s, with its limits, user and network",
				c->sandbox_template);
	if (*c->runtime_class)
		say_engine(&to, "runtime class: %s", c->runtime_class);
	if (*c->service_account)
		say_engine(&to, "service account: %s (without its token)", c->service_account);
	for (const char *at = NULL; (at = trm_list_next(c->engine_args, at));)
		say_engine(&to, "engine option: %s", at);
}
