/* SPDX-License-Identifier: MIT */
#include "wire/pool_note.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

/* The numbers of a pool, by name. */
static const struct pool_number {
	const char *key;
	size_t offset;
	bool is_small; /* unsigned, not uint64_t */
} NUMBERS[] = {
		{"pid", offsetof(struct trm_pool_entry, pid), true},
		{"size", offsetof(struct trm_pool_entry, size), true},
		{"max", offsetof(struct trm_pool_entry, max), true},
		{"idle", offsetof(struct trm_pool_entry, stats.idle), true},
		{"starting", offsetof(struct trm_pool_entry, stats.starting), true},
		{"taken", offsetof(struct trm_pool_entry, stats.taken), true},
		{"waiting", offsetof(struct trm_pool_entry, stats.waiting), true},
		{"started", offsetof(struct trm_pool_entry, stats.n_started), false},
		{"given", offsetof(struct trm_pool_entry, stats.n_given), false},
		{"at_once", offsetof(struct trm_pool_entry, stats.n_at_once), false},
		{"refused", offsetof(struct trm_pool_entry, stats.n_refused), false},
		{"failed", offsetof(struct trm_pool_entry, stats.n_failed), false},
		{"expired", offsetof(struct trm_pool_entry, stats.n_expired), false},
		{"lost", offsetof(struct trm_pool_entry, stats.n_lost), false},
};

static const struct pool_text {
	const char *key;
	size_t offset, cap;
} TEXTS[] = {
		{"name", offsetof(struct trm_pool_entry, name), sizeof((struct trm_pool_entry *)0)->name},
		{"backend", offsetof(struct trm_pool_entry, backend),
				sizeof((struct trm_pool_entry *)0)->backend},
		{"group", offsetof(struct trm_pool_entry, group), sizeof((struct trm_pool_entry *)0)->group},
		{"why", offsetof(struct trm_pool_entry, stats.why.msg),
				sizeof((struct trm_pool_entry *)0)->stats.why.msg},
};

enum { N_NUMBERS = sizeof NUMBERS / sizeof *NUMBERS, N_TEXTS = sizeof TEXTS / sizeof *TEXTS };

static uint64_t read_number(const struct trm_pool_entry *pool, const struct pool_number *number)
{
	const char *at = (const char *)pool + number->offset;
	return number->is_small ? *(const unsigned *)at : *(const uint64_t *)at;
}

static void store_number(struct trm_pool_entry *pool, const struct pool_number *number, uint64_t value)
{
	char *at = (char *)pool + number->offset;
	if (number->is_small)
		*(unsigned *)at = value > UINT32_MAX ? UINT32_MAX : (unsigned)value;
	else
		*(uint64_t *)at = value;
}

void pool_note_put(char out[POOL_NOTE_BYTES], uint64_t version, const struct trm_pool_entry *pool)
{
	char text[POOL_NOTE_BYTES];
	int n = snprintf(text, sizeof text, "version %" PRIu64 "\n", version);
	for (size_t i = 0; i < N_NUMBERS; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, "%s %" PRIu64 "\n", NUMBERS[i].key,
				read_number(pool, &NUMBERS[i]));
	if (pool->stats.is_short_of_memory)
		n += snprintf(text + n, sizeof text - (size_t)n, "short_of_memory 1\n");
	for (size_t i = 0; i < N_TEXTS; i++) {
		const char *value = (const char *)pool + TEXTS[i].offset;
		bool is_old = !strcmp(TEXTS[i].key, "why") && !pool->stats.why.code;
		if (*value && !is_old)
			n += snprintf(text + n, sizeof text - (size_t)n, "%s %s\n", TEXTS[i].key, value);
	}
	n += snprintf(text + n, sizeof text - (size_t)n, "end %" PRIu64 "\n", version);
	memset(out, 0, POOL_NOTE_BYTES);
	memcpy(out, text, (size_t)n);
}

static void take_line(struct trm_pool_entry *pool, const char *key, const char *value)
{
	for (size_t i = 0; i < N_NUMBERS; i++)
		if (!strcmp(key, NUMBERS[i].key))
			store_number(pool, &NUMBERS[i], strtoull(value, NULL, 10));
	for (size_t i = 0; i < N_TEXTS; i++)
		if (!strcmp(key, TEXTS[i].key))
			trm_text_clean_line(
					(char *)pool + TEXTS[i].offset, TEXTS[i].cap, value, strlen(value));
	if (!strcmp(key, "short_of_memory"))
		pool->stats.is_short_of_memory = true;
	if (!strcmp(key, "why"))
		pool->stats.why.code = TRM_EIO;
}

int pool_note_get(const char *bytes, size_t n, struct trm_pool_entry *ret)
{
	char text[POOL_NOTE_BYTES + 1], *rest = text, *line, version[24] = "", end[24] = "";
	memcpy(text, bytes, n < POOL_NOTE_BYTES ? n : POOL_NOTE_BYTES);
	text[n < POOL_NOTE_BYTES ? n : POOL_NOTE_BYTES] = '\0';
	*ret = (struct trm_pool_entry){0};
	while ((line = strsep(&rest, "\n"))) {
		char *value = strchr(line, ' ');
		if (!value)
			continue;
		*value++ = '\0';
		if (!strcmp(line, "version"))
			snprintf(version, sizeof version, "%s", value);
		else if (!strcmp(line, "end"))
			snprintf(end, sizeof end, "%s", value);
		else
			take_line(ret, line, value);
	}
	return *version && !strcmp(version, end) && *ret->name ? 0 : TRM_EPROTO;
}
