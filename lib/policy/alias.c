/* SPDX-License-Identifier: MIT */
#include "policy/alias.h"

#include <stdlib.h>

#include <terrarium/error.h>

struct alias {
	struct alias *next;
	char *meaning;
	size_t n;
	char name[];
};

static struct alias **alias_bucket(struct aliases *aliases, const char *name, size_t n)
{
	unsigned hash = 2166136261u;
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619u;
	return &aliases->buckets[hash % ALIAS_BUCKETS];
}

static struct alias *find_alias(struct alias *first, const char *name, size_t n)
{
	while (first && (first->n != n || memcmp(first->name, name, n)))
		first = first->next;
	return first;
}

int aliases_set(struct aliases *aliases, const char *name, size_t n, const struct name *meaning)
{
	struct alias **bucket = alias_bucket(aliases, name, n), *found = find_alias(*bucket, name, n);
	if (!found && n == meaning->n && !memcmp(name, meaning->text, n))
		return 0;
	char *text = strdup(meaning->text);
	if (!text)
		return TRM_ENOMEM;
	if (!found) {
		found = calloc(1, sizeof *found + n);
		if (!found) {
			free(text);
			return TRM_ENOMEM;
		}
		memcpy(found->name, name, n);
		found->n = n;
		found->next = *bucket;
		*bucket = found;
	}
	free(found->meaning);
	found->meaning = text;
	return 0;
}

const char *aliases_get(const struct aliases *aliases, const char *name, size_t n)
{
	struct alias *found = find_alias(*alias_bucket((struct aliases *)aliases, name, n), name, n);
	return found ? found->meaning : NULL;
}

void aliases_finish(struct aliases *aliases)
{
	for (size_t i = 0; i < ALIAS_BUCKETS; i++)
		for (struct alias *next, *a = aliases->buckets[i]; a; a = next) {
			next = a->next;
			free(a->meaning);
			free(a);
		}
	*aliases = (struct aliases){0};
}
