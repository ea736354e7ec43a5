/* SPDX-License-Identifier: MIT */
#include "server/methods/output_event.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/sandbox.h>

#include "base/base64.h"
#include "base/json.h"
#include "base/utf8.h"

/* The number of bytes at the end, 0 to 3, that begin an incomplete character. */
static size_t cut_bytes(const char *bytes, size_t n)
{
	for (size_t back = 1; back <= 3 && back <= n; back++) {
		unsigned char c = (unsigned char)bytes[n - back];
		if ((c & 0xC0) == 0x80)
			continue;
		size_t whole = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
		return whole > back ? back : 0;
	}
	return 0;
}

static int put_text(struct buf *out, const char *text)
{
	return buf_append(out, text, strlen(text));
}

static int put_event(struct buf *out, int stream, const char *bytes, size_t n)
{
	bool is_text = utf8_is_valid(bytes, n) && !memchr(bytes, '\0', n);
	int r = put_text(out, stream == TRM_STDERR ? "{\"stream\":\"stderr\"" : "{\"stream\":\"stdout\"");
	if (!r)
		r = put_text(out, is_text ? ",\"text\":" : ",\"base64\":\"");
	if (!r)
		r = is_text ? json_put_string(out, bytes, n) : base64_put(out, bytes, n);
	return r ? r : put_text(out, is_text ? "}" : "\"}");
}

int output_event_put(struct buf *out, struct output_tails *tails, int stream, const char *bytes, size_t n)
{
	size_t waits = tails->of[stream == TRM_STDERR].n;
	char *joined = NULL;
	if (waits) {
		joined = malloc(waits + n);
		if (!joined)
			return TRM_ENOMEM;
		memcpy(joined, tails->of[stream == TRM_STDERR].bytes, waits);
		memcpy(joined + waits, bytes, n);
		bytes = joined;
		n += waits;
	}
	size_t cut = cut_bytes(bytes, n);
	memcpy(tails->of[stream == TRM_STDERR].bytes, bytes + n - cut, cut);
	tails->of[stream == TRM_STDERR].n = (uint8_t)cut;
	int r = n > cut ? put_event(out, stream, bytes, n - cut) : 0;
	free(joined);
	return r;
}

int output_event_end(struct buf *out, struct output_tails *tails, int stream)
{
	size_t n = tails->of[stream == TRM_STDERR].n;
	tails->of[stream == TRM_STDERR].n = 0;
	return n ? put_event(out, stream, tails->of[stream == TRM_STDERR].bytes, n) : 0;
}
