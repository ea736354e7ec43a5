/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "cmd/progress_bar.h"
#include "cmd/snapshot_row.h"

enum { SHOWN = 24 };

struct rows {
	struct trm_snapshot_info *all;
	size_t n;
};

/* ---- the list ------------------------------------------------------------------------- */

static void add_snapshot(void *user, const struct trm_snapshot_info *info)
{
	struct rows *rows = user;
	struct trm_snapshot_info *grown = realloc(rows->all, (rows->n + 1) * sizeof *grown);
	if (!grown)
		return;
	rows->all = grown;
	grown[rows->n++] = *info;
}

static int by_tag(const void *a, const void *b)
{
	return strcmp(((const struct trm_snapshot_info *)a)->tag, ((const struct trm_snapshot_info *)b)->tag);
}

static void format_time(char out[SHOWN], uint64_t unix_ms)
{
	time_t seconds = (time_t)(unix_ms / 1000);
	struct tm tm;
	if (!localtime_r(&seconds, &tm) || !strftime(out, SHOWN, "%Y-%m-%d %H:%M", &tm))
		snprintf(out, SHOWN, "n/a");
}

void snapshot_row_put(struct json_out *j, const char *key, const struct trm_snapshot_info *info)
{
	json_open(j, key, '{');
	json_put_text(j, "tag", info->tag);
	json_put_text(j, "backend", info->backend);
	json_put_text(j, "sandbox", *info->sandbox ? info->sandbox : NULL);
	json_put_text(j, "image", *info->image ? info->image : NULL);
	json_put_u64(j, "created_ms", info->created_ms);
	if (info->has_size) {
		json_put_u64(j, "bytes", info->bytes);
		json_put_u64(j, "files", info->files);
	}
	json_put_bool(j, "in_use", info->is_used);
	json_close(j, '}');
}

static int print_json(const struct rows *rows)
{
	struct json_out json;
	json_init(&json);
	json_open(&json, NULL, '[');
	for (size_t i = 0; i < rows->n; i++)
		snapshot_row_put(&json, NULL, &rows->all[i]);
	json_close(&json, ']');
	return json_finish(&json);
}

static int widest(const struct rows *rows, const char *head, size_t offset)
{
	size_t width = strlen(head);
	for (size_t i = 0; i < rows->n; i++) {
		size_t n = strlen((const char *)&rows->all[i] + offset);
		width = n > width ? n : width;
	}
	return (int)width;
}

static int print_rows(const struct rows *rows)
{
	const int tag = widest(rows, "TAG", offsetof(struct trm_snapshot_info, tag)),
		  backend = widest(rows, "BACKEND", offsetof(struct trm_snapshot_info, backend)),
		  sandbox = widest(rows, "FROM", offsetof(struct trm_snapshot_info, sandbox));
	if (rows->n)
		printf("%-*s  %-*s  %-*s  %-16s  %10s\n", tag, "TAG", backend, "BACKEND", sandbox, "FROM",
				"CREATED", "SIZE");
	for (size_t i = 0; i < rows->n; i++) {
		const struct trm_snapshot_info *info = &rows->all[i];
		char size[SHOWN] = "n/a", created[SHOWN];
		if (info->has_size)
			progress_bar_bytes(size, sizeof size, info->bytes);
		format_time(created, info->created_ms);
		printf("%-*s  %-*s  %-*s  %-16s  %10s%s\n", tag, info->tag, backend, info->backend, sandbox,
				info->sandbox, created, size, info->is_used ? "  in use" : "");
	}
	return cmd_flush();
}

static int list(bool is_json)
{
	struct rows rows = {0};
	struct trm_error why = {0};
	if (trm_snapshot_list(add_snapshot, &rows, &why) < 0)
		return cmd_fail("%s", why.msg);
	if (rows.n)
		qsort(rows.all, rows.n, sizeof *rows.all, by_tag);
	int code = is_json ? print_json(&rows) : print_rows(&rows);
	free(rows.all);
	return code;
}

/* ---- removing ----------------------------------------------------------------------------- */

/* Those that can be removed are, whatever else was named. */
static int remove_all(const char *const *tags, size_t n, const char *config)
{
	int code = CMD_OK;
	for (size_t i = 0; i < n; i++) {
		struct trm_error why = {0};
		if (trm_snapshot_remove(tags[i], config, &why) == 0) {
			puts(tags[i]);
			continue;
		}
		cmd_fail("%s", why.msg);
		code = 1;
	}
	int flushed = cmd_flush();
	return code ? code : flushed;
}

/* ---- the command line ------------------------------------------------------------------------ */

enum { OPTION_JSON };

static const struct option_spec options[] = {
		[OPTION_JSON] = {"--json", 0, NULL, "print the list as JSON"},
		{0},
};

static int perform(const struct options *o, const char *const *words, size_t n, bool is_json)
{
	struct trm_config config;
	if (n && strcmp(words[0], "rm") != 0)
		return cmd_fail("'snapshots' lists them, and 'snapshots rm TAG…' removes some: '%s' is neither",
				words[0]);
	if (n == 1)
		return cmd_fail("which snapshot? Give its TAG; 'terrarium snapshots' lists them");
	if (n && is_json)
		return cmd_fail("--json is for the list");
	if (options_check_starts_none(o) < 0 || options_config(o, &config) < 0)
		return CMD_FAILED;
	return n ? remove_all(words + 1, n - 1, *config.path ? config.path : NULL) : list(is_json);
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	const char **words = calloc((size_t)argc, sizeof *words);
	struct options o;
	size_t n = 0;
	bool is_json = false;
	int got;
	if (!words)
		return cmd_fail("out of memory");
	options_init(&o, cmd->name, options, argc, argv);
	while ((got = options_next(&o)) >= 0 || got == OPTIONS_OPERAND) {
		if (got == OPTIONS_OPERAND)
			words[n++] = o.value;
		is_json |= got == OPTION_JSON;
	}
	int code = got == OPTIONS_HELP    ? cmd_print_help(cmd)
		   : got == OPTIONS_WRONG ? CMD_FAILED
					  : perform(&o, words, n, is_json);
	free(words);
	return code;
}

const struct cmd cmd_snapshots = {
		.name = "snapshots",
		.usage = "snapshots [OPTIONS] [rm TAG…]",
		.summary = "list or remove snapshots",
		.help = "Lists the snapshots that 'terrarium snapshot' has made, with their backends, the sandboxes "
			"that they were made from, their sizes on the disk, and whether a running sandbox uses one. "
			"'rm' removes snapshots, and the images of those of containers. One that is in use is not "
			"removed. The exit code is 1 if one was not.",
		.options = options,
		.operands = "rm TAG...",
		.run = run,
};
