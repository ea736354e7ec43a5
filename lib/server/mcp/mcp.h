/* SPDX-License-Identifier: MIT */
#ifndef TRM_SERVER_MCP_H
#define TRM_SERVER_MCP_H

/* The Model Context Protocol at /mcp (Streamable HTTP, revisions 2025-11-25, 2025-06-18, 2025-03-26 and
 * 2024-11-05), and by trm_server_mcp() over standard input and output, as far as needed by a server that
 * answers and never asks. Every POST is answered with JSON, and there are no GET and no stored sessions. Once
 * a message is understood the status is 200, and errors are those of JSON-RPC. */

struct caller;
struct http_request;
struct trm_server;

/* POST /mcp, with the body. */
void mcp_handle(struct trm_server *server, struct http_request *request, const struct caller *who);

#endif
