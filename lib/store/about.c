/* SPDX-License-Identifier: MIT */
#include "store/about.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

#define ABOUT_FIRST "terrarium-snapshot 1"

static int put_line(struct buf *out, const char *key, const char *value)
{
	char line[400];
	int n = snprintf(line, sizeof line, "%s %s\n", key, value);
	return n >= (int)sizeof line ? TRM_ETOOBIG : buf_append(out, line, (size_t)n);
}

static int put_count(struct buf *out, const char *key, uint64_t value)
{
	char text[24];
	snprintf(text, sizeof text, "%" PRIu64, value);
	return put_line(out, key, text);
}

int about_put(struct buf *out, const struct store_about *about)
{
	const struct trm_snapshot_info *info = &about->info;
	const char *const texts[][2] = {{"backend", info->backend}, {"image", info->image},
			{"user", info->user}, {"sandbox", info->sandbox},
			{"level", about->is_bare ? "bare" : ""}};
	int r = buf_append(out, ABOUT_FIRST "\n", sizeof ABOUT_FIRST);
	for (size_t i = 0; i < sizeof texts / sizeof *texts && r == 0; i++)
		if (*texts[i][1])
			r = put_line(out, texts[i][0], texts[i][1]);
	if (r == 0)
		r = put_count(out, "created", info->created_ms);
	if (r == 0 && info->has_size)
		r = put_count(out, "bytes", info->bytes);
	if (r == 0 && info->has_size)
		r = put_count(out, "files", info->files);
	for (size_t i = 0; i < about->n_sets && r == 0; i++)
		r = put_line(out, "set", about->sets[i]);
	return r;
}

static void take_line(const char *key, const char *value, struct store_about *ret)
{
	struct trm_snapshot_info *info = &ret->info;
	struct {
		const char *key;
		char *to;
		size_t cap;
	} texts[] = {{"backend", info->backend, sizeof info->backend},
			{"image", info->image, sizeof info->image}, {"user", info->user, sizeof info->user},
			{"sandbox", info->sandbox, sizeof info->sandbox}};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (strcmp(key, texts[i].key) == 0)
			trm_text_clean_line(texts[i].to, texts[i].cap, value, strlen(value));
	uint64_t number = strtoull(value, NULL, 10);
	if (strcmp(key, "created") == 0)
		info->created_ms = number;
	else if (strcmp(key, "bytes") == 0)
		info->bytes = number;
	else if (strcmp(key, "files") == 0)
		info->files = number;
	else if (strcmp(key, "level") == 0)
		ret->is_bare = true;
	info->has_size |= strcmp(key, "files") == 0;
	if (strcmp(key, "set") == 0 && ret->n_sets < STORE_SETS && strlen(value) == STORE_SET - 1)
		memcpy(ret->sets[ret->n_sets++], value, STORE_SET);
}

bool about_get(char *text, const char *tag, struct store_about *ret)
{
	char *rest, *line = strtok_r(text, "\n", &rest);
	*ret = (struct store_about){0};
	snprintf(ret->info.tag, sizeof ret->info.tag, "%s", tag);
	if (!line || strcmp(line, ABOUT_FIRST) != 0)
		return false;
	while ((line = strtok_r(NULL, "\n", &rest))) {
		char *blank = strchr(line, ' ');
		if (!blank)
			return false;
		*blank = '\0';
		take_line(line, blank + 1, ret);
	}
	return *ret->info.backend && ret->info.created_ms;
}
