/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "repl/repl_internal.h"

bool code_add(struct code *c, const char *text, size_t n)
{
	if (c->n + n + 1 > c->cap) {
		size_t cap = (c->n + n + 1) * 2;
		char *grown = realloc(c->text, cap);
		if (!grown)
			return false;
		c->text = grown;
		c->cap = cap;
	}
	if (n)
		memcpy(c->text + c->n, text, n);
	c->n += n;
	c->text[c->n] = '\0';
	return true;
}

void code_clear(struct code *c)
{
	c->n = 0;
	if (c->text)
		c->text[0] = '\0';
}

void code_finish(struct code *c)
{
	free(c->text);
	*c = (struct code){0};
}
