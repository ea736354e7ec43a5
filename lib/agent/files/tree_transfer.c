/* SPDX-License-Identifier: MIT */
#include "agent/files/tree_transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/core/agent.h"
#include "base/err.h"
#include "tree/sink.h"
#include "tree/source.h"

enum { STEPS_PER_TURN = 256, SOCKET_BYTES = 2 << 20 };

static void no_memory(struct client *client, uint32_t stream)
{
	client_error(client, stream, TRM_ENOMEM, "the agent is out of memory");
}

static void send_done(struct client *client, uint32_t stream, const struct tree_sum *sum)
{
	size_t before = client->out.len;
	if (tree_sum_put(&client->out, stream, sum) < 0)
		client->dead = true;
	client_count_unpaid(client, before);
}

void tree_transfer_op(
		struct client *client, uint32_t stream, enum file_op op, const char *path, uint32_t mode)
{
	static const struct tree_sum nothing;
	struct trm_error why;
	int r = file_op_do(op, path, mode, &why);
	if (r < 0)
		client_error(client, stream, r, "%s", why.msg);
	else
		send_done(client, stream, &nothing);
}

/* ---- TREE_GET ---- */

struct get {
	struct stream stream;
	struct source *source;
	uint64_t credit;
	struct watch more; /* an eventfd that is always readable: polled while work is left */
};

static void get_close(struct stream *stream)
{
	struct get *get = OWNER_OF(stream, struct get, stream);
	watch_close(&stream->client->agent->poller, &get->more);
	stream_remove(stream);
	source_destroy(get->source);
	free(get);
}

static void get_failed(struct get *get, int code)
{
	client_error(get->stream.client, get->stream.id, code, "the agent has no memory left to send files");
	get_close(&get->stream);
}

/* Continue until there is neither room nor credit, or other clients have their turn. */
static void get_run(struct get *get)
{
	static const struct tree_sum nothing; /* the receiver has counted for itself */
	struct client *client = get->stream.client;
	int r = SOURCE_MORE;
	for (int i = 0; i < STEPS_PER_TURN && r == SOURCE_MORE && client_has_room(client); i++)
		r = source_step(get->source, &client->out, get->stream.id, &get->credit);
	if (r == SOURCE_OVER) {
		send_done(client, get->stream.id, &nothing);
		get_close(&get->stream);
	} else if (r < 0) {
		get_failed(get, r);
	} else {
		bool is_free = r == SOURCE_MORE && client_has_room(client);
		if (watch_set(&client->agent->poller, &get->more, is_free ? EPOLLIN : 0) < 0)
			get_failed(get, TRM_ENOMEM);
	}
}

static void on_more(struct watch *watch, uint32_t events)
{
	(void)events;
	get_run(OWNER_OF(watch, struct get, more));
}

static void get_credit(struct stream *stream, uint32_t n)
{
	struct get *get = OWNER_OF(stream, struct get, stream);
	get->credit += n;
	get_run(get);
}

static void get_room(struct stream *stream)
{
	get_run(OWNER_OF(stream, struct get, stream));
}

static const struct stream_ops get_ops = {.close = get_close, .credit = get_credit, .room = get_room};

void tree_transfer_get(struct client *client, uint32_t stream, const struct tree_msg *msg)
{
	struct trm_error why;
	struct get *get = calloc(1, sizeof *get);
	int fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!get || fd < 0) {
		if (fd >= 0)
			close(fd);
		free(get);
		no_memory(client, stream);
		return;
	}
	/* With the default size the two sides alternate every 200 KiB, which is slow on a busy machine. */
	setsockopt(client->writer.fd, SOL_SOCKET, SO_SNDBUF, &(int){SOCKET_BYTES}, sizeof(int));
	stream_add(&get->stream, &get_ops, client, stream);
	watch_init(&get->more, fd, on_more);
	get->credit = msg->window;
	char here[AGENT_PATH_BYTES];
	int r = source_create(agent_path(client->agent, msg->path, here), msg->flags, msg->depth,
			&get->source, &why);
	if (r == 0 && !agent_may_show(client->agent, source_root_fd(get->source)))
		r = trm_error_set_errno(&why, EACCES, "%s", msg->path);
	if (r == 0) {
		get_run(get);
		return;
	}
	client_error(client, stream, r, "%s", why.msg);
	get_close(&get->stream);
}

/* ---- TREE_PUT ---- */

struct put {
	struct stream stream;
	struct sink *sink;
};

static void put_close(struct stream *stream)
{
	struct put *put = OWNER_OF(stream, struct put, stream);
	stream_remove(stream);
	sink_destroy(put->sink);
	free(put);
}

static void put_credit(struct stream *stream, uint32_t n)
{
	(void)stream, (void)n; /* what a PUT sends needs no credit */
}

static void put_room(struct stream *stream)
{
	(void)stream;
}

static const struct stream_ops put_ops = {.close = put_close, .credit = put_credit, .room = put_room};

static void on_refused(void *user, const struct trm_error *why)
{
	struct put *put = user;
	struct client *client = put->stream.client;
	struct entry note = {.kind = ENTRY_NOTE, .code = why->code};
	size_t before = client->out.len;
	memcpy(note.text, why->msg, sizeof why->msg);
	if (entry_put(&client->out, put->stream.id, &note) < 0)
		client->dead = true;
	client_count_unpaid(client, before);
}

void tree_transfer_put(struct client *client, uint32_t stream, const struct tree_msg *msg)
{
	struct trm_error why;
	struct put *put = calloc(1, sizeof *put);
	if (!put) {
		no_memory(client, stream);
		return;
	}
	stream_add(&put->stream, &put_ops, client, stream);
	char here[AGENT_PATH_BYTES];
	struct sink_opts opts = {.path = agent_path(client->agent, msg->path, here),
			.base = msg->base,
			.must_be_dir = msg->flags & TREE_MUST_BE_DIR,
			.makes_parents = true,
			.max_bytes = msg->max_bytes,
			.max_files = msg->max_files,
			.when_full = "the sandbox's disk limit is reached (--disk)",
			.refused = on_refused,
			.user = put};
	int r = sink_create(&opts, &put->sink, &why);
	if (r == 0)
		return;
	client_error(client, stream, r, "%s", why.msg);
	put_close(&put->stream);
}

/* Tell the client which part is complete. */
static void give_up(struct put *put, int code, const struct trm_error *why)
{
	struct client *client = put->stream.client;
	const struct tree_sum *sum = sink_sum(put->sink);
	const struct entry taken = {.kind = ENTRY_TOTAL, .files = sum->files, .size = sum->bytes};
	size_t before = client->out.len;
	if (entry_put(&client->out, put->stream.id, &taken) < 0)
		client->dead = true;
	client_count_unpaid(client, before);
	client_error(client, put->stream.id, code, "%s", why->msg);
}

/* Handle the result of sink_entry() or sink_data(): the tree may be complete, or have failed. */
static int put_done(struct put *put, int r, struct trm_error *why)
{
	struct client *client = put->stream.client;
	if (r == TRM_EPROTO)
		return r;
	if (r == 0 && !sink_is_over(put->sink))
		return 0;
	if (r == 0)
		send_done(client, put->stream.id, sink_sum(put->sink));
	else
		give_up(put, r, why);
	put_close(&put->stream);
	return 0;
}

bool tree_transfer_is_put(const struct stream *stream)
{
	return stream->ops == &put_ops;
}

int tree_transfer_entry(struct stream *stream, const struct frame *frame, struct trm_error *why)
{
	struct put *put = OWNER_OF(stream, struct put, stream);
	struct entry entry;
	int r = entry_get(frame, &entry, why);
	if (r == 0 && entry.kind == ENTRY_NOTE)
		r = trm_error_set(why, TRM_EPROTO, "a NOTE from the side that sends");
	return r < 0 ? r : put_done(put, sink_entry(put->sink, &entry, why), why);
}

int tree_transfer_data(struct stream *stream, const struct frame *frame, struct trm_error *why)
{
	struct put *put = OWNER_OF(stream, struct put, stream);
	return put_done(put, sink_data(put->sink, frame->payload, frame->len, why), why);
}
