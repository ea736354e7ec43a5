/* SPDX-License-Identifier: MIT */
/* Three sessions and a model of the agent share one process. The input says who does what, and when messages
 * arrive. Two of them never write at a time, nobody writes into history, and in the end each one that asks
 * for the turn gets it. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "session/sharing.h"
#include "wire/message.h"

enum { SESSIONS = 3, QUEUE = 64 };

/* Session to agent, and agent to session. */
enum word {
	ATTACH,
	WANT,
	RELEASE,
	TAKE,
	INPUT,
	LATE_INPUT,
	DETACH,
	STARTED_NEW,
	STARTED_OLD,
	GIVEN,
	YOURS,
	WANTED,
	TAKEN,
	DONE
};

struct queue {
	unsigned char words[QUEUE];
	size_t n;
};

struct session {
	struct sharing state;
	struct queue to_agent, from_agent;
	bool has_work, runs;
	bool is_timed; /* the timer runs */
};

struct model {
	struct session of[SESSIONS];
	/* the agent's side */
	bool follows[SESSIONS], is_living, has_news, has_stirred;
	int holder; /* -1: nobody */
	unsigned tickets[SESSIONS], last_ticket;
};

static bool put_word(struct queue *q, enum word word)
{
	if (q->n == QUEUE)
		return false;
	q->words[q->n++] = (unsigned char)word;
	return true;
}

static enum word next_word(struct queue *q)
{
	enum word word = q->words[0];
	memmove(q->words, q->words + 1, --q->n);
	return word;
}

static bool holds_word(const struct queue *q, enum word word)
{
	return q->n && memchr(q->words, word, q->n);
}

/* ---- the agent (agent/process/turns.c) ------------------------------------------------ */

static void tell(struct model *m, int who, enum word word)
{
	if (!put_word(&m->of[who].from_agent, word))
		abort(); /* nothing is sent unasked */
}

static void grant_turn(struct model *m)
{
	int next = -1;
	for (int i = 0; i < SESSIONS; i++)
		if (m->tickets[i] && (next < 0 || m->tickets[i] < m->tickets[next]))
			next = i;
	if (next < 0)
		m->has_news = false;
	if (m->holder < 0 && next >= 0) {
		m->holder = next;
		m->tickets[next] = 0;
		m->has_news = false;
		tell(m, next, YOURS);
		grant_turn(m);
	} else if (m->holder >= 0 && next >= 0 && !m->has_news) {
		m->has_news = true;
		m->has_stirred = false;
		tell(m, m->holder, WANTED);
	}
}

static void want_turn(struct model *m, int who)
{
	if (m->holder != who && !m->tickets[who])
		m->tickets[who] = ++m->last_ticket;
	grant_turn(m);
}

static void leave_agent(struct model *m, int who)
{
	m->follows[who] = false;
	m->tickets[who] = 0;
	if (m->holder == who)
		m->holder = -1;
	grant_turn(m);
}

static void take_turn(struct model *m, int who)
{
	if (m->holder == who)
		return;
	if (m->holder >= 0 && m->has_news && !m->has_stirred) {
		tell(m, m->holder, TAKEN);
		m->holder = -1;
		m->has_news = false;
	} else if (m->has_news) {
		m->has_news = false; /* tell it again */
	}
	want_turn(m, who);
}

static void attach_session(struct model *m, int who)
{
	m->follows[who] = true;
	tell(m, who, m->is_living ? STARTED_OLD : STARTED_NEW);
	if (!m->is_living) {
		m->is_living = true;
		m->holder = who;
		tell(m, who, GIVEN);
	}
}

static void run_agent(struct model *m, int who)
{
	if (!m->of[who].to_agent.n)
		return;
	switch (next_word(&m->of[who].to_agent)) {
	case ATTACH: attach_session(m, who); break;
	case DETACH: leave_agent(m, who); break;
	case LATE_INPUT: break; /* dropped */
	case WANT: want_turn(m, who); break;
	case TAKE: take_turn(m, who); break;
	case RELEASE:
		m->tickets[who] = 0;
		if (m->holder == who)
			m->holder = -1;
		grant_turn(m);
		break;
	case INPUT:
		/* What comes from another one was sent before it could know that it has lost the turn. */
		if (m->holder != who && !holds_word(&m->of[who].from_agent, TAKEN))
			abort();
		if (m->holder == who) {
			m->has_stirred = true;
			tell(m, who, DONE); /* the run ends at once */
		}
		break;
	default: abort();
	}
}

/* ---- a session ------------------------------------------------------------------------ */

static void feed(struct session *s, enum share_event event)
{
	bool was_started = sharing_is_started(&s->state);
	unsigned actions = share_step(&s->state, event);
	if (actions & SHARE_DO_RELEASE && (!was_started || !put_word(&s->to_agent, RELEASE)))
		abort();
	if (actions & SHARE_DO_WANT && !put_word(&s->to_agent, WANT))
		abort();
	if (actions & SHARE_DO_TAKE && !put_word(&s->to_agent, TAKE))
		s->is_timed = true;
	if (actions & SHARE_DO_START_TIMER)
		s->is_timed = true;
	if (actions & SHARE_DO_STOP_TIMER)
		s->is_timed = false;
	if (actions & SHARE_DO_RESEND) {
		s->has_work |= s->runs;
		s->runs = false;
	}
}

static void hear_agent(struct session *s)
{
	if (!s->from_agent.n)
		return;
	switch (next_word(&s->from_agent)) {
	case STARTED_NEW: feed(s, SHARE_STARTED_NEW); break;
	case STARTED_OLD: feed(s, SHARE_STARTED_OLD); break;
	case GIVEN: feed(s, SHARE_GIVEN); break;
	case YOURS: feed(s, SHARE_YOURS); break;
	case DONE: s->runs = false; break;
	case WANTED: feed(s, SHARE_WANTED); break;
	case TAKEN:
		for (size_t i = 0; i < s->to_agent.n; i++)
			if (s->to_agent.words[i] == INPUT)
				s->to_agent.words[i] = LATE_INPUT;
		feed(s, SHARE_TAKEN);
		break;
	default: abort();
	}
}

/* As session_pump() and share_give_turn() do at the end of each turn of the loop. */
static void pump_session(struct session *s)
{
	if (s->state.phase == SHARE_NONE && s->has_work && !s->to_agent.n && !s->from_agent.n) {
		feed(s, SHARE_SPAWNED);
		put_word(&s->to_agent, ATTACH);
	}
	if (!s->runs)
		feed(s, s->has_work ? SHARE_IDLE_WITH_WORK : SHARE_IDLE);
	if (!s->has_work || s->runs || s->state.phase == SHARE_NONE)
		return;
	if (!sharing_may_write(&s->state)) {
		feed(s, SHARE_NEED);
		return;
	}
	if (!put_word(&s->to_agent, INPUT))
		return;
	s->has_work = false;
	s->runs = true;
	feed(s, SHARE_SENT);
}

static void leave_process(struct model *m, int who)
{
	struct session *s = &m->of[who];
	if (!sharing_is_started(&s->state) || !put_word(&s->to_agent, DETACH))
		return;
	feed(s, SHARE_LEFT_BEHIND);
	feed(s, SHARE_BACK);
	s->state = (struct sharing){0};
	s->has_work |= s->runs;
	s->runs = s->is_timed = false;
	while (s->to_agent.n)
		run_agent(m, who);
	s->from_agent.n = 0; /* of a stream that is closed */
}

static void step_model(struct model *m, uint8_t byte)
{
	int who = byte % SESSIONS;
	struct session *s = &m->of[who];
	switch (byte / SESSIONS % 8) {
	case 0: s->has_work = true; break;
	case 1: run_agent(m, who); break;
	case 2: hear_agent(s); break;
	case 3: feed(s, SHARE_REPLAYED); break;
	case 4: s->has_work = false; break; /* the person has thought better of it */
	case 5: pump_session(s); break;
	case 6:
		if (s->is_timed) {
			s->is_timed = false;
			feed(s, s->runs ? SHARE_TIMEOUT_BUSY : SHARE_TIMEOUT);
		}
		break;
	default: leave_process(m, who);
	}
}

/* Nobody gets more work: does all that there is become done, whoever has the turn now? */
static void finish_all(struct model *m)
{
	enum { ROUNDS = 400 };
	bool is_done = false;
	for (int round = 0; round < ROUNDS && !is_done; round++) {
		is_done = true;
		for (int i = 0; i < SESSIONS; i++) {
			struct session *s = &m->of[i];
			run_agent(m, i);
			hear_agent(s);
			feed(s, SHARE_REPLAYED);
			pump_session(s);
			is_done &= !s->has_work && !s->to_agent.n && !s->from_agent.n;
		}
	}
	if (!is_done)
		abort();
}

/* The bytes of a history, cut as the input says. */
static void count_replay(const uint8_t *bytes, size_t n)
{
	const struct started_msg how = {.was_there = true,
			.is_torn = bytes[0] & 1,
			.pinned_bytes = bytes[1],
			.replay_bytes = (uint32_t)bytes[1] + bytes[2],
			.lost_bytes = bytes[3]};
	struct catchup r = {.position = bytes[4], .is_resumed = bytes[0] & 2};
	bool is_torn;
	uint64_t before = r.position, missed = catchup_begin(&r, &how, &is_torn);
	if (missed && before + missed != how.lost_bytes)
		abort();
	for (size_t i = 5; i + 1 < n; i++) {
		size_t len = bytes[i] % 32;
		len = len < n - i ? len : n - i;
		uint64_t left = r.replay_left, position = r.position;
		size_t skip = catchup_count(&r, bytes[i] % 3, (const char *)bytes + i, len);
		if (skip > len || r.replay_left > left || r.position < position
				|| r.position > position + len)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct model m = {.holder = -1};
	for (size_t i = 0; i < n; i++)
		step_model(&m, bytes[i]);
	finish_all(&m);
	if (n > 5)
		count_replay(bytes, n);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("\x00\x0f\x03\x06\x06\x09\x0f"), /* one session runs */
		SEED("\x00\x01\x0f\x10\x03\x04\x06\x07\x06\x07\x0a\x0f\x10\x03\x04\x06\x07"),
		SEED("\x00\x01\x02\x0f\x10\x11\x03\x04\x05\x06\x07\x08\x12\x13\x14\x15\x16\x17"),
		{NULL, 0},
};
