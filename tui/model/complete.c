/* SPDX-License-Identifier: MIT */
#include "model/complete.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "editor/editor_internal.h"
#include "model/complete_internal.h"
#include "model/inspect.h"
#include "model/kernel_query.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"
#include "syntax/syntax.h"
#include "text/text.h"
#include "text/walk.h"

/* ---- candidates ---- */

static void drop_all(struct complete *c)
{
	for (size_t i = 0; i < c->n_all; i++)
		free(c->all[i].text);
	free(c->all);
	free(c->shown);
	c->all = NULL;
	c->shown = NULL;
	c->n_all = c->n_shown = c->current = c->scroll = 0;
}

void completion_finish(struct complete *c)
{
	drop_all(c);
	memset(c, 0, sizeof *c);
}

void complete_close(struct model *m)
{
	if (m->completion.state == COMPLETE_CLOSED)
		return;
	completion_finish(&m->completion);
	kernel_query_forget(m, ASK_COMPLETE);
	m->needs_draw = true;
}

/* Text from a kernel may only be inserted if it looks like code. */
static bool is_decent(const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7F)
			return false;
	return n > 0 && n < CANDIDATE_BYTES;
}

/* Map a kind from the kernel to a static string. */
static const char *kind_name(const char *kind)
{
	static const char *const kinds[] = {"function", "class", "module", "variable", "property",
			"parameter", "keyword", "builtin", "alias", "command", "file", "directory", "word"};

	for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kind, kinds[i]) == 0)
			return kinds[i];
	return "";
}

static bool has(const struct complete *c, const char *text)
{
	for (size_t i = 0; i < c->n_all; i++)
		if (strcmp(c->all[i].text, text) == 0)
			return true;
	return false;
}

static void add_candidate(struct complete *c, const char *text, const char *kind)
{
	char *copy = c->n_all < CANDIDATES_MAX && is_decent(text) ? strdup(text) : NULL;

	if (copy)
		c->all[c->n_all++] = (struct candidate){copy, kind_name(kind)};
}

/* Allocate room for all candidates. False: out of memory. */
static bool allocate_candidates(struct complete *c)
{
	drop_all(c);
	c->all = calloc(CANDIDATES_MAX, sizeof *c->all);
	c->shown = calloc(CANDIDATES_MAX, sizeof *c->shown);
	return c->all && c->shown;
}

/* ---- filtering ---- */

/* Can this byte, after the position of the request, be part of the word? */
static bool may_go_on(const struct model *m, unsigned char b)
{
	if (m->completion.is_path)
		return b >= ' ' && !strchr("/'\"`", b);
	return is_word_byte(b) || (m->lang->style == TRM_STYLE_SHELL && strchr("-.$", b));
}

/* Copy the text between the start of the word and the cursor. False: the cursor has left the word. */
static bool complete_typed_so_far(const struct model *m, char out[CANDIDATE_BYTES])
{
	const struct complete *c = &m->completion;
	const struct editor *e = model_editor(m);
	size_t cursor = e->sel.cursor;

	if (buffers_current(&m->buffers)->id != c->buffer || m->focus != PANE_EDITOR
			|| editor_has_selection(e) || cursor < c->start
			|| cursor - c->start >= CANDIDATE_BYTES
			|| (text_byte(e->text, c->start) & 0xC0) == 0x80) /* of another text */
		return false;
	size_t n = text_copy(e->text, c->start, out, cursor - c->start);
	out[n] = '\0';
	for (size_t i = c->asked_pos > c->start ? c->asked_pos - c->start : 0; i < n; i++)
		if (!may_go_on(m, (unsigned char)out[i]))
			return false;
	return true;
}

/* How well a candidate matches: 0 as a prefix, 1 as a prefix in another case, 2 in the middle, 3 not at all.
 */
static int fit(const char *text, const char *typed)
{
	size_t n = strlen(typed);

	if (strncmp(text, typed, n) == 0)
		return 0;
	if (strncasecmp(text, typed, n) == 0)
		return 1;
	return n >= 2 && strcasestr(text, typed) ? 2 : 3;
}

static void filter_candidates(struct complete *c, const char *typed)
{
	c->n_shown = c->current = c->scroll = 0;
	c->has_moved = false;
	for (int rank = 0; rank < 3; rank++)
		for (size_t i = 0; i < c->n_all; i++)
			if (fit(c->all[i].text, typed) == rank)
				c->shown[c->n_shown++] = (uint16_t)i;
}

bool complete_is_shown(const struct model *m)
{
	return m->completion.state == COMPLETE_OPEN && m->completion.n_shown > 0 && m->focus == PANE_EDITOR
	       && !dialog_is_open(&m->dialog) && m->completion.buffer == buffers_current(&m->buffers)->id;
}

const struct candidate *complete_at(const struct model *m, size_t k)
{
	const struct complete *c = &m->completion;

	return k < c->n_shown ? &c->all[c->shown[k]] : NULL;
}

/* ---- inserting ---- */

static void put_in(struct model *m, const char *text, struct effects *out)
{
	struct complete *c = &m->completion;
	struct editor *e = model_editor(m);
	size_t start = c->start, n = e->sel.cursor - c->start;
	char typed[CANDIDATE_BYTES];
	bool is_there = complete_typed_so_far(m, typed); /* a reload may have taken the word away */

	complete_close(m); /* close it first, because the editor reports the change */
	if (!is_there)
		return;
	editor_done(m, editor_replace(e, start, n, text, strlen(text), BURST_NONE), out);
	m->needs_draw = true;
}

/* Is the candidate the same as the text that is there already? */
bool complete_is_exact(const struct model *m)
{
	const struct candidate *one = complete_at(m, m->completion.current);
	char typed[CANDIDATE_BYTES];

	return one && complete_typed_so_far(m, typed) && strcmp(one->text, typed) == 0;
}

void complete_accept(struct model *m, struct effects *out)
{
	const struct candidate *one = complete_at(m, m->completion.current);

	if (!one)
		return;
	bool is_folder = strcmp(one->kind, "directory") == 0;
	char text[CANDIDATE_BYTES];
	memcpy(text, one->text, strlen(one->text) + 1);
	put_in(m, text, out);
	if (is_folder)
		complete_begin(m, true, false, out);
}

/* Insert the prefix that all shown candidates have in common, beyond the typed text. */
static void put_in_common(struct model *m, struct effects *out)
{
	struct complete *c = &m->completion;
	char typed[CANDIDATE_BYTES], common[CANDIDATE_BYTES];

	if (!complete_typed_so_far(m, typed) || !c->n_shown
			|| fit(complete_at(m, c->n_shown - 1)->text, typed) != 0)
		return;
	const char *first = complete_at(m, 0)->text;
	size_t n = strlen(first);
	for (size_t k = 1; k < c->n_shown; k++) {
		const char *other = complete_at(m, k)->text;
		size_t same = 0;
		while (same < n && first[same] == other[same])
			same++;
		n = same;
	}
	while (n > 0 && ((unsigned char)first[n] & 0xC0) == 0x80)
		n--;
	if (n <= strlen(typed))
		return;
	memcpy(common, first, n);
	common[n] = '\0';
	struct editor *e = model_editor(m);
	editor_done(m, editor_replace(e, c->start, e->sel.cursor - c->start, common, n, BURST_NONE), out);
}

/* ---- showing ---- */

/* Show the popup if there are candidates. */
static void open_popup(struct model *m, struct effects *out)
{
	struct complete *c = &m->completion;
	char typed[CANDIDATE_BYTES];

	if (!complete_typed_so_far(m, typed)) {
		complete_close(m);
		return;
	}
	c->state = COMPLETE_OPEN;
	filter_candidates(c, typed);
	m->needs_draw = true;
	if (c->n_shown == 0 || (c->is_auto && c->n_shown == 1 && complete_is_exact(m))) {
		if (!c->is_auto)
			notices_add(&m->notices, m->now_ns, false,
					c->is_busy ? "interpreter busy; no completions in the buffer"
						   : "no completions");
		complete_close(m);
	} else if (c->is_eager && c->n_shown == 1) {
		complete_accept(m, out);
	} else if (c->is_eager) {
		c->is_eager = false;
		put_in_common(m, out);
	}
}

struct grammar_words {
	struct complete *c;
	const char *typed;
};

static void add_grammar_word(void *user, const char *word, uint8_t kind)
{
	const struct grammar_words *w = user;

	if (strncasecmp(word, w->typed, strlen(w->typed)) == 0 && !has(w->c, word))
		add_candidate(w->c, word,
				kind == SYNTAX_KEYWORD || kind == SYNTAX_CONSTANT ? "keyword" : "builtin");
}

/* Add candidates that need no kernel: words of the buffer, keywords, built-in names. */
static void add_words(struct model *m, const char *typed)
{
	struct complete *c = &m->completion;
	const struct editor *e = model_editor(m);
	size_t n, kernel_n = c->n_all;
	char **words = words_near(e->text, e->sel.cursor, typed, &n);

	for (size_t i = 0; i < n; i++) {
		if (!kernel_n || !has(c, words[i]))
			add_candidate(c, words[i], word_kind(e->syntax, e->text, e->sel.cursor, words[i]));
		free(words[i]);
	}
	free(words);
	syntax_words(grammars_loaded(m->grammars, m->lang->name), add_grammar_word,
			&(struct grammar_words){c, typed});
}

/* The kernel is busy or missing, so offer at once what needs no kernel. */
static void fall_back(struct model *m, struct effects *out)
{
	struct complete *c = &m->completion;
	char typed[CANDIDATE_BYTES];

	c->is_busy = true;
	c->start = word_start(model_editor(m)->text, model_editor(m)->sel.cursor);
	if (!allocate_candidates(c) || !complete_typed_so_far(m, typed)) {
		complete_close(m);
		return;
	}
	add_words(m, typed);
	open_popup(m, out);
}

static void ask_candidates(struct model *m, struct effects *out)
{
	size_t len, cursor, pos;
	char *text = inspect_context(m, &len, &cursor, &pos);

	if (text)
		kernel_query_send(m, ASK_COMPLETE, TRM_ASK_COMPLETE, m->lang, text, len, cursor, out);
	else
		complete_close(m);
	free(text);
}

void complete_begin(struct model *m, bool is_auto, bool is_eager, struct effects *out)
{
	struct complete *c = &m->completion;
	struct editor *e = model_editor(m);

	complete_close(m);
	*c = (struct complete){.state = COMPLETE_ASKED,
			.is_auto = is_auto,
			.is_eager = is_eager,
			.buffer = buffers_current(&m->buffers)->id,
			.start = word_start(e->text, e->sel.cursor),
			.asked_pos = e->sel.cursor};
	if (kernel_query_can(m, m->lang))
		ask_candidates(m, out);
	else if (!is_auto)
		fall_back(m, out);
	else
		complete_close(m);
}

/* ---- the answer ---- */

/* The position `n` code points before `pos`, or the start of the line. */
static size_t step_back(const struct text *t, size_t pos, int n)
{
	for (; n > 0 && pos > 0 && text_byte(t, pos - 1) != '\n'; n--)
		do
			pos--;
		while (pos > 0 && (text_byte(t, pos) & 0xC0) == 0x80);
	return pos;
}

static void take_candidates(struct complete *c, const cJSON *json)
{
	const cJSON *match, *kind = cJSON_GetObjectItemCaseSensitive(json, "kinds");

	kind = cJSON_IsArray(kind) ? kind->child : NULL;
	cJSON_ArrayForEach(match, cJSON_GetObjectItemCaseSensitive(json, "matches"))
	{
		if (cJSON_IsString(match))
			add_candidate(c, match->valuestring, cJSON_GetStringValue(kind));
		kind = kind ? kind->next : NULL;
	}
	for (size_t i = 0; i < c->n_all && !c->is_path; i++)
		c->is_path = strcmp(c->all[i].kind, "file") == 0 || strcmp(c->all[i].kind, "directory") == 0;
}

static int answer_number(const cJSON *json, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);

	return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 1e6 ? item->valueint : 0;
}

void complete_answer(struct model *m, const struct msg *msg, struct effects *out)
{
	struct complete *c = &m->completion;
	const struct text *t = model_editor(m)->text;
	cJSON *json = msg->answer.json ? cJSON_Parse(msg->answer.json) : NULL;
	char typed[CANDIDATE_BYTES];

	if (c->state == COMPLETE_CLOSED || !allocate_candidates(c)) {
		cJSON_Delete(json);
		return;
	}
	int back = answer_number(json, "end") - answer_number(json, "start");
	if (json)
		c->start = step_back(t, c->asked_pos, back);
	take_candidates(c, json);
	cJSON_Delete(json);
	bool is_member = c->start > 0 && text_byte(t, c->start - 1) == '.';
	bool wants_words = !c->is_path && !is_member && (c->n_all > 0 || !c->is_auto);
	if (wants_words && complete_typed_so_far(m, typed) && *typed)
		add_words(m, typed);
	open_popup(m, out);
}

/* ---- changes in the editor ---- */

void complete_follow(struct model *m, struct effects *out)
{
	struct complete *c = &m->completion;
	char typed[CANDIDATE_BYTES];

	(void)out;
	if (c->state == COMPLETE_CLOSED)
		return;
	m->needs_draw = true;
	if (!complete_typed_so_far(m, typed)) {
		complete_close(m);
		return;
	}
	if (c->state != COMPLETE_OPEN)
		return;
	filter_candidates(c, typed);
	if (c->n_shown == 0 || (c->n_shown == 1 && complete_is_exact(m)))
		complete_close(m);
}

void complete_typed(struct model *m, uint32_t typed, struct effects *out)
{
	const struct editor *e = model_editor(m);
	size_t cursor = e->sel.cursor;
	unsigned char before = cursor >= 2 ? text_byte(e->text, cursor - 2) : 0;
	bool was_path = m->completion.state != COMPLETE_CLOSED && m->completion.is_path;
	bool is_member = typed == '.' && m->lang->style != TRM_STYLE_SHELL
			 && (is_word_byte(before) || (before && strchr(")]\"'`", before)));

	complete_follow(m, out);
	if ((is_member && m->auto_complete) || (was_path && typed == '/'))
		complete_begin(m, true, false, out);
}
