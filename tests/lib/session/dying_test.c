/* SPDX-License-Identifier: MIT */
/* An agent that dies, or falls silent, after each of its frames and in the middle of each, one that says them
 * byte by byte, and one that never stops talking: every request that was made has one end, with a reason, and
 * soon, and memory is bounded. The frames are the fake backend's. */
#include <malloc.h>
#include <stdio.h>
#include <time.h>

#include "kernel/protocol.h"
#include "lib/session/relay.h"

/* ---- somebody who asks for everything --------------------------------------------------- */

enum { GRACE_MS = 20, TIMEOUT_MS = 100, LONG_MS = 60000 };

struct person {
	struct trm_loop *loop;
	struct relay *relay; /* NULL: it has ended */
	struct trm_sandbox *sandbox;
	struct trm_session *session;
	unsigned n_asked, n_answered, n_runs, n_done;
	unsigned n_ends[8]; /* of each request: one */
	bool is_closed, has_asked;
	bool reads_nothing; /* its runs give no credit back */
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
	trm_run_write(run, "line\n", 5, NULL);
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

/* It takes what comes, and gives no word. */
static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	(void)user;
	(void)run;
	(void)stream;
	(void)bytes;
	(void)n;
}

static const struct trm_proc_cb PROC_CB = {.exited = on_exited};
static const struct trm_transfer_cb PUT_CB = {.done = on_put}, GET_CB = {.done = on_got};
static const struct trm_run_cb RUN_CB = {.output = on_output, .input = on_input, .done = on_done};
static const struct trm_session_cb SESSION_CB = {0};

static void begin_run(struct person *p, const char *code)
{
	struct trm_run_opts o;
	struct trm_run *run;
	trm_run_opts_default(&o);
	o.lang = trm_lang_at(0);
	o.code = code;
	o.code_len = strlen(code);
	o.offers_stdin = true;
	o.timeout_ms = p->reads_nothing ? LONG_MS : TIMEOUT_MS;
	o.manual_credit = p->reads_nothing;
	if (trm_session_run(p->session, &o, &RUN_CB, p, &run, NULL) == 0)
		p->n_runs++;
}

static void ask_for_everything(struct person *p)
{
	static const char *const ARGV[] = {"echo", "hi", NULL};
	static const char *const MORE[] = {"flood 40\nset a 1", "fail E message", "die 11"};
	struct trm_proc_opts o = {.size = sizeof(struct trm_proc_opts), .argv = ARGV};
	struct trm_proc *proc;
	p->has_asked = true;
	p->n_asked += trm_proc_spawn(p->sandbox, &o, &PROC_CB, p, &proc, NULL) == 0;
	p->n_asked += trm_file_put(p->sandbox, "f", 0644, "0123456789", 10, &PUT_CB, p, NULL) == 0;
	p->n_asked += trm_file_get(p->sandbox, "f", 100, &GET_CB, p, NULL) == 0;
	begin_run(p, p->reads_nothing ? "loop" : "print hi\nask who\nvalue 1");
	/* Runs wait for each other, and so does each for what its limits take. */
	for (size_t i = 0; i < 3 && p->relay->fate != FALLS_SILENT; i++)
		begin_run(p, MORE[i]);
	p->n_asked += trm_session_ask(p->session, trm_lang_at(0), TRM_ASK_VARIABLES, "", 0, on_answer, p,
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
		if (!wait_for(&p, is_closed, 10000))
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

/* The slowest that still says something: all is answered as ever, only later. */
static void byte_by_byte_all_is_answered(void **state)
{
	struct person p;
	(void)state;
	open_all(&p, TRICKLES, 0);
	assert_true(wait_for(&p, is_closed_or_served, 15000));
	assert_false(p.is_closed);
	close_all(&p);
}

/* ---- floods ------------------------------------------------------------------------------ */

static bool put_metrics(struct relay *r)
{
	static struct trm_process table[METRICS_MAX_PROCESSES];
	static uint32_t pid;
	struct trm_metrics m = {.processes = table,
			.n_processes = METRICS_MAX_PROCESSES,
			.has_processes = true,
			.sample = {.known = TRM_METRIC_MEM | TRM_METRIC_PROCS, .mem_bytes = ++pid}};
	for (size_t i = 0; i < METRICS_MAX_PROCESSES; i++)
		table[i].pid = pid + (uint32_t)i;
	return metrics_msg_put(&r->held, &m) == 0;
}

static bool put_clients(struct relay *r)
{
	const char n[4] = {(char)(r->n_flooded % 100), 0, 0, 0};
	return frame_put(&r->held, 0, FRAME_CLIENTS, 0, n, sizeof n) == 0;
}

static bool put_shared(struct relay *r)
{
	char key[64];
	snprintf(key, sizeof key, "kernel:%llu", (unsigned long long)r->n_flooded);
	return shared_msg_put(&r->held, key) == 0;
}

static bool put_shared_python(struct relay *r)
{
	return shared_msg_put(&r->held, "kernel:python") == 0;
}

static bool put_pong(struct relay *r)
{
	return frame_put(&r->held, 0, FRAME_PONG, 0, NULL, 0) == 0;
}

/* A kernel may say nothing as often as it likes: that takes no credit. */
static bool put_nothing(struct relay *r)
{
	return r->living && frame_put(&r->held, r->living, FRAME_OUTPUT, CHANNEL_STDOUT, NULL, 0) == 0;
}

static bool put_error(struct relay *r)
{
	return r->gone && error_msg_put(&r->held, r->gone, TRM_EIO, "it has ended long ago") == 0;
}

static bool put_late(struct relay *r)
{
	static const char bytes[65536];
	return r->gone
	       && frame_put(&r->held, r->gone, FRAME_OUTPUT, CHANNEL_CONTROL, bytes, sizeof bytes) == 0;
}

static const struct flood FLOODS_OF[] = {{"metrics", put_metrics}, {"clients", put_clients},
		{"keys", put_shared}, {"one key", put_shared_python}, {"pong", put_pong},
		{"empty output", put_nothing}, {"errors", put_error}, {"late output", put_late}};

static size_t heap_bytes(void)
{
	struct mallinfo2 m = mallinfo2();
	return m.uordblks + m.hblkhd;
}

/* Processor time: other programs must not make a turn slow. */
static double used_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* For so long, and until so many frames have come: of valgrind none comes quickly. */
static double slowest_turn_ms(struct person *p, int ms, uint64_t n_frames)
{
	enum { DEADLINE_MS = 20000 };
	double slowest = 0, start = now_ms(), now;
	uint64_t before = p->relay ? p->relay->n_flooded : 0;
	while ((now = now_ms()) < start + DEADLINE_MS && !p->is_closed
			&& (now < start + ms || (p->relay && p->relay->n_flooded - before < n_frames))) {
		double begun = used_ms();
		assert_true(trm_loop_step(p->loop, 0) >= 0);
		double took = used_ms() - begun;
		slowest = took > slowest ? took : slowest;
		if (p->relay)
			relay_turn(p->relay);
	}
	return slowest;
}

/* The runs have their results, in the time that they have, and the loop goes on turning for others. */
static void expect_bounded(const struct flood *flood)
{
	enum { MOST_HEAP = 8 << 20, MOST_TURN_MS = 500, LEAST_FRAMES = 100 };
	struct person p;
	next_flood = flood;
	open_all(&p, FLOODS, 3);
	if (!wait_for(&p, is_closed_or_served, 20000))
		fail_msg("%s: %u of %u answers, %u of %u runs", flood->name, p.n_answered, p.n_asked,
				p.n_done, p.n_runs);
	if (p.is_closed)
		fail_msg("%s: it was given up: %s", flood->name, p.why.msg);
	slowest_turn_ms(&p, 50, 0);
	size_t before = heap_bytes();
	uint64_t n = p.relay->n_flooded;
	double slowest = slowest_turn_ms(&p, 300, LEAST_FRAMES);
	size_t after = heap_bytes();
	n = p.relay->n_flooded - n;
	if (after > before + MOST_HEAP || slowest > MOST_TURN_MS || n < LEAST_FRAMES)
		fail_msg("%s: %zu bytes more after %llu frames, the slowest turn took %.0f ms", flood->name,
				after - before, (unsigned long long)n, slowest);
	close_all(&p);
}

static void it_never_stops_talking(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof FLOODS_OF / sizeof *FLOODS_OF; i++)
		expect_bounded(&FLOODS_OF[i]);
	next_flood = NULL;
}

/* ---- floods that credit governs ----------------------------------------------------------- */

static bool put_output(struct relay *r, unsigned channel)
{
	static const char bytes[65536];
	return r->living
	       && frame_put(&r->held, r->living, FRAME_OUTPUT, (uint8_t)channel, bytes, sizeof bytes) == 0;
}

static bool put_stdout(struct relay *r)
{
	return put_output(r, CHANNEL_STDOUT);
}

static bool put_stderr(struct relay *r)
{
	return put_output(r, CHANNEL_STDERR);
}

/* A line that has no end. */
static bool put_control(struct relay *r)
{
	return put_output(r, CHANNEL_CONTROL);
}

static bool put_lines(struct relay *r)
{
	static const char LINE[] = "{\"ev\":\"display\",\"data\":{\"text/plain\":\"again\"}}\n";
	return r->living
	       && frame_put(&r->held, r->living, FRAME_OUTPUT, CHANNEL_CONTROL, LINE, sizeof LINE - 1) == 0;
}

static bool has_flooded(const struct person *p)
{
	return is_closed_or_served(p) && (!p->relay || p->relay->n_flooded > 100);
}

/* It asks for no credit at all. Where that is given back at once it has just much to say; of what is kept for
 * a reader it may have no more on its way than he has given. */
static void expect_end(const struct flood *flood, bool reads_nothing)
{
	enum {
		MOST_HEAP = KERNEL_LINE_MAX + (8 << 20)
	}; /* a line that has no end is kept up to its ceiling */
	struct person p;
	size_t before = heap_bytes();
	next_flood = flood;
	open_all(&p, FLOODS, 3);
	p.reads_nothing = reads_nothing;
	if (!wait_for(&p, reads_nothing ? is_closed : has_flooded, 20000))
		fail_msg("%s: %u of %u answers, %u of %u runs", flood->name, p.n_answered, p.n_asked,
				p.n_done, p.n_runs);
	slowest_turn_ms(&p, 100, 0);
	size_t after = heap_bytes();
	if (after > before + MOST_HEAP)
		fail_msg("%s: %zu bytes more", flood->name, after - before);
	if (reads_nothing)
		assert_non_null(strstr(p.why.msg, "which has credit for"));
	close_all(&p);
}

static void it_sends_beyond_its_credit(void **state)
{
	static const struct flood KEPT[] = {{"stdout", put_stdout}, {"stderr", put_stderr}},
				  TAKEN[] = {{"control", put_control}, {"lines", put_lines}};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		expect_end(&KEPT[i], false);
		expect_end(&KEPT[i], true);
		expect_end(&TAKEN[i], false);
	}
	next_flood = NULL;
}

int main(void)
{
	const struct CMUnitTest cases[] = {
			cmocka_unit_test(it_dies_between_any_two_frames),
			cmocka_unit_test(it_dies_within_any_frame),
			cmocka_unit_test(it_falls_silent_after_any_frame),
			cmocka_unit_test(byte_by_byte_all_is_answered),
			cmocka_unit_test(it_never_stops_talking),
			cmocka_unit_test(it_sends_beyond_its_credit),
	};
	return cmocka_run_group_tests(cases, NULL, NULL);
}
