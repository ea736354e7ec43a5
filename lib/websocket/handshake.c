/* SPDX-License-Identifier: MIT */
#include "websocket/handshake.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <terrarium/error.h>

#include "base/base64.h"

/* ---- SHA-1 (RFC 3174), of short texts: the answer to a key is made with it ---------------------------- */

enum { SHA1_BYTES = 20, SHA1_BLOCK = 64 };

static uint32_t rotate_left(uint32_t word, unsigned n)
{
	return word << n | word >> (32 - n);
}

static void hash_block(uint32_t h[5], const uint8_t block[SHA1_BLOCK])
{
	static const uint32_t constants[] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
	uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16
		       | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned i = 16; i < 80; i++)
		w[i] = rotate_left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (unsigned i = 0; i < 80; i++) {
		const unsigned round = i / 20;
		const uint32_t f = round == 0   ? (b & c) | (~b & d)
				   : round == 2 ? (b & c) | (b & d) | (c & d)
						: b ^ c ^ d;
		const uint32_t next = rotate_left(a, 5) + f + e + w[i] + constants[round];
		e = d;
		d = c;
		c = rotate_left(b, 30);
		b = a;
		a = next;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

/* At most 2 * SHA1_BLOCK - 9 bytes. */
static void hash_text(const char *text, size_t n, uint8_t ret[SHA1_BYTES])
{
	uint32_t h[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
	uint8_t bytes[2 * SHA1_BLOCK] = {0};
	const size_t blocks = n + 9 > SHA1_BLOCK ? 2 : 1, bits = 8 * n;
	memcpy(bytes, text, n);
	bytes[n] = 0x80;
	bytes[blocks * SHA1_BLOCK - 2] = (uint8_t)(bits >> 8);
	bytes[blocks * SHA1_BLOCK - 1] = (uint8_t)bits;
	for (size_t i = 0; i < blocks; i++)
		hash_block(h, bytes + i * SHA1_BLOCK);
	for (size_t i = 0; i < SHA1_BYTES; i++)
		ret[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}

/* ---- the request ---------------------------------------------------------------------------------- */

int handshake_key(const unsigned char random[16], char ret[HANDSHAKE_KEY])
{
	struct buf letters;
	buf_init(&letters, HANDSHAKE_KEY);
	int r = base64_put(&letters, random, 16);
	if (r == 0)
		snprintf(ret, HANDSHAKE_KEY, "%.*s", (int)letters.len, buf_at(&letters));
	buf_finish(&letters);
	return r;
}

int handshake_put(
		struct buf *out, const char *host, const char *target, const char *protocol, const char *key)
{
	const char *const pieces[] = {"GET ", target, " HTTP/1.1\r\nHost: ", host,
			"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
			"Sec-WebSocket-Key: ",
			key, "\r\nSec-WebSocket-Protocol: ", protocol, "\r\n\r\n"};
	int r = 0;
	for (size_t i = 0; r == 0 && i < sizeof pieces / sizeof *pieces; i++)
		r = buf_append(out, pieces[i], strlen(pieces[i]));
	return r;
}

/* ---- the answer ------------------------------------------------------------------------------------- */

struct header {
	const char *name, *value;
	size_t n_name, n_value;
};

static bool is_named(const struct header *h, const char *name)
{
	return h->n_name == strlen(name) && strncasecmp(h->name, name, h->n_name) == 0;
}

static bool has_value(const struct header *h, const char *value)
{
	return h->n_value == strlen(value) && strncasecmp(h->value, value, h->n_value) == 0;
}

static void copy_value(const struct header *h, char *out, size_t cap)
{
	snprintf(out, cap, "%.*s", h->n_value < cap ? (int)h->n_value : 0, h->value);
}

/* Returns false if the line is no header. */
static bool split_header(const char *line, size_t n, struct header *ret)
{
	const char *colon = memchr(line, ':', n);
	if (!colon || colon == line || memchr(line, '\0', n))
		return false;
	const char *value = colon + 1, *end = line + n;
	while (value < end && (*value == ' ' || *value == '\t'))
		value++;
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*ret = (struct header){line, value, (size_t)(colon - line), (size_t)(end - value)};
	return true;
}

static bool read_content_length(const struct header *h, long long *ret)
{
	enum { MOST_DIGITS = 15 };
	*ret = 0;
	for (size_t i = 0; i < h->n_value; i++) {
		if (h->value[i] < '0' || h->value[i] > '9')
			return false;
		*ret = *ret * 10 + (h->value[i] - '0');
	}
	return h->n_value && h->n_value <= MOST_DIGITS;
}

static bool take_header_line(const char *line, size_t n, struct http_answer *ret, bool upgrade[2])
{
	struct header h;
	if (!split_header(line, n, &h))
		return false;
	upgrade[0] |= is_named(&h, "Upgrade") && has_value(&h, "websocket");
	upgrade[1] |= is_named(&h, "Connection") && has_value(&h, "upgrade");
	if (is_named(&h, "Sec-WebSocket-Accept"))
		copy_value(&h, ret->accept, sizeof ret->accept);
	if (is_named(&h, "Sec-WebSocket-Protocol"))
		copy_value(&h, ret->protocol, sizeof ret->protocol);
	return !is_named(&h, "Content-Length") || read_content_length(&h, &ret->length);
}

/* "HTTP/1.1 101 Switching Protocols". Returns 0 if it is no such line. */
static int read_status(const char *line, size_t n)
{
	if (n < 12 || (memcmp(line, "HTTP/1.1 ", 9) != 0 && memcmp(line, "HTTP/1.0 ", 9) != 0))
		return 0;
	int status = 0;
	for (size_t i = 9; i < 12; i++) {
		if (line[i] < '0' || line[i] > '9')
			return 0;
		status = status * 10 + (line[i] - '0');
	}
	return status < 100 || (n > 12 && line[12] != ' ') ? 0 : status;
}

int http_answer_read(const char *bytes, size_t n, struct http_answer *ret)
{
	const char *end = n ? memmem(bytes, n, "\r\n\r\n", 4) : NULL;
	bool upgrade[2] = {false, false};
	*ret = (struct http_answer){.length = -1};
	if (!end)
		return n > HANDSHAKE_HEAD_MAX ? TRM_EPROTO : 0;
	const char *line = bytes;
	for (const char *next; line <= end; line = next + 2) {
		next = memmem(line, (size_t)(end + 4 - line), "\r\n", 2);
		const size_t n_line = (size_t)(next - line);
		if (line == bytes && !(ret->status = read_status(line, n_line)))
			return TRM_EPROTO;
		if (line != bytes && !take_header_line(line, n_line, ret, upgrade))
			return TRM_EPROTO;
	}
	ret->is_upgrade = upgrade[0] && upgrade[1];
	ret->n = (size_t)(end + 4 - bytes);
	return 1;
}

bool handshake_is_accepted(const struct http_answer *answer, const char *protocol, const char *key)
{
	char text[HANDSHAKE_KEY + 40];
	uint8_t hash[SHA1_BYTES];
	struct buf letters;
	int n = snprintf(text, sizeof text, "%.24s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
	hash_text(text, (size_t)n, hash);
	buf_init(&letters, BASE64_LEN(SHA1_BYTES) + 1);
	bool is_right = base64_put(&letters, hash, sizeof hash) == 0 && buf_append(&letters, "", 1) == 0
			&& strcmp(buf_at(&letters), answer->accept) == 0;
	buf_finish(&letters);
	return answer->status == 101 && answer->is_upgrade && is_right
	       && strcmp(answer->protocol, protocol) == 0;
}
