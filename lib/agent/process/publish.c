/* SPDX-License-Identifier: MIT */
#include "agent/process/publish.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "agent/core/agent.h"
#include "agent/core/client.h"
#include "agent/process/proc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/shell.h"
#include "wire/message.h"

enum {
	PIECE = FRAME_ANNOUNCE_MAX - 256,
	WORDS_MAX = 16 * 1024, /* of a command line; the rest is cut */
	KEPT_MAX = 256 * 1024, /* of one command */
	ALL_KEPT_MAX = 4 * 1024 * 1024,
	UNPAID_MAX = 128 * 1024, /* a client with more unread bytes is told later who comes and goes */
};

/* Before its bytes in `kept`. */
struct piece {
	uint64_t position;
	uint32_t n, channel;
};

struct follower {
	struct follower *next;
	struct client *client;
	uint64_t at; /* its place, counted like kept_at */
	bool knows_begin;
};

struct published {
	struct published *next;
	struct agent *agent;
	struct follower *followers;
	char by[ANNOUNCED_BY_MAX + 1];
	struct buf words; /* as a shell would read them */
	uint32_t id, client, pid;
	uint64_t began_ms;
	uint64_t position; /* bytes that it has written */
	struct buf kept;
	uint64_t kept_at; /* bytes, of pieces with their heads, that were in `kept` before */
	bool has_ended;
	int32_t exit_code;
	uint32_t signal;
};

/* ---- clients --------------------------------------------------------------------------- */

/* Sent without looking for room: the caller has. */
static void send_to(struct client *client, const struct announced_msg *msg)
{
	if (announced_msg_put(&client->out, msg) < 0)
		client->dead = true;
}

static bool listens(const struct client *client)
{
	return client->follows && !client->dead;
}

static void tell_of_client(struct client *to, uint32_t number, const char *by, enum announced_kind kind)
{
	size_t before = to->out.len;
	send_to(to, &(struct announced_msg){
				    .kind = kind, .client = number, .by = by, .by_len = by ? strlen(by) : 0});
	client_count_unpaid(to, before);
}

static bool takes_news(const struct client *client)
{
	return listens(client) && client->unpaid <= UNPAID_MAX;
}

static void tell_present(struct client *to)
{
	to->owes_present = false;
	for (const struct client *of = to->agent->clients; of && !to->owes_present; of = of->next) {
		to->owes_present = !takes_news(to);
		if (of != to && of->by && !of->dead && !to->owes_present)
			tell_of_client(to, of->number, of->by, ANNOUNCED_PRESENT);
	}
}

/* Clients learn who has come before who has gone. */
static void catch_up(struct client *to)
{
	if (to->owes_present && takes_news(to))
		tell_present(to);
	while (to->owed_gone.len && takes_news(to)) {
		uint32_t number;
		memcpy(&number, buf_at(&to->owed_gone), sizeof number);
		buf_take(&to->owed_gone, sizeof number);
		tell_of_client(to, number, NULL, ANNOUNCED_GONE);
	}
}

static void tell_all_of_client(const struct client *of, enum announced_kind kind)
{
	for (struct client *to = of->agent->clients; to; to = to->next)
		if (to == of || !of->by || !listens(to))
			continue;
		else if (takes_news(to))
			tell_of_client(to, of->number, of->by, kind);
		else if (kind == ANNOUNCED_PRESENT)
			to->owes_present = true;
		else
			buf_append(&to->owed_gone, &of->number, sizeof of->number);
}

void publish_presence(struct client *client, const char *by, size_t n)
{
	free(client->by);
	client->by = strndup(by, n);
	tell_all_of_client(client, ANNOUNCED_PRESENT);
}

/* ---- followers --------------------------------------------------------------------------- */

static uint64_t end_of(const struct published *published)
{
	return published->kept_at + published->kept.len;
}

/* Without memory the client misses the command. */
static void add_follower(struct published *published, struct client *client)
{
	struct follower *follower = malloc(sizeof *follower);
	if (!follower)
		return;
	*follower = (struct follower){
			.next = published->followers, .client = client, .at = end_of(published)};
	published->followers = follower;
}

static void remove_follower(struct follower **at)
{
	struct follower *follower = *at;
	*at = follower->next;
	free(follower);
}

void publish_forget(struct client *client)
{
	for (struct published *published = client->agent->published; published; published = published->next)
		for (struct follower **at = &published->followers; *at;)
			if ((*at)->client == client)
				remove_follower(at);
			else
				at = &(*at)->next;
	tell_all_of_client(client, ANNOUNCED_GONE);
}

/* ---- sending ----------------------------------------------------------------------------- */

static struct piece piece_at(const struct published *published, uint64_t at)
{
	struct piece piece;
	memcpy(&piece, buf_at(&published->kept) + (at - published->kept_at), sizeof piece);
	return piece;
}

static void send_begin(const struct published *published, struct follower *follower)
{
	bool has_more = follower->at < end_of(published);
	send_to(follower->client,
			&(struct announced_msg){.kind = ANNOUNCED_BEGIN,
					.client = published->client,
					.id = published->id,
					.position = has_more ? piece_at(published, follower->at).position
							     : published->position,
					.began_ms = published->began_ms,
					.pid = published->pid,
					.by = published->by,
					.by_len = strlen(published->by),
					.words = published->words.len ? buf_at(&published->words) : "",
					.words_len = published->words.len});
	follower->knows_begin = true;
}

static void send_piece(const struct published *published, struct follower *follower)
{
	const struct piece piece = piece_at(published, follower->at);
	const char *bytes = buf_at(&published->kept) + (follower->at - published->kept_at) + sizeof piece;
	send_to(follower->client, &(struct announced_msg){.kind = ANNOUNCED_OUTPUT,
						  .client = published->client,
						  .id = published->id,
						  .position = piece.position,
						  .channel = (uint8_t)piece.channel,
						  .bytes = bytes,
						  .n_bytes = piece.n});
	follower->at += sizeof piece + piece.n;
}

static void send_end(const struct published *published, const struct follower *follower)
{
	send_to(follower->client, &(struct announced_msg){.kind = ANNOUNCED_END,
						  .client = published->client,
						  .id = published->id,
						  .position = published->position,
						  .exit_code = published->exit_code,
						  .signal = published->signal});
}

/* Has it something to get? */
static bool waits(const struct published *published, const struct follower *follower)
{
	return !follower->knows_begin || follower->at < end_of(published) || published->has_ended;
}

/* Returns true if the follower knows of the end. */
static bool serve_follower(const struct published *published, struct follower *follower)
{
	while (waits(published, follower)) {
		if (!client_has_room(follower->client))
			return false;
		if (follower->at < published->kept_at)
			follower->at = published->kept_at;
		if (!follower->knows_begin) {
			send_begin(published, follower);
		} else if (follower->at < end_of(published)) {
			send_piece(published, follower);
		} else {
			send_end(published, follower);
			return true;
		}
	}
	return false;
}

static void drop_pieces(struct published *published, size_t n)
{
	buf_take(&published->kept, n);
	published->kept_at += n;
	published->agent->published_bytes -= n;
}

/* Drop what every follower has got. */
static void drop_sent(struct published *published)
{
	uint64_t first = end_of(published);
	for (const struct follower *follower = published->followers; follower; follower = follower->next)
		if (follower->at < first)
			first = follower->at;
	if (first > published->kept_at)
		drop_pieces(published, (size_t)(first - published->kept_at));
}

static void serve_all(struct published *published)
{
	for (struct follower **at = &published->followers; *at;)
		if (serve_follower(published, *at))
			remove_follower(at);
		else
			at = &(*at)->next;
	drop_sent(published);
}

void publish_follow(struct client *client)
{
	struct agent *agent = client->agent;
	if (client->follows)
		return;
	client->follows = true;
	tell_present(client);
	for (struct published *published = agent->published; published; published = published->next)
		if (published->client != client->number && !published->has_ended) {
			add_follower(published, client);
			serve_all(published);
		}
}

static void published_free(struct published *published)
{
	while (published->followers)
		remove_follower(&published->followers);
	drop_pieces(published, published->kept.len);
	buf_finish(&published->kept);
	buf_finish(&published->words);
	free(published);
}

void publish_pump(struct agent *agent)
{
	for (struct client *client = agent->clients; client; client = client->next)
		catch_up(client);
	for (struct published **at = &agent->published, *published; (published = *at);) {
		serve_all(published);
		if (!published->has_ended || published->followers) {
			at = &published->next;
			continue;
		}
		*at = published->next;
		published_free(published);
	}
}

bool publish_is_due(const struct agent *agent)
{
	for (const struct client *client = agent->clients; client; client = client->next)
		if ((client->owes_present || client->owed_gone.len) && takes_news(client))
			return true;
	for (const struct published *published = agent->published; published; published = published->next)
		for (const struct follower *follower = published->followers; follower;
				follower = follower->next)
			if (waits(published, follower) && client_has_room(follower->client))
				return true;
	return false;
}

void publish_finish(struct agent *agent)
{
	for (struct published *published; (published = agent->published);) {
		agent->published = published->next;
		published_free(published);
	}
}

/* ---- commands ---------------------------------------------------------------------------- */

void publish_prepare(struct proc *proc, const struct client *client, const struct spawn_msg *msg)
{
	struct published *published = *msg->by && !*msg->key ? calloc(1, sizeof *published) : NULL;
	proc->published = published;
	if (!published)
		return;
	published->agent = proc->agent;
	published->client = client->number;
	published->id = ++proc->agent->last_published;
	strncpy(published->by, msg->by, sizeof published->by - 1);
	buf_init(&published->words, WORDS_MAX);
	buf_init(&published->kept, KEPT_MAX);
	shell_put_words(&published->words, msg->argv);
}

void publish_start(struct proc *proc)
{
	struct published *published = proc->published;
	if (!published)
		return;
	published->pid = (uint32_t)proc->pid;
	published->began_ms = clock_wall_ms();
	published->next = proc->agent->published;
	proc->agent->published = published;
	for (struct client *client = proc->agent->clients; client; client = client->next)
		if (listens(client) && client->number != published->client)
			add_follower(published, client);
	serve_all(published);
}

/* Drop whole pieces of what is kept, the oldest first, until n bytes fit. */
static void make_room(struct published *published, size_t n)
{
	while (published->kept.len + n > KEPT_MAX) {
		const struct piece piece = piece_at(published, published->kept_at);
		drop_pieces(published, sizeof piece + piece.n);
	}
	/* Many that have ended, and a follower that does not read. */
	for (struct published *other = published->agent->published;
			other && published->agent->published_bytes + n > ALL_KEPT_MAX; other = other->next)
		if (other != published)
			drop_pieces(other, other->kept.len);
}

static void keep(struct published *published, uint8_t channel, const char *bytes, size_t n)
{
	const struct piece piece = {.position = published->position, .n = (uint32_t)n, .channel = channel};
	make_room(published, sizeof piece + n);
	published->position += n;
	if (!buf_reserve(&published->kept, sizeof piece + n))
		return; /* without memory the followers miss it */
	buf_append(&published->kept, &piece, sizeof piece);
	buf_append(&published->kept, bytes, n);
	published->agent->published_bytes += sizeof piece + n;
}

void publish_output(struct proc *proc, uint8_t channel, const char *bytes, size_t n)
{
	struct published *published = proc->published;
	if (!published || channel > CHANNEL_STDERR)
		return;
	if (!published->followers) {
		published->position += n;
		return;
	}
	for (size_t done = 0, part; done < n; done += part) {
		part = n - done < PIECE ? n - done : PIECE;
		keep(published, channel, bytes + done, part);
		serve_all(published);
	}
}

void publish_exit(struct proc *proc, const struct exited_msg *exit)
{
	struct published *published = proc->published;
	proc->published = NULL;
	if (!published)
		return;
	if (!published->pid) {
		published_free(published); /* it has not begun */
		return;
	}
	published->has_ended = true;
	published->exit_code = exit ? exit->exit_code : -1;
	published->signal = exit ? exit->signal : 0;
	/* A follower that does not know of the command need not learn that it has ended. */
	for (struct follower **at = &published->followers; *at;)
		if ((*at)->knows_begin)
			at = &(*at)->next;
		else
			remove_follower(at);
	buf_finish(&published->words);
	buf_init(&published->words, 0);
	serve_all(published); /* the pump frees it */
}
