/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/metrics.h>

#include "fuzz/fuzz.h"
#include "fuzz/old/old.h"
#include "wire/entry.h"
#include "wire/message.h"

/* Both writers were given the same message. */
static void compare_written(struct buf *one, struct buf *other, int r, int r_other)
{
	if (r != r_other || one->len != other->len
			|| (one->len && memcmp(buf_at(one), buf_at(other), one->len) != 0))
		abort();
	buf_clear(one);
	buf_clear(other);
}

#define COMPARE(get, old_get, put, old_put, finish, old_finish) \
	do { \
		int r = get, r_old = old_get; \
		if (r != r_old) \
			abort(); \
		if (r < 0) \
			break; \
		int w = put, w_old = old_put; \
		compare_written(&one, &other, w, w_old); \
		finish; \
		old_finish; \
	} while (0)
#define SIMPLE(f, type, stream...) \
	do { \
		struct type a, b; \
		COMPARE(type##_get(f, &a), old_##type##_get(f, &b), type##_put(&one, ##stream, &a), \
				old_##type##_put(&other, ##stream, &b), (void)0, (void)0); \
	} while (0)

static void compare_announced(const struct frame *f, struct buf *one_of, struct buf *other_of)
{
	struct buf one = *one_of, other = *other_of;
	struct announced_msg a, b;
	int r = announced_msg_get(f, &a), r_old = old_announced_msg_get(f, &b);
	if (r != r_old)
		abort();
	if (r == 0 && a.kind) {
		int w = announced_msg_put(&one, &a), w_old = old_announced_msg_put(&other, &b);
		compare_written(&one, &other, w, w_old);
	}
	*one_of = one;
	*other_of = other;
}

static void decode(const struct frame *f)
{
	struct buf one, other;
	struct hello_msg hello, old_hello;
	struct welcome_msg welcome, old_welcome;
	struct spawn_msg spawn, old_spawn;
	struct trm_metrics metrics, old_metrics;
	static struct trm_process table[METRICS_MAX_PROCESSES], old_table[METRICS_MAX_PROCESSES];
	static struct entry entry, old_entry;
	struct tree_msg tree, old_tree;
	struct tree_sum sum, old_sum; /* the old reader skipped the mode */
	struct trm_error error;
	enum turn_word word;
	char *key;
	buf_init(&one, 2 * (FRAME_HEADER + FRAME_MAX_PAYLOAD));
	buf_init(&other, 2 * (FRAME_HEADER + FRAME_MAX_PAYLOAD));
	COMPARE(hello_msg_get(f, &hello), old_hello_msg_get(f, &old_hello),
			hello_msg_put(&one, hello.nproc, hello.flags, hello.pid),
			old_hello_msg_put(&other, old_hello.nproc, old_hello.flags, old_hello.pid), (void)0,
			(void)0);
	COMPARE(welcome_msg_get(f, &welcome), old_welcome_msg_get(f, &old_welcome),
			welcome_msg_put(&one, "x", welcome.client, welcome.report, welcome.report_len),
			old_welcome_msg_put(&other, "x", old_welcome.client, old_welcome.report,
					old_welcome.report_len),
			(void)0, (void)0);
	COMPARE(spawn_msg_get(f, &spawn), old_spawn_msg_get(f, &old_spawn), spawn_msg_put(&one, 7, &spawn),
			old_spawn_msg_put(&other, 7, &old_spawn), spawn_msg_finish(&spawn),
			old_spawn_msg_finish(&old_spawn));
	SIMPLE(f, started_msg, 7);
	SIMPLE(f, exited_msg, 7);
	SIMPLE(f, signal_pid_msg, 7);
	COMPARE(tree_sum_get(f, &sum), old_tree_sum_get(f, &old_sum),
			(sum.mode = 0, tree_sum_put(&one, 7, &sum)), old_tree_sum_put(&other, 7, &old_sum),
			(void)0, (void)0);
	compare_announced(f, &one, &other);
	COMPARE(metrics_msg_get(f, &metrics, table), old_metrics_msg_get(f, &old_metrics, old_table),
			metrics_msg_put(&one, &metrics), old_metrics_msg_put(&other, &old_metrics), (void)0,
			(void)0);
	COMPARE(entry_get(f, &entry, NULL), old_entry_get(f, &old_entry, NULL), entry_put(&one, 7, &entry),
			old_entry_put(&other, 7, &old_entry), (void)0, (void)0);
	COMPARE(tree_msg_get(f, &tree), old_tree_msg_get(f, &old_tree),
			tree_msg_put(&one, 7, FRAME_TREE_GET, &tree),
			old_tree_msg_put(&other, 7, FRAME_TREE_GET, &old_tree), tree_msg_finish(&tree),
			old_tree_msg_finish(&old_tree));
	error_msg_get(f, &error);
	turn_msg_get(f, &word);
	if (shared_msg_get(f, &key) == 0)
		free(key);
	buf_finish(&one);
	buf_finish(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct buf in;
	struct frame f;
	buf_init(&in, FRAME_HEADER + FRAME_MAX_PAYLOAD);
	/* The first byte says how the stream is cut into reads. */
	size_t step = n ? bytes[0] + 1u : 1;
	for (size_t at = 1; at < n; at += step) {
		if (buf_append(&in, bytes + at, n - at < step ? n - at : step) < 0)
			break;
		int r;
		while ((r = frame_next(&in, &f)) == 1) {
			decode(&f);
			frame_done(&in, &f);
		}
		if (r < 0)
			break;
	}
	buf_finish(&in);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		/* HELLO */
		SEED("\x40\x0c\0\0\0\0\0\0\0\x01\0\0\0TRM1\1\0\0\0\x40\0\0\0"),
		/* SPAWN of "sh" */
		SEED("\x07\x36\0\0\0\1\0\0\0\2\0\0\0"
		     "\0\0\0\0"
		     "\2\0\0\0"
		     "\x18\0\x50\0"
		     "\4\0\0\0"
		     "\0\0\1\0"
		     "\1\0\0\0\2\0\0\0sh"
		     "\0\0\0\0"
		     "\1\0\0\0/"
		     "\1\0\0\0x"
		     "\0\0\0\0"),
		/* EXITED, ERROR */
		SEED("\x20\x20\0\0\0\1\0\0\0\x84\0\0\0"
		     "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
		SEED("\x20\x0b\0\0\0\1\0\0\0\x88\0\0\0"
		     "\xfb\xff\xff\xff\3\0\0\0bad"),
		{NULL, 0},
};
