/* SPDX-License-Identifier: MIT */
#include "kernel/protocol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <terrarium/table.h>

#include "base/err.h"
#include "base/json.h"
#include "base/json_scan.h"
#include "base/utf8.h"
#include "kernel/kernel.h"

/* ---- requests -------------------------------------------------------------- */

enum { HAS_CODE = 1, HAS_CURSOR = 2, HAS_FILE = 4, HAS_TABLE = 8 };

static const struct {
	const char *name;
	unsigned fields;
} OPS[] = {
		[KERNEL_OP_RUN] = {"run", HAS_CODE | HAS_FILE},
		[KERNEL_OP_COMPLETE] = {"complete", HAS_CODE | HAS_CURSOR},
		[KERNEL_OP_INSPECT] = {"inspect", HAS_CODE | HAS_CURSOR},
		[KERNEL_OP_IS_COMPLETE] = {"is_complete", HAS_CODE},
		[KERNEL_OP_VARIABLES] = {"variables", HAS_CURSOR},
		[KERNEL_OP_MEMBERS] = {"members", HAS_CODE | HAS_CURSOR},
		[KERNEL_OP_TABLE] = {"table", HAS_CODE | HAS_TABLE},
		[KERNEL_OP_RESET] = {"reset", 0},
		[KERNEL_OP_LEAVE] = {"leave", 0},
};

static int put_text(struct buf *out, const char *s)
{
	return buf_append(out, s, strlen(s));
}

static int put_number(struct buf *out, const char *name, uint64_t value)
{
	int r = put_text(out, name);
	return r ? r : json_put_digits(out, value);
}

/* NULL, or an empty one: nothing is put. */
static int put_list(struct buf *out, const char *begin, char **words)
{
	int r = 0;
	for (size_t i = 0; !r && words && words[i]; i++)
		if (!(r = put_text(out, i ? "," : begin)))
			r = json_put_string(out, words[i], strlen(words[i]));
	return !r && words && words[0] ? put_text(out, "]") : r;
}

static int put_table(struct buf *out, const struct trm_table_query *q)
{
	int r = put_number(out, ",\"row\":", q->row);
	if (!r)
		r = put_number(out, ",\"count\":", q->rows);
	if (!r)
		r = put_number(out, ",\"column\":", q->column);
	if (!r)
		r = put_number(out, ",\"width\":", q->columns);
	if (!r && q->sort >= 0)
		r = put_number(out, ",\"sort\":", (uint64_t)q->sort);
	if (!r && q->sort >= 0 && q->is_descending)
		r = put_text(out, ",\"down\":true");
	if (!r && q->find && *q->find && !(r = put_text(out, ",\"find\":"))
			&& !(r = json_put_string(out, q->find, strlen(q->find))))
		r = put_number(out, ",\"from\":", q->find_from);
	return r;
}

int kernel_request_put(struct buf *out, const struct kernel_request *request)
{
	unsigned fields = OPS[request->op].fields;
	int r = put_text(out, "{\"op\":\"");
	if (!r)
		r = put_text(out, OPS[request->op].name);
	if (!r)
		r = put_number(out, "\",\"id\":\"", request->id);
	if (!r)
		r = put_text(out, "\"");
	if (!r && fields & HAS_CODE && !(r = put_text(out, ",\"code\":")))
		r = json_put_string(out, request->code, request->code_len);
	if (!r && fields & HAS_CURSOR)
		r = put_number(out, ",\"cursor\":", request->cursor);
	if (!r && fields & HAS_FILE && !(r = put_text(out, ",\"file\":")))
		r = json_put_string(out, request->file, strlen(request->file));
	if (!r && request->echoes)
		r = put_text(out, ",\"echo\":true");
	if (!r && request->is_program)
		r = put_text(out, ",\"program\":true");
	if (!r)
		r = put_list(out, ",\"args\":[", request->args);
	if (!r)
		r = put_list(out, ",\"env\":[", request->env);
	if (!r && request->cwd && !(r = put_text(out, ",\"cwd\":")))
		r = json_put_string(out, request->cwd, strlen(request->cwd));
	if (!r && fields & HAS_TABLE && request->table)
		r = put_table(out, request->table);
	if (!r && request->timeout_ms)
		r = put_number(out, ",\"timeout_ms\":", request->timeout_ms);
	return r ? r : put_text(out, "}\n");
}

/* ---- events ---------------------------------------------------------------- */

/* An escape at s (behind the backslash). \u0000 would end the string early,
 * and a surrogate without its other half (Python writes them for file names
 * that are not UTF-8) fails the whole parse: both become U+FFFD, which has the
 * same length. Returns how many bytes the escape takes. */
static size_t mend_escape(char *s, const char *end)
{
	if (*s != 'u')
		return 1;
	const uint32_t high = json_hex4(s + 1, end);
	if (high == UINT32_MAX)
		return 1;
	if (high >= 0xD800 && high < 0xDC00 && end - s >= 11 && s[5] == '\\' && s[6] == 'u') {
		const uint32_t low = json_hex4(s + 7, end);
		if (low >= 0xDC00 && low < 0xE000)
			return 11;
	}
	if (high == 0 || (high >= 0xD800 && high < 0xE000))
		memcpy(s + 1, "fffd", 4);
	return 5;
}

enum { LONG_BYTES = 64 << 10 };

/* A string that holds nothing to decode, without its quotes. cJSON would read each byte of it twice. */
struct long_string {
	char *at;
	size_t n;
};

/* Mend the strings of a line, measure its depth, and find its first long string (else n is 0). False: too
 * deep. */
static bool mend_line(char *line, size_t n, struct long_string *ret_long)
{
	const char *end = line + n;
	bool in_string = false;
	int depth = 0;
	*ret_long = (struct long_string){0};
	for (char *s = line; s < end; s++) {
		size_t run = in_string ? json_plain_run(s, (size_t)(end - s)) : 0;
		if (run >= LONG_BYTES && !ret_long->n && s[-1] == '"' && s + run < end && s[run] == '"')
			*ret_long = (struct long_string){s, run};
		s += run;
		if (s == end)
			break;
		if (in_string && *s == '\\' && s + 1 < end)
			s += mend_escape(s + 1, end);
		else if (*s == '"')
			in_string = !in_string;
		else if (!in_string && (*s == '{' || *s == '['))
			depth++;
		else if (!in_string && (*s == '}' || *s == ']'))
			depth--;
		if (depth > KERNEL_DEPTH_MAX)
			return false;
	}
	return true;
}

const char *kernel_json_text(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

bool kernel_json_number(const cJSON *object, const char *name, double max, double *ret)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0 && item->valuedouble <= max))
		return false;
	*ret = item->valuedouble;
	return true;
}

uint64_t kernel_json_id(const cJSON *object)
{
	const char *text = kernel_json_text(object, "id");
	if (!text || !*text || strlen(text) > 19 || strspn(text, "0123456789") != strlen(text))
		return 0;
	return strtoull(text, NULL, 10);
}

static bool read_ready(struct kernel_event *e)
{
	const cJSON *protocol = cJSON_GetObjectItemCaseSensitive(e->json, "protocol");
	e->is_foreign = protocol && !(cJSON_IsNumber(protocol) && protocol->valuedouble == KERNEL_PROTOCOL);
	e->tells_compiled = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(e->json, "tells_compiled"));
	e->text = kernel_json_text(e->json, "version");
	return true;
}

static bool read_input(struct kernel_event *e)
{
	e->text = kernel_json_text(e->json, "prompt");
	e->is_secret = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(e->json, "secret"));
	return true;
}

static bool read_display(struct kernel_event *e)
{
	const char *source = kernel_json_text(e->json, "source");
	e->is_saved = source && !strcmp(source, "saved");
	e->title = kernel_json_text(e->json, "title");
	if (e->title && (!*e->title || strlen(e->title) > KERNEL_TITLE_MAX))
		e->title = NULL;
	e->data = cJSON_GetObjectItemCaseSensitive(e->json, "data");
	return cJSON_IsObject(e->data);
}

static bool read_late(struct kernel_event *e)
{
	const char *stream = kernel_json_text(e->json, "stream");
	e->text = kernel_json_text(e->json, "text");
	e->is_stderr = stream && !strcmp(stream, "stderr");
	return e->text;
}

static bool read_done(struct kernel_event *e)
{
	enum { COUNT = 4 };
	static const char *const NAMES[COUNT] = {"ok", "error", "interrupted", "lost"};
	const char *status = kernel_json_text(e->json, "status");
	size_t i = 0;
	while (status && i < COUNT && strcmp(status, NAMES[i]))
		i++;
	if (!status || i == COUNT || (i == KERNEL_DONE_LOST && e->id))
		return false;
	e->done = (enum kernel_done)i;
	double number;
	e->exit_code = kernel_json_number(e->json, "exit_code", 255, &number) ? (int)number : -1;
	e->set = kernel_json_number(e->json, "set", KERNEL_SPARE_SETS, &number) ? (int)number : -1;
	e->has_cpu = kernel_json_number(e->json, "cpu_us", KERNEL_CPU_US_MAX, &number);
	e->cpu_us = e->has_cpu ? (uint64_t)number : 0;
	e->has_compile = kernel_json_number(e->json, "compile_us", KERNEL_CPU_US_MAX, &number);
	e->compile_us = e->has_compile ? (uint64_t)number : 0;
	e->value = kernel_json_text(e->json, "value");
	const cJSON *error = cJSON_GetObjectItemCaseSensitive(e->json, "error");
	if (cJSON_IsObject(error)) {
		const char *name = kernel_json_text(error, "name"),
			   *message = kernel_json_text(error, "message");
		const cJSON *traceback = cJSON_GetObjectItemCaseSensitive(error, "traceback");
		e->error_name = name ? name : "Error";
		e->error_message = message ? message : "";
		e->traceback = cJSON_IsArray(traceback) ? traceback : NULL;
	}
	return true;
}

static bool read_reply(struct kernel_event *e)
{
	const cJSON *data = cJSON_GetObjectItemCaseSensitive(e->json, "data");
	e->text = kernel_json_text(e->json, "error");
	e->data = cJSON_IsObject(data) ? data : NULL;
	return e->text || e->data;
}

static bool read_fate(struct kernel_event *e)
{
	e->text = kernel_json_text(e->json, "reason");
	return e->text;
}

static bool read_compiled(struct kernel_event *e)
{
	return e->id;
}

static const struct {
	const char *name;
	enum kernel_event_type type;
	bool (*read)(struct kernel_event *event);
} EVENTS[] = {
		{"done", KERNEL_EVENT_DONE, read_done},
		{"ready", KERNEL_EVENT_READY, read_ready},
		{"input", KERNEL_EVENT_INPUT, read_input},
		{"display", KERNEL_EVENT_DISPLAY, read_display},
		{"late", KERNEL_EVENT_LATE, read_late},
		{"reply", KERNEL_EVENT_REPLY, read_reply},
		{"fate", KERNEL_EVENT_FATE, read_fate},
		{"compiled", KERNEL_EVENT_COMPILED, read_compiled},
};

static int read_event(struct kernel_event *e, struct trm_error *reterr)
{
	const char *name = kernel_json_text(e->json, "ev");
	if (!name)
		return trm_error_set(reterr, TRM_EPROTO, "a line on the kernel's event pipe has no \"ev\"");
	e->id = kernel_json_id(e->json);
	for (size_t i = 0; i < sizeof EVENTS / sizeof *EVENTS; i++) {
		if (strcmp(name, EVENTS[i].name))
			continue;
		e->type = EVENTS[i].type;
		if (!EVENTS[i].read(e))
			return trm_error_set(reterr, TRM_EPROTO, "a \"%s\" event of the kernel lacks a field",
					name);
		if (e->is_foreign)
			return trm_error_set(reterr, TRM_EPROTO,
					"its driver speaks another version of the kernel protocol than %d",
					KERNEL_PROTOCOL);
	}
	return 0;
}

/* ---- long strings ------------------------------------------------------------ */

static const char stand_in[] = "\"<long string>\"";

/* The first item, in the order of the text, that is the stand-in. */
static cJSON *find_stand_in(cJSON *item)
{
	for (; item; item = item->next) {
		const char *text = cJSON_GetStringValue(item);
		if (text && strlen(text) == sizeof stand_in - 3
				&& !memcmp(text, stand_in + 1, sizeof stand_in - 3))
			return item;
		cJSON *inside = find_stand_in(item->child);
		if (inside)
			return inside;
	}
	return NULL;
}

/* Parse a line without that string, which is put in afterwards. NULL: parse it as it is. */
static cJSON *parse_without(const char *line, size_t n, struct long_string s)
{
	size_t head = (size_t)(s.at - 1 - line), tail = n - head - s.n - 2, mark = sizeof stand_in - 1;
	char *brief = malloc(n - s.n + sizeof stand_in), *copy = malloc(s.n + 1);
	cJSON *json = NULL, *item = NULL;
	if (brief && copy) {
		memcpy(brief, line, head);
		memcpy(brief + head, stand_in, mark);
		memcpy(brief + head + mark, s.at + s.n + 1, tail);
		json = cJSON_ParseWithLength(brief, head + mark + tail);
		item = find_stand_in(json);
	}
	free(brief);
	if (!item) { /* no memory, no JSON, or the string is a name */
		cJSON_Delete(json);
		free(copy);
		return NULL;
	}
	memcpy(copy, s.at, s.n);
	copy[s.n] = '\0';
	cJSON_free(item->valuestring);
	item->valuestring = copy;
	return json;
}

cJSON *kernel_json_parse(char *line, size_t n, bool *ret_is_deep)
{
	struct long_string s;
	bool is_deep = !mend_line(line, n, &s);
	if (ret_is_deep)
		*ret_is_deep = is_deep;
	if (is_deep)
		return NULL;
	if (utf8_is_valid(line, n)) {
		cJSON *json = s.n ? parse_without(line, n, s) : NULL;
		return json ? json : cJSON_ParseWithLength(line, n);
	}
	size_t len;
	char *repaired = utf8_repair(line, n, &len);
	cJSON *json = repaired ? cJSON_ParseWithLength(repaired, len) : NULL;
	free(repaired);
	return json;
}

int kernel_event_decode(char *line, size_t n, struct kernel_event *ret, struct trm_error *reterr)
{
	bool is_deep;
	if (kernel_done_read(line, n, ret))
		return 0;
	errno = 0; /* cJSON has one answer for what is no JSON and for what it has no memory for */
	struct kernel_event event = {
			.exit_code = -1, .set = -1, .json = kernel_json_parse(line, n, &is_deep)};
	if (!event.json && errno == ENOMEM)
		return trm_error_set(reterr, TRM_ENOMEM, "cannot read the kernel's events: out of memory");
	if (!cJSON_IsObject(event.json)) {
		cJSON_Delete(event.json);
		return trm_error_set(reterr, TRM_EPROTO, "a line on the kernel's event pipe is %s",
				is_deep ? "nested too deeply" : "not a JSON object");
	}
	int r = read_event(&event, reterr);
	if (r) {
		cJSON_Delete(event.json);
		return r;
	}
	*ret = event;
	return 0;
}

void kernel_event_finish(struct kernel_event *event)
{
	cJSON_Delete(event->json);
	free(event->own);
	*event = (struct kernel_event){0};
}

/* ---- lines ------------------------------------------------------------------- */

enum { KEEP_BYTES = 1024 * 1024 };

void kernel_lines_init(struct kernel_lines *lines)
{
	*lines = (struct kernel_lines){0};
	buf_init(&lines->bytes, KERNEL_LINE_MAX);
}

void kernel_lines_finish(struct kernel_lines *lines)
{
	buf_finish(&lines->bytes);
	lines->scanned = 0;
}

int kernel_lines_feed(struct kernel_lines *lines, const void *bytes, size_t n)
{
	return buf_append(&lines->bytes, bytes, n);
}

char *kernel_lines_next(struct kernel_lines *lines, size_t *ret_len)
{
	if (lines->scanned >= lines->bytes.len)
		return NULL;
	char *start = buf_at(&lines->bytes);
	char *newline = memchr(start + lines->scanned, '\n', lines->bytes.len - lines->scanned);
	if (!newline) {
		lines->scanned = lines->bytes.len;
		return NULL;
	}
	*ret_len = (size_t)(newline - start);
	return start;
}

void kernel_lines_done(struct kernel_lines *lines, size_t len)
{
	buf_take(&lines->bytes, len + 1);
	lines->scanned = 0;
	if (!lines->bytes.len && lines->bytes.cap > KEEP_BYTES) {
		/* One line with a picture in it shall not cost its memory for good. */
		kernel_lines_finish(lines);
		kernel_lines_init(lines);
	}
}
