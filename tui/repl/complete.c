/* SPDX-License-Identifier: MIT */
/* Tab completes the word at the cursor. The kernel completes code; the command table completes :commands
 * and their arguments. Tab inserts the common prefix of all candidates and lists the candidates with
 * their kinds above the prompt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "repl/answer.h"
#include "repl/command.h"
#include "repl/repl_internal.h"
#include "stream/tty.h"

enum { LISTED_MAX = 120, KIND_COLS = 10 };

struct question {
	struct repl *r;
	uint64_t serial;
	char *line;           /* copy of the line at the time of the question */
	size_t point, before; /* cursor in the line; code points of the input before the line */
};

/* ---- using the candidates ------------------------------------------------------------------- */

static size_t common_prefix(const struct candidates *c)
{
	size_t n = strlen(c->items[0].text);
	for (size_t i = 1; i < c->n; i++) {
		size_t same = 0;
		while (same < n && c->items[i].text[same] == c->items[0].text[same])
			same++;
		n = same;
	}
	while (n && ((unsigned char)c->items[0].text[n] & 0xc0) == 0x80)
		n--; /* the prefix must not end inside a character */
	return n;
}

static size_t columns_of(const char *text)
{
	return answer_points(text, strlen(text));
}

static void list_candidates(struct repl *r, const struct candidates *c)
{
	struct winsize size;
	size_t widest = 0, shown = c->n < LISTED_MAX ? c->n : LISTED_MAX;
	bool has_kinds = false;
	char row[2048];
	tty_size(&size);
	for (size_t i = 0; i < shown; i++) {
		size_t n = columns_of(c->items[i].text);
		widest = n > widest ? n : widest;
		has_kinds |= *c->items[i].kind != 0;
	}
	size_t cell = widest + 2 + (has_kinds ? KIND_COLS + 1 : 0);
	size_t per_row = size.ws_col / cell ? size.ws_col / cell : 1, rows = (shown + per_row - 1) / per_row;
	for (size_t k = 0; k < rows; k++) {
		size_t at = 0;
		row[0] = '\0';
		for (size_t i = k; i < shown && at + cell * 4 < sizeof row; i += rows) {
			const struct candidate *x = &c->items[i];
			at += (size_t)snprintf(row + at, sizeof row - at, "%s%*s", x->text,
					(int)(widest + 2 - columns_of(x->text)), "");
			if (has_kinds)
				at += (size_t)snprintf(row + at, sizeof row - at, "%-*.*s ", KIND_COLS,
						KIND_COLS, x->kind);
		}
		while (at && row[at - 1] == ' ')
			row[--at] = '\0';
		show_line(&r->show, ROLE_DIM, row);
	}
	if (c->n > shown)
		show_print(&r->show, ROLE_DIM, "… and %zu more", c->n - shown);
}

/* The candidates replace bytes from..to of the line. */
static void offer_candidates(struct repl *r, const struct candidates *c, size_t from, size_t to)
{
	if (!c->n) {
		line_bell(r->line);
		return;
	}
	char *common = strndup(c->items[0].text, common_prefix(c));
	if (!common)
		return;
	bool adds = strlen(common) > to - from
		    || (c->n == 1 && strncmp(line_text(r->line) + from, common, to - from));
	if (adds || c->n == 1)
		line_replace(r->line, from, to, common);
	if (c->n > 1 && !adds)
		list_candidates(r, c);
	free(common);
}

/* ---- completion by the kernel --------------------------------------------------------------- */

/* The byte offset of code point k. */
static size_t byte_at(const char *text, size_t k)
{
	size_t i = 0;
	while (text[i] && (k || ((unsigned char)text[i] & 0xc0) == 0x80)) {
		k -= ((unsigned char)text[i] & 0xc0) != 0x80;
		i++;
	}
	return i;
}

static void read_candidates(const cJSON *answer, struct candidates *c)
{
	const cJSON *matches = cJSON_GetObjectItemCaseSensitive(answer, "matches"), *match;
	const cJSON *kind = cJSON_GetObjectItemCaseSensitive(answer, "kinds");
	kind = kind ? kind->child : NULL;
	cJSON_ArrayForEach(match, matches)
	{
		const char *text = cJSON_GetStringValue(match), *k = cJSON_GetStringValue(kind);
		char clean[256];
		if (text && strlen(text) < sizeof clean
				&& trm_text_clean_line(clean, sizeof clean, text, strlen(text))
						   == strlen(text)
				&& !strcmp(clean, text))
			candidates_add(c, text, k ? k : "");
		kind = kind ? kind->next : NULL;
	}
}

static double number_of(const cJSON *answer, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(answer, key);
	return cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble < 1e9 ? item->valuedouble
											 : -1;
}

static void take_answer(struct repl *r, const struct question *q, const cJSON *answer)
{
	struct candidates c = {0};
	double start = number_of(answer, "start"), end = number_of(answer, "end");
	if (start < (double)q->before || end < start)
		return;
	size_t from = byte_at(q->line, (size_t)start - q->before),
	       to = byte_at(q->line, (size_t)end - q->before);
	read_candidates(answer, &c);
	if (to <= q->point + 256)
		offer_candidates(r, &c, from, to);
	candidates_finish(&c);
}

static void on_complete_answer(void *user, const char *json, const struct trm_error *why)
{
	struct question *q = user;
	struct repl *r = q->r;
	cJSON *answer = json ? cJSON_Parse(json) : NULL;
	(void)why; /* without a kernel there is no completion */
	bool is_same = q->serial == r->tab && r->line && line_is_shown(r->line)
		       && line_point(r->line) == q->point && !strcmp(line_text(r->line), q->line);
	if (is_same && answer)
		take_answer(r, q, answer);
	else if (is_same)
		line_bell(r->line);
	cJSON_Delete(answer);
	free(q->line);
	free(q);
}

static void ask_kernel(struct repl *r, const char *line, size_t point)
{
	struct code code = {0};
	struct question *q = calloc(1, sizeof *q);
	if (r->has_gathered) {
		code_add(&code, r->code.text, r->code.n);
		code_add(&code, "\n", 1);
	}
	size_t before = code.text ? answer_points(code.text, code.n) : 0, sign = code.n;
	bool is_ready = q && code_add(&code, line, strlen(line));
	const struct trm_lang *lang = !r->has_gathered && *line == '!' ? trm_lang_shell() : r->lang;
	if (is_ready && !r->has_gathered && *line && strchr("!?", *line))
		code.text[sign] = ' ';
	if (is_ready) {
		*q = (struct question){.r = r,
				.serial = ++r->tab,
				.line = strdup(line),
				.point = point,
				.before = before};
		is_ready = q->line
			   && trm_session_ask(r->session, lang, TRM_ASK_COMPLETE, code.text,
					      before + answer_points(line, point), on_complete_answer, q,
					      NULL)
					      == 0;
	}
	code_finish(&code);
	if (is_ready)
		return;
	if (q)
		free(q->line);
	free(q);
	line_bell(r->line);
}

/* ---- the key --------------------------------------------------------------------------------------------
 */

static bool is_margin(const char *line, size_t point)
{
	for (size_t i = point; i > 0 && line[i - 1] != '\n'; i--)
		if (line[i - 1] != ' ' && line[i - 1] != '\t')
			return false;
	return true;
}

void complete_tab(struct repl *r)
{
	const char *line = line_text(r->line);
	size_t point = line_point(r->line), from;
	struct candidates c = {0};
	if (r->question_shown)
		return;
	if (!r->has_gathered && *line == ':') {
		from = repl_command_complete(r, line, point, &c);
		offer_candidates(r, &c, from, point);
		candidates_finish(&c);
	} else if (is_margin(line, point) && (r->has_gathered || point)) {
		line_replace(r->line, point, point, r->lang->style == TRM_STYLE_BRACES ? "  " : "    ");
	} else {
		ask_kernel(r, line, point);
	}
}
