/* SPDX-License-Identifier: MIT */
#include "server/methods/display_list.h"

#include <cJSON.h>

#include <terrarium/result.h>

#include "rpc/put.h"

static void put_known(cJSON **to, const char *name, bool is_known, double value)
{
	if (is_known)
		rpc_put_number(to, name, value);
	else
		rpc_put(to, name, cJSON_CreateNull());
}

static void put_text_or_null(cJSON **to, const char *name, const char *text)
{
	rpc_put(to, name, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

static cJSON *display_json(const struct trm_display *d)
{
	cJSON *json = cJSON_CreateObject();
	rpc_put_text(&json, "mime", d->mime);
	rpc_put_text(&json, "data", d->data);
	rpc_put_number(&json, "bundle", (double)d->bundle);
	put_text_or_null(&json, "format", d->format);
	put_known(&json, "width", d->has_size, d->width);
	put_known(&json, "height", d->has_size, d->height);
	put_known(&json, "dpi", d->has_dpi, d->dpi);
	put_text_or_null(&json, "title", d->title);
	rpc_put_text(&json, "source", trm_display_source_name(d->source));
	put_known(&json, "run", d->run != 0, (double)d->run);
	return json;
}

void display_list_put(cJSON **to, const struct trm_result *result)
{
	if (!result->n_displays)
		return;
	cJSON *list = cJSON_CreateArray();
	for (size_t i = 0; i < result->n_displays; i++)
		rpc_append(&list, display_json(&result->displays[i]));
	rpc_put(to, "displays", list);
	if (result->dropped_displays)
		rpc_put_number(to, "dropped_displays", (double)result->dropped_displays);
}
