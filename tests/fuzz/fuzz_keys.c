/* SPDX-License-Identifier: MIT */
/* What comes from the terminal: however it is cut, the same events. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "term/keys.h"

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001B3u;
	return h;
}

static uint64_t collect(const uint8_t *bytes, size_t n, size_t step)
{
	uint64_t h = 1469598103934665603u;
	struct keys *k = keys_create();
	struct event e;
	if (!k)
		return 0;
	for (size_t at = 0; at < n; at += step) {
		keys_feed(k, (const char *)bytes + at, n - at < step ? n - at : step, 1);
		while (keys_next(k, &e)) {
			uint32_t what[] = {e.type, e.type == EVENT_KEY ? e.key : 0, e.mods};
			h = hash(h, what, sizeof what);
			if (e.type == EVENT_PASTE)
				h = hash(h, e.text, e.text_len);
		}
	}
	keys_flush(k);
	while (keys_next(k, &e))
		h = hash(h, &e.key, sizeof e.key);
	keys_destroy(k);
	return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (collect(bytes, n, n ? n : 1) != collect(bytes, n, 1))
		abort();
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("abc\xc3\xa9\x1b[A\x1bOP\x1b[15~\x1b[1;5D"),
		SEED("\x1b[200~pasted\r\ntext \x1b[31m\x1b[201~z"),
		SEED("\x1b[<0;10;5M\x1b[<0;10;5m\x1b[<64;1;1M\x1b[M !!"),
		SEED("\x1b[27;5;13~\x1b[13;5u\x1b\x1b[B\x03\x7f\x1b"),
		/* kitty's keyboard protocol: Shift-Enter, Control-Enter, releases, the keypad, other layouts
		 */
		SEED("\x1b[13;2u\x1b[13;5u\x1b[97;5:3u\x1b[57414u\x1b[97:65:99;6;65u\x1b[?1u\x1b[27u\x1b[1;5:1A"),
		SEED("\x1b[I\x1b[O\x1b[<35;10;5M\x1b[<35;11;5M\x1b[<67;1;1M\x1b[<0;1;1m"),
		{NULL, 0},
};
