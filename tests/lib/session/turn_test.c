/* SPDX-License-Identifier: MIT */
/* Somebody else wants the turn in a kernel that has not said yet that it is there. */
#include "lib/session/relay.h"

struct person {
	struct trm_loop *loop;
	struct relay *relay;
	struct trm_session *session;
	bool is_ready, is_closed;
};

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	struct person *p = user;
	(void)sandbox;
	p->is_ready = true;
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct person *p = user;
	(void)sandbox, (void)why;
	p->is_closed = true;
}

static void turn(struct person *p)
{
	assert_true(trm_loop_step(p->loop, 0) >= 0);
	if (p->relay && p->relay->fds[1] >= 0)
		relay_turn(p->relay);
}

/* STARTED says whose turn it is: what was given up before it would be taken back by it. */
static void the_turn_is_given_up_when_it_is_there(void **state)
{
	static const struct trm_sandbox_cb SANDBOX_CB = {.ready = on_ready, .closed = on_closed};
	static const struct trm_session_cb SESSION_CB = {0};
	struct person p = {0};
	struct trm_sandbox *sandbox;
	struct trm_sandbox_opts o;
	struct trm_session_opts s;
	(void)state;
	next_fate = IS_WANTED;
	assert_int_equal(trm_loop_create(&p.loop, NULL), 0);
	trm_sandbox_opts_default(&o);
	assert_int_equal(trm_sandbox_open(p.loop, &o, &SANDBOX_CB, &p, &sandbox, NULL), 0);
	p.relay = newest;
	newest->owner = &p.relay;
	trm_session_opts_default(&s);
	s.is_shared = true;
	assert_int_equal(trm_session_open(sandbox, &s, &SESSION_CB, &p, &p.session, NULL), 0);
	while (!p.is_ready)
		turn(&p);
	assert_int_equal(trm_session_warm(p.session, trm_lang_at(0), NULL), 0);
	while (!p.relay->living) {
		assert_false(p.relay->is_released);
		turn(&p);
	}
	while (!p.relay->is_released)
		turn(&p);
	trm_session_close(p.session);
	trm_sandbox_close(sandbox);
	while (!p.is_closed)
		turn(&p);
	trm_loop_destroy(p.loop);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_turn_is_given_up_when_it_is_there)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
