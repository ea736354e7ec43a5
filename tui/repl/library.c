/* SPDX-License-Identifier: MIT */
#include "repl/library.h"

#include <terrarium/dynlib.h>

/* In the order of the members of struct readline, all of which are pointers. */
static const char *const symbols[] = {
		"rl_readline_name",
		"rl_line_buffer",
		"rl_point",
		"rl_end",
		"rl_instream",
		"rl_outstream",
		"rl_catch_signals",
		"rl_catch_sigwinch",
		"rl_change_environment",
		"rl_readline_state",
		"rl_getc_function",
		"rl_input_available_hook",
		"rl_attempted_completion_function",
		"rl_attempted_completion_over",
		"history_length",
		"rl_initialize",
		"rl_callback_handler_install",
		"rl_callback_read_char",
		"rl_callback_handler_remove",
		"rl_callback_sigcleanup",
		"rl_prep_terminal",
		"rl_deprep_terminal",
		"rl_set_prompt",
		"rl_insert_text",
		"rl_delete_text",
		"rl_replace_line",
		"rl_begin_undo_group",
		"rl_end_undo_group",
		"rl_redisplay",
		"rl_forced_update_display",
		"rl_on_new_line",
		"rl_clear_visible_line",
		"rl_free_line_state",
		"rl_resize_terminal",
		"rl_reset_screen_size",
		"rl_ding",
		"rl_get_keymap",
		"rl_function_of_keyseq",
		"rl_bind_key",
		"rl_add_defun",
		"rl_insert",
		"rl_complete",
		"rl_rubout",
		"using_history",
		"add_history",
		"clear_history",
		"stifle_history",
};
#define N_SYMBOLS (sizeof symbols / sizeof *symbols)

_Static_assert(sizeof(struct readline) == N_SYMBOLS * sizeof(void *), "one symbol for each member");

int readline_load(struct readline *ret, struct trm_error *reterr)
{
	static const struct trm_dynlib LIBRARY = {
			"libreadline.so.8", "libreadline8", "line editing needs", symbols, N_SYMBOLS};
	return trm_dynlib_load(&LIBRARY, ret, reterr);
}
