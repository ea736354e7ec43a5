/* SPDX-License-Identifier: MIT */
#include "websocket/websocket.h"

#include <string.h>

#include <terrarium/error.h>

enum { FIN = 0x80, RESERVED = 0x70, OPCODE = 0x0F, MASKED = 0x80, LENGTH = 0x7F };
enum { LENGTH_16 = 126, LENGTH_64 = 127 };

static bool is_control(unsigned opcode)
{
	return opcode & 8;
}

/* ---- reading ---------------------------------------------------------------------------------- */

void websocket_reader_init(struct websocket_reader *r)
{
	*r = (struct websocket_reader){0};
}

/* The size of a header of which at least two bytes are known. */
static size_t header_size(const uint8_t *head)
{
	unsigned length = head[1] & LENGTH;
	return length == LENGTH_64 ? 10 : length == LENGTH_16 ? 4 : 2;
}

static uint64_t big_endian(const uint8_t *bytes, size_t n)
{
	uint64_t value = 0;
	for (size_t i = 0; i < n; i++)
		value = value << 8 | bytes[i];
	return value;
}

/* Returns false if the length is not written in as few bytes as possible. */
static bool read_length(struct websocket_reader *r)
{
	const size_t n = header_size(r->head);
	r->left = n == 2 ? r->head[1] & LENGTH : big_endian(r->head + 2, n - 2);
	return n == 2 || (n == 4 && r->left >= LENGTH_16) || (n == 10 && r->left > UINT16_MAX);
}

static bool begin_control(struct websocket_reader *r)
{
	r->n_control = 0;
	return r->is_last && r->left <= WEBSOCKET_CONTROL_MAX && r->opcode <= WEBSOCKET_PONG;
}

static bool begin_data(struct websocket_reader *r)
{
	const bool continues = r->opcode == WEBSOCKET_CONTINUATION;
	if (continues != r->is_in_message || r->opcode > WEBSOCKET_BINARY)
		return false;
	if (!continues) {
		r->message_n = 0;
		r->is_start = true;
	}
	r->is_in_message = true;
	if (r->left > WEBSOCKET_MESSAGE_MAX - r->message_n)
		return false;
	r->message_n += r->left;
	return true;
}

/* A server does not mask, and no extension was agreed on. */
static bool begin_payload(struct websocket_reader *r)
{
	r->opcode = r->head[0] & OPCODE;
	r->is_last = r->head[0] & FIN;
	r->n_head = 0;
	r->is_in_payload = true;
	if (r->head[0] & RESERVED || r->head[1] & MASKED || !read_length(r) || r->is_closed)
		return false;
	return is_control(r->opcode) ? begin_control(r) : begin_data(r);
}

/* Returns the number of bytes that belong to the header. */
static size_t take_header(struct websocket_reader *r, const uint8_t *bytes, size_t n)
{
	size_t taken = 0;
	while (taken < n && (r->n_head < 2 || r->n_head < header_size(r->head)))
		r->head[r->n_head++] = bytes[taken++];
	return taken;
}

static bool is_code(uint16_t code)
{
	return (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006)
	       || (code >= 3000 && code <= 4999);
}

static int end_control(struct websocket_reader *r, struct websocket_event *ret)
{
	r->is_in_payload = false;
	*ret = (struct websocket_event){
			.type = r->opcode == WEBSOCKET_PING ? WEBSOCKET_PINGED : WEBSOCKET_PONGED,
			.bytes = (const char *)r->control,
			.n = r->n_control};
	if (r->opcode != WEBSOCKET_CLOSE)
		return 0;
	r->is_closed = true;
	ret->type = WEBSOCKET_CLOSED;
	if (!r->n_control)
		return 0;
	ret->code = r->n_control < 2 ? 0 : (uint16_t)big_endian(r->control, 2);
	ret->bytes += 2;
	ret->n = r->n_control - 2;
	return is_code(ret->code) ? 0 : TRM_EPROTO;
}

static int read_control(struct websocket_reader *r, const char *bytes, size_t n, size_t *ret_taken,
		struct websocket_event *ret)
{
	const size_t take = n < r->left ? n : (size_t)r->left;
	memcpy(r->control + r->n_control, bytes, take);
	r->n_control += take;
	r->left -= take;
	*ret_taken += take;
	return r->left ? 0 : end_control(r, ret);
}

static void read_data(struct websocket_reader *r, const char *bytes, size_t n, size_t *ret_taken,
		struct websocket_event *ret)
{
	const size_t take = n < r->left ? n : (size_t)r->left;
	r->left -= take;
	*ret_taken += take;
	const bool is_end = !r->left && r->is_last, is_start = r->is_start;
	r->is_in_payload = r->left;
	if (!take && !is_end)
		return;
	r->is_start = false;
	r->is_in_message = !is_end;
	*ret = (struct websocket_event){.type = WEBSOCKET_DATA,
			.bytes = bytes,
			.n = take,
			.is_start = is_start,
			.is_end = is_end};
}

int websocket_read(struct websocket_reader *r, const void *bytes, size_t n, size_t *ret_taken,
		struct websocket_event *ret)
{
	*ret = (struct websocket_event){.type = WEBSOCKET_NOTHING};
	*ret_taken = 0;
	while (ret->type == WEBSOCKET_NOTHING) {
		const char *at = (const char *)bytes + *ret_taken;
		if (!r->is_in_payload) {
			*ret_taken += take_header(r, (const uint8_t *)at, n - *ret_taken);
			if (r->n_head < 2 || r->n_head < header_size(r->head))
				return 0;
			if (!begin_payload(r))
				return TRM_EPROTO;
			at = (const char *)bytes + *ret_taken;
		}
		if (r->left && *ret_taken == n)
			return 0;
		if (!is_control(r->opcode)) {
			read_data(r, at, n - *ret_taken, ret_taken, ret);
			continue;
		}
		int error = read_control(r, at, n - *ret_taken, ret_taken, ret);
		if (error < 0)
			return error;
	}
	return 0;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static size_t put_header(uint8_t head[WEBSOCKET_HEADER_MAX], enum websocket_opcode opcode, size_t n,
		const uint8_t mask[4])
{
	const size_t n_length = n < LENGTH_16 ? 0 : n <= UINT16_MAX ? 2 : 8;
	head[0] = (uint8_t)(FIN | opcode);
	head[1] = (uint8_t)(MASKED | (n_length == 0 ? n : n_length == 2 ? LENGTH_16 : LENGTH_64));
	for (size_t i = 0; i < n_length; i++)
		head[2 + i] = (uint8_t)((uint64_t)n >> 8 * (n_length - 1 - i));
	memcpy(head + 2 + n_length, mask, 4);
	return 2 + n_length + 4;
}

static void put_masked(char *to, const struct websocket_part *part, const uint8_t mask[4], size_t *at)
{
	const char *from = part->bytes;
	for (size_t i = 0; i < part->n; i++, ++*at)
		to[i] = (char)(from[i] ^ (char)mask[*at & 3]);
}

int websocket_put(struct buf *out, enum websocket_opcode opcode, const uint8_t mask[4],
		const struct websocket_part *parts, size_t n_parts)
{
	uint8_t head[WEBSOCKET_HEADER_MAX];
	size_t n = 0, at = 0;
	for (size_t i = 0; i < n_parts; i++)
		n += parts[i].n;
	if (is_control(opcode) && n > WEBSOCKET_CONTROL_MAX)
		return TRM_EINVAL;
	const size_t n_head = put_header(head, opcode, n, mask);
	if (n > out->max || out->len + n_head + n > out->max)
		return TRM_ETOOBIG;
	char *room = buf_reserve(out, n_head + n);
	if (!room)
		return TRM_ENOMEM;
	memcpy(room, head, n_head);
	room += n_head;
	for (size_t i = 0; i < n_parts; i++) {
		put_masked(room, &parts[i], mask, &at);
		room += parts[i].n;
	}
	buf_fill(out, n_head + n);
	return 0;
}
