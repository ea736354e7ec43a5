/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_PACK_H
#define TRM_WIRE_PACK_H

/* Fields of a payload: little-endian integers, and byte strings with a u32
 * length in front. The reader never reads past the end: the first field that
 * does not fit makes it fail for good (`bad`), and everything after reads as zero or empty;
 * so a decoder reads all its fields and looks once. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct unpack {
	const char *at;
	size_t left;
	bool bad;
	bool lacks_memory; /* … and that is why */
};

/* The first append that fails (ceiling, memory) stays in `error`; those after it do nothing. */
struct pack {
	struct buf *to;
	int error; /* 0, or the first TRM_E… */
};

void pack_u8(struct pack *p, uint8_t v);
void pack_u16(struct pack *p, uint16_t v);
void pack_u32(struct pack *p, uint32_t v);
void pack_u64(struct pack *p, uint64_t v);
void pack_f64(struct pack *p, double v);
void pack_bytes(struct pack *p, const void *bytes, size_t n);
void pack_str(struct pack *p, const char *s);            /* NULL packs as "" */
void pack_strv(struct pack *p, const char *const *strv); /* u32 count, strings; NULL packs as none */

uint8_t unpack_u8(struct unpack *u);
uint16_t unpack_u16(struct unpack *u);
uint32_t unpack_u32(struct unpack *u);
uint64_t unpack_u64(struct unpack *u);
double unpack_f64(struct unpack *u); /* NaN and infinities read as bad */
/* Borrowed from the payload; not NUL-terminated. */
const char *unpack_bytes(struct unpack *u, size_t *ret_n);
/* Copied and NUL-terminated; malloc'd. NULL if bad, longer than max, with a NUL inside, or out of memory (bad
 * is set). */
char *unpack_str(struct unpack *u, size_t max);
/* NULL-terminated vector in one malloc'd block; NULL as unpack_str. At most max_n strings of max_bytes in
 * all. */
char **unpack_strv(struct unpack *u, size_t max_n, size_t max_bytes);

/* "", as if it had been sent. NULL as unpack_str(). */
char *unpack_nothing(struct unpack *u);
/* What a reader returns that cannot use what it has read: TRM_ENOMEM, or TRM_EPROTO. */
int unpack_failure(const struct unpack *u);

#endif
