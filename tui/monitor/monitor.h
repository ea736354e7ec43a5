/* SPDX-License-Identifier: MIT */
#ifndef TUI_MONITOR_H
#define TUI_MONITOR_H

/* `terrarium metrics --watch` on a terminal: graphs and processes of one running sandbox on the whole screen,
 * with the keys of the workbench's metrics pane. It only looks. */

#include <stdint.h>

#include "metrics/metrics.h"

struct trm_error;
struct trm_sandbox_opts;

struct monitor_opts {
	const char *name; /* of a sandbox that is running */
	const struct trm_sandbox_opts
			*far; /* how to take part in it at its server; NULL: it is on this machine */
	uint32_t interval_ms;
	const char *theme, *config, *keymap; /* as in the workbench; config may be NULL */
	enum graph_style graphs;
};

/* Until the person leaves it, or the sandbox ends: then *ret_ended holds the reason, else its sentence is "".
 * 0; 128+n when signal n asked for the end; negative with *reterr when it could not begin: TRM_ENOTSUP the
 * terminal cannot move its cursor, TRM_ENOENT no such sandbox is running … The terminal is always given back.
 */
int monitor_main(const struct monitor_opts *opts, struct trm_error *ret_ended, struct trm_error *reterr);

#endif
