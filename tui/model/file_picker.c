/* SPDX-License-Identifier: MIT */
#include "model/file_picker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"
#include "widget/fuzzy.h"

static void answer_files(struct model *m, int answer, struct effects *out);

enum { FILE_ROWS = 14, FILES_SHOWN = 200, TAIL = 58 };

void file_picker_finish(struct file_picker *p)
{
	free(p->text);
	free(p->paths);
	memset(p, 0, sizeof *p);
}

/* Fit a path into a list item. Of a long path only the end is shown. */
static void short_path(const char *path, char out[64])
{
	size_t n = strlen(path), from = n > 63 ? n - TAIL : 0;

	while (from && ((unsigned char)path[from] & 0xC0) == 0x80)
		from++;
	snprintf(out, 64, "%s%s", from ? "…" : "", path + from);
}

struct file_hit {
	int score;
	size_t index;
	uint64_t marks;
};

static int compare_files(const void *a, const void *b)
{
	const struct file_hit *x = a, *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Rate a file. A match in the name counts more than one in the folders, and a recent file a little more than
 * others. Without letters, recent files come first, and those of other folders last: who opens a folder means
 * its files. */
static struct file_hit judge_file(const struct file_picker *p, size_t i, const char *needle)
{
	char text[64];
	struct file_hit hit = {.index = i};

	short_path(p->paths[i], text);
	const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;
	uint64_t name_marks = 0;
	int by_name = 2 * fuzzy_score(needle, name, &name_marks),
	    by_path = fuzzy_score(needle, text, &hit.marks);
	if (by_name > by_path)
		hit.marks = name_marks << (name - text);
	hit.score = by_name > by_path ? by_name : by_path;
	bool is_recent = i < p->n_recent, is_elsewhere = p->paths[i][0] == '/';
	if (hit.score && needle[0])
		hit.score += is_recent ? 3 : 0;
	else if (!needle[0] && !is_elsewhere)
		hit.score += is_recent ? 1 + (int)(p->n_recent - i) : 1;
	return hit;
}

static void fill_files(struct model *m)
{
	const struct file_picker *p = &m->file_picker;
	struct dialog *d = &m->dialog;
	const char *needle = field_text(&d->field);
	struct file_hit *hits = malloc((p->n + 1) * sizeof *hits);
	size_t n = 0;
	char text[64];

	dialog_clear_items(d);
	for (size_t i = 0; hits && i < p->n; i++) {
		struct file_hit hit = judge_file(p, i, needle);
		if (hit.score > 0)
			hits[n++] = hit;
	}
	if (n)
		qsort(hits, n, sizeof *hits, compare_files);
	for (size_t i = 0; i < n && i < FILES_SHOWN; i++) {
		short_path(p->paths[hits[i].index], text);
		dialog_add_choice(d, text, hits[i].index < p->n_recent ? "recent" : "", hits[i].marks,
				p->paths[hits[i].index]);
	}
	d->hint[0] = '\0'; /* the list tells that nothing matches */
	if (n)
		snprintf(d->hint, sizeof d->hint, "%zu of %zu files", n, p->n);
	free(hits);
}

static bool take_paths(struct file_picker *p, const char *text, size_t len, size_t n_recent)
{
	file_picker_finish(p);
	p->text = malloc(len + 1);
	p->paths = calloc(FILE_PICKER_MAX, sizeof *p->paths);
	if (!p->text || !p->paths)
		return false;
	memcpy(p->text, text, len);
	p->text[len] = '\0';
	for (char *at = p->text; at < p->text + len && p->n < FILE_PICKER_MAX; at += strlen(at) + 1)
		p->paths[p->n++] = at;
	p->n_recent = n_recent < p->n ? n_recent : p->n;
	return true;
}

void file_picker_show(struct model *m, const struct msg *msg)
{
	struct dialog *d = &m->dialog;

	if (dialog_is_open(&m->dialog)
			|| !take_paths(&m->file_picker, msg->picks.paths, msg->picks.len,
					msg->picks.n_recent))
		return;
	dialog_begin_filtered(d, "Go to a file", answer_files, "go-to-file", m->has_utf8, FILE_ROWS);
	fill_files(m);
	m->needs_draw = true;
}

static void answer_files(struct model *m, int answer, struct effects *out)
{
	const char *path = dialog_choice(&m->dialog);

	if (answer == ANSWER_TYPED) {
		fill_files(m);
	} else if (answer == ANSWER_ENTER && path) {
		dialog_close(m);
		effect_open(out, path, path_lang(m, path));
	} else if (answer != ANSWER_MOVED && answer != ANSWER_TAB && answer != ANSWER_ENTER) {
		dialog_close(m);
	}
}

static void pick_file(struct model *m, struct effects *out)
{
	(void)m;
	effect_plain(out, EFFECT_PICK_FILES);
}

static const struct command commands[] = {
		{"go-to-file", "Go to a file",
				"find a file by a few letters: those opened lately, then those of this folder",
				CONTEXT_ANY, .run = pick_file},
};
const struct command_table file_picker_commands = COMMAND_TABLE(commands);
