/* SPDX-License-Identifier: MIT */
#include "screen/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmocka_all.h"

const char *const screen_f_keys[13] = {"", "\x1bOP", "\x1bOQ", "\x1bOR", "\x1bOS", "\x1b[15~", "\x1b[17~",
		"\x1b[18~", "\x1b[19~", "\x1b[20~", "\x1b[21~", "\x1b[23~", "\x1b[24~"};

double screen_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- the terminal ---- */

static int on_prop(VTermProp prop, VTermValue *value, void *user)
{
	struct screen *s = user;

	if (prop == VTERM_PROP_ALTSCREEN)
		s->is_alternate = value->boolean;
	else if (prop == VTERM_PROP_MOUSE)
		s->has_mouse = value->number != 0;
	else if (prop == VTERM_PROP_CURSORVISIBLE)
		s->has_cursor = value->boolean;
	return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_prop};

static void open_terminal(struct screen *s)
{
	s->vt = vterm_new(s->rows, s->cols);
	assert_non_null(s->vt);
	vterm_set_utf8(s->vt, 1);
	s->vts = vterm_obtain_screen(s->vt);
	vterm_screen_set_callbacks(s->vts, &callbacks, s);
	vterm_screen_enable_altscreen(s->vts, 1);
	vterm_screen_reset(s->vts, 1);
}

/* ---- sandboxes of others are not to be seen ---- */

static char runtime_dir[48];
static pid_t runtime_owner;

static void remove_runtime(void)
{
	char command[80];

	snprintf(command, sizeof command, "rm -rf '%s'", runtime_dir);
	if (getpid() == runtime_owner && system(command) != 0)
		fprintf(stderr, "%s stays behind\n", runtime_dir);
}

static bool has_runtime(const char *const *env)
{
	while (*env && strncmp(*env, "XDG_RUNTIME_DIR=", 16) != 0)
		env++;
	return *env;
}

/* One for all that this test starts, unless it has seen to that itself. */
static void own_runtime(void)
{
	if (*runtime_dir)
		return;
	snprintf(runtime_dir, sizeof runtime_dir, "/tmp/terrarium-runtime-XXXXXX");
	assert_non_null(mkdtemp(runtime_dir));
	assert_int_equal(setenv("XDG_RUNTIME_DIR", runtime_dir, 1), 0);
	runtime_owner = getpid();
	atexit(remove_runtime);
}

static void run_child(const char *const *argv, const char *const *env, const char *state_dir)
{
	const char *all[32] = {NULL};
	char path[512], home[512], state[128], runtime[80];
	size_t n = 0;

	snprintf(path, sizeof path, "PATH=%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	snprintf(home, sizeof home, "HOME=%s", getenv("HOME") ? getenv("HOME") : "/");
	all[n++] = path;
	all[n++] = home;
	if (!has_runtime(env)) {
		snprintf(runtime, sizeof runtime, "XDG_RUNTIME_DIR=%s", runtime_dir);
		all[n++] = runtime;
	}
	for (; *env && n < 30; env++)
		all[n++] = *env;
	/* The first of two counts: what the test has set. */
	snprintf(state, sizeof state, "XDG_STATE_HOME=%s", state_dir);
	all[n++] = state;
	execve(argv[0], (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)all);
	fprintf(stderr, "cannot run %s\n", argv[0]);
	_exit(127);
}

void screen_start(struct screen *s, int rows, int cols, const char *const *argv, const char *const *env)
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

	if (!has_runtime(env))
		own_runtime();
	memset(s, 0, sizeof *s);
	s->rows = rows;
	s->cols = cols;
	open_terminal(s);
	snprintf(s->state_dir, sizeof s->state_dir, "/tmp/terrarium-screen-XXXXXX");
	assert_non_null(mkdtemp(s->state_dir));
	s->pid = forkpty(&s->fd, NULL, NULL, &size);
	assert_true(s->pid >= 0);
	if (s->pid == 0)
		run_child(argv, env, s->state_dir);
	fcntl(s->fd, F_SETFL, O_NONBLOCK);
	fcntl(s->fd, F_SETFD, FD_CLOEXEC);
}

static void keep_raw(struct screen *s, const char *bytes, size_t n)
{
	if (n > sizeof s->raw) {
		bytes += n - sizeof s->raw;
		n = sizeof s->raw;
	}
	if (s->raw_len + n > sizeof s->raw) {
		size_t drop = s->raw_len + n - sizeof s->raw;
		memmove(s->raw, s->raw + drop, s->raw_len - drop);
		s->raw_len -= drop;
	}
	memcpy(s->raw + s->raw_len, bytes, n);
	s->raw_len += n;
}

static void keep_log(struct screen *s, const char *bytes, size_t n)
{
	char *log = s->is_logged ? realloc(s->log, s->log_len + n) : NULL;

	if (!log)
		return;
	memcpy(log + s->log_len, bytes, n);
	s->log = log;
	s->log_len += n;
}

/* Images by kitty's protocol (ESC _ G … ESC \\) are left out: libvterm 0.1.4 would show them as text. */
static void show(struct screen *s, const char *bytes, size_t n)
{
	size_t begin = 0;

	for (size_t i = 0; i < n; i++) {
		bool was_escape = s->is_escape;
		s->is_escape = bytes[i] == '\033';
		if (!s->is_image && was_escape && bytes[i] == '_') {
			vterm_input_write(s->vt, bytes + begin, i - begin);
			vterm_input_write(s->vt, "\030", 1); /* CAN: the escape was none */
			s->is_image = true;
		} else if (s->is_image && was_escape && bytes[i] == '\\') {
			s->is_image = false;
			begin = i + 1;
		}
	}
	if (!s->is_image)
		vterm_input_write(s->vt, bytes + begin, n - begin);
}

/* Wait at most timeout_ms for output and take it. False: nothing came, or nothing can come any more. */
static bool take(struct screen *s, int timeout_ms)
{
	struct pollfd p = {.fd = s->fd, .events = POLLIN};
	char bytes[65536];

	if (s->fd < 0 || poll(&p, 1, timeout_ms) <= 0)
		return false;
	ssize_t n = read(s->fd, bytes, sizeof bytes);
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n <= 0) {
		close(s->fd);
		s->fd = -1;
		return false;
	}
	s->bytes += (size_t)n;
	keep_raw(s, bytes, (size_t)n);
	keep_log(s, bytes, (size_t)n);
	show(s, bytes, (size_t)n);
	/* Answers to queries go back to the program. */
	char answer[256];
	size_t len = vterm_output_read(s->vt, answer, sizeof answer);
	if (s->reply && memmem(bytes, (size_t)n, "\033[c", 3))
		screen_send(s, s->reply);
	else if (len && !s->reply)
		screen_send_bytes(s, answer, len);
	return true;
}

void screen_send_bytes(struct screen *s, const char *bytes, size_t n)
{
	double deadline = screen_now_ms() + SCREEN_DEADLINE_MS;

	while (n && s->fd >= 0) {
		ssize_t w = write(s->fd, bytes, n);
		if (w > 0) {
			bytes += w;
			n -= (size_t)w;
			continue;
		}
		take(s, 5); /* it must read us, and may be waiting for us to read it */
		assert_true(screen_now_ms() < deadline);
	}
}

void screen_send(struct screen *s, const char *keys)
{
	screen_send_bytes(s, keys, strlen(keys));
}

void screen_resize(struct screen *s, int rows, int cols)
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};

	s->rows = rows;
	s->cols = cols;
	vterm_set_size(s->vt, rows, cols);
	assert_int_equal(ioctl(s->fd, TIOCSWINSZ, &size), 0);
}

/* ---- what it shows ---- */

static size_t put_cell(const VTermScreenCell *cell, char *out)
{
	size_t len = 0;

	for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell->chars[i] && cell->chars[i] != (uint32_t)-1;
			i++) {
		uint32_t cp = cell->chars[i];
		if (cp < 0x80) {
			out[len++] = (char)cp;
		} else if (cp < 0x800) {
			out[len++] = (char)(0xc0 | cp >> 6);
			out[len++] = (char)(0x80 | (cp & 63));
		} else if (cp < 0x10000) {
			out[len++] = (char)(0xe0 | cp >> 12);
			out[len++] = (char)(0x80 | (cp >> 6 & 63));
			out[len++] = (char)(0x80 | (cp & 63));
		} else {
			out[len++] = (char)(0xf0 | cp >> 18);
			out[len++] = (char)(0x80 | (cp >> 12 & 63));
			out[len++] = (char)(0x80 | (cp >> 6 & 63));
			out[len++] = (char)(0x80 | (cp & 63));
		}
	}
	if (len == 0 && cell->chars[0] != (uint32_t)-1)
		out[len++] = ' ';
	return len;
}

const char *screen_text(struct screen *s)
{
	size_t len = 0;

	free(s->text);
	s->text = malloc((size_t)s->rows * ((size_t)s->cols * 4 * VTERM_MAX_CHARS_PER_CELL + 1) + 1);
	assert_non_null(s->text);
	for (int row = 0; row < s->rows; row++) {
		size_t ink = len;
		for (int col = 0; col < s->cols; col++) {
			VTermScreenCell cell;
			vterm_screen_get_cell(s->vts, (VTermPos){.row = row, .col = col}, &cell);
			size_t n = put_cell(&cell, s->text + len);
			bool is_blank = n == 1 && s->text[len] == ' ';
			len += n;
			ink = is_blank ? ink : len;
		}
		len = ink;
		s->text[len++] = '\n';
	}
	s->text[len] = '\0';
	return s->text;
}

bool screen_shows(struct screen *s, const char *text)
{
	return strstr(screen_text(s), text) != NULL;
}

static void wait_until(struct screen *s, const char *text, bool is_shown)
{
	double deadline = screen_now_ms() + SCREEN_DEADLINE_MS;

	while (screen_shows(s, text) != is_shown) {
		bool more = take(s, 100);
		if ((!more && s->fd < 0) || screen_now_ms() > deadline) {
			fprintf(stderr, "waited for '%s' to be %s:\n%s", text, is_shown ? "shown" : "gone",
					screen_text(s));
			fail();
		}
		while (more && screen_now_ms() <= deadline)
			more = take(s, 0);
	}
}

void screen_wait(struct screen *s, const char *text)
{
	wait_until(s, text, true);
}

void screen_wait_gone(struct screen *s, const char *text)
{
	wait_until(s, text, false);
}

void screen_wait_quiet(struct screen *s, int ms)
{
	double deadline = screen_now_ms() + SCREEN_DEADLINE_MS;

	while (take(s, ms))
		if (screen_now_ms() > deadline) {
			fprintf(stderr, "it goes on and on:\n%s", screen_text(s));
			fail();
		}
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

static void remove_dir(const char *path)
{
	if (path[0])
		nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void screen_abandon(struct screen *s)
{
	if (s->pid > 0) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, NULL, 0);
	}
	if (s->fd >= 0)
		close(s->fd);
	if (s->vt)
		vterm_free(s->vt);
	free(s->text);
	free(s->log);
	remove_dir(s->state_dir);
	memset(s, 0, sizeof *s);
	s->fd = -1;
}

static bool has_ended(const struct screen *s)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid;
}

int screen_leave(struct screen *s)
{
	double deadline = screen_now_ms() + SCREEN_DEADLINE_MS;
	bool is_asked;

	screen_send(s, KEY_F(10));
	while (!(is_asked = (screen_shows(s, "Quit?") || screen_shows(s, "Detach?"))) && !has_ended(s)
			&& screen_now_ms() < deadline)
		take(s, 20);
	if (is_asked)
		screen_send(s, screen_shows(s, "Discard text") ? "d" : "q");
	return screen_end(s);
}

int screen_end(struct screen *s)
{
	double deadline = screen_now_ms() + SCREEN_DEADLINE_MS;
	int status = 0;
	pid_t got;

	while ((got = waitpid(s->pid, &status, WNOHANG)) == 0 && screen_now_ms() < deadline)
		if (!take(s, 20) && s->fd < 0)
			poll(NULL, 0, 5);
	while (take(s, 0))
		;
	if (got == 0) {
		kill(s->pid, SIGKILL);
		waitpid(s->pid, &status, 0);
		s->pid = 0;
		fprintf(stderr, "the program did not end:\n%s", screen_text(s));
		fail();
	}
	s->pid = 0;
	screen_abandon(s);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool screen_has_sandboxes(const char *program)
{
	char command[600], line[300] = "no reason is given\n";
	snprintf(command, sizeof command, "'%s' run --yes --backend local -c 'print(1)' 2>&1 >/dev/null",
			program);
	FILE *f = popen(command, "r");
	while (f && fgets(line, sizeof line, f)) {}
	if (f && pclose(f) == 0)
		return true;
	printf("SKIP: no sandbox of this machine: %s", line);
	return false;
}
