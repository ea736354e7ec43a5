/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "theme/theme.h"
#include <terrarium/error.h>

/* The theme files themselves are compiled in, so that each theme exists only once. */
#define EMBED(symbol, path) \
	__asm__(".section .rodata\n" \
		".local " #symbol "_begin, " #symbol "_end\n" #symbol "_begin:\n" \
		".incbin \"" path "\"\n" #symbol "_end:\n.byte 0\n.previous\n"); \
	extern const char symbol##_begin[], symbol##_end[]

EMBED(theme_dark, TERRARIUM_SOURCE_DIR "/themes/dark.json");
EMBED(theme_mono, TERRARIUM_SOURCE_DIR "/themes/mono.json");

static const struct {
	const char *name, *begin, *end;
} builtins[] = {{"dark", theme_dark_begin, theme_dark_end}, {"mono", theme_mono_begin, theme_mono_end}};

int theme_builtin(const char *name, struct theme *ret, struct trm_error *reterr)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (strcmp(builtins[i].name, name) == 0)
			return theme_parse(builtins[i].begin, (size_t)(builtins[i].end - builtins[i].begin),
					name, NULL, NULL, ret, reterr);
	return trm_error_set(reterr, TRM_ENOENT, "there is no theme \"%s\" in the program itself", name);
}
