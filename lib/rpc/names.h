/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_NAMES_H
#define TRM_RPC_NAMES_H

/* The words of the protocol. */

struct trm_error;

#define RPC_PATH_HEALTH "/api/v1/health"
#define RPC_PATH_RPC "/api/v1/rpc"
#define RPC_PATH_MCP "/mcp"
#define RPC_HEALTHY "{\"message\":\"Service is healthy\"}"

#define RPC_START "sandbox.start"
#define RPC_STOP "sandbox.stop"
#define RPC_METRICS "sandbox.metrics.get"
#define RPC_RUN "sandbox.repl.run"
#define RPC_COMMAND "sandbox.command.run"
/* Ours (<terrarium/server.h>, "Extension"). */
#define RPC_INPUT "sandbox.run.input"
#define RPC_INTERRUPT "sandbox.run.interrupt"
#define RPC_ASK "sandbox.repl.ask"
#define RPC_FILE_PUT "sandbox.file.put"
#define RPC_FILE_GET "sandbox.file.get"

#define RPC_NAMESPACE "default" /* of requests that name none */
#define RPC_EVERYWHERE "*"      /* all namespaces: in tokens, and of metrics */

enum { RPC_NAME_MAX = 63, RPC_PORT = 5555 };

/* What a method is called today: the two old names (up to 0.2.1) become new ones, others stay. */
const char *rpc_method_today(const char *method);

/* A name of a sandbox or namespace (`what`, for the sentence): 1 to 63 ASCII letters, digits, '-' and '_',
 * the first one a letter or digit. TRM_EINVAL. */
int rpc_name_check(const char *what, const char *name, struct trm_error *reterr);

#endif
