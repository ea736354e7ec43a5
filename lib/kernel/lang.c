/* SPDX-License-Identifier: MIT */
#include <terrarium/lang.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"

static const char *const python_names[] = {"python", "py", "py3", "python3", NULL};
static const char *const python_suffixes[] = {".py", ".pyw", NULL};
static const char *const javascript_names[] = {"javascript", "js", "node", NULL};
static const char *const javascript_suffixes[] = {".js", ".mjs", ".cjs", NULL};
static const char *const bash_names[] = {"bash", "shell", "sh", NULL};
static const char *const bash_suffixes[] = {".sh", ".bash", NULL};

static const struct trm_lang langs[TRM_LANG_COUNT] = {
		{TRM_LANG_PYTHON, "python", python_names, python_suffixes, "/usr/bin/python3", "#", true},
		{TRM_LANG_JAVASCRIPT, "javascript", javascript_names, javascript_suffixes, "/usr/bin/node",
				"//", true},
		{TRM_LANG_BASH, "bash", bash_names, bash_suffixes, "/usr/bin/bash", "#", false},
};

/* Known, but not to be run. */
static const char *const typescript_names[] = {"typescript", "ts", NULL};
static const char *const typescript_suffixes[] = {".ts", ".tsx", ".mts", ".cts", NULL};

static bool is_listed(const char *const *list, const char *word)
{
	for (; *list; list++)
		if (!strcasecmp(*list, word))
			return true;
	return false;
}

static int refuse_typescript(struct trm_error *reterr)
{
	return trm_error_set(reterr, TRM_ENOTSUP,
			"TypeScript cannot be run: node does not check or understand its types, "
			"and terrarium never silently runs it as JavaScript; compile it first (tsc FILE) and run "
			"the resulting JavaScript");
}

const struct trm_lang *trm_lang_get(unsigned id)
{
	return id < TRM_LANG_COUNT ? &langs[id] : NULL;
}

/* "python (python py py3 python3), javascript (…), …" */
static void list_names(char *out, size_t cap)
{
	size_t n = 0;
	for (unsigned i = 0; i < TRM_LANG_COUNT && n < cap; i++) {
		n += (size_t)snprintf(out + n, cap - n, "%s%s (", i ? ", " : "", langs[i].name);
		for (const char *const *alias = langs[i].aliases + 1; *alias && n < cap; alias++)
			n += (size_t)snprintf(out + n, cap - n, "%s%s", *alias, alias[1] ? " " : ")");
	}
}

int trm_lang_find(const char *name, const struct trm_lang **ret, struct trm_error *reterr)
{
	if (!name)
		name = "";
	for (unsigned i = 0; i < TRM_LANG_COUNT; i++) {
		if (is_listed(langs[i].aliases, name)) {
			*ret = &langs[i];
			return 0;
		}
	}
	if (is_listed(typescript_names, name))
		return refuse_typescript(reterr);
	char known[200];
	list_names(known, sizeof known);
	return trm_error_set(
			reterr, TRM_EINVAL, "unknown language '%.60s': the languages are %s", name, known);
}

int trm_lang_guess(const char *filename, const struct trm_lang **ret, struct trm_error *reterr)
{
	const char *slash = strrchr(filename, '/');
	const char *base = slash ? slash + 1 : filename;
	const char *suffix = strrchr(base, '.');
	if (!suffix || suffix == base)
		return trm_error_set(reterr, TRM_EINVAL,
				"'%.100s' has no ending that shows its language: "
				"name the language (python, javascript or bash)",
				filename);
	for (unsigned i = 0; i < TRM_LANG_COUNT; i++) {
		if (is_listed(langs[i].suffixes, suffix)) {
			*ret = &langs[i];
			return 0;
		}
	}
	if (is_listed(typescript_suffixes, suffix))
		return refuse_typescript(reterr);
	return trm_error_set(reterr, TRM_EINVAL,
			"no language is known for files ending in '%.60s' ('%.100s'): "
			"name the language (python, javascript or bash)",
			suffix, filename);
}
