/* SPDX-License-Identifier: MIT */
/* Complete a row of the language table after it was read: values that are made from others. */
#include "kernel/row_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/batch.h"

enum { MISSING_MAX = 256 };

struct embed row_companion(const struct row *row)
{
	const char *const *compiler = row->compiler;
	if (!compiler)
		return row->spec.driver;
	for (; compiler && *compiler; compiler++)
		if (!strcmp(*compiler, "-x"))
			return embed_driver_native();
	return embed_driver_carry();
}

/* Make the text that tells a language's commands to the agent's driver of batch languages (base/batch.h). */
static int make_batch(const struct spot *s)
{
	struct row *row = s->row;
	const struct trm_lang *l = &row->lang;
	const char *ending = l->suffixes[0] ? l->suffixes[0] : ".txt";
	size_t n = strlen(ending) + 1;
	const struct embed native = row->compiler ? row_companion(row) : (struct embed){0};
	for (const char *const *const *command = l->commands; *command; command++, n++)
		for (const char *const *word = *command; *word; word++)
			n += strlen(*word) + 1;
	for (const char *const *word = row->compiler; word && *word; word++)
		n += strlen(*word) + 1;
	n += row->compiler ? 2 + native.n : 0;
	const char **argv = row_new_list(s, 4);
	char *bytes = row_new_list(s, n / sizeof(void *) + 1), *at = bytes;
	char *missing = row_new_list(s, MISSING_MAX / sizeof(void *));
	if (!argv || !bytes || !missing)
		return row_no_memory(s);
	at = stpcpy(at, ending) + 1;
	for (const char *const *const *command = l->commands; *command; command++) {
		for (const char *const *word = *command; *word; word++)
			at = stpcpy(at, *word) + 1;
		*at++ = '\0';
	}
	if (row->compiler) {
		*at++ = '\0';
		for (const char *const *word = row->compiler; *word; word++)
			at = stpcpy(at, *word) + 1;
		*at++ = '\0';
		memcpy(at, native.bytes, native.n);
	}
	if (*l->package)
		snprintf(missing, MISSING_MAX, "the Debian package %.60s brings it%s%.80s", l->package,
				*l->image ? "; containers of this image have it: " : "", l->image);
	argv[0] = BATCH_PROGRAM;
	argv[1] = l->name;
	argv[2] = missing;
	row->spec.argv = argv;
	row->spec.driver = (struct embed){bytes, n};
	return 0;
}

/* In the command that prepares, the word {pieces} stands for the compiler of pieces and its options. */
static int expand_prepare(const struct spot *s)
{
	struct row *row = s->row;
	const char *const *words = row->lang.prepare;
	size_t n = 0, n_compiler = 0, used = 0;
	while (words && words[n])
		n++;
	while (row->compiler && row->compiler[n_compiler])
		n_compiler++;
	if (!n || !n_compiler)
		return 0;
	const char **list = row_new_list(s, n * n_compiler + n + 1);
	if (!list)
		return row_no_memory(s);
	for (; *words; words++) {
		bool is_place = !strcmp(*words, "{pieces}");
		for (size_t i = 0; is_place && i < n_compiler; i++)
			list[used++] = row->compiler[i];
		if (!is_place)
			list[used++] = *words;
	}
	row->lang.prepare = list;
	return 0;
}

int row_complete(const struct spot *s)
{
	static const char *const none[] = {NULL};
	struct row *row = s->row;
	struct trm_lang *l = &row->lang;
	const char **const texts[] = {&l->comment, &l->block_begin, &l->block_end, &l->grammar, &l->image,
			&l->package, &l->skeleton, &l->sample, &l->package_manager, &l->imports,
			&l->module_prefix, &l->module_parts};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!*texts[i])
			*texts[i] = "";
	if (!l->plot_libraries)
		l->plot_libraries = none;
	if (!l->lessons)
		l->lessons = none;
	if (!l->suffixes)
		l->suffixes = none;
	if (!l->commands && (!row->start || !row->spec.driver.n))
		return row_fail(s->text, s->nth, NULL, s->err,
				"needs \"commands\", or \"like\", or \"start\" with a \"driver\"");
	if (row->compiler && !l->commands)
		return row_fail(s->text, s->nth, "pieces", s->err,
				"needs \"commands\", which run whole programs");
	l->has_pieces = row->compiler;
	l->interpreter = l->commands ? l->commands[0][0] : row->needs ? row->needs : row->start[0];
	l->takes_args |= l->commands != NULL;
	l->takes_env |= l->commands != NULL;
	const char **lists[] = {row_new_list(s, 2), row_new_list(s, 3)};
	if (!lists[0] || !lists[1])
		return row_no_memory(s);
	lists[0][0] = l->name;
	lists[1][0] = l->interpreter;
	lists[1][1] = "--version";
	if (!l->aliases)
		l->aliases = lists[0];
	if (!l->version)
		l->version = lists[1];
	row->spec.argv = row->start;
	int r = expand_prepare(s);
	return r == 0 && l->commands ? make_batch(s) : r;
}
