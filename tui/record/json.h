/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_JSON_H
#define TUI_RECORD_JSON_H

/* Looking into JSON that anybody may have written: what is missing or of another type is NULL or false. */

#include <stdbool.h>
#include <stdint.h>

struct cJSON;

/* Member of an object; NULL if there is none, or `object` is none. */
const struct cJSON *json_get(const struct cJSON *object, const char *key);
/* The text of a string, borrowed from the tree; NULL if it is none. */
const char *json_text(const struct cJSON *item);
/* A whole number that is not negative. False: it is none, *ret stays. */
bool json_whole(const struct cJSON *item, uint64_t *ret);
bool json_double(const struct cJSON *item, double *ret);

#endif
