/* SPDX-License-Identifier: MIT */
#include "rpc/put.h"

#include <cjson/cJSON.h>
#include <stddef.h>

static void drop_if_failed(cJSON **to, cJSON *item, bool is_in)
{
	if (is_in)
		return;
	cJSON_Delete(item);
	cJSON_Delete(*to);
	*to = NULL;
}

void rpc_put(cJSON **to, const char *name, cJSON *item)
{
	drop_if_failed(to, item, item && *to && cJSON_AddItemToObject(*to, name, item));
}

void rpc_put_text(cJSON **to, const char *name, const char *text)
{
	rpc_put(to, name, cJSON_CreateString(text));
}

void rpc_put_number(cJSON **to, const char *name, double value)
{
	rpc_put(to, name, cJSON_CreateNumber(value));
}

void rpc_put_bool(cJSON **to, const char *name, bool value)
{
	rpc_put(to, name, cJSON_CreateBool(value));
}

void rpc_append(cJSON **to, cJSON *item)
{
	drop_if_failed(to, item, item && *to && cJSON_AddItemToArray(*to, item));
}
