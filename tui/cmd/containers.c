/* SPDX-License-Identifier: MIT */
#include "cmd/containers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/doctor.h>
#include <terrarium/error.h>

#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "text/cluster.h"

enum { CONTAINERS_MAX = 4096 };

static void take_listed_container(void *user, const struct trm_container_info *info)
{
	struct containers *c = user;
	if (*info->problem) {
		fprintf(stderr, "terrarium: cannot list the containers of %s: %s\n", info->backend,
				info->problem);
		return;
	}
	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 16;
		struct container *more = cap > CONTAINERS_MAX ? NULL : realloc(c->all, cap * sizeof *more);
		if (!more)
			return;
		c->all = more;
		c->cap = cap;
	}
	struct container *row = &c->all[c->n++];
	snprintf(row->name, sizeof row->name, "%s:%s", info->backend, *info->name ? info->name : info->id);
	snprintf(row->backend, sizeof row->backend, "%s", info->backend);
	snprintf(row->id, sizeof row->id, "%s", info->id);
	snprintf(row->image, sizeof row->image, "%s", info->image);
	snprintf(row->state, sizeof row->state, "%s", info->state);
}

int containers_find(struct containers *c, const char *config_path)
{
	struct trm_error why = {0};
	return trm_containers(config_path, take_listed_container, c, &why) < 0 ? cmd_fail("%s", why.msg)
									       : CMD_OK;
}

void containers_finish(struct containers *c)
{
	free(c->all);
	*c = (struct containers){0};
}

static int columns(const char *text)
{
	return (int)cluster_columns(text, strlen(text));
}

void containers_print(const struct containers *c)
{
	int name = columns("CONTAINER"), state = columns("STATE");
	if (!c->n)
		return;
	for (size_t i = 0; i < c->n; i++) {
		name = columns(c->all[i].name) > name ? columns(c->all[i].name) : name;
		state = columns(c->all[i].state) > state ? columns(c->all[i].state) : state;
	}
	printf("\nCONTAINER%*s  STATE%*s  IMAGE\n", name - columns("CONTAINER"), "", state - columns("STATE"),
			"");
	for (size_t i = 0; i < c->n; i++)
		printf("%s%*s  %s%*s  %s\n", c->all[i].name, name - columns(c->all[i].name), "",
				c->all[i].state, state - columns(c->all[i].state), "", c->all[i].image);
}

void containers_print_names(const struct containers *c)
{
	for (size_t i = 0; i < c->n; i++)
		puts(c->all[i].name);
}

void containers_put(const struct containers *c, struct json_out *j)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct container *row = &c->all[i];
		json_open(j, NULL, '{');
		json_put_text(j, "name", row->name);
		json_put_text(j, "state", row->state);
		json_put_text(j, "backend", row->backend);
		json_put_text(j, "origin", row->image);
		json_put_text(j, "container", row->id);
		json_close(j, '}');
	}
}
