/* SPDX-License-Identifier: MIT */
/* The table of languages. */
#include <terrarium/lang.h>

#include <cjson/cJSON.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <terrarium/config.h>
#include <terrarium/text.h>

#include "base/buf.h"
#include "base/cachedir.h"
#include "base/err.h"
#include "base/shell.h"
#include "base/suggest.h"
#include "kernel/row.h"

enum { COMMAND_MAX = 4096 };

static struct row rows[TRM_LANG_MAX];
static unsigned n_rows;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_listed(const char *const *list, const char *word)
{
	for (; list && *list; list++)
		if (!strcasecmp(*list, word))
			return true;
	return false;
}

static int no_memory(struct trm_error *reterr)
{
	return trm_error_set(reterr, TRM_ENOMEM, "cannot read the languages: out of memory");
}

/* ---- reading ---- */

static unsigned row_of(const struct row *all, unsigned n, const char *name)
{
	unsigned i = 0;
	while (i < n && strcmp(all[i].lang.name, name) != 0)
		i++;
	return i;
}

static const char *name_mistake(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789+#_-");
	return n && !name[n] && n < 24 ? NULL
				       : "a name is 1 to 23 lower-case letters, digits, '+', '#', '_', '-'";
}

/* No two languages have the same name or file ending. */
static int check_unique(const struct row_text *text, size_t nth, const struct row *all, unsigned n,
		const struct row *row, struct trm_error *reterr)
{
	for (unsigned i = 0; i < n; i++) {
		if (all[i].lang.index == row->lang.index)
			continue;
		for (const char *const *word = row->lang.aliases; *word; word++)
			if (is_listed(all[i].lang.aliases, *word))
				return row_fail(text, nth, "aliases", reterr,
						"\"%.30s\" is a name of %s already", *word, all[i].lang.name);
		for (const char *const *word = row->lang.suffixes; *word; word++)
			if (is_listed(all[i].lang.suffixes, *word))
				return row_fail(text, nth, "endings", reterr,
						"\"%.30s\" is an ending of %s already", *word,
						all[i].lang.name);
	}
	return 0;
}

/* What "like" names, without its names and endings, unless it is that very language. */
static int begin_like(const struct row_text *text, size_t nth, const cJSON *item, const struct row *all,
		unsigned n, struct row *row, struct trm_error *reterr)
{
	const cJSON *like = cJSON_GetObjectItemCaseSensitive(item, "like");
	if (!cJSON_IsString(like))
		return 0;
	unsigned i = row_of(all, n, like->valuestring);
	struct suggest near;
	if (i == n) {
		suggest_init(&near, like->valuestring);
		for (unsigned k = 0; k < n; k++)
			suggest_try(&near, all[k].lang.name);
		return row_fail(text, nth, "like", reterr, "there is no language \"%.30s\"%s%s%s",
				like->valuestring, near.best ? "; did you mean \"" : "",
				near.best ? near.best : "", near.best ? "\"?" : "");
	}
	unsigned index = row->lang.index;
	*row = all[i];
	row->lang.index = index;
	if (i != index)
		row->lang.aliases = row->lang.suffixes = NULL;
	return 0;
}

static int read_row(struct row_text *text, size_t nth, const cJSON *item, struct row *all, unsigned *n,
		struct trm_error *reterr)
{
	const char *mistake = name_mistake(item->string);
	if (mistake)
		return row_fail(text, nth, NULL, reterr, "%s", mistake);
	unsigned at = row_of(all, *n, item->string);
	if (at == TRM_LANG_MAX)
		return row_fail(text, nth, NULL, reterr, "there are more than %d languages", TRM_LANG_MAX);
	struct row row = {.lang.index = at};
	int r = cJSON_IsObject(item) ? begin_like(text, nth, item, all, *n, &row, reterr) : 0;
	if (r == 0)
		r = row_read(text, nth, &row, reterr);
	if (r == 0)
		r = check_unique(text, nth, all, *n, &row, reterr);
	if (r < 0)
		return r;
	all[at] = row;
	*n += at == *n;
	return 0;
}

/* What rows have is part of their texts, which stay to the end of the process. */
static struct kept_text {
	struct row_text text;
	struct kept_text *next;
} * kept_texts;

static void keep_text(const struct row_text *text)
{
	struct kept_text *kept = malloc(sizeof *kept);
	if (!kept)
		return; /* it stays all the same */
	*kept = (struct kept_text){*text, kept_texts};
	kept_texts = kept;
}

/* All rows, or none. Takes `text`, which stays as long as the rows do. */
static int read_all(struct row_text *text, struct trm_error *reterr)
{
	struct row *all = malloc(sizeof rows);
	unsigned n = n_rows;
	size_t nth = 0;
	int r = all ? 0 : no_memory(reterr);
	if (all)
		memcpy(all, rows, sizeof rows);
	for (const cJSON *item = text->root->child; item && r == 0; item = item->next)
		r = read_row(text, nth++, item, all, &n, reterr);
	if (r == 0) {
		memcpy(rows, all, sizeof rows);
		n_rows = n;
		keep_text(text);
	} else {
		row_text_finish(text);
	}
	free(all);
	return r;
}

/* Read the built-in rows at the first use. */
static int begin(void)
{
	int r = 0;
	pthread_mutex_lock(&lock);
	if (!n_rows) {
		struct embed e = embed_languages();
		struct row_text text = {.file = "",
				.json = e.bytes,
				.n = e.n,
				.root = cJSON_ParseWithLength(e.bytes, e.n)};
		r = text.root ? read_all(&text, NULL) : TRM_ENOMEM;
	}
	pthread_mutex_unlock(&lock);
	return r;
}

int trm_lang_load(const char *config_path, struct trm_error *reterr)
{
	struct trm_config_text config;
	if (begin() < 0)
		return no_memory(reterr);
	int r = trm_config_text(config_path, "languages", &config, reterr);
	if (r < 0 || !config.text)
		return r;
	struct row_text text = {.file = config.file,
			.json = config.text,
			.n = config.n,
			.offset = config.offset,
			.root = cJSON_ParseWithLengthOpts(
					config.text + config.offset, config.n - config.offset, NULL, 0)};
	pthread_mutex_lock(&lock);
	r = text.root ? read_all(&text, reterr) : no_memory(reterr);
	pthread_mutex_unlock(&lock);
	free(config.text);
	return r;
}

/* ---- finding ---- */

bool trm_lang_is_here(const struct trm_lang *lang)
{
	static const char *const folders[] = {"/usr/local/bin", "/usr/bin", "/bin", "/usr/local/go/bin"};
	const char *program = lang->interpreter;
	char path[PATH_MAX];
	if (strchr(program, '/'))
		return access(program, X_OK) == 0;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (snprintf(path, sizeof path, "%s/%s", folders[i], program) < (int)sizeof path
				&& access(path, X_OK) == 0)
			return true;
	return false;
}

unsigned trm_lang_count(void)
{
	begin();
	return n_rows;
}

const struct trm_lang *trm_lang_at(unsigned index)
{
	return index < trm_lang_count() ? &rows[index].lang : NULL;
}

const struct trm_lang *trm_lang_default(void)
{
	return trm_lang_at(0);
}

const struct trm_lang *trm_lang_shell(void)
{
	unsigned n = trm_lang_count(), i = 0;
	while (i < n && rows[i].lang.style != TRM_STYLE_SHELL)
		i++;
	return trm_lang_at(i);
}

const struct kernel_spec *kernel_spec(const struct trm_lang *lang)
{
	return &rows[lang->index].spec;
}

void kernel_forget_scripts(void)
{
	embed_forget();
}

/* "python, javascript, …" */
static void list_names(char *out, size_t cap)
{
	size_t n = 0;
	for (unsigned i = 0; i < n_rows && n < cap; i++)
		n += (size_t)snprintf(out + n, cap - n, "%s%s", i ? ", " : "", rows[i].lang.name);
}

static const char *nearest_name(const char *name)
{
	struct suggest near;
	suggest_init(&near, name);
	for (unsigned i = 0; i < n_rows; i++)
		for (const char *const *alias = rows[i].lang.aliases; *alias; alias++)
			if (strlen(*alias) > 2)
				suggest_try(&near, *alias);
	return near.best;
}

static int refuse_name(const char *name, struct trm_error *reterr)
{
	char known[200], clean[64];
	const char *near = nearest_name(name);
	list_names(known, sizeof known);
	trm_text_clean_line(clean, sizeof clean, name, strlen(name));
	if (near)
		return trm_error_set(
				reterr, TRM_EINVAL, "unknown language '%s'; did you mean '%s'?", clean, near);
	return trm_error_set(reterr, TRM_EINVAL, "unknown language '%s': the languages are %s", clean, known);
}

int trm_lang_find(const char *name, const struct trm_lang **ret, struct trm_error *reterr)
{
	if (begin() < 0)
		return no_memory(reterr);
	for (unsigned i = 0; name && i < n_rows; i++)
		if (is_listed(rows[i].lang.aliases, name)) {
			*ret = &rows[i].lang;
			return 0;
		}
	return refuse_name(name ? name : "", reterr);
}

int trm_lang_guess(const char *filename, const struct trm_lang **ret, struct trm_error *reterr)
{
	const char *slash = strrchr(filename, '/');
	const char *base = slash ? slash + 1 : filename;
	const char *suffix = strrchr(base, '.');
	if (begin() < 0)
		return no_memory(reterr);
	if (!suffix || suffix == base)
		return trm_error_set(reterr, TRM_EINVAL,
				"'%.100s' has no ending that shows its language: name the language",
				filename);
	for (unsigned i = 0; i < n_rows; i++)
		if (is_listed(rows[i].lang.suffixes, suffix)) {
			*ret = &rows[i].lang;
			return 0;
		}
	return trm_error_set(reterr, TRM_EINVAL,
			"no language is known for files ending in '%.60s' ('%.100s'): name the language",
			suffix, filename);
}

/* ---- what a row tells ---- */

const void *trm_lang_companion(const struct trm_lang *lang, size_t *ret_n)
{
	struct embed companion = row_companion(&rows[lang->index]);
	*ret_n = companion.n;
	return companion.bytes;
}

int trm_lang_prepared(const struct trm_lang *lang, char *out, size_t cap, struct trm_error *reterr)
{
	char path[CACHEDIR_PATH];
	int fd = cachedir_open("compilers", path, reterr);
	if (fd < 0)
		return fd;
	close(fd);
	if (!cachedir_has("compilers", path))
		return trm_error_set(reterr, TRM_EPERM,
				"sandboxes of root cannot reach %.300s: set XDG_CACHE_HOME=/var/cache", path);
	if (snprintf(out, cap, "%s/%s", path, lang->name) >= (int)cap)
		return trm_error_set(reterr, TRM_ETOOBIG, "the path of the cache is too long");
	return 0;
}

/* A word of a command, with the package in place of {package}, as a shell reads it. */
static int put_install_word(struct buf *out, const char *word, const char *package)
{
	static const char place[] = "{package}";
	static const char plain[] =
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,+@%^~";
	const char *at = strstr(word, place);
	struct buf whole;
	buf_init(&whole, COMMAND_MAX);
	int r = buf_append(&whole, word, at ? (size_t)(at - word) : strlen(word));
	if (at && r == 0 && (r = buf_append(&whole, package, strlen(package))) == 0)
		r = buf_append(&whole, at + sizeof place - 1, strlen(at + sizeof place - 1));
	if (r == 0 && out->len)
		r = buf_append(out, " ", 1);
	if (r == 0)
		r = buf_append(&whole, "", 1);
	if (r == 0 && whole.len > 1 && strspn(buf_at(&whole), plain) == whole.len - 1)
		r = buf_append(out, buf_at(&whole), whole.len - 1);
	else if (r == 0)
		r = shell_quote(out, buf_at(&whole));
	buf_finish(&whole);
	return r;
}

int trm_lang_install_command(const struct trm_lang *lang, const char *package, char *out, size_t cap,
		struct trm_error *reterr)
{
	struct buf line;
	int r = 0;
	if (!lang->install_command)
		return trm_error_set(reterr, TRM_ENOTSUP, "%s has no package manager here", lang->name);
	buf_init(&line, COMMAND_MAX);
	for (const char *const *word = lang->install_command; *word && r == 0; word++)
		r = put_install_word(&line, *word, package);
	if (r == 0 && line.len < cap) {
		memcpy(out, buf_at(&line), line.len);
		out[line.len] = '\0';
	} else if (r == 0 || r == TRM_ETOOBIG) {
		r = trm_error_set(reterr, TRM_ETOOBIG, "the command is longer than %zu bytes", cap);
	} else {
		r = no_memory(reterr);
	}
	buf_finish(&line);
	return r;
}

static bool starts(const char *at, size_t left, const char *sign)
{
	size_t n = strlen(sign);
	return n && n <= left && !memcmp(at, sign, n);
}

/* Bytes of the string that begins at `at`, 0: none does. Python's long ones, too. */
static size_t string_size(const struct trm_lang *lang, const char *at, size_t left)
{
	char quote = *at;
	bool is_long = lang->style == TRM_STYLE_INDENT && left >= 3 && at[1] == quote && at[2] == quote;
	size_t n = is_long ? 3 : 1;
	if (quote != '"' && quote != '\'' && (quote != '`' || lang->style != TRM_STYLE_BRACES))
		return 0;
	for (size_t i = n; i < left; i++) {
		if (at[i] == '\\' && !(lang->style == TRM_STYLE_SHELL && quote == '\''))
			i++;
		else if (at[i] == '\n' && !is_long && quote != '`' && lang->style != TRM_STYLE_SHELL)
			return i; /* a lone quote, as in Lisp's or Rust's */
		else if (at[i] == quote
				&& (!is_long || (left - i >= 3 && at[i + 1] == quote && at[i + 2] == quote)))
			return i + n;
	}
	return left;
}

/* Bytes of the comment that begins at `at`, without the newline that ends a line; 0: none does. */
static size_t comment_size(const struct trm_lang *lang, const char *code, size_t i, size_t n)
{
	if (starts(code + i, n - i, lang->block_begin)) {
		const char *from = code + i + strlen(lang->block_begin);
		const char *end = memmem(
				from, (size_t)(code + n - from), lang->block_end, strlen(lang->block_end));
		return end ? (size_t)(end - code) + strlen(lang->block_end) - i : n - i;
	}
	bool is_word = lang->style == TRM_STYLE_SHELL && i > 0 && !strchr(" \t\n;&|(", code[i - 1]);
	if (!starts(code + i, n - i, lang->comment) || is_word)
		return 0;
	const char *end = memchr(code + i, '\n', n - i);
	return end ? (size_t)(end - code) - i : n - i;
}

/* Of a comment, its newlines stay, and with `is_blank` the rest as blanks. */
static char *copy_without_comments(const struct trm_lang *lang, const char *code, size_t n, bool is_blank)
{
	char *out = malloc(n + 1);
	size_t used = 0;
	for (size_t i = 0; out && i < n;) {
		size_t comment = comment_size(lang, code, i, n);
		size_t string = comment ? 0 : string_size(lang, code + i, n - i);
		if (comment) {
			for (size_t k = 0; k < comment; k++)
				if (is_blank || code[i + k] == '\n')
					out[used++] = code[i + k] == '\n' ? '\n' : ' ';
			i += comment;
			continue;
		}
		string = string ? string : 1;
		memcpy(out + used, code + i, string);
		used += string;
		i += string;
	}
	if (out)
		out[used] = '\0';
	return out;
}

char *trm_lang_strip_comments(const struct trm_lang *lang, const char *code, size_t n)
{
	return copy_without_comments(lang, code, n, false);
}

char *trm_lang_blank_comments(const struct trm_lang *lang, const char *code, size_t n)
{
	return copy_without_comments(lang, code, n, true);
}
