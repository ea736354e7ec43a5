/* SPDX-License-Identifier: MIT */
#include "text/rich.h"

#include <stdlib.h>
#include <string.h>

#include "text/rich_internal.h"

static bool grow_rich(struct rich *r, size_t n)
{
	if (r->is_full || r->len + n > RICH_MAX) {
		r->is_full = true;
		return false;
	}
	if (r->len + n + 1 > r->cap) {
		size_t cap = (r->len + n + 1) * 2;
		char *mem = realloc(r->mem, cap);
		if (!mem) {
			r->is_full = true;
			return false;
		}
		r->mem = mem;
		r->cap = cap;
	}
	return true;
}

void rich_add(struct rich *r, const char *text, size_t n)
{
	if (!n || !grow_rich(r, n))
		return;
	memcpy(r->mem + r->len, text, n);
	r->len += n;
	for (size_t i = 0; i < n; i++)
		r->newlines = text[i] == '\n' ? r->newlines + 1 : 0;
}

void rich_word(struct rich *r, const char *text, size_t n)
{
	if (r->has_gap && r->newlines == 0 && r->len)
		rich_add(r, " ", 1);
	r->has_gap = false;
	rich_add(r, text, n);
}

void rich_break(struct rich *r, int newlines)
{
	r->has_gap = false;
	while (r->len && r->newlines < newlines && !r->is_full)
		rich_add(r, "\n", 1);
}

void rich_strip(char *text)
{
	char *to = text;

	while (*text) {
		size_t skip = strncmp(text, RICH_BOLD, strlen(RICH_BOLD)) == 0     ? strlen(RICH_BOLD)
			      : strncmp(text, RICH_PLAIN, strlen(RICH_PLAIN)) == 0 ? strlen(RICH_PLAIN)
										   : 0;
		text += skip;
		if (!skip)
			*to++ = *text++;
	}
	*to = '\0';
}

char *rich_take(struct rich *r, size_t *ret_len)
{
	static const char cut[] = "\n... the rest is too long to be shown";
	char *out;

	while (r->len && strchr(" \n", r->mem[r->len - 1]))
		r->len--;
	if (r->is_full && r->len > RICH_MAX - sizeof cut)
		r->len = RICH_MAX - sizeof cut;
	out = realloc(r->mem, r->len + sizeof cut);
	if (out && r->is_full) {
		memcpy(out + r->len, cut, sizeof cut - 1);
		r->len += sizeof cut - 1;
	}
	if (!out)
		free(r->mem);
	else
		out[r->len] = '\0';
	*ret_len = r->len;
	*r = (struct rich){0};
	return out;
}
