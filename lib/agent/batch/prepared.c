/* SPDX-License-Identifier: MIT */
#include "agent/batch/prepared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/batch.h"

#define FRONT_MAX (1u << 20)
#define MADE_WITH_MAX (64u << 10)

bool prepared_path(char out[PATH_MAX], const char *name)
{
	const char *moved = getenv("TERRARIUM_PREPARED"); /* where there are no mounts */
	int n = snprintf(out, PATH_MAX, "%s/%s", moved && *moved ? moved : BATCH_PREPARED, name);
	return n < PATH_MAX;
}

bool prepared_read(const char *folder, const char *name, size_t max, struct buf *out)
{
	char path[PATH_MAX];
	buf_init(out, max);
	FILE *f = snprintf(path, sizeof path, "%.4000s/%s", folder, name) < PATH_MAX ? fopen(path, "re")
										     : NULL;
	char *room = f ? buf_reserve(out, max) : NULL;
	if (room)
		buf_fill(out, fread(room, 1, max, f));
	bool is_read = room && !ferror(f);
	if (f)
		fclose(f);
	return is_read;
}

/* The file that a shell would start. */
static bool find_program(const char *name, struct stat *ret)
{
	const char *at = getenv("PATH");
	char path[PATH_MAX];
	if (strchr(name, '/'))
		return stat(name, ret) == 0;
	for (; at && *at; at += strcspn(at, ":"), at += *at == ':')
		if (snprintf(path, sizeof path, "%.*s/%s", (int)strcspn(at, ":"), at, name) < PATH_MAX
				&& stat(path, ret) == 0 && S_ISREG(ret->st_mode))
			return true;
	return false;
}

/* The file "made_with" has size and time of the compiler, then its words, each one on a line. */
bool prepared_is_made_with(const char *folder, const char *const *compiler)
{
	struct buf known, wanted;
	struct stat st;
	char line[80];
	buf_init(&wanted, MADE_WITH_MAX);
	if (find_program(compiler[0], &st)) {
		int n = snprintf(line, sizeof line, "%lld %lld\n", (long long)st.st_size,
				(long long)st.st_mtime);
		buf_append(&wanted, line, (size_t)n);
		for (; *compiler; compiler++) {
			buf_append(&wanted, *compiler, strlen(*compiler));
			buf_append(&wanted, "\n", 1);
		}
	}
	bool is_it = prepared_read(folder, "made_with", MADE_WITH_MAX, &known) && wanted.len
		     && known.len == wanted.len && !memcmp(buf_at(&known), buf_at(&wanted), known.len);
	buf_finish(&known);
	buf_finish(&wanted);
	return is_it;
}

void prepared_find(struct prepared *ret, const char *language, const char *front, const char *const *compiler,
		const char *native, size_t n)
{
	*ret = (struct prepared){0};
	buf_init(&ret->front, FRONT_MAX);
	if (!prepared_path(ret->folder, language)
			|| !prepared_read(ret->folder, front, FRONT_MAX, &ret->front) || ret->front.len < n
			|| memcmp(buf_at(&ret->front), native, n) != 0
			|| !prepared_is_made_with(ret->folder, compiler))
		ret->folder[0] = '\0';
}

void prepared_finish(struct prepared *p)
{
	buf_finish(&p->front);
	p->folder[0] = '\0';
}

bool prepared_has_all(const struct prepared *p, const struct buf *includes)
{
	const char *at = includes->len ? buf_at(includes) : "", *end = at + includes->len;
	while (at < end) {
		const char *open = memchr(at, '<', (size_t)(end - at));
		const char *close = open ? memchr(open, '>', (size_t)(end - open)) : NULL;
		if (!close)
			return true;
		if (!memmem(buf_at(&p->front), p->front.len, open, (size_t)(close + 1 - open)))
			return false;
		at = close + 1;
	}
	return true;
}
