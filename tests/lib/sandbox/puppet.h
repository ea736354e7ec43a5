/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SANDBOX_PUPPET_H
#define TESTS_SANDBOX_PUPPET_H

/* A carrier whose agent is the test itself: puppet->fds[1] is the agent's end of the connection. */

#include "cmocka_all.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "lib/sandbox/standin.h"

struct puppet {
	struct carrier base;
	struct trm_timer *soon;
	int fds[2];
	bool is_connected, is_stopping;
};

static struct puppet *puppet; /* the one of the case in hand */

static void on_soon(void *user)
{
	struct puppet *p = user;
	struct trm_error none = {0};
	if (p->is_stopping) {
		trm_timer_remove(p->soon);
		close(p->fds[0]);
		if (p->fds[1] >= 0)
			close(p->fds[1]);
		p->base.cb->closed(p->base.user, &none);
		free(p);
		puppet = NULL;
	} else if (!p->is_connected) {
		p->is_connected = true;
		p->base.cb->connected(p->base.user, p->fds[0]);
	}
}

static bool never_connects;

static int start(struct trm_loop *loop, const struct trm_sandbox_opts *opts, const struct carrier_cb *cb,
		void *user, struct carrier **ret_carrier, struct trm_error *reterr)
{
	(void)opts;
	puppet = calloc(1, sizeof *puppet);
	puppet->base = (struct carrier){.ops = &STANDIN_OPS, .cb = cb, .user = user};
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, puppet->fds), 0);
	assert_int_equal(trm_loop_add_timer(loop, on_soon, puppet, &puppet->soon, reterr), 0);
	if (!never_connects)
		trm_timer_start(puppet->soon, 0, 0);
	*ret_carrier = &puppet->base;
	return 0;
}

static void stop(struct carrier *carrier)
{
	struct puppet *p = (struct puppet *)carrier;
	p->is_stopping = true;
	trm_timer_start(p->soon, 0, 0);
}

/* Known only when connected, as with a real sandbox. */
static uint32_t nproc(const struct carrier *carrier)
{
	assert_true(((const struct puppet *)carrier)->is_connected);
	return 77;
}

static const struct backend_ops STANDIN_OPS = {.name = "puppet",
		.probe = standin_probe,
		.start = start,
		.stop = stop,
		.guards = standin_guards,
		.nproc = nproc};

#endif
