/* SPDX-License-Identifier: MIT */
/* What an API server sends over a WebSocket: read in pieces of any size it means the same as in one. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "websocket/channel.h"
#include "websocket/handshake.h"

/* Compared as bytes, so it has no padding. */
struct total {
	size_t out, err, pings, closes, status;
	long error;
};

static struct total read_in_steps(const uint8_t *bytes, size_t n, size_t step)
{
	static struct channel_reader reader;
	struct total total = {0};
	channel_reader_init(&reader);
	for (size_t at = 0; at < n && !total.error; at += step) {
		const size_t n_piece = n - at < step ? n - at : step;
		for (size_t done = 0, taken;; done += taken) {
			struct channel_event event;
			total.error = channel_read(
					&reader, bytes + at + done, n_piece - done, &taken, &event);
			if (taken > n_piece - done || event.n > n)
				abort();
			if (total.error || event.type == CHANNEL_NOTHING)
				break;
			total.out += event.type == CHANNEL_OUT ? event.n : 0;
			total.err += event.type == CHANNEL_ERR ? event.n : 0;
			total.pings += event.type == CHANNEL_PINGED;
			total.closes += event.type == CHANNEL_CLOSED;
		}
	}
	total.status = reader.n_status;
	return total;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct http_answer answer;
	if (!n)
		return 0;
	const struct total whole = read_in_steps(bytes + 1, n - 1, n),
			   cut = read_in_steps(bytes + 1, n - 1, bytes[0] + 1u);
	if (memcmp(&whole, &cut, sizeof whole) != 0)
		abort();
	if (http_answer_read((const char *)bytes + 1, n - 1, &answer) == 1) {
		if (answer.n > n - 1)
			abort();
		handshake_is_accepted(&answer, CHANNEL_PROTOCOL, "dGhlIHNhbXBsZSBub25jZQ==");
	}
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("\x03\x82\x01\x01\x02\x03\x01"
		     "ab\x89\x01p\x80\x01"
		     "c\x82\x04\x02"
		     "err\x82\x02\xff\x01\x88\x02\x03\xe8"),
		SEED("\x01\x82\x7e\x00\x81\x03{\"metadata\":{},\"status\":\"Failure\",\"message\":\"command terminated with "
		     "non-zero exit code\",\"reason\":\"NonZeroExitCode\",\"code\":1,\"pad\":\"0\"}\x88\x00"),
		SEED("\x10HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
		     "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: "
		     "v5.channel.k8s.io\r\n\r\n"),
		SEED("\x10HTTP/1.0 404 Not Found\r\nContent-Length: 12\r\n\r\n{\"kind\":\"S\"}"),
		{NULL, 0},
};
