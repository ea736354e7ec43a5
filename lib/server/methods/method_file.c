/* SPDX-License-Identifier: MIT */
/* sandbox.file.put and sandbox.file.get, extensions of ours: files in pieces of at most 1 MiB, as base64.
 *
 *   put {path, base64, mode?, append?} -> {"bytes"}           `append`: at the end of the file
 *   get {path, offset?, size?} -> {"base64","mode","size"}    size: of the whole file
 *
 * The agent transfers whole files. To append, and to read from the middle of a bigger file, a program in
 * the sandbox is started. */
#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/files.h>
#include <terrarium/sandbox.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/err.h"
#include "rpc/params.h"
#include "rpc/put.h"
#include "server/jsonrpc/call.h"
#include "server/jsonrpc/method.h"
#include "server/jsonrpc/server.h"
#include "server/methods/use.h"
#include "server/sandboxes/fleet.h"

enum { PIECE_MAX = 1 << 20, MODE_MAX = 07777, MODE_DEFAULT = 0644 };
#define OFFSET_MAX (UINT64_C(1) << 50)

struct file_call {
	struct use use;
	const char *path; /* of the call's params */
	uint64_t mode, offset, size;
	bool appends, is_put;
	bool is_short; /* memory was lacking, so bytes are missing */
	struct buf bytes;
	struct trm_proc *proc; /* the program that does it; NULL: none */
	struct buf words;      /* its stderr */
	uint64_t file_size;
	uint32_t file_mode;
};

/* ---- the end --------------------------------------------------------------------------- */

static void finish(struct use *u)
{
	struct file_call *c = (struct file_call *)u;
	buf_finish(&c->bytes);
	buf_finish(&c->words);
}

static void reply_put(struct file_call *c)
{
	cJSON *result = cJSON_CreateObject();
	rpc_put_number(&result, "bytes", (double)c->bytes.len);
	call_result(c->use.call, result);
	use_end(&c->use);
}

static void reply_get(struct file_call *c)
{
	cJSON *result = cJSON_CreateObject();
	struct buf letters;
	buf_init(&letters, BASE64_LEN(PIECE_MAX) + 1);
	bool is_ok = !c->is_short && base64_put(&letters, buf_at(&c->bytes), c->bytes.len) == 0
		     && buf_append(&letters, "", 1) == 0;
	rpc_put(&result, "base64", is_ok ? cJSON_CreateString(buf_at(&letters)) : NULL);
	rpc_put_number(&result, "mode", c->file_mode);
	rpc_put_number(&result, "size", (double)c->file_size);
	buf_finish(&letters);
	call_result(c->use.call, result);
	use_end(&c->use);
}

static void on_data(void *user, const void *bytes, size_t n)
{
	struct file_call *c = user;
	c->is_short |= buf_append(&c->bytes, bytes, n) < 0;
}

/* ---- through a program --------------------------------------------------------------------- */

static void on_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct file_call *c = user;
	(void)proc;
	if (channel == TRM_STDERR)
		buf_append(&c->words, bytes, n);
	else if (!c->is_put)
		on_data(c, bytes, n);
}

/* The first line of stderr, cut so that a long path fits. A killed program has written nothing; then use
 * the limit that it exceeded. */
static void format_error(const struct file_call *c, const struct trm_exit *exit, struct trm_error *ret)
{
	const char *words = c->words.len ? buf_at(&c->words) : exit->limit;
	const char *end = c->words.len ? memchr(words, '\n', c->words.len) : NULL;
	size_t n = c->words.len ? c->words.len : strlen(words);
	if (n)
		trm_error_set(ret, TRM_EIO, "%.80s: %.*s", c->path, end ? (int)(end - words) : (int)n, words);
	else
		trm_error_set(ret, TRM_EIO, "%.80s: %s %d", c->path,
				exit->signal ? "ended by signal" : "exit code",
				exit->signal ? exit->signal : exit->exit_code);
}

static void on_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *exit, const struct trm_error *why)
{
	struct file_call *c = user;
	struct trm_error own = {0};
	(void)proc;
	c->proc = NULL;
	if (!exit)
		own = *why;
	else if (c->is_put && c->is_short)
		trm_error_set(&own, TRM_ENOMEM, "%s: out of memory", c->path);
	else if (exit->signal || exit->exit_code)
		format_error(c, exit, &own);
	if (own.code)
		use_fail(&c->use, &own);
	else if (c->is_put)
		reply_put(c);
	else
		reply_get(c);
}

static const struct trm_proc_cb PROC_CB = {.output = on_output, .exited = on_exited};

static int spawn(struct file_call *c, const char *const *argv, struct trm_error *why)
{
	const struct trm_proc_opts opts = {.size = sizeof(struct trm_proc_opts),
			.argv = argv,
			.label = "terrarium serve",
			.stdin_open = c->is_put,
			.tells_limit = true};
	int r = trm_proc_spawn(c->use.served->sandbox, &opts, &PROC_CB, c, &c->proc, why);
	if (r < 0 || !c->is_put)
		return r;
	c->is_short = trm_proc_write(c->proc, TRM_STDIN, buf_at(&c->bytes), c->bytes.len, NULL) < 0;
	trm_proc_close_stdin(c->proc);
	return 0;
}

/* Reading a FIFO, for example, may never end. */
static void leave(struct use *u)
{
	struct file_call *c = (struct file_call *)u;
	if (c->proc)
		trm_proc_close(c->proc);
}

static int append(struct file_call *c, struct trm_error *why)
{
	static const char *const script = "exec cat >>\"$1\"";
	const char *const argv[] = {"sh", "-c", script, "sh", c->path, NULL};
	return spawn(c, argv, why);
}

static int read_piece(struct file_call *c, struct trm_error *why)
{
	static const char *const script = "tail -c +\"$2\" -- \"$1\" | head -c \"$3\"";
	char from[24], size[24];
	const char *const argv[] = {"sh", "-c", script, "sh", c->path, from, size, NULL};
	snprintf(from, sizeof from, "%llu", (unsigned long long)c->offset + 1);
	snprintf(size, sizeof size, "%llu", (unsigned long long)c->size);
	return spawn(c, argv, why);
}

/* ---- whole --------------------------------------------------------------------------------- */

static void on_put(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	struct file_call *c = user;
	(void)size, (void)mode;
	if (why->code)
		use_fail(&c->use, why);
	else
		reply_put(c);
}

static void on_got(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	struct file_call *c = user;
	c->file_size = size;
	c->file_mode = mode;
	if (why->code)
		use_fail(&c->use, why);
	else
		reply_get(c);
}

static const struct trm_transfer_cb PUT_CB = {.done = on_put};
static const struct trm_transfer_cb GET_CB = {.data = on_data, .done = on_got};

static void on_stat(void *user, const struct trm_file *file)
{
	struct file_call *c = user;
	c->file_size = file->kind == TRM_FILE_REGULAR ? file->size : 0;
	c->file_mode = file->mode;
}

static void on_known(void *user, const struct trm_error *why)
{
	struct file_call *c = user;
	struct trm_error own = *why;
	bool is_whole = !c->offset && c->file_size <= c->size;
	if (!own.code && is_whole)
		trm_file_get(c->use.served->sandbox, c->path, PIECE_MAX, &GET_CB, c, &own);
	else if (!own.code)
		read_piece(c, &own);
	if (own.code)
		use_fail(&c->use, &own);
}

static const struct trm_list_cb STAT_CB = {.file = on_stat, .done = on_known};

/* ---- begun ------------------------------------------------------------------------------- */

static int begin(struct use *u, struct trm_error *why)
{
	struct file_call *c = (struct file_call *)u;
	if (!c->is_put)
		return trm_file_stat(u->served->sandbox, c->path, &STAT_CB, c, why);
	if (c->appends)
		return append(c, why);
	return trm_file_put(u->served->sandbox, c->path, (uint32_t)c->mode, buf_at(&c->bytes), c->bytes.len,
			&PUT_CB, c, why);
}

static int read_bytes(struct file_call *c, struct trm_error *why)
{
	const char *letters = "";
	size_t n;
	int r = rpc_need_text(c->use.call->params, "base64", &letters, why);
	if (r < 0)
		return r;
	char *bytes = base64_decode(letters, strlen(letters), &n);
	if (bytes)
		r = buf_append(&c->bytes, bytes, n);
	free(bytes);
	if (bytes && r == 0)
		return 0;
	return trm_error_set(why, TRM_EINVAL, "`base64` must be base64 of at most %d bytes", PIECE_MAX);
}

static int read_params(struct file_call *c, struct trm_error *why)
{
	const cJSON *params = c->use.call->params;
	c->mode = MODE_DEFAULT;
	c->size = PIECE_MAX;
	buf_init(&c->bytes, PIECE_MAX);
	buf_init(&c->words, 256);
	int r = rpc_need_text(params, "path", &c->path, why);
	if (r == 0 && !*c->path)
		r = trm_error_set(why, TRM_EINVAL, "`path` is empty");
	if (r == 0 && c->is_put)
		r = rpc_get_number(params, "mode", MODE_MAX, &c->mode, why);
	if (r == 0 && c->is_put)
		r = rpc_get_bool(params, "append", &c->appends, why);
	if (r == 0 && c->is_put)
		r = read_bytes(c, why);
	if (r == 0)
		r = rpc_get_number(params, "offset", OFFSET_MAX, &c->offset, why);
	if (r == 0)
		r = rpc_get_number(params, "size", PIECE_MAX, &c->size, why);
	return r;
}

static int read_put(struct use *u, struct trm_error *why)
{
	struct file_call *c = (struct file_call *)u;
	c->is_put = true;
	return read_params(c, why);
}

static int read_get(struct use *u, struct trm_error *why)
{
	return read_params((struct file_call *)u, why);
}

static const struct use_kind PUT = {.size = sizeof(struct file_call),
		.wrong_params = RPC_PARAMS,
		.read = read_put,
		.begin = begin,
		.gone = leave,
		.finish = finish};
static const struct use_kind GET = {.size = sizeof(struct file_call),
		.wrong_params = RPC_PARAMS,
		.read = read_get,
		.begin = begin,
		.gone = leave,
		.finish = finish};

void method_file_put(struct call *call)
{
	use_begin(call, &PUT);
}

void method_file_get(struct call *call)
{
	use_begin(call, &GET);
}
