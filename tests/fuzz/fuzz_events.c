/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "rpc/events.h"

static int check(void *user, const char *name, const char *data, size_t n)
{
	size_t *heard = user;
	/* The ceilings hold, and the text is one. */
	if (strlen(name) > EVENT_NAME_MAX || (data ? strlen(data) : 0) != n || n > 64)
		abort();
	*heard += data ? n : 1000;
	return 0;
}

/* The first byte says how the stream is cut into reads; cutting must make no difference. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	size_t step = n ? bytes[0] + 1u : 1, heard[2] = {0, 0};
	int r[2];
	for (int whole = 0; whole < 2 && n; whole++) {
		struct event_reader reader;
		event_reader_init(&reader, 64);
		if (whole)
			step = n;
		r[whole] = 0;
		for (size_t at = 1; at < n && !r[whole]; at += step)
			r[whole] = event_reader_feed(&reader, (const char *)bytes + at,
					n - at < step ? n - at : step, check, &heard[whole]);
		event_reader_finish(&reader);
	}
	if (n && (heard[0] != heard[1] || r[0] != r[1]))
		abort();
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("\x03"
		     "event: output\ndata: {\"stream\":\"stdout\",\"text\":\"x\"}\n\n"),
		SEED("\x10"
		     "\xEF\xBB\xBF: beat\r\n\r\nevent: a\rdata: 1\rdata: 2\r\rid: 7\ndata\n\n"),
		SEED("\x01"
		     "event: response\ndata: {\"jsonrpc\":\"2.0\",\"result\":{\"output\":[]},\"id\":1}\n\n:\n\n"),
		{NULL, 0},
};
