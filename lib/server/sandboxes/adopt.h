/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_SANDBOXES_ADOPT_H
#define TRM_SERVER_SANDBOXES_ADOPT_H

/* With fleet_opts.adopts, sandboxes outlive their server: at its end it lets go of them, and the next server
 * of this user and host name goes on with them under the same names. */

#include <terrarium/sandbox.h>

struct fleet;
struct served;
struct trm_error;

/* The text by which the next server knows the sandbox (trm_kube_opts.adoptable). */
void adopt_format_name(const struct served *served, char out[TRM_KUBE_ADOPTABLE]);
/* Start all that an earlier server has left. Waits for the cluster's list; errors as trm_kube_left(). */
int adopt_all(struct fleet *fleet, struct trm_error *reterr);

#endif
