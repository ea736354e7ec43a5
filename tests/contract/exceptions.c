/* SPDX-License-Identifier: MIT */
#include "contract/exceptions.h"

#include <string.h>

/* The backend and the language may be NULL: any. */
static const struct exception {
	const char *backend, *lang, *name, *reason;
} EXCEPTIONS[] = {
		{NULL, "bash", "the_value_is_shown", "commands have no values"},
		{NULL, "javascript", "stubborn_code_is_killed",
				"nothing in JavaScript withstands an interrupt"},
		{NULL, "bash", "stubborn_code_is_killed", "nothing in bash withstands an interrupt"},

		{"fake", NULL, "folders_are_made_and_removed", "the fake sandbox has one directory"},

		/* A microsandbox server as it was released is asked for one run at a time and answers at its
		   end. */
		{"microsandbox", NULL, "the_value_is_shown", "values are part of the output"},
		{"microsandbox", "python", "exit_codes_are_passed_on", "the server tells of no exit codes"},
		{"microsandbox", "javascript", "exit_codes_are_passed_on",
				"the server tells of no exit codes"},
		{"microsandbox", "bash", "exit_codes_are_passed_on", "the server keeps no state in bash"},
		{"microsandbox", "bash", "state_persists", "the server keeps no state in bash"},
		{"microsandbox", NULL, "interrupts_keep_state", "the server takes no interrupts"},
		{"microsandbox", NULL, "an_interrupt_at_once_is_not_lost", "the server takes no interrupts"},
		{"microsandbox", NULL, "time_outs_keep_state", "the server takes no interrupts"},
		{"microsandbox", NULL, "stubborn_code_is_killed", "the server takes no interrupts"},
		{"microsandbox", NULL, "death_is_reported_and_mended", "the server does not tell of a death"},
		{"microsandbox", NULL, "input_is_read", "the server has no way for input"},
		{"microsandbox", NULL, "input_goes_through_a_command", "the server has no way for input"},
		{"microsandbox", NULL, "late_output_is_late",
				"output comes at the end of a run, in one piece"},
		{"microsandbox", NULL, "a_run_ends_with_its_sandbox",
				"nothing is seen of a run before its end"},
		{"microsandbox", NULL, "signals_arrive", "the server sends no signals"},
};

const char *exception_reason(const char *backend, const char *lang, const char *name)
{
	for (size_t i = 0; i < sizeof EXCEPTIONS / sizeof *EXCEPTIONS; i++) {
		const struct exception *e = &EXCEPTIONS[i];
		if ((!e->backend || !strcmp(e->backend, backend)) && (!e->lang || !strcmp(e->lang, lang))
				&& !strcmp(e->name, name))
			return e->reason;
	}
	return NULL;
}
