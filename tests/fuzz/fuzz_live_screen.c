/* SPDX-License-Identifier: MIT */
/* What moves the cursor: played to the emulator and read again. Hostile bytes must not hang or crash it, and
 * no control character may come out. */
#include <stdlib.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "output/live_screen.h"
#include "output/output_line.h"

enum { HANG_S = 10 };

static void check(const struct output_line *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (const unsigned char *p = (const unsigned char *)l->cells[i].text; *p; p++)
			if (*p < 0x20 || *p == 0x7f)
				abort();
}

static void read_all(struct live_screen *o, const struct scrollback *s)
{
	struct out_reader r;
	struct output_line l = {0};

	out_reader_seek(&r, s, scrollback_first(s));
	while (output_line_read(&l, &r))
		check(&l);
	for (int i = 0; i < live_screen_lines(o); i++) {
		live_screen_read(o, i, &l);
		check(&l);
	}
	output_line_finish(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct live_screen o = {0};
	struct scrollback s;

	if (n < 3 || scrollback_init(&s, 1 << 20) < 0)
		return 0;
	alarm(HANG_S);
	live_screen_size(&o, bytes[0] % 50, bytes[1]);
	size_t step = bytes[2] + 1u;
	for (size_t at = 3; at < n; at += step) {
		enum out_kind kind = bytes[at] & 1 ? OUT_STDERR : OUT_STDOUT;
		live_screen_feed(&o, &s, kind, 1 + (bytes[at] == 7), bytes + at,
				n - at < step ? n - at : step);
		if (bytes[at] == 9)
			read_all(&o, &s);
	}
	read_all(&o, &s);
	live_screen_commit(&o, &s);
	read_all(&o, &s);
	live_screen_finish(&o);
	scrollback_finish(&s);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("\x0a\x28\x10one\ntwo\x1b[A\r\x1b[2K\x1b[1;31mred\x1b[0m\n\x1b[3;4Hx\x1b[J\x1b[3b\x1b[2@\x1b[2P"),
		SEED("\x05\x10\x05\x1b[A\x1b[2;4r\x1b[?6h\n\n\n\x1b[S\x1b[3T\x1bM\x1b[5L\x1b[6M\x1b[s\x1b[9X\x1b[u"),
		SEED("\x18\x50\xff\x1b[H\x1b]52;c;AAAA\x07\x1b]0;title\x1b\\\x1bPdcs\x1b\\\x1b_apc\x1b\\\x1b[c\x1b[6n\x05"),
		SEED("\x01\x01\x00\x1b[2J\xf0\x9f\x98\x80\xe2\x80\x8d\xf0\x9f\x98\x80\xcc\x81\x1b[99999999b\x1b#8\x1b"
		     "c\x1b(0qqq"),
		SEED("\x14\x32\x20\x1b[?1049h\x1b[?69h\x1b[5;10s\x1b[?7l\x1b[4h\x1b[20h\x1b[1'}\x1b[!p\x1b[?5h\x1b[38:2::1:2:3mx"),
		{NULL, 0},
};
