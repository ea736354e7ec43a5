/* SPDX-License-Identifier: MIT */
/* An agent that dies, or falls silent, after each of its frames and in the middle of each: every request that
 * was made has one end, with a reason, and soon. The frames are the fake backend's; a relay between it and
 * the library lets so many through. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "backend/backend.h"
#include "backend/fake/fake.h"
#include "base/buf.h"
#include "wire/frame.h"

/* ---- the relay ------------------------------------------------------------------------ */

enum fate { DIES, DIES_HALFWAY, FALLS_SILENT };

struct relay {
	struct carrier base;
	struct carrier *inner;
	int inner_fd, fds[2];
	struct buf out; /* of the agent, not yet passed on */
	unsigned n_frames, n_allowed;
	enum fate fate;
	bool is_cut;
	struct relay **owner; /* set to NULL when it ends */
};

static struct relay *newest;
static enum fate next_fate;
static unsigned next_allowed;

static void on_connected(void *user, int fd)
{
	struct relay *r = user;
	r->inner_fd = fd;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, r->fds), 0);
	r->base.cb->connected(r->base.user, r->fds[0]);
}

static void on_inner_closed(void *user, const struct trm_error *why)
{
	struct relay *r = user;
	r->base.cb->closed(r->base.user, why);
	for (int i = 0; i < 2; i++)
		if (r->fds[i] >= 0)
			close(r->fds[i]);
	buf_finish(&r->out);
	if (r->owner)
		*r->owner = NULL;
	free(r);
}

static const struct carrier_cb INNER_CB = {.connected = on_connected, .closed = on_inner_closed};

static int probe(struct trm_error *reterr)
{
	(void)reterr;
	return 0;
}

static const struct backend_ops RELAY_OPS;

static int start(struct trm_loop *loop, const struct trm_sandbox_opts *opts, const struct carrier_cb *cb,
		void *user, struct carrier **ret_carrier, struct trm_error *reterr)
{
	struct relay *r = newest = calloc(1, sizeof *r);
	assert_non_null(r);
	*r = (struct relay){.base = {.ops = &RELAY_OPS, .cb = cb, .user = user},
			.inner_fd = -1,
			.fds = {-1, -1},
			.n_allowed = next_allowed,
			.fate = next_fate};
	buf_init(&r->out, 64 << 20);
	*ret_carrier = &r->base;
	return backend_fake.start(loop, opts, &INNER_CB, r, &r->inner, reterr);
}

static void stop(struct carrier *carrier)
{
	backend_fake.stop(((struct relay *)carrier)->inner);
}

static size_t guards(const struct carrier *carrier, const struct trm_guard **ret_guards)
{
	(void)carrier;
	*ret_guards = NULL;
	return 0;
}

static uint32_t nproc(const struct carrier *carrier)
{
	(void)carrier;
	return 0;
}

static const struct backend_ops RELAY_OPS = {.name = "relay",
		.probe = probe,
		.start = start,
		.stop = stop,
		.guards = guards,
		.nproc = nproc};

/* In the library's place: the archive's own is not linked. */
int backend_find(const char *name, const struct backend_ops **ret, struct trm_error *reterr)
{
	(void)name;
	(void)reterr;
	*ret = &RELAY_OPS;
	return 0;
}

static void pass_all(int to, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(to, bytes, n, MSG_NOSIGNAL);
		if (sent < 0)
			return; /* nobody is there; or full, which the little that is said here never makes it
				 */
		bytes += sent;
		n -= (size_t)sent;
	}
}

static void cut(struct relay *r, const char *bytes, size_t n)
{
	if (r->fate == DIES_HALFWAY)
		pass_all(r->fds[1], bytes, n / 2);
	r->is_cut = true;
	if (r->fate != FALLS_SILENT)
		shutdown(r->fds[1], SHUT_RDWR);
	if (r->fate == DIES) /* of the other the carrier hears nothing */
		backend_fake.stop(r->inner);
}

static void pass_frames(struct relay *r)
{
	while (!r->is_cut && r->out.len >= FRAME_HEADER) {
		const unsigned char *at = (const unsigned char *)buf_at(&r->out);
		size_t n = FRAME_HEADER + (at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16);
		if (r->out.len < n)
			return;
		if (r->n_frames == r->n_allowed) {
			cut(r, buf_at(&r->out), n);
			return;
		}
		r->n_frames++;
		pass_all(r->fds[1], buf_at(&r->out), n);
		buf_take(&r->out, n);
	}
}

static void relay_turn(struct relay *r)
{
	char bytes[65536];
	ssize_t n;
	while ((n = recv(r->fds[1], bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
		pass_all(r->inner_fd, bytes, (size_t)n);
	while ((n = recv(r->inner_fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
		assert_int_equal(buf_append(&r->out, bytes, (size_t)n), 0);
	pass_frames(r);
}

/* ---- somebody who asks for everything --------------------------------------------------- */

enum { GRACE_MS = 20, TIMEOUT_MS = 100 };

struct person {
	struct trm_loop *loop;
	struct relay *relay; /* NULL: it has ended */
	struct trm_sandbox *sandbox;
	struct trm_session *session;
	unsigned n_asked, n_answered, n_runs, n_done;
	unsigned n_ends[8]; /* of each request: one */
	bool is_closed, has_asked;
	struct trm_error why;
};

static void note_end(struct person *p, unsigned which, const struct trm_error *why)
{
	assert_int_equal(p->n_ends[which], 0);
	p->n_ends[which]++;
	p->n_answered++;
	if (why->code)
		assert_true(why->msg[0]);
}

static void on_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *status, const struct trm_error *why)
{
	(void)proc;
	assert_true(status || why->code);
	note_end(user, 0, why);
}

static void on_put(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	(void)size;
	(void)mode;
	note_end(user, 1, why);
}

static void on_got(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	(void)size;
	(void)mode;
	note_end(user, 2, why);
}

static void on_answer(void *user, const char *json, const struct trm_error *why)
{
	assert_true(json || why->code);
	note_end(user, 3, why);
}

static void on_input(void *user, struct trm_run *run, const char *prompt, bool is_secret)
{
	(void)user;
	(void)prompt;
	(void)is_secret;
	trm_run_send(run, "line\n", 5, NULL);
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct person *p = user;
	(void)run;
	p->n_done++;
	assert_true(p->n_done <= p->n_runs);
	if (result->status == TRM_STATUS_LOST)
		assert_true(result->reason && *result->reason);
}

static const struct trm_proc_cb PROC_CB = {.exited = on_exited};
static const struct trm_transfer_cb PUT_CB = {.done = on_put}, GET_CB = {.done = on_got};
static const struct trm_run_cb RUN_CB = {.input = on_input, .done = on_done};
static const struct trm_session_cb SESSION_CB = {0};

static void begin_run(struct person *p, const char *code)
{
	struct trm_run_opts o;
	struct trm_run *run;
	trm_run_opts_default(&o);
	o.lang = trm_lang_get(0);
	o.code = code;
	o.code_len = strlen(code);
	o.offers_stdin = true;
	o.timeout_ms = TIMEOUT_MS;
	if (trm_session_run(p->session, &o, &RUN_CB, p, &run, NULL) == 0)
		p->n_runs++;
}

static void ask_for_everything(struct person *p)
{
	static const char *const ARGV[] = {"echo", "hi", NULL};
	static const char *const MORE[] = {"flood 40\nset a 1", "fail E message", "die 11"};
	struct trm_proc_opts o = {.argv = ARGV};
	struct trm_proc *proc;
	p->has_asked = true;
	p->n_asked += trm_proc_spawn(p->sandbox, &o, &PROC_CB, p, &proc, NULL) == 0;
	p->n_asked += trm_file_put(p->sandbox, "f", 0644, "0123456789", 10, &PUT_CB, p, NULL) == 0;
	p->n_asked += trm_file_get(p->sandbox, "f", 100, &GET_CB, p, NULL) == 0;
	begin_run(p, "print hi\nask who\nvalue 1");
	/* Runs wait for each other, and so does each for what its limits take. */
	for (size_t i = 0; i < 3 && p->relay->fate != FALLS_SILENT; i++)
		begin_run(p, MORE[i]);
	p->n_asked += trm_session_ask(p->session, trm_lang_get(0), TRM_ASK_VARIABLES, "", 0, on_answer, p,
				      NULL)
		      == 0;
	trm_sandbox_set_metrics(p->sandbox, 50, true, NULL);
}

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	(void)sandbox;
	ask_for_everything(user);
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct person *p = user;
	(void)sandbox;
	assert_false(p->is_closed);
	assert_int_equal(p->n_answered, p->n_asked); /* closed is the last word */
	p->is_closed = true;
	p->why = *why;
}

static const struct trm_sandbox_cb SANDBOX_CB = {.ready = on_ready, .closed = on_closed};

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void turn(struct person *p)
{
	assert_true(trm_loop_step(p->loop, 0) >= 0);
	if (p->relay && p->relay->fds[1] >= 0)
		relay_turn(p->relay);
}

static bool wait_for(struct person *p, bool (*holds)(const struct person *p), int ms)
{
	double until = now_ms() + ms;
	while (!holds(p) && now_ms() < until)
		turn(p);
	return holds(p);
}

static bool is_closed(const struct person *p)
{
	return p->is_closed;
}

static bool is_closed_or_served(const struct person *p)
{
	return p->is_closed || (p->has_asked && p->n_answered == p->n_asked && p->n_done == p->n_runs);
}

static bool are_runs_over(const struct person *p)
{
	return p->is_closed || (p->has_asked && p->n_done == p->n_runs);
}

static void open_all(struct person *p, enum fate fate, unsigned allowed)
{
	struct trm_sandbox_opts o;
	struct trm_session_opts s;
	*p = (struct person){0};
	next_fate = fate;
	next_allowed = allowed;
	assert_int_equal(trm_loop_create(&p->loop, NULL), 0);
	trm_sandbox_opts_default(&o);
	o.start_timeout_ms = 200;
	assert_int_equal(trm_sandbox_open(p->loop, &o, &SANDBOX_CB, p, &p->sandbox, NULL), 0);
	p->relay = newest;
	newest->owner = &p->relay;
	trm_session_opts_default(&s);
	s.grace_ms = GRACE_MS;
	assert_int_equal(trm_session_open(p->sandbox, &s, &SESSION_CB, p, &p->session, NULL), 0);
}

static void close_all(struct person *p)
{
	if (!p->is_closed)
		trm_sandbox_close(p->sandbox);
	assert_true(wait_for(p, is_closed, 2000));
	trm_session_close(p->session);
	assert_int_equal(p->n_done, p->n_runs);
	assert_int_equal(p->n_answered, p->n_asked);
	trm_loop_destroy(p->loop);
}

/* ---- cases ------------------------------------------------------------------------------- */

/* How many frames it takes when nothing happens to the agent. */
static unsigned count_frames(enum fate fate)
{
	struct person p;
	open_all(&p, fate, 1000000);
	assert_true(wait_for(&p, is_closed_or_served, 10000));
	assert_false(p.is_closed);
	unsigned n = p.relay->n_frames;
	close_all(&p);
	return n;
}

static void dies(enum fate fate, unsigned step)
{
	struct person p;
	unsigned n = count_frames(fate);
	assert_true(n > 20);
	for (unsigned i = 0; i < n; i += step) {
		open_all(&p, fate, i);
		if (!wait_for(&p, is_closed, 3000))
			fail_msg("frame %u of %u: %u of %u answers, %u of %u runs, and no end", i, n,
					p.n_answered, p.n_asked, p.n_done, p.n_runs);
		assert_int_not_equal(p.why.code, TRM_OK);
		assert_true(p.why.msg[0]);
		close_all(&p);
	}
}

static void it_dies_between_any_two_frames(void **state)
{
	(void)state;
	dies(DIES, 1);
}

static void it_dies_within_any_frame(void **state)
{
	(void)state;
	dies(DIES_HALFWAY, 7);
}

/* Runs have a limit of time, and the agent one for telling of a kernel's death; all else waits until the
 * sandbox is closed, which takes no answer. All cases at once: each takes as long as its limits. */
static void it_falls_silent_after_any_frame(void **state)
{
	enum { LIMIT_MS = 8000, MOST = 64 };
	static struct person all[MOST];
	unsigned n = count_frames(FALLS_SILENT), n_over = 0;
	(void)state;
	assert_true(n <= MOST);
	for (unsigned i = 0; i < n; i++)
		open_all(&all[i], FALLS_SILENT, i);
	for (double until = now_ms() + LIMIT_MS; n_over < n && now_ms() < until;) {
		n_over = 0;
		for (unsigned i = 0; i < n; i++) {
			turn(&all[i]);
			n_over += are_runs_over(&all[i]);
		}
	}
	for (unsigned i = 0; i < n; i++) {
		if (!are_runs_over(&all[i]))
			fail_msg("frame %u of %u: %u of %u runs", i, n, all[i].n_done, all[i].n_runs);
		close_all(&all[i]);
	}
}

int main(void)
{
	const struct CMUnitTest cases[] = {
			cmocka_unit_test(it_dies_between_any_two_frames),
			cmocka_unit_test(it_dies_within_any_frame),
			cmocka_unit_test(it_falls_silent_after_any_frame),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
