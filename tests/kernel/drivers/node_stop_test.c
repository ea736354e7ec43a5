/* SPDX-License-Identifier: MIT */
/* The JavaScript kernel: interrupts that come in the middle of node's own work. Where it says "often", each
 * code was once interrupted without effect, for ever, or with the end of node, one time in ten to a thousand.
 */
#include "kernel/drivers/harness.h"
#include "langs.h"

#include <stdlib.h>
#include <string.h>

enum { TIMES = 20 };

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

static void interrupt_times(struct driver *d, int times, const char *code)
{
	for (int i = 0; i < times; i++) {
		driver_send(d, code);
		driver_wait_text(d, 2 * d->set, "on\n");
		driver_interrupt(d);
		driver_wait(d);
		assert_string_equal(driver_text_of(d, "status"), "interrupted");
		driver_run(d, "6 * 7"); /* what is late of the run before may be printed meanwhile */
		assert_string_equal(driver_text_of(d, "value"), "42");
	}
}

static void interrupt_often(struct driver *d, const char *code)
{
	interrupt_times(d, TIMES, code);
}

static void immediates_can_be_interrupted(void **state)
{
	interrupt_often(*state, "setImmediate(function f() { console.log('on'); setImmediate(f) }); "
				"await new Promise(() => {})");
}

static void awaits_of_immediates_can_be_interrupted(void **state)
{
	interrupt_often(*state, "console.log('on'); for (;;) await new Promise((r) => setImmediate(r))");
}

static void awaits_of_timers_can_be_interrupted(void **state)
{
	interrupt_often(*state, "console.log('on'); "
				"for (;;) { await new Promise((r) => setTimeout(r, 1)); console.log('y') }");
}

static void a_timer_can_be_interrupted_as_it_is_made(void **state)
{
	interrupt_often(*state, "console.log('on'); await new Promise(() => setTimeout(() => {}, 1e6))");
}

static void ticks_can_be_interrupted(void **state)
{
	interrupt_often(*state, "console.log('on'); const f = () => process.nextTick(f); f(); "
				"await new Promise(() => {})");
}

static void promises_can_be_interrupted(void **state)
{
	interrupt_often(*state, "console.log('on'); for (;;) await null");
}

static void reading_of_files_can_be_interrupted(void **state)
{
	const struct driver *d = *state;
	if (atoi(d->version) < 20) {
		print_message("node %s can itself end when what it makes for a promise is interrupted\n",
				d->version);
		skip();
	}
	interrupt_often(*state, "const { readFile } = require('fs/promises'); console.log('on'); "
				"for (let i = 0; i < 1000; i++) await readFile('/dev/null'); "
				"await new Promise(() => {})");
}

static void waiting_can_be_interrupted(void **state)
{
	interrupt_often(*state,
			"console.log('on'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)");
}

/* The run interrupts itself. */
static void run_interrupted(struct driver *d, const char *code)
{
	driver_run(d, code);
	assert_string_equal(driver_text_of(d, "status"), "interrupted");
}

static void assert_value(struct driver *d, const char *code, const char *value)
{
	driver_run(d, code);
	assert_string_equal(driver_text_of(d, "value"), value);
}

/* Its list is known to node then, but has no place among the others yet: later timers never came. */
static void a_timer_is_interrupted_before_its_list_has_a_place(void **state)
{
	run_interrupted(*state,
			"const heap = require('internal/timers').timerListQueue; "
			"heap.insert = () => { delete heap.insert; process.kill(process.pid, 'SIGINT') }; "
			"setTimeout(() => {}, 1e6)");
	assert_value(*state, "await new Promise((r) => setTimeout(r, 1)); 'one'", "'one'");
	assert_value(*state, "await new Promise((r) => setTimeout(r, 2)); 'two'", "'two'");
}

/* The list is not known any more, but has its place still: it was looked at for ever. */
static void a_list_of_timers_is_interrupted_before_it_loses_its_place(void **state)
{
	run_interrupted(*state,
			"heap.shift = () => { delete heap.shift; process.kill(process.pid, 'SIGINT') }; "
			"await new Promise((r) => setTimeout(() => setTimeout(r, 1e6), 1))");
	assert_value(*state, "await new Promise((r) => setTimeout(r, 1)); 'one'", "'one'");
}

static void timers_are_interrupted_in_the_middle(void **state)
{
	a_timer_is_interrupted_before_its_list_has_a_place(state);
	a_list_of_timers_is_interrupted_before_it_loses_its_place(state);
}

/* Output that has waited is written by a call in between; here, where node has not yet noted that the memory
 * is taken. */
static void memory_of_buffers_is_not_given_twice(void **state)
{
	assert_value(*state,
			"for (let i = 0; process.stdout.my.text === ''; i++) console.log('line ' + i); "
			"const write = Buffer.prototype.utf8Write; "
			"Buffer.prototype.utf8Write = function (...a) { const n = write.apply(this, a); "
			"Buffer.prototype.utf8Write = write; while (process.stdout.my.text !== ''); return n }; "
			"Buffer.from('abcdefgh').toString()",
			"'abcdefgh'");
}

static void a_module_is_loaded_again_after_an_interrupt(void **state)
{
	run_interrupted(*state,
			"require('fs').writeFileSync('half.js', \"globalThis.times = (globalThis.times ?? 0) + 1; "
			"if (times === 1) process.kill(process.pid, 'SIGINT'); module.exports = 'whole'\"); "
			"require('./half.js')");
	assert_value(*state, "require('./half.js')", "'whole'");
}

/* The other thread asks again while V8 tells the driver that what ran has ended: here that takes long. V8
 * refuses, and the run never ended. */
static void a_slow_end_of_a_termination_is_waited_for(void **state)
{
	static const char code[] =
			"const { prototype } = MessagePort, { postMessage } = prototype; "
			"prototype.postMessage = function (...a) { prototype.postMessage = postMessage; "
			"for (const end = Date.now() + 200; Date.now() < end;); return postMessage.apply(this, a) }; "
			"console.log('on'); for (;;);";
	interrupt_times(*state, 1, code);
}

/* The thread that waits for interrupts cannot be started at first: once at once, once a little later. */
static void a_thread_that_does_not_start_is_tried_again(void **state)
{
	static const char first[] =
			"'use strict'; { const threads = globalThis.require('worker_threads'), Real = threads.Worker; let n = 0; "
			"threads.Worker = class extends Real { constructor(source, opts) { "
			"if (++n === 1) throw new Error('ERR_WORKER_INIT_FAILED'); "
			"super(n === 2 ? 'throw new Error(\"no room\")' : source, opts); } }; }\n";
	struct embed driver = kernel_spec(trm_lang_at(LANG_JAVASCRIPT))->driver;
	size_t n = strlen(first);
	char *source = malloc(n + driver.n);
	(void)state;
	assert_non_null(source);
	memcpy(source, first, n);
	memcpy(source + n, driver.bytes, driver.n);
	struct driver *d = driver_start_source(LANG_JAVASCRIPT, (struct embed){source, n + driver.n});
	assert_value(d, "6 * 7", "42");
	driver_send(d, "console.log('on'); for (;;);");
	driver_wait_text(d, 2 * d->set, "on\n");
	driver_interrupt(d);
	driver_wait(d);
	assert_string_equal(driver_text_of(d, "status"), "interrupted");
	driver_stop(d);
	free(source);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
			CASE(immediates_can_be_interrupted),
			CASE(awaits_of_immediates_can_be_interrupted),
			CASE(awaits_of_timers_can_be_interrupted),
			CASE(a_timer_can_be_interrupted_as_it_is_made),
			CASE(ticks_can_be_interrupted),
			CASE(promises_can_be_interrupted),
			CASE(reading_of_files_can_be_interrupted),
			CASE(waiting_can_be_interrupted),
			CASE(timers_are_interrupted_in_the_middle),
			CASE(memory_of_buffers_is_not_given_twice),
			CASE(a_module_is_loaded_again_after_an_interrupt),
			CASE(a_slow_end_of_a_termination_is_waited_for),
			cmocka_unit_test(a_thread_that_does_not_start_is_tried_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
