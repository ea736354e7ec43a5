/* SPDX-License-Identifier: MIT */
#include "base/base64.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_put(struct buf *out, const void *bytes, size_t n)
{
	const uint8_t *in = bytes;
	if (!n)
		return 0;
	if (n > out->max || BASE64_LEN(n) > out->max - out->len)
		return TRM_ETOOBIG;
	char *to = buf_reserve(out, BASE64_LEN(n));
	if (!to)
		return TRM_ENOMEM;
	for (size_t i = 0; i < n; i += 3) {
		size_t left = n - i;
		uint32_t group = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0)
				 | (left > 2 ? in[i + 2] : 0);
		*to++ = alphabet[group >> 18];
		*to++ = alphabet[group >> 12 & 63];
		*to++ = left > 1 ? alphabet[group >> 6 & 63] : '=';
		*to++ = left > 2 ? alphabet[group & 63] : '=';
	}
	buf_fill(out, BASE64_LEN(n));
	return 0;
}

static int value_of(char letter)
{
	if (letter >= 'A' && letter <= 'Z')
		return letter - 'A';
	if (letter >= 'a' && letter <= 'z')
		return letter - 'a' + 26;
	if (letter >= '0' && letter <= '9')
		return letter - '0' + 52;
	return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

/* Decode a group of four letters, of which the first `n` count. False: invalid letters. */
static bool take_group(const char *letters, size_t n, char *out)
{
	uint32_t group = 0;
	for (size_t i = 0; i < 4; i++) {
		int value = i < n ? value_of(letters[i]) : 0;
		if (value < 0)
			return false;
		group = group << 6 | (uint32_t)value;
	}
	for (size_t i = 0; i + 1 < n; i++)
		out[i] = (char)(group >> (16 - 8 * i) & 0xFF);
	return n == 4 || !(group & (n == 3 ? 0xFF : 0xFFFF));
}

char *base64_decode(const char *letters, size_t n, size_t *ret_len)
{
	if (n % 4)
		return NULL;
	char *out = malloc(n / 4 * 3 + 1);
	size_t len = 0;
	bool is_valid = out != NULL;
	for (size_t i = 0; i < n && is_valid; i += 4) {
		size_t count = 4;
		while (i + 4 == n && count > 2 && letters[i + count - 1] == '=')
			count--;
		is_valid = take_group(letters + i, count, out + len);
		len += count - 1;
	}
	if (!is_valid) {
		free(out);
		return NULL;
	}
	out[len] = '\0';
	*ret_len = len;
	return out;
}
