/* SPDX-License-Identifier: MIT */
/* Into the sandbox. What comes is turned into lines of shell, which are sent some at a time. A file has
 * another name until it is complete. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/microsandbox/file.h"
#include "base/base64.h"
#include "base/err.h"

enum {
	SCRIPT_BYTES = 96 << 10, /* in one request: Linux takes no argument of more than 128 KiB */
	PIECE_BYTES = 60 << 10,  /* of a file, in one line */
	PATH_BYTES = 4096,
	QUEUE_MAX = 96 << 20,
	FULL_BYTES = 64 << 20, /* that wait to be sent: more is not taken */
};

/* Two functions for each script: b PATH begins a file, e MODE PATH ends it; $T is where it all goes. */
#define HEAD \
	"set -e\nb() { : >\"$1.part~\"; }\n" \
	"e() { chmod \"$1\" \"$2.part~\"; mv -f \"$2.part~\" \"$2\"; }\nT=$1\n"

struct put {
	bool is_tree;
	bool is_first, is_complete; /* nothing has been sent; all has come */
	bool must_be_dir;
	char *base;
	char *target;           /* where it all goes, once that is known */
	struct buf lines;       /* of shell, each with a newline, not yet sent */
	char below[PATH_BYTES]; /* path of the directory that is open, below the target; "" or "/a/b" */
	char file[PATH_BYTES];  /* of the file that is open, likewise */
	unsigned depth;
	uint32_t mode;
	uint64_t left; /* of a file without ENTRYs: bytes to come */
	struct tree_sum sum;
};

/* ---- lines of shell --------------------------------------------------------------------------------------
 */

static void add(struct put *p, const char *text)
{
	buf_append(&p->lines, text, strlen(text));
}

/* In single quotes: nothing in there means anything to a shell. */
static void add_quoted(struct put *p, const char *prefix, const char *text)
{
	add(p, prefix);
	add(p, "'");
	for (const char *at = text; *at; at++) {
		if (*at == '\'')
			add(p, "'\\''");
		else
			buf_append(&p->lines, at, 1);
	}
	add(p, "'");
}

static void add_mode(struct put *p, const char *command, uint32_t mode)
{
	char word[48];
	snprintf(word, sizeof word, "%s %03o ", command, mode & ENTRY_MODE_MASK);
	add(p, word);
}

static void begin_file(struct put *p, const char *path, uint32_t mode)
{
	snprintf(p->file, sizeof p->file, "%s", path);
	p->mode = mode;
	add_quoted(p, "b \"$T\"", path);
	add(p, "\n");
}

static void add_bytes(struct put *p, const char *bytes, size_t n)
{
	for (size_t at = 0; at < n; at += PIECE_BYTES) {
		add(p, "printf %s ");
		base64_put(&p->lines, bytes + at, n - at < PIECE_BYTES ? n - at : PIECE_BYTES);
		add_quoted(p, " | base64 -d >>\"$T\"", p->file);
		add(p, ".part~\n");
	}
	p->sum.bytes += n;
}

static void end_file(struct put *p)
{
	add_mode(p, "e", p->mode);
	add_quoted(p, "\"$T\"", p->file);
	add(p, "\n");
	p->sum.files++;
}

/* ---- sending --------------------------------------------------------------------------------------------
 */

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
	size_t n = p->lines.len < SCRIPT_BYTES ? p->lines.len : SCRIPT_BYTES;
	const char *lines = buf_at(&p->lines), *last = memrchr(lines, '\n', n);
	char *script = malloc(sizeof HEAD + n);
	if (!last || !script) {
		free(script);
		file_fail(f, TRM_EIO, "%s: a name is too long for this server", f->path);
		return;
	}
	n = (size_t)(last + 1 - lines);
	memcpy(script, HEAD, sizeof HEAD - 1);
	memcpy(script + sizeof HEAD - 1, lines, n);
	script[sizeof HEAD - 1 + n] = '\0';
	buf_take(&p->lines, n);
	const char *args[] = {p->target, NULL};
	file_run(f, script, args);
	free(script);
}

static void put_done(struct msb_file *f)
{
	struct put *p = f->own;
	size_t mark;
	struct pack pack = {.to = &f->msb->out};
	if (p->is_tree) {
		tree_sum_put(&f->msb->out, f->stream, &p->sum);
		return;
	}
	frame_begin(&f->msb->out, f->stream, FRAME_DONE, 0, &mark);
	pack_u64(&pack, p->sum.bytes);
	pack_u32(&pack, p->mode);
	frame_end(&f->msb->out, mark);
}

static void go_on(struct msb_file *f)
{
	struct put *p = f->own;
	if (f->call || !p->target)
		return;
	if (p->lines.len >= SCRIPT_BYTES || (p->is_complete && p->lines.len)) {
		send_lines(f);
	} else if (p->is_complete) {
		put_done(f);
		file_end(f);
	}
}

static void on_said(struct msb_file *f, const struct file_said *said)
{
	struct put *p = f->own;
	size_t n;
	if (said->exit_code) {
		file_fail(f, strstr(said->wrong, "No such file") ? TRM_ENOENT : TRM_EIO, "%s",
				*said->wrong ? said->wrong : "the server's shell did not succeed");
		return;
	}
	if (!p->target) {
		p->target = base64_decode(said->out, said->n, &n);
		if (!p->target || n < 2) {
			file_fail(f, TRM_EPROTO, "%s: the server's answer makes no sense", f->path);
			return;
		}
		p->target[n - 1] = '\0';
	}
	go_on(f);
}

/* ---- what comes -------------------------------------------------------------------------------------------
 */

static bool path_of(const struct put *p, const char *name, char out[PATH_BYTES])
{
	int n = snprintf(out, PATH_BYTES, "%s%s%s", p->below, *name ? "/" : "", name);
	return n >= 0 && n < PATH_BYTES;
}

/* The node in hand is complete: so is all, if it was the root. */
static void end_node(struct put *p)
{
	p->is_complete = p->depth == 0;
}

static void on_up(struct put *p)
{
	char *slash = strrchr(p->below, '/');
	p->depth -= p->depth > 0;
	if (slash)
		*slash = '\0';
	end_node(p);
}

static void on_node(struct put *p, const struct entry *e, const char *path)
{
	switch (e->kind) {
	case ENTRY_DIR:
		add_quoted(p, "[ -d \"$T\"", path);
		add_quoted(p, " ] || mkdir \"$T\"", path);
		add(p, "\n");
		add_mode(p, "chmod", e->mode | 0700);
		add_quoted(p, "\"$T\"", path);
		add(p, "\n");
		snprintf(p->below, sizeof p->below, "%s", path);
		p->depth++;
		p->sum.dirs++;
		break;
	case ENTRY_LINK:
		add_quoted(p, "ln -sfn -- ", e->text);
		add_quoted(p, " \"$T\"", path);
		add(p, "\n");
		p->sum.links++;
		end_node(p);
		break;
	case ENTRY_FILE: begin_file(p, path, e->mode); break;
	default: p->sum.refused++; end_node(p);
	}
}

static bool on_entry(struct put *p, const struct entry *e)
{
	char path[PATH_BYTES], word[64];
	switch (e->kind) {
	case ENTRY_UP: on_up(p); return true;
	case ENTRY_END:
		end_file(p);
		end_node(p);
		return true;
	case ENTRY_HOLE:
		snprintf(word, sizeof word, "truncate -s +%llu \"$T\"", (unsigned long long)e->size);
		add_quoted(p, word, p->file);
		add(p, ".part~\n");
		p->sum.bytes += e->size;
		return true;
	case ENTRY_TOTAL:
	case ENTRY_NOTE: return true;
	default: break;
	}
	if (!path_of(p, e->name, path))
		return false;
	on_node(p, e, path);
	return true;
}

static void on_frame(struct msb_file *f, const struct frame *frame)
{
	struct put *p = f->own;
	struct entry e;
	bool is_good = !p->is_complete;
	if (is_good && frame->type == FRAME_DATA)
		add_bytes(p, frame->payload, frame->len);
	else if (is_good)
		is_good = p->is_tree && entry_get(frame, &e, NULL) == 0 && on_entry(p, &e);
	if (is_good && !p->is_tree) {
		p->left -= frame->len < p->left ? frame->len : p->left;
		if (!p->left)
			end_file(p);
		p->is_complete = !p->left;
	}
	if (!is_good)
		file_fail(f, TRM_EPROTO, "%s: a broken tree of files", f->path);
	else if (p->lines.len > FULL_BYTES)
		file_fail(f, TRM_ETOOBIG, "%s: so much at a time does not go to a server by way of commands",
				f->path);
	else
		go_on(f);
}

static void finish(struct msb_file *f)
{
	struct put *p = f->own;
	if (p) {
		free(p->base);
		free(p->target);
		buf_finish(&p->lines);
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
	buf_init(&p->lines, QUEUE_MAX);
	f->own = p;
	*ret = f;
	return p;
}

static void begin_one(struct msb *m, const struct frame *frame)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	char *path = unpack_str(&u, PATH_BYTES);
	uint32_t mode = unpack_u32(&u);
	uint64_t size = unpack_u64(&u);
	struct msb_file *f;
	struct put *p = begin(m, frame->stream, path, &f);
	if (!p)
		return;
	p->base = strdup("");
	p->left = size;
	begin_file(p, "", mode);
	if (!size) {
		end_file(p);
		p->is_complete = true;
	}
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
