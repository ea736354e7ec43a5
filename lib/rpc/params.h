/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_PARAMS_H
#define TRM_RPC_PARAMS_H

/* The params of a method, read one by one. Each returns 0 or TRM_EINVAL with what stands behind "Invalid
 * params for sandbox.start: " in the reply. What is not there, and null, leaves *ret alone; names are
 * case-sensitive, others than those asked for are nobody's business. What is returned is borrowed from
 * `params`. */

#include <stdbool.h>
#include <stdint.h>

struct cJSON;
struct trm_error;

/* Is it an object at all? (NULL is not.) */
int rpc_params_check(const struct cJSON *params, struct trm_error *reterr);
/* A text that has to be there. */
int rpc_need_text(const struct cJSON *params, const char *name, const char **ret, struct trm_error *reterr);
int rpc_get_text(const struct cJSON *params, const char *name, const char **ret, struct trm_error *reterr);
/* A whole number from 0 to max (at most 2^53). 1.0 is one, which the original refused. */
int rpc_get_number(const struct cJSON *params, const char *name, uint64_t max, uint64_t *ret,
		struct trm_error *reterr);
int rpc_get_bool(const struct cJSON *params, const char *name, bool *ret, struct trm_error *reterr);
/* A list of texts, an object whose values are texts: the array or object itself. */
int rpc_get_texts(const struct cJSON *params, const char *name, const struct cJSON **ret,
		struct trm_error *reterr);
int rpc_get_table(const struct cJSON *params, const char *name, const struct cJSON **ret,
		struct trm_error *reterr);
int rpc_get_object(const struct cJSON *params, const char *name, const struct cJSON **ret,
		struct trm_error *reterr);

/* `config` of sandbox.start. Lists are NULL when absent; numbers 0. What is longer than any sandbox needs is
 * refused: a server remembers it, and makes a file for each script. */
enum { RPC_CONFIG_LIST_MAX = 256 };
struct rpc_config {
	const char *image; /* NULL: the whole object says nothing */
	uint32_t memory_mib;
	uint32_t cpus;
	const struct cJSON *volumes, *ports, *envs, *depends_on; /* arrays of strings */
	const char *workdir, *shell, *exec;
	const struct cJSON *scripts; /* object: name to text */
};
int rpc_config_read(struct rpc_config *ret, const struct cJSON *config, struct trm_error *reterr);

#endif
