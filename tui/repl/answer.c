/* SPDX-License-Identifier: MIT */
#include "repl/answer.h"

#include <cjson/cJSON.h>

const char *answer_text(const struct cJSON *answer, const char *key)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(answer, key));
	return text ? text : "";
}

size_t answer_points(const char *text, size_t n)
{
	size_t points = 0;
	for (size_t i = 0; i < n; i++)
		points += ((unsigned char)text[i] & 0xc0) != 0x80;
	return points;
}
