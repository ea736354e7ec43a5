/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/err.h"
#include "embed/embed.h"
#include "install/install.h"
#include "kernel/kernel.h"

#define HEX "0123456789abcdef"

/* "0123456789abcdef/name-1.0-py3-none-any.whl" */
static bool is_wheel(const char *name)
{
	enum { GROUP = 16 };
	const char *file = name + GROUP + 1;
	size_t n = strlen(name);
	return strspn(name, HEX) == GROUP && name[GROUP] == '/' && n > GROUP + 5 && n < 240
	       && !strcmp(name + n - 4, ".whl") && file[0] != '.'
	       && file[strspn(file, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+!-")]
				  == '\0';
}

/* "ab/cd/" and the other 124 digits of a SHA-512 */
static bool is_sum(const char *name)
{
	return strspn(name, HEX) == 2 && name[2] == '/' && strspn(name + 3, HEX) == 2 && name[5] == '/'
	       && strspn(name + 6, HEX) == 124 && name[130] == '\0';
}

static const struct recipe recipes[] = {
		{
				.tool = "pip",
				.program = "/usr/bin/python3",
				.option = "-c",
				.script = embed_installer_python,
				.has_fetcher = true,
				.has_sets = true,
				.folder = "pip",
				.inside = "/workspace/.terrarium-wheels",
				.has_group = true,
				.is_name = is_wheel,
				.file_max = 1024ull << 20,
				.total_max = 2048ull << 20,
		},
		{
				.tool = "npm",
				.program = "/usr/bin/node",
				.option = "-e",
				.script = embed_installer_node,
				.has_sets = true,
				.folder = "npm",
				.inside = "/home/user/.npm/_cacache/content-v2/sha512",
				.is_name = is_sum,
				.file_max = 64ull << 20,
				.total_max = 256ull << 20,
		},
};

static const struct recipe of_row = {.is_of_row = true};
/* It can fetch in one sandbox and use that in another. */
static const struct recipe of_row_in_steps = {.is_of_row = true, .has_sets = true};

const char *const *recipe_command(const struct trm_lang *lang)
{
	const char *const *installer = kernel_spec(lang)->installer;
	return installer ? installer : lang->install_command;
}

const struct recipe *recipe_for(const struct trm_lang *lang)
{
	for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
		if (!strcmp(recipes[i].tool, lang->package_manager))
			return &recipes[i];
	if (!*lang->package_manager || !recipe_command(lang))
		return NULL;
	return kernel_spec(lang)->fetches ? &of_row_in_steps : &of_row;
}

int trm_install_supports(const struct trm_lang *lang, struct trm_error *reterr)
{
	if (recipe_for(lang))
		return 0;
	return trm_error_set(reterr, TRM_ENOTSUP,
			"nothing can be installed for %s: what it uses comes from the host's /usr, which sandboxes see "
			"read-only; install it on the host (apt install PACKAGE), and new and running sandboxes have "
			"it; for containers, put it in the image",
			lang->name);
}
