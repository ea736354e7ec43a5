/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "stream/filter.h"

/* Feed in pieces of `step` bytes; returns what comes out, malloc'd. */
static char *run(enum filter_kind kind, const char *in, size_t n, size_t step, size_t *ret_n)
{
	char *out = malloc(n * filter_room(1) + FILTER_FINISH_MAX);
	struct filter f;
	size_t len = 0;
	if (!out)
		abort();
	filter_init(&f, kind);
	for (size_t i = 0; i < n; i += step) {
		size_t piece = n - i < step ? n - i : step;
		size_t wrote = filter_feed(&f, in + i, piece, out + len);
		if (wrote > filter_room(piece))
			abort();
		len += wrote;
	}
	*ret_n = len + filter_finish(&f, out + len);
	return out;
}

/* In lines nothing but text, line controls and SGR may be seen. */
static void check_lines(const char *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)out[i];
		if (c == 0x7f || (c < 0x20 && !strchr("\b\t\n\r\033", c)) || !c)
			abort();
		if (c != '\033')
			continue;
		if (++i >= n || out[i++] != '[')
			abort();
		while (i < n && strchr("0123456789;:", out[i]) && out[i])
			i++;
		if (i >= n || out[i] != 'm')
			abort();
	}
}

/* What makes a terminal answer, load something or change what is not the screen has one of these forms. */
static void check_screen(const char *out, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)out[i] == 0xc2 && i + 1 < n && (unsigned char)out[i + 1] < 0xa0)
			abort(); /* C1 */
		if (out[i] == '\005' || !out[i])
			abort();
		if (out[i] != '\033')
			continue;
		if (++i >= n || !out[i] || !strchr("[78DEM=>()*+", out[i]))
			abort();
		if (out[i] != '[')
			continue;
		bool is_private = i + 1 < n && out[i + 1] == '?';
		i += 1 + is_private;
		while (i < n && out[i] && strchr("0123456789;:", out[i]))
			i++;
		if (i >= n || !out[i] || !strchr(is_private ? "hl" : "ABCDEFGHIJKLMPSTXZ@`abdefmrsu", out[i]))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	if (n > 4096)
		return 0;
	for (int kind = FILTER_LINES; kind <= FILTER_SCREEN; kind++) {
		size_t n_whole, n_split;
		char *whole = run((enum filter_kind)kind, (const char *)bytes, n, n ? n : 1, &n_whole);
		char *split = run((enum filter_kind)kind, (const char *)bytes, n, 1, &n_split);
		if (n_whole != n_split || memcmp(whole, split, n_whole))
			abort();
		if (kind == FILTER_LINES)
			check_lines(whole, n_whole);
		check_screen(whole, n_whole);
		free(whole);
		free(split);
	}
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("plain \033[31mred\033[0m \303\251 \033]0;title\007\033[2J\033[?1049h\033[6n\r\n"),
		SEED("\033P1$q\033\\\033[38:2::1:2:3m\033(0\033)B\0337\0338\302\233m\033[1;5r\t\b"),
		{NULL, 0},
};
