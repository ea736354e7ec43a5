/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_PUT_H
#define TRM_RPC_PUT_H

/* JSON that is whole or not there: should memory be missing for a member, the object (array) is deleted and
 * *to is NULL from then on, so that one look at the end suffices. NULL is passed over. */

#include <stdbool.h>

struct cJSON;

/* An item is owned in any case; one that is NULL was not made for want of memory. */
void rpc_put(struct cJSON **to, const char *name, struct cJSON *item);
void rpc_put_text(struct cJSON **to, const char *name, const char *text);
void rpc_put_number(struct cJSON **to, const char *name, double value);
void rpc_put_bool(struct cJSON **to, const char *name, bool value);
/* Behind those that an array has. */
void rpc_append(struct cJSON **to, struct cJSON *item);

#endif
