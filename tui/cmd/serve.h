/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_SERVE_H
#define TUI_CMD_SERVE_H

/* What `serve` and `mcp` have in common. */

struct options;
struct trm_config;
struct trm_serve_opts;
struct trm_server_opts;

/* What every sandbox is like whose start does not say otherwise. `opts` and `there`, the server that has the
 * sandboxes with --backend microsandbox, borrow from `config`. */
void serve_take_config(struct trm_serve_opts *opts, struct trm_server_opts *there, const struct options *o,
		const struct trm_config *config);
/* Others decide what runs in the sandboxes: a config file that was written for a workbench is not enough to
 * do without isolation. 0, or CMD_FAILED after a sentence. */
int serve_check_isolation(const struct options *o, const struct trm_config *config);

#endif
