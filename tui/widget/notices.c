/* SPDX-License-Identifier: MIT */
#include "widget/notices.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void notices_finish(struct notices *n)
{
	free(n->items);
	memset(n, 0, sizeof *n);
}

void notices_add(struct notices *n, uint64_t now_ns, bool is_error, const char *fmt, ...)
{
	va_list args;

	if (!n->items)
		n->items = calloc(NOTICES_MAX, sizeof *n->items);
	if (!n->items)
		return;
	struct notice *item = &n->items[n->n++ % NOTICES_MAX];
	item->time_ns = now_ns;
	item->is_error = is_error;
	va_start(args, fmt);
	vsnprintf(item->text, sizeof item->text, fmt, args);
	va_end(args);
	n->is_shown = true;
}

size_t notices_count(const struct notices *n)
{
	return n->n < NOTICES_MAX ? (size_t)n->n : NOTICES_MAX;
}

const struct notice *notices_at(const struct notices *n, size_t k)
{
	return k < notices_count(n) ? &n->items[(n->n - 1 - k) % NOTICES_MAX] : NULL;
}

bool notices_expire(struct notices *n, uint64_t now_ns, bool is_key)
{
	const struct notice *newest = notices_at(n, 0);

	if (!n->is_shown || !newest)
		return false;
	if (newest->is_error ? !is_key : now_ns - newest->time_ns < NOTICE_SHOWN_NS)
		return false;
	if (newest->is_error && now_ns - newest->time_ns < NOTICE_SHOWN_NS / 6)
		return false; /* the person has not seen it yet when pressing a key while it appeared */
	n->is_shown = false;
	return true;
}
