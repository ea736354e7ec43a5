/* SPDX-License-Identifier: MIT */
#include "wire/fields.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

/* ---- writing ------------------------------------------------------------------------ */

static void pack_text(struct pack *p, const char *text, size_t max)
{
	if (text && strlen(text) > max)
		p->error = p->error ? p->error : TRM_ETOOBIG;
	pack_str(p, text);
}

static void pack_texts(struct pack *p, const char *const *texts, size_t max)
{
	size_t n = 0;
	while (texts && n <= max && texts[n])
		n++;
	if (n > max)
		p->error = p->error ? p->error : TRM_ETOOBIG;
	else
		pack_strv(p, texts);
}

static void pack_field(struct pack *p, const struct field *f, const void *at)
{
	const struct slice *slice = at;
	switch ((enum field_kind)f->kind) {
	case FIELD_U8: pack_u8(p, *(const uint8_t *)at); break;
	case FIELD_BOOL: pack_u8(p, *(const bool *)at); break;
	case FIELD_ENUM: pack_u8(p, (uint8_t) * (const unsigned *)at); break;
	case FIELD_U16: pack_u16(p, *(const uint16_t *)at); break;
	case FIELD_U32:
	case FIELD_I32: pack_u32(p, *(const uint32_t *)at); break;
	case FIELD_U64:
	case FIELD_I64: pack_u64(p, *(const uint64_t *)at); break;
	case FIELD_F64: pack_f64(p, *(const double *)at); break;
	case FIELD_TEXT: pack_text(p, *(char *const *)at, f->max); break;
	case FIELD_TEXTS: pack_texts(p, *(const char *const *const *)at, f->max); break;
	case FIELD_SLICE: pack_bytes(p, slice->bytes, slice->n); break;
	case FIELD_LINE:
	case FIELD_NAME: pack_str(p, at); break;
	case FIELD_PART: fields_pack(p, f->part, at); break;
	}
}

void fields_pack(struct pack *p, const struct fields *fields, const void *msg)
{
	for (size_t i = 0; i < fields->n; i++)
		pack_field(p, &fields->rows[i], (const char *)msg + fields->rows[i].at);
}

/* ---- reading ------------------------------------------------------------------------ */

static unsigned unpack_enum(struct unpack *u, unsigned max)
{
	unsigned value = unpack_u8(u);
	u->bad |= value > max;
	return value;
}

static void unpack_line(struct unpack *u, char *to, size_t cap)
{
	size_t n;
	const char *at = unpack_bytes(u, &n);
	trm_text_clean_line(to, cap, at, n);
}

/* The encoding is not checked: names are not always UTF-8. */
static void unpack_name(struct unpack *u, char *to, size_t max)
{
	size_t n;
	const char *at = unpack_bytes(u, &n);
	if (u->bad || n > max || memchr(at, '\0', n)) {
		u->bad = true;
		n = 0;
	}
	memcpy(to, at, n);
	to[n] = '\0';
}

static void unpack_field(struct unpack *u, const struct field *f, void *at)
{
	struct slice *slice = at;
	switch ((enum field_kind)f->kind) {
	case FIELD_U8: *(uint8_t *)at = unpack_u8(u); break;
	case FIELD_BOOL: *(bool *)at = unpack_u8(u) != 0; break;
	case FIELD_ENUM: *(unsigned *)at = unpack_enum(u, f->max); break;
	case FIELD_U16: *(uint16_t *)at = unpack_u16(u); break;
	case FIELD_U32:
	case FIELD_I32: *(uint32_t *)at = unpack_u32(u); break;
	case FIELD_U64:
	case FIELD_I64: *(uint64_t *)at = unpack_u64(u); break;
	case FIELD_F64: *(double *)at = unpack_f64(u); break;
	case FIELD_TEXT: *(char **)at = unpack_str(u, f->max); break;
	case FIELD_TEXTS: *(char ***)at = unpack_strv(u, f->max, u->left); break;
	case FIELD_SLICE: slice->bytes = unpack_bytes(u, &slice->n); break;
	case FIELD_LINE: unpack_line(u, at, f->max); break;
	case FIELD_NAME: unpack_name(u, at, f->max); break;
	case FIELD_PART: fields_unpack(u, f->part, at); break;
	}
}

/* The field was not sent: numbers keep the caller's value. */
static void unpack_missing(struct unpack *u, const struct field *f, char *at)
{
	if (f->kind == FIELD_TEXT)
		*(char **)at = unpack_nothing(u);
	for (size_t i = 0; f->kind == FIELD_PART && i < f->part->n; i++)
		unpack_missing(u, &f->part->rows[i], at + f->part->rows[i].at);
}

void fields_unpack(struct unpack *u, const struct fields *fields, void *msg)
{
	bool is_missing = false;
	for (size_t i = 0; i < fields->n; i++) {
		const struct field *f = &fields->rows[i];
		if (f->is_later)
			is_missing = !u->left;
		if (is_missing)
			unpack_missing(u, f, (char *)msg + f->at);
		else
			unpack_field(u, f, (char *)msg + f->at);
	}
}

void fields_free(const struct fields *fields, void *msg)
{
	for (size_t i = 0; i < fields->n; i++) {
		const struct field *f = &fields->rows[i];
		char *at = (char *)msg + f->at;
		if (f->kind == FIELD_TEXT || f->kind == FIELD_TEXTS)
			free(*(void **)at);
		else if (f->kind == FIELD_PART)
			fields_free(f->part, at);
	}
}

/* ---- frames ------------------------------------------------------------------------- */

int frame_close(struct buf *out, size_t mark, const struct pack *p)
{
	if (p->error) {
		out->len = mark;
		return p->error;
	}
	return frame_end(out, mark);
}

int fields_put(struct buf *out, uint32_t stream, enum frame_type type, const struct fields *fields,
		const void *msg)
{
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, stream, type, 0, &mark);
	if (r < 0)
		return r;
	fields_pack(&p, fields, msg);
	return frame_close(out, mark, &p);
}

int fields_get(const struct frame *frame, const struct fields *fields, bool (*is_sound)(const void *msg),
		void *ret, size_t size)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	memset(ret, 0, size);
	fields_unpack(&u, fields, ret);
	if (!u.bad && (!is_sound || is_sound(ret)))
		return 0;
	fields_free(fields, ret);
	memset(ret, 0, size);
	return unpack_failure(&u);
}
