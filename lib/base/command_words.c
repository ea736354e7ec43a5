/* SPDX-License-Identifier: MIT */
#include "base/command_words.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/text.h>

#include "base/shell.h"

static void put_bytes(struct command_words *w, const char *bytes, size_t n)
{
	static const char more[] = " …";
	if (w->is_full)
		return;
	w->is_full = w->n + n + sizeof more > sizeof w->line;
	if (w->is_full) {
		bytes = more;
		n = sizeof more - 1;
	}
	memcpy(w->line + w->n, bytes, n);
	w->n += n;
}

void command_words_begin(struct command_words *w, const char *step)
{
	*w = (struct command_words){.n = 0};
	put_bytes(w, COMMAND_WORDS_SIGN, strlen(COMMAND_WORDS_SIGN));
	put_bytes(w, step, strlen(step));
	put_bytes(w, ":", 1);
}

static void put_quoted(struct command_words *w, const char *arg)
{
	if (shell_is_plain(arg)) {
		put_bytes(w, arg, strlen(arg));
		return;
	}
	put_bytes(w, "'", 1);
	for (; *arg; arg++)
		put_bytes(w, *arg == '\'' ? "'\\''" : arg, *arg == '\'' ? 4 : 1);
	put_bytes(w, "'", 1);
}

/* The start of a secret value in this argument; NULL: there is none. */
static const char *secret_of(const struct command_words *w, const char *arg)
{
	if (w->is_hidden)
		return strchr(arg, '=');
	if (!strncmp(arg, "--env=", 6))
		return strchr(arg + 6, '=');
	return !strncmp(arg, "-e", 2) && arg[2] ? strchr(arg, '=') : NULL;
}

void command_words_add(struct command_words *w, const char *arg)
{
	char name[256];
	const char *value = secret_of(w, arg);
	w->n_args++;
	put_bytes(w, " ", 1);
	if (value) {
		snprintf(name, sizeof name, "%.*s", (int)(value + 1 - arg), arg);
		put_quoted(w, name);
		put_bytes(w, "…", strlen("…"));
	} else {
		put_quoted(w, arg);
	}
	w->is_hidden = !strcmp(arg, "--env") || !strcmp(arg, "-e");
}

const char *command_words_end(struct command_words *w)
{
	char clean[COMMAND_WORDS_MAX];
	trm_text_clean_line(clean, sizeof clean, w->line, w->n);
	memcpy(w->line, clean, strlen(clean) + 1);
	return w->line;
}
