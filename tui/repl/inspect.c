/* SPDX-License-Identifier: MIT */
/* ?NAME: the kernel explains a name. */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "repl/answer.h"
#include "repl/repl_internal.h"

enum { DOC_LINES = 60 };

static void print_part(struct repl *r, const char *what, const char *text)
{
	char *newline = strchr(text, '\n');
	if (*text)
		show_answer(&r->show, ROLE_TEXT, "%-10s%s%s", what, newline ? "\n" : " ", text);
}

/* A long documentation is cut before it fills the screen. */
static void print_doc(struct repl *r, const char *doc)
{
	size_t lines = 0;
	const char *p = doc;
	while (*p && lines < DOC_LINES) {
		size_t n = strcspn(p, "\n");
		show_answer(&r->show, ROLE_DIM, "%.*s", (int)n, p);
		p += n + (p[n] == '\n');
		lines++;
	}
	if (*p)
		show_answer(&r->show, ROLE_DIM, "… (the first %d lines)", DOC_LINES);
}

struct question {
	struct repl *r;
	uint64_t serial;
	char name[200];
};

static void on_repl_inspect_answer(void *user, const char *json, const struct trm_error *why)
{
	struct question q = *(struct question *)user;
	struct repl *r = q.r;
	free(user);
	if (q.serial != r->question)
		return;
	cJSON *answer = json ? cJSON_Parse(json) : NULL;
	if (!json)
		repl_error(r, "%s", why->msg);
	else if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(answer, "found")))
		repl_error(r, "%s does not know '%s'", r->lang->name, q.name);
	else {
		const char *signature = answer_text(answer, "signature");
		show_answer(&r->show, ROLE_TITLE, "%s", *signature ? signature : answer_text(answer, "name"));
		print_part(r, "type", answer_text(answer, "type"));
		print_part(r, "value", answer_text(answer, "value"));
		print_doc(r, answer_text(answer, "doc"));
	}
	cJSON_Delete(answer);
	repl_done(r);
}

static void on_repl_inspect_interrupt(struct repl *r)
{
	r->question++;
	repl_done(r);
}

static const struct activity activity = {.what = "inspecting", .interrupt = on_repl_inspect_interrupt};

void inspect_start(struct repl *r, const char *name)
{
	struct trm_error why = {0};
	struct question *q = calloc(1, sizeof *q);
	name += strspn(name, " ?");
	if (!*name)
		repl_error(r, "which name? for example: ?len");
	if (!*name || !q) {
		free(q);
		return;
	}
	*q = (struct question){.r = r, .serial = ++r->question};
	trm_text_clean_line(q->name, sizeof q->name, name, strlen(name));
	repl_begin(r, &activity);
	if (trm_session_ask(r->session, r->lang, TRM_ASK_INSPECT, name, answer_points(name, strlen(name)),
			    on_repl_inspect_answer, q, &why)
			== 0)
		return;
	free(q);
	repl_error(r, "%s", why.msg);
	repl_done(r);
}
