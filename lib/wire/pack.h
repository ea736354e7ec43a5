/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_PACK_H
#define TRM_WIRE_PACK_H

/* Fields of a payload: little-endian integers, and byte strings preceded by a u32 length. The reader
 * never reads past the end. The first field that does not fit sets `bad` for good, and all later fields
 * read as zero or empty. So a decoder reads all its fields and checks once. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Borrowed bytes. */
struct slice {
	const char *bytes;
	size_t n;
};

struct unpack {
	const char *at;
	size_t left;
	bool bad;
	bool lacks_memory; /* with `bad`: the reason was lack of memory */
};

/* The first append that fails (limit, memory) stays in `error`; later ones do nothing. */
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
double unpack_f64(struct unpack *u); /* NaN and infinities set `bad` */
/* Borrowed from the payload; not NUL-terminated. */
const char *unpack_bytes(struct unpack *u, size_t *ret_n);
/* Copied and NUL-terminated; malloc'd. NULL (and `bad` is set) if the string does not fit, is longer than
 * max, has a NUL inside, or memory is out. */
char *unpack_str(struct unpack *u, size_t max);
/* NULL-terminated vector in one malloc'd block; NULL as for unpack_str(). At most max_n strings with
 * max_bytes in total. */
char **unpack_strv(struct unpack *u, size_t max_n, size_t max_bytes);

/* An empty string, as if it had been sent. NULL as for unpack_str(). */
char *unpack_nothing(struct unpack *u);
/* The error to return after `bad`: TRM_ENOMEM or TRM_EPROTO. */
int unpack_failure(const struct unpack *u);

#endif
