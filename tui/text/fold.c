/* SPDX-License-Identifier: MIT */
#include "text/fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/cluster.h"

static size_t without_blanks(const char *s, size_t n)
{
	while (n > 1 && s[n - 1] == ' ')
		n--;
	return n;
}

/* How many bytes of s[0..n) go into a line. The blanks at its end need no room. */
static size_t part_of(const char *s, size_t n, size_t cols)
{
	size_t part = cluster_wrap(s, n, cols + 1);

	return cluster_columns(s, without_blanks(s, part)) <= cols ? part : cluster_wrap(s, n, cols);
}

/* The line s[0..n) without its newline. */
static void fold_line(FILE *out, const char *s, size_t n, size_t cols, size_t indent)
{
	for (size_t at = 0, begin = 0; at < n; begin = indent) {
		size_t part = part_of(s + at, n - at, cols > begin ? cols - begin : 1);
		size_t shown = at + part < n ? without_blanks(s + at, part) : part;
		fprintf(out, "%s%*s%.*s", at ? "\n" : "", (int)begin, "", (int)shown, s + at);
		at += part;
	}
}

char *text_fold(const char *text, size_t cols, size_t indent)
{
	char *folded = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&folded, &size);

	if (!out)
		return NULL;
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		fold_line(out, text, (size_t)(end - text), cols, indent);
		fputc('\n', out);
	}
	fold_line(out, text, strlen(text), cols, indent);
	if (fclose(out) == 0)
		return folded;
	free(folded);
	return NULL;
}
