/* SPDX-License-Identifier: MIT */
/* Trees in and out of the real agent, frame by frame. */
#include <dirent.h>
#include <ftw.h>

#include "lib/agent/rig.h"
#include "wire/entry.h"

struct place {
	struct rig *rig;
	struct link link;
	char dir[40];
	char path[64]; /* for at() */
};

static struct place place_make(void **state)
{
	struct place place = {.rig = *state, .link = link_open(*state), .dir = "/tmp/terrarium-test-XXXXXX"};
	assert_non_null(mkdtemp(place.dir));
	return place;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status, (void)kind, (void)at;
	return remove(path);
}

static void place_remove(struct place *place)
{
	link_close(&place->link);
	assert_int_equal(nftw(place->dir, remove_one, 16, FTW_PHYS | FTW_DEPTH), 0);
}

static const char *at(struct place *place, const char *name)
{
	snprintf(place->path, sizeof place->path, "%s/%.20s", place->dir, name);
	return place->path;
}

static size_t count_in(const char *path)
{
	size_t n = 0;
	struct dirent *row;
	DIR *dir = opendir(path);
	while (dir && (row = readdir(dir)))
		n += row->d_name[0] != '.' || strlen(row->d_name) > 2;
	if (dir)
		closedir(dir);
	return n;
}

static void request(struct place *p, uint32_t stream, enum frame_type type, const char *path, uint32_t flags,
		uint32_t window)
{
	struct buf out;
	const struct tree_msg msg = {.path = (char *)(uintptr_t)path,
			.base = (char *)(uintptr_t) "base",
			.flags = flags,
			.depth = 1,
			.window = window,
			.max_bytes = 1 << 20,
			.max_files = 100};
	buf_init(&out, 1 << 16);
	assert_int_equal(tree_msg_put(&out, stream, type, &msg), 0);
	link_write(&p->link, buf_at(&out), out.len);
	buf_finish(&out);
}

static void say(struct place *p, uint32_t stream, enum entry_kind kind, const char *name, uint64_t size)
{
	struct buf out;
	struct entry e = {.kind = kind, .mode = 0755, .size = size};
	strcpy(e.name, name);
	buf_init(&out, 1 << 16);
	assert_int_equal(entry_put(&out, stream, &e), 0);
	link_write(&p->link, buf_at(&out), out.len);
	buf_finish(&out);
}

static void say_op(struct place *p, uint32_t stream, enum file_op op, const char *path)
{
	link_pack(&p->link, stream, FRAME_FILE_OP, "bsu", (int)op, path, (uint32_t)0750);
}

static struct tree_sum sum_of(struct place *p, uint32_t stream)
{
	const struct frame *frame;
	struct tree_sum sum;
	while ((frame = link_next(&p->link, DEADLINE_MS, NULL)))
		if (frame->stream == stream && frame->type == FRAME_DONE) {
			assert_int_equal(tree_sum_get(frame, &sum), 0);
			return sum;
		}
	fail_msg("no DONE for stream %u", stream);
	return (struct tree_sum){0};
}

static void write_file(const char *path, size_t n)
{
	static const char bytes[100000];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0640);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	close(fd);
}

static void test_put(void **state)
{
	struct place p = place_make(state);
	struct stat status;
	request(&p, 1, FRAME_TREE_PUT, p.dir, 0, 0);
	say(&p, 1, ENTRY_DIR, "", 0);
	say(&p, 1, ENTRY_FILE, "f", 3);
	link_send(&p.link, 1, FRAME_DATA, 0, "abc", 3);
	say(&p, 1, ENTRY_END, "", 3);
	say(&p, 1, ENTRY_UP, "", 0);
	struct tree_sum sum = sum_of(&p, 1);
	assert_true(sum.files == 1 && sum.dirs == 1 && sum.bytes == 3 && sum.refused == 0);
	assert_int_equal(stat(at(&p, "base/f"), &status), 0);
	assert_int_equal(status.st_size, 3);
	place_remove(&p);
}

static void test_half_a_put_leaves_nothing(void **state)
{
	struct place p = place_make(state);
	struct trm_error error;
	for (uint32_t i = 1; i <= 2; i++) {
		request(&p, i, FRAME_TREE_PUT, p.dir, 0, 0);
		say(&p, i, ENTRY_FILE, "", 100);
		link_send(&p.link, i, FRAME_DATA, 0, "half", 4);
	}
	link_send(&p.link, 1, FRAME_CLOSE, 0, NULL, 0);
	say_op(&p, 3, FILE_OP_MKDIR, at(&p, "made")); /* answered when all before it is done */
	sum_of(&p, 3);
	assert_int_equal(count_in(p.dir), 1);
	say(&p, 2, ENTRY_NOTE, "", 0); /* which only the agent may send: the connection ends */
	assert_int_equal(link_error(&p.link, 0, &error), TRM_EPROTO);
	AWAIT(count_in(p.dir) == 1);
	place_remove(&p);
}

static void test_put_is_measured(void **state)
{
	struct place p = place_make(state);
	struct trm_error error;
	request(&p, 1, FRAME_TREE_PUT, p.dir, 0, 0);
	say(&p, 1, ENTRY_FILE, "", (uint64_t)1 << 60);
	assert_int_equal(link_error(&p.link, 1, &error), TRM_ETOOBIG);
	say(&p, 1, ENTRY_END, "", 0); /* for a stream that has ended: ignored */
	request(&p, 3, FRAME_TREE_PUT, at(&p, "none"), TREE_MUST_BE_DIR, 0);
	say(&p, 3, ENTRY_FILE, "", 0);
	assert_int_equal(link_error(&p.link, 3, &error), TRM_ENOENT);
	assert_int_equal(count_in(p.dir), 0);
	place_remove(&p);
}

static void test_get_stays_within_its_window(void **state)
{
	struct place p = place_make(state);
	const struct frame *frame;
	uint64_t got = 0, given = 20000;
	struct entry e;
	bool is_done = false;
	write_file(at(&p, "f"), 100000);
	request(&p, 1, FRAME_TREE_GET, at(&p, "f"), 0, (uint32_t)given);
	while (!is_done) {
		while (!is_done && (frame = link_next(&p.link, 100, NULL))) {
			is_done = frame->type == FRAME_DONE;
			if (is_done)
				continue;
			assert_true(frame->type == FRAME_DATA || entry_get(frame, &e, NULL) == 0);
			got += frame->len;
			assert_true(got <= given);
		}
		if (is_done)
			break;
		link_pack(&p.link, 1, FRAME_CREDIT, "u", (uint32_t)20000);
		given += 20000;
	}
	assert_true(got > 100000 && got < 100200);
	place_remove(&p);
}

static void test_others_have_their_turn_while_it_counts(void **state)
{
	struct place p = place_make(state);
	const struct frame *frame;
	char name[32];
	bool has_ponged = false;
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof name, "%d", i);
		write_file(at(&p, name), 0);
	}
	request(&p, 1, FRAME_TREE_GET, p.dir, TREE_WANTS_TOTAL, BIG_WINDOW);
	link_send(&p.link, 0, FRAME_PING, 0, "x", 1);
	while ((frame = link_next(&p.link, DEADLINE_MS, NULL)) && frame->type != FRAME_DONE)
		has_ponged |= frame->type == FRAME_PONG;
	assert_non_null(frame);
	assert_true(has_ponged);
	place_remove(&p);
}

static void test_lists_and_operations(void **state)
{
	struct place p = place_make(state);
	const struct frame *frame;
	struct trm_error error;
	struct entry e;
	char order[64] = "";
	say_op(&p, 1, FILE_OP_MKDIR, at(&p, "d"));
	sum_of(&p, 1);
	write_file(at(&p, "d/f"), 10);
	assert_int_equal(symlink("f", at(&p, "d/l")), 0);
	assert_int_equal(mkfifo(at(&p, "d/p"), 0600), 0);
	request(&p, 2, FRAME_TREE_GET, at(&p, "d"), TREE_LIST, BIG_WINDOW);
	while ((frame = link_next(&p.link, DEADLINE_MS, NULL)) && frame->type != FRAME_DONE) {
		assert_int_equal(entry_get(frame, &e, NULL), 0);
		order[strlen(order)] = (char)('0' + e.kind);
	}
	assert_int_equal(strlen(order), 5);
	assert_true(order[0] == '0' + ENTRY_DIR && order[4] == '0' + ENTRY_UP
			&& strchr(order, '0' + ENTRY_FILE) && strchr(order, '0' + ENTRY_LINK)
			&& strchr(order, '0' + ENTRY_OTHER));
	say_op(&p, 3, FILE_OP_REMOVE, at(&p, "d"));
	assert_int_not_equal(link_error(&p.link, 3, &error), 0); /* it is not empty */
	say_op(&p, 4, FILE_OP_REMOVE_TREE, at(&p, "d"));
	sum_of(&p, 4);
	assert_int_equal(count_in(p.dir), 0);
	say_op(&p, 5, FILE_OP_REMOVE, at(&p, "d"));
	assert_int_equal(link_error(&p.link, 5, &error), TRM_ENOENT);
	say_op(&p, 6, (enum file_op)99, at(&p, "d"));
	assert_int_equal(link_error(&p.link, 6, &error), TRM_EINVAL);
	request(&p, 7, FRAME_TREE_GET, "/dev/zero", 0, BIG_WINDOW);
	assert_int_equal(link_error(&p.link, 7, &error), TRM_EINVAL);
	place_remove(&p);
}

static void test_removal_follows_no_link(void **state)
{
	struct place p = place_make(state);
	char link[64];
	mkdir(at(&p, "kept"), 0700);
	write_file(at(&p, "kept/f"), 1);
	mkdir(at(&p, "d"), 0700);
	snprintf(link, sizeof link, "%s/d/l", p.dir);
	assert_int_equal(symlink("../kept", link), 0);
	say_op(&p, 1, FILE_OP_REMOVE_TREE, at(&p, "d"));
	sum_of(&p, 1);
	assert_int_equal(count_in(at(&p, "kept")), 1);
	assert_int_equal(count_in(p.dir), 1);
	place_remove(&p);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_put),
			T(test_half_a_put_leaves_nothing),
			T(test_put_is_measured),
			T(test_get_stays_within_its_window),
			T(test_others_have_their_turn_while_it_counts),
			T(test_lists_and_operations),
			T(test_removal_follows_no_link),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
