/* SPDX-License-Identifier: MIT */
/* Writing a file into the sandbox. The file is turned into lines of shell, which are sent in batches. For
 * large files the lines only prepare the target, and the bytes go through sandbox.file.put
 * (<terrarium/server.h>) if the server supports it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/microsandbox/file.h"
#include "backend/microsandbox/shell_upload.h"
#include "base/base64.h"
#include "base/err.h"
#include "base/shell.h"
#include "base/utf8.h"
#include "rpc/names.h"

enum {
	SCRIPT_BYTES = 96 << 10, /* in one request: Linux takes no argument of more than 128 KiB */
	FULL_BYTES = 1
		     << 20, /* bytes waiting to be sent, from which on nothing more is read from the client */
	QUEUE_MAX = 16 << 20,
	PIECE_BYTES = 1 << 20, /* the most that sandbox.file.put takes */
};

struct put {
	bool is_tree;
	bool is_complete; /* everything has come */
	bool must_be_dir;
	char *base;
	char *target;                   /* the final path, once it is known */
	char dirs[ENTRY_DEPTH_MAX + 1]; /* the output of the lines about open directories */
	uint64_t left;                  /* of a file without ENTRYs: bytes to come */
	struct put_lines lines;
	size_t piece;                     /* bytes of the piece that is on its way, … */
	char piece_below[PUT_PATH_BYTES]; /* … and the file they belong to */
	bool is_given_up, is_undoing;
	struct trm_error why; /* the reason; no code: nobody wants to know */
};

/* ---- sending ------------------------------------------------------------------------------- */

static void find_target(struct msb_file *f)
{
	/* By the rules of cp -r: into a directory that exists, under the source's name. The appended dot
	 * preserves a newline at the end of a name. */
	static const char script[] =
			"t=$1\nif [ -d \"$t\" ]; then [ -z \"$2\" ] || t=${t%/}/$2\n"
			"elif [ \"$3\" = 1 ]; then echo \"$t: is not a directory\" >&2; exit 1; fi\n"
			"printf %s. \"$t\" | base64 -w0";
	struct put *p = f->own;
	const char *args[] = {f->path, p->base, p->must_be_dir ? "1" : "0", NULL};
	file_run(f, script, args);
}

/* The size of the whole lines at the front of `text`, at most n bytes, up to the next piece; 0: there is
 * none. */
static size_t count_lines(const struct buf *text, size_t n)
{
	const char *lines = buf_at(text);
	size_t at = 0, next;
	while (at < text->len && lines[at] != PUT_PIECE) {
		next = at + strlen(lines + at) + 1;
		if (next > n)
			break;
		at = next;
	}
	return at;
}

static void send_lines(struct msb_file *f)
{
	struct put *p = f->own;
	const char *args[] = {p->target, p->dirs, NULL};
	struct buf script, *text = &p->lines.text;
	const char *lines = buf_at(text);
	size_t n = count_lines(text, SCRIPT_BYTES);
	if (!n) {
		file_fail(f, TRM_EIO, "%s: a name is too long for this server", f->path);
		return;
	}
	buf_init(&script, 2 * SCRIPT_BYTES);
	buf_append(&script, PUT_HEAD, strlen(PUT_HEAD));
	for (size_t at = 0; at < n; at += strlen(lines + at) + 1) {
		buf_append(&script, lines + at, strlen(lines + at));
		buf_append(&script, "\n", 1);
	}
	buf_take(text, n);
	f->is_full = text->len >= FULL_BYTES;
	if (buf_append(&script, PUT_TAIL, strlen(PUT_TAIL) + 1) < 0)
		file_fail(f, TRM_ENOMEM, "out of memory");
	else
		file_run(f, buf_at(&script), args);
	buf_finish(&script);
}

static void go_on(struct msb_file *f);
static void give_up(struct msb_file *f, const struct trm_error *why);

/* Extract the reason from the message of the program in the sandbox, which the server has passed on. */
static void tell_unwritten(const struct msb_file *f, const struct trm_error *reported, struct trm_error *ret)
{
	const struct put *p = f->own;
	const char *end = strstr(reported->msg, "' (HTTP"), *from = NULL;
	if (end && (strstr(reported->msg, ": cat: ") || strstr(reported->msg, ": sh: ")))
		for (const char *at = reported->msg; (at = strstr(at, ": ")) && at < end; at += 2)
			from = at + 2;
	if (from)
		trm_error_set(ret, file_code_of(from, (size_t)(end - from)),
				"%.120s%.60s: the file cannot be written: %.*s", p->target, p->piece_below,
				(int)(end - from), from);
	else
		*ret = *reported;
}

static void on_piece(void *user, const cJSON *result, const struct trm_error *reported)
{
	struct msb_file *f = user;
	struct msb *m = f->msb;
	struct put *p = f->own;
	struct trm_error why = {0};
	double n;
	f->call = NULL;
	if (!result)
		tell_unwritten(f, reported, &why);
	else if (!kernel_json_number(result, "bytes", PIECE_BYTES, &n) || (size_t)n != p->piece)
		trm_error_set(&why, TRM_EPROTO, "%s: the server did not accept all of the data", f->path);
	if (p->is_given_up)
		give_up(f, &p->why);
	else if (why.code)
		give_up(f, &why);
	else
		go_on(f);
	msb_send(m);
}

static void send_piece(struct msb_file *f)
{
	struct msb *m = f->msb;
	struct put *p = f->own;
	struct buf *text = &p->lines.text;
	const char *below = buf_at(text) + 1, *letters = below + strlen(below) + 1;
	size_t n = strlen(letters), room = strlen(p->target) + strlen(below) + sizeof ".part~";
	char *path = malloc(room);
	struct trm_error why;
	struct msb_request request = {
			.method = RPC_FILE_PUT, .params = msb_params(m, m->name), .is_once = true};
	snprintf(request.what, sizeof request.what, "move files of sandbox '%s'", m->name);
	p->piece = n / 4 * 3 - (n && letters[n - 1] == '=') - (n > 1 && letters[n - 2] == '=');
	snprintf(p->piece_below, sizeof p->piece_below, "%s", below);
	if (path)
		snprintf(path, room, "%s%s.part~", p->target, below);
	cJSON_AddStringToObject(request.params, "path", path ? path : "");
	cJSON_AddStringToObject(request.params, "base64", letters);
	cJSON_AddTrueToObject(request.params, "append");
	free(path);
	buf_take(text, (size_t)(letters + n + 1 - buf_at(text)));
	f->is_full = text->len >= FULL_BYTES;
	if (msb_call(m, &request, on_piece, f, &f->call, &why) < 0)
		file_fail(f, why.code, "%s", why.msg);
}

/* ---- the end ------------------------------------------------------------------------------- */

static void end_given_up(struct msb_file *f)
{
	const struct put *p = f->own;
	if (p->why.code)
		file_fail(f, p->why.code, "%s", p->why.msg);
	else
		file_drop(f);
}

/* The file that the next line continues is open in the sandbox, or else the one that is still coming. */
static bool add_undoing(const struct put *p, struct buf *script)
{
	static const char only_that[] = "p() { x \"$1\"; }\nz() { x \"$1\"; }\ne() { x \"$1\"; }\n";
	const struct put_lines *l = &p->lines;
	const char *line = l->text.len ? buf_at(&l->text) : NULL;
	const char *path = !line ? l->file : *line == PUT_PIECE ? line + 1 : NULL;
	if (!p->target || (line ? !strchr("=pzex", *line) : !l->has_file))
		return false;
	buf_append(script, PUT_HEAD, strlen(PUT_HEAD));
	buf_append(script, only_that, strlen(only_that));
	if (path) {
		buf_append(script, "x ", 2);
		shell_quote(script, path);
	} else {
		buf_append(script, line, strlen(line));
	}
	return buf_append(script, "", 1) == 0;
}

/* Once the server has finished its current request, remove the open file, then end the job. */
static void give_up(struct msb_file *f, const struct trm_error *why)
{
	struct put *p = f->own;
	const char *args[] = {p->target, p->dirs, NULL};
	struct buf script;
	p->is_given_up = true;
	p->why = *why;
	f->is_full = false;
	if (f->call)
		return;
	buf_init(&script, 2 * SCRIPT_BYTES);
	p->is_undoing = add_undoing(p, &script);
	if (p->is_undoing)
		file_run(f, buf_at(&script), args);
	else
		end_given_up(f);
	buf_finish(&script);
}

static void on_unwanted(struct msb_file *f)
{
	static const struct trm_error nothing;
	give_up(f, &nothing);
}

static void put_done(struct msb_file *f)
{
	struct put *p = f->own;
	size_t mark;
	struct pack pack = {.to = &f->msb->out};
	if (p->is_tree) {
		tree_sum_put(&f->msb->out, f->stream, &p->lines.sum);
		return;
	}
	frame_begin(&f->msb->out, f->stream, FRAME_DONE, 0, &mark);
	pack_u64(&pack, p->lines.sum.bytes);
	pack_u32(&pack, p->lines.file_time.mode);
	frame_end(&f->msb->out, mark);
}

static void go_on(struct msb_file *f)
{
	struct put *p = f->own;
	if (f->call || !p->target)
		return;
	if (p->lines.text.len && *buf_at(&p->lines.text) == PUT_PIECE) {
		send_piece(f);
	} else if (p->lines.text.len >= SCRIPT_BYTES || (p->is_complete && p->lines.text.len)) {
		send_lines(f);
	} else if (p->is_complete) {
		put_done(f);
		file_end(f);
	}
}

/* The first answer is the target. The others describe the open directories. */
static bool take_answer(struct put *p, const struct file_said *said)
{
	size_t n;
	if (p->target) {
		snprintf(p->dirs, sizeof p->dirs, "%s", said->out);
		return said->n < sizeof p->dirs;
	}
	p->target = base64_decode(said->out, said->n, &n);
	if (!p->target || n < 2)
		return false;
	p->target[n - 1] = '\0';
	return true;
}

static void on_said(struct msb_file *f, const struct file_said *said)
{
	struct msb *m = f->msb;
	struct put *p = f->own;
	if (p->is_undoing || (p->is_given_up && said->exit_code))
		end_given_up(f);
	else if (said->exit_code)
		file_fail(f, file_code_of(said->wrong, strlen(said->wrong)), "%s",
				*said->wrong ? said->wrong : "the server's shell did not succeed");
	else if (!take_answer(p, said))
		file_fail(f, TRM_EPROTO, "%s: the server's answer is invalid", f->path);
	else if (p->is_given_up)
		give_up(f, &p->why);
	else
		go_on(f);
	msb_send(m); /* there may be room again */
}

/* ---- frames from the client
 * ----------------------------------------------------------------------------------- */

/* Report that a node was not accepted. For a root, that was everything. */
static void tell_refused(struct msb_file *f, const struct trm_error *why)
{
	const struct put *p = f->own;
	struct entry note = {.kind = ENTRY_NOTE, .code = why->code};
	const char *words = *p->base || *why->msg != '/' ? why->msg : why->msg + 1;
	snprintf(note.text, sizeof note.text, "%s%s", p->base, words);
	entry_put(&f->msb->out, f->stream, &note);
}

static void on_frame(struct msb_file *f, const struct frame *frame)
{
	struct put *p = f->own;
	struct trm_error why;
	struct entry e;
	if (p->is_given_up)
		return;
	int r = p->is_complete ? trm_error_set(&why, TRM_EPROTO, "files that nobody expects") : 0;
	if (r == 0 && frame->type == FRAME_DATA)
		put_lines_bytes(&p->lines, frame->payload, frame->len);
	else if (r == 0 && (r = entry_get(frame, &e, &why)) == 0)
		r = put_lines_entry(&p->lines, &e, &why);
	if (r == TRM_EPERM && p->lines.depth)
		tell_refused(f, &why);
	else if (r < 0) {
		file_fail(f, r, "%s%s", p->base, why.msg);
		return;
	}
	if (p->lines.is_short) {
		file_fail(f, TRM_ENOMEM, "out of memory");
		return;
	}
	if (!p->is_tree) {
		p->left -= frame->len < p->left ? frame->len : p->left;
		if (!p->left)
			put_lines_end(&p->lines);
	}
	p->is_complete = p->lines.is_over;
	f->is_full = p->lines.text.len >= FULL_BYTES;
	go_on(f);
}

static void finish_upload(struct msb_file *f)
{
	struct put *p = f->own;
	if (p) {
		free(p->base);
		free(p->target);
		put_lines_finish(&p->lines);
	}
	free(p);
}

static const struct file_ops OPS = {
		.said = on_said, .frame = on_frame, .give_up = on_unwanted, .finish = finish_upload};

static struct put *begin_upload(
		struct msb *m, uint32_t stream, char *path, const char *base, struct msb_file **ret)
{
	/* Paths in JSON are text. */
	bool has_pieces = m->extensions & MSB_FILES && path && utf8_is_valid(path, strlen(path))
			  && utf8_is_valid(base, strlen(base));
	struct msb_file *f = file_new(m, stream, path, &OPS);
	struct put *p = f ? calloc(1, sizeof *p) : NULL;
	if (f && !p)
		file_fail(f, TRM_ENOMEM, "out of memory");
	if (!p)
		return NULL;
	put_lines_init(&p->lines, QUEUE_MAX, has_pieces ? PIECE_BYTES : PUT_LINE_BYTES);
	p->base = strdup(base);
	f->own = p;
	*ret = f;
	return p;
}

static void begin_one(struct msb *m, const struct frame *frame)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	char *path = unpack_str(&u, PUT_PATH_BYTES);
	uint32_t mode = unpack_u32(&u);
	uint64_t size = unpack_u64(&u);
	struct msb_file *f;
	struct put *p = begin_upload(m, frame->stream, path, "", &f);
	if (!p)
		return;
	p->left = size;
	put_lines_begin(&p->lines, mode);
	if (!size)
		put_lines_end(&p->lines);
	p->is_complete = !size;
	find_target(f);
}

void file_put_begin(struct msb *m, const struct frame *frame)
{
	struct tree_msg msg;
	struct msb_file *f;
	if (frame->type == FRAME_PUT) {
		begin_one(m, frame);
		return;
	}
	if (tree_msg_get(frame, &msg) < 0)
		return;
	struct put *p = begin_upload(m, frame->stream, strdup(msg.path), msg.base ? msg.base : "", &f);
	if (p) {
		p->is_tree = true;
		p->must_be_dir = msg.flags & TREE_MUST_BE_DIR;
		find_target(f);
	}
	tree_msg_finish(&msg);
}
