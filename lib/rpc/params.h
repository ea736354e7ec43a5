/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_PARAMS_H
#define TRM_RPC_PARAMS_H

/* Reads the params of a method one by one. Each function returns 0, or TRM_EINVAL with the text that
 * follows "Invalid params for sandbox.start: " in the reply. If the member is absent or null, *ret is left
 * unchanged. Names are case-sensitive, and unknown members are ignored. Results are borrowed from
 * `params`. */

#include <stdbool.h>
#include <stdint.h>

struct cJSON;
struct trm_error;

/* Check that `params` is an object. NULL is none. */
int rpc_params_check(const struct cJSON *params, struct trm_error *reterr);
/* A text that is required. */
int rpc_need_text(const struct cJSON *params, const char *name, const char **ret, struct trm_error *reterr);
int rpc_get_text(const struct cJSON *params, const char *name, const char **ret, struct trm_error *reterr);
/* A whole number from 0 to max (at most 2^53). Unlike the original, 1.0 is accepted. */
int rpc_get_number(const struct cJSON *params, const char *name, uint64_t max, uint64_t *ret,
		struct trm_error *reterr);
int rpc_get_bool(const struct cJSON *params, const char *name, bool *ret, struct trm_error *reterr);
/* An array of texts. */
int rpc_get_texts(const struct cJSON *params, const char *name, const struct cJSON **ret,
		struct trm_error *reterr);
int rpc_get_object(const struct cJSON *params, const char *name, const struct cJSON **ret,
		struct trm_error *reterr);

/* `config` of sandbox.start. Absent lists are NULL and absent numbers 0. Too long lists are refused,
 * because the server stores them and writes a file for each script. */
enum { RPC_CONFIG_LIST_MAX = 256 };
struct rpc_config {
	const char *image; /* NULL: the rest of the object is ignored */
	uint32_t memory_mib;
	uint32_t cpus;
	const struct cJSON *volumes, *ports, *envs, *depends_on; /* arrays of strings */
	const char *workdir, *shell, *exec;
	const char *from;            /* a snapshot */
	const struct cJSON *scripts; /* object: text by name */
};
int rpc_config_read(struct rpc_config *ret, const struct cJSON *config, struct trm_error *reterr);

#endif
