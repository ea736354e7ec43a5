/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_CONTAINERS_H
#define TUI_CMD_CONTAINERS_H

/* Other containers, which `ps --containers` lists after the sandboxes. */

#include <stddef.h>

struct json_out;

struct container {
	char name[320]; /* "ENGINE:NAME", as `attach` accepts it */
	char backend[64], id[128], image[256], state[64];
};

struct containers {
	struct container *all;
	size_t n, cap;
};

/* Ask all engines. Those that cannot be asked are named on stderr. CMD_OK, or an exit code after a message.
 */
int containers_find(struct containers *c, const char *config_path);
void containers_finish(struct containers *c); /* accepts a zeroed object */

/* Prints nothing if there are no containers. */
void containers_print(const struct containers *c);
void containers_print_names(const struct containers *c);
void containers_put(const struct containers *c, struct json_out *j); /* adds them to an open list */

#endif
