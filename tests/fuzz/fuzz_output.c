/* SPDX-License-Identifier: MIT */
/* What a sandbox prints, kept and read again as lines of characters. */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "output/scrollback.h"

static void read_all(const struct scrollback *s)
{
	struct out_reader r;
	struct out_piece piece;
	out_reader_seek(&r, s, scrollback_first(s));
	while (out_reader_next(&r, &piece)) {
		const char *p = piece.bytes, *end = piece.bytes + piece.n;
		uint32_t value;
		enum ansi_op op;
		while ((op = ansi_next(piece.colors, &p, end, &value)) != ANSI_END)
			if (op == ANSI_CHAR && value != 0xFFFD
					&& (value < 0x20 || (value >= 0x7F && value < 0xA0)))
				abort(); /* a control character got through the glass */
		if (piece.ends_line)
			ansi_end_line(piece.colors);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct scrollback s;
	if (scrollback_init(&s, 1 << 20) < 0)
		return 0;
	size_t step = n ? bytes[0] + 1u : 1;
	for (size_t at = 1; at < n; at += step) {
		enum out_kind kind = bytes[at] & 1 ? OUT_STDERR : OUT_STDOUT;
		scrollback_append(&s, kind, 1, bytes + at, n - at < step ? n - at : step);
	}
	read_all(&s);
	scrollback_finish(&s);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("\x10plain\n\x1b[1;31mred\x1b[0m\rover\b\b\tx\n"),
		SEED("\x05\x1b[38;2;1;2;3mtrue\x1b[48;5;200m256\x1b[4:3mcurly\x1b[m"),
		SEED("\x07\x1b]52;c;AAAA\x07\x1b]0;title\x1b\\\x1bPdcs\x1b\\\x1b_apc\x1b\\\x9b"
		     "31m\xc2\x9b"
		     "2Jend"),
		SEED("\xff\xf0\x9f\x98\x80\xe2\x80\xae\xcc\x81\xff\xfe\x00z\x1b[K\x1b[3C\x1b[2D\x1b[5G"),
		{NULL, 0},
};
