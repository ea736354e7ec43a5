/* SPDX-License-Identifier: MIT */
/* Archives of what an agent says that no honest one says. */
#include "lib/sandbox/copy_bench.h"

/* What has been written to `fd`: the caller frees it. */
static char *slurp(int fd, size_t *ret_n)
{
	off_t n = lseek(fd, 0, SEEK_END);
	char *bytes = calloc(1, (size_t)n + 1);
	assert_non_null(bytes);
	assert_int_equal(pread(fd, bytes, (size_t)n, 0), n);
	*ret_n = (size_t)n;
	return bytes;
}

static void get_archive(struct bench *b, int fd, uint64_t max_bytes)
{
	const char *sources[] = {":d", NULL};
	const struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.sources = sources,
			.target = "-",
			.own = b->sandbox,
			.in_fd = -1,
			.out_fd = fd,
			.max_bytes = max_bytes,
			.max_files = 100};
	assert_int_equal(trm_copy_start(b->loop, &opts, &COPY_CB, b, &b->copy, NULL), 0);
	until_over(b);
}

static int new_file(void)
{
	char path[] = "/tmp/terrarium-tar-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

/* The stream ends with the sandbox, which broke the protocol, and `name` is not in it. */
static void expect_broken_archive(struct bench *b, const char *name)
{
	int fd = new_file();
	size_t n;
	get_archive(b, fd, 1 << 20);
	assert_int_equal(b->why.code, TRM_EPROTO);
	char *bytes = slurp(fd, &n);
	assert_null(memmem(bytes, n, name, strlen(name)));
	free(bytes);
	close(fd);
	end(b);
}

static void test_archives_of_a_liar(void **state)
{
	static const char *const names[] = {"../xyz", "/tmp/xyz", "..", ".", "a/xyz", "xyz/"};
	static const enum entry_kind kinds[] = {ENTRY_FILE, ENTRY_DIR, ENTRY_LINK};
	struct bench b;
	(void)state;
	for (size_t i = 0; i < 3 * (sizeof names / sizeof *names); i++) {
		begin(&b);
		say(&b, ENTRY_DIR, "", "", 0);
		say(&b, kinds[i % 3], names[i / 3], kinds[i % 3] == ENTRY_LINK ? "t" : "", 0);
		expect_broken_archive(&b, "xyz");
	}
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_OTHER, "device", "", 0);
	expect_broken_archive(&b, "device");
	begin(&b);
	say(&b, ENTRY_LINK, "", "/etc/passwd", 0);
	expect_broken_archive(&b, "passwd");
}

static void test_links_in_archives(void **state)
{
	static const char *const out[] = {"..", "/etc/passwd", "../../x", "up/../.."};
	struct bench b;
	size_t n;
	int fd = new_file();
	(void)state;
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	for (size_t i = 0; i < sizeof out / sizeof *out; i++)
		say(&b, ENTRY_LINK, "leads-out", out[i], 0);
	say(&b, ENTRY_DIR, "sub", "", 0);
	say(&b, ENTRY_LINK, "stays", "../sub", 0);
	say(&b, ENTRY_UP, "", "", 0);
	say(&b, ENTRY_UP, "", "", 0);
	say_done(&b);
	get_archive(&b, fd, 1 << 20);
	assert_int_equal(b.why.code, TRM_OK);
	assert_int_equal(b.sum.refused, 4);
	char *bytes = slurp(fd, &n);
	assert_null(memmem(bytes, n, "leads-out", 9));
	assert_non_null(memmem(bytes, n, "d/sub/stays", 11));
	free(bytes);
	close(fd);
	end(&b);
}

/* A file is shorter or longer than was told: the stream stays readable, or it ends with a reason. */
static void test_sizes_in_archives(void **state)
{
	struct bench b;
	size_t n;
	int fd = new_file();
	(void)state;
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_FILE, "shrunk", "", 1000);
	say_data(&b, "some");
	say(&b, ENTRY_END, "", "", 4);
	say(&b, ENTRY_FILE, "grown", "", 2);
	say_data(&b, "abcdef");
	say(&b, ENTRY_END, "", "", 6);
	say(&b, ENTRY_UP, "", "", 0);
	say_done(&b);
	get_archive(&b, fd, 1 << 20);
	assert_int_equal(b.why.code, TRM_OK);
	char *bytes = slurp(fd, &n);
	assert_int_equal(n, 512 * (1 + 1 + 2 + 1 + 1 + 2));
	assert_string_equal(bytes + 4 * 512, "d/grown");
	assert_string_equal(bytes + 5 * 512, "ab");
	free(bytes);
	assert_int_equal(ftruncate(fd, 0), 0);
	end(&b);
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_FILE, "f", "", UINT64_C(1) << 40);
	say(&b, ENTRY_END, "", "", 0);
	get_archive(&b, fd, UINT64_MAX);
	assert_int_equal(b.why.code, TRM_EIO);
	assert_non_null(strstr(b.why.msg, "much shorter while it was read"));
	close(fd);
	end(&b);
	begin(&b);
	fd = new_file();
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_FILE, "f", "", UINT64_C(1) << 60);
	get_archive(&b, fd, 1 << 20);
	assert_int_equal(b.why.code, TRM_ETOOBIG);
	close(fd);
	end(&b);
}

/* Eight gigabytes and more have no place in octal digits. */
static void test_a_giant_in_an_archive(void **state)
{
	struct bench b;
	size_t n;
	int fd = new_file();
	(void)state;
	begin(&b);
	say(&b, ENTRY_DIR, "", "", 0);
	say(&b, ENTRY_FILE, "f", "", (UINT64_C(1) << 33) + 5);
	say_data(&b, "some");
	error_msg_put(&b.out, STREAM, TRM_EIO, "it is enough");
	get_archive(&b, fd, UINT64_MAX);
	assert_int_equal(b.why.code, TRM_EIO);
	char *bytes = slurp(fd, &n);
	assert_memory_equal(bytes + 512 + 124, "\x80\0\0\0\0\0\0\x02\0\0\0\x05", 12);
	free(bytes);
	close(fd);
	end(&b);
}

int main(void)
{
	umask(027);
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_archives_of_a_liar),
			cmocka_unit_test(test_links_in_archives),
			cmocka_unit_test(test_sizes_in_archives),
			cmocka_unit_test(test_a_giant_in_an_archive),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
