/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_SAMPLE_H
#define TRM_RPC_SAMPLE_H

/* A whole metrics sample as an object: an extension of sandbox.metrics.get ("full"), whose rows have only
 * three numbers. Unknown values are left out. */

struct cJSON;
struct trm_sample;

/* Owned by the caller. NULL: out of memory. */
struct cJSON *rpc_sample_write(const struct trm_sample *sample);
/* Overwrite the members of *ret that `json` (hostile, may be NULL) holds. Invalid numbers are ignored. */
void rpc_sample_read(const struct cJSON *json, struct trm_sample *ret);

#endif
