/* SPDX-License-Identifier: MIT */

/* The real supervisor with shell scripts in an engine's place. What they do they write into a log. The agent
 * is the real one on standard input and output; behind a door it is this program. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/metrics.h>

#include "backend/host/rundir.h"
#include "backend/host/spawn.h"
#include "base/procstat.h"
#include "cmocka_all.h"
#include "embed/embed.h"
#include "wire/fd_handoff.h"
#include "wire/message.h"
#include "wire/plan.h"

enum { TIMEOUT_MS = 60 * 1000 };

static const char *self;
static struct {
	char dir[64], log[96], progress[1024];
	struct plan_msg plan;
	struct buf steps[PLAN_STEPS];
	struct rundir_entry entry;
	int line_fd, stream_fd;
	pid_t supervisor;
	struct control_msg ready, gone;
} rig;

/* ---- the agent behind a door ------------------------------------------------------------ */

static int be_agent(const char *path, const char *error)
{
	char user[] = "worker", words[] = "no disk limit", byte;
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct buf b;
	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (connect(fd, (struct sockaddr *)&at, sizeof at) < 0 || handoff_take(fd) < 0)
		return 125;
	const struct handoff_report report = {.user = user, .words = words, .error = (char *)error};
	buf_init(&b, HANDOFF_REPORT_MAX);
	if (handoff_report_put(&b, &report) < 0 || send(fd, buf_at(&b), b.len, MSG_NOSIGNAL) < 0)
		return 125;
	return recv(fd, &byte, 1, 0) == 0 ? 0 : 125;
}

/* An agent on standard output that has computed for `busy_ms`, and then no more. */
static int be_busy(unsigned busy_ms)
{
	const struct timespec nap = {.tv_nsec = 50000000};
	struct trm_metrics metrics = {0};
	struct buf b;
	buf_init(&b, 1 << 20);
	welcome_msg_put(&b, "0", 1, NULL, 0);
	for (unsigned ms = 0;; ms += 50) {
		metrics.sample.cpu_ns = (ms < busy_ms ? ms : busy_ms) * UINT64_C(1000000);
		if (metrics_msg_put(&b, &metrics) < 0 || write(1, buf_at(&b), b.len) != (ssize_t)b.len)
			return 0;
		buf_clear(&b);
		nanosleep(&nap, NULL);
	}
}

/* ---- the rig -------------------------------------------------------------------------------- */

static int begin(void **state)
{
	(void)state;
	memset(&rig, 0, sizeof rig);
	snprintf(rig.dir, sizeof rig.dir, "/tmp/recipe-test-XXXXXX");
	assert_non_null(mkdtemp(rig.dir));
	snprintf(rig.log, sizeof rig.log, "%s/log", rig.dir);
	setenv("XDG_RUNTIME_DIR", rig.dir, 1);
	rig.line_fd = rig.stream_fd = -1;
	rig.plan = (struct plan_msg){.backend = "toy",
			.image = "img",
			.name = "terrarium-x",
			.container = "",
			.cwd = rig.dir,
			.user = "u"};
	for (int i = 0; i < PLAN_STEPS; i++)
		buf_init(&rig.steps[i], PLAN_MAX_BYTES);
	return 0;
}

/* A command of a step: a script, with the id as its $1. */
static void script(enum plan_step step, const char *text)
{
	const char *const args[] = {"sh", "-c", text, "sh", PLAN_LATE_ID, PLAN_LATE_SUPERVISOR};
	for (size_t i = 0; i < sizeof args / sizeof *args; i++)
		assert_int_equal(plan_arg_put(&rig.steps[step], args[i], i == 0), 0);
}

/* The first connection is the supervisor's own: who kills it has broken the line. */
static void usual_scripts(void)
{
	script(PLAN_CREATE_EXEC, "echo \"create $2\" >>log; echo noise; echo id-1");
	script(PLAN_PUT, "echo put $1 $(cat) >>log");
	script(PLAN_START, "echo start $1 >>log");
	script(PLAN_CONNECT, "[ -e pid ] || { echo $$ >pid; echo connect >>log; }; exec $AGENT serve-stdio");
	script(PLAN_INSPECT, "printf 'exited\\t3\\tfalse\\tbad luck\\n'");
	script(PLAN_DESTROY, "echo destroy $1 >>log");
}

static int memfd(const void *bytes, size_t n)
{
	int fd = spawn_memfd("test", bytes, n, NULL);
	assert_true(fd >= 0);
	return fd;
}

static int plan_file(void)
{
	char env[1024];
	struct buf b;
	int n = snprintf(env, sizeof env,
			"PATH=%s%cAGENT=%s%cSELF=%s%cDOOR=%s/terrarium/n/" SHARE_DIR "/" SHARE_SOCKET
			"%cDIR=%s%c",
			getenv("PATH"), 0, AGENT_PROGRAM, 0, self, 0, rig.dir, 0, rig.dir, 0);
	rig.plan.env = (struct slice){env, (size_t)n};
	for (int i = 0; i < PLAN_STEPS; i++)
		rig.plan.steps[i] = (struct slice){buf_at(&rig.steps[i]), rig.steps[i].len};
	buf_init(&b, PLAN_MAX_BYTES);
	assert_int_equal(plan_msg_put(&b, &rig.plan), 0);
	int fd = memfd(buf_at(&b), b.len);
	buf_finish(&b);
	return fd;
}

static void start_with(bool is_kept, uint64_t idle_ms)
{
	int line[2], fds[SUPERVISOR_FD_END];
	struct buf b;
	assert_int_equal(rundir_entry_make(&rig.entry, "n", NULL), 0);
	const struct spec_msg spec = {.name = "n",
			.run_path = rig.entry.path,
			.mem_bytes = 1 << 30,
			.cpus = 1,
			.procs = 64,
			.is_kept = is_kept,
			.idle_timeout_ms = idle_ms,
			.has_plan = true};
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line), 0);
	buf_init(&b, CONTROL_MAX_BYTES);
	assert_int_equal(spec_msg_put(&b, &spec), 0);
	assert_int_equal(send(line[0], buf_at(&b), b.len, 0), (ssize_t)b.len);
	buf_finish(&b);
	fds[0] = fds[1] = fds[2] = fds[SUPERVISOR_CERTS] = fds[SUPERVISOR_SNAPSHOT] =
			open("/dev/null", O_RDWR | O_CLOEXEC);
	fds[SUPERVISOR_CLIENT] = line[1];
	fds[SUPERVISOR_RUN_DIR] = rig.entry.run_fd;
	fds[SUPERVISOR_ENTRY_DIR] = rig.entry.entry_fd;
	assert_int_equal(rundir_listen(&rig.entry, &fds[SUPERVISOR_LISTEN], &fds[SUPERVISOR_CONTROL],
					 &rig.stream_fd, NULL),
			0);
	fds[SUPERVISOR_AGENT] = memfd("AGENT", 5);
	fds[SUPERVISOR_PLAN] = plan_file();
	const struct embed supervisor = embed_supervisor();
	int program_fd = memfd(supervisor.bytes, supervisor.n);
	rig.supervisor = spawn_program(program_fd, "terrarium-supervisor", fds, SUPERVISOR_FD_END, NULL);
	assert_true(rig.supervisor > 0);
	close(program_fd);
	close(fds[0]);
	for (int i = SUPERVISOR_LISTEN; i < SUPERVISOR_FD_END; i++)
		if (i != SUPERVISOR_CERTS && i != SUPERVISOR_SNAPSHOT)
			close(fds[i]);
	close(line[1]);
	rundir_entry_leave(&rig.entry);
	rig.line_fd = line[0];
}

static void start(void)
{
	start_with(false, 0);
}

/* Read packets until READY, LOST or GONE. */
static enum control_type hear(void)
{
	char packet[CONTROL_MAX_BYTES];
	struct control_msg m;
	for (;;) {
		struct pollfd fd = {.fd = rig.line_fd, .events = POLLIN};
		assert_int_equal(poll(&fd, 1, TIMEOUT_MS), 1);
		ssize_t n = recv(rig.line_fd, packet, sizeof packet, 0);
		assert_true(n > 0);
		assert_int_equal(control_get(packet, (size_t)n, &m), 0);
		if (m.type == CONTROL_PROGRESS) {
			size_t have = strlen(rig.progress);
			snprintf(rig.progress + have, sizeof rig.progress - have, "%s\n", m.progress);
			control_finish(&m);
			continue;
		}
		*(m.type == CONTROL_READY ? &rig.ready : &rig.gone) = m;
		return m.type;
	}
}

static void expect_ready(void)
{
	if (hear() != CONTROL_READY)
		fail_msg("not ready: %s", rig.gone.gone.words);
}

static void expect_gone(enum gone_cause cause)
{
	assert_int_equal(hear(), CONTROL_GONE);
	if (rig.gone.gone.cause != cause)
		fail_msg("cause %d: %s", rig.gone.gone.cause, rig.gone.gone.words);
}

static void ask_to_stop(void)
{
	struct buf b;
	buf_init(&b, 64);
	control_put(&b, &(struct control_msg){.type = CONTROL_STOP});
	send(rig.line_fd, buf_at(&b), b.len, MSG_NOSIGNAL);
	buf_finish(&b);
}

static char *log_text(void)
{
	static char text[4096];
	int fd = open(rig.log, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return text;
}

static bool logged(const char *what)
{
	return strstr(log_text(), what) != NULL;
}

static void wait_for(bool (*is_so)(const void *), const void *of)
{
	const struct timespec nap = {.tv_nsec = 5000000};
	for (int i = 0; i < TIMEOUT_MS / 5 && !is_so(of); i++)
		nanosleep(&nap, NULL);
	assert_true(is_so(of));
}

static bool is_logged(const void *what)
{
	return logged(what);
}

static bool is_gone(const void *pid)
{
	struct procstat stat;
	return !procstat_read(*(const pid_t *)pid, &stat) || stat.state == 'Z';
}

/* A number that a script has left in a file. */
static pid_t pid_in(const char *name)
{
	char path[128], text[32] = "";
	snprintf(path, sizeof path, "%s/%s", rig.dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof text - 1) > 0);
	close(fd);
	return (pid_t)atoi(text);
}

static void make_file(const char *name)
{
	char path[128];
	snprintf(path, sizeof path, "%s/%s", rig.dir, name);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static void expect_supervisor_ends(void)
{
	int status;
	assert_int_equal(waitpid(rig.supervisor, &status, 0), rig.supervisor);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	rig.supervisor = 0;
	char path[128];
	snprintf(path, sizeof path, "%s/terrarium", rig.dir);
	assert_int_equal(access(path, F_OK), -1); /* and has left nothing */
}

static int end(void **state)
{
	char command[128];
	(void)state;
	close(rig.line_fd);
	close(rig.stream_fd);
	if (rig.supervisor > 0) {
		kill(rig.supervisor, SIGKILL);
		waitpid(rig.supervisor, NULL, 0);
	}
	control_finish(&rig.ready);
	control_finish(&rig.gone);
	for (int i = 0; i < PLAN_STEPS; i++)
		buf_finish(&rig.steps[i]);
	snprintf(command, sizeof command, "rm -rf %s", rig.dir);
	return system(command);
}

/* A client that says hello and is welcomed. */
static void expect_agent_answers(void)
{
	struct buf b;
	char byte;
	buf_init(&b, 4096);
	assert_int_equal(hello_msg_put(&b, 0, 0, 0), 0);
	assert_int_equal(send(rig.stream_fd, buf_at(&b), b.len, MSG_NOSIGNAL), (ssize_t)b.len);
	buf_finish(&b);
	struct pollfd fd = {.fd = rig.stream_fd, .events = POLLIN};
	assert_int_equal(poll(&fd, 1, TIMEOUT_MS), 1);
	assert_int_equal(recv(rig.stream_fd, &byte, 1, 0), 1);
}

/* ---- the exec way ---------------------------------------------------------------------------- */

/* The supervisor's own line holds, and so the sandbox lives on. */
static void a_client_whose_command_fails_is_reported_why(void **state)
{
	(void)state;
	usual_scripts();
	buf_clear(&rig.steps[PLAN_CONNECT]);
	script(PLAN_CONNECT,
			"[ ! -e pid ] || { echo the line is cut >&2; exit 9; }; echo $$ >pid; exec $AGENT serve-stdio");
	start();
	expect_ready();
	assert_int_equal(hear(), CONTROL_LOST);
	assert_string_equal(rig.gone.lost, "toy: the step 'connect' failed: the line is cut ('sh')");
	control_finish(&rig.gone);
	ask_to_stop();
	expect_gone(GONE_OWNER);
	expect_supervisor_ends();
}

static void a_sandbox_of_steps(void **state)
{
	(void)state;
	usual_scripts();
	start();
	expect_ready();
	const struct origin_msg *origin = &rig.ready.ready.origin;
	assert_int_equal(origin->way, WAY_EXEC);
	assert_string_equal(origin->backend, "toy");
	assert_string_equal(origin->image, "img");
	assert_string_equal(origin->where, "id-1");
	assert_string_equal(origin->user, "u");
	assert_int_equal(rig.ready.ready.kind, LIMITS_ENGINE);
	assert_non_null(strstr(rig.progress, "toy: creating the sandbox\ntoy: copying the agent in\n"));
	assert_true(logged("put id-1 AGENT\nstart id-1\nconnect\n"));
	expect_agent_answers();
	ask_to_stop();
	expect_gone(GONE_OWNER);
	assert_string_equal(rig.gone.gone.words, "");
	assert_true(logged("destroy id-1\n"));
	expect_supervisor_ends();
}

static void what_a_failing_step_says(void **state)
{
	(void)state;
	usual_scripts();
	buf_clear(&rig.steps[PLAN_CREATE_EXEC]);
	script(PLAN_CREATE_EXEC, "echo 'no such \033[31mimage' >&2; exit 7");
	start();
	expect_gone(GONE_REASON);
	assert_int_equal(rig.gone.gone.status, TRM_EIO);
	assert_non_null(strstr(rig.gone.gone.words, "toy: the step 'create' failed: no such "));
	assert_non_null(strstr(rig.gone.gone.words, "('sh', exit status 7)"));
	assert_null(strchr(rig.gone.gone.words, '\033'));
	assert_true(logged("destroy terrarium-x\n"));
	expect_supervisor_ends();
}

static void a_program_that_is_not_there(void **state)
{
	(void)state;
	usual_scripts();
	buf_clear(&rig.steps[PLAN_START]);
	plan_arg_put(&rig.steps[PLAN_START], "no-such-engine", true);
	plan_arg_put(&rig.steps[PLAN_START], "start", false);
	start();
	expect_gone(GONE_REASON);
	assert_non_null(strstr(rig.gone.gone.words, "cannot run no-such-engine: No such file"));
	assert_non_null(strstr(rig.gone.gone.words, "('no-such-engine start'"));
	expect_supervisor_ends();
}

#define HANG "echo $$ >pid; echo hanging >>log; echo thinking >&2; while :; do sleep 1000; done"

static void a_command_that_hangs(void **state)
{
	(void)state;
	usual_scripts();
	buf_clear(&rig.steps[PLAN_CREATE_EXEC]);
	script(PLAN_CREATE_EXEC, HANG);
	rig.plan.timeout_ms[PLAN_CREATE_EXEC] = 500;
	start();
	expect_gone(GONE_REASON);
	assert_int_equal(rig.gone.gone.status, TRM_ETIMEDOUT);
	assert_non_null(strstr(rig.gone.gone.words, "toy: the step 'create' hangs: "));
	assert_non_null(strstr(rig.gone.gone.words, "after 500 ms and was killed"));
	assert_non_null(strstr(rig.gone.gone.words, "('sh'): thinking"));
	const pid_t pid = pid_in("pid");
	assert_true(is_gone(&pid));
	assert_true(logged("destroy terrarium-x\n"));
	expect_supervisor_ends();
}

static void who_leaves_while_it_is_made(void **state)
{
	(void)state;
	usual_scripts();
	buf_clear(&rig.steps[PLAN_CREATE_EXEC]);
	script(PLAN_CREATE_EXEC, HANG);
	start();
	wait_for(is_logged, "hanging");
	close(rig.line_fd);
	rig.line_fd = -1;
	expect_supervisor_ends();
	const pid_t pid = pid_in("pid");
	assert_true(is_gone(&pid));
	assert_true(logged("destroy terrarium-x\n"));
}

static void a_stop_while_it_is_made(void **state)
{
	(void)state;
	usual_scripts();
	buf_clear(&rig.steps[PLAN_PUT]);
	script(PLAN_PUT, HANG);
	start();
	wait_for(is_logged, "hanging");
	ask_to_stop();
	expect_gone(GONE_OWNER);
	assert_true(logged("destroy id-1\n"));
	expect_supervisor_ends();
}

static void why_it_has_ended(void **state)
{
	(void)state;
	usual_scripts();
	start();
	expect_ready();
	kill(pid_in("pid"), SIGKILL);
	expect_gone(GONE_REASON);
	assert_string_equal(rig.gone.gone.words, "toy: the container has ended with exit status 3: bad luck");
	assert_int_equal(rig.gone.gone.status, TRM_ECLOSED);
	assert_true(logged("destroy id-1\n"));
	expect_supervisor_ends();
}

static void removed_by_somebody_else(void **state)
{
	(void)state;
	usual_scripts();
	buf_clear(&rig.steps[PLAN_INSPECT]);
	buf_clear(&rig.steps[PLAN_DESTROY]);
	script(PLAN_INSPECT, "echo Error: No such container: $1 >&2; exit 1");
	script(PLAN_DESTROY, "echo Error: No such container: $1 >&2; exit 1");
	start();
	expect_ready();
	kill(pid_in("pid"), SIGKILL);
	expect_gone(GONE_REASON);
	assert_string_equal(rig.gone.gone.words, "toy: the container was removed from outside");
	expect_supervisor_ends();
}

static void commands_die_with_the_supervisor(void **state)
{
	(void)state;
	usual_scripts();
	start();
	expect_ready();
	kill(rig.supervisor, SIGKILL);
	const pid_t pid = pid_in("pid");
	wait_for(is_gone, &pid);
	wait_for(is_logged, "destroy id-1\n"); /* the supervisor's cleanup process has seen to it */
}

static void a_killed_supervisor_loses_no_changes(void **state)
{
	(void)state;
	usual_scripts();
	script(PLAN_COMMIT, "echo commit $1 >>log");
	script(PLAN_SPARE, "echo spare $1 >>log");
	start();
	expect_ready();
	kill(rig.supervisor, SIGKILL);
	wait_for(is_logged, "spare id-1\n");
	assert_false(logged("destroy"));
}

static void an_idle_one_that_is_kept_ends(void **state)
{
	(void)state;
	usual_scripts();
	start_with(true, 200);
	expect_ready();
	close(rig.line_fd);
	rig.line_fd = -1;
	expect_supervisor_ends();
	assert_true(logged("destroy id-1\n"));
}

static uint64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Nobody is attached, yet something is computed, as the agent says. */
static void one_that_computes_is_not_idle(void **state)
{
	enum { BUSY_MS = 1500, IDLE_MS = 800 };
	(void)state;
	usual_scripts();
	buf_clear(&rig.steps[PLAN_CONNECT]);
	script(PLAN_CONNECT, "exec $SELF busy 1500");
	start_with(true, IDLE_MS);
	expect_ready();
	const uint64_t then_ms = now_ms();
	close(rig.line_fd);
	rig.line_fd = -1;
	expect_supervisor_ends();
	assert_true(now_ms() - then_ms > BUSY_MS);
}

/* ---- the direct way ------------------------------------------------------------------------------ */

static void a_sandbox_with_a_door(void **state)
{
	(void)state;
	usual_scripts();
	/* It comes when the command has ended; before that, see a_create_that_is_overtaken. */
	script(PLAN_CREATE_DIRECT, "(while kill -0 $$; do :; done; exec $SELF agent $DOOR) >/dev/null 2>&1 &"
				   " echo $! >pid; echo id-2");
	start();
	expect_ready();
	const struct origin_msg *origin = &rig.ready.ready.origin;
	assert_int_equal(origin->way, WAY_DIRECT);
	assert_string_equal(origin->where, "id-2");
	assert_string_equal(origin->user, "worker");
	assert_string_equal(origin->words, "no disk limit");
	assert_string_equal(origin->note, "");
	assert_int_equal(origin->root_pid, pid_in("pid"));
	assert_false(logged("connect"));
	char path[128];
	snprintf(path, sizeof path, "%s/terrarium/n/" SHARE_DIR "/" SHARE_SOCKET, rig.dir);
	assert_int_equal(access(path, F_OK), -1); /* nobody else comes */
	kill(origin->root_pid, SIGKILL);
	expect_gone(GONE_REASON);
	assert_string_equal(rig.gone.gone.words, "toy: the container has ended with exit status 3: bad luck");
	expect_supervisor_ends();
}

static void an_agent_that_cannot_serve(void **state)
{
	(void)state;
	usual_scripts();
	script(PLAN_CREATE_DIRECT, "$SELF agent $DOOR 'there is no user nobody' >/dev/null 2>&1 & echo id-2");
	start();
	expect_gone(GONE_REASON);
	assert_string_equal(rig.gone.gone.words, "toy: there is no user nobody");
	assert_true(logged("destroy id-2\n"));
	expect_supervisor_ends();
}

/* What it prints comes when the agent has long been there, and is what is destroyed. */
static void a_create_that_is_overtaken(void **state)
{
	(void)state;
	usual_scripts();
	script(PLAN_CREATE_DIRECT, "$SELF agent $DOOR 'there is no user nobody' >/dev/null 2>&1; echo id-2");
	start();
	expect_gone(GONE_REASON);
	assert_true(logged("destroy id-2\n"));
	expect_supervisor_ends();
}

static void a_door_to_which_nobody_comes(void **state)
{
	(void)state;
	usual_scripts();
	script(PLAN_CREATE_DIRECT, "echo id-2"); /* and inspect says that it has ended */
	start();
	expect_ready();
	assert_int_equal(rig.ready.ready.origin.way, WAY_EXEC);
	assert_string_equal(rig.ready.ready.origin.where, "id-1");
	assert_non_null(strstr(rig.ready.ready.origin.note, "did not connect to the handoff socket"));
	assert_true(logged("destroy id-2\n"));
	ask_to_stop();
	expect_gone(GONE_OWNER);
	expect_supervisor_ends();
}

static void what_cannot_be_shared_is_copied(void **state)
{
	(void)state;
	usual_scripts();
	script(PLAN_CREATE_DIRECT, "echo 'Error: bind source path does not exist' >&2; exit 125");
	start();
	expect_ready();
	assert_int_equal(rig.ready.ready.origin.way, WAY_EXEC);
	assert_string_equal(rig.ready.ready.origin.note, "Error: bind source path does not exist");
	ask_to_stop();
	expect_gone(GONE_OWNER);
	expect_supervisor_ends();
}

/* ---- the end ---------------------------------------------------------------------------------------- */

static void changes_that_are_saved(void **state)
{
	(void)state;
	usual_scripts();
	script(PLAN_COMMIT, "echo commit $1 >>log");
	script(PLAN_AFTER, "echo after >>log");
	start();
	expect_ready();
	ask_to_stop();
	expect_gone(GONE_OWNER);
	assert_true(logged("commit id-1\ndestroy id-1\nafter\n"));
	assert_string_equal(rig.gone.gone.words, "");
	expect_supervisor_ends();
}

static void changes_that_cannot_be_saved(void **state)
{
	(void)state;
	usual_scripts();
	script(PLAN_COMMIT, "echo no space left >&2; exit 1");
	script(PLAN_SPARE, "echo spare $1 >>log");
	start();
	expect_ready();
	ask_to_stop();
	expect_gone(GONE_OWNER);
	assert_non_null(strstr(rig.gone.gone.words, "they are still in 'terrarium-x-kept'"));
	assert_non_null(strstr(rig.gone.gone.words, "no space left"));
	assert_true(logged("spare id-1\n"));
	assert_false(logged("destroy"));
	expect_supervisor_ends();
}

/* A sandbox that another server may adopt, when SIGTERM reaches every process of its server, and when it is
 * stopped. */
static void what_waits_for_a_server_outlives_sigterm(void **state)
{
	(void)state;
	rig.plan.leaves = true;
	usual_scripts();
	start();
	expect_ready();
	kill(rig.supervisor, SIGTERM);
	expect_gone(GONE_SIGNAL);
	assert_false(logged("destroy"));
	expect_supervisor_ends();
}

static void what_waits_for_a_server_can_be_stopped(void **state)
{
	(void)state;
	rig.plan.leaves = true;
	usual_scripts();
	start();
	expect_ready();
	kill(rig.supervisor, SIGINT);
	kill(rig.supervisor, SIGTERM); /* while it is removed */
	expect_gone(GONE_SIGNAL);
	assert_true(logged("destroy id-1\n"));
	expect_supervisor_ends();
}

/* Its connection got the signal first. */
static void what_waits_for_a_server_outlives_its_line(void **state)
{
	(void)state;
	rig.plan.leaves = true;
	script(PLAN_CREATE_EXEC, "echo id-1");
	script(PLAN_CONNECT, "[ -e pid ] || echo $$ >pid; exec $AGENT serve-stdio");
	script(PLAN_INSPECT,
			"echo inspect >>log; until [ -e go ]; do sleep 0.01; done; printf 'exited\\t3\\n'");
	script(PLAN_DESTROY, "echo destroy >>log");
	start();
	expect_ready();
	kill(pid_in("pid"), SIGTERM);
	wait_for(is_logged, "inspect");
	kill(rig.supervisor, SIGTERM);
	make_file("go");
	expect_gone(GONE_REASON);
	assert_false(logged("destroy"));
	expect_supervisor_ends();
}

/* Before it has been used, nobody could adopt it. One that is being adopted was there before. */
static void what_starts_ends_by_sigterm(bool was_there)
{
	rig.plan.leaves = true;
	rig.plan.puts_text = !was_there;
	script(was_there ? PLAN_CREATE_EXEC : PLAN_PUT,
			"echo making >>log; until [ -e go ]; do sleep 0.01; done");
	script(PLAN_CONNECT, "exec $AGENT serve-stdio");
	script(PLAN_DESTROY, "echo destroy >>log");
	start();
	wait_for(is_logged, "making");
	kill(rig.supervisor, SIGTERM);
	make_file("go");
	expect_gone(GONE_SIGNAL);
	assert_int_equal(logged("destroy"), !was_there);
	expect_supervisor_ends();
}

static void what_is_new_ends_by_sigterm(void **state)
{
	(void)state;
	what_starts_ends_by_sigterm(false);
}

static void what_is_being_adopted_outlives_sigterm(void **state)
{
	(void)state;
	what_starts_ends_by_sigterm(true);
}

static void what_is_adopted_is_left(void **state)
{
	(void)state;
	rig.plan.is_adopted = true;
	rig.plan.container = "theirs";
	script(PLAN_PUT, "echo put $1 >>log");
	script(PLAN_CONNECT, "exec $AGENT serve-stdio");
	script(PLAN_RELEASE, "echo release $1 >>log");
	script(PLAN_DESTROY, "echo destroy $1 >>log");
	start();
	expect_ready();
	assert_true(rig.ready.ready.origin.is_adopted);
	assert_string_equal(rig.ready.ready.origin.where, "theirs");
	ask_to_stop();
	expect_gone(GONE_OWNER);
	assert_true(logged("put theirs\nrelease theirs\n"));
	assert_false(logged("destroy"));
	expect_supervisor_ends();
}

/* A label like ours, of a process that has ended. */
static void orphans_are_destroyed(void **state)
{
	(void)state;
	usual_scripts();
	script(PLAN_SWEEP, "echo sweep $1 >>log");
	script(PLAN_LIST,
			"sleep 0 & n=$!; wait; p=${2%/*/*}; printf 'old\\t%s\\texited\\tterrarium-a-1\\ta\\n' \"$p/$n/1\"; "
			"printf 'mine\\t%s\\trunning\\tterrarium-b-1\\tb\\n' \"$2\"");
	start();
	expect_ready();
	wait_for(is_logged, "sweep old\n");
	assert_false(logged("sweep mine"));
	ask_to_stop();
	expect_gone(GONE_OWNER);
	expect_supervisor_ends();
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	if (argc > 2 && !strcmp(argv[1], "agent"))
		return be_agent(argv[2], argc > 3 ? argv[3] : "");
	if (argc > 2 && !strcmp(argv[1], "busy"))
		return be_busy((unsigned)atoi(argv[2]));
	self = realpath("/proc/self/exe", path);
#define CASE(f) cmocka_unit_test_setup_teardown(f, begin, end)
	const struct CMUnitTest tests[] = {
			CASE(a_sandbox_of_steps),
			CASE(a_client_whose_command_fails_is_reported_why),
			CASE(what_a_failing_step_says),
			CASE(a_program_that_is_not_there),
			CASE(a_command_that_hangs),
			CASE(who_leaves_while_it_is_made),
			CASE(a_stop_while_it_is_made),
			CASE(why_it_has_ended),
			CASE(removed_by_somebody_else),
			CASE(commands_die_with_the_supervisor),
			CASE(a_killed_supervisor_loses_no_changes),
			CASE(an_idle_one_that_is_kept_ends),
			CASE(one_that_computes_is_not_idle),
			CASE(a_sandbox_with_a_door),
			CASE(an_agent_that_cannot_serve),
			CASE(a_create_that_is_overtaken),
			CASE(a_door_to_which_nobody_comes),
			CASE(what_cannot_be_shared_is_copied),
			CASE(changes_that_are_saved),
			CASE(changes_that_cannot_be_saved),
			CASE(what_waits_for_a_server_outlives_sigterm),
			CASE(what_waits_for_a_server_can_be_stopped),
			CASE(what_waits_for_a_server_outlives_its_line),
			CASE(what_is_new_ends_by_sigterm),
			CASE(what_is_being_adopted_outlives_sigterm),
			CASE(what_is_adopted_is_left),
			CASE(orphans_are_destroyed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
