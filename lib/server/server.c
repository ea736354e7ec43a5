/* SPDX-License-Identifier: MIT */
#include "server/jsonrpc/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/loop.h>

#include "backend/backend.h"
#include "base/err.h"
#include "base/opts.h"
#include "rpc/names.h"

enum {
	LOOK_MS = 10,
	READING_MS = 2000, /* for clients to read their last replies */
};

/* What every reply says. Any page of a browser may read it. */
static const char *const headers[] = {"Access-Control-Allow-Origin", "*", "Vary",
		"origin, access-control-request-method, access-control-request-headers",
		"Access-Control-Expose-Headers",
		"Terrarium-Extensions, Terrarium-Run, Terrarium-Reason, Mcp-Session-Id",
		"Terrarium-Extensions", "events, input, interrupt, ask, terminal, files", NULL};

void trm_serve_opts_init(struct trm_serve_opts *opts, size_t size)
{
	static const struct trm_serve_opts defaults = TRM_SERVE_OPTS_INIT;
	opts_fill(opts, size, &defaults, sizeof defaults);
}

static void on_over(void *user, const struct http_request *request, int status, uint64_t took_ns)
{
	struct trm_server *server = user;
	if (server->cb->request)
		server->cb->request(server->user, &(struct trm_server_request){request->method, request->path,
								  request->note, status, took_ns});
}

static void free_server(struct trm_server *server)
{
	if (server->listener)
		listener_close(server->listener);
	trm_timer_remove(server->end);
	server->cb->closed(server->user, server);
	free(server);
}

static void look_for_end(void *user)
{
	struct trm_server *server = user;
	if (server->fleet)
		return; /* on_fleet_closed() looks again */
	bool is_late = trm_loop_now_ns(server->loop) > server->ended_ns + READING_MS * 1000000ull;
	if (server->listener && server->listener->n_requests && !is_late)
		trm_timer_start(server->end, LOOK_MS, 0);
	else
		free_server(server);
}

static void on_fleet_closed(void *user)
{
	struct trm_server *server = user;
	server->fleet = NULL;
	server->ended_ns = trm_loop_now_ns(server->loop);
	trm_timer_start(server->end, 0, 0);
}

static int open_fleet(struct trm_server *server, struct trm_error *reterr)
{
	const struct trm_serve_opts *opts = &server->opts;
	const struct fleet_opts fleet = {.dir = opts->namespace_dir,
			.volume_dirs = opts->volume_dirs,
			.backend = opts->backend,
			.isolation = opts->isolation,
			.from = opts->from,
			.server = opts->server,
			.container = opts->container,
			.group = server->group,
			.limits = opts->limits,
			.start_timeout_ms = opts->start_timeout_ms,
			.idle_timeout_ms = opts->idle_timeout_ms,
			.max_sandboxes = opts->max_sandboxes,
			.output_keep_bytes = opts->output_keep_bytes,
			.output_max_bytes = opts->output_max_bytes,
			.policy = opts->policy,
			.files_keep_bytes = opts->files_keep_bytes,
			.snapshots = opts->snapshots,
			.adopts = opts->adopts,
			.pools = opts->pools,
			.n_pools = opts->n_pools};
	if (server->listener)
		snprintf(server->group, sizeof server->group, "serve:%u", trm_server_port(server));
	else
		snprintf(server->group, sizeof server->group, "mcp:%ld", (long)getpid());
	return fleet_open(server->loop, &fleet, &server->fleet, reterr);
}

int trm_server_open(struct trm_loop *loop, const struct trm_serve_opts *opts, const struct trm_server_cb *cb,
		void *user, struct trm_server **ret_server, struct trm_error *reterr)
{
	struct trm_serve_opts own = TRM_SERVE_OPTS_INIT;
	int r = opts_take(&own, sizeof own, opts, reterr);
	if (r < 0)
		return r;
	opts = &own;
	struct trm_server *server = calloc(1, sizeof *server);
	if (!server)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	server->loop = loop;
	server->opts = *opts;
	server->cb = cb;
	server->user = user;
	snprintf(server->host, sizeof server->host, "%s", opts->host ? opts->host : "127.0.0.1");
	server->opts.host = server->host;
	r = backend_check(opts->backend, opts->container.config, reterr);
	if (r == 0 && opts->adopts && opts->n_pools)
		r = trm_error_set(reterr, TRM_EINVAL,
				"sandboxes of pools have no name by which a later server could adopt them");
	if (r == 0 && opts->key)
		r = hmac_load(&server->hmac, reterr);
	if (opts->key)
		server->opts.key = strncpy(server->key, opts->key, sizeof server->key - 1);
	struct listener_opts listener = {.host = server->host,
			.port = opts->port,
			.max_connections = opts->max_connections,
			.is_local_only = !opts->key && !opts->is_forced,
			.look = route_peek,
			.handle = route_handle,
			.over = on_over,
			.headers = headers,
			.user = server};
	if (r == 0)
		r = trm_loop_add_timer(loop, look_for_end, server, &server->end, reterr);
	if (r == 0 && !opts->has_no_listener)
		r = listener_open(loop, &listener, &server->listener, reterr);
	if (r == 0)
		r = open_fleet(server, reterr);
	if (r < 0) {
		if (server->listener)
			listener_close(server->listener);
		trm_timer_remove(server->end);
		free(server);
		return r;
	}
	*ret_server = server;
	return 0;
}

void trm_server_close(struct trm_server *server)
{
	if (server->is_closing)
		return;
	server->is_closing = true;
	if (server->listener)
		listener_quiesce(server->listener);
	fleet_close(server->fleet, on_fleet_closed, server);
}

unsigned trm_server_sandboxes(const struct trm_server *server)
{
	return server->fleet ? fleet_running(server->fleet) : 0;
}

uint16_t trm_server_port(const struct trm_server *server)
{
	return server->listener ? server->listener->port : 0;
}
