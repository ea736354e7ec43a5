/* SPDX-License-Identifier: MIT */
#include "rpc/params.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stddef.h>

#include "base/err.h"

#define EXACT_MAX 9007199254740992.0 /* up to here, a double holds each whole number */

int rpc_params_check(const cJSON *params, struct trm_error *reterr)
{
	if (cJSON_IsObject(params))
		return 0;
	return trm_error_set(reterr, TRM_EINVAL, "expected an object");
}

/* The member, or NULL when it is absent or null. */
static const cJSON *member(const cJSON *params, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(params, name);
	return cJSON_IsNull(item) ? NULL : item;
}

static int complain(const char *name, const char *must_be, struct trm_error *reterr)
{
	return trm_error_set(reterr, TRM_EINVAL, "`%s` must be %s", name, must_be);
}

int rpc_get_text(const cJSON *params, const char *name, const char **ret, struct trm_error *reterr)
{
	const cJSON *item = member(params, name);
	if (!item)
		return 0;
	if (!cJSON_IsString(item))
		return complain(name, "a string", reterr);
	*ret = item->valuestring;
	return 0;
}

int rpc_need_text(const cJSON *params, const char *name, const char **ret, struct trm_error *reterr)
{
	if (!member(params, name))
		return trm_error_set(reterr, TRM_EINVAL, "missing field `%s`", name);
	return rpc_get_text(params, name, ret, reterr);
}

int rpc_get_number(
		const cJSON *params, const char *name, uint64_t max, uint64_t *ret, struct trm_error *reterr)
{
	const cJSON *item = member(params, name);
	if (!item)
		return 0;
	double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
	if (!(value >= 0) || value > EXACT_MAX || value != floor(value))
		return complain(name, "a whole number that is not negative", reterr);
	if ((uint64_t)value > max)
		return trm_error_set(reterr, TRM_EINVAL, "`%s` must be at most %llu", name,
				(unsigned long long)max);
	*ret = (uint64_t)value;
	return 0;
}

int rpc_get_bool(const cJSON *params, const char *name, bool *ret, struct trm_error *reterr)
{
	const cJSON *item = member(params, name);
	if (item && !cJSON_IsBool(item))
		return complain(name, "true or false", reterr);
	if (item)
		*ret = cJSON_IsTrue(item);
	return 0;
}

static bool are_texts(const cJSON *list)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, list)
	{
		if (!cJSON_IsString(item))
			return false;
	}
	return true;
}

int rpc_get_texts(const cJSON *params, const char *name, const cJSON **ret, struct trm_error *reterr)
{
	const cJSON *item = member(params, name);
	if (item && (!cJSON_IsArray(item) || !are_texts(item)))
		return complain(name, "a list of strings", reterr);
	if (item)
		*ret = item;
	return 0;
}

/* An object whose values are texts. */
static int get_text_table(const cJSON *params, const char *name, const cJSON **ret, struct trm_error *reterr)
{
	const cJSON *item = member(params, name);
	if (item && (!cJSON_IsObject(item) || !are_texts(item)))
		return complain(name, "an object whose values are strings", reterr);
	if (item)
		*ret = item;
	return 0;
}

int rpc_get_object(const cJSON *params, const char *name, const cJSON **ret, struct trm_error *reterr)
{
	const cJSON *item = member(params, name);
	if (item && !cJSON_IsObject(item))
		return complain(name, "an object", reterr);
	if (item)
		*ret = item;
	return 0;
}

static int read_numbers(struct rpc_config *ret, const cJSON *config, struct trm_error *reterr)
{
	uint64_t memory = 0, cpus = 0;
	int e = rpc_get_number(config, "memory", UINT32_MAX, &memory, reterr);
	if (e == 0)
		e = rpc_get_number(config, "cpus", UINT8_MAX, &cpus, reterr);
	ret->memory_mib = (uint32_t)memory;
	ret->cpus = (uint32_t)cpus;
	return e;
}

int rpc_config_read(struct rpc_config *ret, const cJSON *config, struct trm_error *reterr)
{
	static const struct {
		const char *name;
		int (*get)(const cJSON *params, const char *name, const cJSON **ret,
				struct trm_error *reterr);
		size_t offset;
	} lists[] = {
			{"volumes", rpc_get_texts, offsetof(struct rpc_config, volumes)},
			{"ports", rpc_get_texts, offsetof(struct rpc_config, ports)},
			{"envs", rpc_get_texts, offsetof(struct rpc_config, envs)},
			{"depends_on", rpc_get_texts, offsetof(struct rpc_config, depends_on)},
			{"scripts", get_text_table, offsetof(struct rpc_config, scripts)},
	};
	static const struct {
		const char *name;
		size_t offset;
	} texts[] = {
			{"image", offsetof(struct rpc_config, image)},
			{"workdir", offsetof(struct rpc_config, workdir)},
			{"shell", offsetof(struct rpc_config, shell)},
			{"exec", offsetof(struct rpc_config, exec)},
			{"from", offsetof(struct rpc_config, from)},
	};
	*ret = (struct rpc_config){0};
	int e = config ? read_numbers(ret, config, reterr) : 0;
	for (size_t i = 0; config && e == 0 && i < sizeof texts / sizeof *texts; i++)
		e = rpc_get_text(config, texts[i].name, (const char **)((char *)ret + texts[i].offset),
				reterr);
	for (size_t i = 0; config && e == 0 && i < sizeof lists / sizeof *lists; i++) {
		const cJSON **list = (const cJSON **)((char *)ret + lists[i].offset);
		e = lists[i].get(config, lists[i].name, list, reterr);
		if (e == 0 && cJSON_GetArraySize(*list) > RPC_CONFIG_LIST_MAX)
			e = trm_error_set(reterr, TRM_EINVAL, "`%s` may have %d entries at most",
					lists[i].name, RPC_CONFIG_LIST_MAX);
	}
	return e;
}
