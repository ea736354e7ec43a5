/* SPDX-License-Identifier: MIT */
/* What a workbench has left of a buffer, for the next one: it may be cut short, or another version's. What is
 * understood is written as it was read. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "state/buffer_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct buffer_state place, again;
	static char out[BUFFER_STATE_BYTES], twice[BUFFER_STATE_BYTES];
	for (size_t at = 0, took; at < n; at += took) {
		took = buffer_state_read((const char *)bytes + at, n - at, &place);
		if (!took)
			break;
		if (took > n - at || strlen(place.path) >= sizeof place.path)
			abort();
		size_t len = buffer_state_write(&place, out);
		if (len > sizeof out || buffer_state_read(out, len, &again) != len)
			abort();
		if (buffer_state_write(&again, twice) != len || memcmp(out, twice, len) != 0)
			abort();
	}
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("path /tmp/a\\nb\\\\c.py\nlang python\nanchor 3\ncursor 7\ntop_line 1\nleft_col 0\n"
		     "current 1\npane output\ntext 2\n\nthe text\n"),
		SEED("path \n\npath x\nunknown y\n\n"),
		SEED("cursor 99999999999999999999\ntext -1\n\n"),
		{NULL, 0},
};
