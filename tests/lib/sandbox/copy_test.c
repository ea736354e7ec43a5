/* SPDX-License-Identifier: MIT */
/* Copies with an agent that says what no honest one says. */
#include "lib/sandbox/copy_bench.h"

static void test_an_honest_one(void **state)
{
	struct bench b;
	struct stat status;
	char path[100];
	(void)state;
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say_file(&b, "f", "hello");
	say(&b, ENTRY_LINK, "l", "f", 0);
	say(&b, ENTRY_UP, "", "", 0);
	say_done(&b);
	get(&b);
	assert_int_equal(b.why.code, TRM_OK);
	assert_true(b.sum.files == 1 && b.sum.dirs == 1 && b.sum.links == 1 && b.sum.bytes == 5);
	snprintf(path, sizeof path, "%s/d/f", b.target);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0750); /* no set-id bits, and what our umask allows */
	end(&b);
}

/* The sandbox is closed, with a sentence, and nothing is left of what was in hand. */
static void expect_broken(struct bench *b, unsigned n_files)
{
	get(b);
	assert_int_equal(b->why.code, TRM_EPROTO);
	assert_non_null(strstr(b->why.msg, "broke the protocol"));
	assert_int_equal(count_files(b), n_files);
	end(b);
}

static void test_names_that_lead_out(void **state)
{
	static const char *const names[] = {"../x", "/tmp/x", "..", ".", "a/b", "x/"};
	static const enum entry_kind kinds[] = {ENTRY_FILE, ENTRY_DIR, ENTRY_LINK};
	struct bench b;
	(void)state;
	for (size_t i = 0; i < 3 * (sizeof names / sizeof *names); i++) {
		begin(&b);
		say(&b, ENTRY_DIR, "", "", 0);
		say(&b, kinds[i % 3], names[i / 3], kinds[i % 3] == ENTRY_LINK ? "t" : "", 0);
		expect_broken(&b, 0);
	}
}

static void test_out_of_order(void **state)
{
	struct bench b;
	(void)state;
	begin(&b);
	say(&b, ENTRY_UP, "", "", 0);
	expect_broken(&b, 0);
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say_data(&b, "bytes of no file");
	expect_broken(&b, 0);
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_OTHER, "dev", "", 0);
	expect_broken(&b, 0);
	begin(&b);
	say(&b, ENTRY_LINK, "", "/etc", 0);
	expect_broken(&b, 0);
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say_file(&b, "whole", "x");
	say(&b, ENTRY_FILE, "half", "", 100);
	say_data(&b, "some");
	say(&b, ENTRY_DIR, "d", "", 0);
	expect_broken(&b, 1);
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_FILE, "half", "", 100);
	say_data(&b, "some");
	say_done(&b);
	expect_broken(&b, 0);
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_FILE, "f", "", 4);
	say_data(&b, "some");
	say(&b, ENTRY_END, "", "", 5);
	expect_broken(&b, 0);
}

static void test_a_link_and_a_file_through_it(void **state)
{
	struct bench b;
	char path[100];
	(void)state;
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_DIR, "sub", "", 0);
	say(&b, ENTRY_LINK, "up", "..", 0); /* to the root: allowed */
	say(&b, ENTRY_DIR, "up", "", 0);    /* and now through it */
	say_file(&b, "f", "not here");
	say(&b, ENTRY_UP, "", "", 0);
	say(&b, ENTRY_LINK, "out", "../..", 0);
	say(&b, ENTRY_LINK, "round", "up/../..", 0);
	say(&b, ENTRY_LINK, "abs", "/etc/passwd", 0);
	say(&b, ENTRY_UP, "", "", 0);
	say_file(&b, "after", "here");
	say(&b, ENTRY_UP, "", "", 0);
	say_done(&b);
	get(&b);
	assert_int_equal(b.why.code, TRM_OK);
	assert_int_equal(b.n_refused, 4);
	assert_int_equal(b.sum.refused, 4);
	assert_int_equal(b.sum.files, 1);
	assert_non_null(strstr(b.refused,
			"/target/d/sub/abs: this link leads out of the copied tree (to /etc/passwd)"));
	assert_int_equal(count_files(&b), 2);
	snprintf(path, sizeof path, "%s/d/sub", b.target);
	assert_int_equal(count_in(path), 1);
	end(&b);
}

static void test_what_is_in_the_way(void **state)
{
	struct bench b;
	struct stat status;
	char path[100], outside[100];
	(void)state;
	begin(&b);
	snprintf(path, sizeof path, "%s/d", b.target);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(outside, sizeof outside, "%s/outside", b.target);
	assert_int_equal(mkdir(outside, 0700), 0);
	snprintf(path, sizeof path, "%s/d/link", b.target);
	assert_int_equal(symlink("../outside", path), 0);
	snprintf(path, sizeof path, "%s/d/file", b.target);
	assert_int_equal(symlink("../outside/victim", path), 0);
	snprintf(path, sizeof path, "%s/d/fifo", b.target);
	assert_int_equal(mkfifo(path, 0600), 0);
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_DIR, "link", "", 0);
	say_file(&b, "f", "not here");
	say(&b, ENTRY_UP, "", "", 0);
	say_file(&b, "file", "in its place");
	say_file(&b, "fifo", "not into it");
	say(&b, ENTRY_LINK, "fifo", "file", 0);
	say(&b, ENTRY_UP, "", "", 0);
	say_done(&b);
	get(&b);
	assert_int_equal(b.why.code, TRM_OK);
	assert_int_equal(b.sum.refused, 3);
	assert_int_equal(count_in(outside), 0);
	snprintf(path, sizeof path, "%s/d/file", b.target);
	assert_int_equal(lstat(path, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	end(&b);
}

static void expect_too_big(struct bench *b, unsigned n_files)
{
	get(b);
	assert_int_equal(b->why.code, TRM_ETOOBIG);
	assert_int_equal(count_files(b), n_files);
	assert_non_null(b->sandbox); /* that is no reason to close it */
	end(b);
}

static void test_sizes(void **state)
{
	struct bench b;
	(void)state;
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_FILE, "f", "", (uint64_t)1 << 60);
	expect_too_big(&b, 0);
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say_file(&b, "small", "x");
	say(&b, ENTRY_FILE, "f", "", 0);
	say(&b, ENTRY_HOLE, "", "", (uint64_t)1 << 62);
	expect_too_big(&b, 1);
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_FILE, "f", "", 10);
	b.endless_from = b.out.len;
	for (int i = 0; i < 100; i++)
		say_data(&b, "a thousand times more than was announced for this file");
	b.is_endless = true;
	expect_too_big(&b, 0);
}

static void test_endless_entries(void **state)
{
	struct bench b;
	(void)state;
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	b.endless_from = b.out.len;
	say_file(&b, "f", "x");
	b.is_endless = true;
	expect_too_big(&b, 1);
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	b.endless_from = b.out.len;
	say(&b, ENTRY_DIR, "deeper", "", 0);
	b.is_endless = true;
	expect_too_big(&b, 1);
}

static void test_many_that_cannot_be_read(void **state)
{
	struct bench b;
	struct entry e = entry_of(ENTRY_FAIL, "f", "no", 0);
	(void)state;
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	for (int i = 0; i < 90; i++)
		entry_put(&b.out, STREAM, &e);
	say(&b, ENTRY_UP, "", "", 0);
	say_done(&b);
	get(&b);
	assert_int_equal(b.why.code, TRM_OK);
	assert_int_equal(b.sum.refused, 90);
	end(&b);
}

static void test_the_sandbox_ends_in_the_middle(void **state)
{
	struct bench b;
	(void)state;
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say_file(&b, "whole", "x");
	say(&b, ENTRY_FILE, "half", "", 100);
	say_data(&b, "some");
	start_copy(&b, ":d", b.target);
	for (int i = 0; i < 20; i++)
		turn(&b);
	shutdown(puppet->fds[1], SHUT_RDWR);
	until_over(&b);
	assert_int_equal(b.why.code, TRM_ECLOSED);
	assert_int_equal(b.sum.files, 1);
	assert_int_equal(count_files(&b), 1);
	end(&b);
}

static void test_stopped_in_the_middle(void **state)
{
	struct bench b;
	(void)state;
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say_file(&b, "whole", "x");
	say(&b, ENTRY_FILE, "half", "", 100);
	say_data(&b, "some");
	start_copy(&b, ":d", b.target);
	for (int i = 0; i < 20; i++)
		turn(&b);
	trm_copy_cancel(b.copy);
	trm_copy_cancel(b.copy);
	until_over(&b);
	assert_int_equal(b.why.code, TRM_ECANCELED);
	assert_int_equal(count_files(&b), 1);
	assert_non_null(b.sandbox);
	end(&b);
}

static void test_its_words_are_cleaned(void **state)
{
	struct bench b;
	(void)state;
	begin(&b);
	error_msg_put(&b.out, STREAM, 0, "d: \033[2Jgone\n");
	get(&b);
	assert_int_equal(b.why.code, TRM_EIO);
	assert_null(strchr(b.why.msg, '\033'));
	assert_null(strchr(b.why.msg, '\n'));
	end(&b);
}

/* ---- into it ------------------------------------------------------------------------------- */

static void write_source(struct bench *b, char *path, size_t cap, size_t n)
{
	static const char bytes[4096];
	snprintf(path, cap, "%s/source", b->target);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	for (; n; n -= n < sizeof bytes ? n : sizeof bytes)
		assert_true(write(fd, bytes, n < sizeof bytes ? n : sizeof bytes) > 0);
	close(fd);
}

static void test_a_put_that_is_answered_too_early(void **state)
{
	struct bench b;
	char path[100];
	(void)state;
	begin(&b);
	write_source(&b, path, sizeof path, 900000);
	say_done(&b);
	start_copy(&b, path, ":");
	for (int i = 0; i < TURNS && b.copy; i++) {
		trm_loop_step(b.loop, 1); /* says, and never hears */
		if (puppet->is_connected && b.out.len) {
			assert_int_equal(send(puppet->fds[1], buf_at(&b.out), b.out.len, 0), b.out.len);
			buf_clear(&b.out);
		}
	}
	assert_null(b.copy);
	assert_int_equal(b.why.code, TRM_EPROTO);
	end(&b);
}

static void test_a_put_that_is_answered_with_files(void **state)
{
	struct bench b;
	char path[100];
	(void)state;
	begin(&b);
	write_source(&b, path, sizeof path, 100);
	say(&b, ENTRY_DIR, "", "", 0);
	start_copy(&b, path, ":");
	until_over(&b);
	assert_int_equal(b.why.code, TRM_EPROTO);
	end(&b);
}

static void test_an_agent_that_claims_too_much(void **state)
{
	const struct tree_sum sum = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, 0};
	struct bench b;
	char path[100];
	(void)state;
	begin(&b);
	write_source(&b, path, sizeof path, 100);
	start_copy(&b, path, ":");
	for (int i = 0; i < 20; i++)
		turn(&b);
	tree_sum_put(&b.out, STREAM, &sum);
	until_over(&b);
	assert_int_equal(b.why.code, TRM_OK);
	assert_true(b.sum.files == 1 && b.sum.bytes == 100 && b.sum.dirs == 0 && b.sum.links == 0);
	end(&b);
}

static void test_an_agent_that_takes_nothing(void **state)
{
	struct bench b;
	char path[100];
	(void)state;
	begin(&b);
	write_source(&b, path, sizeof path, 900000);
	start_copy(&b, path, ":");
	for (int i = 0; i < 20; i++)
		trm_loop_step(b.loop, 1);
	assert_non_null(b.copy);
	trm_copy_cancel(b.copy);
	for (int i = 0; i < TURNS && b.copy; i++)
		trm_loop_step(b.loop, 1);
	assert_null(b.copy);
	assert_int_equal(b.why.code, TRM_ECANCELED);
	end(&b);
}

/* ---- what is wanted ----------------------------------------------------------------------------- */

static bool is_there(struct bench *b, const char *name)
{
	char path[120];
	struct stat status;
	snprintf(path, sizeof path, "%s/d/%s", b->target, name);
	return lstat(path, &status) == 0;
}

/* Directories come to be only for what is in them. */
static void test_only_what_is_wanted(void **state)
{
	struct bench b;
	(void)state;
	begin(&b);
	b.is_picky = true;
	say(&b, ENTRY_DIR, "", "", 0);
	say_file(&b, "old", "hello");
	say_file(&b, "new", "hello");
	say(&b, ENTRY_DIR, "a", "", 0);
	say(&b, ENTRY_DIR, "b", "", 0);
	say_file(&b, "old", "hello");
	say_file(&b, "n", "in a and b");
	say(&b, ENTRY_UP, "", "", 0);
	say(&b, ENTRY_DIR, "c", "", 0);
	say(&b, ENTRY_UP, "", "", 0);
	say(&b, ENTRY_UP, "", "", 0);
	say(&b, ENTRY_DIR, "e", "", 0);
	say(&b, ENTRY_LINK, "l", "x", 0);
	say(&b, ENTRY_UP, "", "", 0);
	say(&b, ENTRY_DIR, "n2", "", 0);
	say(&b, ENTRY_FAIL, "old", "a FIFO", 0);
	say(&b, ENTRY_FAIL, "n", "a FIFO", 0);
	say(&b, ENTRY_UP, "", "", 0);
	say(&b, ENTRY_FILE, "old2", "", 5);
	say_data(&b, "he");
	say(&b, ENTRY_HOLE, "", "", 3);
	say(&b, ENTRY_FAIL, "", "it broke off", 0);
	say(&b, ENTRY_UP, "", "", 0);
	say_done(&b);
	get(&b);
	assert_int_equal(b.why.code, TRM_OK);
	assert_string_equal(b.asked,
			"old 0,new 0,a 1,a/b 1,a/b/old 0,a/b/n 0,a/c 1,e 1,e/l 2,n2 1,n2/old 3,n2/n 3,old2 0,");
	assert_true(is_there(&b, "new") && is_there(&b, "a/b/n") && is_there(&b, "n2"));
	assert_false(is_there(&b, "old") || is_there(&b, "a/b/old") || is_there(&b, "a/c")
			|| is_there(&b, "e") || is_there(&b, "old2"));
	assert_true(b.sum.files == 2 && b.sum.bytes == 15 && b.sum.dirs == 4);
	assert_int_equal(b.n_refused, 1);
	assert_non_null(strstr(b.refused, "n2/n: a FIFO"));
	end(&b);
}

/* Put a file and a link of its name over a file here. */
static void replace(struct bench *b, int64_t since_ns, off_t expected_bytes, unsigned expected_refused)
{
	struct stat status;
	char path[100];
	begin(b);
	snprintf(path, sizeof path, "%s/d", b->target);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof path, "%s/d/f", b->target);
	close(open(path, O_WRONLY | O_CREAT, 0600));
	assert_int_equal(stat(path, &status), 0);
	b->since_ns = (int64_t)status.st_ctim.tv_sec * 1000000000 + status.st_ctim.tv_nsec + since_ns;
	say(b, ENTRY_DIR, "", "", 0);
	say_file(b, "f", "hello");
	say(b, ENTRY_UP, "", "", 0);
	say_done(b);
	get(b);
	assert_int_equal(b->why.code, TRM_OK);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, expected_bytes);
	assert_int_equal(b->sum.refused, expected_refused);
}

/* What a person has written since then is not replaced. */
static void test_what_has_changed_here(void **state)
{
	struct bench b;
	(void)state;
	replace(&b, 0, 5, 0);
	end(&b);
	replace(&b, -1, 0, 1);
	assert_non_null(strstr(b.refused, "d/f: this has changed here meanwhile"));
	end(&b);
}

/* ---- lists ---------------------------------------------------------------------------------- */

static void on_file(void *user, const struct trm_file *file)
{
	struct bench *b = user;
	size_t n = strlen(b->refused);
	snprintf(b->refused + n, sizeof b->refused - n, "%s %d %s,", file->name, (int)file->kind,
			file->target);
}

static void on_listed(void *user, const struct trm_error *why)
{
	struct bench *b = user;
	b->n_refused++;
	b->why = *why;
}

static const struct trm_list_cb LIST_CB = {.file = on_file, .done = on_listed};

static void list(struct bench *b)
{
	assert_int_equal(trm_file_list(b->sandbox, "d", 3, &LIST_CB, b, NULL), 0);
	for (int i = 0; i < TURNS && !b->n_refused; i++)
		turn(b);
	assert_int_equal(b->n_refused, 1);
}

static void test_a_list_that_is_too_long(void **state)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	struct bench b;
	(void)state;
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		say(&b, ENTRY_FILE, names[i], "", 1);
	list(&b);
	assert_int_equal(b.why.code, TRM_ETOOBIG);
	assert_string_equal(b.why.msg, "there are more than the 3 files and directories that may be listed");
	end(&b);
}

static void test_lists(void **state)
{
	struct bench b;
	(void)state;
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_FILE, "f", "", (uint64_t)1 << 60); /* a size is only told */
	say(&b, ENTRY_LINK, "l", "/etc", 0);
	say(&b, ENTRY_OTHER, "o", "", 0);
	say(&b, ENTRY_UP, "", "", 0);
	say_done(&b);
	list(&b);
	assert_int_equal(b.why.code, TRM_OK);
	assert_string_equal(b.refused, "f 0 ,l 2 /etc,o 3 ,");
	end(&b);
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	b.endless_from = b.out.len;
	say(&b, ENTRY_FILE, "f", "", 0);
	b.is_endless = true;
	list(&b);
	assert_int_equal(b.why.code, TRM_ETOOBIG);
	end(&b);
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_FILE, "f", "", 0);
	say_data(&b, "bytes in a list");
	list(&b);
	assert_int_equal(b.why.code, TRM_EPROTO);
	end(&b);
}

static void test_lists_of_trees(void **state)
{
	struct bench b;
	(void)state;
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_DIR, "a", "", 0);
	say(&b, ENTRY_DIR, "b", "", 0);
	say(&b, ENTRY_FILE, "f", "", 1);
	say(&b, ENTRY_UP, "", "", 0);
	say(&b, ENTRY_FAIL, "x", "not readable", 0);
	say(&b, ENTRY_UP, "", "", 0);
	say(&b, ENTRY_LINK, "l", "/etc", 0);
	say(&b, ENTRY_UP, "", "", 0);
	say_done(&b);
	assert_int_equal(trm_file_list_tree(b.sandbox, "d", 5, &LIST_CB, &b, NULL), 0);
	for (int i = 0; i < TURNS && !b.n_refused; i++)
		turn(&b);
	assert_int_equal(b.why.code, TRM_OK);
	assert_string_equal(b.refused, "a 1 ,a/b 1 ,a/b/f 0 ,a/x 3 ,l 2 /etc,");
	end(&b);
}

int main(void)
{
	umask(027);
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_an_honest_one),
			cmocka_unit_test(test_names_that_lead_out),
			cmocka_unit_test(test_out_of_order),
			cmocka_unit_test(test_a_link_and_a_file_through_it),
			cmocka_unit_test(test_what_is_in_the_way),
			cmocka_unit_test(test_sizes),
			cmocka_unit_test(test_endless_entries),
			cmocka_unit_test(test_many_that_cannot_be_read),
			cmocka_unit_test(test_the_sandbox_ends_in_the_middle),
			cmocka_unit_test(test_stopped_in_the_middle),
			cmocka_unit_test(test_its_words_are_cleaned),
			cmocka_unit_test(test_a_put_that_is_answered_too_early),
			cmocka_unit_test(test_a_put_that_is_answered_with_files),
			cmocka_unit_test(test_an_agent_that_claims_too_much),
			cmocka_unit_test(test_an_agent_that_takes_nothing),
			cmocka_unit_test(test_only_what_is_wanted),
			cmocka_unit_test(test_what_has_changed_here),
			cmocka_unit_test(test_lists),
			cmocka_unit_test(test_lists_of_trees),
			cmocka_unit_test(test_a_list_that_is_too_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
