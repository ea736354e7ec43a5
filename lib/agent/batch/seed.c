/* SPDX-License-Identifier: MIT */
#include "agent/batch/seed.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/batch/prepared.h"

enum { SEED_DEPTH = 4 };

static void link_tree(const char *from, const char *to, int depth)
{
	DIR *dir = depth < SEED_DEPTH ? opendir(from) : NULL;
	mkdir(to, 0755);
	for (struct dirent *one; dir && (one = readdir(dir));) {
		char source[PATH_MAX], target[PATH_MAX];
		if (one->d_name[0] == '.'
				|| snprintf(source, sizeof source, "%s/%s", from, one->d_name) >= PATH_MAX
				|| snprintf(target, sizeof target, "%s/%s", to, one->d_name) >= PATH_MAX)
			continue;
		if (one->d_type == DT_DIR)
			link_tree(source, target, depth + 1);
		else if (one->d_type == DT_REG && symlink(source, target) < 0)
			break;
	}
	if (dir)
		closedir(dir);
}

void seed_fill(const char *seed, const char *const *compiler)
{
	char name[NAME_MAX], from[PATH_MAX], to[PATH_MAX];
	struct stat st;
	const char *colon = seed ? strchr(seed, ':') : NULL, *home = getenv("HOME");
	if (!colon || !home)
		return;
	snprintf(name, sizeof name, "%.*s", (int)(colon - seed), seed);
	int k = snprintf(to, sizeof to, "%s/%s", home, colon + 1);
	if (!prepared_path(from, name) || k >= PATH_MAX || stat(from, &st) < 0 || stat(to, &st) == 0
			|| (compiler[0] && !prepared_is_made_with(from, compiler)))
		return;
	for (char *slash = strchr(to + strlen(home) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(to, 0755);
		*slash = '/';
	}
	link_tree(from, to, 0);
}
