/* SPDX-License-Identifier: MIT */
#include "wire/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

static void append_packed(struct pack *p, const void *bytes, size_t n)
{
	if (!p->error)
		p->error = buf_append(p->to, bytes, n);
}

static void put_int(struct pack *p, uint64_t v, size_t n)
{
	unsigned char bytes[8];
	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)(v >> (8 * i));
	append_packed(p, bytes, n);
}

void pack_u8(struct pack *p, uint8_t v)
{
	put_int(p, v, 1);
}
void pack_u16(struct pack *p, uint16_t v)
{
	put_int(p, v, 2);
}
void pack_u32(struct pack *p, uint32_t v)
{
	put_int(p, v, 4);
}
void pack_u64(struct pack *p, uint64_t v)
{
	put_int(p, v, 8);
}

void pack_f64(struct pack *p, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	pack_u64(p, bits);
}

void pack_bytes(struct pack *p, const void *bytes, size_t n)
{
	if (n > UINT32_MAX) {
		p->error = p->error ? p->error : TRM_ETOOBIG;
		return;
	}
	pack_u32(p, (uint32_t)n);
	append_packed(p, bytes, n);
}

void pack_str(struct pack *p, const char *s)
{
	pack_bytes(p, s, s ? strlen(s) : 0);
}

void pack_strv(struct pack *p, const char *const *strv)
{
	uint32_t n = 0;
	while (strv && strv[n])
		n++;
	pack_u32(p, n);
	for (uint32_t i = 0; i < n; i++)
		pack_str(p, strv[i]);
}

static const unsigned char *get(struct unpack *u, size_t n)
{
	if (u->bad || u->left < n) {
		u->bad = true;
		return NULL;
	}
	const unsigned char *at = (const unsigned char *)u->at;
	u->at += n;
	u->left -= n;
	return at;
}

static uint64_t get_int(struct unpack *u, size_t n)
{
	const unsigned char *at = get(u, n);
	uint64_t v = 0;
	for (size_t i = 0; at && i < n; i++)
		v |= (uint64_t)at[i] << (8 * i);
	return v;
}

uint8_t unpack_u8(struct unpack *u)
{
	return (uint8_t)get_int(u, 1);
}
uint16_t unpack_u16(struct unpack *u)
{
	return (uint16_t)get_int(u, 2);
}
uint32_t unpack_u32(struct unpack *u)
{
	return (uint32_t)get_int(u, 4);
}
uint64_t unpack_u64(struct unpack *u)
{
	return get_int(u, 8);
}

double unpack_f64(struct unpack *u)
{
	uint64_t bits = unpack_u64(u);
	double v;
	memcpy(&v, &bits, sizeof v);
	if (!isfinite(v)) {
		u->bad = true;
		return 0;
	}
	return v;
}

const char *unpack_bytes(struct unpack *u, size_t *ret_n)
{
	uint32_t n = unpack_u32(u);
	const char *at = (const char *)get(u, n);
	*ret_n = at ? n : 0;
	return at ? at : "";
}

char *unpack_str(struct unpack *u, size_t max)
{
	size_t n;
	const char *at = unpack_bytes(u, &n);
	if (u->bad || n > max || memchr(at, '\0', n)) {
		u->bad = true;
		return NULL;
	}
	char *s = malloc(n + 1);
	if (!s) {
		u->bad = u->lacks_memory = true;
		return NULL;
	}
	memcpy(s, at, n);
	s[n] = '\0';
	return s;
}

char **unpack_strv(struct unpack *u, size_t max_n, size_t max_bytes)
{
	struct unpack ahead = *u;
	uint32_t n = unpack_u32(&ahead);
	size_t total = 0;
	if (n > max_n)
		ahead.bad = true;
	for (uint32_t i = 0; i < n && !ahead.bad; i++) {
		size_t len;
		const char *at = unpack_bytes(&ahead, &len);
		total += len + 1;
		if (total > max_bytes || memchr(at, '\0', len))
			ahead.bad = true;
	}
	char **v = ahead.bad ? NULL : malloc((n + 1) * sizeof *v + total);
	if (!v) {
		u->lacks_memory |= !ahead.bad;
		u->bad = true;
		return NULL;
	}
	char *text = (char *)(v + n + 1);
	unpack_u32(u);
	for (uint32_t i = 0; i < n; i++) {
		size_t len;
		const char *at = unpack_bytes(u, &len);
		v[i] = memcpy(text, at, len);
		text[len] = '\0';
		text += len + 1;
	}
	v[n] = NULL;
	return v;
}

char *unpack_nothing(struct unpack *u)
{
	char *s = calloc(1, 1);
	u->lacks_memory |= !s;
	u->bad |= !s;
	return s;
}

int unpack_failure(const struct unpack *u)
{
	return u->lacks_memory ? TRM_ENOMEM : TRM_EPROTO;
}
