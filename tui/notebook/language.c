/* SPDX-License-Identifier: MIT */
#include "notebook/notebook.h"

#include <string.h>
#include <strings.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

/* Kernel names that differ from the names of the languages. */
static const struct {
	const char *kernel, *lang;
} aliases[] = {
		{"ipython", "python"},
		{"ipykernel", "python"},
		{"ijavascript", "javascript"},
		{"jslab", "javascript"},
		{"nodejs", "javascript"},
		{"deno", "javascript"},
		{"xjavascript", "javascript"},
		{"xpython", "python"},
		{"bash_kernel", "bash"},
		{"calysto_bash", "bash"},
		{"sh", "bash"},
};

static const struct notebook_kernel kernels[] = {
		{"python3", "Python 3", "python", ".py", "text/x-python", NULL},
		{"javascript", "JavaScript (Node.js)", "javascript", ".js", "text/javascript",
				"%%script node"},
		{"bash", "Bash", "bash", ".sh", "text/x-sh", "%%bash"},
};

bool notebook_is_named(const char *path)
{
	size_t n = strlen(path);
	return n > 6 && strcasecmp(path + n - 6, ".ipynb") == 0;
}

int notebook_find_language(const char *name, const struct trm_lang **ret, struct trm_error *reterr)
{
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (strcasecmp(name, aliases[i].kernel) == 0)
			name = aliases[i].lang;
	return trm_lang_find(name, ret, reterr);
}

struct notebook_kernel notebook_kernel_of(const struct trm_lang *lang)
{
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		if (!strcmp(kernels[i].language, lang->name))
			return kernels[i];
	const char *suffix = lang->suffixes[0] ? lang->suffixes[0] : ".txt";
	return (struct notebook_kernel){
			lang->name, lang->name, lang->name, suffix, "text/plain", "%%script false"};
}
