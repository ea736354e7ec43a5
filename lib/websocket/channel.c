/* SPDX-License-Identifier: MIT */
#include "websocket/channel.h"

#include <string.h>

#include <terrarium/error.h>

void channel_reader_init(struct channel_reader *r)
{
	*r = (struct channel_reader){.channel = -1};
	websocket_reader_init(&r->websocket);
}

static void keep_status(struct channel_reader *r, const char *bytes, size_t n)
{
	const size_t room = sizeof r->status - r->n_status, take = n < room ? n : room;
	memcpy(r->status + r->n_status, bytes, take);
	r->n_status += take;
}

/* A piece of a message: what it means depends on its first byte. */
static int take_data(struct channel_reader *r, const struct websocket_event *event, struct channel_event *ret)
{
	const char *bytes = event->bytes;
	size_t n = event->n;
	if (event->is_start)
		r->channel = -1;
	if (r->channel < 0 && n) {
		r->channel = (unsigned char)*bytes++;
		n--;
	}
	switch (n ? r->channel : -1) {
	case -1: return r->channel < 0 && event->is_end ? TRM_EPROTO : 0; /* a message without a channel */
	case CHANNEL_STDOUT: *ret = (struct channel_event){CHANNEL_OUT, bytes, n}; return 0;
	case CHANNEL_STDERR: *ret = (struct channel_event){CHANNEL_ERR, bytes, n}; return 0;
	case CHANNEL_STATUS: keep_status(r, bytes, n); return 0;
	case CHANNEL_END: return 0;
	default: return TRM_EPROTO;
	}
}

int channel_read(struct channel_reader *r, const void *bytes, size_t n, size_t *ret_taken,
		struct channel_event *ret)
{
	struct websocket_event event;
	*ret = (struct channel_event){.type = CHANNEL_NOTHING};
	*ret_taken = 0;
	while (ret->type == CHANNEL_NOTHING) {
		size_t taken;
		int error = websocket_read(&r->websocket, (const char *)bytes + *ret_taken, n - *ret_taken,
				&taken, &event);
		*ret_taken += taken;
		if (error < 0 || event.type == WEBSOCKET_NOTHING)
			return error;
		if (event.type == WEBSOCKET_PINGED)
			*ret = (struct channel_event){CHANNEL_PINGED, event.bytes, event.n};
		else if (event.type == WEBSOCKET_CLOSED)
			*ret = (struct channel_event){CHANNEL_CLOSED, event.bytes, event.n};
		else if (event.type == WEBSOCKET_DATA && (error = take_data(r, &event, ret)) < 0)
			return error;
	}
	return 0;
}

int channel_put_input(struct buf *out, const uint8_t mask[4], const void *bytes, size_t n)
{
	const uint8_t channel = CHANNEL_STDIN;
	const struct websocket_part parts[] = {{&channel, 1}, {bytes, n}};
	return websocket_put(out, WEBSOCKET_BINARY, mask, parts, 2);
}

int channel_put_end(struct buf *out, const uint8_t mask[4])
{
	const uint8_t bytes[] = {CHANNEL_END, CHANNEL_STDIN};
	return websocket_put(out, WEBSOCKET_BINARY, mask, &(struct websocket_part){bytes, sizeof bytes}, 1);
}
