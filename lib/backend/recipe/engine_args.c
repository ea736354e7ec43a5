/* SPDX-License-Identifier: MIT */
#include "backend/recipe/engine_args.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/text.h>

#include "base/err.h"
#include "recipe/recipe.h"

/* Options that Terrarium sets itself, with the setting for each (NULL: none). If callers could override
 * these options, Terrarium's own messages about the sandbox would be wrong. */
static const struct {
	const char *option, *setting;
} OURS[] = {
		{"--name", "name"},
		{"--entrypoint", NULL},
		{"--detach", NULL},
		{"-d", NULL},
		{"--rm", NULL},
		{"--interactive", NULL},
		{"-i", NULL},
		{"--tty", NULL},
		{"-t", NULL},
		{"--pull", NULL},
		{"--no-healthcheck", NULL},
		{"--user", "user"},
		{"-u", "user"},
		{"--workdir", "workdir"},
		{"-w", "workdir"},
		{"--memory", "memory"},
		{"-m", "memory"},
		{"--memory-swap", "memory"},
		{"--cpus", "cpus"},
		{"--pids-limit", "processes"},
		{"--network", "net"},
		{"--net", "net"},
		{"--read-only", "read_only"},
		{"--runtime", "runtime"},
};

/* "--memory=2g" and "-m2g" match their options. "-e" does not match "--entrypoint". */
static bool is_option(const char *arg, const char *option)
{
	size_t n = strlen(option);
	if (strncmp(arg, option, n) != 0)
		return false;
	return !arg[n] || arg[n] == '=' || n == 2;
}

static int check_arg(const char *arg, struct trm_error *reterr)
{
	char clean[120];
	trm_text_clean_line(clean, sizeof clean, arg, strlen(arg));
	if (arg[0] != '-' || !arg[1] || !strcmp(arg, "--"))
		return trm_error_set(reterr, TRM_EINVAL,
				"the engine argument '%s' is invalid: it must be an option in one word, as "
				"--shm-size=1g",
				clean);
	for (const char *c = arg; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return trm_error_set(reterr, TRM_EINVAL,
					"the engine argument '%s' contains a control character", clean);
	for (size_t i = 0; i < sizeof OURS / sizeof *OURS; i++)
		if (is_option(arg, OURS[i].option))
			return trm_error_set(reterr, TRM_EINVAL,
					"the engine argument '%s' is refused: Terrarium sets %s itself%s%s",
					clean, OURS[i].option, OURS[i].setting ? ", by the setting " : "",
					OURS[i].setting ? OURS[i].setting : "");
	return 0;
}

static int check_runtime(const char *runtime, struct trm_error *reterr)
{
	char clean[80];
	trm_text_clean_line(clean, sizeof clean, runtime, strlen(runtime));
	if (*runtime && *runtime != '-' && strlen(runtime) < 64 && !strcmp(clean, runtime)
			&& !strpbrk(runtime, " \t"))
		return 0;
	return trm_error_set(reterr, TRM_EINVAL,
			"the runtime '%s' is invalid: use 1 to 63 characters, no spaces, and do not begin with a "
			"hyphen",
			clean);
}

int engine_args_check(const struct trm_container_opts *opts, const struct trm_recipe *recipe,
		struct trm_error *reterr)
{
	size_t bytes = 0;
	int r = 0;
	if (opts->n_engine_args > TRM_ENGINE_ARGS_MAX)
		return trm_error_set(reterr, TRM_ETOOBIG, "a sandbox has at most %d engine arguments",
				TRM_ENGINE_ARGS_MAX);
	bool has_place = recipe_uses(recipe, STEP_CREATE, "engine_arg");
	if ((opts->n_engine_args && !has_place)
			|| (opts->runtime && !recipe_uses(recipe, STEP_CREATE, "runtime")))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"sandboxes of the backend '%s' cannot have %s: its recipe does not support that",
				trm_recipe_name(recipe), opts->runtime ? "a runtime" : "engine arguments");
	if (opts->container && (opts->n_engine_args || opts->runtime))
		return trm_error_set(reterr, TRM_EINVAL,
				"an existing container keeps its own options and runtime: it cannot get others");
	for (size_t i = 0; i < opts->n_engine_args && r == 0; i++) {
		bytes += strlen(opts->engine_args[i]) + 1;
		r = check_arg(opts->engine_args[i], reterr);
	}
	if (r == 0 && opts->runtime)
		r = check_runtime(opts->runtime, reterr);
	if (r == 0 && bytes + 80 > TRM_ENGINE_ARGS_BYTES)
		r = trm_error_set(reterr, TRM_ETOOBIG, "the engine arguments are too long: at most %d bytes",
				TRM_ENGINE_ARGS_BYTES - 80);
	return r;
}

void engine_args_list(const struct trm_container_opts *opts, char out[TRM_ENGINE_ARGS_BYTES])
{
	size_t n = 0;
	out[0] = '\0';
	if (opts->runtime)
		n = (size_t)snprintf(out, TRM_ENGINE_ARGS_BYTES, "--runtime=%s\n", opts->runtime);
	for (size_t i = 0; i < opts->n_engine_args && n < TRM_ENGINE_ARGS_BYTES; i++)
		n += (size_t)snprintf(out + n, TRM_ENGINE_ARGS_BYTES - n, "%s\n", opts->engine_args[i]);
}
