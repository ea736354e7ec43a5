/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_JSON_H
#define TUI_RECORD_JSON_H

/* Reading untrusted JSON: a missing member or a wrong type gives NULL or false. */

#include <stdbool.h>
#include <stdint.h>

struct cJSON;

/* Member of an object; NULL if there is none, or if `object` is no object. */
const struct cJSON *json_get(const struct cJSON *object, const char *key);
/* The text of a string, borrowed from the tree; NULL if the item is no string. */
const char *json_text(const struct cJSON *item);
/* A whole number that is not negative. False: anything else; *ret is unchanged. */
bool json_whole(const struct cJSON *item, uint64_t *ret);
bool json_double(const struct cJSON *item, double *ret);

#endif
