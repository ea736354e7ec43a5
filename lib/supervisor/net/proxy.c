/* SPDX-License-Identifier: MIT */
#include "supervisor/net/proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hostlist.h"
#include "base/proxy_head.h"
#include "supervisor/net/lookup.h"

enum {
	CONNS_MAX = 128,
	LOOKUPS_MAX = 6, /* at once: they count as processes of the sandbox */
	HEAD_MS = 10000,
	LOOKUP_MS = 12000,
	CONNECT_MS = 10000,
	LINGER_MS = 2000,
	TELL_MS = 200,
	FLOW_BYTES = 2 * PROXY_HEAD_MAX + 1024,
};

enum stage {
	STAGE_FREE,
	STAGE_HEAD,    /* the client speaks */
	STAGE_WAIT,    /* for room to look the name up */
	STAGE_LOOKUP,  /* the name is looked up */
	STAGE_CONNECT, /* a connection is being made */
	STAGE_CARRY,   /* bytes flow */
	STAGE_ANSWER,  /* our own answer goes out; what still comes is dropped */
};

/* Bytes on their way from one end to the other. */
struct flow {
	size_t at, n;
	bool is_over;   /* the source has ended */
	bool is_passed; /* and the other end knows */
	char bytes[FLOW_BYTES];
};

struct conn {
	enum stage stage;
	int client, server;
	uint64_t deadline_ms;
	enum proxy_ask ask;
	struct proxy_head head;
	bool is_exempt; /* the list names this very address */
	struct lookup lookup;
	struct cidr addresses[LOOKUP_MAX];
	size_t n_addresses, next_address;
	bool counts_body;
	uint64_t body_left;
	struct flow up, down;
};

struct proxy {
	const struct spec_msg *spec;
	int listen_fd, word_fd;
	struct host_rule rules[HOSTLIST_MAX];
	size_t n_rules;
	struct proxy_word word;
	unsigned n_lookups;
	struct conn conns[CONNS_MAX];
};

/* ---- connections ------------------------------------------------------------------------ */

static void close_conn(struct proxy *p, struct conn *c)
{
	struct cidr none[LOOKUP_MAX];
	if (c->lookup.pid) {
		lookup_take(&c->lookup, none);
		p->n_lookups--;
	}
	if (c->client >= 0)
		close(c->client);
	if (c->server >= 0)
		close(c->server);
	c->client = c->server = -1;
	c->stage = STAGE_FREE;
}

static struct conn *free_conn(struct proxy *p)
{
	for (size_t i = 0; i < CONNS_MAX; i++)
		if (p->conns[i].stage == STAGE_FREE)
			return &p->conns[i];
	return NULL;
}

static void let_in(struct proxy *p, struct conn *c)
{
	const int on = 1;
	int fd = accept4(p->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	c->stage = STAGE_HEAD;
	c->client = fd;
	c->server = -1;
	c->lookup = (struct lookup){0, -1};
	c->deadline_ms = clock_ms() + HEAD_MS;
	c->up.at = c->up.n = c->down.at = c->down.n = 0;
	c->up.is_over = c->up.is_passed = c->down.is_over = c->down.is_passed = false;
	c->counts_body = c->is_exempt = false;
	c->n_addresses = c->next_address = 0;
}

/* ---- answers ---------------------------------------------------------------------------- */

static void give_answer(struct conn *c, const char *status, const char *words)
{
	if (c->server >= 0)
		close(c->server);
	c->server = -1;
	c->up.n = c->up.at = 0;
	c->down.at = 0;
	c->down.n = (size_t)snprintf(c->down.bytes, sizeof c->down.bytes,
			"HTTP/1.1 %s terrarium: %s\r\nContent-Type: text/plain; charset=utf-8\r\n"
			"Content-Length: %zu\r\nConnection: close\r\n\r\nterrarium: %s\n",
			status, words, strlen(words) + 12, words);
	c->down.is_over = true;
	c->stage = STAGE_ANSWER;
	c->deadline_ms = clock_ms() + LINGER_MS;
}

/* Wait until the supervisor has told its clients: then they know before the code does, and so before its run
 * ends. If it is slow, the next word tells the number of all. */
static void tell_word(struct proxy *p)
{
	struct pollfd ack = {.fd = p->word_fd, .events = POLLIN};
	char acks[16];
	while (recv(p->word_fd, acks, sizeof acks, MSG_DONTWAIT) > 0) {}
	if (send(p->word_fd, &p->word, sizeof p->word, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return;
	if (poll(&ack, 1, TELL_MS) > 0 && recv(p->word_fd, acks, sizeof acks, MSG_DONTWAIT) == 0)
		_exit(0);
}

/* What the list, or the network's rules, do not allow: it is counted and told. */
__attribute__((format(printf, 3, 4))) static void refuse_conn(
		struct proxy *p, struct conn *c, const char *format, ...)
{
	va_list args;
	char target[HOST_TEXT + 16];
	bool is_v6 = c->head.host.is_address && c->head.host.address.family == 6;
	int n = snprintf(target, sizeof target, "%s%.160s%s:%u ", is_v6 ? "[" : "", c->head.host.name,
			is_v6 ? "]" : "", c->head.port);
	struct proxy_word *word = &p->word;
	word->n_refused++;
	memset(word->words, 0, sizeof word->words);
	memcpy(word->words, target, (size_t)n);
	va_start(args, format);
	vsnprintf(word->words + n, sizeof word->words - (size_t)n, format, args);
	va_end(args);
	tell_word(p);
	give_answer(c, "403", word->words);
}

/* ---- to the server ---------------------------------------------------------------------- */

static void begin_carrying(struct conn *c)
{
	static const char yes[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	c->stage = STAGE_CARRY;
	if (c->ask != PROXY_CONNECT)
		return;
	memcpy(c->down.bytes, yes, sizeof yes - 1);
	c->down.n = sizeof yes - 1;
}

static bool start_connect(struct conn *c, const struct cidr *a)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(c->head.port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(c->head.port)};
	const int on = 1;
	bool is_v4 = a->family == 4;
	memcpy(&v4.sin_addr, a->addr, 4);
	memcpy(&v6.sin6_addr, a->addr, 16);
	c->server = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->server < 0)
		return false;
	setsockopt(c->server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	int r = is_v4 ? connect(c->server, (struct sockaddr *)&v4, sizeof v4)
		      : connect(c->server, (struct sockaddr *)&v6, sizeof v6);
	if (r == 0 || errno == EINPROGRESS)
		return true;
	close(c->server);
	c->server = -1;
	return false;
}

/* Connect to the next address of those that have passed. */
static void try_next(struct conn *c)
{
	char words[HOST_TEXT + 48];
	c->stage = STAGE_CONNECT;
	c->deadline_ms = clock_ms() + CONNECT_MS;
	while (c->next_address < c->n_addresses)
		if (start_connect(c, &c->addresses[c->next_address++]))
			return;
	snprintf(words, sizeof words, "%.160s:%u cannot be reached", c->head.host.name, c->head.port);
	give_answer(c, "502", words);
}

/* Keep the addresses that may be reached. */
static void take_addresses(struct proxy *p, struct conn *c, struct cidr *found, size_t n)
{
	static struct net_own own; /* static, because it is large */
	char first[CIDR_TEXT] = "", words[HOST_TEXT + 48];
	bool knows_own = net_find_own(&own);
	c->n_addresses = c->next_address = 0;
	for (size_t i = 0; i < n; i++)
		if (c->is_exempt || (knows_own && net_may_reach(p->spec, &own, &found[i])))
			c->addresses[c->n_addresses++] = found[i];
	if (n)
		cidr_format(&found[0], first);
	snprintf(words, sizeof words, "%.160s has no address", c->head.host.name);
	if (!n)
		give_answer(c, "502", words);
	else if (!c->n_addresses)
		refuse_conn(p, c, "has only addresses that are not public (%s): open them with net_allow",
				first);
	else
		try_next(c);
}

static void take_lookup(struct proxy *p, struct conn *c)
{
	struct cidr found[LOOKUP_MAX];
	size_t n = lookup_take(&c->lookup, found);
	p->n_lookups--;
	take_addresses(p, c, found, n);
}

static void look_up_next(struct proxy *p, struct conn *c)
{
	if (c->head.host.is_address) {
		take_addresses(p, c, &c->head.host.address, 1);
		return;
	}
	if (p->n_lookups == LOOKUPS_MAX)
		return;
	if (lookup_start(&c->lookup, c->head.host.name) < 0) {
		give_answer(c, "503", "no process for a lookup can be started");
		return;
	}
	p->n_lookups++;
	c->stage = STAGE_LOOKUP;
	c->deadline_ms = clock_ms() + LOOKUP_MS;
}

/* ---- from the client ---------------------------------------------------------------------- */

/* Put the request as the server is to get it in place of what came; of the rest, the body. */
static bool rewrite_head(struct conn *c)
{
	struct buf out;
	struct flow *up = &c->up;
	size_t rest = up->n - c->head.n;
	buf_init(&out, sizeof up->bytes);
	int r = proxy_head_rewrite(up->bytes, &c->head, &out);
	c->counts_body = !c->head.is_chunked;
	c->body_left = c->head.has_length ? c->head.length : 0;
	if (c->counts_body && rest > c->body_left)
		rest = (size_t)c->body_left;
	c->body_left -= c->counts_body ? rest : 0;
	if (r == 0)
		r = buf_append(&out, up->bytes + c->head.n, rest);
	if (r == 0) {
		memcpy(up->bytes, buf_at(&out), out.len);
		up->n = out.len;
	}
	buf_finish(&out);
	return r == 0;
}

static void take_head(struct proxy *p, struct conn *c)
{
	c->ask = proxy_head_read(c->up.bytes, c->up.n, &c->head);
	if (c->ask == PROXY_MORE)
		return;
	if (c->ask == PROXY_BAD) {
		give_answer(c, "400", c->head.why);
		return;
	}
	const struct host_rule *rule = hostlist_find(p->rules, p->n_rules, &c->head.host, c->head.port);
	if (!rule) {
		refuse_conn(p, c, "is not in net_allow_host");
		return;
	}
	c->is_exempt = rule->host.is_address;
	if (c->ask == PROXY_FORWARD && !rewrite_head(c)) {
		give_answer(c, "400", "the head is too long");
		return;
	}
	if (c->ask == PROXY_CONNECT)
		c->up.at = c->head.n;
	c->stage = STAGE_WAIT;
	c->deadline_ms = clock_ms() + LOOKUP_MS;
	look_up_next(p, c);
}

static void read_head(struct proxy *p, struct conn *c)
{
	ssize_t n = recv(c->client, c->up.bytes + c->up.n, PROXY_HEAD_MAX - c->up.n, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close_conn(p, c);
		return;
	}
	c->up.n += (size_t)n;
	take_head(p, c);
}

/* ---- carrying ------------------------------------------------------------------------------- */

/* Returns false if the end is broken. */
static bool fill_flow(struct flow *f, int fd, uint64_t most)
{
	size_t room = sizeof f->bytes < most ? sizeof f->bytes : (size_t)most;
	ssize_t n = recv(fd, f->bytes, room, 0);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	f->at = 0;
	f->n = (size_t)n;
	f->is_over |= n == 0;
	return true;
}

static bool drain_flow(struct flow *f, int fd)
{
	while (f->at < f->n) {
		ssize_t n = send(fd, f->bytes + f->at, f->n - f->at, MSG_NOSIGNAL);
		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		f->at += (size_t)n;
	}
	f->at = f->n = 0;
	if (f->is_over && !f->is_passed) {
		f->is_passed = true;
		shutdown(fd, SHUT_WR);
	}
	return true;
}

static bool is_done(const struct conn *c)
{
	bool is_request = c->ask == PROXY_FORWARD;
	return c->down.is_passed && (c->up.is_passed || is_request);
}

static void carry(struct proxy *p, struct conn *c, short client, short server)
{
	const short readable = POLLIN | POLLHUP | POLLERR;
	bool is_fine = true;
	uint64_t most = c->counts_body ? c->body_left : UINT64_MAX;
	if (client & readable && c->up.at == c->up.n && !c->up.is_over && most) {
		is_fine = fill_flow(&c->up, c->client, most);
		c->body_left -= c->counts_body ? c->up.n : 0;
	}
	if (is_fine && server & readable && c->down.at == c->down.n && !c->down.is_over)
		is_fine = fill_flow(&c->down, c->server, UINT64_MAX);
	is_fine = is_fine && drain_flow(&c->up, c->server) && drain_flow(&c->down, c->client);
	if (!is_fine || (is_done(c) && c->ask == PROXY_CONNECT)) {
		close_conn(p, c);
	} else if (is_done(c)) { /* the client may still write: it shall read the whole answer first */
		c->stage = STAGE_ANSWER;
		c->deadline_ms = clock_ms() + LINGER_MS;
	}
}

static void finish_connect(struct conn *c)
{
	int error = 0;
	socklen_t n = sizeof error;
	if (getsockopt(c->server, SOL_SOCKET, SO_ERROR, &error, &n) == 0 && !error) {
		begin_carrying(c);
		return;
	}
	close(c->server);
	c->server = -1;
	try_next(c);
}

/* After an answer: until the client has read it and closes. */
static void end_answer(struct proxy *p, struct conn *c, short client)
{
	char dropped[4096];
	ssize_t n = 1;
	if (!drain_flow(&c->down, c->client))
		n = 0;
	else if (client & (POLLIN | POLLHUP | POLLERR))
		n = recv(c->client, dropped, sizeof dropped, 0);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		close_conn(p, c);
}

/* ---- the loop --------------------------------------------------------------------------------- */

static void run_late(struct proxy *p, struct conn *c)
{
	switch (c->stage) {
	case STAGE_HEAD: give_answer(c, "408", "no request came"); break;
	case STAGE_WAIT: give_answer(c, "503", "too many names are being looked up"); break;
	case STAGE_LOOKUP: take_lookup(p, c); break;
	case STAGE_CONNECT:
		close(c->server);
		c->server = -1;
		try_next(c);
		break;
	default: close_conn(p, c); break;
	}
}

static short client_events(const struct conn *c)
{
	bool has_body = !c->counts_body || c->body_left;
	bool reads = c->stage == STAGE_HEAD || c->stage == STAGE_ANSWER
		     || (c->stage == STAGE_CARRY && c->up.at == c->up.n && !c->up.is_over && has_body);
	bool writes = c->down.at < c->down.n && (c->stage == STAGE_CARRY || c->stage == STAGE_ANSWER);
	return (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
}

/* The second descriptor: the server, or the process that looks the name up. */
static struct pollfd other_poll(const struct conn *c)
{
	struct pollfd none = {.fd = -1};
	if (c->stage == STAGE_LOOKUP)
		return (struct pollfd){.fd = c->lookup.fd, .events = POLLIN};
	if (c->stage == STAGE_CONNECT)
		return (struct pollfd){.fd = c->server, .events = POLLOUT};
	if (c->stage != STAGE_CARRY)
		return none;
	bool reads = c->down.at == c->down.n && !c->down.is_over, writes = c->up.at < c->up.n;
	none.events = (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0));
	none.fd = none.events ? c->server
			      : -1; /* an end that has nothing to do would wake us again and again */
	return none;
}

static void handle_conn(struct proxy *p, struct conn *c, short client, short other)
{
	if (!client && !other)
		return;
	switch (c->stage) {
	case STAGE_HEAD: read_head(p, c); break;
	case STAGE_LOOKUP:
		if (other)
			take_lookup(p, c);
		break;
	case STAGE_CONNECT:
		if (other)
			finish_connect(c);
		if (c->stage == STAGE_CARRY)
			carry(p, c, 0, 0);
		break;
	case STAGE_CARRY: carry(p, c, client, other); break;
	case STAGE_ANSWER: end_answer(p, c, client); break;
	default: break;
	}
}

static bool has_deadline(const struct conn *c)
{
	return c->stage != STAGE_FREE && c->stage != STAGE_CARRY;
}

static int next_wait_ms(const struct proxy *p)
{
	uint64_t now = clock_ms(), next = UINT64_MAX;
	for (size_t i = 0; i < CONNS_MAX; i++)
		if (has_deadline(&p->conns[i]) && p->conns[i].deadline_ms < next)
			next = p->conns[i].deadline_ms;
	return next == UINT64_MAX ? -1 : next <= now ? 0 : (int)(next - now);
}

static void turn_proxy(struct proxy *p)
{
	static struct pollfd fds[1 + 2 * CONNS_MAX];
	struct conn *room = free_conn(p);
	fds[0] = (struct pollfd){.fd = room ? p->listen_fd : -1, .events = POLLIN};
	for (size_t i = 0; i < CONNS_MAX; i++) {
		const struct conn *c = &p->conns[i];
		short events = c->stage == STAGE_FREE ? 0 : client_events(c);
		fds[1 + 2 * i] = (struct pollfd){.fd = events ? c->client : -1, .events = events};
		fds[2 + 2 * i] = other_poll(c);
	}
	if (poll(fds, 1 + 2 * CONNS_MAX, next_wait_ms(p)) < 0)
		return;
	uint64_t now = clock_ms();
	for (size_t i = 0; i < CONNS_MAX; i++) {
		struct conn *c = &p->conns[i];
		handle_conn(p, c, fds[1 + 2 * i].revents, fds[2 + 2 * i].revents);
		if (has_deadline(c) && c->deadline_ms <= now)
			run_late(p, c);
		else if (c->stage == STAGE_WAIT)
			look_up_next(p, c);
	}
	if (fds[0].revents)
		let_in(p, room);
}

_Noreturn void proxy_serve(const struct spec_msg *spec, int listen_fd, int word_fd)
{
	static struct proxy p; /* static, because it is large */
	p.spec = spec;
	p.listen_fd = listen_fd;
	p.word_fd = word_fd;
	for (size_t i = 0; i < CONNS_MAX; i++)
		p.conns[i].client = p.conns[i].server = -1;
	if (hostlist_parse(spec->net_hosts, p.rules, &p.n_rules, NULL) < 0)
		_exit(125);
	for (;;)
		turn_proxy(&p);
}
