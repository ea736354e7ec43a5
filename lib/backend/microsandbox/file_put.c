/* SPDX-License-Identifier: MIT */
/* Into the sandbox. What comes is turned into lines of shell, which are sent some at a time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/microsandbox/file.h"
#include "backend/microsandbox/put_lines.h"
#include "base/base64.h"
#include "base/err.h"

enum {
	SCRIPT_BYTES = 96 << 10, /* in one request: Linux takes no argument of more than 128 KiB */
	FULL_BYTES = 1 << 20,    /* that wait to be sent: no more is read from the client until some are */
	QUEUE_MAX = 16 << 20,
};

struct put {
	bool is_tree;
	bool is_complete; /* all has come */
	bool must_be_dir;
	char *base;
	char *target;                   /* where it all goes, once that is known */
	char dirs[ENTRY_DEPTH_MAX + 1]; /* what the lines said of those that are open */
	uint64_t left;                  /* of a file without ENTRYs: bytes to come */
	struct put_lines lines;
};

/* ---- sending ------------------------------------------------------------------------------- */

static void find_target(struct msb_file *f)
{
	/* By the rules of cp -r: into a directory that is there, under the source's name. A newline at the
	 * end of a name would be lost: a dot goes behind it. */
	static const char script[] =
			"t=$1\nif [ -d \"$t\" ]; then [ -z \"$2\" ] || t=${t%/}/$2\n"
			"elif [ \"$3\" = 1 ]; then echo \"$t: is no directory\" >&2; exit 1; fi\n"
			"printf %s. \"$t\" | base64 -w0";
	struct put *p = f->own;
	const char *args[] = {f->path, p->base, p->must_be_dir ? "1" : "0", NULL};
	file_run(f, script, args);
}

/* As many whole lines as go into one request. */
static void send_lines(struct msb_file *f)
{
	struct put *p = f->own;
	const char *args[] = {p->target, p->dirs, NULL};
	struct buf script, *text = &p->lines.text;
	size_t n = text->len < SCRIPT_BYTES ? text->len : SCRIPT_BYTES;
	const char *lines = buf_at(text), *last = memrchr(lines, '\0', n);
	if (!last) {
		file_fail(f, TRM_EIO, "%s: a name is too long for this server", f->path);
		return;
	}
	n = (size_t)(last + 1 - lines);
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
	if (p->lines.text.len >= SCRIPT_BYTES || (p->is_complete && p->lines.text.len)) {
		send_lines(f);
	} else if (p->is_complete) {
		put_done(f);
		file_end(f);
	}
}

/* The first answer is the target, the others tell of the directories that are open. */
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
	if (said->exit_code)
		file_fail(f, strstr(said->wrong, "No such file") ? TRM_ENOENT : TRM_EIO, "%s",
				*said->wrong ? said->wrong : "the server's shell did not succeed");
	else if (!take_answer(f->own, said))
		file_fail(f, TRM_EPROTO, "%s: the server's answer makes no sense", f->path);
	else
		go_on(f);
	msb_send(m); /* there may be room again */
}

/* ---- what comes -------------------------------------------------------------------------------------------
 */

/* Something is not taken: of the root that is all there was. */
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
	if (!p->is_tree) {
		p->left -= frame->len < p->left ? frame->len : p->left;
		if (!p->left)
			put_lines_end(&p->lines);
	}
	p->is_complete = p->lines.is_over;
	f->is_full = p->lines.text.len >= FULL_BYTES;
	go_on(f);
}

static void finish(struct msb_file *f)
{
	struct put *p = f->own;
	if (p) {
		free(p->base);
		free(p->target);
		put_lines_finish(&p->lines);
	}
	free(p);
}

static const struct file_ops OPS = {.said = on_said, .frame = on_frame, .finish = finish};

static struct put *begin(struct msb *m, uint32_t stream, char *path, struct msb_file **ret)
{
	struct msb_file *f = file_new(m, stream, path, &OPS);
	struct put *p = f ? calloc(1, sizeof *p) : NULL;
	if (f && !p)
		file_fail(f, TRM_ENOMEM, "out of memory");
	if (!p)
		return NULL;
	put_lines_init(&p->lines, QUEUE_MAX);
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
	struct put *p = begin(m, frame->stream, path, &f);
	if (!p)
		return;
	p->base = strdup("");
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
	struct put *p = begin(m, frame->stream, strdup(msg.path), &f);
	if (p) {
		p->is_tree = true;
		p->must_be_dir = msg.flags & TREE_MUST_BE_DIR;
		p->base = strdup(msg.base ? msg.base : "");
		find_target(f);
	}
	tree_msg_finish(&msg);
}
