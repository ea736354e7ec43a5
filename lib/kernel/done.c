/* SPDX-License-Identifier: MIT */
/* The end of a run as drivers write it when there was no error: read without a tree, which would cost more
 * than all else that is done with it. */
#include <stdlib.h>
#include <string.h>

#include "kernel/kernel.h"
#include "kernel/protocol.h"

struct reader {
	const char *at, *end;
};

static bool skip(struct reader *r, const char *text)
{
	size_t n = strlen(text);
	if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) != 0)
		return false;
	r->at += n;
	return true;
}

static bool read_number(struct reader *r, uint64_t max, uint64_t *ret)
{
	enum { DIGITS = 19 }; /* each number of so many fits */
	const char *from = r->at;
	uint64_t value = 0;
	for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && r->at - from < DIGITS; r->at++)
		value = value * 10 + (uint64_t)(*r->at - '0');
	*ret = value;
	return r->at > from && (*from != '0' || r->at - from == 1) && value <= max;
}

/* Printable ASCII without escapes. */
static bool read_text(struct reader *r, char **ret)
{
	const char *from = r->at;
	while (r->at < r->end && *r->at >= ' ' && *r->at <= '~' && *r->at != '"' && *r->at != '\\')
		r->at++;
	size_t n = (size_t)(r->at - from);
	char *text = skip(r, "\"") ? malloc(n + 1) : NULL;
	if (!text)
		return false;
	memcpy(text, from, n);
	text[n] = '\0';
	*ret = text;
	return true;
}

static bool read_status(struct reader *r, enum kernel_done *ret)
{
	static const char *const names[] = {"ok\"", "error\"", "interrupted\""};
	size_t i = 0;
	while (i < sizeof names / sizeof *names && !skip(r, names[i]))
		i++;
	*ret = (enum kernel_done)i;
	return i < sizeof names / sizeof *names;
}

static bool read_member(struct reader *r, struct kernel_event *e)
{
	uint64_t n;
	if (!e->own && skip(r, ",\"value\":\""))
		return read_text(r, &e->own);
	if (!e->has_cpu && skip(r, ",\"cpu_us\":"))
		return e->has_cpu = read_number(r, KERNEL_CPU_US_MAX, &e->cpu_us);
	if (e->set < 0 && skip(r, ",\"set\":") && read_number(r, KERNEL_SPARE_SETS, &n)) {
		e->set = (int)n;
		return true;
	}
	if (e->exit_code < 0 && skip(r, ",\"exit_code\":") && read_number(r, UINT8_MAX, &n)) {
		e->exit_code = (int)n;
		return true;
	}
	return false;
}

bool kernel_done_read(const char *line, size_t n, struct kernel_event *ret)
{
	struct reader r = {line, line + n};
	struct kernel_event event = {.type = KERNEL_EVENT_DONE, .exit_code = -1, .set = -1};
	bool is_plain = skip(&r, "{\"ev\":\"done\",\"id\":\"") && read_number(&r, UINT64_MAX, &event.id)
			&& skip(&r, "\",\"status\":\"") && read_status(&r, &event.done);
	while (is_plain && !skip(&r, "}"))
		is_plain = read_member(&r, &event);
	if (is_plain && r.at == r.end) {
		event.value = event.own;
		*ret = event;
		return true;
	}
	free(event.own);
	return false;
}
