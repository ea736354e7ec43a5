/* SPDX-License-Identifier: MIT */
/* What clients can do to the agent: their frames, handled by the agent's own
 * code. A second one may say the same as the first, a step behind it, so that they meet
 * at the processes that have a key. Those are played by pipes, files are left alone (see CMakeLists.txt). */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "agent/core/agent.h"
#include "agent/files/transfer.h"
#include "agent/files/tree_transfer.h"
#include "agent/process/proc.h"
#include "agent/process/publish.h"
#include "agent/process/subscriber.h"
#include "agent/process/turns.h"
#include "base/clock.h"
#include "base/err.h"
#include "fuzz/fuzz.h"

/* Nobody is to be signaled: the pids are made up. */
int kill(pid_t pid, int signo)
{
	(void)pid, (void)signo;
	return 0;
}

void transfer_put(struct client *client, uint32_t stream, const char *path, uint32_t mode, uint64_t size)
{
	(void)mode, (void)size;
	client_error(client, stream, TRM_ENOTSUP, "%s", path);
}

void transfer_get(
		struct client *client, uint32_t stream, const char *path, uint64_t max_bytes, uint32_t window)
{
	(void)max_bytes, (void)window;
	client_error(client, stream, TRM_ENOTSUP, "%s", path);
}

int transfer_data(struct stream *stream, const char *bytes, size_t n)
{
	(void)stream, (void)bytes, (void)n;
	return TRM_EPROTO;
}

void tree_transfer_get(struct client *client, uint32_t stream, const struct tree_msg *msg)
{
	client_error(client, stream, TRM_ENOTSUP, "%s", msg->path);
}

void tree_transfer_put(struct client *client, uint32_t stream, const struct tree_msg *msg)
{
	client_error(client, stream, TRM_ENOTSUP, "%s", msg->path);
}

bool tree_transfer_is_put(const struct stream *stream)
{
	(void)stream;
	return false;
}

int tree_transfer_entry(struct stream *stream, const struct frame *frame, struct trm_error *why)
{
	(void)stream, (void)frame;
	return trm_error_set(why, TRM_EPROTO, "no tree");
}

int tree_transfer_data(struct stream *stream, const struct frame *frame, struct trm_error *why)
{
	(void)stream, (void)frame;
	return trm_error_set(why, TRM_EPROTO, "no tree");
}

void tree_transfer_op(
		struct client *client, uint32_t stream, enum file_op op, const char *path, uint32_t mode)
{
	(void)op, (void)mode;
	client_error(client, stream, TRM_ENOTSUP, "%s", path);
}

/* A pipe; our end as asked for, the other one with `text` in it if it is the writing one, and closed. */
static int half_pipe(int ours, const char *text, size_t n)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		abort();
	if (n && write(fds[1], text, n) < 0)
		abort();
	close(fds[!ours]);
	return fds[ours];
}

static void play_stdin(struct proc *proc)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0)
		abort();
	feed_open(&proc->feeds[FEED_STDIN], fds[1], fds[0], false);
}

int spawn_process(struct proc *proc, const struct spawn_msg *msg, uint32_t nproc, struct trm_error *reterr)
{
	(void)nproc;
	if (!msg->argv[0][0])
		return trm_error_set(reterr, TRM_ENOENT, "nothing to start");
	play_stdin(proc);
	proc->n_outputs = 2 + 2 * msg->spare_sets;
	for (size_t i = 0; i < proc->n_outputs; i++)
		proc->outputs[i].watch.fd = half_pipe(0, "some output", i ? 11 : 0);
	if (msg->flags & SPAWN_CONTROL) {
		feed_open(&proc->feeds[FEED_CONTROL], half_pipe(1, "", 0), -1, false);
		proc->control.watch.fd = half_pipe(0, "control\n", 8);
	}
	proc->report.fd = half_pipe(0, "", 0);
	proc->pid = 1 << 30;
	return 0;
}

static void end_procs(struct agent *agent)
{
	static const struct exited_msg status = {.exit_code = 1};
	for (struct proc *proc = agent->procs; proc; proc = proc->next)
		if (!proc->exited && !proc->over)
			proc_exited(proc, &status);
}

static void free_procs(struct agent *agent)
{
	while (agent->procs) {
		struct proc *proc = agent->procs;
		agent->procs = proc->next;
		proc_destroy(proc);
	}
}

static struct client *new_client(struct agent *agent)
{
	struct client *client =
			client_create(agent, half_pipe(0, "", 0), open("/dev/null", O_WRONLY | O_CLOEXEC));
	if (!client)
		abort();
	watch_set(&agent->poller, &client->reader, 0);
	return client;
}

/* What the loop does at the end of its turn, but for freeing clients. */
static void end_turn(struct agent *agent)
{
	poller_turn(&agent->poller, 0);
	for (struct proc *proc = agent->procs; proc; proc = proc->next) {
		slow_client_check(proc, clock_ns());
		limit_check(proc, clock_ns());
	}
	turns_count(agent);
	publish_pump(agent);
	for (struct client *client = agent->clients; client; client = client->next)
		agent_client_flush(client);
	for (struct proc *proc = agent->procs; proc; proc = proc->next)
		slow_client_end_left(proc);
}

static void play(struct agent *agent, const uint8_t *bytes, size_t n)
{
	size_t step = n ? bytes[0] / 2 + 1u : 1;
	for (size_t at = 1; at < n; at += step)
		for (struct client *client = agent->clients; client; client = client->next) {
			if (client->dead
					|| buf_append(&client->in, bytes + at, n - at < step ? n - at : step)
							   < 0)
				continue;
			client_process(client);
			end_turn(agent);
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct agent *agent = calloc(1, sizeof *agent);
	signal(SIGPIPE, SIG_IGN); /* as the agent does */
	if (!agent || poller_init(&agent->poller) < 0)
		abort();
	new_client(agent);
	if (n && bytes[0] & 1)
		new_client(agent);
	play(agent, bytes, n);
	end_procs(agent);
	while (agent->clients) {
		struct client *client = agent->clients;
		agent->clients = client->next;
		publish_forget(client);
		client_destroy(client);
	}
	free_procs(agent);
	publish_finish(agent);
	poller_finish(&agent->poller);
	free(agent);
	return 0;
}

#define HELLO "\x0c\0\0\0\0\0\0\0\x01\0\0\0TRM1\2\0\0\0\0\0\0\0"
/* "sh" with key "k", a script, two spare sets, control pipes and a window of 256 */
#define SPAWN(stream) \
	"\x36\0\0\0" stream "\0\0\0\2\0\0\0" \
	"\1\0\0\0k" \
	"\6\0\0\0" \
	"\x18\0\x50\0" \
	"\2\0\0\0" \
	"\0\1\0\0" \
	"\1\0\0\0\2\0\0\0sh" \
	"\0\0\0\0" \
	"\1\0\0\0/" \
	"\2\0\0\0ok" \
	"\0\0\0\0" \
	"\0\0\0\0"
/* "sh" without a key, run by "t", with a window of 256 */
#define COMMAND(stream) \
	"\x34\0\0\0" stream "\0\0\0\2\0\0\0" \
	"\0\0\0\0" \
	"\0\0\0\0" \
	"\x18\0\x50\0" \
	"\0\0\0\0" \
	"\0\1\0\0" \
	"\1\0\0\0\2\0\0\0sh" \
	"\0\0\0\0" \
	"\1\0\0\0/" \
	"\0\0\0\0" \
	"\0\0\0\0" \
	"\1\0\0\0t"
const struct fuzz_seed fuzz_seeds[] = {
		SEED("\x40" HELLO),
		SEED("\xff" HELLO SPAWN("\1") "\3\0\0\0\1\0\0\0\3\0\0\0in\n"
					      "\2\0\0\0\1\0\0\0\3\xff\0\0{\n"),
		SEED("\x28" HELLO SPAWN("\1") SPAWN("\2") "\1\0\0\0\1\0\0\0\4\0\0\0\2"
							  "\1\0\0\0\1\0\0\0\4\0\0\0\0"),
		SEED("\x20" HELLO SPAWN("\1") "\5\0\0\0\1\0\0\0\5\0\0\0\2\0\0\0\1"
					      "\4\0\0\0\1\0\0\0\6\0\0\0\1\0\1\0"
					      "\4\0\0\0\1\0\0\0\7\0\0\0\0\1\0\0"
					      "\0\0\0\0\1\0\0\0\x08\0\0\0" SPAWN("\1")),
		SEED("\x30" HELLO "\5\0\0\0\0\0\0\0\x0b\0\0\0\x64\0\0\0\1"
		     "\2\0\0\0\0\0\0\0\x0c\0\0\0hi"),
		/* a keyed process: notes, a request, and the words about the turn */
		SEED("\xff" HELLO SPAWN("\1") "\4\0\0\0\1\0\0\0\3\xfe\0\0{n}\n"
					      "\3\0\0\0\1\0\0\0\3\xff\0\0{}\n"
					      "\1\0\0\0\1\0\0\0\x41\0\0\0\1"
					      "\1\0\0\0\1\0\0\0\x41\0\0\0\2"
					      "\1\0\0\0\1\0\0\0\x41\0\0\0\3"
					      "\4\0\0\0\1\0\0\0\7\0\0\0\0\1\0\0"
					      "\0\0\0\0\1\0\0\0\x08\0\0\0" SPAWN("\1")),
		/* what they are told of each other */
		SEED("\xff" HELLO "\0\0\0\0\0\0\0\0\x17\0\0\0"
		     "\2\0\0\0\0\0\0\0\x16\0\0\0me" COMMAND("\1") COMMAND("\2") "\0\0\0\0\1\0\0\0\x08\0\0\0"),
		/* a run with a time limit, an answer in it, and a request that is cut */
		SEED("\xff" HELLO SPAWN(
				"\1") "\x42\0\0\0\1\0\0\0\3\xfe\0\0"
				      "{\"ev\":\"begin\",\"id\":\"7\",\"number\":1,\"at_ms\":0,\"timeout_ms\":1,\"s\":0}\n"
				      "\3\0\0\0\1\0\0\0\3\xff\0\0{}\n"
				      "\x19\0\0\0\1\0\0\0\3\xfe\0\0{\"ev\":\"answer\",\"id\":\"7\"}\n"
				      "\2\0\0\0\1\0\0\0\3\xff\0\0{{"
				      "\0\0\0\0\1\0\0\0\x08\0\0\0"),
		{NULL, 0},
};
