/* SPDX-License-Identifier: MIT */
#include <dirent.h>

#include "lib/agent/rig.h"

struct place {
	struct rig *rig;
	char dir[40];
	char path[60];
};

static struct place place_make(void **state)
{
	struct place place = {.rig = *state, .dir = "/tmp/terrarium-test-XXXXXX"};
	assert_non_null(mkdtemp(place.dir));
	snprintf(place.path, sizeof place.path, "%s/file", place.dir);
	return place;
}

static size_t place_count(const struct place *place)
{
	size_t n = 0;
	struct dirent *entry;
	DIR *dir = opendir(place->dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
	closedir(dir);
	return n;
}

static void place_remove(struct place *place)
{
	unlink(place->path);
	assert_int_equal(rmdir(place->dir), 0);
}

static void write_file(const char *path, const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0640);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	close(fd);
}

static uint64_t done_size(const struct frame *frame, uint32_t *ret_mode)
{
	struct unpack fields = {.at = frame->payload, .left = frame->len};
	uint64_t size = unpack_u64(&fields);
	*ret_mode = unpack_u32(&fields);
	assert_false(fields.bad);
	return size;
}

static void put(struct link *link, uint32_t stream, const char *path, uint32_t mode, const char *bytes,
		size_t n)
{
	link_pack(link, stream, FRAME_PUT, "suq", path, mode, (uint64_t)n);
	for (size_t at = 0; at < n; at += 100000)
		link_send(link, stream, FRAME_DATA, 0, bytes + at, n - at < 100000 ? n - at : 100000);
}

static char *pattern(size_t n)
{
	char *bytes = malloc(n);
	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(i * 31 + i / 251);
	return bytes;
}

static void test_put_and_get_give_the_same_back(void **state)
{
	enum { N = 3000000 };
	struct place place = place_make(state);
	struct link link = link_open(place.rig);
	struct tape tape;
	uint32_t mode;
	size_t got = 0;
	char *bytes = pattern(N), *back = malloc(N);
	tape_init(&tape, 1);
	put(&link, 1, place.path, 0755, bytes, N);
	assert_int_equal(done_size(link_until(&link, &tape, FRAME_DONE), &mode), N);
	struct stat status;
	assert_int_equal(stat(place.path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0755);
	tape.stream = 2;
	link_pack(&link, 2, FRAME_GET, "squ", place.path, (uint64_t)N, (uint32_t)50000);
	for (;;) {
		const struct frame *frame = link_next(&link, DEADLINE_MS, NULL);
		assert_non_null(frame);
		if (frame->type == FRAME_DONE) {
			assert_int_equal(done_size(frame, &mode), N);
			assert_int_equal(mode, 0755);
			break;
		}
		assert_int_equal(frame->type, FRAME_DATA);
		assert_true(frame->len <= 50000 && got + frame->len <= N);
		memcpy(back + got, frame->payload, frame->len);
		got += frame->len;
		link_pack(&link, 2, FRAME_CREDIT, "u", frame->len);
	}
	assert_int_equal(got, N);
	assert_memory_equal(bytes, back, N);
	assert_int_equal(place_count(&place), 1);
	free(bytes);
	free(back);
	tape_finish(&tape);
	link_close(&link);
	place_remove(&place);
}

static void test_get_stays_within_its_window(void **state)
{
	struct place place = place_make(state);
	struct link link = link_open(place.rig);
	const struct frame *frame;
	uint32_t mode, got = 0;
	char *bytes = pattern(100000);
	write_file(place.path, bytes, 100000);
	link_pack(&link, 1, FRAME_GET, "squ", place.path, UINT64_MAX, (uint32_t)60000);
	while (got < 60000) {
		assert_non_null(frame = link_next(&link, DEADLINE_MS, NULL));
		got += frame->len;
	}
	assert_int_equal(got, 60000);
	assert_null(link_next(&link, 100, NULL));
	link_pack(&link, 1, FRAME_CREDIT, "u", (uint32_t)40000);
	assert_int_equal(link_next(&link, DEADLINE_MS, NULL)->len, 40000);
	/* The window is used up exactly, and the end is told all the same. */
	frame = link_next(&link, DEADLINE_MS, NULL);
	assert_int_equal(frame->type, FRAME_DONE);
	assert_int_equal(done_size(frame, &mode), 100000);
	free(bytes);
	link_close(&link);
	place_remove(&place);
}

static void test_empty_file(void **state)
{
	struct place place = place_make(state);
	struct link link = link_open(place.rig);
	struct tape tape;
	uint32_t mode;
	tape_init(&tape, 1);
	put(&link, 1, place.path, 0600, "", 0);
	assert_int_equal(done_size(link_until(&link, &tape, FRAME_DONE), &mode), 0);
	link_pack(&link, 1, FRAME_GET, "squ", place.path, (uint64_t)10, (uint32_t)0);
	assert_int_equal(done_size(link_until(&link, &tape, FRAME_DONE), &mode), 0);
	tape_finish(&tape);
	link_close(&link);
	place_remove(&place);
}

static void expect_get_error(struct link *link, const char *path, uint64_t max, int code, const char *reason)
{
	struct trm_error error;
	link_pack(link, 3, FRAME_GET, "squ", path, max, (uint32_t)1000000);
	assert_int_equal(link_error(link, 3, &error), code);
	assert_non_null(strstr(error.msg, reason));
	assert_non_null(strstr(error.msg, path));
}

static void test_what_cannot_be_got(void **state)
{
	struct place place = place_make(state);
	struct link link = link_open(place.rig);
	expect_get_error(&link, place.path, 10, TRM_ENOENT, "No such file");
	expect_get_error(&link, place.dir, 10, TRM_EINVAL, "directory");
	expect_get_error(&link, "/dev/zero", 10, TRM_EINVAL, "not a regular file");
	assert_int_equal(mkfifo(place.path, 0600), 0);
	expect_get_error(&link, place.path, 10, TRM_EINVAL, "not a regular file");
	unlink(place.path);
	write_file(place.path, "0123456789a", 11);
	expect_get_error(&link, place.path, 10, TRM_ETOOBIG, "bigger");
	expect_get_error(&link, "/proc/self/status", 10, TRM_ETOOBIG, "bigger"); /* a size of 0, and yet */
	link_close(&link);
	place_remove(&place);
}

static void expect_put_error(struct link *link, const char *path, int code)
{
	struct trm_error error;
	put(link, 4, path, 0600, "x", 1);
	assert_int_equal(link_error(link, 4, &error), code);
	assert_non_null(strstr(error.msg, path));
}

static void test_what_cannot_be_put(void **state)
{
	struct place place = place_make(state);
	struct link link = link_open(place.rig);
	char below[80];
	snprintf(below, sizeof below, "%s/no/such", place.dir);
	expect_put_error(&link, below, TRM_ENOENT);
	assert_int_equal(mkdir(place.path, 0700), 0);
	expect_put_error(&link, place.path, TRM_EINVAL);
	assert_int_equal(place_count(&place), 1); /* nothing left beside */
	rmdir(place.path);
	link_close(&link);
	place_remove(&place);
}

static void test_put_replaces_a_link_and_a_fifo(void **state)
{
	struct place place = place_make(state);
	struct link link = link_open(place.rig);
	struct tape tape;
	struct stat status;
	char target[60];
	tape_init(&tape, 1);
	snprintf(target, sizeof target, "%s/target", place.dir);
	write_file(target, "untouched", 9);
	assert_int_equal(symlink(target, place.path), 0);
	put(&link, 1, place.path, 0600, "new", 3);
	link_until(&link, &tape, FRAME_DONE);
	assert_int_equal(lstat(place.path, &status), 0);
	assert_true(S_ISREG(status.st_mode) && status.st_size == 3);
	assert_int_equal(stat(target, &status), 0);
	assert_int_equal(status.st_size, 9);
	unlink(place.path);
	assert_int_equal(mkfifo(place.path, 0600), 0);
	put(&link, 1, place.path, 0600, "new", 3);
	link_until(&link, &tape, FRAME_DONE);
	assert_int_equal(lstat(place.path, &status), 0);
	assert_true(S_ISREG(status.st_mode));
	unlink(target);
	tape_finish(&tape);
	link_close(&link);
	place_remove(&place);
}

static void test_unfinished_put_leaves_the_old_file_and_nothing_else(void **state)
{
	struct place place = place_make(state);
	struct link link = link_open(place.rig);
	struct stat status;
	write_file(place.path, "old", 3);
	link_pack(&link, 1, FRAME_PUT, "suq", place.path, (uint32_t)0600, (uint64_t)100);
	link_send(&link, 1, FRAME_DATA, 0, "half", 4);
	AWAIT(place_count(&place) == 2);
	link_close(&link);
	AWAIT(place_count(&place) == 1);
	assert_int_equal(stat(place.path, &status), 0);
	assert_int_equal(status.st_size, 3);
	place_remove(&place);
}

static void test_more_than_announced_breaks_the_connection(void **state)
{
	struct place place = place_make(state);
	struct link link = link_open(place.rig);
	struct trm_error error;
	link_pack(&link, 1, FRAME_PUT, "suq", place.path, (uint32_t)0600, (uint64_t)3);
	link_send(&link, 1, FRAME_DATA, 0, "four", 4);
	assert_int_equal(link_error(&link, 0, &error), TRM_EPROTO);
	AWAIT(place_count(&place) == 0);
	link_close(&link);
	place_remove(&place);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_put_and_get_give_the_same_back),
			T(test_get_stays_within_its_window),
			T(test_empty_file),
			T(test_what_cannot_be_got),
			T(test_what_cannot_be_put),
			T(test_put_replaces_a_link_and_a_fifo),
			T(test_unfinished_put_leaves_the_old_file_and_nothing_else),
			T(test_more_than_announced_breaks_the_connection),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
