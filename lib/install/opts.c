/* SPDX-License-Identifier: MIT */
/* Options of an installation: check them, and copy them. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "install/install.h"
#include "kernel/kernel.h"
#include "sandbox/sandbox.h"

enum { ENV_MAX = 256 };

/* ---- checks ---- */

/* Can the sandbox do without a network? */
static bool may_share(const struct trm_sandbox *sandbox, const struct trm_install_opts *opts)
{
	return recipe_for(opts->lang)->has_sets && !opts->requirements && !sandbox_is_made(sandbox);
}

bool install_is_shared_only(const struct trm_sandbox *sandbox, const struct trm_install_opts *opts)
{
	return may_share(sandbox, opts) && !trm_sandbox_limits(sandbox)->net;
}

int install_check(struct trm_sandbox *sandbox, const struct trm_install_opts *opts, struct trm_error *reterr)
{
	int r = trm_install_supports(opts->lang, reterr);
	size_t n = 0;
	for (; r == 0 && opts->packages && opts->packages[n]; n++)
		r = trm_package_check(opts->lang, opts->packages[n], reterr);
	if (r < 0)
		return r;
	if (n > ARGUMENTS_MAX || opts->requirements_len > REQUIREMENTS_MAX)
		return trm_error_set(reterr, TRM_ETOOBIG,
				"at most %d packages and %d KiB of requirements at once", ARGUMENTS_MAX,
				REQUIREMENTS_MAX / 1024);
	if (opts->upgrades && recipe_for(opts->lang)->is_of_row)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"only pip and npm can be told to upgrade: name the version instead");
	if (opts->requirements && opts->is_shared)
		return trm_error_set(reterr, TRM_EINVAL, "libraries of a run are named one by one");
	if (opts->requirements && !recipe_for(opts->lang)->has_fetcher)
		return trm_error_set(reterr, TRM_EINVAL, "requirements files are pip's");
	if (!n && !opts->requirements)
		return trm_error_set(reterr, TRM_EINVAL, "there is no package to install");
	if (!strcmp(trm_sandbox_backend(sandbox), "microsandbox"))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"packages are not installed in sandboxes at a server from here: run the sandbox's own "
				"pip or npm, if it has a network");
	if (may_share(sandbox, opts))
		return 0;
	/* Known once it is there. */
	bool is_unknown = trm_sandbox_is_adopted(sandbox) && !trm_sandbox_is_attached(sandbox)
			  && !trm_sandbox_is_ready(sandbox);
	if (trm_sandbox_limits(sandbox)->net || is_unknown)
		return 0;
	if (trm_sandbox_is_adopted(sandbox))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"the container %.200s has no network to fetch packages: connect it to one, or use another "
				"container",
				trm_sandbox_origin(sandbox));
	return trm_error_set(reterr, TRM_ENOTSUP,
			"the sandbox '%s' has no network to fetch packages: start one with '--net on'",
			trm_sandbox_name(sandbox));
}

/* ---- a copy ---- */

static void free_words(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

/* A NULL-terminated list; false when out of memory. */
static bool copy_words(char ***ret, const char *const *words)
{
	size_t n = 0;
	while (words && words[n])
		n++;
	*ret = calloc(n + 1, sizeof **ret);
	for (size_t i = 0; *ret && i < n; i++)
		if (!((*ret)[i] = strdup(words[i])))
			return false;
	return *ret;
}

/* The variables of the language behind those that were asked for. */
static bool copy_env(struct tool_opts *to, const struct trm_install_opts *from)
{
	const char *const *own = kernel_spec(from->lang)->env;
	const char *all[ENV_MAX + 1] = {NULL};
	size_t n = 0;
	for (; from->env && from->env[n] && n < ENV_MAX; n++)
		all[n] = from->env[n];
	for (size_t i = 0; own && own[i] && n < ENV_MAX; i++)
		all[n++] = own[i];
	return !n || copy_words(&to->env, all);
}

bool tool_opts_copy(struct tool_opts *to, const struct trm_install_opts *from)
{
	if (!copy_words(&to->packages, from->packages) || !copy_env(to, from))
		return false;
	while (to->packages[to->n_packages])
		to->n_packages++;
	if (!from->requirements)
		return true;
	to->requirements = malloc(from->requirements_len + 1);
	if (!to->requirements)
		return false;
	memcpy(to->requirements, from->requirements, from->requirements_len);
	to->requirements_len = from->requirements_len;
	return true;
}

void tool_opts_finish(struct tool_opts *opts)
{
	free_words(opts->packages);
	free_words(opts->env);
	free(opts->requirements);
}
