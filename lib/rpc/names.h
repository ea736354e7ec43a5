/* SPDX-License-Identifier: MIT */
#ifndef TRM_RPC_NAMES_H
#define TRM_RPC_NAMES_H

/* The names of methods and fields in the protocol. */

struct trm_error;

#define RPC_PATH_HEALTH "/api/v1/health"
#define RPC_PATH_METRICS "/metrics"
#define RPC_PATH_RPC "/api/v1/rpc"
#define RPC_PATH_MCP "/mcp"
#define RPC_HEALTHY "{\"message\":\"Service is healthy\"}"

#define RPC_START "sandbox.start"
#define RPC_STOP "sandbox.stop"
#define RPC_METRICS "sandbox.metrics.get"
#define RPC_RUN "sandbox.repl.run"
#define RPC_COMMAND "sandbox.command.run"
/* Extensions of ours (<terrarium/server.h>, "Extension"). */
#define RPC_INPUT "sandbox.run.input"
#define RPC_INTERRUPT "sandbox.run.interrupt"
#define RPC_ASK "sandbox.repl.ask"
#define RPC_FILE_PUT "sandbox.file.put"
#define RPC_FILE_GET "sandbox.file.get"

#define RPC_NAMESPACE "default" /* of requests without a namespace */
#define RPC_EVERYWHERE "*"      /* all namespaces, in tokens and metrics */

enum { RPC_NAME_MAX = 63, RPC_PORT = 5555 };

/* The current name of a method. The two names used up to 0.2.1 are replaced; all others stay. */
const char *rpc_method_today(const char *method);

/* Check the name of a sandbox or namespace (`what`, for the message): 1 to 63 ASCII letters, digits, '-'
 * and '_', of which the first is a letter or digit. Returns 0 or TRM_EINVAL. */
int rpc_name_check(const char *what, const char *name, struct trm_error *reterr);

#endif
