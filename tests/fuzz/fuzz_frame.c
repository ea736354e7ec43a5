/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include <terrarium/error.h>
#include <terrarium/metrics.h>

#include "fuzz/fuzz.h"
#include "wire/entry.h"
#include "wire/message.h"

/* What only one side understands, and the other must not be harmed by. */
static void decode_more(const struct frame *f)
{
	struct welcome_msg welcome;
	struct started_msg started;
	struct announced_msg reported;
	struct signal_pid_msg signal;
	struct tree_msg tree;
	struct tree_sum sum;
	enum turn_word word;
	char *key;
	if (welcome_msg_get(f, &welcome) == 0 && welcome.report_len > f->len)
		abort();
	if (started_msg_get(f, &started) == 0 && started.greeting_len > f->len)
		abort();
	if (announced_msg_get(f, &reported) == 0 && (reported.by_len > f->len || reported.words_len > f->len))
		abort();
	signal_pid_msg_get(f, &signal);
	if (tree_msg_get(f, &tree) == 0)
		tree_msg_finish(&tree);
	tree_sum_get(f, &sum);
	turn_msg_get(f, &word);
	if (shared_msg_get(f, &key) == 0)
		free(key);
}

static void decode(const struct frame *f)
{
	struct hello_msg hello;
	struct spawn_msg spawn;
	struct exited_msg exited;
	struct trm_error error;
	struct trm_metrics metrics;
	struct trm_process table[METRICS_MAX_PROCESSES];
	hello_msg_get(f, &hello);
	if (spawn_msg_get(f, &spawn) == 0)
		spawn_msg_finish(&spawn);
	exited_msg_get(f, &exited);
	error_msg_get(f, &error);
	metrics_msg_get(f, &metrics, table);
	decode_more(f);
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
		SEED("\x40\x0c\0\0\0\0\0\0\0\x01\0\0\0TRM1\2\0\0\0\x40\0\0\0"),
		/* SPAWN of "sh" */
		SEED("\x07\x34\0\0\0\1\0\0\0\2\0\0\0"
		     "\0\0\0\0"
		     "\2\0\0\0"
		     "\x18\0\x50\0"
		     "\4\0\0\0"
		     "\0\0\1\0"
		     "\1\0\0\0\2\0\0\0sh"
		     "\0\0\0\0"
		     "\1\0\0\0/"
		     "\1\0\0\0x"
		     "\0\0\0\0"
		     "\0\0\0\0"),
		/* EXITED, ERROR */
		SEED("\x20\x20\0\0\0\1\0\0\0\x84\0\0\0"
		     "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
		SEED("\x20\x0b\0\0\0\1\0\0\0\x88\0\0\0"
		     "\xfb\xff\xff\xff\3\0\0\0bad"),
		{NULL, 0},
};
