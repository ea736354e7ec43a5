/* SPDX-License-Identifier: MIT */
#include "agent/batch/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/batch/command.h"
#include "agent/batch/diagnose.h"
#include "agent/batch/event.h"
#include "agent/batch/line_header.h"
#include "agent/batch/order.h"
#include "agent/batch/pieces.h"
#include "agent/batch/reading.h"
#include "agent/batch/run_env.h"
#include "agent/batch/seed.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/signame.h"

enum {
	REQUESTS = 3,
	SPEC = 5,
	FIRST_SPARE = 10,
	SPARE_SETS = 4,
	SUPERVISED_OUT = FIRST_SPARE + 2 * SPARE_SETS, /* the first 1 and 2 */
	COMMANDS = 8,
	WORDS = 33,
	SAID_MAX = 64 * 1024, /* of a compiler's output, kept for its error messages */
};

#define SPEC_MAX (1u << 20)
#define LINE_MAX_BYTES (96u << 20)

struct batch {
	const char *name, *missing;
	const char *ending;
	const char *commands[COMMANDS][WORDS + 1];
	size_t n_commands;
	int set; /* output set in use */
	struct pieces pieces;
};

/* One run. */
struct job {
	const struct order *order;
	char folder[PATH_MAX]; /* made by us, and removed at the end; "" none */
	char file[PATH_MAX], out[PATH_MAX], dir[PATH_MAX], lines[PATH_MAX];
	bool has_made_file;
	int status;     /* wait status of the command that ended last */
	int error;      /* errno if it could not be started */
	bool is_noexec; /* for it lies where nothing may be started */
	const char *program;
	struct buf said; /* output of the commands that prepare the run */
};

static volatile sig_atomic_t is_interrupted;

static void on_interrupt(int signo)
{
	(void)signo;
	is_interrupted = 1;
}

/* ---- input -------------------------------------------------------------------------------- */

static bool read_all(int fd, struct buf *out)
{
	enum { PIECE = 64 * 1024 };
	for (;;) {
		char *room = buf_reserve(out, PIECE);
		ssize_t n = room ? read(fd, room, PIECE) : -1;
		if (n < 0 && room && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0;
		buf_fill(out, (size_t)n);
	}
}

/* Read words up to an empty one. False: there are too many, or the empty one is missing. */
static bool read_words(const char **at, const char *end, const char *words[])
{
	size_t n = 0;
	for (; *at < end && **at && n < WORDS; *at += strlen(*at) + 1)
		words[n++] = *at;
	bool has_end = *at < end && !**at;
	*at += has_end;
	return has_end;
}

static bool read_spec(struct batch *b)
{
	static struct buf spec; /* the words stay in this buffer */
	buf_init(&spec, SPEC_MAX);
	if (!read_all(SPEC, &spec) || buf_append(&spec, "", 1) < 0)
		return false;
	close(SPEC);
	const char *at = buf_at(&spec), *end = at + spec.len - 1;
	struct pieces *p = &b->pieces;
	p->ending = b->ending = at;
	p->name = b->name;
	p->missing = b->missing;
	for (at += strlen(at) + 1; at < end && *at; b->n_commands++)
		if (b->n_commands == COMMANDS || !read_words(&at, end, b->commands[b->n_commands]))
			return false;
	if (at < end) { /* an empty command: the language has pieces */
		at++;
		if (!read_words(&at, end, p->compiler))
			return false;
		p->native = at;
		p->native_len = (size_t)(end - at);
		pieces_init(p);
	}
	return b->n_commands;
}

/* ---- files ---- */

static bool holds_code(const char *path, const struct order *o)
{
	struct buf text;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	buf_init(&text, o->code_len + 64 * 1024);
	bool is_same = read_all(fd, &text) && text.len == o->code_len
		       && memcmp(buf_at(&text), o->code, o->code_len) == 0;
	buf_finish(&text);
	close(fd);
	return is_same;
}

/* Never overwrite a file or follow a link. */
static bool write_code(const char *path, const struct order *o)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	size_t done = 0;
	while (fd >= 0 && done < o->code_len) {
		ssize_t n = write(fd, o->code + done, o->code_len - done);
		if (n < 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	int error = errno;
	bool is_written = fd >= 0 && close(fd) == 0 && done == o->code_len;
	if (fd >= 0 && !is_written)
		unlink(path);
	errno = error;
	return is_written;
}

/* The path of a program's file. It must lie below the working directory. */
static const char *wanted_path(const struct order *o)
{
	const char *file = o->file, *slash = strrchr(file, '/');
	bool climbs = !strncmp(file, "../", 3) || strstr(file, "/../");
	return slash && (*file == '/' || climbs) ? slash + 1 : file;
}

static void make_folders(const char *path)
{
	char part[PATH_MAX];
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
		if (*part)
			mkdir(part, 0755);
	}
}

/* Does the name have an ending? If not, it gets the language's, because compilers depend on it. */
static bool has_ending(const char *name)
{
	const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
	return dot && dot > (slash ? slash : name);
}

static bool path_fits(int n)
{
	return n >= 0 && n < PATH_MAX;
}

/* Put the code where the commands find it. */
static bool place_source(const struct batch *b, struct job *job)
{
	const struct order *o = job->order;
	bool has_name = *o->file && *o->file != '<';
	const char *wanted = has_name ? wanted_path(o) : "main";
	const char *ending = has_ending(wanted) ? "" : b->ending;
	const char *slash = strrchr(wanted, '/'), *base = slash ? slash + 1 : wanted;
	if (!step_folder_make(job->folder))
		return false;
	bool is_here = false;
	if (has_name && !*ending && path_fits(snprintf(job->file, PATH_MAX, "%s", wanted))) {
		is_here = holds_code(job->file, o);
		if (!is_here) {
			make_folders(job->file);
			is_here = job->has_made_file = write_code(job->file, o);
		}
	}
	if (!is_here
			&& (!path_fits(snprintf(job->file, PATH_MAX, "%s/%s%s", job->folder, base, ending))
					|| !write_code(job->file, o)))
		return false;
	const char *end = strrchr(job->file, '/');
	snprintf(job->dir, PATH_MAX, "%.*s", end ? (int)(end - job->file) : 1, end ? job->file : ".");
	const char *dot = strrchr(base, '.');
	int stem = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
	mkdir(path_fits(snprintf(job->out, PATH_MAX, "%s/out", job->folder)) ? job->out : "", 0755);
	return path_fits(snprintf(job->out, PATH_MAX, "%s/out/%.*s", job->folder, stem, base))
	       && path_fits(snprintf(job->lines, PATH_MAX, "%s/lines", job->folder));
}

/* ---- commands ---- */

/* The word with its placeholders filled in, malloc'd. */
static char *expand_word(const struct job *job, const char *word)
{
	const struct {
		const char *name, *value;
	} names[] = {{"{file}", job->file}, {"{out}", job->out}, {"{dir}", job->dir},
			{"{lines}", job->lines}};
	struct buf out;
	buf_init(&out, SPEC_MAX);
	while (*word) {
		size_t i = 0, n = sizeof names / sizeof *names;
		while (i < n && strncmp(word, names[i].name, strlen(names[i].name)) != 0)
			i++;
		if (i < n && names[i].value == job->lines)
			line_header_make(job->lines);
		if (i < n)
			event_add(&out, names[i].value);
		else
			buf_append(&out, word, 1);
		word += i < n ? strlen(names[i].name) : 1;
	}
	buf_append(&out, "", 1);
	char *text = buf_at(&out) ? strdup(buf_at(&out)) : NULL;
	buf_finish(&out);
	return text;
}

static void free_words(char **argv)
{
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
}

static char **make_argv(const struct job *job, const char *const *words)
{
	size_t n = 0;
	char **argv = calloc(WORDS + ORDER_ARGS + 1, sizeof *argv);
	bool is_whole = argv != NULL;
	for (; is_whole && *words; words++) {
		const char *const *args = job->order->args;
		if (strcmp(*words, "{args}") != 0)
			is_whole = (argv[n++] = expand_word(job, *words)) != NULL;
		else
			for (; is_whole && *args; args++)
				is_whole = (argv[n++] = strdup(*args)) != NULL;
	}
	if (is_whole)
		return argv;
	free_words(argv);
	return NULL;
}

static void write_out(const char *bytes, size_t n)
{
	while (n) {
		ssize_t w = write(STDERR_FILENO, bytes, n);
		if (w < 0 && errno != EINTR)
			return;
		bytes += w > 0 ? w : 0;
		n -= w > 0 ? (size_t)w : 0;
	}
}

/* Read the output of a command that prepares the run. It is kept up to a limit, with the name of the file
 * as the user knows it. Further output is passed on at once. */
static void listen_to(struct job *job, int fd)
{
	char piece[16 * 1024];
	struct buf raw;
	bool is_full = false;
	buf_init(&raw, SAID_MAX);
	for (;;) {
		ssize_t n = read(fd, piece, sizeof piece);
		if (n < 0 && errno == EINTR)
			continue;
		is_full |= n <= 0 || buf_append(&raw, piece, (size_t)n) < 0;
		if (is_full && raw.len) {
			size_t had = job->said.len;
			diagnose_rename(&job->said, buf_at(&raw), raw.len, job->file, job->order->file);
			write_out(buf_at(&job->said) + had, job->said.len - had);
			buf_clear(&raw);
		}
		if (n <= 0)
			break;
		if (is_full)
			write_out(piece, (size_t)n);
	}
	buf_finish(&raw);
}

static bool run_job_command(struct job *job, const char *const *words, bool is_last)
{
	int fds[2] = {-1, -1};
	char **argv = make_argv(job, words);
	struct statvfs disk;
	pid_t pid;
	job->error = argv ? 0 : ENOMEM;
	job->program = words[0];
	if (!job->error && !is_last && pipe2(fds, O_CLOEXEC) < 0)
		job->error = errno;
	if (!job->error)
		job->error = step_start(argv, fds[1], &pid);
	job->is_noexec = job->error == EACCES && statvfs(argv[0], &disk) == 0 && (disk.f_flag & ST_NOEXEC);
	free_words(argv);
	if (fds[1] >= 0)
		close(fds[1]);
	if (!job->error && !is_last)
		listen_to(job, fds[0]);
	if (fds[0] >= 0)
		close(fds[0]);
	struct reading reading = {.tell = event_input, .user = (void *)job->order};
	if (!job->error)
		job->status = reading_wait(&reading, pid);
	return !job->error && WIFEXITED(job->status) && WEXITSTATUS(job->status) == 0;
}

/* ---- the end of a run ---- */

static uint64_t cpu_us(void)
{
	struct rusage use;
	getrusage(RUSAGE_CHILDREN, &use);
	return (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000
	       + (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

/* Output of processes that still run must not count as the next run's, so the next run gets another set. */
static int next_set(struct batch *b)
{
	if (!pieces_has_left(&b->pieces))
		return -1;
	b->set = (b->set + 1) % (SPARE_SETS + 1);
	int first = b->set ? FIRST_SPARE + 2 * (b->set - 1) : SUPERVISED_OUT;
	dup2(first, STDOUT_FILENO);
	dup2(first + 1, STDERR_FILENO);
	return b->set;
}

static void put_outcome(struct buf *out, const struct batch *b, struct job *job, bool is_placed, bool is_last)
{
	char text[PATH_MAX + 400];
	int code = WIFSIGNALED(job->status) ? 128 + WTERMSIG(job->status) : WEXITSTATUS(job->status);
	if (is_interrupted) {
		event_add(out, "interrupted\"");
		return;
	}
	if (!is_placed || job->error)
		code = is_placed && job->error == ENOENT ? 127 : 126;
	bool is_made = job->program && strncmp(job->program, "{out}", 5) == 0;
	event_add(out, code ? "error\"" : "ok\"");
	snprintf(text, sizeof text, ",\"exit_code\":%d", code);
	event_add(out, text);
	if (!is_placed) {
		snprintf(text, sizeof text, "the code cannot be written to a file in the sandbox: %s",
				strerror(job->error));
		event_add_error(out, "SandboxError", text);
	} else if (job->error && is_made) {
		snprintf(text, sizeof text,
				"the program that was made cannot be started in the sandbox: %s%s",
				strerror(job->error),
				job->is_noexec ? ", as its disk is mounted noexec: mount /tmp or /var/tmp without"
					       : "");
		event_add_error(out, "SandboxError", text);
	} else if (job->error) {
		snprintf(text, sizeof text, "%s cannot be started in the sandbox: %s%s%s", job->program,
				job->error == ENOENT ? "it is not there" : strerror(job->error),
				job->error == ENOENT && *b->missing ? ": " : "",
				job->error == ENOENT ? b->missing : "");
		event_add_error(out, "NotInstalled", text);
	} else if (WIFSIGNALED(job->status)) {
		snprintf(text, sizeof text, "%s was ended by signal %d",
				is_last ? "the program" : job->program, WTERMSIG(job->status));
		event_add_error(out, signal_text(WTERMSIG(job->status)), text);
	} else if (code && !is_last) {
		diagnose_message(buf_at(&job->said), job->said.len, text, sizeof text);
		event_add_error(out, "CompileError", *text ? text : "see its output");
	}
}

static void run_program(struct batch *b, const struct order *o, struct buf *event, uint64_t *ret_compile_ns)
{
	struct job job = {.order = o};
	buf_init(&job.said, SAID_MAX * 4);
	errno = ENAMETOOLONG; /* unless a call gives another */
	bool is_placed = place_source(b, &job), goes_on = is_placed;
	if (!is_placed)
		job.error = errno;
	size_t i = 0;
	for (uint64_t begin_ns = clock_ns(); goes_on && !is_interrupted && i < b->n_commands; i++) {
		bool is_last = i + 1 == b->n_commands;
		if (is_last && i)
			event_compiled(o);
		goes_on = run_job_command(&job, b->commands[i], is_last);
		if (!is_last)
			*ret_compile_ns = clock_ns() - begin_ns;
	}
	put_outcome(event, b, &job, is_placed, i == b->n_commands);
	if (job.has_made_file)
		unlink(job.file);
	if (*job.folder)
		step_folder_remove(job.folder);
	buf_finish(&job.said);
}

static bool interrupts(void)
{
	return is_interrupted;
}

static void run_order(struct batch *b, const struct order *o)
{
	struct buf event, outcome;
	struct run_env env;
	struct pieces_cost cost = {0};
	char text[80];
	uint64_t before = cpu_us();
	buf_init(&event, SAID_MAX * 64);
	buf_init(&outcome, SAID_MAX * 64);
	is_interrupted = 0;
	run_env_begin(&env, o);
	if (pieces_take(&b->pieces, o))
		pieces_run(&b->pieces, o, b->set, interrupts, &outcome, &cost);
	else
		run_program(b, o, &outcome, &cost.compile_ns);
	run_env_end(&env);
	event_add(&event, "{\"ev\":\"done\",\"id\":");
	event_add_string(&event, o->id);
	event_add(&event, ",\"status\":\"");
	buf_append(&event, buf_at(&outcome), outcome.len);
	int set = next_set(b);
	if (set >= 0) {
		snprintf(text, sizeof text, ",\"set\":%d", set);
		event_add(&event, text);
	}
	if (cost.compile_ns) {
		snprintf(text, sizeof text, ",\"compile_us\":%llu",
				(unsigned long long)cost.compile_ns / 1000);
		event_add(&event, text);
	}
	snprintf(text, sizeof text, ",\"cpu_us\":%llu}\n",
			(unsigned long long)(cpu_us() - before + cost.cpu_us));
	event_add(&event, text);
	event_say(&event);
	buf_finish(&event);
	buf_finish(&outcome);
}

/* ---- the other requests ---- */

/* False: the driver is to end. */
static bool obey(struct batch *b, const struct order *o)
{
	static const struct {
		const char *op, *data;
	} answers[] = {{"complete", "{\"matches\":[],\"start\":0,\"end\":0}"},
			{"inspect", "{\"found\":false}"}, {"variables", "{\"variables\":[]}"},
			{"reset", "{}"}};
	if (!strcmp(o->op, "leave"))
		return false;
	if (!strcmp(o->op, "run"))
		run_order(b, o);
	else if (pieces_answer(&b->pieces, o))
		return true;
	else if (!strcmp(o->op, "is_complete"))
		event_reply(o, diagnose_is_whole(o->code, o->code_len)
						? "{\"status\":\"complete\"}"
						: "{\"status\":\"incomplete\",\"indent\":\"\"}");
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
		if (!strcmp(o->op, answers[i].op))
			event_reply(o, answers[i].data);
	return true;
}

static void prepare_signals(void)
{
	struct sigaction action = {.sa_handler = on_interrupt};
	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	for (int fd = 1; fd <= 2; fd++)
		dup3(fd, SUPERVISED_OUT + fd - 1, O_CLOEXEC);
	for (int fd = REQUESTS; fd < SUPERVISED_OUT; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void serve_orders(struct batch *b)
{
	struct buf lines;
	size_t scanned = 0;
	buf_init(&lines, LINE_MAX_BYTES);
	for (bool goes_on = true; goes_on;) {
		char *end = lines.len ? memchr(buf_at(&lines) + scanned, '\n', lines.len - scanned) : NULL;
		if (end) {
			size_t n = (size_t)(end - buf_at(&lines));
			struct order order;
			goes_on = !order_read(buf_at(&lines), n, &order) || obey(b, &order);
			buf_take(&lines, n + 1);
			scanned = 0;
			continue;
		}
		scanned = lines.len;
		char *room = buf_reserve(&lines, 64 * 1024);
		ssize_t n = room ? read(REQUESTS, room, 64 * 1024) : 0;
		if (n > 0)
			buf_fill(&lines, (size_t)n);
		goes_on = n > 0 || (n < 0 && errno == EINTR);
	}
	buf_finish(&lines);
}

int batch_drive(char **argv)
{
	static struct batch batch;
	struct buf event;
	batch.name = argv[1] ? argv[1] : "";
	batch.missing = argv[1] && argv[2] ? argv[2] : "";
	prepare_signals();
	if (!read_spec(&batch))
		return 125;
	seed_fill(getenv("TERRARIUM_SEED"), batch.pieces.compiler);
	buf_init(&event, 1024);
	event_add(&event, "{\"ev\":\"ready\",\"version\":\"\"");
	event_add(&event, batch.n_commands > 1 ? ",\"tells_compiled\":true}\n" : "}\n");
	event_say(&event);
	buf_finish(&event);
	serve_orders(&batch);
	return pieces_leave(&batch.pieces);
}
