/* SPDX-License-Identifier: MIT */
/* The front's snprintf(), in place of the C library's, which goes over a format twice and has a file made for
 * each text: a thousand instructions, and a start prints two dozen texts. Here are the conversions that
 * names, paths and numbers need; a format that has others is the C library's. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* What is written, as far as there is room, and counted in any case. */
struct text {
	char *out;
	size_t cap, n;
};

static void add(struct text *text, const char *bytes, size_t n)
{
	if (text->n < text->cap) {
		size_t room = text->cap - text->n;
		memcpy(text->out + text->n, bytes, n < room ? n : room);
	}
	text->n += n;
}

static void add_number(struct text *text, uint64_t value, bool is_negative)
{
	char digits[24], *at = digits + sizeof digits;

	do
		*--at = (char)('0' + value % 10);
	while (value /= 10);
	if (is_negative)
		*--at = '-';
	add(text, at, (size_t)(digits + sizeof digits - at));
}

/* "%lu" and its like, from behind the %; where it ends, or NULL. */
static const char *number(struct text *text, const char *at, va_list *args)
{
	bool is_long = *at == 'l' || *at == 'z';

	at += is_long;
	if (*at == 'd') {
		int64_t value = is_long ? va_arg(*args, long) : va_arg(*args, int);
		add_number(text, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
	} else if (*at == 'u') {
		add_number(text, is_long ? va_arg(*args, unsigned long) : va_arg(*args, unsigned), false);
	} else {
		return NULL;
	}
	return at + 1;
}

/* "%s", "%.100s" and "%.*s", likewise. */
static const char *string(struct text *text, const char *at, va_list *args)
{
	size_t max = SIZE_MAX;

	if (at[0] == '.' && at[1] == '*') {
		int n = va_arg(*args, int);
		max = n < 0 ? SIZE_MAX : (size_t)n;
		at += 2;
	} else if (*at == '.') {
		for (at++, max = 0; *at >= '0' && *at <= '9' && max < 100000; at++)
			max = max * 10 + (size_t)(*at - '0');
	}
	if (*at != 's')
		return NULL;
	const char *word = va_arg(*args, const char *);
	if (!word)
		return NULL;
	add(text, word, strnlen(word, max));
	return at + 1;
}

/* False: there is something else in it. */
static bool print(struct text *text, const char *fmt, va_list *args)
{
	while (*fmt) {
		size_t n = strcspn(fmt, "%");
		add(text, fmt, n);
		fmt += n;
		if (!*fmt)
			break;
		fmt++;
		fmt = *fmt == 's' || *fmt == '.' ? string(text, fmt, args) : number(text, fmt, args);
		if (!fmt)
			return false;
	}
	return text->n <= INT32_MAX;
}

int snprintf(char *restrict out, size_t cap, const char *restrict fmt, ...)
{
	struct text text = {.out = out, .cap = cap};
	va_list args;

	va_start(args, fmt);
	bool is_done = print(&text, fmt, &args);
	va_end(args);
	if (is_done) {
		if (cap)
			out[text.n < cap ? text.n : cap - 1] = '\0';
		return (int)text.n;
	}
	va_start(args, fmt);
	int n = vsnprintf(out, cap, fmt, args);
	va_end(args);
	return n;
}
