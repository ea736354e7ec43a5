/* SPDX-License-Identifier: MIT */
#include "repl/history.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "repl/line.h"
#include "state/dir.h"

enum { ITEM_MAX = 256 << 10, ITEMS_MOST = 5000, FILE_MOST = 4 << 20 };

static void drop_items(struct history *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->items[i]);
	h->n = 0;
}

void history_close(struct history *h)
{
	drop_items(h);
	free(h->items);
	*h = (struct history){0};
}

static void push_history(struct history *h, const char *text, size_t n)
{
	if (h->n == ITEMS_MOST) {
		free(h->items[0]);
		memmove(h->items, h->items + 1, --h->n * sizeof *h->items);
	}
	if (h->n == h->cap) {
		size_t cap = h->cap ? h->cap * 2 : 64;
		char **grown = realloc(h->items, cap * sizeof *grown);
		if (!grown)
			return;
		h->items = grown;
		h->cap = cap;
	}
	char *copy = strndup(text, n);
	if (!copy)
		return;
	h->items[h->n++] = copy;
	line_history_add(h->line, copy);
}

/* ---- the file ----------------------------------------------------------------------------- */

static void read_lines(struct history *h, char *text)
{
	char *save = NULL;
	for (char *row = strtok_r(text, "\n", &save); row; row = strtok_r(NULL, "\n", &save)) {
		cJSON *json = cJSON_Parse(row); /* a full disk can leave an invalid line */
		const char *item = cJSON_GetStringValue(json);
		if (item && *item)
			push_history(h, item, strlen(item));
		cJSON_Delete(json);
	}
}

/* Replace the file by its newest items. */
static void shorten_history(struct history *h)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	size_t from = h->n > ITEMS_MOST / 2 ? h->n - ITEMS_MOST / 2 : 0;
	for (size_t i = from; f && i < h->n; i++) {
		cJSON *json = cJSON_CreateString(h->items[i]);
		char *row = json ? cJSON_PrintUnformatted(json) : NULL;
		if (row)
			fprintf(f, "%s\n", row);
		cJSON_free(row);
		cJSON_Delete(json);
	}
	if (f && fclose(f) == 0)
		state_write(h->path, text, n);
	free(text);
}

void history_open(struct history *h, struct line *line, const char *language, bool is_kept)
{
	char name[64], dir[STATE_PATH];
	size_t n;
	drop_items(h);
	h->line = line;
	h->path[0] = '\0';
	line_history_clear(line);
	snprintf(name, sizeof name, "repl-%s.jsonl", language);
	if (!is_kept || !state_path("", dir) || !state_path(name, h->path))
		return;
	state_make_dir(dir); /* if this fails, appending reports the error */
	char *text = state_read(h->path, 4 * FILE_MOST, &n);
	if (text)
		read_lines(h, text);
	free(text);
	if (text && n > FILE_MOST)
		shorten_history(h);
}

static void append_history(struct history *h, const char *text)
{
	cJSON *json = cJSON_CreateString(text);
	char *row = json ? cJSON_PrintUnformatted(json) : NULL;
	int fd = row ? open(h->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
	if (fd >= 0) {
		char last = '\n';
		flock(fd, LOCK_EX);
		off_t end = lseek(fd, 0, SEEK_END);
		bool is_cut = end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n';
		dprintf(fd, "%s%s\n", is_cut ? "\n" : "",
				row); /* after an error the input is known to this session only */
		close(fd);
	}
	cJSON_free(row);
	cJSON_Delete(json);
}

void history_add(struct history *h, const char *text, size_t n)
{
	bool is_same = h->n && strlen(h->items[h->n - 1]) == n && !memcmp(h->items[h->n - 1], text, n);
	if (!n || n > ITEM_MAX || isspace((unsigned char)*text) || memchr(text, 0, n) || is_same)
		return;
	size_t before = h->n;
	push_history(h, text, n);
	if (h->path[0] && h->n && (h->n > before || h->n == ITEMS_MOST))
		append_history(h, h->items[h->n - 1]);
}
