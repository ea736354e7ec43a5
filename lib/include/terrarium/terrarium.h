/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_H
#define TERRARIUM_H

/* libterrarium: run code in persistent sandboxes and watch it.
 *
 * Call order: trm_loop_create, trm_sandbox_open, trm_session_open, trm_session_run; then trm_loop_step
 * until `done`; trm_session_close, trm_sandbox_close, trm_loop_step until `closed`; trm_loop_destroy.
 * example.c is a complete example. It is in tests/clients, and in share/doc/terrarium where the library is
 * installed. Without a loop: terrarium/sync.h.
 *
 * Verbs mean the same everywhere:
 *   create, destroy   make and free, at once
 *   open, close       begin and end our use; what others use as well goes on. One last callback tells the end
 *   stop              end the thing itself, whoever uses it
 *   detach            hear no more of it; it goes on
 *   cancel            end a request of ours early; its last callback follows
 *   finish            free what a struct of the caller holds; free: what a function has returned
 *   describe          write a text for people; format: as a person would type it
 * What writes a text takes `char *out, size_t cap`, ends the text with a NUL, cuts it if need be, and returns
 * `out`.
 *
 * Structs of options begin with their size, and grow only at their end: begin with `struct trm_run_opts opts
 * = TRM_RUN_OPTS_INIT;`, or with trm_run_opts_default() where the struct exists already. NULL in place of
 * options means the defaults, wherever nothing has to be said. A program that was
 * compiled with an older, shorter struct gets the defaults for what it lacks. A binding for another language
 * may define only the first fields, and call trm_run_opts_init() with the size of those. Structs without a
 * size, such as trm_limits, stay as they are until the minor version changes. Lists are a pointer and a
 * count.
 *
 * Set unwanted callbacks to NULL. Only the last callback of an object (`closed`, `done`, `exited`) is
 * required.
 *
 * An object on a loop belongs to the thread and the process that created it. A child of fork() must not
 * call any function with it, not even to free it, because both processes share its descriptors. (They are
 * close-on-exec.) */

#include <terrarium/api.h>
#include <terrarium/artifact.h>
#include <terrarium/config.h>
#include <terrarium/container.h>
#include <terrarium/copy.h>
#include <terrarium/doctor.h>
#include <terrarium/error.h>
#include <terrarium/files.h>
#include <terrarium/install.h>
#include <terrarium/interpreter.h>
#include <terrarium/isolation.h>
#include <terrarium/lang.h>
#include <terrarium/limits.h>
#include <terrarium/loop.h>
#include <terrarium/metrics.h>
#include <terrarium/mounts.h>
#include <terrarium/policy.h>
#include <terrarium/pool.h>
#include <terrarium/process.h>
#include <terrarium/recipe.h>
#include <terrarium/registry.h>
#include <terrarium/remote.h>
#include <terrarium/result.h>
#include <terrarium/sandbox.h>
#include <terrarium/sandbox_opts.h>
#include <terrarium/server.h>
#include <terrarium/session.h>
#include <terrarium/snapshot.h>
#include <terrarium/sync.h>
#include <terrarium/sync_pool.h>
#include <terrarium/table.h>
#include <terrarium/text.h>
#include <terrarium/version.h>

TRM_BEGIN_API

/* Set the function for log messages, which are meant for developers and for people who run a server. NULL
 * (the default): no messages. The library never prints. `level`: 0 error, 1 warning, 2 info, 3 debug. */
typedef void trm_log_fn(void *user, int level, const char *msg);
void trm_set_log(trm_log_fn *fn, void *user);

TRM_END_API

#endif
