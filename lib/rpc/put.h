/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_PUT_H
#define TRM_RPC_PUT_H

/* Builds JSON that is either complete or NULL. If there is no memory for a member, the object (or array) is
 * deleted and *to becomes NULL, so that one check at the end suffices. A NULL *to is ignored. */

#include <stdbool.h>

struct cJSON;

/* Takes over `item` in any case. NULL means that creating it ran out of memory. */
void rpc_put(struct cJSON **to, const char *name, struct cJSON *item);
void rpc_put_text(struct cJSON **to, const char *name, const char *text);
void rpc_put_number(struct cJSON **to, const char *name, double value);
void rpc_put_bool(struct cJSON **to, const char *name, bool value);
/* Append to an array. */
void rpc_append(struct cJSON **to, struct cJSON *item);

#endif
