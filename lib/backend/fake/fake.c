/* SPDX-License-Identifier: MIT */
#include "backend/fake/fake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"

static struct fake *fake_of(struct carrier *c)
{
	return c && c->ops == &backend_fake ? (struct fake *)c : NULL;
}

/* ---- frames in and out ---- */

void fake_broken(struct fake *f, const char *why)
{
	if (error_msg_put(&f->out, 0, TRM_EPROTO, why) < 0)
		f->is_short = true;
	fake_send(f);
	shutdown(f->agent_fd, SHUT_RDWR);
}

void fake_send(struct fake *f)
{
	if (f->is_short && !f->is_stopping) {
		buf_clear(&f->out);
		shutdown(f->agent_fd, SHUT_RDWR);
		trm_error_set(&f->why, TRM_ENOMEM, "the fake sandbox has run out of memory");
		f->is_stopping = true;
		trm_timer_start(f->soon, 0, 0);
	}
	while (f->out.len) {
		ssize_t n = send(f->agent_fd, buf_at(&f->out), f->out.len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			buf_clear(&f->out); /* nobody is connected to read it */
		if (n < 0)
			break;
		buf_take(&f->out, (size_t)n);
	}
	if (f->watch)
		trm_watch_set_events(f->watch, TRM_READ | (f->out.len ? TRM_WRITE : 0));
}

static struct fake_file *file_find(struct fake *f, const char *path, uint32_t put_stream)
{
	for (size_t i = 0; i < FAKE_FILES; i++) {
		struct fake_file *file = &f->files[i];
		if (file->path
				&& (path ? !file->put_stream && strcmp(file->path, path) == 0
					 : file->put_stream == put_stream))
			return file;
	}
	return NULL;
}

static void file_drop(struct fake_file *file)
{
	free(file->path);
	free(file->bytes);
	*file = (struct fake_file){0};
}

static void put_done(struct fake *f, uint32_t stream, const struct fake_file *file)
{
	size_t mark;
	struct pack p = {.to = &f->out};
	if (frame_begin(&f->out, stream, FRAME_DONE, 0, &mark) < 0) {
		f->is_short = true;
		return;
	}
	pack_u64(&p, file->size);
	pack_u32(&p, file->mode);
	f->is_short |= p.error || frame_end(&f->out, mark) < 0;
}

/* A file is complete: it replaces an older one of the same name. */
static void file_complete(struct fake *f, struct fake_file *file)
{
	struct fake_file *old = file_find(f, file->path, 0);
	uint32_t stream = file->put_stream;
	if (old)
		file_drop(old);
	file->put_stream = 0;
	put_done(f, stream, file);
}

/* There are only those directories in which a file was copied. */
static bool has_directory(const struct fake *f, const char *path)
{
	static const char top[] = "/workspace/";
	const char *own = path && !strncmp(path, top, strlen(top)) ? path + strlen(top) : "",
		   *slash = strrchr(own, '/');
	size_t n = slash ? (size_t)(slash + 1 - path) : 0;
	for (size_t i = 0; i < FAKE_FILES && n; i++)
		if (f->files[i].path && !strncmp(f->files[i].path, path, n))
			return true;
	return !n;
}

static void on_put(struct fake *f, const struct frame *frame)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	char *path = unpack_str(&u, 4096);
	uint32_t mode = unpack_u32(&u);
	uint64_t size = unpack_u64(&u);
	struct fake_file *file = NULL;
	for (size_t i = 0; i < FAKE_FILES && !file; i++)
		file = f->files[i].path ? NULL : &f->files[i];
	if (u.bad || !file || size > 64u << 20) {
		free(path);
		error_msg_put(&f->out, frame->stream, TRM_ETOOBIG,
				"the fake sandbox keeps 16 files of 64 MiB");
		return;
	}
	if (!has_directory(f, path)) {
		free(path);
		error_msg_put(&f->out, frame->stream, TRM_ENOENT, "no such directory in the fake sandbox");
		return;
	}
	*file = (struct fake_file){.path = path,
			.bytes = malloc(size + 1),
			.size = size,
			.mode = mode,
			.put_stream = frame->stream};
	if (!size)
		file_complete(f, file);
}

static void on_data(struct fake *f, const struct frame *frame)
{
	struct fake_file *file = file_find(f, NULL, frame->stream);
	if (!file)
		return; /* it was refused while this was on its way */
	if (!file->bytes || frame->len > file->size - file->n) {
		fake_broken(f, "file bytes that nobody announced");
		return;
	}
	memcpy(file->bytes + file->n, frame->payload, frame->len);
	file->n += frame->len;
	if (file->n == file->size)
		file_complete(f, file);
}

static void on_get(struct fake *f, const struct frame *frame)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	char *path = unpack_str(&u, 4096);
	uint64_t max = unpack_u64(&u);
	struct fake_file *file = path ? file_find(f, path, 0) : NULL;
	if (!file) {
		error_msg_put(&f->out, frame->stream, TRM_ENOENT, "no such file in the fake sandbox");
	} else if (file->size > max) {
		error_msg_put(&f->out, frame->stream, TRM_ETOOBIG, "the file is larger than asked for");
	} else {
		for (uint64_t at = 0; at < file->size; at += FRAME_MAX_PAYLOAD) {
			uint64_t n = file->size - at < FRAME_MAX_PAYLOAD ? file->size - at
									 : FRAME_MAX_PAYLOAD;
			frame_put(&f->out, frame->stream, FRAME_DATA, 0, file->bytes + at, n);
		}
		put_done(f, frame->stream, file);
	}
	free(path);
}

/* ---- metrics ---- */

static size_t list_processes(const struct fake *f, struct trm_process *table)
{
	size_t n = 0;
	for (size_t i = 0; i < FAKE_PROCS; i++) {
		const struct fake_proc *p = &f->procs[i];
		if (!p->stream)
			continue;
		table[n] = (struct trm_process){.pid = p->pid,
				.ppid = 1,
				.state = p->code ? 'R' : 'S',
				.has_cpu = true,
				.cpu_percent = p->code ? 97.5 : 0,
				.mem_bytes = 9u << 20};
		memcpy(table[n].command, p->command, sizeof table[n].command);
		n++;
	}
	return n;
}

static void send_metrics(void *user)
{
	struct fake *f = user;
	struct trm_process table[FAKE_PROCS];
	size_t n = list_processes(f, table);
	bool is_busy = false;
	for (size_t i = 0; i < n; i++)
		is_busy |= table[i].state == 'R';
	uint64_t tick = f->ticks++;
	struct trm_metrics m = {.processes = table, .n_processes = n, .has_processes = f->with_processes};
	m.sample = (struct trm_sample){
			.known = TRM_METRIC_CPU_LIMIT | TRM_METRIC_MEM | TRM_METRIC_MEM_LIMIT
				 | TRM_METRIC_DISK | TRM_METRIC_DISK_LIMIT | TRM_METRIC_PROCS
				 | TRM_METRIC_PROCS_LIMIT | TRM_METRIC_UPTIME
				 | (tick ? TRM_METRIC_CPU_PERCENT : 0u),
			.cpu_percent = is_busy ? 97.5 : 0,
			.cpu_limit = f->limits.cpus,
			.mem_bytes = (16u << 20) + n * (9u << 20),
			.mem_limit_bytes = f->limits.mem_bytes,
			.disk_bytes = 3u << 20,
			.disk_limit_bytes = f->limits.disk_bytes,
			.procs = n + 1,
			.procs_limit = f->limits.procs,
			.uptime_ms = tick * 1000,
			.source = "fake",
	};
	f->is_short |= metrics_msg_put(&f->out, &m) < 0;
	fake_send(f);
}

static void on_watch(struct fake *f, const struct frame *frame)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	uint32_t interval_ms = unpack_u32(&u);
	f->with_processes = unpack_u8(&u) != 0;
	trm_timer_stop(f->metrics);
	if (!interval_ms)
		return;
	send_metrics(f);
	trm_timer_start(f->metrics, interval_ms, interval_ms);
}

/* ---- dispatch ---- */

static void on_hello(struct fake *f)
{
	f->is_short |= welcome_msg_put(&f->out, "fake", 1, NULL, 0) < 0;
}

static void on_spawn(struct fake *f, const struct frame *frame)
{
	struct spawn_msg msg;
	if (spawn_msg_get(frame, &msg) < 0) {
		fake_broken(f, "a broken SPAWN");
		return;
	}
	fake_spawn(f, frame->stream, &msg);
	spawn_msg_finish(&msg);
}

/* As in the agent, the answer is DONE or ERROR. */
static void on_signal_pid(struct fake *f, const struct frame *frame)
{
	static const struct fake_file none;
	struct signal_pid_msg msg;
	if (signal_pid_msg_get(frame, &msg) < 0) {
		fake_broken(f, "a broken SIGNAL_PID");
		return;
	}
	for (size_t i = 0; i < FAKE_PROCS; i++)
		if (f->procs[i].stream && f->procs[i].pid == msg.pid) {
			put_done(f, frame->stream, &none);
			fake_proc_signal(&f->procs[i], msg.signo);
			return;
		}
	error_msg_put(&f->out, frame->stream, TRM_ENOENT, "there is no longer such a process");
}

static void to_process(struct fake *f, const struct frame *frame)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	struct fake_proc *p = fake_proc_find(f, frame->stream);
	if (!p)
		return; /* it ended while this frame was on its way */
	switch (frame->type) {
	case FRAME_INPUT: fake_proc_input(p, frame->channel, frame->payload, frame->len); break;
	case FRAME_STDIN: fake_proc_stdin(p, unpack_u8(&u)); break;
	case FRAME_SIGNAL: fake_proc_signal(p, unpack_u32(&u)); break;
	case FRAME_CLOSE: fake_proc_finish(p); break;
	case FRAME_CREDIT:
		p->credit += unpack_u32(&u);
		fake_proc_flush(p);
		break;
	}
}

static void fake_dispatch(struct fake *f, const struct frame *frame)
{
	switch (frame->type) {
	case FRAME_HELLO: on_hello(f); break;
	case FRAME_SPAWN: on_spawn(f, frame); break;
	case FRAME_PUT: on_put(f, frame); break;
	case FRAME_DATA:
		if (!fake_tree_data(f, frame->stream, frame->payload, frame->len))
			on_data(f, frame);
		break;
	case FRAME_TREE_GET:
	case FRAME_TREE_PUT:
	case FRAME_FILE_OP:
	case FRAME_ENTRY: fake_tree(f, frame); break;
	case FRAME_GET: on_get(f, frame); break;
	case FRAME_WATCH: on_watch(f, frame); break;
	case FRAME_SIGNAL_PID: on_signal_pid(f, frame); break;
	case FRAME_PING: frame_put(&f->out, 0, FRAME_PONG, 0, frame->payload, frame->len); break;
	case FRAME_TURN: /* its only client always has the turn, and nobody to be told of */
	case FRAME_PRESENT:
	case FRAME_FOLLOW:
	case FRAME_RESIZE:
	case FRAME_SHUTDOWN: break;
	default: to_process(f, frame);
	}
}

static void on_ready(void *user, int fd, uint32_t events)
{
	struct fake *f = user;
	struct frame frame;
	int r = 0;
	if (events & (TRM_READ | TRM_HANGUP)) {
		char *room = buf_reserve(&f->in, 64 * 1024);
		f->is_short |= !room;
		ssize_t n = room ? recv(fd, room, 64 * 1024, 0) : -1;
		if (n == 0 || (n < 0 && room && errno != EAGAIN && errno != EINTR)) {
			trm_watch_remove(f->watch);
			f->watch = NULL;
			return;
		}
		if (n > 0)
			buf_fill(&f->in, (size_t)n);
		while ((r = frame_next(&f->in, &frame)) > 0) {
			fake_dispatch(f, &frame);
			frame_done(&f->in, &frame);
		}
		if (r < 0)
			fake_broken(f, "a broken frame");
	}
	fake_send(f);
}

/* ---- the carrier ---- */

static void fake_free(struct fake *f)
{
	for (size_t i = 0; i < FAKE_PROCS; i++)
		if (f->procs[i].stream)
			fake_proc_finish(&f->procs[i]);
	for (size_t i = 0; i < FAKE_FILES; i++)
		file_drop(&f->files[i]);
	trm_watch_remove(f->watch);
	trm_timer_remove(f->soon);
	trm_timer_remove(f->metrics);
	buf_finish(&f->in);
	buf_finish(&f->out);
	if (f->host_fd >= 0)
		close(f->host_fd);
	if (f->agent_fd >= 0)
		close(f->agent_fd);
	free(f);
}

static void on_soon(void *user)
{
	struct fake *f = user;
	if (f->is_stopping) {
		f->base.cb->closed(f->base.user, &f->why);
		fake_free(f);
	} else if (!f->is_connected) {
		f->is_connected = true;
		f->base.cb->connected(f->base.user, f->host_fd);
	}
}

static int fake_probe(struct trm_error *reterr)
{
	(void)reterr;
	return 0;
}

static int fake_start(struct trm_loop *loop, const struct trm_sandbox_opts *opts, const struct carrier_cb *cb,
		void *user, struct carrier **ret_carrier, struct trm_error *reterr)
{
	struct fake *f = calloc(1, sizeof *f);
	int fds[2], r;
	if (!f)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	f->base = (struct carrier){.ops = &backend_fake, .cb = cb, .user = user};
	f->loop = loop;
	f->limits = opts->limits;
	const char *prints = getenv("FAKE_PRINTS");
	f->prints_first = prints;
	f->is_never_ready = prints && strcmp(prints, "only") == 0;
	f->next_pid = 2;
	f->host_fd = f->agent_fd = -1;
	buf_init(&f->in, 2 * (FRAME_HEADER + FRAME_MAX_PAYLOAD));
	buf_init(&f->out, 256u << 20);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) < 0) {
		r = trm_error_set_errno(reterr, errno, "cannot make a socket");
		goto fail;
	}
	f->host_fd = fds[0];
	f->agent_fd = fds[1];
	if ((r = trm_loop_add_timer(loop, on_soon, f, &f->soon, reterr)) < 0
			|| (r = trm_loop_add_timer(loop, send_metrics, f, &f->metrics, reterr)) < 0
			|| (r = trm_loop_add_fd(loop, f->agent_fd, TRM_READ, on_ready, f, &f->watch, reterr))
					   < 0)
		goto fail;
	trm_timer_start(f->soon, 0, 0);
	*ret_carrier = &f->base;
	return 0;
fail:
	fake_free(f);
	return r;
}

static void fake_stop(struct carrier *carrier)
{
	struct fake *f = fake_of(carrier);
	f->is_stopping = true;
	trm_timer_start(f->soon, 0, 0);
}

static size_t fake_guards(const struct carrier *carrier, const struct trm_guard **ret_guards)
{
	static const struct trm_guard all[] = {
			{"isolation", "nothing runs: the kernels are fakes in this process",
					TRM_NOT_ENFORCED},
	};
	(void)carrier;
	*ret_guards = all;
	return sizeof all / sizeof *all;
}

static uint32_t fake_nproc(const struct carrier *carrier)
{
	(void)carrier;
	return 0;
}

const struct backend_ops backend_fake = {
		.name = "fake",
		.probe = fake_probe,
		.start = fake_start,
		.stop = fake_stop,
		.guards = fake_guards,
		.nproc = fake_nproc,
};
