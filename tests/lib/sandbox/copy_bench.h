/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SANDBOX_COPY_BENCH_H
#define TESTS_SANDBOX_COPY_BENCH_H

/* A copy between a folder of this machine and an agent that says what the test wants. */

#include "cmocka_all.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "lib/sandbox/puppet.h"
#include "wire/entry.h"
#include "wire/message.h"

enum { STREAM = 1 << 10 /* the first that a host opens */, TURNS = 5000 };

struct bench {
	struct trm_loop *loop;
	struct trm_sandbox *sandbox; /* NULL: it has closed */
	struct trm_copy *copy;       /* NULL: it is over */
	struct buf out, heard;
	char top[64]; /* the target is in it, and nothing else may come to be */
	char target[80];
	struct trm_error why, sandbox_why;
	struct trm_copy_progress sum;
	char refused[1000], asked[1000];
	unsigned n_refused;
	bool is_picky;    /* copies only what wants() answers yes to */
	int64_t since_ns; /* unless_changed_since_ns */
	bool is_endless;  /* say the last frame again and again */
	size_t endless_from;
};

static inline void on_closed(void *user, struct trm_sandbox *s, const struct trm_error *why)
{
	struct bench *b = user;
	(void)s;
	b->sandbox = NULL;
	b->sandbox_why = *why;
}

static const struct trm_sandbox_cb SANDBOX_CB = {.closed = on_closed};

static inline void on_refused(void *user, const struct trm_error *why)
{
	struct bench *b = user;
	size_t n = strlen(b->refused);
	snprintf(b->refused + n, sizeof b->refused - n, "%s\n", why->msg);
	b->n_refused++;
}

static inline void on_done(void *user, const struct trm_error *why, const struct trm_copy_progress *sum)
{
	struct bench *b = user;
	assert_non_null(b->copy);
	b->copy = NULL;
	b->why = *why;
	b->sum = *sum;
}

static const struct trm_copy_cb COPY_CB = {.refused = on_refused, .done = on_done};

static inline void begin(struct bench *b)
{
	struct trm_sandbox_opts opts;
	*b = (struct bench){0};
	never_connects = false;
	buf_init(&b->out, 64 << 20);
	buf_init(&b->heard, 64 << 20);
	strcpy(b->top, "/tmp/terrarium-copy-XXXXXX");
	assert_non_null(mkdtemp(b->top));
	snprintf(b->target, sizeof b->target, "%s/target", b->top);
	assert_int_equal(mkdir(b->target, 0700), 0);
	assert_int_equal(trm_loop_create(&b->loop, NULL), 0);
	trm_sandbox_opts_default(&opts);
	assert_int_equal(trm_sandbox_open(b->loop, &opts, &SANDBOX_CB, b, &b->sandbox, NULL), 0);
	welcome_msg_put(&b->out, "test", 1, NULL, 0);
}

static inline int remove_one(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status, (void)kind, (void)at;
	return remove(path);
}

static inline unsigned count_in(const char *path)
{
	unsigned n = 0;
	DIR *dir = opendir(path);
	struct dirent *row;
	while (dir && (row = readdir(dir)))
		n += strcmp(row->d_name, ".") != 0 && strcmp(row->d_name, "..") != 0;
	if (dir)
		closedir(dir);
	return n;
}

static inline void end(struct bench *b)
{
	assert_null(b->copy);
	if (b->sandbox)
		trm_sandbox_close(b->sandbox);
	for (int i = 0; b->sandbox && i < TURNS; i++)
		trm_loop_step(b->loop, 1);
	assert_null(b->sandbox);
	trm_loop_destroy(b->loop);
	assert_int_equal(count_in(b->top), 1); /* only the target */
	nftw(b->top, remove_one, 32, FTW_PHYS | FTW_DEPTH);
	buf_finish(&b->out);
	buf_finish(&b->heard);
}

/* One turn: hear, say, step. */
static inline void turn(struct bench *b)
{
	char bytes[65536];
	ssize_t n;
	while (puppet && puppet->fds[1] >= 0
			&& (n = recv(puppet->fds[1], bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
		assert_int_equal(buf_append(&b->heard, bytes, (size_t)n), 0);
	if (puppet && puppet->fds[1] >= 0 && puppet->is_connected && b->out.len) {
		n = send(puppet->fds[1], buf_at(&b->out), b->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n > 0 && !b->is_endless)
			buf_take(&b->out, (size_t)n);
		else if (n > 0 && (size_t)n >= b->endless_from)
			buf_take(&b->out, b->endless_from), b->endless_from = 0;
	}
	trm_loop_step(b->loop, 1);
}

static inline void until_over(struct bench *b)
{
	for (int i = 0; b->copy && i < TURNS; i++)
		turn(b);
	assert_null(b->copy);
}

/* Whose last component begins with 'n' is wanted. */
static inline bool wants(void *user, const struct trm_file *file)
{
	struct bench *b = user;
	const char *slash = strrchr(file->name, '/');
	size_t n = strlen(b->asked);
	snprintf(b->asked + n, sizeof b->asked - n, "%s %d,", file->name, (int)file->kind);
	return *(slash ? slash + 1 : file->name) == 'n';
}

static inline void start_copy(struct bench *b, const char *source, const char *target)
{
	const char *sources[] = {source, NULL};
	const struct trm_copy_opts opts = {.size = sizeof(struct trm_copy_opts),
			.sources = sources,
			.target = target,
			.own = b->sandbox,
			.in_fd = -1,
			.out_fd = -1,
			.max_bytes = 1 << 20,
			.max_files = 100,
			.wants = b->is_picky ? wants : NULL,
			.unless_changed_since_ns = b->since_ns};
	assert_int_equal(trm_copy_start(b->loop, &opts, &COPY_CB, b, &b->copy, NULL), 0);
}

static inline void get(struct bench *b)
{
	start_copy(b, ":d", b->target);
	until_over(b);
}

static inline struct entry entry_of(enum entry_kind kind, const char *name, const char *text, uint64_t size)
{
	struct entry e = {.kind = kind, .mode = 06777, .size = size};
	memcpy(e.name, name, strlen(name) + 1);
	memcpy(e.text, text, strlen(text) + 1);
	return e;
}

static inline void say(
		struct bench *b, enum entry_kind kind, const char *name, const char *text, uint64_t size)
{
	struct entry e = entry_of(kind, name, text, size);
	assert_int_equal(entry_put(&b->out, STREAM, &e), 0);
}

static inline void say_data(struct bench *b, const char *bytes)
{
	frame_put(&b->out, STREAM, FRAME_DATA, 0, bytes, strlen(bytes));
}

static inline void say_file(struct bench *b, const char *name, const char *bytes)
{
	say(b, ENTRY_FILE, name, "", strlen(bytes));
	say_data(b, bytes);
	say(b, ENTRY_END, "", "", strlen(bytes));
}

static inline void say_done(struct bench *b)
{
	static const struct tree_sum none;
	tree_sum_put(&b->out, STREAM, &none);
}

static inline unsigned count_files(struct bench *b)
{
	char path[100];
	snprintf(path, sizeof path, "%s/d", b->target);
	return count_in(path);
}

#endif
