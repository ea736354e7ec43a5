/* SPDX-License-Identifier: MIT */
#include "kernel/row_internal.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "base/err.h"
#include "base/place.h"
#include "base/suggest.h"

enum { WORDS_MAX = 32, TEXT_MAX = 4096, COMMANDS_MAX = 8 };
#define DRIVER_MAX (192u << 10) /* it travels in one message with the command: terrarium/sandbox.h */

void row_text_finish(struct row_text *text)
{
	for (size_t i = 0; i < text->n_lists; i++)
		free(text->lists[i]);
	free(text->lists);
	cJSON_Delete(text->root);
	*text = (struct row_text){0};
}

/* ---- mistakes ---- */

static int fail_v(const struct row_text *text, size_t nth, const char *key, struct trm_error *reterr,
		const char *fmt, va_list args)
{
	const cJSON *row = text->root->child;
	char name[48], why[160], where[PATH_MAX + 48] = "built in";
	size_t line, column, offset = place_child(text->json, text->n, text->offset, nth), k = 0;
	for (size_t i = 0; i < nth; i++)
		row = row->next;
	const cJSON *child = key ? row->child : NULL;
	for (; child && strcmp(child->string, key) != 0; child = child->next)
		k++;
	if (child)
		offset = place_child(text->json, text->n, place_value(text->json, text->n, offset), k);
	trm_text_clean_line(name, sizeof name, row->string, strlen(row->string));
	vsnprintf(why, sizeof why, fmt, args);
	place_line_column(text->json, offset, &line, &column);
	if (*text->file)
		snprintf(where, sizeof where, "%s:%zu:%zu", text->file, line, column);
	return trm_error_set(reterr, TRM_EINVAL, "%s: language \"%s\"%s%.40s: %s", where, name,
			key ? ", " : "", key ? key : "", why);
}

int row_fail(const struct row_text *text, size_t nth, const char *key, struct trm_error *reterr,
		const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int code = fail_v(text, nth, key, reterr, fmt, args);
	va_end(args);
	return code;
}

static int fail(const struct spot *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int fail(const struct spot *s, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int code = fail_v(s->text, s->nth, s->item->string, s->err, fmt, args);
	va_end(args);
	return code;
}

int row_no_memory(const struct spot *s)
{
	return trm_error_set(s->err, TRM_ENOMEM, "cannot read the languages: out of memory");
}

/* ---- values ---- */

static int check_text(const struct spot *s, const cJSON *item)
{
	if (!cJSON_IsString(item) || !*item->valuestring)
		return fail(s, "must be text that is not empty");
	if (strlen(item->valuestring) > TEXT_MAX)
		return fail(s, "is longer than %d bytes", TEXT_MAX);
	for (const char *c = item->valuestring; *c; c++)
		if (((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') || *c == 0x7f)
			return fail(s, "has a control character (byte 0x%02x) in it", (unsigned char)*c);
	return 0;
}

void *row_new_list(const struct spot *s, size_t n)
{
	void **lists = realloc(s->text->lists, (s->text->n_lists + 1) * sizeof *lists);
	if (!lists)
		return NULL;
	s->text->lists = lists;
	void *list = calloc(n, sizeof(void *));
	if (list)
		lists[s->text->n_lists++] = list;
	return list;
}

/* A list of words, behind `first` if that is not NULL. */
static int read_words(const struct spot *s, const cJSON *item, const char *first, const char *const **ret)
{
	int n = cJSON_GetArraySize(item);
	if (!cJSON_IsArray(item) || n < 1 || n > WORDS_MAX)
		return fail(s, "must be a list of 1 to %d texts", WORDS_MAX);
	const char **words = row_new_list(s, (size_t)n + 2);
	if (!words)
		return row_no_memory(s);
	size_t used = 0;
	if (first)
		words[used++] = first;
	for (const cJSON *word = item->child; word; word = word->next) {
		int r = check_text(s, word);
		if (r < 0)
			return r;
		words[used++] = word->valuestring;
	}
	*ret = words;
	return 0;
}

static int read_aliases(const struct spot *s)
{
	return read_words(s, s->item, s->row->lang.name, &s->row->lang.aliases);
}

static int read_endings(const struct spot *s)
{
	int r = read_words(s, s->item, NULL, &s->row->lang.suffixes);
	for (const char *const *word = s->row->lang.suffixes; r == 0 && *word; word++)
		if ((*word)[0] != '.' || !(*word)[1] || strchr(*word + 1, '.') || strchr(*word, '/'))
			r = fail(s, "\"%.20s\" is no ending: write it as \".ext\"", *word);
	return r;
}

static int read_block(const struct spot *s)
{
	const char *const *pair;
	int r = read_words(s, s->item, NULL, &pair);
	if (r < 0)
		return r;
	if (!pair[1] || pair[2])
		return fail(s, "must be two texts: how a comment begins and how it ends");
	s->row->lang.block_begin = pair[0];
	s->row->lang.block_end = pair[1];
	return 0;
}

/* Which of the names it is; -1: none of them. */
static int find_word(const cJSON *item, const char *const *names)
{
	for (int i = 0; cJSON_IsString(item) && names[i]; i++)
		if (!strcmp(item->valuestring, names[i]))
			return i;
	return -1;
}

static int read_style(const struct spot *s)
{
	static const char *const names[] = {[TRM_STYLE_BRACES] = "braces",
			[TRM_STYLE_INDENT] = "indent",
			[TRM_STYLE_SHELL] = "shell",
			[TRM_STYLE_END] = "end",
			NULL};
	int found = find_word(s->item, names);
	if (found < 0)
		return fail(s, "must be \"braces\", \"indent\", \"shell\" or \"end\"");
	s->row->lang.style = (enum trm_lang_style)found;
	return 0;
}

static int read_tree(const struct spot *s)
{
	static const char *const names[] = {[TRM_TREE_NONE] = "none",
			[TRM_TREE_ATTRIBUTES] = "attributes",
			[TRM_TREE_MEMBERS] = "members",
			[TRM_TREE_COMMANDS] = "commands",
			NULL};
	int found = find_word(s->item, names);
	if (found < 0)
		return fail(s, "must be \"none\", \"attributes\", \"members\" or \"commands\"");
	s->row->lang.tree = (enum trm_lang_tree)found;
	return 0;
}

/* What stands between braces is a placeholder that there is. */
static int check_word(const struct spot *s, const char *word)
{
	static const char *const known[] = {"{file}", "{out}", "{dir}", "{lines}"};
	size_t len = strlen(word);
	for (size_t i = 0; word[i]; i++) {
		size_t n = word[i] == '{' ? strspn(word + i + 1, "abcdefghijklmnopqrstuvwxyz") + 2 : 0;
		if (n < 3 || i + n > len || word[i + n - 1] != '}')
			continue;
		bool is_known = n == len && !strcmp(word, "{args}");
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			is_known |= n == strlen(known[k]) && !strncmp(word + i, known[k], n);
		if (!is_known)
			return fail(s, "\"%.*s\" is not known: there are {file}, {out}, {dir}, {lines}, and {args} alone",
					(int)(n > 30 ? 30 : n), word + i);
	}
	return 0;
}

static int read_commands(const struct spot *s)
{
	int n = cJSON_GetArraySize(s->item), r = 0;
	if (!cJSON_IsArray(s->item) || n < 1 || n > COMMANDS_MAX)
		return fail(s, "must be a list of 1 to %d commands, each a list of texts", COMMANDS_MAX);
	const char *const **commands = row_new_list(s, (size_t)n + 1);
	if (!commands)
		return row_no_memory(s);
	size_t used = 0;
	for (const cJSON *one = s->item->child; one && r == 0; one = one->next) {
		r = read_words(s, one, NULL, &commands[used]);
		for (size_t i = 0; r == 0 && commands[used][i]; i++)
			r = check_word(s, commands[used][i]);
		used++;
	}
	s->row->lang.commands = (const char *const *const *)commands;
	s->row->start = NULL;
	return r;
}

static const struct {
	const char *name;
	struct embed (*driver)(void);
} drivers[] = {{"python", embed_driver_python}, {"node", embed_driver_node}, {"bash", embed_driver_bash},
		{"ruby", embed_driver_ruby}, {"r", embed_driver_r}, {"java", embed_driver_java},
		{"typescript", embed_driver_typescript}};

/* A file beside the config file, or anywhere. */
static int read_driver_file(const struct spot *s, const char *name)
{
	char path[PATH_MAX];
	const char *slash = strrchr(s->text->file, '/');
	int dir = *name == '/' || !slash ? 0 : (int)(slash + 1 - s->text->file);
	snprintf(path, sizeof path, "%.*s%s", dir, s->text->file, name);
	char *bytes = NULL;
	size_t n = 0;
	FILE *f = fopen(path, "re");
	if (!f)
		return fail(s, "\"%.80s\" cannot be read: %m", name);
	bytes = malloc(DRIVER_MAX);
	void **list = bytes ? row_new_list(s, 1) : NULL;
	if (list) {
		n = fread(bytes, 1, DRIVER_MAX, f);
		free(list);
		s->text->lists[s->text->n_lists - 1] = bytes;
	} else {
		free(bytes);
	}
	fclose(f);
	if (!list)
		return row_no_memory(s);
	if (!n || n == DRIVER_MAX)
		return fail(s, "\"%.80s\" is empty, or has more than %u KiB", name, DRIVER_MAX >> 10);
	s->row->spec.driver = (struct embed){bytes, n};
	return 0;
}

static int read_driver(const struct spot *s)
{
	int r = check_text(s, s->item);
	if (r < 0)
		return r;
	for (size_t i = 0; !*s->text->file && i < sizeof drivers / sizeof *drivers; i++)
		if (!strcmp(drivers[i].name, s->item->valuestring)) {
			s->row->spec.driver = drivers[i].driver();
			return 0;
		}
	return read_driver_file(s, s->item->valuestring);
}

static int read_start(const struct spot *s)
{
	s->row->lang.commands = NULL;
	s->row->compiler = NULL;
	return read_words(s, s->item, NULL, &s->row->start);
}

/* The same list with another first word. */
static int replace_first(const struct spot *s, const char *const **list)
{
	size_t n = 0;
	while (*list && (*list)[n])
		n++;
	if (!n)
		return 0;
	const char **copy = row_new_list(s, n + 1);
	if (!copy)
		return row_no_memory(s);
	memcpy(copy, *list, n * sizeof *copy);
	copy[0] = s->item->valuestring;
	*list = copy;
	return 0;
}

static int read_program(const struct spot *s)
{
	struct row *row = s->row;
	int r = check_text(s, s->item);
	if (r == 0 && !row->start && (!row->lang.commands || row->lang.commands[1]))
		r = fail(s, "changes the program of a language that has one command: give \"commands\" instead");
	if (r == 0 && row->lang.commands) {
		const char *const **commands = row_new_list(s, 2);
		if (!commands)
			return row_no_memory(s);
		commands[0] = row->lang.commands[0];
		r = replace_first(s, &commands[0]);
		row->lang.commands = (const char *const *const *)commands;
	} else if (r == 0) {
		row->needs = NULL;
		r = replace_first(s, &row->start);
	}
	return r == 0 ? replace_first(s, &row->lang.version) : r;
}

static int read_like(const struct spot *s)
{
	return check_text(s, s->item); /* the caller of row_read() has already applied it */
}

static const char *const sample_names[KERNEL_SAMPLES] = {
		[KERNEL_SAMPLE_PRINT] = "print",
		[KERNEL_SAMPLE_COMPLAIN] = "complain",
		[KERNEL_SAMPLE_VALUE] = "value",
		[KERNEL_SAMPLE_SET] = "set",
		[KERNEL_SAMPLE_GET] = "get",
		[KERNEL_SAMPLE_FAIL] = "fail",
		[KERNEL_SAMPLE_EXIT] = "exit",
		[KERNEL_SAMPLE_READ] = "read",
		[KERNEL_SAMPLE_LOOP] = "loop",
		[KERNEL_SAMPLE_BYTES] = "bytes",
		[KERNEL_SAMPLE_LONG] = "long",
		[KERNEL_SAMPLE_ARGS] = "args",
};

const char *kernel_sample_name(enum kernel_sample sample)
{
	return sample_names[sample];
}

static int read_sample(const struct spot *s, const cJSON *item)
{
	struct suggest near;
	suggest_init(&near, item->string);
	for (size_t i = 0; i < KERNEL_SAMPLES; i++) {
		suggest_try(&near, sample_names[i]);
		if (strcmp(sample_names[i], item->string) != 0)
			continue;
		s->row->spec.samples[i] = item->valuestring;
		return check_text(s, item);
	}
	return fail(s, "there is no sample \"%.30s\"%s%s%s", item->string,
			near.best ? "; did you mean \"" : "", near.best ? near.best : "",
			near.best ? "\"?" : "");
}

static int read_samples(const struct spot *s)
{
	int r = cJSON_IsObject(s->item) ? 0 : fail(s, "must be an object of texts in braces");
	for (const cJSON *item = s->item->child; item && r == 0; item = item->next)
		r = read_sample(s, item);
	return r;
}

/* ---- keys ---- */

enum kind { KIND_OTHER, KIND_TEXT, KIND_WORDS, KIND_FLAG };

#define TEXT(name, field) \
	{ \
		name, KIND_TEXT, offsetof(struct row, field), NULL \
	}
#define WORDS(name, field) \
	{ \
		name, KIND_WORDS, offsetof(struct row, field), NULL \
	}
#define FLAG(name, field) \
	{ \
		name, KIND_FLAG, offsetof(struct row, field), NULL \
	}
#define OTHER(name, read) \
	{ \
		name, KIND_OTHER, 0, read \
	}

static const struct key {
	const char *name;
	enum kind kind;
	size_t offset;
	int (*read)(const struct spot *s);
} keys[] = {
		OTHER("like", read_like),
		OTHER("aliases", read_aliases),
		OTHER("endings", read_endings),
		TEXT("comment", lang.comment),
		OTHER("block_comment", read_block),
		OTHER("style", read_style),
		FLAG("tab", lang.has_tab),
		FLAG("prints_prompts", lang.prints_prompts),
		FLAG("takes_args", lang.takes_args),
		FLAG("takes_env", lang.takes_env),
		OTHER("tree", read_tree),
		OTHER("commands", read_commands),
		WORDS("pieces", compiler),
		OTHER("driver", read_driver),
		OTHER("start", read_start),
		OTHER("program", read_program),
		TEXT("needs", needs),
		WORDS("version", lang.version),
		FLAG("loses_interrupts", spec.loses_interrupts),
		FLAG("is_asked_twice", spec.is_asked_twice),
		FLAG("answers_quickly", spec.answers_quickly),
		FLAG("resets_by_restart", spec.resets_by_restart),
		FLAG("tells_compiled", spec.tells_compiled),
		WORDS("env", spec.env),
		TEXT("grammar", lang.grammar),
		TEXT("template", lang.skeleton),
		TEXT("image", lang.image),
		TEXT("package", lang.package),
		TEXT("package_manager", lang.package_manager),
		WORDS("install", lang.install_command),
		WORDS("prepare", lang.prepare),
		WORDS("installer", spec.installer),
		FLAG("fetches", spec.fetches),
		WORDS("plot_libraries", lang.plot_libraries),
		TEXT("imports", lang.imports),
		TEXT("module_prefix", lang.module_prefix),
		TEXT("module_parts", lang.module_parts),
		TEXT("sample", lang.sample),
		WORDS("lessons", lang.lessons),
		WORDS("code_options", lang.code_options),
		OTHER("samples", read_samples),
};
enum { KEYS = sizeof keys / sizeof *keys };

static int fail_unknown(const struct spot *s)
{
	struct suggest near;
	suggest_init(&near, s->item->string);
	for (size_t i = 0; i < KEYS; i++)
		suggest_try(&near, keys[i].name);
	return fail(s, "there is no such key%s%s%s", near.best ? "; did you mean \"" : "",
			near.best ? near.best : "", near.best ? "\"?" : "; see terrarium-config(5)");
}

static int read_flag(const struct spot *s, bool *ret)
{
	if (!cJSON_IsBool(s->item))
		return fail(s, "must be true or false");
	*ret = cJSON_IsTrue(s->item);
	return 0;
}

static int read_key(const struct spot *s)
{
	for (size_t i = 0; i < KEYS; i++) {
		if (strcmp(keys[i].name, s->item->string) != 0)
			continue;
		void *field = (char *)s->row + keys[i].offset;
		int r = keys[i].kind == KIND_TEXT ? check_text(s, s->item) : 0;
		if (r == 0 && keys[i].kind == KIND_TEXT)
			*(const char **)field = s->item->valuestring;
		return keys[i].kind == KIND_WORDS   ? read_words(s, s->item, NULL, field)
		       : keys[i].kind == KIND_FLAG  ? read_flag(s, field)
		       : keys[i].kind == KIND_OTHER ? keys[i].read(s)
						    : r;
	}
	return fail_unknown(s);
}

/* ---- the row ---- */

int row_read(struct row_text *text, size_t nth, struct row *row, struct trm_error *reterr)
{
	struct spot s = {.text = text, .nth = nth, .row = row, .err = reterr};
	const cJSON *item = text->root->child;
	for (size_t i = 0; i < nth; i++)
		item = item->next;
	if (!cJSON_IsObject(item))
		return row_fail(text, nth, NULL, reterr, "must be an object in braces");
	row->lang.name = item->string;
	if (cJSON_GetObjectItemCaseSensitive(item, "commands"))
		row->compiler = NULL; /* that of "like" would be another one */
	int r = 0;
	for (s.item = item->child; s.item && r == 0; s.item = s.item->next)
		r = read_key(&s);
	return r == 0 ? row_complete(&s) : r;
}
