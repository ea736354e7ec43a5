/* SPDX-License-Identifier: MIT */
/* What a kernel answers to the workbench's questions, and what lies in the file of what was run: whatever it
 * is, something can be shown, without a control character in it. The first byte says which. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>

#include "fuzz/fuzz.h"
#include "model/effect.h"
#include "model/inspect.h"
#include "model/model.h"
#include "model/msg.h"
#include "view/view.h"

enum { ROWS = 24, COLS = 80 };

static void look(const struct model *m)
{
	struct canvas c = {0};
	if (canvas_resize(&c, ROWS, COLS) < 0)
		abort();
	view(m, &c);
	for (int i = 0; i < ROWS * COLS; i++) {
		unsigned char first = (unsigned char)c.cells[i].text[0];
		if ((first && first < 0x20) || first == 0x7f)
			abort();
	}
	canvas_finish(&c);
}

static void hear(struct model *m, uint8_t which, const char *text, size_t n)
{
	struct effects out = {0};
	const struct msg answer = {.answer = {.json = text}};
	const struct msg history = {.history = {.bytes = text, .len = n, .now_s = 1700000000}};
	switch (which % 6) {
	case 0:
		m->completion.state = COMPLETE_OPEN;
		m->completion.is_eager = which & 0x80;
		complete_answer(m, &answer, &out);
		break;
	case 1: inspect_answer(m, &answer, &out); break;
	case 2: signature_answer(m, &answer, &out); break;
	case 3:
		m->kernel_queries.items[ASK_VARIABLES].lang = m->lang;
		m->variables_page.is_shown = true;
		variables_answer(m, &answer, &out);
		break;
	default: run_history_show(m, &history); break;
	}
	effects_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct model m;
	const struct model_opts opts = {.rows = ROWS,
			.cols = COLS,
			.has_utf8 = true,
			.theme = "",
			.has_history = true,
			.scrollback_bytes = 1 << 16,
			.lang = trm_lang_default()};
	char *text = n ? malloc(n) : NULL;
	if (!text)
		return 0;
	memcpy(text, bytes + 1, n - 1);
	text[n - 1] = '\0';
	if (model_init(&m, &opts) < 0)
		abort();
	hear(&m, bytes[0], text, n - 1);
	look(&m);
	model_finish(&m);
	free(text);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("\0{\"matches\":[\"abc\",\"a\\u001b\",7,\"dir/\"],\"kinds\":[\"function\",null,\"directory\"],"
		     "\"start\":0,\"end\":1e9}"),
		SEED("\x80{\"matches\":[\"abc\"],\"start\":0,\"end\":0}"),
		SEED("\1{\"found\":true,\"name\":\"f\\n\",\"signature\":\"f(a)\",\"type\":\"x\",\"value\":\"\",\"doc\":"
		     "\"a\\n\\tb\"}"),
		SEED("\2{\"signature\":\"f(a, b)\\u0007\"}"),
		SEED("\3{\"variables\":[{\"name\":\"y\",\"type\":\"list\",\"size\":\"2x3\",\"value\":\"\\u001b[1m\"},7,{}]}"),
		SEED("\4{\"time\":1,\"language\":\"python\",\"status\":\"ok\",\"wall_us\":5,\"code\":\"a\\n\\tb\"}\n"
		     "no json\n{\"time\":1e300,\"language\":\"js\",\"code\":\"x\"}\n"),
		{NULL, 0},
};
