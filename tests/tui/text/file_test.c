/* SPDX-License-Identifier: MIT */
#define FILE_MAX_BYTES ((size_t)1 << 20)
#include "text/file.c"

#include "text/bytes.h"

#include "cmocka_all.h"

static char dir[] = "/tmp/terrarium-file-XXXXXX";

static const char *in_dir(const char *name)
{
	static char path[2][256];
	static int turn;
	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

static void put(const char *path, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static void expect_file(const char *path, const char *bytes, size_t n)
{
	char got[8192];
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	assert_int_equal(fread(got, 1, sizeof(got), f), n);
	assert_memory_equal(got, bytes, n);
	fclose(f);
}

static struct text *load(const char *path, struct file_format *format)
{
	struct text *t = NULL;
	struct file_stamp stamp;
	struct trm_error err;
	if (file_load(path, &t, format, &stamp, &err) < 0)
		fail_msg("%s", err.msg);
	assert_true(stamp.exists);
	return t;
}

static void save(const char *path, const struct text *t, struct file_format format)
{
	struct file_stamp stamp;
	struct trm_error err;
	if (file_save(path, t, format, &stamp, &err) < 0)
		fail_msg("%s", err.msg);
}

/* Loading and saving gives the same bytes. */
static void test_bytes_stay(void **state)
{
	static const char *const cases[] = {"", "one", "one\n", "one\r\ntwo\r\n", "one\r\ntwo",
			"one\r\ntwo\n", "\r", "a\rb\n", "\r\r\n", "\xFF\xFE\n\xC3", "\n\n\n",
			"\xEF\xBB\xBFx\r\n"};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct file_format format;
		put(in_dir("same"), cases[i], strlen(cases[i]));
		struct text *t = load(in_dir("same"), &format);
		save(in_dir("same"), t, format);
		expect_file(in_dir("same"), cases[i], strlen(cases[i]));
		text_destroy(t);
	}
}

static void test_crlf_is_hidden(void **state)
{
	struct file_format format;
	(void)state;
	put(in_dir("crlf"), "a\r\nb\r\n", 6);
	struct text *t = load(in_dir("crlf"), &format);
	assert_true(format.has_crlf);
	assert_int_equal(text_len(t), 4);
	text_insert(t, 4, "c\n", 2);
	save(in_dir("crlf"), t, format);
	expect_file(in_dir("crlf"), "a\r\nb\r\nc\r\n", 9);
	text_destroy(t);
}

static void test_mode_and_links(void **state)
{
	struct file_format format;
	struct stat st;
	(void)state;
	put(in_dir("tool"), "x", 1);
	chmod(in_dir("tool"), 0754);
	assert_int_equal(symlink("tool", in_dir("link")), 0);
	struct text *t = load(in_dir("link"), &format);
	text_insert(t, 1, "y", 1);
	save(in_dir("link"), t, format);
	expect_file(in_dir("tool"), "xy", 2);
	assert_int_equal(stat(in_dir("tool"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0754);
	assert_int_equal(lstat(in_dir("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));

	/* A link to nothing makes what it points to; two names of one file stay one. */
	assert_int_equal(symlink("born", in_dir("hope")), 0);
	save(in_dir("hope"), t, format);
	expect_file(in_dir("born"), "xy", 2);
	assert_int_equal(link(in_dir("born"), in_dir("twin")), 0);
	text_insert(t, 2, "z", 1);
	save(in_dir("born"), t, format);
	expect_file(in_dir("twin"), "xyz", 3);
	text_destroy(t);
}

static void test_new_file_follows_umask(void **state)
{
	struct file_format format = {0};
	struct stat st;
	mode_t before = umask(027);
	struct text *t = text_create();
	(void)state;
	save(in_dir("fresh"), t, format);
	umask(before);
	assert_int_equal(stat(in_dir("fresh"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	text_destroy(t);
}

static void expect_failure(const char *path, int code, const char *word)
{
	struct text *t = NULL;
	struct file_format format;
	struct file_stamp stamp;
	struct trm_error err = {0};
	assert_int_equal(file_load(path, &t, &format, &stamp, &err), code);
	assert_null(t);
	if (!strstr(err.msg, word))
		fail_msg("\"%s\" lacks \"%s\"", err.msg, word);
}

static void test_what_cannot_be_opened(void **state)
{
	static char big[FILE_MAX_BYTES + 1];
	(void)state;
	expect_failure(in_dir("nowhere"), TRM_ENOENT, "No such file");
	expect_failure(dir, TRM_EINVAL, "directory");
	put(in_dir("binary"), "ab\0c", 4);
	expect_failure(in_dir("binary"), TRM_EINVAL, "offset 2");
	assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
	expect_failure(in_dir("pipe"), TRM_EINVAL, "not a regular file");
	memset(big, 'x', sizeof(big));
	put(in_dir("big"), big, sizeof(big));
	expect_failure(in_dir("big"), TRM_ETOOBIG, "too big");
	expect_failure("/proc/self/mem", TRM_EIO, "cannot read");
	if (geteuid() != 0) {
		put(in_dir("secret"), "x", 1);
		chmod(in_dir("secret"), 0);
		expect_failure(in_dir("secret"), TRM_EPERM, "denied");
	}
}

static void test_what_cannot_be_saved(void **state)
{
	struct text *t = text_create();
	struct file_stamp stamp;
	struct trm_error err;
	(void)state;
	assert_true(file_save(in_dir("no/such/folder"), t, (struct file_format){0}, &stamp, &err) < 0);
	assert_non_null(strstr(err.msg, "cannot save"));
	assert_true(file_save(dir, t, (struct file_format){0}, &stamp, &err) < 0);
	if (geteuid() != 0) {
		put(in_dir("fixed"), "x", 1);
		chmod(in_dir("fixed"), 0444);
		assert_int_equal(file_save(in_dir("fixed"), t, (struct file_format){0}, &stamp, &err),
				TRM_EPERM);
		expect_file(in_dir("fixed"), "x", 1);
	}
	text_destroy(t);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static void test_why_folders_cannot_be_made(void **state)
{
	(void)state;
	char path[5000];
	put(in_dir("wall"), "", 0);
	snprintf(path, sizeof path, "%s/inside/deeper", in_dir("wall"));
	assert_int_equal(make_dirs(path, 0700), -ENOTDIR);
	assert_int_equal(make_dirs("/proc/self/terrarium/deeper", 0700), -ENOENT);
	snprintf(path, sizeof path, "%s/%0300d/deeper", dir, 0);
	assert_int_equal(make_dirs(path, 0700), -ENAMETOOLONG);
	assert_int_equal(make_dirs(dir, 0700), 0);
}

static int remove_dir(void **state)
{
	static const char *const names[] = {"same", "crlf", "tool", "link", "hope", "born", "twin", "fresh",
			"binary", "pipe", "big", "secret", "fixed", "wall"};
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unlink(in_dir(names[i]));
	return rmdir(dir); /* and no temporary file is left in it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_bytes_stay),
			cmocka_unit_test(test_crlf_is_hidden),
			cmocka_unit_test(test_mode_and_links),
			cmocka_unit_test(test_new_file_follows_umask),
			cmocka_unit_test(test_what_cannot_be_opened),
			cmocka_unit_test(test_what_cannot_be_saved),
			cmocka_unit_test(test_why_folders_cannot_be_made),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
