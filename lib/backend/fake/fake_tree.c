/* SPDX-License-Identifier: MIT */
/* Trees in and out of the fake. Its files lie in one directory, which is "/", "." and "/workspace". */
#include <stdlib.h>
#include <string.h>

#include "backend/fake/fake.h"
#include "wire/entry.h"

enum { SIZE_MAX_BYTES = 64 << 20 };

static bool is_top(const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	return (n == 1 && (*path == '/' || *path == '.')) || (n == 10 && memcmp(path, "/workspace", n) == 0);
}

/* The name within the directory, or NULL. */
static const char *name_of(const char *path)
{
	if (strncmp(path, "/workspace/", 11) == 0)
		path += 11;
	else if (*path == '/')
		path++;
	else if (strncmp(path, "./", 2) == 0)
		path += 2;
	return entry_is_name(path) && strlen(path) <= ENTRY_NAME_MAX ? path : NULL;
}

static struct fake_file *find_fake_file(struct fake *f, const char *name, uint32_t put_stream)
{
	for (size_t i = 0; i < FAKE_FILES; i++) {
		struct fake_file *file = &f->files[i];
		const char *own = file->path ? name_of(file->path) : NULL;
		if (own && file->put_stream == put_stream
				&& (put_stream ? file->is_tree : name && strcmp(own, name) == 0))
			return file;
	}
	return NULL;
}

static void drop_fake_file(struct fake_file *file)
{
	free(file->path);
	free(file->bytes);
	*file = (struct fake_file){0};
}

/* ---- out --------------------------------------------------------------------------------- */

static void send_file(
		struct fake *f, uint32_t stream, const struct fake_file *file, const char *name, bool is_list)
{
	struct entry e = {.kind = ENTRY_FILE, .mode = file->mode, .size = file->size};
	memcpy(e.name, name, strlen(name) + 1);
	entry_put(&f->out, stream, &e);
	if (is_list)
		return;
	for (uint64_t at = 0; at < file->size; at += FRAME_MAX_PAYLOAD) {
		uint64_t left = file->size - at;
		frame_put(&f->out, stream, FRAME_DATA, 0, file->bytes + at,
				left < FRAME_MAX_PAYLOAD ? left : FRAME_MAX_PAYLOAD);
	}
	e.kind = ENTRY_END;
	entry_put(&f->out, stream, &e);
}

static void send_top(struct fake *f, uint32_t stream, const struct tree_msg *msg)
{
	const struct entry up = {.kind = ENTRY_UP}, top = {.kind = ENTRY_DIR, .mode = 0755};
	bool is_list = msg->flags & TREE_LIST;
	entry_put(&f->out, stream, &top);
	for (size_t i = 0; (!is_list || msg->depth) && i < FAKE_FILES; i++) {
		const struct fake_file *file = &f->files[i];
		const char *name = file->path && !file->put_stream ? name_of(file->path) : NULL;
		if (name)
			send_file(f, stream, file, name, is_list);
	}
	entry_put(&f->out, stream, &up);
}

/* Clients of the fake never ask for more than their window. */
static void on_get(struct fake *f, uint32_t stream, const struct tree_msg *msg)
{
	static const struct tree_sum none;
	const char *name = name_of(msg->path);
	const struct fake_file *file = name ? find_fake_file(f, name, 0) : NULL;
	if (!file && !is_top(msg->path)) {
		error_msg_put(&f->out, stream, TRM_ENOENT, "no such file in the fake sandbox");
		return;
	}
	if (file)
		send_file(f, stream, file, "", msg->flags & TREE_LIST);
	else
		send_top(f, stream, msg);
	tree_sum_put(&f->out, stream, &none);
}

/* ---- in ------------------------------------------------------------------------------------ */

static void on_put(struct fake *f, uint32_t stream, const struct tree_msg *msg)
{
	const char *name = is_top(msg->path) ? msg->base : name_of(msg->path);
	for (size_t i = 0; name && *name && i < FAKE_FILES; i++)
		if (!f->files[i].path) {
			f->files[i] = (struct fake_file){
					.path = strdup(name), .put_stream = stream, .is_tree = true};
			if (!f->files[i].path)
				error_msg_put(&f->out, stream, TRM_ENOMEM, "out of memory");
			return;
		}
	error_msg_put(&f->out, stream, TRM_ETOOBIG, "the fake sandbox keeps 16 files in one directory");
}

static void complete_file(struct fake *f, struct fake_file *file)
{
	const struct tree_sum sum = {.bytes = file->size, .files = 1};
	uint32_t stream = file->put_stream;
	struct fake_file *old = find_fake_file(f, name_of(file->path), 0);
	if (old)
		drop_fake_file(old);
	file->put_stream = 0;
	tree_sum_put(&f->out, stream, &sum);
}

static void refuse_file(struct fake *f, struct fake_file *file, const char *why)
{
	error_msg_put(&f->out, file->put_stream, TRM_ENOTSUP, why);
	drop_fake_file(file);
}

bool fake_tree_data(struct fake *f, uint32_t stream, const char *bytes, size_t n)
{
	struct fake_file *file = find_fake_file(f, NULL, stream);
	if (!file)
		return false;
	char *more = file->size + n <= SIZE_MAX_BYTES ? realloc(file->bytes, file->size + n + 1) : NULL;
	if (!more) {
		refuse_file(f, file, "the fake sandbox keeps files of 64 MiB at most");
		return true;
	}
	memcpy(more + file->size, bytes, n);
	file->bytes = more;
	file->n = file->size += n;
	return true;
}

static void on_entry(struct fake *f, const struct frame *frame)
{
	struct entry e;
	struct fake_file *file = find_fake_file(f, NULL, frame->stream);
	if (!file)
		return; /* it was refused while this frame was on its way */
	if (entry_get(frame, &e, NULL) < 0)
		fake_broken(f, "a broken ENTRY");
	else if (e.kind == ENTRY_END)
		complete_file(f, file);
	else if (e.kind == ENTRY_FILE)
		file->mode = e.mode & ENTRY_MODE_MASK;
	else if (e.kind != ENTRY_TOTAL)
		refuse_file(f, file, "the fake sandbox takes only files, and without holes");
}

/* ---- requests -------------------------------------------------------------------------------- */

static void on_file_op(struct fake *f, const struct frame *frame)
{
	static const struct tree_sum none;
	struct unpack u = {.at = frame->payload, .left = frame->len};
	uint8_t op = unpack_u8(&u);
	char *path = unpack_str(&u, 4096);
	const char *name = path ? name_of(path) : NULL;
	struct fake_file *file = name ? find_fake_file(f, name, 0) : NULL;
	if (op == FILE_OP_MKDIR)
		error_msg_put(&f->out, frame->stream, TRM_ENOTSUP, "the fake sandbox has one directory");
	else if (!file)
		error_msg_put(&f->out, frame->stream, TRM_ENOENT, "no such file in the fake sandbox");
	else
		tree_sum_put(&f->out, frame->stream, &none);
	if (op != FILE_OP_MKDIR && file)
		drop_fake_file(file);
	free(path);
}

void fake_tree(struct fake *f, const struct frame *frame)
{
	struct tree_msg msg;
	if (frame->type == FRAME_ENTRY) {
		on_entry(f, frame);
	} else if (frame->type == FRAME_FILE_OP) {
		on_file_op(f, frame);
	} else if (tree_msg_get(frame, &msg) < 0) {
		fake_broken(f, "a broken TREE_GET or TREE_PUT");
	} else {
		(frame->type == FRAME_TREE_GET ? on_get : on_put)(f, frame->stream, &msg);
		tree_msg_finish(&msg);
	}
}
