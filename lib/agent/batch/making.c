/* SPDX-License-Identifier: MIT */
#include "agent/batch/making.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/batch/command.h"
#include "agent/batch/event.h"
#include "agent/batch/pieces.h"
#include "agent/batch/prepared.h"

enum { ATTEMPTS = 2 };

#define HOST_SAID_MAX (512u << 10)
#define FRONT_TEXT_MAX (8u << 20)

void making_name(char out[PATH_MAX], const struct pieces *p, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = snprintf(out, PATH_MAX, "%s/", p->source.folder);
	if (n < PATH_MAX)
		vsnprintf(out + n, PATH_MAX - (size_t)n, format, args);
	va_end(args);
}

bool making_write(const char *path, const struct buf *a, const struct buf *b)
{
	FILE *f = fopen(path, "we");
	bool is_written = f && (!a->len || fwrite(buf_at(a), a->len, 1, f) == 1)
			  && (!b || !b->len || fwrite(buf_at(b), b->len, 1, f) == 1);
	return f && fclose(f) == 0 && is_written;
}

/* ---- the compiler ---- */

void making_append(const char *argv[], const char *const *more)
{
	while (*argv)
		argv++;
	while (*more)
		*argv++ = *more++;
	*argv = NULL;
}

/* The words are the row's, then these. */
void making_begin(const struct pieces *p, const char *argv[], const char *const *more)
{
	argv[0] = NULL;
	making_append(argv, p->compiler);
	making_append(argv, more);
}

bool making_succeeded(int error, int status)
{
	return !error && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- what stands in front ---- */

bool making_write_front(const struct pieces *p, unsigned number, const struct buf *more)
{
	char path[PATH_MAX];
	struct buf text;
	buf_init(&text, FRONT_TEXT_MAX);
	buf_append(&text, p->native, p->native_len);
	event_add(&text, "\n");
	buf_append(&text, buf_at(&p->source.includes), p->source.includes.len);
	making_name(path, p, "front_%u.h", number);
	bool is_written = making_write(path, &text, more);
	making_name(path, p, "more_%u.h", number);
	is_written = is_written && making_write(path, &p->source.includes, more);
	buf_finish(&text);
	return is_written;
}

/* The headers that stand in front of a piece, as options. What was prepared is used until there is something
 * better. */
void making_put_front(
		const struct pieces *p, unsigned number, char paths[2][PATH_MAX], const char *options[5])
{
	size_t n = 0;
	char made[PATH_MAX];
	making_name(made, p, "front_%u.h.gch", number);
	bool is_prepared = *p->prepared.folder && access(made, F_OK) < 0;
	if (is_prepared)
		snprintf(paths[n++], PATH_MAX, "%.4000s/front.h", p->prepared.folder);
	making_name(paths[n++], p, is_prepared ? "more_%u.h" : "front_%u.h", number);
	for (size_t i = 0; i < n; i++) {
		*options++ = "-include";
		*options++ = paths[i];
	}
	*options = NULL;
}

/* The precompiled header is made while nothing else is done, and used when it is there. */
void making_precompile(struct pieces *p)
{
	char from[PATH_MAX], made[PATH_MAX], to[PATH_MAX];
	const char *argv[PIECES_WORDS + MAKING_ARGS + 1];
	int status = 0;
	making_name(made, p, "front_%u.tmp", p->made_front);
	making_name(to, p, "front_%u.h.gch", p->made_front);
	pid_t ended = p->precompiler ? waitpid(p->precompiler, &status, WNOHANG) : 0;
	if (ended && making_succeeded(0, status) && rename(made, to) < 0)
		unlink(made);
	if (ended)
		p->precompiler = 0;
	bool is_other = p->made_front != p->front;
	if (is_other)
		p->attempts = 0;
	if ((p->precompiler && !is_other) || (!is_other && (access(to, F_OK) == 0 || p->attempts == ATTEMPTS))
			|| (*p->prepared.folder && prepared_has_all(&p->prepared, &p->source.includes)))
		return;
	if (p->precompiler && kill(p->precompiler, SIGKILL) == 0)
		waitpid(p->precompiler, NULL, 0);
	unlink(made);
	p->attempts++;
	p->made_front = p->front;
	making_name(from, p, "front_%u.h", p->front);
	making_name(made, p, "front_%u.tmp", p->front);
	/* A precompiled header is only taken with the very options that it was made with. */
	const char *const more[] = {MAKING_OBJECT, "-c", "-x", p->source.is_c ? "c-header" : "c++-header",
			"-o", made, from, NULL};
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	making_begin(p, argv, more);
	if (fd < 0 || step_start((char **)argv, fd, &p->precompiler))
		p->precompiler = 0;
	if (fd >= 0)
		close(fd);
}

/* ---- the program that keeps the state ---- */

/* The host's program is made while the first piece is compiled, if none was prepared. Gives errno. */
int making_begin_host(struct pieces *p)
{
	char program[PATH_MAX], code[PATH_MAX], said[PATH_MAX];
	const char *argv[PIECES_WORDS + MAKING_ARGS + 1];
	if (*p->prepared.folder) {
		snprintf(program, sizeof program, "%.4000s/host", p->prepared.folder);
		keeper_init(&p->keeper, program);
		return 0;
	}
	making_name(program, p, "host");
	making_name(code, p, "host%s", p->ending);
	making_name(said, p, "host.said");
	keeper_init(&p->keeper, program);
	/* To make it faster would take longer than it saves. */
	const char *const more[] = {"-O0", "-g0", "-DTRM_HOST", "-D_GNU_SOURCE", "-rdynamic", "-o", program,
			code, "-Wl,--no-as-needed", "-lm", "-ldl", NULL};
	making_begin(p, argv, more);
	int fd = open(said, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	int error = fd < 0 ? errno : step_start((char **)argv, fd, &p->host_maker);
	if (error)
		p->host_maker = 0;
	if (fd >= 0)
		close(fd);
	return error;
}

/* Gives errno; *said tells more. */
int making_finish_host(struct pieces *p, struct buf *said)
{
	char path[PATH_MAX];
	int status = 0;
	if (!p->host_maker)
		return 0;
	while (waitpid(p->host_maker, &status, 0) < 0 && errno == EINTR)
		;
	p->host_maker = 0;
	if (making_succeeded(0, status))
		return 0;
	making_name(path, p, "host.said");
	buf_clear(said);
	FILE *f = fopen(path, "re");
	char *room = f ? buf_reserve(said, HOST_SAID_MAX) : NULL;
	if (room)
		buf_fill(said, fread(room, 1, HOST_SAID_MAX, f));
	if (f)
		fclose(f);
	return ENOEXEC;
}
