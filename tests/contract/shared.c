/* SPDX-License-Identifier: MIT */
/* What is promised to several clients of one sandbox. Arguments: backend, language, image. Others: it is
 * one of the clients itself, in a process of its own: "client NAME LANG CODE WHAT". */
#include "cmocka_all.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract/dialect.h"
#include "contract/peer.h"

extern char **environ;

static const struct dialect *d;
static struct place place;
static struct trm_loop *loop;
static struct peer a, b, c; /* a has opened it */
static char name[64];

static struct trm_session_opts patient_opts(void)
{
	struct trm_session_opts opts;
	trm_session_opts_default(&opts);
	opts.grace_ms = 20000; /* much, for a machine that is busy with other things */
	opts.timeout_ms = BED_DEADLINE_MS;
	return opts;
}

static int lie_down(void **state)
{
	static unsigned count;
	const struct trm_session_opts opts = patient_opts();
	struct trm_error why;
	(void)state;
	snprintf(name, sizeof name, "shared-%ld-%u", (long)getpid(), ++count);
	return trm_loop_create(&loop, &why) < 0 || !peer_open(&a, loop, &place, name, &opts) ? -1 : 0;
}

static int get_up(void **state)
{
	(void)state;
	struct peer *const all[] = {&c, &b, &a};
	for (size_t i = 0; i < 3; i++)
		if (all[i]->loop)
			peer_close(all[i]);
	trm_loop_destroy(loop);
	return 0;
}

/* The sandbox must be there before anybody can attach to it. */
static void attach(struct peer *p)
{
	peer_wait(loop, &a.is_ready);
	if (!peer_open(p, loop, NULL, name, NULL))
		fail_msg("cannot attach to %s: %s", name, p->why.msg);
}

static struct seen *run(struct peer *p, const char *code)
{
	return peer_run(p, d->lang, code);
}

static struct seen *begin(struct peer *p, const char *code)
{
	return peer_begin(p, d->lang, code, -1);
}

/* ---- a process of its own ------------------------------------------------------------------- */

static void begin_command(struct peer *p, const char *code)
{
	struct trm_proc_opts opts = TRM_PROC_OPTS_INIT;
	struct trm_proc *proc;
	struct trm_error why;
	const char *const command[] = {"sh", "-c", code, NULL};
	opts.argv = command;
	opts.reported_by = "commander";
	assert_int_equal(trm_proc_spawn(p->sandbox, &opts, NULL, NULL, &proc, &why), 0);
}

/* Code that takes a while to send: many empty lines before it. */
static void begin_long(struct peer *p, const char *lang, const char *code)
{
	const size_t empty = strcmp(lang, "bash") ? 8 << 20 : 1 << 20; /* which reads byte by byte */
	char *text = malloc(empty + strlen(code) + 1);
	assert_non_null(text);
	memset(text, '\n', empty);
	strcpy(text + empty, code);
	peer_begin(p, lang, text, 60000);
	free(text);
}

/* Of the client: after so many bytes it dies, in the middle of a request. */
static size_t bytes_to_live = SIZE_MAX;

/* In place of the C library's. */
ssize_t send(int fd, const void *bytes, size_t n, int flags)
{
	size_t most = n < bytes_to_live ? n : bytes_to_live;
	ssize_t done = sendto(fd, bytes, most, flags, NULL, 0);
	if (done > 0 && bytes_to_live != SIZE_MAX)
		bytes_to_live -= (size_t)done;
	if (!bytes_to_live)
		raise(SIGKILL);
	return done;
}

static void on_end(
		void *user, struct trm_proc *proc, const struct trm_exit *exit, const struct trm_error *why)
{
	(void)user, (void)proc, (void)exit, (void)why;
	raise(SIGKILL);
}

/* When the run goes on, it gets a second more. Then the client dies, but not before that is sent. */
static void die_after_extending(const struct seen *seen, const char *code)
{
	static const struct trm_proc_cb CB = {.exited = on_end};
	static const char *const command[] = {"true", NULL};
	struct trm_proc_opts opts = TRM_PROC_OPTS_INIT;
	struct trm_proc *proc;
	struct trm_error why;
	peer_wait_seen(&b, code, 3, false);
	trm_run_extend(seen->run, 1000, &why);
	opts.argv = command;
	trm_proc_spawn(b.sandbox, &opts, &CB, NULL, &proc, &why);
}

static int be_client(char **argv)
{
	const struct trm_session_opts opts = patient_opts();
	struct trm_error why;
	int timeout_ms;
	if (trm_loop_create(&loop, &why) < 0 || !peer_open(&b, loop, NULL, argv[0], &opts))
		return 1;
	const char *what = argv[3];
	if (!strcmp(what, "command"))
		begin_command(&b, argv[2]);
	else if (sscanf(what, "long %zu", &bytes_to_live) == 1)
		begin_long(&b, argv[1], argv[2]);
	else if (sscanf(what, "extended %d", &timeout_ms) == 1)
		die_after_extending(peer_begin(&b, argv[1], argv[2], timeout_ms), argv[2]);
	else
		peer_begin(&b, argv[1], argv[2], atoi(what));
	for (;;)
		trm_loop_step(loop, 1000);
}

/* WHAT it does: a run with this time limit in ms, or "command", or "extended MS": a run whose limit it
 * extends before it dies, or "long N": it dies when it has sent N bytes of a long request, and of what comes
 * before that. */
static pid_t start_client_for(const char *code, const char *what)
{
	pid_t pid;
	char *const argv[] = {(char *)"shared", (char *)"client", name, (char *)d->lang, (char *)code,
			(char *)what, NULL};
	peer_wait(loop, &a.is_ready);
	assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ), 0);
	return pid;
}

static pid_t start_client(const char *code)
{
	return start_client_for(code, "60000");
}

static void end_client(pid_t pid)
{
	kill(pid, SIGKILL);
	kill(pid, SIGCONT);
	waitpid(pid, NULL, 0);
}

static void wait_for_death(pid_t pid)
{
	double end = bed_now_ms() + BED_DEADLINE_MS;
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		assert_true(bed_now_ms() < end);
		peer_turn(loop, 10);
	}
}

/* ---- one state, seen by all --------------------------------------------------------------------- */

static void state_is_shared(void **state)
{
	(void)state;
	run(&a, d->set_x);
	attach(&b);
	assert_string_equal(seen_out(run(&b, d->get_x)), "42\n");
	assert_string_equal(seen_out(run(&a, d->get_x)), "42\n");
	assert_string_equal(seen_out(run(&b, d->get_x)), "42\n");
}

static void runs_of_others_are_seen(void **state)
{
	(void)state;
	run(&a, d->print_hello);
	attach(&b);
	peer_wait(loop, &b.is_caught_up);
	const struct seen *old = peer_find(&b, d->print_hello);
	assert_non_null(old);
	assert_true(old->is_recent && old->is_over && old->is_wall_unknown);
	assert_string_equal(seen_out(old), "hello\n");
	assert_non_null(strstr(old->by, "peer, pid "));
	run(&b, d->print_both);
	const struct seen *theirs = peer_wait_seen(&a, d->print_both, 4, true);
	assert_false(theirs->is_recent || theirs->is_own);
	assert_string_equal(seen_out(theirs), "out\n");
	assert_string_equal(theirs->err.s, "err\n");
	assert_int_equal(theirs->status, TRM_STATUS_OK);
	assert_int_equal(theirs->number, 2);
	if (d->value) {
		run(&a, d->value);
		assert_string_equal(peer_wait_seen(&b, d->value, 0, true)->value, "42");
	}
	run(&b, d->fail);
	assert_int_equal(peer_wait_seen(&a, d->fail, 0, true)->status, TRM_STATUS_ERROR);
}

static void runs_alternate_in_order(void **state)
{
	struct seen *mine[20], *yours[20];
	(void)state;
	run(&a, d->print_hello);
	attach(&b);
	peer_wait(loop, &b.is_caught_up);
	for (int i = 0; i < 20; i++) {
		mine[i] = begin(&a, d->print_hello);
		yours[i] = begin(&b, d->print_hello);
	}
	for (int i = 0; i < 20; i++) {
		peer_wait(loop, &mine[i]->is_over);
		peer_wait(loop, &yours[i]->is_over);
		assert_string_equal(seen_out(mine[i]), "hello\n");
		assert_string_equal(seen_out(yours[i]), "hello\n");
		assert_int_equal(mine[i]->status, TRM_STATUS_OK);
	}
	/* Each number once; each session in its own order. */
	bool is_taken[50] = {false};
	for (int i = 0; i < 20; i++) {
		assert_true(mine[i]->number < 50 && yours[i]->number < 50);
		assert_false(is_taken[mine[i]->number] || is_taken[yours[i]->number]);
		is_taken[mine[i]->number] = is_taken[yours[i]->number] = true;
		assert_true(!i
				|| (mine[i]->number > mine[i - 1]->number
						&& yours[i]->number > yours[i - 1]->number));
	}
}

static void a_question_waits_for_its_turn(void **state)
{
	(void)state;
	run(&a, d->set_x);
	attach(&b);
	for (int i = 0; i < 3; i++) {
		struct peer *p = i & 1 ? &a : &b;
		peer_ask(p, d->lang, TRM_ASK_IS_COMPLETE, d->print_hello);
		struct seen *other = begin(i & 1 ? &b : &a, d->print_hello);
		peer_wait(loop, &other->is_over);
		while (!p->reply[0])
			trm_loop_step(loop, 100);
		assert_non_null(strstr(p->reply, "complete"));
	}
}

/* What was said last is an answer, and not the run's end: who comes then knows that nothing runs. */
static void a_run_after_a_question(void **state)
{
	struct trm_session_opts opts;
	struct trm_error why;
	(void)state;
	run(&a, d->set_x);
	peer_ask(&a, d->lang, TRM_ASK_VARIABLES, "");
	while (!a.reply[0])
		trm_loop_step(loop, 100);
	trm_session_opts_default(&opts);
	peer_wait(loop, &a.is_ready);
	assert_true(peer_open(&b, loop, NULL, name, &opts));
	assert_string_equal(seen_out(run(&b, d->get_x)), "42\n");
	assert_int_equal(b.n_runs, 1); /* what was over is not told to who does not want to know */
	assert_int_equal(trm_session_warm(b.session, bed_lang(d->lang), &why), 0);
	assert_string_equal(seen_out(run(&a, d->get_x)), "42\n");
}

/* What came, and what its hint says is missing. */
static size_t all_of(const struct seen *seen)
{
	unsigned long missing = 0;
	if (seen->hint[0])
		assert_int_equal(sscanf(seen->hint, "%lu bytes", &missing), 1);
	return seen->out.n + missing;
}

static void a_late_comer_meets_a_flood(void **state)
{
	(void)state;
	struct seen *flood = begin(&a, d->flood);
	peer_wait_seen(&a, d->flood, 1, false);
	attach(&b);
	const struct seen *same = peer_wait_seen(&b, d->flood, 1, true);
	peer_wait(loop, &flood->is_over);
	assert_int_equal(all_of(flood), 2000000); /* whoever cannot follow is left behind */
	assert_true(same->is_recent);
	assert_int_equal(same->status, TRM_STATUS_OK);
	/* What is kept is the end, whole. */
	assert_true(same->out.n >= 200000);
	assert_memory_equal(same->out.s + same->out.n - 100, flood->out.s + flood->out.n - 100, 100);
	assert_string_equal(seen_out(run(&b, d->print_hello)), "hello\n");
}

/* ---- stopping -------------------------------------------------------------------------------------- */

static void anybody_may_interrupt(void **state)
{
	(void)state;
	run(&a, d->set_x);
	attach(&b);
	struct seen *endless = begin(&a, d->loop);
	struct seen *same = peer_wait_seen(&b, d->loop, 3, false);
	assert_non_null(same->run);
	trm_run_interrupt(same->run);
	peer_wait(loop, &endless->is_over);
	assert_int_equal(endless->status, TRM_STATUS_INTERRUPTED);
	assert_int_equal(peer_wait_seen(&b, d->loop, 0, true)->status, TRM_STATUS_INTERRUPTED);
	assert_string_equal(seen_out(run(&b, d->get_x)), "42\n");
}

static void a_run_waits_for_anothers(void **state)
{
	(void)state;
	run(&a, d->set_x);
	attach(&b);
	struct seen *endless = begin(&a, d->loop);
	peer_wait_seen(&b, d->loop, 3, false);
	struct seen *next = begin(&b, d->get_x);
	struct seen *unwanted = begin(&b, d->print_hello);
	peer_turn(loop, 100);
	assert_false(next->is_over);
	trm_run_interrupt(unwanted->run);
	peer_wait(loop, &unwanted->is_over);
	assert_int_equal(unwanted->status, TRM_STATUS_INTERRUPTED);
	assert_false(endless->is_over);
	trm_run_interrupt(endless->run);
	peer_wait(loop, &next->is_over);
	assert_string_equal(seen_out(next), "42\n");
}

static void time_outs_are_ones_own(void **state)
{
	(void)state;
	run(&a, d->set_x);
	attach(&b);
	struct seen *endless = peer_begin(&a, d->lang, d->loop, 400);
	peer_wait(loop, &endless->is_over);
	assert_int_equal(endless->status, TRM_STATUS_TIMEOUT);
	/* The limit is of the run's own client, but why it has ended is told to all. */
	assert_int_equal(peer_wait_seen(&b, d->loop, 0, true)->status, TRM_STATUS_TIMEOUT);
	assert_string_equal(seen_out(run(&b, d->get_x)), "42\n");
}

static void a_restart_is_seen_by_all(void **state)
{
	struct trm_error why;
	(void)state;
	run(&a, d->set_x);
	attach(&b);
	peer_wait(loop, &b.is_caught_up);
	struct seen *endless = begin(&a, d->loop);
	peer_wait_seen(&b, d->loop, 3, false);
	assert_int_equal(trm_session_restart(b.session, bed_lang(d->lang), &why), 0);
	peer_wait(loop, &endless->is_over);
	assert_int_equal(endless->status, TRM_STATUS_KILLED);
	assert_true(endless->state_lost);
	assert_int_equal(peer_wait_seen(&b, d->loop, 0, true)->status, TRM_STATUS_KILLED);
	/* Both meet at the new one. */
	run(&b, d->set_x);
	assert_string_equal(seen_out(run(&a, d->get_x)), "42\n");
	assert_int_equal(peer_wait_seen(&b, d->get_x, 3, true)->status, TRM_STATUS_OK);
}

static void a_death_is_reported_to_all(void **state)
{
	(void)state;
	run(&a, d->print_hello);
	attach(&b);
	peer_wait(loop, &b.is_caught_up);
	run(&a, d->suicide);
	const struct seen *same = peer_wait_seen(&b, d->suicide, 0, true);
	assert_int_equal(same->status, TRM_STATUS_KILLED);
	assert_non_null(strstr(same->reason, "signal 9"));
	assert_string_equal(seen_out(run(&b, d->print_hello)), "hello\n");
}

/* ---- clients that go ----------------------------------------------------------------------------- */

static void who_closes_leaves_the_kernel(void **state)
{
	(void)state;
	run(&a, d->set_x);
	attach(&b);
	run(&b, d->get_x);
	peer_close(&b);
	attach(&b);
	assert_string_equal(seen_out(run(&b, d->get_x)), "42\n");
	assert_string_equal(seen_out(run(&a, d->get_x)), "42\n");
}

static void a_killed_clients_run_goes_on(void **state)
{
	(void)state;
	run(&a, d->set_x);
	pid_t pid = start_client(d->slow);
	peer_wait_seen(&a, d->slow, 3, false);
	end_client(pid);
	attach(&b);
	const struct seen *mine = peer_wait_seen(&a, d->slow, 8, true);
	const struct seen *late = peer_wait_seen(&b, d->slow, 8, true);
	assert_string_equal(seen_out(mine), "on\nslow\n");
	assert_string_equal(seen_out(late), "on\nslow\n");
	assert_int_equal(mine->status, TRM_STATUS_OK);
	assert_string_equal(seen_out(run(&b, d->get_x)), "42\n");
}

static void an_abandoned_loop_can_be_interrupted(void **state)
{
	(void)state;
	run(&a, d->set_x);
	pid_t pid = start_client(d->loop);
	const struct seen *endless = peer_wait_seen(&a, d->loop, 3, false);
	end_client(pid);
	struct seen *next = begin(&a, d->get_x);
	peer_turn(loop, 100);
	assert_false(next->is_over);
	trm_run_interrupt(endless->run);
	peer_wait(loop, &next->is_over);
	assert_string_equal(seen_out(next), "42\n");
	assert_int_equal(endless->status, TRM_STATUS_INTERRUPTED);
}

static void an_abandoned_question_is_answered_by_another(void **state)
{
	(void)state;
	if (!d->read_line || !d->asks)
		skip();
	run(&a, d->print_hello);
	a.answer = "me\n";
	pid_t pid = start_client(d->read_line);
	struct seen *asked = peer_wait_seen(&a, d->read_line, 0, false);
	peer_turn(loop, 300);
	assert_false(asked->is_over); /* its own program is there to answer */
	end_client(pid);
	peer_wait(loop, &asked->is_over);
	assert_non_null(strstr(seen_out(asked), "got me\n"));
	assert_string_equal(seen_out(run(&a, d->print_hello)), "hello\n");
}

/* Nobody else has to be there. */
static void a_dead_clients_limit_holds(void **state)
{
	(void)state;
	run(&a, d->set_x);
	pid_t pid = start_client_for(d->loop, "1000");
	const struct seen *endless = peer_wait_seen(&a, d->loop, 3, false);
	end_client(pid);
	peer_wait(loop, &endless->is_over);
	assert_int_equal(endless->status, TRM_STATUS_TIMEOUT);
	assert_non_null(strstr(endless->reason, "timed out after 1 s"));
	assert_string_equal(seen_out(run(&a, d->get_x)), "42\n");
}

static void a_dead_clients_extended_limit_holds(void **state)
{
	(void)state;
	run(&a, d->set_x);
	pid_t pid = start_client_for(d->loop, "extended 5000");
	const struct seen *endless = peer_wait_seen(&a, d->loop, 3, false);
	wait_for_death(pid);
	peer_wait(loop, &endless->is_over);
	assert_int_equal(endless->status, TRM_STATUS_TIMEOUT);
	assert_non_null(strstr(endless->reason, "timed out after 6 s"));
	assert_string_equal(seen_out(run(&a, d->get_x)), "42\n");
}

/* It was stopped, and hears when it goes on that its run has ended. The next run is not interrupted. */
static void a_suspended_clients_limit_holds(void **state)
{
	(void)state;
	run(&a, d->set_x);
	pid_t pid = start_client_for(d->loop, "1000");
	const struct seen *endless = peer_wait_seen(&a, d->loop, 3, false);
	kill(pid, SIGSTOP);
	peer_wait(loop, &endless->is_over);
	assert_int_equal(endless->status, TRM_STATUS_TIMEOUT);
	struct seen *next = begin(&a, d->slow);
	peer_wait_seen(&a, d->slow, 3, false);
	kill(pid, SIGCONT);
	peer_wait(loop, &next->is_over);
	assert_int_equal(next->status, TRM_STATUS_OK);
	assert_string_equal(seen_out(next), "on\nslow\n");
	assert_string_equal(seen_out(run(&a, d->get_x)), "42\n");
	end_client(pid);
}

/* The agent waits as long as the person does. */
static void a_held_end_is_held(void **state)
{
	(void)state;
	if (!d->stubborn)
		skip();
	struct trm_session_opts opts;
	trm_session_opts_default(&opts);
	opts.grace_ms = 500;
	run(&a, d->set_x);
	assert_true(peer_open(&b, loop, NULL, name, &opts));
	struct seen *endless = peer_begin(&b, d->lang, d->stubborn, 400);
	peer_wait_seen(&b, d->stubborn, 3, false);
	trm_run_interrupt(endless->run);
	trm_run_hold_clock(endless->run, true);
	peer_turn(loop, 8000);
	assert_false(endless->is_over);
	trm_run_hold_clock(endless->run, false);
	peer_wait(loop, &endless->is_over);
	assert_true(endless->state_lost);
}

/* At any moment of it: what comes next begins at once, and no part of that code runs. */
static void a_client_dies_in_a_long_request(void **state)
{
	(void)state;
	run(&a, d->set_x);
	for (size_t bytes = 1000; bytes <= 1000000; bytes *= 10) {
		char what[30];
		snprintf(what, sizeof what, "long %zu", bytes);
		wait_for_death(start_client_for(d->print_hello, what));
		assert_string_equal(seen_out(run(&a, d->get_x)), "42\n");
	}
	for (size_t i = 0; i < a.n_runs; i++)
		assert_true(a.runs[i].is_over && a.runs[i].status == TRM_STATUS_OK);
}

static void a_client_dies_while_it_starts_an_interpreter(void **state)
{
	(void)state;
	for (int ms = 0; ms <= 60; ms += 20) {
		pid_t pid = start_client_for(d->print_both, "60000");
		peer_turn(loop, ms);
		end_client(pid);
		assert_string_equal(seen_out(run(&a, d->print_hello)), "hello\n");
		run(&a, d->suicide);
	}
}

static void an_answer_is_seen_by_all(void **state)
{
	(void)state;
	if (!d->read_line || !d->asks)
		skip();
	run(&a, d->print_hello);
	attach(&b);
	peer_wait(loop, &b.is_caught_up);
	a.answer = "me\n";
	const struct seen *mine = run(&a, d->read_line);
	const struct seen *theirs = peer_wait_seen(&b, d->read_line, 0, true);
	assert_true(mine->n_answered == 1 && theirs->n_answered == 1);
	/* Who comes later, too. */
	peer_close(&b);
	attach(&b);
	peer_wait(loop, &b.is_caught_up);
	assert_int_equal(peer_wait_seen(&b, d->read_line, 0, true)->n_answered, 1);
}

/* A command of another client, and one whose client is killed. */
static void commands_are_seen_to_their_end(void **state)
{
	static const char *const short_one = "echo here; exit 3",
				 *const endless = "echo here; exec sleep 1000";
	(void)state;
	peer_wait(loop, &a.is_ready);
	pid_t pid = start_client_for(short_one, "command");
	const struct seen *seen = peer_wait_seen(&a, "sh -c 'echo here; exit 3'", 5, true);
	assert_true(seen->is_command && seen->exit_code == 3);
	assert_string_equal(seen->by, "commander");
	end_client(pid);
	pid = start_client_for(endless, "command");
	seen = peer_wait_seen(&a, "sh -c 'echo here; exec sleep 1000'", 5, false);
	end_client(pid);
	peer_wait(loop, &seen->is_over);
	assert_int_equal(seen->status, TRM_STATUS_LOST);
	assert_string_equal(seen_out(seen), "here\n");
}

static void a_stopped_client_harms_nobody(void **state)
{
	(void)state;
	run(&a, d->print_hello);
	pid_t pid = start_client(d->print_both);
	peer_wait_seen(&a, d->print_both, 4, true);
	kill(pid, SIGSTOP); /* with the turn in its hands */
	assert_string_equal(seen_out(run(&a, d->print_hello)), "hello\n");
	struct seen *flood = run(&a, d->flood);
	assert_int_equal(all_of(flood), 2000000);
	assert_int_equal(flood->status, TRM_STATUS_OK);
	end_client(pid);
}

/* b has run something, and is not turned while a runs something else. Returns its loop. */
static struct trm_loop *turn_taken(void)
{
	struct trm_loop *other;
	run(&a, d->print_hello);
	assert_int_equal(trm_loop_create(&other, NULL), 0);
	assert_true(peer_open(&b, other, NULL, name, NULL));
	struct seen *first = peer_begin(&b, d->lang, d->print_both, -1);
	while (!first->is_over) {
		trm_loop_step(other, 10);
		trm_loop_step(loop, 10);
	}
	run(&a, d->print_hello);
	return other;
}

/* It believes to have the turn still, and begins a run before it hears that it has not. */
static void who_was_stopped_begins_again(void **state)
{
	size_t n = 0;
	(void)state;
	struct trm_loop *other = turn_taken();
	struct seen *again = peer_begin(&b, d->lang, d->fail, -1);
	double end = bed_now_ms() + BED_DEADLINE_MS;
	while (!again->is_over && bed_now_ms() < end) {
		trm_loop_step(other, 10);
		trm_loop_step(loop, 10);
	}
	assert_true(again->is_over);
	assert_int_equal(again->status, TRM_STATUS_ERROR);
	peer_turn(loop, 100);
	for (size_t i = 0; i < a.n_runs; i++)
		n += !strcmp(a.runs[i].code.s, d->fail);
	assert_int_equal(n, 1);
	peer_close(&b);
	trm_loop_destroy(other);
}

/* What is typed meanwhile waits for it, as for any run that has not begun. */
static void who_begins_again_takes_input(void **state)
{
	(void)state;
	if (!d->read_line)
		skip();
	struct trm_loop *other = turn_taken();
	struct seen *again = peer_begin(&b, d->lang, d->read_line, -1);
	trm_loop_step(other, 10); /* it hears that it has lost the turn */
	assert_int_equal(trm_run_write(again->run, "late\n", 5, NULL), 0);
	trm_run_close_stdin(again->run);
	double end = bed_now_ms() + BED_DEADLINE_MS;
	while (!again->is_over && bed_now_ms() < end) {
		trm_loop_step(other, 10);
		trm_loop_step(loop, 10);
	}
	assert_true(again->is_over);
	assert_int_equal(again->status, TRM_STATUS_OK);
	assert_string_equal(seen_out(again), "got late\n");
	peer_close(&b);
	trm_loop_destroy(other);
}

static void a_stopped_clients_flood_ends(void **state)
{
	(void)state;
	run(&a, d->print_hello);
	attach(&b);
	peer_wait(loop, &b.is_caught_up);
	pid_t pid = start_client(d->flood);
	peer_wait_seen(&a, d->flood, 1, false);
	kill(pid, SIGSTOP);
	assert_int_equal(peer_wait_seen(&b, d->flood, 100000, true)->status, TRM_STATUS_OK);
	assert_string_equal(seen_out(run(&a, d->print_hello)), "hello\n");
	end_client(pid);
}

/* Whose reader takes nothing is left behind by the agent, comes back, and tells what is missing. */
static void a_slow_reader_misses_something(void **state)
{
	(void)state;
	run(&a, d->print_hello);
	attach(&b);
	peer_wait(loop, &b.is_caught_up);
	b.holds_back = true;
	struct seen *flood = begin(&b, d->flood);
	const struct seen *same = peer_wait_seen(&a, d->flood, 0, true);
	assert_int_equal(same->status, TRM_STATUS_OK);
	assert_int_equal(all_of(same), 2000000); /* it may have been too slow, too */
	/* It keeps nobody waiting meanwhile. */
	assert_string_equal(seen_out(run(&a, d->print_hello)), "hello\n");
	assert_false(flood->is_over);
	for (double end = bed_now_ms() + BED_DEADLINE_MS; !flood->is_over && bed_now_ms() < end;) {
		trm_run_consumed(flood->run, flood->out.n);
		trm_loop_step(loop, 50);
	}
	peer_wait(loop, &flood->is_over);
	assert_int_equal(flood->status, TRM_STATUS_OK);
	assert_int_equal(all_of(flood), 2000000);
	assert_memory_equal(flood->out.s + flood->out.n - 100, same->out.s + same->out.n - 100, 100);
	b.holds_back = false;
	assert_string_equal(seen_out(run(&b, d->print_hello)), "hello\n");
	assert_string_equal(seen_out(run(&a, d->print_hello)), "hello\n");
}

/* ---- many ------------------------------------------------------------------------------------------ */

static void eight_clients_hammer(void **state)
{
	enum { CLIENTS = 8, EACH = 25 };
	static struct peer peers[CLIENTS];
	struct seen *all[CLIENTS][EACH];
	(void)state;
	run(&a, d->print_hello);
	for (int i = 0; i < CLIENTS; i++)
		assert_true(peer_open(&peers[i], loop, NULL, name, NULL));
	for (int k = 0; k < EACH; k++)
		for (int i = 0; i < CLIENTS; i++)
			all[i][k] = begin(&peers[i], k % 5 == 3 ? d->fail : d->print_hello);
	for (int i = 0; i < CLIENTS; i++)
		for (int k = 0; k < EACH; k++) {
			peer_wait(loop, &all[i][k]->is_over);
			assert_int_equal(all[i][k]->status, k % 5 == 3 ? TRM_STATUS_ERROR : TRM_STATUS_OK);
			if (k % 5 != 3)
				assert_string_equal(seen_out(all[i][k]), "hello\n");
		}
	/* Everybody has seen everything. */
	for (int i = 0; i < CLIENTS; i++) {
		double end = bed_now_ms() + BED_DEADLINE_MS;
		while (peers[i].n_runs < 1 + CLIENTS * EACH || !peers[i].runs[peers[i].n_runs - 1].is_over) {
			assert_true(bed_now_ms() < end);
			trm_loop_step(loop, 100);
		}
		assert_int_equal(peers[i].n_runs, 1 + CLIENTS * EACH);
	}
	for (int i = 0; i < CLIENTS; i++)
		peer_close(&peers[i]);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, lie_down, get_up)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
			CASE(state_is_shared),
			CASE(runs_of_others_are_seen),
			CASE(runs_alternate_in_order),
			CASE(a_question_waits_for_its_turn),
			CASE(a_run_after_a_question),
			CASE(a_late_comer_meets_a_flood),
			CASE(anybody_may_interrupt),
			CASE(a_run_waits_for_anothers),
			CASE(time_outs_are_ones_own),
			CASE(a_restart_is_seen_by_all),
			CASE(a_death_is_reported_to_all),
			CASE(who_closes_leaves_the_kernel),
			CASE(a_killed_clients_run_goes_on),
			CASE(an_abandoned_loop_can_be_interrupted),
			CASE(an_abandoned_question_is_answered_by_another),
			CASE(an_answer_is_seen_by_all),
			CASE(a_dead_clients_limit_holds),
			CASE(a_dead_clients_extended_limit_holds),
			CASE(a_suspended_clients_limit_holds),
			CASE(a_held_end_is_held),
			CASE(a_client_dies_in_a_long_request),
			CASE(a_client_dies_while_it_starts_an_interpreter),
			CASE(commands_are_seen_to_their_end),
			CASE(a_stopped_client_harms_nobody),
			CASE(who_was_stopped_begins_again),
			CASE(who_begins_again_takes_input),
			CASE(a_stopped_clients_flood_ends),
			CASE(a_slow_reader_misses_something),
			CASE(eight_clients_hammer),
	};
	if (argc == 6 && !strcmp(argv[1], "client"))
		return be_client(argv + 2);
	d = argc >= 3 ? dialect_find(argv[1], argv[2]) : NULL;
	if (!d) {
		fprintf(stderr, "usage: shared BACKEND LANGUAGE [IMAGE [CASE]]\n");
		return 2;
	}
	place = (struct place){argv[1], argv[3]};
	struct trm_sandbox_opts opts;
	trm_sandbox_opts_default(&opts);
	dialect_origin(&opts, argv[1], argv[3]);
	if (!bed_works(argv[1], &opts))
		return 77;
	if (argc == 5)
		cmocka_set_test_filter(argv[4]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
