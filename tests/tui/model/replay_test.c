/* SPDX-License-Identifier: MIT */
/* Going back in a recording, which makes the model anew. */
#include "tui/model/desk.h"

#include "model/replay.h"
#include "syntax/syntax.h"

static void going_back_keeps_what_is_borrowed(void **state)
{
	struct grammars *grammars = grammars_create();

	(void)state;
	assert_non_null(grammars);
	m.grammars = grammars;
	buffers_set_grammars(&m.buffers, grammars);
	replay_begin(&m, NULL, 0, 1000000, false);
	replay_rewind(&m);
	assert_true(m.replay.is_on);
	assert_ptr_equal(m.grammars, grammars);
	assert_ptr_equal(m.buffers.grammars, grammars);
	assert_ptr_equal(model_editor(&m)->grammars, grammars);
	grammars_destroy(grammars);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(
					going_back_keeps_what_is_borrowed, desk_setup, desk_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
