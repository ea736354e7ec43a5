/* SPDX-License-Identifier: MIT */
/* What clients tell each other about their runs, by way of the sandbox. What is understood can be told again,
 * and is then understood as the same. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "kernel/note.h"

static bool is_same(const struct kernel_note *a, const struct kernel_note *b)
{
	return a->id == b->id && a->number == b->number && a->at_ms == b->at_ms
	       && a->timeout_ms == b->timeout_ms && a->set == b->set && a->offers_stdin == b->offers_stdin
	       && a->code_len == b->code_len && memcmp(a->code, b->code, a->code_len) == 0;
}

static void tell_again(const struct kernel_note *note)
{
	struct kernel_note again;
	struct buf line;
	buf_init(&line, KERNEL_NOTE_MAX);
	if (kernel_note_put(&line, note) < 0 || line.len > KERNEL_NOTE_MAX)
		abort();
	if (!kernel_note_decode(buf_at(&line), line.len - 1, &again) || !is_same(note, &again))
		abort();
	kernel_note_finish(&again);
	buf_finish(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct kernel_note note;
	char *line = malloc(n + 1);
	if (!line)
		return 0;
	memcpy(line, bytes, n);
	line[n] = '\0'; /* as kernel_lines_next() leaves it */
	if (kernel_note_decode(line, n, &note)) {
		if (n < KERNEL_NOTE_MAX / 16)
			tell_again(&note);
		kernel_note_finish(&note);
	}
	free(line);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("{\"ev\":\"begin\",\"id\":\"4294967299\",\"number\":3,\"at_ms\":1700000000000,\"timeout_ms\":30000,"
		     "\"set\":0,\"stdin\":true,\"by\":\"terrarium repl, pid 42\",\"file\":\"<run 3>\",\"code\":\"1+1\","
		     "\"code_cut\":0}"),
		SEED("{\"ev\":\"begin\",\"id\":\"1\",\"number\":1,\"at_ms\":0,\"timeout_ms\":0,\"set\":7,\"stdin\":false,"
		     "\"by\":\"\",\"file\":\"\",\"code\":\"\\u001b]52;c;aGk=\\u0007\\ud83d\\ude00\",\"code_cut\":9}"),
		SEED("{\"ev\":\"limit\",\"id\":\"1\",\"timeout_ms\":30000}"),
		SEED("{\"ev\":\"answer\",\"id\":\"1\"}"),
		{NULL, 0},
};
