/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_CONTAINERS_H
#define TUI_CMD_CONTAINERS_H

/* Containers of others, as `ps --containers` lists them beside our own sandboxes. */

#include <stddef.h>

struct json_out;

struct container {
	char name[320]; /* "ENGINE:NAME", as `attach` takes it */
	char backend[64], id[128], image[256], state[64];
};

struct containers {
	struct container *all;
	size_t n, cap;
};

/* Ask the engines; those that cannot be asked are named on stderr. CMD_OK, or an exit code after a sentence.
 */
int containers_find(struct containers *c, const char *config_path);
void containers_finish(struct containers *c); /* takes a zeroed object */

/* Nothing is printed where nothing was found. */
void containers_print(const struct containers *c);
void containers_print_names(const struct containers *c);
void containers_put(const struct containers *c, struct json_out *j); /* into an open list */

#endif
