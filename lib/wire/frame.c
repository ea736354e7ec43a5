/* SPDX-License-Identifier: MIT */
#include "wire/frame.h"

#include <terrarium/error.h>

static uint32_t load_u32(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

void frame_store_u32(char *s, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		s[i] = (char)(v >> (8 * i));
}

static void store_header(char *at, uint32_t stream, enum frame_type type, uint8_t channel, size_t n)
{
	frame_store_u32(at, (uint32_t)n);
	frame_store_u32(at + 4, stream);
	at[8] = (char)type;
	at[9] = (char)channel;
	at[10] = at[11] = 0;
}

int frame_next(struct buf *in, struct frame *ret)
{
	if (in->len < FRAME_HEADER)
		return 0;
	const char *at = buf_at(in);
	uint32_t len = load_u32(at);
	if (len > FRAME_MAX_PAYLOAD || at[10] || at[11])
		return TRM_EPROTO;
	if (in->len < FRAME_HEADER + (size_t)len)
		return 0;
	*ret = (struct frame){
			.stream = load_u32(at + 4),
			.type = (uint8_t)at[8],
			.channel = (uint8_t)at[9],
			.payload = at + FRAME_HEADER,
			.len = len,
	};
	return 1;
}

void frame_done(struct buf *in, const struct frame *frame)
{
	buf_take(in, FRAME_HEADER + (size_t)frame->len);
}

int frame_put_header(struct buf *out, uint32_t stream, enum frame_type type, uint8_t channel, size_t n)
{
	char header[FRAME_HEADER];
	if (n > FRAME_MAX_PAYLOAD || n + FRAME_HEADER > out->max - out->len)
		return TRM_ETOOBIG;
	store_header(header, stream, type, channel, n);
	return buf_append(out, header, sizeof header);
}

int frame_put(struct buf *out, uint32_t stream, enum frame_type type, uint8_t channel, const void *payload,
		size_t n)
{
	int r = frame_put_header(out, stream, type, channel, n);
	if (r < 0)
		return r;
	r = buf_append(out, payload, n);
	if (r < 0)
		out->len -= FRAME_HEADER;
	return r;
}

int frame_begin(struct buf *out, uint32_t stream, enum frame_type type, uint8_t channel, size_t *ret_mark)
{
	*ret_mark = out->len;
	return frame_put_header(out, stream, type, channel, 0);
}

int frame_end(struct buf *out, size_t mark)
{
	size_t n = out->len - mark - FRAME_HEADER;
	if (n > FRAME_MAX_PAYLOAD) {
		out->len = mark;
		return TRM_ETOOBIG;
	}
	frame_store_u32(buf_at(out) + mark, (uint32_t)n);
	return 0;
}
