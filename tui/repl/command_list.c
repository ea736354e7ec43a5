/* SPDX-License-Identifier: MIT */
/* :files, the contents of a folder of the sandbox. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/files.h>

#include "output/runs.h"
#include "repl/command.h"
#include "repl/repl_internal.h"
#include "text/format.h"

enum { FILES_MAX = 2000, NAME_MAX_SHOWN = 400 };

struct row {
	char *name; /* safe to print */
	enum trm_file_kind kind;
	uint64_t size;
};

struct listing {
	struct repl *r;
	struct row *rows;
	size_t n, cap;
};

static void on_file(void *user, const struct trm_file *file)
{
	struct listing *l = user;
	char name[NAME_MAX_SHOWN];
	const char *from = *file->name ? file->name : "(itself)";
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 64;
		struct row *grown = realloc(l->rows, cap * sizeof *grown);
		if (!grown)
			return;
		l->rows = grown;
		l->cap = cap;
	}
	trm_text_clean_line(name, sizeof name, from, strlen(from));
	struct row row = {strdup(name), file->kind, file->size};
	if (row.name)
		l->rows[l->n++] = row;
}

static int compare_listed_names(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

static void print_list_row(struct repl *r, const struct row *row)
{
	static const char *const marks[] = {[TRM_FILE_REGULAR] = "",
			[TRM_FILE_DIR] = "/",
			[TRM_FILE_LINK] = "@",
			[TRM_FILE_OTHER] = "?"};
	char size[24];
	show_answer(&r->show, ROLE_TEXT, "%10s  %s%s",
			row->kind == TRM_FILE_REGULAR ? format_bytes(size, row->size) : "", row->name,
			marks[row->kind]);
}

static void on_list_done(void *user, const struct trm_error *why)
{
	struct listing *l = user;
	struct repl *r = l->r;
	if (l->n)
		qsort(l->rows, l->n, sizeof *l->rows, compare_listed_names);
	for (size_t i = 0; i < l->n; i++) {
		if (!r->is_over)
			print_list_row(r, &l->rows[i]);
		free(l->rows[i].name);
	}
	if (!r->is_over && why->code)
		repl_error(r, "%s", why->msg);
	else if (!r->is_over && !l->n)
		repl_say(r, "there are no files");
	free(l->rows);
	free(l);
	repl_done(r);
}

static const struct trm_list_cb list_cb = {.file = on_file, .done = on_list_done};
static const struct activity listing = {.what = "listing files"};

void repl_command_files(struct repl *r, const char *rest)
{
	struct trm_error why = {0};
	struct listing *l = calloc(1, sizeof *l);
	if (!l)
		return;
	l->r = r;
	repl_begin(r, &listing);
	if (trm_file_list(r->cli_session.sandbox, *rest ? rest : ".", FILES_MAX, &list_cb, l, &why) == 0)
		return;
	free(l);
	repl_error(r, "%s", why.msg);
	repl_done(r);
}
