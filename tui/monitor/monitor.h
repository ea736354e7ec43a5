/* SPDX-License-Identifier: MIT */
#ifndef TUI_MONITOR_H
#define TUI_MONITOR_H

/* `terrarium metrics --watch` on a terminal: graphs and processes of one running sandbox on the whole
 * screen, with the keys of the workbench's metrics pane. The monitor changes nothing in the sandbox. */

#include <stdint.h>

#include "metrics/metrics.h"

struct trm_error;
struct trm_sandbox_opts;

struct monitor_opts {
	const char *name; /* name of a running sandbox */
	const struct trm_sandbox_opts
			*far; /* how to join the sandbox at its server; NULL: a sandbox of this machine */
	uint32_t interval_ms;
	const char *theme, *config, *keymap; /* as in the workbench; config may be NULL */
	enum graph_style graphs;
};

/* Runs until the user leaves or the sandbox ends. When the sandbox ends, *ret_ended holds the reason;
 * otherwise its sentence is "". Returns 0; 128+n when signal n asked for the end; a negative code with
 * *reterr when the monitor could not start (TRM_ENOTSUP: the terminal cannot move its cursor; TRM_ENOENT:
 * no such sandbox is running; …). The terminal is always restored. */
int monitor_main(const struct monitor_opts *opts, struct trm_error *ret_ended, struct trm_error *reterr);

#endif
