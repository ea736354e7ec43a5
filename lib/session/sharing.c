/* SPDX-License-Identifier: MIT */
#include "session/sharing.h"

#include <string.h>

#include "sandbox/sandbox.h"

/* ---- transitions --------------------------------------------------------------------- */

#define PHASE(name) (1u << SHARE_##name)
#define ANY_PHASE (PHASE(NONE) | PHASE(ATTACHING) | PHASE(REPLAYING) | PHASE(FOLLOWING) | PHASE(DETACHED))
#define STARTED (PHASE(REPLAYING) | PHASE(FOLLOWING))
#define LIVING (PHASE(ATTACHING) | STARTED)
#define TURN(name) (1u << TURN_##name)
#define OURS (TURN(FRESH) | TURN(USED))
#define NOT_OURS (TURN(NONE) | TURN(ASKED))
#define ANY_TURN (OURS | NOT_OURS)

enum wanted { AS_IT_IS, IF_WANTED, NOW_WANTED };
enum { SAME = -1 };

/* The first row that fits counts. */
static const struct rule {
	enum share_event event;
	unsigned phases, turns;
	enum wanted wanted;
	int phase, turn;
	unsigned actions;
} RULES[] = {
		{SHARE_SPAWNED, PHASE(NONE), ANY_TURN, AS_IT_IS, SHARE_ATTACHING, SAME, 0},
		{SHARE_STARTED_NEW, PHASE(ATTACHING), ANY_TURN, AS_IT_IS, SHARE_FOLLOWING, SAME, 0},
		{SHARE_STARTED_OLD, PHASE(ATTACHING), ANY_TURN, AS_IT_IS, SHARE_REPLAYING, SAME, 0},
		{SHARE_REPLAYED, PHASE(REPLAYING), OURS, AS_IT_IS, SHARE_FOLLOWING, SAME,
				SHARE_DO_CAUGHT_UP | SHARE_DO_ADOPT},
		{SHARE_REPLAYED, PHASE(REPLAYING), NOT_OURS, AS_IT_IS, SHARE_FOLLOWING, SAME,
				SHARE_DO_CAUGHT_UP},
		{SHARE_LEFT_BEHIND, STARTED, ANY_TURN, AS_IT_IS, SHARE_DETACHED, SAME, 0},
		{SHARE_BACK, PHASE(DETACHED), ANY_TURN, AS_IT_IS, SHARE_NONE, SAME, 0},

		{SHARE_GIVEN, LIVING, ANY_TURN, AS_IT_IS, SAME, TURN_FRESH, SHARE_DO_STOP_TIMER},
		{SHARE_NEED, LIVING, TURN(NONE), AS_IT_IS, SAME, TURN_ASKED,
				SHARE_DO_WANT | SHARE_DO_START_TIMER},
		{SHARE_SENT, ANY_PHASE, OURS, AS_IT_IS, SAME, TURN_USED, 0},
		/* Before STARTED has come the turn is not given up: that message would give it back to us. */
		{SHARE_IDLE, STARTED, OURS, IF_WANTED, SAME, TURN_NONE, SHARE_DO_RELEASE},
		{SHARE_IDLE_WITH_WORK, STARTED, TURN(USED), IF_WANTED, SAME, TURN_NONE, SHARE_DO_RELEASE},
		{SHARE_WANTED, ANY_PHASE, ANY_TURN, NOW_WANTED, SAME, SAME, 0},
		{SHARE_YOURS, PHASE(FOLLOWING), NOT_OURS, AS_IT_IS, SAME, TURN_FRESH,
				SHARE_DO_STOP_TIMER | SHARE_DO_ADOPT},
		{SHARE_YOURS, ANY_PHASE, NOT_OURS, AS_IT_IS, SAME, TURN_FRESH, SHARE_DO_STOP_TIMER},
		{SHARE_TAKEN, ANY_PHASE, OURS, AS_IT_IS, SAME, TURN_NONE, SHARE_DO_RESEND},
		/* Nothing runs, and yet the owner keeps the turn: it is stopped or stuck. */
		{SHARE_TIMEOUT, PHASE(FOLLOWING), TURN(ASKED), AS_IT_IS, SAME, SAME,
				SHARE_DO_TAKE | SHARE_DO_START_TIMER},
		{SHARE_TIMEOUT, ANY_PHASE, TURN(ASKED), AS_IT_IS, SAME, SAME, SHARE_DO_START_TIMER},
		{SHARE_TIMEOUT_BUSY, ANY_PHASE, TURN(ASKED), AS_IT_IS, SAME, SAME, SHARE_DO_START_TIMER},
		{SHARE_TIMEOUT_BUSY, ANY_PHASE, OURS, AS_IT_IS, SAME, SAME, SHARE_DO_END_INPUT},
};

static bool fits(const struct rule *rule, const struct sharing *s, enum share_event event)
{
	return rule->event == event && rule->phases & (1u << s->phase) && rule->turns & (1u << s->turn)
	       && (rule->wanted != IF_WANTED || s->is_wanted);
}

unsigned share_step(struct sharing *s, enum share_event event)
{
	const struct rule *rule = RULES, *end = RULES + sizeof RULES / sizeof *RULES;
	while (rule < end && !fits(rule, s, event))
		rule++;
	if (rule == end)
		return 0;
	if (rule->phase != SAME)
		s->phase = (enum share_phase)rule->phase;
	/* A wish is told to an owner: it ends with the turn, and does not count for the next. */
	if (rule->turn != SAME && rule->event != SHARE_SENT && rule->event != SHARE_GIVEN)
		s->is_wanted = false;
	if (rule->turn != SAME)
		s->turn = (enum turn)rule->turn;
	if (rule->wanted == NOW_WANTED)
		s->is_wanted = true;
	return rule->actions;
}

bool sharing_is_started(const struct sharing *s)
{
	return s->phase == SHARE_REPLAYING || s->phase == SHARE_FOLLOWING;
}

bool sharing_is_ours(const struct sharing *s)
{
	return s->turn == TURN_FRESH || s->turn == TURN_USED;
}

bool sharing_may_write(const struct sharing *s)
{
	return s->phase == SHARE_FOLLOWING && sharing_is_ours(s);
}

/* ---- history ------------------------------------------------------------------------- */

uint64_t catchup_begin(struct catchup *r, const struct started_msg *how, bool *ret_is_torn)
{
	uint64_t missed = 0;
	*ret_is_torn = false;
	r->pins_left = how->pinned_bytes;
	r->replay_left = how->replay_bytes;
	if (!r->is_resumed) {
		r->position = how->lost_bytes;
		r->lost_bytes = r->position > r->seen_bytes ? r->position - r->seen_bytes : 0;
		r->skips_line = how->is_torn;
	} else if (how->lost_bytes <= r->position) {
		/* With luck the history still holds everything that we missed. */
		r->known_left = r->position - how->lost_bytes;
		r->drops_pins = true;
	} else {
		missed = how->lost_bytes - r->position;
		r->position = how->lost_bytes;
		r->skips_line = how->is_torn;
		*ret_is_torn = true;
	}
	return missed;
}

size_t catchup_count(struct catchup *r, enum catchup_kind kind, const char *bytes, size_t n)
{
	bool is_pin = r->pins_left > 0;
	size_t skip = 0;
	r->pins_left -= n < r->pins_left ? (uint32_t)n : r->pins_left;
	r->replay_left -= n < r->replay_left ? (uint32_t)n : r->replay_left;
	if (is_pin && r->drops_pins)
		return n;
	if (kind == CATCHUP_MARK)
		return r->known_left ? n : 0;
	if (!is_pin) {
		skip = n < r->known_left ? n : (size_t)r->known_left;
		r->known_left -= skip;
		r->position += n - skip;
	}
	if (kind == CATCHUP_CONTROL && r->skips_line) {
		const char *end = memchr(bytes + skip, '\n', n - skip);
		r->skips_line = !end;
		skip = end ? (size_t)(end + 1 - bytes) : n;
	}
	return skip;
}

void catchup_end(struct catchup *r)
{
	r->is_resumed = r->drops_pins = false;
	r->known_left = 0;
}

void catchup_reset(struct catchup *r)
{
	*r = (struct catchup){.seen_bytes = r->position > r->seen_bytes ? r->position : r->seen_bytes};
}
