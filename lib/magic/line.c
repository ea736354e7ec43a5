/* SPDX-License-Identifier: MIT */
/* Lines of Python's notebooks. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/install.h>

#include "base/err.h"
#include "magic/magic.h"

static const struct {
	const char *word;
	enum magic_kind kind;
	const char *call;
} words[] = {
		{"pip", MAGIC_PIP, NULL},
		{"time", MAGIC_CODE, "time"},
		{"timeit", MAGIC_CODE, "timeit"},
		{"cd", MAGIC_CALL, "cd"},
		{"pwd", MAGIC_CALL, "pwd"},
		{"env", MAGIC_CALL, "env"},
		{"set_env", MAGIC_CALL, "env"},
		{"who", MAGIC_CALL, "who"},
		{"whos", MAGIC_CALL, "whos"},
		{"ls", MAGIC_SHELL, NULL},
		{"cat", MAGIC_SHELL, NULL},
		{"cp", MAGIC_SHELL, NULL},
		{"mkdir", MAGIC_SHELL, NULL},
		{"mv", MAGIC_SHELL, NULL},
		{"rm", MAGIC_SHELL, NULL},
		{"rmdir", MAGIC_SHELL, NULL},
		{"matplotlib", MAGIC_NOTHING, NULL},
		{"load_ext", MAGIC_NOTHING, NULL},
		{"reload_ext", MAGIC_NOTHING, NULL},
		{"autoreload", MAGIC_NOTHING, NULL},
		{"config", MAGIC_NOTHING, NULL},
};

/* "x = " and "a, b = " in front of a "!". */
static size_t target_len(struct magic_text line)
{
	size_t at = 0;
	if (!line.n || isdigit((unsigned char)*line.at))
		return 0;
	while (at < line.n
			&& (isalnum((unsigned char)line.at[at]) || strchr("_, .", line.at[at])
					|| line.at[at] & 0x80)
			&& line.at[at])
		at++;
	if (!at || at >= line.n || line.at[at] != '=')
		return 0;
	for (at++; at < line.n && line.at[at] == ' ';)
		at++;
	return at < line.n ? at : 0;
}

static struct magic_line read_percent(struct magic_text line)
{
	struct magic_line out = {.kind = MAGIC_NONE};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (magic_takes(line, words[i].word, &out.rest)) {
			out.kind = words[i].kind;
			out.call = words[i].call;
			if (out.kind == MAGIC_SHELL)
				out.rest = line;
			if (out.kind == MAGIC_CODE && !out.rest.n)
				out.kind = MAGIC_NONE;
			return out;
		}
	return out;
}

static struct magic_text behind(struct magic_text line, size_t n)
{
	return magic_trim((struct magic_text){line.at + n, line.n - n});
}

struct magic_line magic_line_read(struct magic_text line)
{
	struct magic_line out = {.kind = MAGIC_NONE};
	line = magic_trim(line);
	size_t target = target_len(line);
	if (line.n > 1 && *line.at == '%' && line.at[1] != '%')
		return read_percent((struct magic_text){line.at + 1, line.n - 1});
	if (line.n > 2 && line.at[0] == '!' && line.at[1] == '!')
		return (struct magic_line){.kind = MAGIC_LINES, .rest = behind(line, 2)};
	if (line.n > 1 && *line.at == '!' && line.at[1] != '=')
		return (struct magic_line){.kind = MAGIC_SHELL, .rest = behind(line, 1)};
	if (target && line.at[target] == '!' && target + 1 < line.n)
		return (struct magic_line){.kind = MAGIC_LINES,
				.before = {line.at, target},
				.rest = behind(line, target + 1)};
	return out;
}

int magic_quote(struct buf *out, struct magic_text text)
{
	int r = buf_append(out, "\"", 1);
	for (size_t i = 0; i < text.n && r == 0;) {
		size_t plain = i;
		char escape[8] = "";
		while (plain < text.n && (unsigned char)text.at[plain] >= ' ' && text.at[plain] != '"'
				&& text.at[plain] != '\\' && text.at[plain] != 0x7f)
			plain++;
		r = buf_append(out, text.at + i, plain - i);
		i = plain;
		if (i < text.n && (text.at[i] == '"' || text.at[i] == '\\'))
			snprintf(escape, sizeof escape, "\\%c", text.at[i++]);
		else if (i < text.n)
			snprintf(escape, sizeof escape, "\\x%02x", (unsigned char)text.at[i++]);
		if (r == 0)
			r = buf_append(out, escape, strlen(escape));
	}
	return r == 0 ? buf_append(out, "\"", 1) : r;
}

/* ---- packages ------------------------------------------------------------------------------- */

bool magic_pip_installs(struct magic_text text)
{
	struct magic_text rest;
	return magic_takes(text, "install", &rest);
}

/* Options that change nothing for packages of a sandbox. */
static bool is_idle_option(const char *word)
{
	static const char *const idle[] = {"-q", "-qq", "--quiet", "-U", "--upgrade", "--user",
			"--no-cache-dir", "--no-input", "--disable-pip-version-check"};
	for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
		if (!strcmp(word, idle[i]))
			return true;
	return false;
}

int magic_pip(char ***list, const struct trm_lang *lang, struct magic_text text, struct trm_error *reterr)
{
	struct magic_text rest = {0};
	magic_takes(text, "install", &rest);
	const char *const end = rest.at + rest.n;
	for (const char *at = rest.at; at < end;) {
		char word[256];
		size_t n = 0;
		while (at + n < end && !strchr(" \t\\\r\n", at[n]))
			n++;
		snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), at);
		at += n ? n : 1;
		size_t len = strlen(word);
		bool is_quoted = len > 1 && strchr("'\"", word[0]) && word[len - 1] == word[0];
		if (is_quoted)
			word[len - 1] = '\0';
		char *name = word + is_quoted;
		if (*name == '#')
			break;
		if (!*name || is_idle_option(name))
			continue;
		if (*name == '-')
			return trm_error_set(reterr, TRM_EINVAL,
					"%%pip install takes names of packages, not the option %s: use "
					"'terrarium install' for a requirements file or an option",
					name);
		int r = trm_libraries_add(list, lang, name, reterr);
		if (r < 0)
			return r;
	}
	return 0;
}
