/* SPDX-License-Identifier: MIT */
/* What every backend promises, one list of cases for all. Arguments: backend, language, for those that
 * need one an image ("" for the others), and a pattern of the cases to run. A backend that cannot work here
 * is skipped with its own sentence. */
#include "cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract/dialect.h"
#include "contract/exceptions.h"
#include "support/bed.h"

static const struct dialect *d;
static const char *backend, *image;
static struct bed bed;

static struct trm_sandbox_opts sandbox_opts(void)
{
	struct trm_sandbox_opts opts;
	trm_sandbox_opts_default(&opts);
	dialect_origin(&opts, backend, image);
	return opts;
}

static bool open_bed(const struct trm_session_opts *session_opts)
{
	struct trm_sandbox_opts opts = sandbox_opts();
	return bed_open(&bed, backend, &opts, session_opts);
}

static int lie_down(void **state)
{
	struct trm_session_opts opts;
	(void)state;
	trm_session_opts_default(&opts);
	opts.grace_ms = 20000; /* much, for a machine that is busy with other things */
	opts.timeout_ms = BED_DEADLINE_MS;
	return open_bed(&opts) ? 0 : -1;
}

/* For what only ends when the grace does. */
static int lie_down_briefly(void **state)
{
	struct trm_session_opts opts;
	(void)state;
	trm_session_opts_default(&opts);
	opts.grace_ms = 500;
	return open_bed(&opts) ? 0 : -1;
}

static int get_up(void **state)
{
	(void)state;
	bed_close(&bed);
	return bed.why.code;
}

static const struct trm_result *run(const char *code)
{
	assert_non_null(code); /* or there is a row missing in exceptions.c */
	return bed_run(&bed, d->lang, code);
}

static void begin(const char *code, int64_t timeout_ms)
{
	struct trm_run_opts o;
	assert_non_null(code);
	trm_run_opts_default(&o);
	o.lang = bed_lang(d->lang);
	o.code = code;
	o.code_len = strlen(code);
	o.timeout_ms = timeout_ms;
	bed_begin(&bed, &o);
}

static bool is_on(struct bed *b)
{
	return b->out[0].n >= 3 || b->result;
}

static bool has_late(struct bed *b)
{
	return b->late.n >= 5;
}

/* ---- runs ------------------------------------------------------------------------------ */

static void output_arrives(void **state)
{
	(void)state;
	const struct trm_result *r = run(d->print_hello);
	assert_int_equal(r->status, TRM_STATUS_OK);
	assert_int_equal(r->exit_code, 0);
	assert_string_equal(bed_stdout(&bed), "hello\n");
	assert_int_equal(r->output_len, 6);
	assert_memory_equal(r->output, "hello\n", 6);
	assert_true(trm_sandbox_is_ready(bed.sandbox));
}

static void streams_are_apart(void **state)
{
	(void)state;
	run(d->print_both);
	assert_string_equal(bed_stdout(&bed), "out\n");
	assert_string_equal(bed_stderr(&bed), "err\n");
}

static void state_persists(void **state)
{
	(void)state;
	run(d->set_x);
	const struct trm_result *r = run(d->get_x);
	assert_string_equal(bed_stdout(&bed), "42\n");
	assert_int_equal(r->number, 2);
}

static void the_value_is_shown(void **state)
{
	(void)state;
	assert_string_equal(run(d->value)->value, "42");
}

static void errors_are_reported(void **state)
{
	(void)state;
	const struct trm_result *r = run(d->fail);
	assert_int_equal(r->status, TRM_STATUS_ERROR);
	assert_int_equal(r->exit_code, 1);
	if (d->fail_name) {
		assert_string_equal(r->error_name, d->fail_name);
		assert_non_null(r->traceback);
	}
	assert_int_equal(run(d->print_hello)->status, TRM_STATUS_OK);
}

static void exit_codes_are_passed_on(void **state)
{
	(void)state;
	if (d->set_x)
		run(d->set_x);
	const struct trm_result *r = run(d->exit_3);
	assert_int_equal(r->status, TRM_STATUS_ERROR);
	assert_int_equal(r->exit_code, 3);
	assert_false(r->state_lost);
	run(d->get_x);
	assert_string_equal(bed_stdout(&bed), "42\n");
}

static void interrupts_keep_state(void **state)
{
	(void)state;
	run(d->set_x);
	for (int i = 0; i < 5; i++) {
		begin(d->loop, -1);
		assert_true(bed_wait_for(&bed, is_on, BED_DEADLINE_MS) && bed.run);
		trm_run_interrupt(bed.run);
		const struct trm_result *r = bed_end(&bed);
		assert_int_equal(r->status, TRM_STATUS_INTERRUPTED);
		assert_int_equal(r->exit_code, 130);
		assert_false(r->state_lost);
		run(d->get_x);
		assert_string_equal(bed_stdout(&bed), "42\n");
	}
}

/* The signal may be there before the interpreter has read the request. */
static void an_interrupt_at_once_is_not_lost(void **state)
{
	(void)state;
	run(d->set_x);
	for (int i = 0; i < 10; i++) {
		begin(d->loop, -1);
		trm_run_interrupt(bed.run);
		const struct trm_result *r = bed_end(&bed);
		assert_int_equal(r->status, TRM_STATUS_INTERRUPTED);
		assert_false(r->state_lost);
	}
	run(d->get_x);
	assert_string_equal(bed_stdout(&bed), "42\n");
}

static void time_outs_keep_state(void **state)
{
	(void)state;
	run(d->set_x);
	begin(d->loop, 150);
	const struct trm_result *r = bed_end(&bed);
	assert_int_equal(r->status, TRM_STATUS_TIMEOUT);
	assert_int_equal(r->exit_code, 124);
	assert_false(r->state_lost);
	assert_non_null(r->reason);
	run(d->get_x);
	assert_string_equal(bed_stdout(&bed), "42\n");
}

static void stubborn_code_is_killed(void **state)
{
	(void)state;
	begin(d->stubborn, -1);
	assert_true(bed_wait_for(&bed, is_on, BED_DEADLINE_MS) && bed.run);
	trm_run_interrupt(bed.run);
	const struct trm_result *r = bed_end(&bed);
	assert_int_equal(r->status, TRM_STATUS_INTERRUPTED);
	assert_true(r->state_lost);
	assert_non_null(r->reason);
	assert_int_equal(bed.n_killing, 1);
	run(d->print_hello);
	assert_string_equal(bed_stdout(&bed), "hello\n");
}

static void death_is_reported_and_mended(void **state)
{
	(void)state;
	run(d->print_hello);
	const struct trm_result *r = run(d->suicide);
	assert_int_equal(r->status, TRM_STATUS_KILLED);
	assert_int_equal(r->exit_code, 137);
	assert_true(r->state_lost);
	assert_non_null(strstr(r->reason, "signal 9"));
	assert_int_equal(run(d->print_hello)->status, TRM_STATUS_OK);
	assert_string_equal(bed_stdout(&bed), "hello\n");
}

static void input_is_read(void **state)
{
	(void)state;
	assert_int_equal(bed_run_with(&bed, d->lang, d->read_line, "one\ntwo\n")->status, TRM_STATUS_OK);
	assert_non_null(strstr(bed_stdout(&bed), "got one\n"));
	/* What was not read is not the next run's. */
	bed_run_with(&bed, d->lang, d->read_line, "three\n");
	assert_non_null(strstr(bed_stdout(&bed), "got three\n"));
	run(d->print_hello);
	assert_string_equal(bed_stdout(&bed), "hello\n");
}

static void floods_arrive_whole(void **state)
{
	(void)state;
	const struct trm_result *r = run(d->flood);
	assert_int_equal(r->status, TRM_STATUS_OK);
	assert_int_equal(r->stdout_bytes, 2000000);
	assert_int_equal(bed.out[0].n, 2000000);
	assert_int_equal(r->output_len, 2000000);
}

static void late_output_is_late(void **state)
{
	(void)state;
	const struct trm_result *r = run(d->late);
	assert_int_equal(r->number, 1);
	r = run(d->call_late);
	assert_int_equal(r->stdout_bytes, 0);
	assert_true(bed_wait_for(&bed, has_late, BED_DEADLINE_MS));
	assert_string_equal(bed.late.s, "late\n");
	assert_int_equal(bed.late_number, 1);
}

static void a_run_ends_with_its_sandbox(void **state)
{
	(void)state;
	begin(d->loop, -1);
	assert_true(bed_wait_for(&bed, is_on, BED_DEADLINE_MS));
	trm_sandbox_close(bed.sandbox);
	bed_wait(&bed, &bed.is_closed);
	assert_non_null(bed.result);
	assert_int_equal(bed.result->status, TRM_STATUS_LOST);
	assert_int_equal(bed.why.code, TRM_OK);
}

/* ---- processes and files ----------------------------------------------------------------- */

struct proc_end {
	bool is_over;
	struct trm_exit exit;
	struct trm_error why;
	struct bed_text out;
	unsigned pid;
};

static void on_proc_started(void *user, struct trm_proc *proc, uint32_t pid)
{
	(void)proc;
	((struct proc_end *)user)->pid = pid;
}

static void on_proc_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	(void)proc;
	(void)channel;
	bed_text_add(&((struct proc_end *)user)->out, bytes, n);
}

static void on_proc_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *status, const struct trm_error *why)
{
	struct proc_end *end = user;
	(void)proc;
	assert_false(end->is_over);
	end->is_over = true;
	end->why = *why;
	if (status)
		end->exit = *status;
}

static const struct trm_proc_cb PROC_CB = {
		.started = on_proc_started, .output = on_proc_output, .exited = on_proc_exited};

static struct trm_proc *spawn(struct proc_end *end, bool stdin_open, const char *const *argv)
{
	struct trm_proc_opts o = {
			.size = sizeof(struct trm_proc_opts), .argv = argv, .stdin_open = stdin_open};
	struct trm_proc *proc;
	*end = (struct proc_end){0};
	assert_int_equal(trm_proc_spawn(bed.sandbox, &o, &PROC_CB, end, &proc, NULL), 0);
	return proc;
}

static void commands_run(void **state)
{
	struct proc_end end;
	(void)state;
	spawn(&end, false, (const char *const[]){"echo", "a b", "c", NULL});
	bed_wait(&bed, &end.is_over);
	assert_string_equal(end.out.s, "a b c\n");
	assert_int_equal(end.exit.exit_code, 0);
	assert_true(end.pid > 0);
	free(end.out.s);
	spawn(&end, false, (const char *const[]){"false", NULL});
	bed_wait(&bed, &end.is_over);
	assert_int_equal(end.exit.exit_code, 1);
	spawn(&end, false, (const char *const[]){"no-such-command", NULL});
	bed_wait(&bed, &end.is_over);
	assert_int_equal(end.why.code, d->is_plain ? TRM_EIO : TRM_ENOENT); /* a plain server hides it */
	assert_non_null(strstr(end.why.msg, "no-such-command"));
}

static void input_goes_through_a_command(void **state)
{
	enum { MUCH = 3000000 };
	struct proc_end end;
	(void)state;
	struct trm_proc *proc = spawn(&end, true, (const char *const[]){"cat", NULL});
	char *bytes = malloc(MUCH);
	for (size_t i = 0; i < MUCH; i++)
		bytes[i] = (char)(i * 31 >> 3);
	assert_int_equal(trm_proc_write(proc, TRM_STDIN, bytes, MUCH, NULL), 0);
	trm_proc_close_stdin(proc);
	bed_wait(&bed, &end.is_over);
	assert_int_equal(end.out.n, MUCH);
	assert_memory_equal(end.out.s, bytes, MUCH);
	assert_int_equal(end.exit.exit_code, 0);
	free(bytes);
	free(end.out.s);
}

static void signals_arrive(void **state)
{
	struct proc_end end;
	(void)state;
	struct trm_proc *proc = spawn(&end, false, (const char *const[]){"sleep", "1000", NULL});
	assert_int_equal(trm_proc_signal(proc, 15, TRM_SIGNAL_GROUP), 0);
	bed_wait(&bed, &end.is_over);
	assert_int_equal(end.exit.exit_code, -1);
	assert_int_equal(end.exit.signal, 15);
	assert_int_equal(end.why.code, TRM_OK);
}

static void closing_a_process_cancels_it(void **state)
{
	struct proc_end end;
	(void)state;
	struct trm_proc *proc = spawn(&end, false, (const char *const[]){"sleep", "1000", NULL});
	trm_proc_close(proc);
	assert_false(end.is_over);
	bed_wait(&bed, &end.is_over);
	assert_int_equal(end.why.code, TRM_ECANCELED);
}

struct moved {
	bool is_over;
	struct trm_error why;
	uint64_t size;
	uint32_t mode;
	struct bed_text bytes;
};

static void on_moved_data(void *user, const void *bytes, size_t n)
{
	bed_text_add(&((struct moved *)user)->bytes, bytes, n);
}

static void on_moved(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	struct moved *m = user;
	assert_false(m->is_over);
	*m = (struct moved){true, *why, size, mode, m->bytes};
}

static const struct trm_transfer_cb MOVE_CB = {.data = on_moved_data, .done = on_moved};

static void files_come_back(void **state)
{
	static const size_t SIZES[] = {0, 1, 65536, 3000001};
	const char *path = d->is_plain ? "f" : "/workspace/f",
		   *none = d->is_plain ? "none" : "/workspace/none";
	(void)state;
	for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES; i++) {
		struct moved put = {0}, get = {0};
		char *bytes = malloc(SIZES[i] + 1);
		for (size_t k = 0; k < SIZES[i]; k++)
			bytes[k] = (char)(k * 7 >> 2);
		assert_int_equal(trm_file_put(bed.sandbox, path, 0640, bytes, SIZES[i], &MOVE_CB, &put, NULL),
				0);
		bed_wait(&bed, &put.is_over);
		assert_string_equal(put.why.msg, "");
		assert_int_equal(trm_file_get(bed.sandbox, path, 1 << 22, &MOVE_CB, &get, NULL), 0);
		bed_wait(&bed, &get.is_over);
		assert_string_equal(get.why.msg, "");
		assert_int_equal(get.size, SIZES[i]);
		assert_int_equal(get.mode & 0777, 0640);
		assert_int_equal(get.bytes.n, SIZES[i]);
		if (SIZES[i])
			assert_memory_equal(get.bytes.s, bytes, SIZES[i]);
		free(bytes);
		free(get.bytes.s);
	}
	struct moved get = {0}, put = {0};
	trm_file_put(bed.sandbox, d->is_plain ? "none/f" : "/workspace/none/f", 0640, "x", 1, &MOVE_CB, &put,
			NULL);
	bed_wait(&bed, &put.is_over);
	if (put.why.code != TRM_ENOENT)
		fail_msg("%s: %s", trm_strerror(put.why.code), put.why.msg);
	trm_file_get(bed.sandbox, none, 10, &MOVE_CB, &get, NULL);
	bed_wait(&bed, &get.is_over);
	assert_int_equal(get.why.code, TRM_ENOENT);
	get = (struct moved){0};
	trm_file_get(bed.sandbox, path, 10, &MOVE_CB, &get, NULL);
	bed_wait(&bed, &get.is_over);
	assert_int_equal(get.why.code, TRM_ETOOBIG);
}

struct looked {
	struct trm_error why;
	char names[4096]; /* ",name:size,…" */
	bool is_over;
};

static void on_file(void *user, const struct trm_file *file)
{
	struct looked *l = user;
	size_t n = strlen(l->names);
	if (file->kind == TRM_FILE_REGULAR)
		snprintf(l->names + n, sizeof l->names - n, ",%s:%llu,", file->name,
				(unsigned long long)file->size);
}

static void on_looked(void *user, const struct trm_error *why)
{
	struct looked *l = user;
	l->why = *why;
	l->is_over = true;
}

static const struct trm_list_cb LOOK_CB = {.file = on_file, .done = on_looked};

static void on_copied(void *user, const struct trm_error *why, const struct trm_copy_progress *progress)
{
	(void)progress;
	on_looked(user, why);
}

static void copy(const char *from, const char *to)
{
	static const struct trm_copy_cb COPY_CB = {.done = on_copied};
	const char *sources[] = {from, NULL};
	const struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.sources = sources,
			.target = to,
			.own = bed.sandbox,
			.in_fd = -1,
			.out_fd = -1};
	struct looked l = {0};
	struct trm_copy *handle;
	assert_int_equal(trm_copy_start(bed.loop, &opts, &COPY_CB, &l, &handle, NULL), 0);
	bed_wait(&bed, &l.is_over);
	assert_string_equal(l.why.msg, "");
}

static struct looked look(int (*start)(struct trm_sandbox *, const char *, struct looked *), const char *path)
{
	struct looked l = {0};
	assert_int_equal(start(bed.sandbox, path, &l), 0);
	bed_wait(&bed, &l.is_over);
	return l;
}

static int start_list(struct trm_sandbox *s, const char *path, struct looked *l)
{
	return trm_file_list(s, path, 1000, &LOOK_CB, l, NULL);
}

static int start_stat(struct trm_sandbox *s, const char *path, struct looked *l)
{
	return trm_file_stat(s, path, &LOOK_CB, l, NULL);
}

static int start_remove(struct trm_sandbox *s, const char *path, struct looked *l)
{
	return trm_file_remove(s, path, false, on_looked, l, NULL);
}

static void files_are_copied_listed_and_removed(void **state)
{
	char path[] = "/tmp/terrarium-contract-XXXXXX", text[8] = "";
	(void)state;
	int fd = mkstemp(path);
	assert_int_equal(write(fd, "copied", 6), 6);
	copy(path, ":copy");
	assert_non_null(strstr(look(start_list, ".").names, ",copy:6,"));
	assert_string_equal(look(start_stat, "copy").names, ",:6,");
	assert_int_equal(ftruncate(fd, 0), 0);
	copy(":copy", path);
	close(fd);
	fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, text, sizeof text), 6);
	assert_string_equal(text, "copied");
	close(fd);
	unlink(path);
	assert_int_equal(look(start_remove, "copy").why.code, TRM_OK);
	assert_int_equal(look(start_stat, "copy").why.code, TRM_ENOENT);
	assert_int_equal(look(start_remove, "copy").why.code, TRM_ENOENT);
}

static int start_mkdir(struct trm_sandbox *s, const char *path, struct looked *l)
{
	return trm_file_mkdir(s, path, 0750, on_looked, l, NULL);
}

static int start_remove_tree(struct trm_sandbox *s, const char *path, struct looked *l)
{
	return trm_file_remove(s, path, true, on_looked, l, NULL);
}

static void folders_are_made_and_removed(void **state)
{
	(void)state;
	assert_int_equal(look(start_mkdir, "made").why.code, TRM_OK);
	assert_int_not_equal(look(start_mkdir, "made").why.code, TRM_OK);
	assert_int_equal(look(start_mkdir, "made/inner").why.code, TRM_OK);
	assert_int_not_equal(look(start_remove, "made").why.code, TRM_OK);
	assert_int_equal(look(start_remove, "made/inner").why.code, TRM_OK);
	assert_int_equal(look(start_mkdir, "made/inner").why.code, TRM_OK);
	assert_int_equal(look(start_remove_tree, "made").why.code, TRM_OK);
	assert_int_equal(look(start_stat, "made").why.code, TRM_ENOENT);
}

/* ---- the sandbox -------------------------------------------------------------------------- */

static bool has_metrics(struct bed *b)
{
	return b->n_metrics >= 2;
}

static void metrics_come_at_the_interval(void **state)
{
	struct trm_error why;
	(void)state;
	run(d->print_hello); /* somebody who uses memory */
	assert_int_equal(trm_sandbox_set_metrics(bed.sandbox, 199, false, &why), TRM_EINVAL);
	assert_int_equal(trm_sandbox_set_metrics(bed.sandbox, 200, true, &why), 0);
	assert_true(bed_wait_for(&bed, has_metrics, BED_DEADLINE_MS));
	assert_true(bed.sample.known & TRM_METRIC_MEM);
	assert_true(bed.sample.mem_bytes > 0);
	assert_true(bed.sample.time_ns > 0);
	assert_true(bed.sample.source[0] != '\0');
	assert_int_equal(trm_sandbox_set_metrics(bed.sandbox, 0, false, &why), 0);
}

static void guards_are_reported(void **state)
{
	const struct trm_guard *guards;
	(void)state;
	run(d->print_hello);
	size_t n = trm_sandbox_guards(bed.sandbox, &guards);
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++)
		assert_true(guards[i].what[0] && guards[i].how[0]);
}

static void closing_twice_is_closing(void **state)
{
	(void)state;
	trm_sandbox_close(bed.sandbox);
	trm_sandbox_close(bed.sandbox);
	bed_wait(&bed, &bed.is_closed);
	assert_int_equal(bed.why.code, TRM_OK);
	assert_false(bed.is_ready);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, lie_down, get_up)

static const struct CMUnitTest CASES[] = {
		CASE(output_arrives),
		CASE(streams_are_apart),
		CASE(state_persists),
		CASE(the_value_is_shown),
		CASE(errors_are_reported),
		CASE(exit_codes_are_passed_on),
		CASE(interrupts_keep_state),
		CASE(an_interrupt_at_once_is_not_lost),
		CASE(time_outs_keep_state),
		cmocka_unit_test_setup_teardown(stubborn_code_is_killed, lie_down_briefly, get_up),
		CASE(death_is_reported_and_mended),
		CASE(input_is_read),
		CASE(floods_arrive_whole),
		CASE(late_output_is_late),
		CASE(a_run_ends_with_its_sandbox),
		CASE(commands_run),
		CASE(input_goes_through_a_command),
		CASE(signals_arrive),
		CASE(closing_a_process_cancels_it),
		CASE(files_come_back),
		CASE(files_are_copied_listed_and_removed),
		CASE(folders_are_made_and_removed),
		CASE(metrics_come_at_the_interval),
		CASE(guards_are_reported),
		CASE(closing_twice_is_closing),
};
enum { N_CASES = sizeof CASES / sizeof *CASES };

static int run_cases(void)
{
	struct CMUnitTest tests[N_CASES];
	size_t n = 0;
	for (size_t i = 0; i < N_CASES; i++) {
		const char *reason = exception_reason(backend, d->lang, CASES[i].name);
		if (reason)
			printf("not on %s in %s: %s: %s\n", backend, d->lang, CASES[i].name, reason);
		else
			tests[n++] = CASES[i];
	}
	return _cmocka_run_group_tests("contract", tests, n, NULL, NULL);
}

int main(int argc, char **argv)
{
	d = argc >= 3 && argc <= 5 ? dialect_find(argv[1], argv[2]) : NULL;
	if (!d) {
		fprintf(stderr, "usage: contract BACKEND LANGUAGE [IMAGE [CASES]]\n");
		return 2;
	}
	backend = argv[1];
	image = argc > 3 && argv[3][0] ? argv[3] : NULL;
	if (argc == 5)
		cmocka_set_test_filter(argv[4]);
	struct trm_sandbox_opts opts = sandbox_opts();
	if (!bed_works(backend, &opts))
		return 77;
	return run_cases();
}
