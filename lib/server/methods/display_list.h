/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_METHODS_DISPLAY_LIST_H
#define TRM_SERVER_METHODS_DISPLAY_LIST_H

/* `displays` of a reply of repl.run, which microsandbox's server has not: [{"mime","data",…}], with the
 * members of a result in JSON (terrarium/result.h). */

struct cJSON;
struct trm_result;

/* Add it to the object, if the run has shown something. Sets *to to NULL if memory is lacking. */
void display_list_put(struct cJSON **to, const struct trm_result *result);

#endif
