/* SPDX-License-Identifier: MIT */
#ifndef TESTS_TUI_FRONT_OWN_JSON_H
#define TESTS_TUI_FRONT_OWN_JSON_H

/* The front's reader of JSON in one program with cJSON itself: its functions are called own_… */

#include <cJSON.h>

#define OWN(name, ret, params) ret own_##name params;
OWN(ParseWithLengthOpts, cJSON *, (const char *, size_t, const char **, cJSON_bool))
OWN(ParseWithLength, cJSON *, (const char *, size_t))
OWN(Delete, void, (cJSON *))
OWN(GetObjectItemCaseSensitive, cJSON *, (const cJSON *, const char *))
OWN(GetArraySize, int, (const cJSON *))
OWN(GetStringValue, char *, (const cJSON *))
OWN(IsArray, cJSON_bool, (const cJSON *))
OWN(IsBool, cJSON_bool, (const cJSON *))
OWN(IsNull, cJSON_bool, (const cJSON *))
OWN(IsNumber, cJSON_bool, (const cJSON *))
OWN(IsObject, cJSON_bool, (const cJSON *))
OWN(IsString, cJSON_bool, (const cJSON *))
OWN(IsTrue, cJSON_bool, (const cJSON *))
OWN(PrintUnformatted, char *, (const cJSON *))
OWN(free, void, (void *))

#define cJSON_ParseWithLengthOpts own_ParseWithLengthOpts
#define cJSON_ParseWithLength own_ParseWithLength
#define cJSON_Delete own_Delete
#define cJSON_GetObjectItemCaseSensitive own_GetObjectItemCaseSensitive
#define cJSON_GetArraySize own_GetArraySize
#define cJSON_GetStringValue own_GetStringValue
#define cJSON_IsArray own_IsArray
#define cJSON_IsBool own_IsBool
#define cJSON_IsNull own_IsNull
#define cJSON_IsNumber own_IsNumber
#define cJSON_IsObject own_IsObject
#define cJSON_IsString own_IsString
#define cJSON_IsTrue own_IsTrue
#define cJSON_PrintUnformatted own_PrintUnformatted
#define cJSON_free own_free
#include "front/json.c"
#undef cJSON_ParseWithLengthOpts
#undef cJSON_ParseWithLength
#undef cJSON_Delete

#endif
