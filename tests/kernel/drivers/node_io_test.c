/* SPDX-License-Identifier: MIT */
/* The JavaScript kernel: output of what outlives a run. */
#include "kernel/drivers/harness.h"

#include <stdlib.h>

static int start(void **state)
{
	*state = driver_start(TRM_LANG_JAVASCRIPT);
	return 0;
}

static int stop(void **state)
{
	driver_stop(*state);
	return 0;
}

/* As a shell does that redirects one command after the other. */
static void a_background_process_may_close_while_it_is_looked_at(void **state)
{
	struct driver *d = *state;
	driver_run(d, "const fs = require('fs'), real = fs.readlinkSync; "
		      "fs.readlinkSync = (path) => { "
		      "if (/^\\/proc\\/\\d+\\/fd\\/1$/.test(path)) throw new Error('ENOENT'); return real(path) }; "
		      "const p = require('child_process').spawn('sh', ['-c', 'read x'], "
		      "{stdio: ['pipe', 'inherit', 'inherit']})");
	const cJSON *set = cJSON_GetObjectItem(d->done, "set");
	assert_true(cJSON_IsNumber(set));
	assert_int_equal(set->valueint, 1);
	driver_run(d, "fs.readlinkSync = real; p.stdin.end('go\\n'); 42");
	assert_string_equal(driver_text_of(d, "value"), "42");
}

/* It may be between two looks that a shell has its stdout where it belongs. */
static void who_runs_while_it_is_looked_at_may_print(void **state)
{
	struct driver *d = *state;
	driver_run(d, "const p = require('child_process').spawn('sh', ['-c', 'while :; do :; done'], {stdio: 'ignore'})");
	assert_int_equal(d->set, 1);
	driver_run(d, "p.kill('SIGKILL'); console.log('mine')");
	assert_string_equal(d->out, "mine\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(
					a_background_process_may_close_while_it_is_looked_at, start, stop),
			cmocka_unit_test_setup_teardown(
					who_runs_while_it_is_looked_at_may_print, start, stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
