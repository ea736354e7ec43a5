/* SPDX-License-Identifier: MIT */
/* :artifacts lists what runs have made, and saves it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/result.h>

#include "output/artifacts.h"
#include "output/runs.h"
#include "repl/command.h"
#include "repl/repl_internal.h"
#include "text/bytes.h"
#include "text/format.h"
#include "text/mime.h"

struct repl_artifacts {
	struct artifacts all;
	struct figures none; /* images are kept like the others here */
	uint64_t run;
	size_t bundle; /* of the newest one: a better form of it takes its place */
	bool has_bundle;
};

void repl_artifacts_close(struct repl *r)
{
	if (r->artifacts)
		artifacts_finish(&r->artifacts->all);
	free(r->artifacts);
	r->artifacts = NULL;
}

static void add_artifact(struct repl_artifacts *a, uint64_t run, const struct trm_display *display)
{
	struct artifact one = {
			.run = (uint32_t)run, .is_collected = display->source == TRM_DISPLAY_COLLECTED};

	one.bytes = mime_bytes(display->mime, display->data, display->n, &one.n);
	if (!one.bytes)
		return;
	snprintf(one.mime, sizeof one.mime, "%s", display->mime);
	if (display->title)
		trm_text_clean_line(one.title, sizeof one.title, display->title, strlen(display->title));
	artifacts_add(&a->all, &one);
}

void repl_artifacts_keep(struct repl *r, uint64_t run, const struct trm_display *display)
{
	struct repl_artifacts *a = r->artifacts;

	if (mime_is_plain(display->mime) && display->source != TRM_DISPLAY_COLLECTED)
		return;
	if (!a && !(a = r->artifacts = calloc(1, sizeof *a)))
		return;
	bool is_other_form = a->has_bundle && a->run == run && a->bundle == display->bundle && a->all.n;
	if (is_other_form && mime_rank(display->mime) >= mime_rank(a->all.all[a->all.n - 1].mime))
		return;
	if (is_other_form)
		artifacts_drop_last(&a->all);
	a->run = run;
	a->bundle = display->bundle;
	a->has_bundle = true;
	add_artifact(a, run, display);
}

/* ---- saving ---- */

static bool save_artifact(struct repl *r, const char *path, const struct artifact_row *row)
{
	int error = -write_file(path, O_EXCL, row->bytes, row->n);

	if (error)
		repl_error(r, "cannot save %s: %s", path, strerror(error));
	else
		repl_say(r, "saved %s", path);
	return !error;
}

static void save_all_artifacts(struct repl *r, const char *folder)
{
	struct repl_artifacts *a = r->artifacts;
	char path[4400];

	int error = -make_dirs(folder, 0777);
	if (error) {
		repl_error(r, "cannot make %s: %s", folder, strerror(error));
		return;
	}
	for (size_t i = 0; i < artifacts_count(&a->all, &a->none); i++) {
		struct artifact_row row = artifacts_row(&a->all, &a->none, i);
		snprintf(path, sizeof path, "%.4000s/%s", folder, row.name);
		if (!save_artifact(r, path, &row))
			return;
	}
}

static void save_words(struct repl *r, const char *words)
{
	struct repl_artifacts *a = r->artifacts;
	size_t n = artifacts_count(&a->all, &a->none);
	char *end;
	unsigned long number = strtoul(words, &end, 10);
	const char *path = end + strspn(end, " \t");

	if (strncmp(words, "all", 3) == 0 && (words[3] == ' ' || !words[3])) {
		path = words + 3 + strspn(words + 3, " \t");
		save_all_artifacts(r, *path ? path : "artifacts");
		return;
	}
	if (end == words || number < 1 || number > n) {
		repl_error(r, "which one? :artifacts save 1 to %zu, or all", n);
		return;
	}
	struct artifact_row row = artifacts_row(&a->all, &a->none, number - 1);
	save_artifact(r, *path ? path : row.name, &row);
}

/* ---- listing ---- */

static void list_artifacts(struct repl *r)
{
	struct repl_artifacts *a = r->artifacts;
	char size[24];

	for (size_t i = 0; i < artifacts_count(&a->all, &a->none); i++) {
		struct artifact_row row = artifacts_row(&a->all, &a->none, i);
		show_answer(&r->show, ROLE_TEXT, "%3zu  %-24s %-18s %8s  run %u, %s", i + 1, row.name,
				row.mime, format_bytes(size, row.n), row.run, row.source);
	}
}

void repl_command_artifacts(struct repl *r, const char *rest)
{
	struct repl_artifacts *a = r->artifacts;

	if (!a || artifacts_count(&a->all, &a->none) == 0)
		repl_say(r, "no run has shown images, tables or files yet");
	else if (!*rest)
		list_artifacts(r);
	else if (strncmp(rest, "save ", 5) == 0)
		save_words(r, rest + 5 + strspn(rest + 5, " \t"));
	else
		repl_error(r,
				"\"%s\" is not understood: :artifacts, :artifacts save N [FILE], :artifacts save all "
				"[DIR]",
				rest);
}
