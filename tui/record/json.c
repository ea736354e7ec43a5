/* SPDX-License-Identifier: MIT */
#include "record/json.h"

#include <cjson/cJSON.h>
#include <math.h>

const cJSON *json_get(const cJSON *object, const char *key)
{
	return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;
}

const char *json_text(const cJSON *item)
{
	return cJSON_IsString(item) ? item->valuestring : NULL;
}

bool json_double(const cJSON *item, double *ret)
{
	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
		return false;
	*ret = item->valuedouble;
	return true;
}

bool json_whole(const cJSON *item, uint64_t *ret)
{
	double v;

	if (!json_double(item, &v) || v < 0 || v > 9e18 || v != floor(v))
		return false;
	*ret = (uint64_t)v;
	return true;
}
