/* SPDX-License-Identifier: MIT */
#include "wire/folder.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *known, *name;
} PLACES[] = {
		{"/workspace", FOLDER_WORKSPACE},
		{"/home/user", FOLDER_HOME},
		{"/tmp", FOLDER_TMP},
		{"/.sandbox", FOLDER_SCRIPTS},
};

bool folder_path(const char *folder, const char *path, char *out, size_t cap)
{
	for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
		size_t n = strlen(PLACES[i].known);
		if (strncmp(path, PLACES[i].known, n) == 0 && (!path[n] || path[n] == '/'))
			return (size_t)snprintf(out, cap, "%s/%s%s", folder, PLACES[i].name, path + n) < cap;
	}
	return false;
}

bool folder_is_user(uint32_t uid)
{
	return (uid >= USER_FIRST && uid - USER_FIRST < USER_COUNT)
	       || (uid >= USER_MORE_FIRST && uid - USER_MORE_FIRST < USER_MORE_COUNT);
}
