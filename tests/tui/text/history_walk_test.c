/* SPDX-License-Identifier: MIT */
/* Random walks through undo and redo, held against copies of the whole text; and a mirror of the text that is
 * kept by the listener alone. The chunks are so small that every edit cuts and joins. */
#define TEXT_CHUNK 8
#include "text/text.c"

#include "text/history.c"

#include "cmocka_all.h"

enum { MOST = 4096, STEPS = 200, WALKS = 60, MOVES = 400 };

static unsigned seed;

static unsigned rnd(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 8) % n;
}

struct copy {
	char bytes[MOST];
	size_t len;
};

static struct copy copies[STEPS + 1]; /* after so many steps */
static struct copy mirror;

static struct text_place place_in(const struct copy *c, size_t pos)
{
	struct text_place p = {0};
	for (size_t i = 0; i < pos; i++) {
		p.column = c->bytes[i] == '\n' ? 0 : p.column + 1;
		p.line += c->bytes[i] == '\n';
	}
	return p;
}

static void expect_place(struct text_place got, struct text_place want)
{
	assert_int_equal(got.line, want.line);
	assert_int_equal(got.column, want.column);
}

static void follow(void *user, const struct text *after, const struct text_edit *e)
{
	struct copy *c = user;
	expect_place(e->start, place_in(c, e->pos));
	expect_place(e->old_end, place_in(c, e->pos + e->removed));
	memmove(c->bytes + e->pos + e->inserted, c->bytes + e->pos + e->removed,
			c->len - e->pos - e->removed);
	assert_int_equal(text_copy(after, e->pos, c->bytes + e->pos, e->inserted), e->inserted);
	c->len += e->inserted - e->removed;
	expect_place(e->new_end, place_in(c, e->pos + e->inserted));
}

static void expect_text(const struct text *t, const struct copy *want)
{
	static char got[MOST];
	assert_true(text_is_sound(t));
	assert_int_equal(text_len(t), want->len);
	text_copy(t, 0, got, want->len);
	assert_memory_equal(got, want->bytes, want->len);
}

static void take_copy(const struct text *t, struct copy *to)
{
	to->len = text_len(t);
	text_copy(t, 0, to->bytes, to->len);
}

/* One step of some changes. */
static void edit(struct history *h)
{
	static const char bytes[] = "one\ntwo three\n\nfour";
	struct text *t = history_text(h);
	history_begin(h, (struct selection){0}, false);
	for (unsigned changes = 1 + rnd(4); changes > 0; changes--) {
		size_t len = text_len(t), pos = rnd((unsigned)len + 1), n = 1 + rnd(sizeof(bytes) - 1);
		if (len + n < MOST && (len < 40 || rnd(2)))
			assert_int_equal(history_insert(h, pos, bytes, n), 0);
		else
			assert_int_equal(history_delete(h, pos, n < len - pos ? n : len - pos), 0);
	}
	if (text_len(t) == 0)
		history_insert(h, 0, "x", 1); /* so that the step is one */
	history_end(h, (struct selection){0});
}

static void walk(void)
{
	struct text *t = text_create();
	struct history *h = history_create(t);
	struct selection ignored;
	size_t at = 0, last = 0;
	mirror.len = copies[0].len = 0;
	history_listen(h, follow, &mirror);
	for (int i = 0; i < MOVES; i++) {
		unsigned what = rnd(5);
		if (what < 2 && at < STEPS) {
			edit(h);
			/* A step whose changes are all empty is none. */
			bool is_step = h->at == at + 1;
			at = h->at;
			last = is_step ? at : last;
			take_copy(t, &copies[at]);
		} else if (what < 4) {
			assert_int_equal(history_undo(h, &ignored), at > 0);
			at -= at > 0;
		} else {
			assert_int_equal(history_redo(h, &ignored), at < last);
			at += at < last;
		}
		expect_text(t, &copies[at]);
		expect_text(t, &mirror);
	}
	while (history_undo(h, &ignored))
		;
	expect_text(t, &copies[0]);
	while (history_redo(h, &ignored))
		;
	expect_text(t, &copies[last]);
	expect_text(t, &mirror);
	history_destroy(h);
}

static void test_walks(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WALKS; i++) {
		seed = i + 1;
		walk();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_walks)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
