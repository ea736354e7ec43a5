/* SPDX-License-Identifier: MIT */
#include "backend/microsandbox/msb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/microsandbox/reply.h"
#include "base/err.h"
#include "base/log.h"

static struct msb *msb_of(const struct carrier *c)
{
	return (struct msb *)c;
}

bool msb_is_gone(const struct trm_error *why)
{
	return why->code == TRM_ENOENT;
}

/* The first start begins with us. Its time-out ends a little before the sandbox's, so that our own
 * message is shown, which names the server. */
uint32_t msb_start_left_ms(const struct msb *m)
{
	enum { MARGIN_MS = 100, LEAST_MS = 1 };
	uint64_t limit = m->settings.start_timeout_ms, used;
	if (m->is_up)
		return (uint32_t)limit;
	used = (trm_loop_now_ns(m->loop) - m->begun_ns) / 1000000 + MARGIN_MS;
	return used + LEAST_MS < limit ? (uint32_t)(limit - used) : LEAST_MS;
}

/* ---- the stream ------------------------------------------------------------------------------------ */

void msb_send(struct msb *m)
{
	while (m->out.len) {
		ssize_t n = send(m->our_fd, buf_at(&m->out), m->out.len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			buf_clear(&m->out); /* nobody is connected to read it */
		if (n < 0)
			break;
		buf_take(&m->out, (size_t)n);
	}
	if (m->watch)
		trm_watch_set_events(m->watch,
				(msb_files_are_full(m) ? 0 : TRM_READ) | (m->out.len ? TRM_WRITE : 0));
}

static void fail_protocol(struct msb *m, const char *why)
{
	error_msg_put(&m->out, 0, TRM_EPROTO, why);
	msb_send(m);
	shutdown(m->our_fd, SHUT_RDWR);
}

static void on_spawn(struct msb *m, const struct frame *frame)
{
	struct spawn_msg msg;
	if (!frame->stream || msb_proc_find(m, frame->stream) || spawn_msg_get(frame, &msg) < 0) {
		fail_protocol(m, "a broken SPAWN");
		return;
	}
	msb_spawn(m, frame->stream, &msg);
	spawn_msg_finish(&msg);
}

static void msb_dispatch(struct msb *m, const struct frame *frame)
{
	struct msb_proc *p;
	if (msb_file_frame(m, frame))
		return;
	switch (frame->type) {
	case FRAME_HELLO: welcome_msg_put(&m->out, "microsandbox", 1, NULL, 0); break;
	case FRAME_PING: frame_put(&m->out, 0, FRAME_PONG, 0, frame->payload, frame->len); break;
	case FRAME_WATCH: msb_metrics_watch(m, frame); break;
	case FRAME_SPAWN: on_spawn(m, frame); break;
	case FRAME_TURN: /* its only client always has the turn, and nobody to be told of */
	case FRAME_PRESENT:
	case FRAME_FOLLOW:
	case FRAME_SHUTDOWN: break;
	default:
		p = msb_proc_find(m, frame->stream);
		if (p) /* otherwise it ended while this frame was on its way */
			msb_proc_frame(p, frame);
	}
}

static void read_frames(struct msb *m)
{
	struct frame frame;
	int r;
	while ((r = frame_next(&m->in, &frame)) > 0) {
		msb_dispatch(m, &frame);
		frame_done(&m->in, &frame);
	}
	if (r < 0)
		fail_protocol(m, "a broken frame");
}

static void on_ready(void *user, int fd, uint32_t events)
{
	struct msb *m = user;
	if (events & (TRM_READ | TRM_HANGUP)) {
		char *room = buf_reserve(&m->in, 64 * 1024);
		ssize_t n = room ? recv(fd, room, 64 * 1024, 0) : 0;
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
			trm_watch_remove(m->watch);
			m->watch = NULL;
			return;
		}
		if (n > 0)
			buf_fill(&m->in, (size_t)n);
		read_frames(m);
	}
	msb_send(m);
}

/* ---- the end ---------------------------------------------------------------------------------------- */

static void msb_free(struct msb *m)
{
	for (size_t i = 0; i < MSB_PROCS; i++)
		if (m->procs[i].stream)
			msb_proc_finish(&m->procs[i]);
	msb_files_finish(m);
	while (m->calls)
		msb_call_cancel(m->calls);
	http_cancel(m->health);
	trm_watch_remove(m->watch);
	trm_timer_remove(m->soon);
	trm_timer_remove(m->at_last);
	trm_timer_remove(m->metrics);
	buf_finish(&m->in);
	buf_finish(&m->out);
	if (m->host_fd >= 0)
		close(m->host_fd);
	if (m->our_fd >= 0)
		close(m->our_fd);
	msb_settings_finish(&m->settings);
	free(m);
}

/* closed() follows. */
void msb_end(struct msb *m)
{
	m->is_over = true;
	trm_timer_start(m->soon, 0, 0);
}

static bool has_boxes(const struct msb *m)
{
	return m->boxes[MSB_BOX_MAIN].state != BOX_DOWN || m->boxes[MSB_BOX_NODE].state != BOX_DOWN;
}

static bool is_waited_for(const struct msb *m)
{
	return has_boxes(m) || msb_files_are_given_up(m);
}

/* Leave no sandbox of ours at the server, and no incomplete file: send sandbox.stop for each, whatever is
 * under way, and wait a limited time for the answers. */
static void begin_stop(struct msb *m, bool with_found)
{
	m->is_stopping = true;
	trm_timer_stop(m->metrics);
	http_cancel(m->health);
	m->health = NULL;
	msb_call_cancel(m->metrics_call);
	m->metrics_call = NULL;
	for (size_t i = 0; i < MSB_PROCS; i++) {
		msb_call_cancel(m->procs[i].call);
		m->procs[i].call = NULL;
	}
	for (size_t i = 0; i < 2; i++)
		msb_box_end(&m->boxes[i], with_found);
	if (!has_boxes(m)) /* otherwise they end with the sandbox */
		msb_files_give_up(m);
	m->is_waiting = is_waited_for(m);
	if (m->is_waiting)
		trm_timer_start(m->at_last, MSB_STOP_MS, 0);
	else
		msb_end(m);
}

void msb_box_is_down(struct msb_box *box)
{
	if (!is_waited_for(box->msb))
		msb_end(box->msb);
}

void msb_file_is_over(struct msb *m)
{
	if (m->is_waiting && !m->is_over && !is_waited_for(m))
		msb_end(m);
}

/* Warn the user only if no other reason for the end is reported. Otherwise log the warning. */
void msb_warn(struct msb *m, const char *words)
{
	if (m->is_stopping && !m->is_over && !m->is_errand && !m->why.code)
		m->base.cb->warning(m->base.user, words);
	else
		log_write(LOG_WARNING, "%s", words);
}

void msb_stop_failed(struct msb *m, const struct trm_error *why)
{
	msb_warn(m, why->msg);
	if (m->is_stopping && !m->is_errand && !m->why.code)
		m->why = *why;
}

static void on_at_last(void *user)
{
	struct msb *m = user;
	struct trm_error why;
	trm_error_set(&why, TRM_ETIMEDOUT,
			"the server %s did not say within %d s that sandbox '%s' has stopped: it may still run there",
			m->settings.url, MSB_STOP_MS / 1000, m->name);
	if (has_boxes(m))
		msb_stop_failed(m, &why);
	if (m->is_errand && !m->why.code)
		trm_error_set(&m->why, TRM_ETIMEDOUT, "the server %s does not answer", m->settings.url);
	msb_end(m);
}

void msb_fail(struct msb *m, const struct trm_error *why)
{
	if (m->is_stopping || m->is_over)
		return;
	m->why = *why;
	if (msb_is_gone(why)) { /* there is no server that could stop anything */
		m->is_stopping = true;
		msb_end(m);
	} else {
		begin_stop(m, false);
	}
}

static void msb_stop(struct carrier *carrier)
{
	struct msb *m = msb_of(carrier);
	if (!m->is_stopping && !m->is_over)
		begin_stop(m, true);
}

static void msb_leave(struct carrier *carrier)
{
	struct msb *m = msb_of(carrier);
	if (!m->is_stopping && !m->is_over)
		begin_stop(m, false);
}

static bool is_joined(const struct carrier *carrier)
{
	return ((const struct msb *)carrier)->boxes[MSB_BOX_MAIN].is_found;
}

/* ---- the beginning
 * --------------------------------------------------------------------------------------- */

static void on_soon(void *user)
{
	struct msb *m = user;
	if (m->is_over) {
		m->base.cb->closed(m->base.user, &m->why);
		msb_free(m);
	} else if (m->is_up && !m->is_connected) {
		m->is_connected = true;
		m->base.cb->connected(m->base.user, m->host_fd);
	}
}

void msb_box_is_up(struct msb_box *box)
{
	struct msb *m = box->msb;
	if (box == &m->boxes[MSB_BOX_MAIN] && !m->is_up) {
		m->is_up = true;
		m->up_ns = trm_loop_now_ns(m->loop);
		msb_guards_fill(m);
		trm_timer_start(m->soon, 0, 0);
	}
	for (size_t i = 0; i < MSB_PROCS; i++)
		if (m->procs[i].stream && m->procs[i].box == box && m->procs[i].is_waiting)
			msb_proc_begin(&m->procs[i]);
}

void msb_box_failed(struct msb_box *box, const struct trm_error *why)
{
	struct msb *m = box->msb;
	if (!m->is_up || msb_is_gone(why)) {
		msb_fail(m, why);
		return;
	}
	for (size_t i = 0; i < MSB_PROCS; i++)
		if (m->procs[i].stream && m->procs[i].box == box && m->procs[i].is_waiting)
			msb_proc_fail(&m->procs[i], why);
}

static unsigned extensions_of(const struct http_request *request)
{
	static const struct {
		const char *word;
		enum msb_extension bit;
	} words[] = {{"events", MSB_EVENTS}, {"input", MSB_INPUT}, {"interrupt", MSB_INTERRUPT},
			{"ask", MSB_ASK}, {"files", MSB_FILES}, {"terminal", MSB_TERMINAL}};
	char field[256];
	unsigned found = 0;
	if (!http_request_field(request, "Terrarium-Extensions", field, sizeof field))
		return 0;
	for (char *rest, *word = strtok_r(field, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			if (strcmp(word, words[i].word) == 0)
				found |= words[i].bit;
	return found;
}

static enum msb_network network_of(const struct http_request *request)
{
	char field[8];
	if (!http_request_field(request, "Terrarium-Network", field, sizeof field))
		return MSB_NETWORK_UNKNOWN;
	return strcmp(field, "off") == 0 ? MSB_NETWORK_OFF : MSB_NETWORK_ON;
}

static void on_health_head(void *user, struct http_request *request, int status, const char *content_type)
{
	struct msb *m = user;
	(void)content_type;
	if (status != 200)
		return;
	m->extensions = extensions_of(request);
	m->network = network_of(request);
}

static const char *main_image(const struct msb *m)
{
	if (m->settings.image)
		return m->settings.image;
	return m->extensions ? "terrarium/all" : "microsandbox/python";
}

/* A server answers. Only the answer to sandbox.start shows whether it is a microsandbox server. */
static void on_health(void *user, const struct http_answer *answer, const struct trm_error *failure)
{
	struct msb *m = user;
	char what[128];
	const struct reply_about about = {
			.what = what, .url = m->settings.url, .space = m->settings.space, .is_first = true};
	struct trm_error why;
	(void)answer;
	m->health = NULL;
	if (failure->code && failure->code != TRM_ETOOBIG) {
		if (m->list_fn)
			snprintf(what, sizeof what, "list the sandboxes");
		else
			snprintf(what, sizeof what, "%s sandbox '%s'",
					m->settings.join == TRM_REMOTE_JOIN ? "look for" : "start", m->name);
		reply_missing(failure, &about, &why);
		msb_fail(m, &why);
		return;
	}
	if (m->list_fn) {
		msb_list(m);
		return;
	}
	m->boxes[MSB_BOX_MAIN].image = main_image(m);
	if (m->extensions & MSB_EVENTS)
		m->dialect = &msb_events;
	msb_box_want(&m->boxes[MSB_BOX_MAIN]);
}

static void name_boxes(struct msb *m)
{
	static const char suffix[] = "-node";
	struct msb_box *node = &m->boxes[MSB_BOX_NODE];
	m->boxes[MSB_BOX_MAIN] = (struct msb_box){.msb = m};
	memcpy(m->boxes[MSB_BOX_MAIN].name, m->name, sizeof m->name);
	*node = (struct msb_box){.msb = m, .image = "microsandbox/node"};
	snprintf(node->name, sizeof node->name, "%.*s%s", (int)(MSB_NAME_MAX - sizeof suffix + 1), m->name,
			suffix);
}

static int prepare_stream(struct msb *m, struct trm_error *reterr)
{
	int fds[2], r;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) < 0)
		return trm_error_set_errno(reterr, errno, "cannot make a socket");
	m->host_fd = fds[0];
	m->our_fd = fds[1];
	if ((r = trm_loop_add_timer(m->loop, on_soon, m, &m->soon, reterr)) < 0
			|| (r = trm_loop_add_timer(m->loop, on_at_last, m, &m->at_last, reterr)) < 0
			|| (r = msb_metrics_init(m, reterr)) < 0)
		return r;
	return trm_loop_add_fd(m->loop, m->our_fd, TRM_READ, on_ready, m, &m->watch, reterr);
}

static int msb_probe(struct trm_error *reterr)
{
	(void)reterr;
	return 0;
}

static struct msb *msb_new(struct trm_loop *loop, const struct trm_sandbox_opts *opts,
		const struct carrier_cb *cb, void *user, struct trm_error *reterr)
{
	struct msb *m = calloc(1, sizeof *m);
	if (!m) {
		trm_error_set(reterr, TRM_ENOMEM, "out of memory");
		return NULL;
	}
	m->base = (struct carrier){.ops = &backend_microsandbox, .cb = cb, .user = user};
	m->loop = loop;
	m->dialect = &msb_plain;
	m->next_pid = 2;
	m->begun_ns = trm_loop_now_ns(loop);
	m->host_fd = m->our_fd = -1;
	buf_init(&m->in, 2 * (FRAME_HEADER + FRAME_MAX_PAYLOAD));
	buf_init(&m->out, 256u << 20);
	snprintf(m->name, sizeof m->name, "%s", opts->name ? opts->name : "");
	name_boxes(m);
	if (msb_settings_init(&m->settings, opts, reterr) == 0 && prepare_stream(m, reterr) == 0)
		return m;
	msb_free(m);
	return NULL;
}

static int msb_start(struct trm_loop *loop, const struct trm_sandbox_opts *opts, const struct carrier_cb *cb,
		void *user, struct carrier **ret_carrier, struct trm_error *reterr)
{
	static const struct http_cb HEALTH = {.head = on_health_head, .done = on_health};
	struct trm_error why = {0};
	struct msb *m = msb_new(loop, opts, cb, user, &why);
	if (m && msb_get_health(m, &HEALTH, m, &m->health, &why) < 0) {
		msb_free(m);
		m = NULL;
	}
	if (!m)
		return trm_error_set(reterr, why.code, "%s", why.msg);
	*ret_carrier = &m->base;
	return 0;
}

static int msb_list_start(struct trm_loop *loop, const struct trm_sandbox_opts *opts, trm_remote_list_fn *fn,
		void *list_user, const struct carrier_cb *cb, void *user, struct carrier **ret_carrier,
		struct trm_error *reterr)
{
	int r = msb_start(loop, opts, cb, user, ret_carrier, reterr);
	if (r < 0)
		return r;
	struct msb *m = msb_of(*ret_carrier);
	m->is_errand = true;
	m->list_fn = fn;
	m->list_user = list_user;
	return 0;
}

/* Ends the sandbox itself and node's. Either may not exist. */
static int end_named(struct trm_loop *loop, const struct trm_sandbox_opts *opts, const struct carrier_cb *cb,
		void *user, struct carrier **ret_carrier, struct trm_error *reterr)
{
	struct trm_error why = {0};
	struct msb *m = msb_new(loop, opts, cb, user, &why);
	if (!m)
		return trm_error_set(reterr, why.code, "%s", why.msg);
	m->is_errand = true;
	for (size_t i = 0; i < 2; i++)
		m->boxes[i].state = BOX_UP;
	begin_stop(m, true);
	*ret_carrier = &m->base;
	return 0;
}

static size_t msb_guards(const struct carrier *carrier, const struct trm_guard **ret_guards)
{
	struct msb *m = msb_of(carrier);
	*ret_guards = m->guards;
	return m->n_guards;
}

static uint32_t msb_nproc(const struct carrier *carrier)
{
	(void)carrier;
	return 0;
}

const struct backend_ops backend_microsandbox = {
		.name = "microsandbox",
		.caps = BACKEND_WANTS_TIMEOUT | BACKEND_TELLS_FATE | BACKEND_END | BACKEND_ENV
			| BACKEND_MOUNTS | BACKEND_JOIN | BACKEND_LIST,
		.probe = msb_probe,
		.start = msb_start,
		.stop = msb_stop,
		.leave = msb_leave,
		.is_joined = is_joined,
		.end = end_named,
		.list = msb_list_start,
		.guards = msb_guards,
		.nproc = msb_nproc,
};
