/* SPDX-License-Identifier: MIT */
/* The JavaScript kernel: output of what outlives a run. */
#include "kernel/drivers/harness.h"
#include "langs.h"

#include <stdlib.h>
#include <string.h>

static int start(void **state)
{
	*state = driver_start(LANG_JAVASCRIPT);
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

/* Without process.stdout, as libraries for logging do it. */
static void what_a_callback_writes_to_a_descriptor_is_late(void **state)
{
	struct driver *d = *state;
	driver_run(d, "const fs = require('fs'), bytes = new Uint8Array(Buffer.from('-bytes\\n-')); let answer;"
		      "const tell = () => { answer([fs.writeSync(1, 'text\\n'), fs.writeSync(2, 'ff', null, 'hex'), "
		      "fs.writeSync(1, bytes, 1, 6), fs.writeSync(1, bytes, { offset: 7, length: 1 })]); "
		      "fs.write(1, bytes, (...all) => told(all.length, all[1])) }; let told;"
		      "setTimeout(function look() { answer ? tell() : setTimeout(look, 1) }, 1); 0");
	driver_run(d, "fs.writeSync(1, 'mine\\n'); await new Promise((done) => { told = (...all) => done(all.join()); "
		      "answer = (all) => console.log(all.join()) })");
	assert_string_equal(driver_text_of(d, "value"), "'3,8'");
	assert_string_equal(d->out, "mine\n");
	assert_int_equal(d->err_len, 0);
}

static void a_timer_looks_as_it_does_elsewhere(void **state)
{
	struct driver *d = *state;
	driver_run(d, "setTimeout(() => {}, 1)");
	assert_non_null(strstr(driver_text_of(d, "value"), "_idleTimeout: 1"));
	assert_null(strstr(driver_text_of(d, "value"), "Symbol(run)"));
}

#define T(function) cmocka_unit_test_setup_teardown(function, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
			T(a_background_process_may_close_while_it_is_looked_at),
			T(who_runs_while_it_is_looked_at_may_print),
			T(what_a_callback_writes_to_a_descriptor_is_late),
			T(a_timer_looks_as_it_does_elsewhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
