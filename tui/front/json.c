/* SPDX-License-Identifier: MIT */
/* What the front needs of cJSON, which comes as a shared library only: reading, with cJSON's own types. Where
 * cJSON is lenient this is, too; a test compares the two. */
#include <cJSON.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = CJSON_NESTING_LIMIT };

struct input {
	const char *at, *end;
	int depth;
};

static cJSON *read_value(struct input *in);

static void skip_blanks(struct input *in)
{
	while (in->at < in->end && (unsigned char)*in->at <= ' ')
		in->at++;
}

static bool take_word(struct input *in, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(in->end - in->at) < n || memcmp(in->at, word, n) != 0)
		return false;
	in->at += n;
	return true;
}

static cJSON *node(int type)
{
	cJSON *item = calloc(1, sizeof *item);

	if (item)
		item->type = type;
	return item;
}

/* ---- numbers ---- */

/* What nearly all numbers are: an integer that a double holds exactly. */
static bool take_integer(struct input *in, double *ret)
{
	enum { DIGITS = 15 };
	const char *at = in->at;
	int64_t value = 0;

	while (at < in->end && *at >= '0' && *at <= '9' && at - in->at < DIGITS)
		value = value * 10 + (*at++ - '0');
	if (at == in->at || at == in->end || (*at >= '0' && *at <= '9') || *at == '.' || *at == 'e'
			|| *at == 'E')
		return false;
	*ret = (double)value;
	in->at = at;
	return true;
}

/* However long it is: an older cJSON read 63 characters of it, and took the rest for another value. */
static cJSON *read_number(struct input *in)
{
	char few[64], *text = few, *end;
	size_t n = 0;
	double value;

	if (take_integer(in, &value)) {
		cJSON *integer = node(cJSON_Number);
		if (integer)
			integer->valuedouble = value;
		return integer;
	}
	while (in->at + n < in->end && strchr("0123456789+-eE.", in->at[n]) && in->at[n])
		n++;
	if (n >= sizeof few && !(text = malloc(n + 1)))
		return NULL;
	memcpy(text, in->at, n);
	text[n] = '\0';
	value = strtod(text, &end);
	cJSON *item = end != text ? node(cJSON_Number) : NULL;
	if (item) {
		item->valuedouble = value;
		in->at += end - text;
	}
	if (text != few)
		free(text);
	return item;
}

/* ---- strings ---- */

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* The four digits at in->at, before `close`; what are none count as 0, all four of them. */
static bool take_hex(struct input *in, const char *close, uint32_t *ret)
{
	bool is_good = true;

	if (close - in->at < 4)
		return false;
	*ret = 0;
	for (int i = 0; i < 4; i++, in->at++) {
		int digit = hex_digit(*in->at);
		is_good &= digit >= 0;
		*ret = *ret << 4 | (uint32_t)(digit & 15);
	}
	if (!is_good)
		*ret = 0;
	return true;
}

static char *put_utf8(char *to, uint32_t cp)
{
	static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
	int n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;

	for (int i = n - 1; i > 0; i--, cp >>= 6)
		to[i] = (char)(0x80 | (cp & 0x3F));
	to[0] = (char)(lead[n] | cp);
	return to + n;
}

/* Behind "\\u": one code point, perhaps from two halves. */
static char *take_code_point(struct input *in, const char *close, char *to)
{
	uint32_t cp, low;

	if (!take_hex(in, close, &cp) || (cp >= 0xDC00 && cp < 0xE000))
		return NULL;
	if (cp >= 0xD800 && cp < 0xDC00) {
		if (!take_word(in, "\\u") || !take_hex(in, close, &low) || low < 0xDC00 || low >= 0xE000)
			return NULL;
		cp = 0x10000 + ((cp & 0x3FF) << 10 | (low & 0x3FF));
	}
	return put_utf8(to, cp);
}

/* Behind a backslash. */
static char *take_escape(struct input *in, const char *close, char *to)
{
	static const char letters[] = "bfnrt\"\\/", meant[] = "\b\f\n\r\t\"\\/";
	const char *which;

	if (*in->at == 'u') {
		in->at++;
		return take_code_point(in, close, to);
	}
	if (!*in->at || !(which = strchr(letters, *in->at)))
		return NULL;
	in->at++;
	*to++ = meant[which - letters];
	return to;
}

/* What is escaped never becomes longer. */
static char *read_string(struct input *in)
{
	const char *close;

	if (!take_word(in, "\""))
		return NULL;
	for (close = in->at; close < in->end && *close != '"'; close++)
		close += *close == '\\';
	if (close >= in->end)
		return NULL;
	char *text = malloc((size_t)(close - in->at) + 1), *to = text;
	while (to && in->at < close) {
		const char *run = in->at;
		while (in->at < close && *in->at != '\\')
			in->at++;
		memcpy(to, run, (size_t)(in->at - run));
		to += in->at - run;
		if (in->at < close) {
			in->at++;
			to = take_escape(in, close, to);
		}
	}
	if (!to) {
		free(text);
		return NULL;
	}
	*to = '\0';
	in->at = close + 1;
	return text;
}

static cJSON *read_text(struct input *in)
{
	char *text = read_string(in);
	cJSON *item = text ? node(cJSON_String) : NULL;

	if (item)
		item->valuestring = text;
	else
		free(text);
	return item;
}

/* ---- arrays and objects ---- */

/* The first one's `prev` is the last one. */
static void append(cJSON *parent, cJSON *item)
{
	cJSON *first = parent->child;

	if (!first) {
		parent->child = item->prev = item;
		return;
	}
	item->prev = first->prev;
	first->prev->next = item;
	first->prev = item;
}

static cJSON *read_member(struct input *in)
{
	char *name = read_string(in);
	cJSON *item = NULL;

	skip_blanks(in);
	if (name && take_word(in, ":")) {
		skip_blanks(in);
		item = read_value(in);
	}
	if (item)
		item->string = name;
	else
		free(name);
	return item;
}

static cJSON *read_group(struct input *in, bool is_object)
{
	const char *close = is_object ? "}" : "]";
	cJSON *group = in->depth < DEPTH_MAX ? node(is_object ? cJSON_Object : cJSON_Array) : NULL;

	in->at++;
	in->depth++;
	skip_blanks(in);
	bool is_over = group && take_word(in, close);
	while (group && !is_over) {
		skip_blanks(in);
		cJSON *item = is_object ? read_member(in) : read_value(in);
		if (item)
			append(group, item);
		skip_blanks(in);
		is_over = item && take_word(in, close);
		if (!item || (!is_over && !take_word(in, ","))) {
			cJSON_Delete(group);
			return NULL;
		}
	}
	in->depth--;
	return group;
}

static cJSON *read_value(struct input *in)
{
	if (in->at >= in->end)
		return NULL;
	if (*in->at == '"')
		return read_text(in);
	if (*in->at == '{' || *in->at == '[')
		return read_group(in, *in->at == '{');
	if (*in->at == '-' || (*in->at >= '0' && *in->at <= '9'))
		return read_number(in);
	if (take_word(in, "null"))
		return node(cJSON_NULL);
	if (take_word(in, "false"))
		return node(cJSON_False);
	return take_word(in, "true") ? node(cJSON_True) : NULL;
}

cJSON *cJSON_ParseWithLengthOpts(const char *value, size_t n, const char **ret_end, cJSON_bool is_all)
{
	struct input in = {.at = value, .end = value + n};

	take_word(&in, "\xEF\xBB\xBF");
	skip_blanks(&in);
	cJSON *item = read_value(&in);
	if (item && is_all) {
		skip_blanks(&in); /* the NUL at the end is a blank, too */
		in.at -= in.at == in.end;
		if (*in.at) {
			cJSON_Delete(item);
			item = NULL;
		}
	}
	if (ret_end)
		*ret_end = in.at;
	return item;
}

cJSON *cJSON_ParseWithLength(const char *value, size_t n)
{
	return cJSON_ParseWithLengthOpts(value, n, NULL, 0);
}

void cJSON_Delete(cJSON *item)
{
	while (item) {
		cJSON *next = item->next;
		cJSON_Delete(item->child);
		free(item->valuestring);
		free(item->string);
		free(item);
		item = next;
	}
}

/* ---- looking ---- */

cJSON *cJSON_GetObjectItemCaseSensitive(const cJSON *object, const char *name)
{
	cJSON *item = object ? object->child : NULL;

	while (item && (!item->string || strcmp(item->string, name) != 0))
		item = item->next;
	return item;
}

int cJSON_GetArraySize(const cJSON *array)
{
	int n = 0;

	for (const cJSON *item = array ? array->child : NULL; item; item = item->next)
		n++;
	return n;
}

static bool is_of(const cJSON *item, int types)
{
	return item && (item->type & 0xFF & types);
}

char *cJSON_GetStringValue(const cJSON *item)
{
	return is_of(item, cJSON_String) ? item->valuestring : NULL;
}

#define IS(name, types) \
	cJSON_bool cJSON_Is##name(const cJSON *item) \
	{ \
		return is_of(item, types); \
	}
IS(Array, cJSON_Array)
IS(Bool, cJSON_True | cJSON_False)
IS(Null, cJSON_NULL)
IS(Number, cJSON_Number)
IS(Object, cJSON_Object)
IS(String, cJSON_String)
IS(True, cJSON_True)

/* For answers to questions, which neither `run` nor `exec` asks. */
char *cJSON_PrintUnformatted(const cJSON *item)
{
	(void)item;
	return NULL;
}

void cJSON_free(void *memory)
{
	free(memory);
}
