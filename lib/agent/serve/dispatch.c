/* SPDX-License-Identifier: MIT */
#include "agent/core/dispatch.h"

#include <stdlib.h>

#include <terrarium/error.h>

#include "agent/core/agent.h"
#include "agent/core/process_tree.h"
#include "agent/core/proxy_env.h"
#include "agent/files/transfer.h"
#include "agent/files/tree_transfer.h"
#include "agent/process/proc.h"
#include "agent/process/publish.h"
#include "agent/process/subscriber.h"
#include "agent/process/turns.h"
#include "wire/message.h"

enum { ENVIRON_MAX = 512, PING_MAX = 64, WATCH_MIN_MS = 50, WATCH_MAX_MS = 3600 * 1000 };

/* A frame is for the connection (stream 0), for a new stream, or for an existing one. If the stream has
 * ended meanwhile, the frame is ignored. */
enum target { NOWHERE, ON_CONNECTION, ON_NEW, ON_STREAM };

static struct unpack fields_of(const struct frame *frame)
{
	return (struct unpack){.at = frame->payload, .left = frame->len};
}

static int bad_payload(struct client *client, const struct frame *frame)
{
	return client_fail(client, "a frame of type %u has a payload that does not fit it", frame->type);
}

static int do_hello(struct client *client, const struct frame *frame)
{
	struct hello_msg hello;
	if (hello_msg_get(frame, &hello) < 0 || hello.magic != FRAME_MAGIC)
		return client_fail(client,
				"this is not a terrarium client: HELLO does not begin with the magic number");
	if (hello.version != FRAME_VERSION)
		return client_fail(client,
				"the client speaks version %u of the protocol, the agent in the sandbox %u",
				hello.version, FRAME_VERSION);
	client->greeted = true;
	client->nproc = hello.nproc;
	client->pid = hello.pid;
	client->is_observer = hello.flags & HELLO_OBSERVER;
	if (hello.nproc)
		client->agent->nproc = hello.nproc;
	size_t before = client->out.len;
	if (welcome_msg_put(&client->out, TERRARIUM_VERSION, client->number, client->agent->report,
			    client->agent->report_len)
			< 0)
		client->dead = true;
	client_count_unpaid(client, before);
	turns_announce_all(client);
	return 0;
}

static int do_spawn(struct client *client, const struct frame *frame)
{
	struct spawn_msg msg;
	int r = spawn_msg_get(frame, &msg);
	if (r == TRM_EPROTO)
		return bad_payload(client, frame);
	if (r < 0) {
		client_error(client, frame->stream, r, "out of memory while starting a process");
		return 0;
	}
	proc_request(client, frame->stream, &msg);
	spawn_msg_finish(&msg);
	return 0;
}

static int do_input(struct client *client, const struct frame *frame)
{
	struct subscriber *subscriber = subscriber_of(client_find(client, frame->stream));
	if (!subscriber)
		return client_fail(client, "INPUT for a stream that is not a process");
	if (subscriber_input(subscriber, frame->channel, frame->payload, frame->len) < 0)
		return client_fail(client,
				"INPUT beyond the credit of its channel, for a channel that is not there, or a "
				"note of more than %d bytes",
				FRAME_NOTE_MAX);
	return 0;
}

static int do_stdin(struct client *client, const struct frame *frame)
{
	struct unpack fields = fields_of(frame);
	uint8_t state = unpack_u8(&fields);
	struct subscriber *subscriber = subscriber_of(client_find(client, frame->stream));
	if (fields.bad || state > STDIN_RESET || !subscriber)
		return bad_payload(client, frame);
	if (turns_allows(subscriber, CHANNEL_STDIN))
		feed_set_state(&subscriber->proc->feeds[FEED_STDIN], (enum stdin_state)state);
	return 0;
}

static int do_turn(struct client *client, const struct frame *frame)
{
	enum turn_word word;
	struct subscriber *subscriber = subscriber_of(client_find(client, frame->stream));
	if (!subscriber || turn_msg_get(frame, &word) < 0 || word > TURN_TAKE)
		return bad_payload(client, frame);
	turns_turn(subscriber, word);
	return 0;
}

static int do_signal(struct client *client, const struct frame *frame)
{
	struct unpack fields = fields_of(frame);
	uint32_t signo = unpack_u32(&fields);
	uint8_t scope = unpack_u8(&fields);
	struct subscriber *subscriber = subscriber_of(client_find(client, frame->stream));
	if (fields.bad || signo < 1 || signo > 64 || scope > 1 || !subscriber)
		return bad_payload(client, frame);
	turns_signal(subscriber);
	proc_note_signal(subscriber->proc, (int)signo, client);
	proc_signal(subscriber->proc, (int)signo, scope == 1);
	return 0;
}

static int do_leftovers(struct client *client, const struct frame *frame)
{
	struct unpack fields = fields_of(frame);
	uint32_t stream = unpack_u32(&fields), age_ms = unpack_u32(&fields);
	uint64_t sent_ms = unpack_u64(&fields);
	if (fields.bad)
		return bad_payload(client, frame);
	struct subscriber *subscriber = stream ? subscriber_of(client_find(client, stream)) : NULL;
	proc_kill_leftovers(client->agent, subscriber ? subscriber->proc : NULL, age_ms, sent_ms);
	return 0;
}

static int do_signal_pid(struct client *client, const struct frame *frame)
{
	struct signal_pid_msg msg;
	struct buf done;
	if (signal_pid_msg_get(frame, &msg) < 0)
		return bad_payload(client, frame);
	for (struct proc *proc = client->agent->procs; proc; proc = proc->next)
		if (proc->pid == (pid_t)msg.pid)
			proc_note_signal(proc, (int)msg.signo, client);
	int r = tree_signal_one((pid_t)msg.pid, msg.start, (int)msg.signo, msg.has_tree);
	if (r < 0) {
		client_error(client, frame->stream, r,
				r == TRM_EPERM ? "process %u belongs to the sandbox itself"
					       : "there is no longer a process %u",
				msg.pid);
		return 0;
	}
	buf_init(&done, 64);
	struct pack pack = {.to = &done};
	pack_u64(&pack, 0);
	pack_u32(&pack, 0);
	agent_client_send(client, frame->stream, FRAME_DONE, 0, buf_at(&done), done.len);
	buf_finish(&done);
	return 0;
}

static int do_resize(struct client *client, const struct frame *frame)
{
	struct unpack fields = fields_of(frame);
	uint16_t rows = unpack_u16(&fields), cols = unpack_u16(&fields);
	struct subscriber *subscriber = subscriber_of(client_find(client, frame->stream));
	if (fields.bad || !subscriber)
		return bad_payload(client, frame);
	proc_resize(subscriber->proc, rows, cols);
	return 0;
}

static int do_credit(struct client *client, const struct frame *frame)
{
	struct unpack fields = fields_of(frame);
	uint32_t n = unpack_u32(&fields);
	if (fields.bad)
		return bad_payload(client, frame);
	struct stream *stream = client_find(client, frame->stream);
	stream->ops->credit(stream, n);
	return 0;
}

static int do_close(struct client *client, const struct frame *frame)
{
	struct stream *stream = client_find(client, frame->stream);
	stream->ops->close(stream);
	return 0;
}

static int do_put(struct client *client, const struct frame *frame)
{
	struct unpack fields = fields_of(frame);
	char *path = unpack_str(&fields, TRANSFER_PATH_MAX);
	uint32_t mode = unpack_u32(&fields);
	uint64_t size = unpack_u64(&fields);
	char here[AGENT_PATH_BYTES];
	int r = fields.bad ? bad_payload(client, frame) : 0;
	if (!r)
		transfer_put(client, frame->stream, agent_path(client->agent, path, here), mode, size);
	free(path);
	return r;
}

static int do_get(struct client *client, const struct frame *frame)
{
	struct unpack fields = fields_of(frame);
	char *path = unpack_str(&fields, TRANSFER_PATH_MAX);
	uint64_t max_bytes = unpack_u64(&fields);
	uint32_t window = unpack_u32(&fields);
	char here[AGENT_PATH_BYTES];
	int r = fields.bad ? bad_payload(client, frame) : 0;
	if (!r)
		transfer_get(client, frame->stream, agent_path(client->agent, path, here), max_bytes, window);
	free(path);
	return r;
}

static int do_tree(struct client *client, const struct frame *frame)
{
	struct tree_msg msg;
	if (tree_msg_get(frame, &msg) < 0)
		return bad_payload(client, frame);
	(frame->type == FRAME_TREE_GET ? tree_transfer_get : tree_transfer_put)(client, frame->stream, &msg);
	tree_msg_finish(&msg);
	return 0;
}

static int do_entry(struct client *client, const struct frame *frame)
{
	struct stream *stream = client_find(client, frame->stream);
	struct trm_error why;
	if (!tree_transfer_is_put(stream))
		return client_fail(client, "ENTRY for a stream that takes none");
	return tree_transfer_entry(stream, frame, &why) < 0 ? client_fail(client, "%s", why.msg) : 0;
}

static int do_file_op(struct client *client, const struct frame *frame)
{
	struct unpack fields = fields_of(frame);
	uint8_t op = unpack_u8(&fields);
	char *path = unpack_str(&fields, TRANSFER_PATH_MAX);
	uint32_t mode = unpack_u32(&fields);
	char here[AGENT_PATH_BYTES];
	int r = fields.bad ? bad_payload(client, frame) : 0;
	if (!r)
		tree_transfer_op(client, frame->stream, (enum file_op)op,
				agent_path(client->agent, path, here), mode);
	free(path);
	return r;
}

static int do_data(struct client *client, const struct frame *frame)
{
	struct stream *stream = client_find(client, frame->stream);
	struct trm_error why;
	if (tree_transfer_is_put(stream))
		return tree_transfer_data(stream, frame, &why) < 0 ? client_fail(client, "%s", why.msg) : 0;
	if (transfer_data(stream, frame->payload, frame->len) < 0)
		return client_fail(client, "DATA for a stream that takes none, or more than PUT announced");
	return 0;
}

static int do_watch(struct client *client, const struct frame *frame)
{
	struct unpack fields = fields_of(frame);
	uint32_t interval_ms = unpack_u32(&fields);
	uint8_t with_processes = unpack_u8(&fields);
	if (fields.bad)
		return bad_payload(client, frame);
	if (interval_ms && interval_ms < WATCH_MIN_MS)
		interval_ms = WATCH_MIN_MS;
	client->watch_ms = interval_ms < WATCH_MAX_MS ? interval_ms : WATCH_MAX_MS;
	client->watch_processes = with_processes;
	client->watch_due_ns = 0; /* at once: this turn */
	return 0;
}

static int do_present(struct client *client, const struct frame *frame)
{
	if (!frame->len || frame->len > ANNOUNCED_BY_MAX)
		return bad_payload(client, frame);
	publish_presence(client, frame->payload, frame->len);
	return 0;
}

static int do_follow(struct client *client, const struct frame *frame)
{
	(void)frame;
	publish_follow(client);
	return 0;
}

static int do_ping(struct client *client, const struct frame *frame)
{
	if (frame->len > PING_MAX)
		return bad_payload(client, frame);
	agent_client_send(client, 0, FRAME_PONG, 0, frame->payload, frame->len);
	return 0;
}

static int do_certs(struct client *client, const struct frame *frame)
{
	if (proxy_env_certs(&client->agent->proxy_env, frame->payload, frame->len))
		return 0;
	return client_fail(client, "more than %d bytes of certificates", PROXY_ENV_CERTS_MAX);
}

static int do_environ(struct client *client, const struct frame *frame)
{
	struct unpack fields = fields_of(frame);
	char **env = unpack_strv(&fields, ENVIRON_MAX, FRAME_MAX_PAYLOAD);
	char **cert_names = unpack_strv(&fields, ENVIRON_MAX, FRAME_MAX_PAYLOAD);
	int r = fields.bad ? bad_payload(client, frame) : 0;
	if (!r)
		proxy_env_environ(&client->agent->proxy_env, env, cert_names);
	free(env);
	free(cert_names);
	return r;
}

static int do_shutdown(struct client *client, const struct frame *frame)
{
	(void)frame;
	client->agent->ending = true;
	return 0;
}

static const struct {
	enum target target;
	int (*act)(struct client *client, const struct frame *frame);
} acts[] = {
		[FRAME_HELLO] = {ON_CONNECTION, do_hello},
		[FRAME_SPAWN] = {ON_NEW, do_spawn},
		[FRAME_INPUT] = {ON_STREAM, do_input},
		[FRAME_STDIN] = {ON_STREAM, do_stdin},
		[FRAME_SIGNAL] = {ON_STREAM, do_signal},
		[FRAME_RESIZE] = {ON_STREAM, do_resize},
		[FRAME_CREDIT] = {ON_STREAM, do_credit},
		[FRAME_CLOSE] = {ON_STREAM, do_close},
		[FRAME_PUT] = {ON_NEW, do_put},
		[FRAME_GET] = {ON_NEW, do_get},
		[FRAME_WATCH] = {ON_CONNECTION, do_watch},
		[FRAME_PING] = {ON_CONNECTION, do_ping},
		[FRAME_SHUTDOWN] = {ON_CONNECTION, do_shutdown},
		[FRAME_SIGNAL_PID] = {ON_NEW, do_signal_pid},
		[FRAME_LEFTOVERS] = {ON_CONNECTION, do_leftovers},
		[FRAME_PRESENT] = {ON_CONNECTION, do_present},
		[FRAME_FOLLOW] = {ON_CONNECTION, do_follow},
		[FRAME_TREE_GET] = {ON_NEW, do_tree},
		[FRAME_TREE_PUT] = {ON_NEW, do_tree},
		[FRAME_FILE_OP] = {ON_NEW, do_file_op},
		[FRAME_CERTS] = {ON_CONNECTION, do_certs},
		[FRAME_ENVIRON] = {ON_CONNECTION, do_environ},
		[FRAME_DATA] = {ON_STREAM, do_data},
		[FRAME_TURN] = {ON_STREAM, do_turn},
		[FRAME_ENTRY] = {ON_STREAM, do_entry},
};

void dispatch(struct client *client, const struct frame *frame)
{
	enum target target = frame->type < sizeof acts / sizeof *acts ? acts[frame->type].target : NOWHERE;
	if (target == NOWHERE)
		client_fail(client, "frame type %u may not be sent by a client", frame->type);
	else if (client->greeted == (frame->type == FRAME_HELLO))
		client_fail(client, client->greeted ? "a second HELLO" : "the first frame must be HELLO");
	else if ((target == ON_CONNECTION) != (frame->stream == 0))
		client_fail(client, "a frame of type %u may not name stream %u", frame->type, frame->stream);
	else if (target == ON_NEW && client_find(client, frame->stream))
		client_fail(client, "stream %u is already in use", frame->stream);
	else if (target == ON_NEW && client->n_streams >= FRAME_MAX_STREAMS)
		client_fail(client, "more than %u streams at a time", FRAME_MAX_STREAMS);
	else if (target != ON_STREAM || client_find(client, frame->stream))
		acts[frame->type].act(client, frame);
}
