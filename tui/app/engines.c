/* SPDX-License-Identifier: MIT */
/* Other containers of the container engines, for the page of sandboxes. */
#include <terrarium/doctor.h>

#include "app/app_internal.h"

static void on_found(void *user, const struct trm_container_info *info)
{
	app_send(user, &(struct msg){.type = MSG_CONTAINER, .container = info});
}

static void on_engines_done(void *user)
{
	struct app *a = user;

	a->containers = NULL;
	app_send(a, &(struct msg){.type = MSG_CONTAINERS_END});
}

static const struct trm_containers_cb containers_cb = {.found = on_found, .done = on_engines_done};

void app_ask_engines(struct app *a)
{
	struct trm_error err = {0};

	app_ask_engines_end(a);
	if (trm_containers_start(a->loop, a->opts->config, &containers_cb, a, &a->containers, &err) < 0)
		app_send(a, &(struct msg){.type = MSG_CONTAINERS_END, .text = err.msg});
}

void app_ask_engines_end(struct app *a)
{
	trm_containers_cancel(a->containers);
	a->containers = NULL;
}
