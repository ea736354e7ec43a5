/* SPDX-License-Identifier: MIT */
/* What programs call that have no loop of their own, copies and installs, all on the fake backend. A call
 * that says it has succeeded has done all of it: what is lost for want of memory is told. */
#include "cmocka_all.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "fault/walk.h"
#include "install/install.h"
#include "langs.h"

static char top[] = "/tmp/terrarium-fault-calls-XXXXXX";

/* ---- lib/sync ------------------------------------------------------------------------------- */

static int check_output(const struct trm_execution *e, const char *wanted)
{
	if (e->result->status != TRM_STATUS_OK && e->result->status != TRM_STATUS_ERROR) {
		if (!e->has_error || !*e->error)
			walk_fail("it was %s, and nothing says why", e->status);
		return TRM_ENOMEM;
	}
	if (strcmp(e->output, wanted) != 0 && e->result->dropped_bytes == 0)
		walk_fail("the output is \"%s\" instead of \"%s\"", e->output, wanted);
	return 0;
}

static int run(struct trm_sync *s, const char *code, const char *wanted, const char *wanted_error)
{
	struct trm_error why = {0};
	struct trm_execution e = {0};
	int r = reported(trm_sync_run(s, code, &e, &why), &why);
	if (r == 0)
		r = check_output(&e, wanted);
	if (r == 0 && !strstr(e.error, wanted_error) && e.result->dropped_bytes == 0)
		walk_fail("the error is \"%s\" instead of \"%s\"", e.error, wanted_error);
	trm_execution_finish(&e);
	return r;
}

static int command(struct trm_sync *s)
{
	static const char *const args[] = {"a", "b c", NULL};
	struct trm_error why = {0};
	struct trm_command_execution e = {0};
	int r = reported(trm_sync_command(s, "echo", args, -1, &e, &why), &why);
	if (r == 0 && e.dropped_bytes == 0 && strcmp(e.output, "a b c") != 0)
		walk_fail("the command's output is \"%s\"", e.output);
	if (r == 0 && (strcmp(e.command, "echo") != 0 || strcmp(e.args[1], "b c") != 0))
		walk_fail("another command is told than was asked for");
	trm_command_execution_finish(&e);
	return r;
}

static int files(struct trm_sync *s)
{
	static const char text[] = "one\0two";
	struct trm_error why = {0};
	char *bytes = NULL;
	size_t n = 0;
	int r = reported(trm_sync_put(s, "a.txt", 0644, text, sizeof text, &why), &why);
	if (r == 0)
		r = reported(trm_sync_get(s, "a.txt", 100, &bytes, &n, &why), &why);
	if (r == 0 && (n != sizeof text || memcmp(bytes, text, n) != 0))
		walk_fail("of a file of %zu bytes %zu came back, or others", sizeof text, n);
	free(bytes);
	return r;
}

static int in_sync(int (*inside)(struct trm_sync *s))
{
	struct trm_error why = {0};
	struct trm_sync_opts opts;
	struct trm_sync *s;
	trm_sync_opts_default(&opts);
	opts.sandbox.backend = "fake";
	int r = reported(trm_sync_create(&opts, &s, &why), &why);
	if (r < 0)
		return want_nomem(r);
	r = reported(trm_sync_start(s, &why), &why);
	if (r == 0)
		r = inside(s);
	if (r == 0)
		r = reported(trm_sync_stop(s, &why), &why);
	trm_sync_destroy(s);
	return r;
}

static int use(struct trm_sync *s)
{
	int r = run(s, "print hello\nerr oh\nvalue 42", "hello\n42", "oh");
	if (r == 0)
		r = run(s, "fail ValueError no", "", "ValueError: no");
	if (r == 0)
		r = command(s);
	return r < 0 ? r : files(s);
}

static int measure(struct trm_sync *s)
{
	struct trm_error why = {0};
	struct trm_sync_metrics all;
	return reported(trm_sync_metrics_all(s, &all, &why), &why);
}

static int path_use(void)
{
	return in_sync(use);
}

static int path_measure(void)
{
	return in_sync(measure);
}

static void test_sync(void **state)
{
	(void)state;
	assert_true(walk_all(path_use, "sync") > 20);
	assert_true(walk_all(path_measure, "sync, measuring") > 5);
}

/* ---- lib/interpreter ------------------------------------------------------------------------- */

static int path_interpreter(void)
{
	struct trm_error why = {0};
	struct trm_interpreter_opts opts;
	struct trm_interpreter *it;
	char *text = NULL;
	trm_interpreter_opts_default(&opts);
	opts.require_confirm = false;
	opts.sync.sandbox.backend = "fake";
	int r = reported(trm_interpreter_create(&opts, &it, &why), &why);
	if (r < 0)
		return want_nomem(r);
	r = reported(trm_interpreter_run(it, "print one\nerr two", "python", &text, &why), &why);
	if (r == 0 && strcmp(text, "one\nSTDERR: two") != 0 && !strstr(text, "Not kept: "))
		walk_fail("the text is \"%s\"", text);
	free(text);
	text = NULL;
	if (r == 0)
		r = reported(trm_interpreter_execute_command(it, "print three", &text, &why), &why);
	if (r == 0 && strcmp(text, "three") != 0 && !strstr(text, "Not kept: "))
		walk_fail("the text is \"%s\"", text);
	free(text);
	trm_interpreter_destroy(it);
	return r;
}

static void test_interpreter(void **state)
{
	(void)state;
	assert_true(walk_all(path_interpreter, "interpreter") > 20);
}

/* ---- a sandbox to copy and install in --------------------------------------------------------- */

struct stay {
	struct trm_loop *loop;
	struct trm_sandbox *sandbox;
	bool is_ready, is_closed, is_done;
	unsigned n_refused;
	char output[64];
	int code;
};

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	struct stay *s = user;
	(void)sandbox;
	s->is_ready = true;
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct stay *s = user;
	(void)sandbox;
	s->is_closed = true;
	if (why->code && !s->code)
		s->code = reported(why->code, why);
}

static int in_sandbox(int (*inside)(struct stay *s))
{
	static const struct trm_sandbox_cb cb = {.ready = on_ready, .closed = on_closed};
	struct trm_error why = {0};
	struct trm_sandbox_opts opts;
	struct stay s = {0};
	trm_sandbox_opts_default(&opts);
	opts.backend = "fake";
	opts.limits.net = true;
	int r = reported(trm_loop_create(&s.loop, &why), &why);
	if (r < 0)
		return r;
	r = reported(trm_sandbox_open(s.loop, &opts, &cb, &s, &s.sandbox, &why), &why);
	if (r == 0) {
		walk_until(s.loop, &s.is_ready, &s.is_closed);
		if (!s.is_closed)
			r = inside(&s);
		if (!s.is_closed)
			trm_sandbox_close(s.sandbox);
		walk_until(s.loop, &s.is_closed, NULL);
	}
	trm_loop_destroy(s.loop);
	return r ? r : s.code;
}

/* ---- copying ------------------------------------------------------------------------------------ */

static void on_refused(void *user, const struct trm_error *why)
{
	struct stay *s = user;
	reported(why->code, why);
	s->n_refused++;
}

static void on_copied(void *user, const struct trm_error *why, const struct trm_copy_progress *progress)
{
	struct stay *s = user;
	(void)progress;
	assert_false(s->is_done);
	s->is_done = true;
	s->code = why->code;
	if (why->code)
		reported(why->code, why);
}

static int copy(struct stay *s, const char *from, const char *to)
{
	static const struct trm_copy_cb cb = {.refused = on_refused, .done = on_copied};
	const char *const sources[] = {from, NULL};
	const struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.sources = sources,
			.target = to,
			.own = s->sandbox,
			.in_fd = -1,
			.out_fd = -1,
			.wants_total = true};
	struct trm_error why = {0};
	struct trm_copy *handle;
	s->is_done = false;
	int r = reported(trm_copy_start(s->loop, &opts, &cb, s, &handle, &why), &why);
	if (r < 0)
		return r;
	walk_until(s->loop, &s->is_done, NULL);
	return s->code ? s->code : s->n_refused ? TRM_ENOMEM : 0;
}

static void expect_file(const char *path, const char *wanted)
{
	char text[64] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	if (n != (ssize_t)strlen(wanted) || strcmp(text, wanted) != 0)
		walk_fail("%s was copied, they say, and holds \"%s\"", path, text);
}

static int copy_there_and_back(struct stay *s)
{
	char from[80], to[80], file[100];
	snprintf(from, sizeof from, "%s/from.txt", top);
	snprintf(to, sizeof to, "%s/to.txt", top);
	snprintf(file, sizeof file, ":/workspace/in.txt");
	unlink(to);
	int r = copy(s, from, file);
	if (r == 0 && !s->is_closed)
		r = copy(s, file, to);
	if (r == 0 && !s->is_closed)
		expect_file(to, "what is copied\n");
	return r;
}

static int path_copy(void)
{
	return in_sandbox(copy_there_and_back);
}

static void test_copy(void **state)
{
	(void)state;
	assert_true(walk_all(path_copy, "copy") > 20);
}

/* ---- lib/install ---------------------------------------------------------------------------------- */

/* In pip's and npm's place the fake's echo, whose list of what was fetched is the script that it is given. */
#define SUM D31 D31 D31 D31
#define D31 "0123456789abcdef0123456789abcde"
#define WHEEL "0123456789abcdef/it-1.0-py3-none-any.whl"
static const char *list;

static struct embed script(void)
{
	return (struct embed){list, strlen(list)};
}

static bool is_name(const char *name)
{
	return !strcmp(name, WHEEL) || !strcmp(name, SUM);
}

static const struct recipe STAND_INS[] = {
		[LANG_PYTHON] = {.tool = "pip",
				.program = "echo",
				.option = "-c",
				.script = script,
				.has_fetcher = true,
				.folder = "pip",
				.inside = "/workspace/wheels",
				.has_group = true,
				.is_name = is_name,
				.file_max = 1000,
				.total_max = 2000},
		[LANG_JAVASCRIPT] = {.tool = "npm",
				.program = "echo",
				.option = "-e",
				.script = script,
				.folder = "npm",
				.inside = "/workspace",
				.is_name = is_name,
				.file_max = 1000,
				.total_max = 2000},
};

const struct recipe *__wrap_recipe_for(const struct trm_lang *lang);
const struct recipe *__wrap_recipe_for(const struct trm_lang *lang)
{
	return &STAND_INS[lang->index];
}

static void on_output(void *user, struct trm_install *install, int stream, const void *bytes, size_t n)
{
	struct stay *s = user;
	(void)install, (void)stream;
	snprintf(s->output, sizeof s->output, "%.*s", (int)n, (const char *)bytes);
}

static void on_installed(void *user, struct trm_install *install, int exit_code, const struct trm_error *why)
{
	struct stay *s = user;
	(void)install;
	assert_false(s->is_done);
	s->is_done = true;
	if (why->code)
		s->code = reported(why->code, why);
	else
		assert_int_equal(exit_code, 0);
}

static int install(struct stay *s, unsigned id, const char *package, const char *requirements)
{
	static const struct trm_install_cb cb = {.output = on_output, .done = on_installed};
	const char *const packages[] = {package, NULL}, *const env[] = {"A=1", NULL};
	const struct trm_install_opts opts = {.size = sizeof(struct trm_install_opts),
			.lang = trm_lang_at(id),
			.packages = packages,
			.requirements = requirements,
			.requirements_len = requirements ? strlen(requirements) : 0,
			.env = env};
	struct trm_error why = {0};
	struct trm_install *handle;
	s->is_done = false;
	int r = reported(trm_install_start(s->sandbox, &opts, &cb, s, &handle, &why), &why);
	if (r < 0)
		return r;
	walk_until(s->loop, &s->is_done, NULL);
	return s->code;
}

static void on_put(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	struct stay *s = user;
	(void)size, (void)mode;
	s->is_done = true;
	s->code = why->code;
}

static int put(struct stay *s, const char *path)
{
	static const struct trm_transfer_cb cb = {.done = on_put};
	struct trm_error why = {0};
	s->is_done = false;
	int r = reported(trm_file_put(s->sandbox, path, 0644, "bytes", 5, &cb, s, &why), &why);
	if (r == 0)
		walk_until(s->loop, &s->is_done, NULL);
	return r ? r : s->code;
}

static int install_wheels(struct stay *s)
{
	list = "\n" WHEEL "\n";
	return install(s, LANG_PYTHON, "it", "other==1.0\n");
}

static int install_sums(struct stay *s)
{
	char file[260];
	list = "\n" SUM "\n";
	snprintf(file, sizeof file, "%s/terrarium/packages/npm/%s", top, SUM);
	unlink(file);
	int r = put(s, "/workspace/" SUM);
	return r ? r : install(s, LANG_JAVASCRIPT, "it", NULL);
}

static int path_wheels(void)
{
	return in_sandbox(install_wheels);
}

static int path_sums(void)
{
	return in_sandbox(install_sums);
}

static void test_install(void **state)
{
	(void)state;
	assert_true(walk_all(path_wheels, "install") > 20);
	assert_true(walk_all(path_sums, "install and keep what was fetched") > 20);
	char file[260];
	snprintf(file, sizeof file, "%s/terrarium/packages/npm/%s", top, SUM);
	assert_int_equal(access(file, R_OK), 0);
}

/* ---- begin and end -------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status, (void)kind, (void)at;
	return remove(path);
}

static int begin(void **state)
{
	char path[80];
	(void)state;
	walk_begin();
	if (!mkdtemp(top) || setenv("XDG_CACHE_HOME", top, 1) < 0)
		return -1;
	snprintf(path, sizeof path, "%s/from.txt", top);
	FILE *file = fopen(path, "we");
	if (!file)
		return -1;
	fputs("what is copied\n", file);
	return fclose(file);
}

static int end(void **state)
{
	(void)state;
	return nftw(top, remove_one, 16, FTW_PHYS | FTW_DEPTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_sync),
			cmocka_unit_test(test_interpreter),
			cmocka_unit_test(test_copy),
			cmocka_unit_test(test_install),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
