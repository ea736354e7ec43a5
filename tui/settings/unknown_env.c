/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "settings/settings.h"
#include "text/edit_distance.h"

#define PREFIX "TERRARIUM_"
enum { PREFIX_LEN = sizeof PREFIX - 1, NAME_BYTES = 96 };

/* Variables that are no settings. */
static const char *const others[] = {"TERRARIUM_CONFIG", "TERRARIUM_DATA", "TERRARIUM_GRAMMARS",
		"TERRARIUM_CARRIER_STREAM", "TERRARIUM_LANDLOCK_ABI"};

static bool is_known(const char *name)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(name, others[i]) == 0)
			return true;
	return setting_find(name);
}

/* Compare the rest of the name; the prefix is right. */
static void try_variable(struct near *near, const char *known)
{
	if (strncmp(known, PREFIX, PREFIX_LEN) == 0)
		edit_distance_try(near, known + PREFIX_LEN);
}

/* The variable is misspelled, or named like the setting in the config file. */
static const char *nearest_variable(const char *name)
{
	char key[NAME_BYTES] = "";

	for (size_t i = 0; name[PREFIX_LEN + i]; i++)
		key[i] = (char)tolower((unsigned char)name[PREFIX_LEN + i]);
	struct near variable = edit_distance_to(name + PREFIX_LEN, strlen(key)),
		    setting = edit_distance_to(key, strlen(key));
	for (size_t i = 0; i < setting_count(); i++) {
		try_variable(&variable, setting_row(i)->env);
		edit_distance_try(&setting, setting_row(i)->name);
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		try_variable(&variable, others[i]);
	if (setting.best && setting.distance < variable.distance)
		return setting_find(setting.best)->env;
	return variable.best ? variable.best - PREFIX_LEN : NULL;
}

void setting_unknown_env(setting_unknown_env_fn *fn, void *user)
{
	for (char *const *env = environ; *env; env++) {
		char name[NAME_BYTES] = "";
		size_t n = strcspn(*env, "=");
		if (strncmp(*env, PREFIX, PREFIX_LEN) != 0)
			continue;
		memcpy(name, *env, n < sizeof name ? n : sizeof name - 1);
		if (!is_known(name))
			fn(user, name, nearest_variable(name));
	}
}
