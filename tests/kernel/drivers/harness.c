/* SPDX-License-Identifier: MIT */
#include "kernel/drivers/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/batch.h"

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- texts ---------------------------------------------------------------- */

static void text_append(struct driver_text *t, const char *bytes, size_t n)
{
	if (t->n + n + 1 > t->cap) {
		t->cap = (t->n + n + 1) * 2;
		t->bytes = realloc(t->bytes, t->cap);
		assert_non_null(t->bytes);
	}
	memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
	t->bytes[t->n] = '\0';
}

static void text_clear(struct driver_text *t)
{
	t->n = 0;
	text_append(t, "", 0);
}

/* ---- starting ------------------------------------------------------------- */

/* A pipe whose child's end waits at a high number, to be put in its place between fork and exec. */
static int child_end(int child_fds[], int place, bool child_reads)
{
	int fds[2];
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	int theirs = fcntl(fds[!child_reads], F_DUPFD_CLOEXEC, 100);
	assert_true(theirs >= 0);
	close(fds[!child_reads]);
	child_fds[place] = theirs;
	return fds[child_reads];
}

/* The driver's source, as a file: a pipe might not take all of it before anybody reads. */
static int source_file(struct embed source)
{
	FILE *file = tmpfile();
	assert_non_null(file);
	assert_int_equal(fwrite(source.bytes, 1, source.n, file), source.n);
	rewind(file);
	int fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 100);
	fclose(file);
	return fd;
}

static void exec_child(const struct kernel_spec *spec, const char *cwd, const int child_fds[], int n)
{
	/* Batch languages have the agent for a driver. */
	const char *agent[13] = {"terrarium-agent", "exec", "-", "0", "0", "", "", "--"};
	bool is_batch = !strcmp(spec->argv[0], BATCH_PROGRAM);
	const char *const *argv = is_batch ? agent : spec->argv;
	for (int i = 0; is_batch && spec->argv[i] && i < 4; i++)
		agent[8 + i] = spec->argv[i];
	char home[128], cache[4200];
	snprintf(home, sizeof home, "HOME=%s", cwd);
	const char *go_cache = getenv("GOCACHE"); /* so that not every test compiles Go's library */
	snprintf(cache, sizeof cache, "GOCACHE=%s", go_cache ? go_cache : "");
	const char *env[16] = {"PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/go/bin", "LANG=C.UTF-8", home,
			"TERM=dumb", "GOTOOLCHAIN=local", "GOTELEMETRY=off", go_cache ? cache : NULL};
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	for (int place = 0; place < n; place++)
		if (child_fds[place] >= 0)
			dup2(child_fds[place], place);
	if (chdir(cwd) == 0)
		execve(is_batch ? AGENT_PROGRAM : argv[0], (char *const *)argv, (char *const *)env);
	_exit(127);
}

static void open_and_fork(struct driver *d, const struct kernel_spec *spec, struct embed source)
{
	enum { PLACES = 10 + 2 * KERNEL_SPARE_SETS };
	int child_fds[PLACES];
	for (int i = 0; i < PLACES; i++)
		child_fds[i] = -1;
	d->stdin_fd = child_end(child_fds, 0, true);
	d->stdin_reader_fd = fcntl(child_fds[0], F_DUPFD_CLOEXEC, 100);
	d->channel_fd[0] = child_end(child_fds, 1, false);
	d->channel_fd[1] = child_end(child_fds, 2, false);
	d->request_fd = child_end(child_fds, 3, true);
	d->event_fd = child_end(child_fds, 4, false);
	child_fds[5] = source_file(source);
	for (int i = 2; i < DRIVER_CHANNELS; i++)
		d->channel_fd[i] = child_end(child_fds, 10 + i - 2, false);
	d->pid = fork();
	assert_true(d->pid >= 0);
	if (d->pid == 0)
		exec_child(spec, d->cwd, child_fds, PLACES);
	for (int i = 0; i < PLACES; i++)
		if (child_fds[i] >= 0)
			close(child_fds[i]);
}

struct driver *driver_start(unsigned id)
{
	return driver_start_source(id, kernel_spec(trm_lang_at(id))->driver);
}

struct driver *driver_start_source(unsigned id, struct embed source)
{
	const struct kernel_spec *spec = kernel_spec(trm_lang_at(id));
	if (strcmp(spec->argv[0], BATCH_PROGRAM) && access(spec->argv[0], X_OK)) {
		print_message("%s is not installed\n", spec->argv[0]);
		skip();
	}
	signal(SIGPIPE, SIG_IGN);
	struct driver *d = calloc(1, sizeof *d);
	assert_non_null(d);
	strcpy(d->cwd, "/tmp/terrarium-driver-XXXXXX");
	assert_non_null(mkdtemp(d->cwd));
	d->events = cJSON_CreateArray();
	d->out = d->err = "";
	for (int i = 0; i < DRIVER_CHANNELS; i++)
		text_clear(&d->channel[i]);
	text_clear(&d->line);
	open_and_fork(d, spec, source);
	const cJSON *ready = driver_wait_event(d, "ready");
	const char *version = cJSON_GetStringValue(cJSON_GetObjectItem(ready, "version"));
	snprintf(d->version, sizeof d->version, "%s", version ? version : "");
	return d;
}

/* ---- delivering ------------------------------------------------------------ */

static void answer_input(struct driver *d)
{
	if (!d->answers || !*d->answers) {
		close(d->stdin_fd);
		d->stdin_fd = -1;
		return;
	}
	size_t n = strcspn(d->answers, "\n");
	n += d->answers[n] == '\n';
	assert_int_equal(write(d->stdin_fd, d->answers, n), n);
	d->answers += n;
}

static void deliver(struct driver *d, char *line)
{
	cJSON *event = cJSON_Parse(line);
	if (!event)
		fail_msg("not JSON: %.2000s", line);
	const char *kind = cJSON_GetStringValue(cJSON_GetObjectItem(event, "ev"));
	assert_non_null(kind);
	if (strcmp(kind, "done") == 0 || strcmp(kind, "reply") == 0) {
		const char *id = cJSON_GetStringValue(cJSON_GetObjectItem(event, "id"));
		assert_non_null(id);
		assert_int_equal(atoi(id), d->last_id);
		assert_null(d->done);
		d->done = event;
		return;
	}
	cJSON_AddItemToArray(d->events, event);
	if (strcmp(kind, "input") == 0)
		answer_input(d);
}

static void deliver_lines(struct driver *d)
{
	char *start = d->line.bytes, *end;
	while ((end = memchr(start, '\n', d->line.n - (size_t)(start - d->line.bytes)))) {
		*end = '\0';
		deliver(d, start);
		start = end + 1;
	}
	size_t left = d->line.n - (size_t)(start - d->line.bytes);
	memmove(d->line.bytes, start, left + 1);
	d->line.n = left;
}

static bool read_some(int *fd, struct driver_text *into)
{
	char bytes[65536];
	ssize_t n = read(*fd, bytes, sizeof bytes);
	if (n > 0) {
		text_append(into, bytes, (size_t)n);
	} else if (n == 0) {
		close(*fd);
		*fd = -1;
	}
	return n > 0;
}

/* One turn. Output is read before the events that were written after it. False: nothing came. */
static bool pump(struct driver *d, int timeout_ms)
{
	struct pollfd fds[DRIVER_CHANNELS + 1];
	for (int i = 0; i < DRIVER_CHANNELS; i++)
		fds[i] = (struct pollfd){.fd = d->channel_fd[i], .events = POLLIN};
	fds[DRIVER_CHANNELS] = (struct pollfd){.fd = d->event_fd, .events = POLLIN};
	if (poll(fds, DRIVER_CHANNELS + 1, timeout_ms) <= 0)
		return false;
	if (fds[DRIVER_CHANNELS].revents) {
		/* Output that came before an event, or before the end, is in the pipes by now, but perhaps
		 * not in those that were polled. */
		size_t had = d->line.n;
		read_some(&d->event_fd, &d->line);
		bool has_line = memchr(d->line.bytes + had, '\n', d->line.n - had);
		if (has_line || d->event_fd < 0) {
			for (int i = 0; i < DRIVER_CHANNELS; i++) {
				struct pollfd again = {.fd = d->channel_fd[i], .events = POLLIN};
				while (again.fd >= 0 && poll(&again, 1, 0) > 0
						&& read_some(&d->channel_fd[i], &d->channel[i]))
					;
			}
			deliver_lines(d);
		}
		return true;
	}
	for (int i = 0; i < DRIVER_CHANNELS; i++)
		if (fds[i].revents)
			read_some(&d->channel_fd[i], &d->channel[i]);
	return true;
}

static void turn(struct driver *d, uint64_t deadline, const char *what)
{
	uint64_t now = now_ms();
	if (now >= deadline || d->event_fd < 0)
		fail_msg("%s while waiting for %s; stdout: %.500s stderr: %.2000s",
				d->event_fd < 0 ? "the driver ended" : "nothing came", what,
				d->channel[2 * d->set].bytes, d->channel[2 * d->set + 1].bytes);
	pump(d, (int)(deadline - now));
}

static void show_output(struct driver *d)
{
	const struct driver_text *out = &d->channel[2 * d->set], *err = out + 1;
	d->out = out->bytes;
	d->out_len = out->n;
	d->err = err->bytes;
	d->err_len = err->n;
}

const cJSON *driver_wait(struct driver *d)
{
	uint64_t deadline = now_ms() + DRIVER_DEADLINE_MS;
	while (!d->done)
		turn(d, deadline, "the answer");
	show_output(d);
	const cJSON *set = cJSON_GetObjectItem(d->done, "set");
	if (set)
		d->set = (unsigned)set->valueint;
	assert_true(d->set <= KERNEL_SPARE_SETS);
	return d->done;
}

bool driver_wait_end(struct driver *d)
{
	uint64_t deadline = now_ms() + DRIVER_DEADLINE_MS;
	while (!d->done && d->event_fd >= 0)
		turn(d, deadline, "the end of the program");
	show_output(d);
	return d->done;
}

void driver_wait_text(struct driver *d, unsigned channel, const char *text)
{
	uint64_t deadline = now_ms() + DRIVER_DEADLINE_MS;
	while (!memmem(d->channel[channel].bytes, d->channel[channel].n, text, strlen(text)))
		turn(d, deadline, text);
}

const cJSON *driver_wait_event(struct driver *d, const char *kind)
{
	uint64_t deadline = now_ms() + DRIVER_DEADLINE_MS;
	for (;;) {
		const cJSON *event;
		cJSON_ArrayForEach(event, d->events)
		{
			if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(event, "ev")), kind) == 0)
				return event;
		}
		turn(d, deadline, kind);
	}
}

int driver_wait_exit(struct driver *d)
{
	uint64_t deadline = now_ms() + DRIVER_DEADLINE_MS;
	while (d->pid) {
		if (waitpid(d->pid, &d->wait_status, WNOHANG) == d->pid)
			d->pid = 0;
		else if (now_ms() >= deadline)
			fail_msg("the driver does not exit");
		else
			pump(d, 5);
	}
	while (pump(d, 0))
		;
	return d->wait_status;
}

/* ---- asking ------------------------------------------------------------------ */

static void send_line(struct driver *d, const char *line, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t w = write(d->request_fd, line + done, n - done);
		if (w < 0 && errno != EINTR)
			fail_msg("cannot send a request: %s", strerror(errno));
		done += w > 0 ? (size_t)w : 0;
	}
}

static void open_stdin(struct driver *d)
{
	char path[40];
	snprintf(path, sizeof path, "/proc/self/fd/%d", d->stdin_reader_fd);
	d->stdin_fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(d->stdin_fd >= 0);
}

/* Forget the last answer; gives the id of the next. */
static unsigned begin_request(struct driver *d)
{
	cJSON_Delete(d->events);
	cJSON_Delete(d->done);
	d->events = cJSON_CreateArray();
	d->done = NULL;
	if (d->stdin_fd < 0)
		open_stdin(d);
	for (int i = 0; i < DRIVER_CHANNELS; i++)
		text_clear(&d->channel[i]);
	return ++d->last_id;
}

void driver_send_request(struct driver *d, const char *members)
{
	size_t cap = strlen(members) + 32;
	char *line = malloc(cap);
	assert_non_null(line);
	int n = snprintf(line, cap, "{\"id\":\"%u\",%s}\n", begin_request(d), members);
	send_line(d, line, (size_t)n);
	free(line);
}

/* Takes `request`. */
static void send_request(struct driver *d, cJSON *request)
{
	char *text = cJSON_PrintUnformatted(request);
	size_t n = strlen(text);
	text[n - 1] = '\0'; /* without the braces */
	driver_send_request(d, text + 1);
	cJSON_free(text);
	cJSON_Delete(request);
}

void driver_send(struct driver *d, const char *code)
{
	char file[32];
	snprintf(file, sizeof file, "<run %u>", d->last_id + 1);
	cJSON *request = cJSON_CreateObject();
	cJSON_AddStringToObject(request, "op", "run");
	cJSON_AddStringToObject(request, "code", code);
	cJSON_AddStringToObject(request, "file", file);
	send_request(d, request);
}

const cJSON *driver_run(struct driver *d, const char *code)
{
	driver_send(d, code);
	return driver_wait(d);
}

static int code_points(const char *s)
{
	int n = 0;
	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

const cJSON *driver_ask(struct driver *d, const char *op, const char *code, int cursor)
{
	cJSON *request = cJSON_CreateObject();
	cJSON_AddStringToObject(request, "op", op);
	cJSON_AddStringToObject(request, "code", code);
	cJSON_AddNumberToObject(request, "cursor", cursor < 0 ? code_points(code) : cursor);
	send_request(d, request);
	const cJSON *data = cJSON_GetObjectItem(driver_wait(d), "data");
	if (!data)
		fail_msg("%s: no data but: %s", op, driver_text_of(d, "error"));
	return data;
}

void driver_interrupt(struct driver *d)
{
	assert_int_equal(kill(-d->pid, SIGINT), 0);
}

void driver_stdin(struct driver *d, const char *text)
{
	assert_int_equal(write(d->stdin_fd, text, strlen(text)), strlen(text));
}

const char *driver_text_of(const struct driver *d, const char *member)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(d->done, member));
	return text ? text : "";
}

const char *driver_traceback(struct driver *d)
{
	const cJSON *line;
	text_clear(&d->traceback);
	cJSON_ArrayForEach(line, cJSON_GetObjectItem(cJSON_GetObjectItem(d->done, "error"), "traceback"))
	{
		const char *text = cJSON_GetStringValue(line);
		assert_non_null(text);
		assert_null(strchr(text, '\n'));
		text_append(&d->traceback, text, strlen(text));
		text_append(&d->traceback, "\n", 1);
	}
	return d->traceback.bytes;
}

/* ---- comparing ----------------------------------------------------------------- */

static const char *error_member(const struct driver *d, const char *member)
{
	const char *text = cJSON_GetStringValue(
			cJSON_GetObjectItem(cJSON_GetObjectItem(d->done, "error"), member));
	return text ? text : "";
}

static void check_status(struct driver *d, const char *code, const char *status, const char *file, int line)
{
	if (strcmp(driver_text_of(d, "status"), status) != 0) {
		print_error("%s: status %s instead of %s; %s: %s; stderr: %.500s\n", code,
				driver_text_of(d, "status"), status, error_member(d, "name"),
				error_member(d, "message"), d->err);
		_fail(file, line);
	}
}

void driver_check(struct driver *d, const char *code, const char *status, const char *output,
		const char *file, int line)
{
	driver_run(d, code);
	check_status(d, code, status, file, line);
	if (strcmp(d->out, output) != 0 || (d->err_len && strcmp(status, "error") != 0)) {
		print_error("%s: printed \"%.500s\" and \"%.500s\"\n", code, d->out, d->err);
		_fail(file, line);
	}
}

void driver_check_value(struct driver *d, const char *code, const char *value, const char *file, int line)
{
	driver_run(d, code);
	check_status(d, code, "ok", file, line);
	bool has = cJSON_HasObjectItem(d->done, "value");
	if (has != !!value || (value && strcmp(driver_text_of(d, "value"), value) != 0)) {
		print_error("%s: value %s\n", code, has ? driver_text_of(d, "value") : "is missing");
		_fail(file, line);
	}
}

void driver_check_error(struct driver *d, const char *code, const char *name, const char *file, int line)
{
	driver_run(d, code);
	check_status(d, code, "error", file, line);
	if (strcmp(error_member(d, "name"), name) != 0) {
		print_error("%s: error %s: %s\n", code, error_member(d, "name"), error_member(d, "message"));
		_fail(file, line);
	}
}

/* ---- stopping -------------------------------------------------------------------- */

static void close_all(struct driver *d)
{
	for (int i = 0; i < DRIVER_CHANNELS; i++)
		if (d->channel_fd[i] >= 0)
			close(d->channel_fd[i]);
	if (d->stdin_fd >= 0)
		close(d->stdin_fd);
	close(d->stdin_reader_fd);
	if (d->event_fd >= 0)
		close(d->event_fd);
}

void driver_stop(struct driver *d)
{
	if (!d)
		return;
	if (d->request_fd >= 0)
		close(d->request_fd);
	driver_wait_exit(d);
	close_all(d);
	for (int i = 0; i < DRIVER_CHANNELS; i++)
		free(d->channel[i].bytes);
	free(d->line.bytes);
	free(d->traceback.bytes);
	cJSON_Delete(d->events);
	cJSON_Delete(d->done);
	char command[100];
	snprintf(command, sizeof command, "rm -rf %s", d->cwd);
	if (system(command) != 0)
		print_message("%s is left behind\n", d->cwd);
	free(d);
}
