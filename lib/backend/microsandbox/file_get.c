/* SPDX-License-Identifier: MIT */
/* Files out of the sandbox. First find(1) lists the nodes, then the files come one by one, in pieces: by
 * sandbox.file.get if the server has it and can read the file, otherwise by commands. A server of 0.2.x
 * may lose the last lines that a program prints, so a piece that is too short is requested again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/microsandbox/file.h"
#include "backend/microsandbox/nodes.h"
#include "base/base64.h"
#include "base/err.h"
#include "base/utf8.h"
#include "rpc/names.h"

enum {
	PIECE_BYTES = 512 << 10,
	BIG_PIECE_BYTES = 1 << 20, /* the most that sandbox.file.get returns */
	TRIES = 3,
	DEPTH_ALL = 1000,
	PATH_BYTES = 4096,
};

struct get {
	bool is_tree; /* else one file, without ENTRYs */
	bool is_list;
	uint64_t max_bytes, max_files;
	struct node_list found;
	size_t at;       /* the next node to send */
	unsigned depth;  /* open directories */
	uint64_t offset; /* in the current file */
	unsigned tries;
	bool by_command; /* the current file, or its rest */
	bool is_over;
	struct buf frames; /* frames that wait for credit */
	struct tree_sum sum;
};

static void go_on(struct msb_file *f);

/* ---- the list ----------------------------------------------------------------------------------------- */

static int check_size(struct msb_file *f)
{
	struct get *g = f->own;
	uint64_t bytes = 0;
	for (size_t i = 0; i < g->found.n && !g->is_list; i++)
		bytes += g->found.at[i].size;
	if (g->max_bytes && bytes > g->max_bytes)
		file_fail(f, TRM_ETOOBIG, "%s is larger than asked for: %llu bytes", f->path,
				(unsigned long long)bytes);
	else if (g->max_files && g->found.n > g->max_files)
		file_fail(f, TRM_ETOOBIG, "%s has more files than asked for: %zu", f->path, g->found.n);
	else if (!g->is_tree && g->found.at[0].kind != ENTRY_FILE)
		file_fail(f, TRM_EINVAL, "%s is not a file", f->path);
	else
		return 0;
	return TRM_EINVAL;
}

static void on_list(struct msb_file *f, const struct file_said *said)
{
	struct get *g = f->own;
	size_t n;
	char *text = base64_decode(said->out, said->n, &n);
	bool is_good = text && nodes_read(&g->found, text, n);
	free(text);
	if (is_good) {
		if (check_size(f) == 0)
			go_on(f);
	} else if (said->exit_code || *said->wrong) {
		file_fail(f, said->exit_code == 3 ? TRM_ENOENT : TRM_EIO, "%s",
				*said->wrong ? said->wrong : "it cannot be listed");
	} else {
		file_fail(f, TRM_EPROTO, "%s: the server's list of it is invalid", f->path);
	}
}

/* ---- frames -------------------------------------------------------------------------------------------- */

/* Send as much as the client has room for. True: everything is sent. */
static bool send_frames(struct msb_file *f)
{
	struct get *g = f->own;
	while (g->frames.len) {
		uint32_t n;
		memcpy(&n, buf_at(&g->frames), sizeof n);
		if (n > f->credit)
			break;
		f->credit -= n;
		buf_append(&f->msb->out, buf_at(&g->frames), FRAME_HEADER + n);
		buf_take(&g->frames, FRAME_HEADER + n);
	}
	return !g->frames.len;
}

static void put_entry(struct msb_file *f, const struct entry *entry)
{
	struct get *g = f->own;
	entry_put(&g->frames, f->stream, entry);
}

static void close_directories(struct msb_file *f, unsigned depth)
{
	static const struct entry up = {.kind = ENTRY_UP};
	struct get *g = f->own;
	for (; g->depth > depth; g->depth--)
		put_entry(f, &up);
}

static bool is_refused(const struct get *g, const struct node *node)
{
	return node->kind == ENTRY_OTHER && !g->is_list;
}

static void put_node(struct msb_file *f, const struct node *node)
{
	struct entry e = {.kind = node->kind,
			.mode = node->mode,
			.mtime_s = node->mtime_s,
			.mtime_ns = node->mtime_ns,
			.size = node->size};
	strcpy(e.name, node_name(node));
	strcpy(e.text, node->target);
	if (is_refused(f->own, node)) {
		e.kind = ENTRY_FAIL;
		e.code = TRM_EINVAL;
		strcpy(e.text, "this is a device, a FIFO or a socket, and only files and directories are copied");
	}
	put_entry(f, &e);
}

static void end_file(struct msb_file *f)
{
	struct get *g = f->own;
	const struct entry end = {.kind = ENTRY_END, .size = g->offset};
	if (g->is_tree)
		put_entry(f, &end);
	g->sum.bytes += g->offset;
	g->sum.files++;
	g->offset = 0;
	g->by_command = false;
	g->at++;
}

/* ---- contents
 * ------------------------------------------------------------------------------------------- */

static void on_file_piece(void *user, const cJSON *result, const struct trm_error *why);

/* False: sandbox.file.get cannot be used. */
static bool ask_file_piece(struct msb_file *f, const struct node *node)
{
	struct msb *m = f->msb;
	struct get *g = f->own;
	char path[2 * PATH_BYTES];
	struct trm_error why;
	struct msb_request request = {.method = RPC_FILE_GET, .max_bytes = 2 * BIG_PIECE_BYTES};
	int n = snprintf(path, sizeof path, "%s%s%s", f->path, *node->path ? "/" : "", node->path);
	if (!(m->extensions & MSB_FILES) || g->by_command || n >= (int)sizeof path
			|| !utf8_is_valid(path, strlen(path)))
		return false;
	request.params = msb_params(m, m->name);
	cJSON_AddStringToObject(request.params, "path", path);
	cJSON_AddNumberToObject(request.params, "offset", (double)g->offset);
	cJSON_AddNumberToObject(request.params, "size", BIG_PIECE_BYTES);
	snprintf(request.what, sizeof request.what, "move files of sandbox '%s'", m->name);
	return msb_call(m, &request, on_file_piece, f, &f->call, &why) == 0;
}

static void ask_piece(struct msb_file *f, const struct node *node)
{
	static const char script[] = "tail -c \"+$3\" -- \"$1${2:+/$2}\" | head -c \"$4\" | base64 -w0";
	struct get *g = f->own;
	char from[32], most[32];
	if (ask_file_piece(f, node))
		return;
	snprintf(from, sizeof from, "%llu", (unsigned long long)g->offset + 1);
	snprintf(most, sizeof most, "%d", PIECE_BYTES);
	const char *args[] = {f->path, node->path, from, most, NULL};
	file_run(f, script, args);
}

/* False: the piece is shorter than requested. */
static bool take_piece(struct msb_file *f, const char *letters, size_t n_letters, size_t most)
{
	struct get *g = f->own;
	const struct node *node = &g->found.at[g->at];
	uint64_t left = node->size - g->offset;
	size_t wanted = left < most ? (size_t)left : most;
	size_t n;
	char *bytes = base64_decode(letters, n_letters, &n);
	if (!bytes || n < wanted) {
		free(bytes);
		return false;
	}
	for (size_t at = 0; at < wanted; at += FRAME_MAX_PAYLOAD)
		frame_put(&g->frames, f->stream, FRAME_DATA, 0, bytes + at,
				wanted - at < FRAME_MAX_PAYLOAD ? wanted - at : FRAME_MAX_PAYLOAD);
	free(bytes);
	g->tries = 0;
	g->offset += wanted;
	if (g->offset >= node->size)
		end_file(f);
	go_on(f);
	return true;
}

/* If the method does not give the file (such as a link), or the answer is not understood, try a command.
 * It may succeed, or it says why not. */
static void on_file_piece(void *user, const cJSON *result, const struct trm_error *why)
{
	struct msb_file *f = user;
	struct get *g = f->own;
	const char *letters = kernel_json_text(result, "base64");
	(void)why;
	f->call = NULL;
	if (letters && take_piece(f, letters, strlen(letters), BIG_PIECE_BYTES))
		return;
	g->by_command = true;
	ask_piece(f, &g->found.at[g->at]);
}

static void on_piece(struct msb_file *f, const struct file_said *said)
{
	struct get *g = f->own;
	const struct node *node = &g->found.at[g->at];
	if (!take_piece(f, said->out, said->n, PIECE_BYTES)) {
		if (++g->tries < TRIES)
			ask_piece(f, node);
		else
			file_fail(f, TRM_EIO, "%s%s%s cannot be read whole%s%s", f->path,
					*node->path ? "/" : "", node->path, *said->wrong ? ": " : "",
					said->wrong);
	}
}

static void on_said(struct msb_file *f, const struct file_said *said)
{
	struct get *g = f->own;
	if (g->found.at)
		on_piece(f, said);
	else
		on_list(f, said);
}

/* Send the beginning of the next node. False: its content must be fetched first. */
static bool begin_node(struct msb_file *f, const struct node *node)
{
	struct get *g = f->own;
	close_directories(f, node->depth);
	if (g->is_tree)
		put_node(f, node);
	if (node->kind == ENTRY_FILE && !g->is_list) {
		if (node->size)
			return false;
		end_file(f);
		return true;
	}
	if (node->kind == ENTRY_DIR) {
		g->depth = node->depth + 1;
		g->sum.dirs++;
	}
	g->sum.links += node->kind == ENTRY_LINK;
	g->sum.refused += is_refused(g, node);
	g->at++;
	return true;
}

static void put_done(struct msb_file *f)
{
	struct get *g = f->own;
	size_t mark;
	struct pack p = {.to = &f->msb->out};
	if (g->is_tree) {
		tree_sum_put(&f->msb->out, f->stream, &g->sum);
		return;
	}
	frame_begin(&f->msb->out, f->stream, FRAME_DONE, 0, &mark);
	pack_u64(&p, g->sum.bytes);
	pack_u32(&p, g->found.at[0].mode);
	frame_end(&f->msb->out, mark);
}

static void go_on(struct msb_file *f)
{
	struct get *g = f->own;
	while (!f->call && send_frames(f) && g->at < g->found.n) {
		const struct node *node = &g->found.at[g->at];
		if (g->offset || !begin_node(f, node)) {
			ask_piece(f, node);
			return;
		}
	}
	if (!f->call && g->at == g->found.n && !g->is_over) {
		g->is_over = true;
		close_directories(f, 0);
	}
	if (!f->call && send_frames(f) && g->is_over) {
		put_done(f);
		file_end(f);
		return;
	}
	msb_send(f->msb);
}

static void on_credit(struct msb_file *f)
{
	struct get *g = f->own;
	if (g->found.at && !f->call)
		go_on(f);
}

static void finish_download(struct msb_file *f)
{
	struct get *g = f->own;
	if (g) {
		nodes_finish(&g->found);
		buf_finish(&g->frames);
	}
	free(g);
}

static const struct file_ops OPS = {.said = on_said, .credit = on_credit, .finish = finish_download};

static void begin_download(struct msb *m, uint32_t stream, char *path, const struct get *how, uint32_t window,
		const struct tree_msg *msg)
{
	static const char script[] = "if ! [ -e \"$1\" ] && ! [ -L \"$1\" ]; then\n"
				     "\techo \"$1: No such file or directory\" >&2; exit 3\nfi\n"
				     "p=$1; case $p in /*) ;; *) p=./$p ;; esac\n"
				     "find $2 \"$p\" $4 -maxdepth \"$3\" -printf '" NODES_FORMAT "' |\n"
				     "base64 -w0";
	struct msb_file *f = file_new(m, stream, path, &OPS);
	char depth[16];
	if (!f)
		return;
	f->own = malloc(sizeof *how);
	f->credit = window;
	if (!f->own) {
		file_fail(f, TRM_ENOMEM, "out of memory");
		return;
	}
	memcpy(f->own, how, sizeof *how);
	buf_init(&((struct get *)f->own)->frames, 4 * BIG_PIECE_BYTES + (64u << 20));
	snprintf(depth, sizeof depth, "%u", msg && how->is_list ? msg->depth : how->is_tree ? DEPTH_ALL : 0);
	const char *args[] = {f->path, msg && msg->flags & TREE_NO_FOLLOW ? "-P" : "-H", depth,
			msg && msg->flags & TREE_ONE_SYSTEM ? "-xdev" : "", NULL};
	file_run(f, script, args);
}

void file_get_begin(struct msb *m, const struct frame *frame)
{
	struct tree_msg msg;
	struct unpack u = {.at = frame->payload, .left = frame->len};
	if (frame->type == FRAME_GET) {
		char *path = unpack_str(&u, PATH_BYTES);
		const struct get how = {.max_bytes = unpack_u64(&u)};
		uint32_t window = unpack_u32(&u);
		if (path)
			begin_download(m, frame->stream, path, &how, window, NULL);
		return;
	}
	if (tree_msg_get(frame, &msg) < 0)
		return;
	const struct get how = {.is_tree = true,
			.is_list = msg.flags & TREE_LIST,
			.max_bytes = msg.max_bytes,
			.max_files = msg.max_files};
	char *path = strdup(msg.path);
	begin_download(m, frame->stream, path, &how, msg.window, &msg);
	tree_msg_finish(&msg);
}
