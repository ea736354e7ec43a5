/* SPDX-License-Identifier: MIT */
#include "kernel/note.h"

#include <string.h>

#include <cjson/cJSON.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

#include "base/json.h"
#include "kernel/kernel.h"
#include "kernel/protocol.h"

enum {
	FIELDS_MAX = 8 * 1024, /* everything but the code, escaped */
	FILE_MAX = 512,        /* bytes of the name; six times that when escaped */
	BY_MAX = 128,
};

/* How much of the code fits, when written as JSON, into `room` bytes: whole code points. */
static size_t fitting(const char *code, size_t n, size_t room)
{
	enum { ESCAPED = 6, PAIR = 12 };
	size_t used = 0, at = 0;
	while (at < n) {
		unsigned char c = (unsigned char)code[at];
		uint32_t cp;
		size_t len = c < 0x80 ? 1 : trm_utf8_decode(code + at, n - at, &cp, NULL);
		used += c >= 0x20 && c < 0x7f && c != '"' && c != '\\' ? 1 : c < 0x80 ? ESCAPED : PAIR;
		if (used > room)
			break;
		at += len;
	}
	return at;
}

static int put_text(struct buf *out, const char *name, const char *text, size_t n)
{
	int r = buf_append(out, name, strlen(name));
	return r ? r : json_put_string(out, text, n);
}

static int put_number(struct buf *out, const char *name, uint64_t value)
{
	int r = buf_append(out, name, strlen(name));
	return r ? r : json_put_digits(out, value);
}

static int put_limit(struct buf *out, const struct kernel_note *note)
{
	int r = put_number(out, "{\"ev\":\"limit\",\"id\":\"", note->id);
	if (!r)
		r = put_number(out, "\",\"timeout_ms\":", note->timeout_ms);
	const char *end = note->is_compiling ? ",\"compiling\":true}\n" : "}\n";
	return r ? r : buf_append(out, end, strlen(end));
}

static int put_answer(struct buf *out, const struct kernel_note *note)
{
	int r = put_number(out, "{\"ev\":\"answer\",\"id\":\"", note->id);
	return r ? r : buf_append(out, "\"}\n", 3);
}

static int put_clock(struct buf *out, const struct kernel_note *note)
{
	int r = put_number(out, "{\"ev\":\"clock\",\"id\":\"", note->id);
	if (!r)
		r = put_number(out, "\",\"timeout_ms\":", note->timeout_ms);
	if (!r)
		r = put_number(out, ",\"left_ms\":", note->left_ms);
	if (!r)
		r = put_number(out, ",\"stops\":", note->stops);
	if (!r && note->code_ms)
		r = put_number(out, ",\"code_ms\":", note->code_ms);
	return r ? r : buf_append(out, "}\n", 2);
}

int kernel_note_put(struct buf *out, const struct kernel_note *note)
{
	if (note->kind == NOTE_LIMIT)
		return put_limit(out, note);
	if (note->kind == NOTE_ANSWER)
		return put_answer(out, note);
	if (note->kind == NOTE_CLOCK)
		return put_clock(out, note);
	size_t fits = note->code_len < (KERNEL_NOTE_MAX - FIELDS_MAX) / 12
				      ? note->code_len
				      : fitting(note->code, note->code_len, KERNEL_NOTE_MAX - FIELDS_MAX);
	const char *input = note->offers_stdin ? ",\"stdin\":true" : ",\"stdin\":false";
	int r = put_number(out, "{\"ev\":\"begin\",\"id\":\"", note->id);
	if (!r)
		r = put_number(out, "\",\"number\":", note->number);
	if (!r)
		r = put_number(out, ",\"at_ms\":", note->at_ms);
	if (!r)
		r = put_number(out, ",\"timeout_ms\":", note->timeout_ms);
	if (!r)
		r = put_number(out, ",\"grace_ms\":", note->grace_ms);
	if (!r)
		r = put_number(out, ",\"set\":", (uint64_t)note->set);
	if (!r)
		r = buf_append(out, input, strlen(input));
	if (!r)
		r = put_text(out, ",\"by\":", note->by, strnlen(note->by, BY_MAX));
	if (!r)
		r = put_text(out, ",\"file\":", note->file, strnlen(note->file, FILE_MAX));
	if (!r)
		r = put_text(out, ",\"code\":", note->code ? note->code : "", fits);
	if (!r)
		r = put_number(out, ",\"code_cut\":", note->code_len - fits);
	return r ? r : buf_append(out, "}\n", 2);
}

/* False: a field that must be there is missing. */
static bool read_begin(struct kernel_note *note)
{
	const double most = 9007199254740991.0; /* that a double holds exactly */
	double number;
	note->by = kernel_json_text(note->json, "by");
	note->file = kernel_json_text(note->json, "file");
	note->code = kernel_json_text(note->json, "code");
	if (!note->by || !note->file || !note->code
			|| !kernel_json_number(note->json, "number", UINT32_MAX, &number) || number < 1)
		return false;
	note->number = (uint64_t)number;
	note->code_len = strlen(note->code);
	if (kernel_json_number(note->json, "at_ms", most, &number))
		note->at_ms = (uint64_t)number;
	if (kernel_json_number(note->json, "set", KERNEL_SPARE_SETS, &number))
		note->set = (int)number;
	if (kernel_json_number(note->json, "code_cut", most, &number))
		note->code_cut = (size_t)number;
	note->offers_stdin = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(note->json, "stdin"));
	return true;
}

bool kernel_note_decode(char *line, size_t n, struct kernel_note *ret)
{
	double number;
	struct kernel_note note = {.json = kernel_json_parse(line, n, NULL)};
	const char *ev = kernel_json_text(note.json, "ev");
	note.id = kernel_json_id(note.json);
	note.kind = !ev                     ? NOTE_BEGIN
		    : !strcmp(ev, "limit")  ? NOTE_LIMIT
		    : !strcmp(ev, "answer") ? NOTE_ANSWER
					    : NOTE_BEGIN;
	if (kernel_json_number(note.json, "timeout_ms", UINT32_MAX, &number))
		note.timeout_ms = (uint64_t)number;
	note.is_compiling = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(note.json, "compiling"));
	bool is_ours = ev && note.id && (note.kind || (strcmp(ev, "begin") == 0 && read_begin(&note)));
	if (!is_ours) {
		cJSON_Delete(note.json);
		return false;
	}
	*ret = note;
	return true;
}

void kernel_note_finish(struct kernel_note *note)
{
	cJSON_Delete(note->json);
	*note = (struct kernel_note){0};
}
