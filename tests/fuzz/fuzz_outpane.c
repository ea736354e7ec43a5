/* SPDX-License-Identifier: MIT */
/* The output pane under anything: prints, folds, scrolls, searches, sizes. Whatever is shown must have a
 * place, and what is pointed at must be there. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "output/outpane.h"
#include "output/weblink.h"

enum { HANG_S = 10 };

struct size {
	int rows, cols;
};

static void look_for_links(const struct output_line *l)
{
	struct weblink link;

	for (size_t at = 0; weblink_find(l, at, &link); at = link.to) {
		if (link.from < at || link.to <= link.from || link.to > l->n)
			abort();
		for (const char *c = link.url; *c; c++)
			if (*c <= ' ' || *c >= 0x7F)
				abort();
	}
}

static void look(const struct outpane *p, struct size s)
{
	struct out_pos top = outpane_top(p, s.rows, s.cols);
	struct outwalk w;
	struct output_line l = {0};
	uint64_t last = 0;

	if (top.line < outpane_first(p) || top.line > outpane_end(p))
		abort();
	outwalk_start(&w, p, top.line);
	for (int row = 0; row < s.rows && outwalk_next(&w, &l); row++) {
		if (row && w.line <= last)
			abort();
		last = w.line;
		look_for_links(&l);
	}
	output_line_finish(&l);
	for (int row = -1; row <= s.rows; row++)
		if (outpane_hit(p, s.rows, s.cols, row, row).line > outpane_end(p))
			abort();
}

static void act(struct outpane *p, struct size *s, uint8_t what, uint8_t how, const uint8_t *text, size_t n)
{
	size_t len;

	switch (what % 16) {
	case 0: outpane_begin(p, p->blocks.n + 1); break;
	case 1: outpane_print(p, OUT_LATE, 1, text, n); break;
	case 2: outpane_add(p, OUT_TRACE, (uint32_t)p->blocks.n, (const char *)text, n); break;
	case 3: outpane_move(p, s->rows, s->cols, (int8_t)how); break;
	case 4: outpane_scroll(p, s->rows, s->cols, (int8_t)how); break;
	case 5: outpane_next_block(p, s->rows, s->cols, how & 1 ? 1 : -1); break;
	case 6:
		if (outpane_block(p))
			out_blocks_fold(&p->blocks, outpane_block(p), how & 1);
		break;
	case 7: out_blocks_fold_all(&p->blocks, how & 1); break;
	case 8: *s = (struct size){1 + how % 40, 2 + how % 77}; break;
	case 9: p->is_cut = how & 1; break;
	case 10: outpane_scroll_home(p); break;
	case 11: {
		char pattern[2] = {(char)(how & 0x7f), '\0'};
		uint64_t line;
		if (outsearch_begin(&p->search, pattern, false, NULL) == 0)
			while (outsearch_step(p, how & 1 ? 100000 : 5000))
				;
		if (outsearch_next(p, how, how & 1 ? 1 : -1, &line))
			outpane_show(p, s->rows, s->cols, line);
		break;
	}
	case 12:
		outpane_select_all(p);
		free(outpane_copy(p, &len));
		break;
	case 13: outpane_show_run(p, s->rows, s->cols, how); break;
	case 14: outpane_end_line(p); break;
	default: /* now and then so much that the oldest is dropped */
		for (int i = 0; i <= (how > 253 ? 300 : how & 7); i++)
			outpane_print(p, how & 1 ? OUT_STDERR : OUT_STDOUT, (uint32_t)p->blocks.n, text, n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct outpane p;
	struct size s = {10, 30};

	if (outpane_init(&p, 4096) < 0)
		return 0;
	alarm(HANG_S);
	while (n >= 3) {
		size_t len = bytes[2] < n - 3 ? bytes[2] : n - 3;
		act(&p, &s, bytes[0], bytes[1], bytes + 3, len);
		look(&p, s);
		bytes += 3 + len;
		n -= 3 + len;
	}
	outpane_finish(&p);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("\x00\x00\x00\x0f\x00\x0aone\ntwo\n\n\n\x06\x01\x00\x03\xff\x00\x0f\x01\x08three\n\n\n\x00\x00\x00\x05\x00\x00"),
		SEED("\x00\x00\x00\x0f\x00\x10"
		     "a\nb\nc\n\x1b[2A\x1b[Kd\ne\n"
		     "\x04\xfe\x00\x07\x01\x00\x0a\x00\x00\x0b"
		     "e\x00"),
		SEED("\x0f\x00\x40"
		     "0123456789\n0123456789\n0123456789\n0123456789\n0123456789\n012345678"
		     "\x0c\x00\x00"),
		SEED("\x00\x00\x00\x0f\xff\x20"
		     "0123456789\n0123456789\n012345678\n\x06\x01\x00\x0f\xfe\x20"
		     "0123456789\n0123456789\n\x1b[A45678\n\x04\x90\x00"),
		SEED("\x00\x00\x00\x01\x00\x06"
		     "late\n\n"
		     "\x02\x00\x05trace\x08\x05\x00\x09\x01\x00\x0d\x01\x00\x0e\x00\x00"),
		{NULL, 0},
};
