/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"
#include "session/sharing.h"
#include "wire/message.h"

static void a_lone_session_never_asks(void **state)
{
	struct sharing s = {0};
	(void)state;
	assert_int_equal(share_step(&s, SHARE_SPAWNED), 0);
	assert_false(sharing_may_write(&s));
	assert_int_equal(share_step(&s, SHARE_STARTED_NEW), 0);
	assert_int_equal(share_step(&s, SHARE_GIVEN), SHARE_DO_STOP_TIMER);
	assert_true(sharing_may_write(&s));
	assert_int_equal(share_step(&s, SHARE_NEED), 0);
	share_step(&s, SHARE_SENT);
	assert_int_equal(share_step(&s, SHARE_IDLE), 0); /* nobody wants it */
	assert_true(sharing_may_write(&s));
}

static void the_turn_goes_round(void **state)
{
	struct sharing s = {.phase = SHARE_FOLLOWING};
	(void)state;
	assert_int_equal(share_step(&s, SHARE_NEED), SHARE_DO_WANT | SHARE_DO_START_TIMER);
	assert_int_equal(share_step(&s, SHARE_NEED), 0); /* once */
	assert_int_equal(share_step(&s, SHARE_TIMEOUT_BUSY), SHARE_DO_START_TIMER);
	assert_int_equal(share_step(&s, SHARE_TIMEOUT), SHARE_DO_TAKE | SHARE_DO_START_TIMER);
	assert_int_equal(share_step(&s, SHARE_YOURS), SHARE_DO_STOP_TIMER | SHARE_DO_ADOPT);
	share_step(&s, SHARE_WANTED);
	assert_int_equal(share_step(&s, SHARE_IDLE_WITH_WORK), 0); /* not used yet */
	share_step(&s, SHARE_SENT);
	assert_int_equal(share_step(&s, SHARE_IDLE_WITH_WORK), SHARE_DO_RELEASE);
	assert_false(sharing_is_ours(&s) || s.is_wanted);
}

static void it_may_be_wanted_before_it_is_there(void **state)
{
	struct sharing s = {.phase = SHARE_ATTACHING};
	(void)state;
	share_step(&s, SHARE_WANTED);
	assert_int_equal(share_step(&s, SHARE_IDLE), 0);
	share_step(&s, SHARE_STARTED_NEW);
	share_step(&s, SHARE_GIVEN);
	assert_int_equal(share_step(&s, SHARE_IDLE), SHARE_DO_RELEASE);
}

static void what_was_taken_is_sent_again(void **state)
{
	struct sharing s = {.phase = SHARE_FOLLOWING, .turn = TURN_USED, .is_wanted = true};
	(void)state;
	assert_int_equal(share_step(&s, SHARE_TAKEN), SHARE_DO_RESEND);
	assert_int_equal(share_step(&s, SHARE_TAKEN), 0);
	assert_false(s.is_wanted);
	assert_int_equal(share_step(&s, SHARE_NEED), SHARE_DO_WANT | SHARE_DO_START_TIMER);
}

static void nothing_is_written_into_history(void **state)
{
	struct sharing s = {0};
	(void)state;
	share_step(&s, SHARE_SPAWNED);
	share_step(&s, SHARE_STARTED_OLD);
	share_step(&s, SHARE_NEED);
	assert_int_equal(share_step(&s, SHARE_YOURS), SHARE_DO_STOP_TIMER);
	assert_false(sharing_may_write(&s));
	assert_int_equal(share_step(&s, SHARE_REPLAYED), SHARE_DO_CAUGHT_UP | SHARE_DO_ADOPT);
	assert_int_equal(share_step(&s, SHARE_REPLAYED), 0);
	assert_true(sharing_may_write(&s));
	share_step(&s, SHARE_LEFT_BEHIND);
	assert_false(sharing_may_write(&s));
	share_step(&s, SHARE_BACK);
	assert_int_equal(s.phase, SHARE_NONE);
}

/* ---- history ------------------------------------------------------------------------- */

static void what_was_known_is_skipped(void **state)
{
	const struct started_msg how = {
			.was_there = true, .pinned_bytes = 3, .replay_bytes = 13, .lost_bytes = 90};
	struct catchup r = {.position = 94, .is_resumed = true};
	bool is_torn;
	(void)state;
	assert_int_equal(catchup_begin(&r, &how, &is_torn), 0);
	assert_false(is_torn);
	assert_int_equal(catchup_count(&r, CATCHUP_MARK, "pin", 3), 3); /* we have it already */
	assert_int_equal(catchup_count(&r, CATCHUP_OUTPUT, "0123456", 7), 4);
	assert_int_equal(r.position, 97);
	assert_int_equal(r.replay_left, 3);
	assert_int_equal(catchup_count(&r, CATCHUP_MARK, "new", 3), 0);
	assert_int_equal(r.replay_left, 0);
}

static void what_was_missed_is_counted(void **state)
{
	const struct started_msg how = {
			.was_there = true, .replay_bytes = 8, .lost_bytes = 100, .is_torn = true};
	struct catchup r = {.position = 94, .is_resumed = true};
	bool is_torn;
	(void)state;
	assert_int_equal(catchup_begin(&r, &how, &is_torn), 6);
	assert_true(is_torn);
	assert_int_equal(catchup_count(&r, CATCHUP_OUTPUT, "ab", 2), 0);
	assert_int_equal(catchup_count(&r, CATCHUP_CONTROL, "orn", 3), 3);
	assert_int_equal(catchup_count(&r, CATCHUP_CONTROL, "e\nx", 3), 2);
	assert_int_equal(r.position, 108);
}

static void what_nobody_has_kept_is_lost_once(void **state)
{
	const struct started_msg how = {.was_there = true, .lost_bytes = 100};
	struct catchup r = {0};
	bool is_torn;
	(void)state;
	catchup_begin(&r, &how, &is_torn);
	assert_int_equal(r.lost_bytes, 100);
	catchup_reset(&r);
	catchup_begin(&r, &how, &is_torn);
	assert_int_equal(r.lost_bytes, 0); /* of the process before */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_lone_session_never_asks),
			cmocka_unit_test(the_turn_goes_round),
			cmocka_unit_test(it_may_be_wanted_before_it_is_there),
			cmocka_unit_test(what_was_taken_is_sent_again),
			cmocka_unit_test(nothing_is_written_into_history),
			cmocka_unit_test(what_was_known_is_skipped),
			cmocka_unit_test(what_was_missed_is_counted),
			cmocka_unit_test(what_nobody_has_kept_is_lost_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
