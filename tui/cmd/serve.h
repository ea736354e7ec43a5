/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_SERVE_H
#define TUI_CMD_SERVE_H

/* Shared by `serve` and `mcp`. */

struct options;
struct trm_config;
struct trm_config_lists;
struct trm_serve_opts;
struct trm_remote_opts;

/* What every sandbox is like whose start does not say otherwise. `opts` and `there`, the server that has the
 * sandboxes with --backend microsandbox, borrow from `config` and `lists`. */
void serve_take_config(struct trm_serve_opts *opts, struct trm_remote_opts *there,
		struct trm_config_lists *lists, const struct options *o, const struct trm_config *config);
/* Clients decide which code runs in the sandboxes, so a config file that was written for a workbench cannot
 * turn off isolation. 0, or CMD_FAILED after a message. */
int serve_check_isolation(const struct options *o, const struct trm_config *config);

#endif
