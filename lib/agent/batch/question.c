/* SPDX-License-Identifier: MIT */
#include "agent/batch/question.h"

#include <stdio.h>
#include <string.h>

#include "agent/batch/event.h"
#include "agent/batch/order.h"

#define TEXT_MAX (1u << 20)

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The word around the cursor, which counts code points. */
static const char *word_at(const struct order *o, bool is_whole, size_t *ret_n, size_t *ret_start)
{
	size_t at = 0, points = 0, from, end;
	for (; at < o->code_len && points < o->cursor; points++)
		for (at++; at < o->code_len && ((unsigned char)o->code[at] & 0xc0) == 0x80;)
			at++;
	for (from = at; from > 0 && is_word_char(o->code[from - 1]);)
		from--;
	for (end = at; is_whole && end < o->code_len && is_word_char(o->code[end]);)
		end++;
	*ret_n = end - from;
	*ret_start = points - (at - from);
	return o->code + from;
}

static void put_match(struct question_names *q, const char *name, size_t n, const char *kind)
{
	char text[QUESTION_NAME_SIZE];
	const char *comma = q->names.len ? "," : "";
	snprintf(text, sizeof text, "%.*s", (int)n, name);
	event_add(&q->names, comma);
	event_add_string(&q->names, text);
	event_add(&q->kinds, comma);
	event_add_string(&q->kinds, kind);
}

bool question_begin(struct question_names *q, const struct order *o, const char *member_signs)
{
	*q = (struct question_names){.order = o};
	q->word = word_at(o, false, &q->n, &q->start);
	buf_init(&q->names, TEXT_MAX);
	buf_init(&q->kinds, TEXT_MAX);
	return q->n && !(q->word > o->code && strchr(member_signs, q->word[-1]));
}

void question_add(struct question_names *q, const char *name, const char *kind)
{
	if (!strncmp(name, q->word, q->n))
		put_match(q, name, strlen(name), kind);
}

void question_add_words(struct question_names *q, const char *words)
{
	for (const char *at = words; *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");
		if (len > q->n && !memcmp(at, q->word, q->n))
			put_match(q, at, len, "keyword");
		at += len;
	}
}

void question_end(struct question_names *q)
{
	struct buf data;
	char text[80];
	buf_init(&data, TEXT_MAX * 2 + 100);
	event_add(&data, "{\"matches\":[");
	buf_append(&data, buf_at(&q->names), q->names.len);
	event_add(&data, "],\"kinds\":[");
	buf_append(&data, buf_at(&q->kinds), q->kinds.len);
	snprintf(text, sizeof text, "],\"start\":%zu,\"end\":%zu}", q->start, q->start + q->n);
	event_add(&data, text);
	buf_append(&data, "", 1);
	event_reply(q->order, buf_at(&data));
	buf_finish(&data);
	buf_finish(&q->names);
	buf_finish(&q->kinds);
}

/* The variables that the process knows: each has name, type and value. */
static void put_variables(const struct buf *known, bool is_row, struct buf *data)
{
	const char *at = buf_at(known), *end = at + known->len;
	for (bool is_first = true; at < end; is_first = false) {
		const char *texts[3];
		for (int i = 0; i < 3 && at < end; i++) {
			texts[i] = at;
			at += strlen(at) + (at + strlen(at) < end);
		}
		event_add(data, is_row ? is_first ? "{" : ",{" : "");
		static const char *const members[] = {"\"name\":", ",\"type\":", ",\"value\":"};
		for (int i = 0; i < 3; i++) {
			event_add(data, members[i]);
			event_add_string(data, texts[i]);
		}
		event_add(data, is_row ? ",\"size\":\"\"}" : "");
		if (!is_row)
			return;
	}
}

void question_answer_variables(const struct order *o, const struct buf *known)
{
	struct buf data;
	buf_init(&data, TEXT_MAX * 2);
	event_add(&data, "{\"variables\":[");
	put_variables(known, true, &data);
	event_add(&data, "]}");
	buf_append(&data, "", 1);
	event_reply(o, buf_at(&data));
	buf_finish(&data);
}

void question_answer_variable(const struct order *o, const struct buf *known)
{
	struct buf data;
	buf_init(&data, TEXT_MAX * 2);
	event_add(&data, known->len ? "{\"found\":true," : "{\"found\":false");
	put_variables(known, false, &data);
	event_add(&data, "}");
	buf_append(&data, "", 1);
	event_reply(o, buf_at(&data));
	buf_finish(&data);
}

bool question_name(const struct order *o, char name[QUESTION_NAME_SIZE])
{
	size_t n, start;
	const char *word = word_at(o, true, &n, &start);
	snprintf(name, QUESTION_NAME_SIZE, "%.*s", (int)n, word);
	return n > 0 && n < QUESTION_NAME_SIZE;
}
