/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_SAMPLE_H
#define TRM_RPC_SAMPLE_H

/* All that a sample of metrics knows, as an object: an extension of sandbox.metrics.get ("full"), whose rows
 * have only three numbers. What is not known is not there. */

struct cJSON;
struct trm_sample;

/* The caller's; NULL when out of memory. */
struct cJSON *rpc_sample_write(const struct trm_sample *sample);
/* What `json` (hostile, may be NULL) tells is put over what stands in *ret. Numbers that are none are passed
 * over. */
void rpc_sample_read(const struct cJSON *json, struct trm_sample *ret);

#endif
