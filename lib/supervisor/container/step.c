/* SPDX-License-Identifier: MIT */
#include "supervisor/container/step.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/text.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fds.h"

enum { NOT_STARTED = 127, MAX_ENV = 4096, MAX_ARG_BYTES = 1 << 20 };

/* ---- commands -------------------------------------------------------------------- */

/* Runs in the child after stderr is set up: report why the step fails. */
static _Noreturn void lack_memory(void)
{
	static const char words[] = "out of memory for the command";
	(void)!write(STDERR_FILENO, words, sizeof words - 1);
	_exit(NOT_STARTED);
}

/* The text for the mark at the beginning of `at`; NULL: there is none. */
static const char *text_of_mark(const struct step_facts *facts, const char *at, size_t *ret_n)
{
	const struct {
		const char *mark, *text;
	} marks[] = {{PLAN_LATE_ID, facts->id}, {PLAN_LATE_SUPERVISOR, facts->supervisor},
			{PLAN_LATE_PLACE, facts->place}, {PLAN_LATE_AGENT, facts->agent}};
	for (size_t i = 0; *at == PLAN_LATE_ID[0] && i < sizeof marks / sizeof *marks; i++) {
		*ret_n = strlen(marks[i].mark);
		if (!strncmp(at, marks[i].mark, *ret_n))
			return marks[i].text;
	}
	return NULL;
}

/* Append the argument with its placeholders replaced, and a NUL. */
static int append_filled(struct buf *b, const struct step_facts *facts, const char *arg)
{
	size_t n;
	int r = 0;
	for (const char *at = arg; r == 0 && *at; at += n) {
		const char *text = text_of_mark(facts, at, &n);
		n = text ? n : 1;
		r = text ? buf_append(b, text, strlen(text)) : buf_append(b, at, 1);
	}
	return r == 0 ? buf_append(b, "", 1) : r;
}

static char *fill_in(const struct step_facts *facts, const char *arg)
{
	struct buf b;
	buf_init(&b, MAX_ARG_BYTES);
	if (append_filled(&b, facts, arg) < 0)
		lack_memory();
	return buf_at(&b);
}

static char **fill_in_all(const struct step_facts *facts, struct slice step)
{
	char **argv = calloc(PLAN_MAX_ARGS + 1, sizeof *argv);
	bool is_first;
	const char *arg;
	for (size_t n = 0; argv && n < PLAN_MAX_ARGS && (arg = plan_arg_next(&step, &is_first)); n++) {
		if (n && is_first)
			break;
		argv[n] = fill_in(facts, arg);
	}
	return argv;
}

const char *step_format_command(const struct step_facts *facts, enum plan_step which, struct slice *step,
		struct command_words *words)
{
	bool is_first;
	command_words_begin(words, plan_step_name(which));
	for (struct slice ahead = *step; ahead.n; *step = ahead) {
		const char *arg = plan_arg_next(&ahead, &is_first);
		if (!arg || (is_first && words->n_args))
			break;
		struct buf filled;
		buf_init(&filled, MAX_ARG_BYTES);
		if (strstr(arg, PLAN_LATE_SUPERVISOR))
			command_words_add(words, "dev.terrarium.supervisor=…");
		else if (append_filled(&filled, facts, arg) == 0)
			command_words_add(words, buf_at(&filled));
		buf_finish(&filled);
	}
	return command_words_end(words);
}

static char **list_env(struct slice env)
{
	char **list = calloc(MAX_ENV + 1, sizeof *list);
	for (size_t n = 0, at = 0; list && n < MAX_ENV && at < env.n; n++) {
		list[n] = (char *)env.bytes + at;
		at += strlen(list[n]) + 1;
	}
	return list;
}

static void place_stdio(int in_fd, int out_fd, int err_fd)
{
	const int wanted[] = {in_fd, out_fd, err_fd};
	int lifted[3];
	for (int i = 0; i < 3; i++)
		lifted[i] = wanted[i] < 0 ? open("/dev/null", O_RDWR | O_CLOEXEC)
					  : fcntl(wanted[i], F_DUPFD_CLOEXEC, 3);
	for (int i = 0; i < 3; i++)
		if (lifted[i] < 0 || dup2(lifted[i], i) < 0)
			_exit(NOT_STARTED);
}

/* Clients must see that the supervisor closes their connections, so nobody else keeps them open. */
static void leave_supervisor_fds(void)
{
	fds_close_from(3);
}

static _Noreturn void child(const struct step_facts *facts, struct slice step)
{
	sigset_t none;
	char **argv = fill_in_all(facts, step), **env = list_env(facts->plan->env);
	if (!argv || !env)
		lack_memory();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (chdir(facts->plan->cwd) < 0 && chdir("/") < 0)
		_exit(NOT_STARTED);
	if (facts->kube) {
		leave_supervisor_fds();
		const struct kube_place place = {facts->run_path, env, facts->kube, facts->is_early};
		int code = kube_run(&place, argv);
		if (code >= 0)
			_exit(code);
	}
	environ = env; /* execvp() searches the PATH of this environment */
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "cannot run %s: %s", argv[0], strerror(errno));
	_exit(NOT_STARTED);
}

pid_t step_spawn(const struct step_facts *facts, struct slice step, int in_fd, int out_fd, int err_fd)
{
	const pid_t supervisor = getpid();
	pid_t pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != supervisor)
			_exit(NOT_STARTED);
		place_stdio(in_fd, out_fd, err_fd);
		child(facts, step);
	}
	/* Both parent and child set the group: the child may be killed before it has run. */
	setpgid(pid, pid);
	return pid;
}

void step_describe(struct slice step, char *out, size_t cap)
{
	bool is_first;
	const char *program = plan_arg_next(&step, &is_first);
	const char *base = program ? strrchr(program, '/') : NULL;
	const char *word = program ? plan_arg_next(&step, &is_first) : NULL;
	bool has_word = word && !is_first && *word && *word != '-' && !strpbrk(word, "/=\1 ");
	char line[192];
	int n = snprintf(line, sizeof line, "%.60s%s%.30s",
			base      ? base + 1
			: program ? program
				  : "",
			has_word ? " " : "", has_word ? word : "");
	trm_text_clean_line(out, cap, line, (size_t)n);
}

/* ---- what they say ---------------------------------------------------------------------- */

bool step_tail_read(struct step_tail *tail, char *bytes, size_t cap)
{
	char more[4096];
	ssize_t n = 0;
	while (tail->fd >= 0 && (n = read(tail->fd, more, sizeof more)) > 0) {
		size_t new = (size_t)n < cap ? (size_t)n : cap, keep = tail->n;
		if (keep + new > cap) {
			keep = cap - new;
			memmove(bytes, bytes + tail->n - keep, keep);
			tail->is_cut = true;
		}
		memcpy(bytes + keep, more + n - new, new);
		tail->n = keep + new;
	}
	return tail->fd >= 0 && n < 0 && (errno == EAGAIN || errno == EINTR);
}

bool step_has_failed_with(const struct step *s, const char *const *signs, size_t n)
{
	for (size_t i = 0; s->end == STEP_FAILED && i < n; i++)
		if (memmem(s->err_bytes, s->err.n, signs[i], strlen(signs[i])))
			return true;
	return false;
}

char *step_clean_tail(const char *bytes, size_t n, char *out, size_t cap)
{
	while (n && strchr(" \t\r\n.", bytes[n - 1]))
		n--;
	size_t skip = n >= cap ? n - cap + 1 : 0;
	while (skip < n && ((unsigned char)bytes[skip] & 0xC0) == 0x80)
		skip++;
	while (skip < n && strchr(" \t\r\n", bytes[skip]))
		skip++;
	trm_text_clean_line(out, cap, bytes + skip, n - skip);
	return out;
}

char *step_last_line(const struct step *s, char *out, size_t cap)
{
	size_t n = s->out.n;
	while (n && strchr(" \r\n", s->out_bytes[n - 1]))
		n--;
	size_t from = n;
	while (from && s->out_bytes[from - 1] != '\n')
		from--;
	n -= from;
	if (n >= cap)
		n = cap - 1;
	memcpy(out, s->out_bytes + from, n);
	out[n] = '\0';
	return out;
}

static void format_end(const struct step *s, char *out, size_t cap)
{
	const unsigned ms = s->facts->plan->timeout_ms[s->which];
	const bool is_round = ms % 1000 == 0;
	if (s->end == STEP_LATE)
		snprintf(out, cap, "it has not ended after %u %s and was killed", is_round ? ms / 1000 : ms,
				is_round ? "s" : "ms");
	else if (s->end == STEP_STOPPED)
		snprintf(out, cap, "it was stopped");
	else if (WIFSIGNALED(s->status))
		snprintf(out, cap, "killed by signal %d", WTERMSIG(s->status));
	else
		snprintf(out, cap, "exit status %d", WEXITSTATUS(s->status));
}

char *step_describe_failure(const struct step *s, char *out, size_t cap)
{
	char said[400], end[80];
	step_clean_tail(s->err_bytes, s->err.n, said, sizeof said);
	format_end(s, end, sizeof end);
	if (s->end == STEP_LATE)
		snprintf(out, cap, "%.40s: the step '%s' hangs: %s ('%s')%s%s", s->facts->plan->backend,
				plan_step_name(s->which), end, s->command, *said ? ": " : "", said);
	else
		snprintf(out, cap, "%.40s: the step '%s' failed: %s ('%s', %s)", s->facts->plan->backend,
				plan_step_name(s->which), *said ? said : "it gives no reason", s->command,
				end);
	return out;
}

/* ---- its life -------------------------------------------------------------------------------- */

static void close_tail(struct step_tail *tail)
{
	if (tail->fd >= 0)
		close(tail->fd);
	tail->fd = -1;
}

static void finish(struct step *s, enum step_end end)
{
	step_read(s);
	close_tail(&s->out);
	close_tail(&s->err);
	s->pid = 0;
	s->end = end;
}

static uint32_t wait_ms(const struct step *s)
{
	return s->facts->plan->timeout_ms[s->which];
}

static bool open_pipe(int pipe_fd[2])
{
	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		return false;
	fcntl(pipe_fd[0], F_SETFL, O_NONBLOCK);
	return true;
}

/* Report our own error in place of a command's stderr. */
static void fail(struct step *s, const char *what, int error)
{
	s->err.n = (size_t)snprintf(s->err_bytes, STEP_ERR_BYTES, "cannot %s: %s", what, strerror(error));
	s->status = NOT_STARTED << 8;
	finish(s, STEP_FAILED);
}

static void run_next(struct step *s)
{
	int out[2] = {-1, -1}, err[2] = {-1, -1};
	close_tail(&s->out);
	close_tail(&s->err);
	s->out = s->err = (struct step_tail){.fd = -1};
	step_describe(s->rest, s->command, sizeof s->command);
	if (!open_pipe(out) || !open_pipe(err)) {
		close(out[0]);
		close(out[1]);
		fail(s, "make a pipe", errno);
		return;
	}
	if (s->in_fd >= 0)
		lseek(s->in_fd, 0, SEEK_SET);
	pid_t pid = step_spawn(s->facts, s->rest, s->in_fd, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	s->out.fd = out[0];
	s->err.fd = err[0];
	s->pid = pid > 0 ? pid : 0;
	if (pid < 0)
		fail(s, "start a process", (int)-pid);
}

/* Drop the first command. */
static void skip_command(struct slice *step)
{
	bool is_first;
	if (!plan_arg_next(step, &is_first))
		return;
	for (struct slice ahead = *step; plan_arg_next(&ahead, &is_first) && !is_first;)
		*step = ahead;
}

void step_begin(struct step *s, const struct step_facts *facts, enum plan_step which, int in_fd,
		uint64_t now_ms)
{
	s->which = which;
	s->facts = facts;
	s->rest = facts->plan->steps[which];
	s->in_fd = in_fd;
	s->pid = 0;
	s->status = 0;
	s->end = STEP_RUNS;
	s->out = s->err = (struct step_tail){.fd = -1};
	s->due_ms = now_ms + wait_ms(s);
	if (s->rest.n)
		run_next(s);
	else
		finish(s, STEP_DONE);
}

void step_poll(const struct step *s, struct pollfd *fds)
{
	fds[0] = (struct pollfd){.fd = s->out.fd, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = s->err.fd, .events = POLLIN};
}

void step_read(struct step *s)
{
	if (s->out.fd >= 0 && !step_tail_read(&s->out, s->out_bytes, STEP_OUT_BYTES))
		close_tail(&s->out);
	if (s->err.fd >= 0 && !step_tail_read(&s->err, s->err_bytes, STEP_ERR_BYTES))
		close_tail(&s->err);
}

/* A command that succeeds may leave a process behind on purpose. One that fails must not, so its group is
 * killed. */
void step_child_ended(struct step *s, pid_t pid, int status)
{
	if (!s->pid || pid != s->pid)
		return;
	s->status = status;
	if (s->end != STEP_RUNS) {
		finish(s, s->end);
		return;
	}
	bool is_good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	struct slice rest = s->rest;
	skip_command(&rest);
	if (!is_good)
		kill(-pid, SIGKILL);
	if (!is_good || !rest.n) {
		finish(s, is_good ? STEP_DONE : STEP_FAILED);
		return;
	}
	s->rest = rest;
	s->pid = 0;
	run_next(s);
}

void step_pass_time(struct step *s, uint64_t now_ms)
{
	if (!s->pid || now_ms < s->due_ms || (s->end != STEP_RUNS && s->end != STEP_STOPPED))
		return;
	if (s->end == STEP_RUNS)
		s->end = STEP_LATE;
	kill(-s->pid, SIGKILL);
}

void step_stop(struct step *s, uint64_t now_ms)
{
	enum { GRACE_MS = 2000 };
	if (!s->pid || s->end != STEP_RUNS)
		return;
	s->end = STEP_STOPPED;
	if (s->due_ms > now_ms + GRACE_MS)
		s->due_ms = now_ms + GRACE_MS;
	kill(-s->pid, SIGTERM);
}

/* ---- alone ---------------------------------------------------------------------------------- */

bool step_run(struct step *s, const struct step_facts *facts, enum plan_step which, int in_fd)
{
	enum { LOOKS_MS = 20 };
	struct pollfd fds[STEP_POLLS];
	int status;
	step_begin(s, facts, which, in_fd, clock_ms());
	while (!step_is_over(s)) {
		step_poll(s, fds);
		poll(fds, STEP_POLLS, LOOKS_MS);
		step_read(s);
		pid_t pid = waitpid(-1, &status, WNOHANG);
		if (pid > 0)
			step_child_ended(s, pid, status);
		step_pass_time(s, clock_ms());
	}
	return s->end == STEP_DONE;
}
