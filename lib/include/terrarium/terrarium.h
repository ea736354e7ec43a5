/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_H
#define TERRARIUM_H

/* libterrarium: run code in persistent sandboxes and watch it.
 *
 * Order of things: trm_loop_create, trm_sandbox_open, trm_session_open,
 * trm_session_run; then trm_loop_step until `done`; trm_session_close,
 * trm_sandbox_close, trm_loop_step until `closed`; trm_loop_destroy.
 * tests/clients/example.c does just that.
 *
 * Callbacks that are not wanted are NULL in their struct, but for the last one of a thing (`closed`, `done`,
 * `exited`).
 *
 * What hangs on a loop belongs to the thread and to the process that have made it: a child of fork() must not
 * call functions with it, not even to free it, as both would share its descriptors. (They are close-on-exec.)
 */

#include <terrarium/config.h>
#include <terrarium/copy.h>
#include <terrarium/doctor.h>
#include <terrarium/error.h>
#include <terrarium/files.h>
#include <terrarium/install.h>
#include <terrarium/interpreter.h>
#include <terrarium/lang.h>
#include <terrarium/loop.h>
#include <terrarium/metrics.h>
#include <terrarium/policy.h>
#include <terrarium/recipe.h>
#include <terrarium/registry.h>
#include <terrarium/result.h>
#include <terrarium/sandbox.h>
#include <terrarium/server.h>
#include <terrarium/session.h>
#include <terrarium/sync.h>
#include <terrarium/text.h>

const char *trm_version(void); /* "0.1.0" */

/* Where messages go that are meant for developers, and for who runs a server; NULL (the default):
 * nowhere. The library never prints. `level`: 0 error, 1 warning, 2 info, 3 debug. */
typedef void trm_log_fn(void *user, int level, const char *msg);
void trm_set_log(trm_log_fn *fn, void *user);

#endif
