/* SPDX-License-Identifier: MIT */
#include "wire/entry.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "base/err.h"
#include "wire/fields.h"

enum { PATH_MAX_BYTES = 4095, MODE_BITS = 07777 };

/* ---- nodes -------------------------------------------------------------------------- */

/* Only a LINK has a `text`. */
static const struct field node_rows[] = {
		{FIELD_OF(struct entry, name, FIELD_NAME, ENTRY_NAME_MAX)},
		{FIELD(struct entry, mode)},
		{FIELD(struct entry, mtime_s)},
		{FIELD(struct entry, mtime_ns)},
		{FIELD(struct entry, size)},
		{FIELD_OF(struct entry, text, FIELD_NAME, ENTRY_TARGET_MAX)},
};
static const struct field size_rows[] = {{FIELD(struct entry, size)}};
static const struct field total_rows[] = {{FIELD(struct entry, files)}, {FIELD(struct entry, size)}};
static const struct field fail_rows[] = {
		{FIELD_OF(struct entry, name, FIELD_NAME, ENTRY_NAME_MAX)},
		{FIELD(struct entry, code)},
		{FIELD_OF(struct entry, text, FIELD_LINE, ENTRY_TEXT_MAX)},
};
static const struct field note_rows[] = {
		{FIELD(struct entry, code)},
		{FIELD_OF(struct entry, text, FIELD_LINE, ENTRY_TEXT_MAX)},
};
static const struct fields BY_KIND[] = {
		[ENTRY_DIR] = FIELDS(node_rows),
		[ENTRY_FILE] = FIELDS(node_rows),
		[ENTRY_LINK] = FIELDS(node_rows),
		[ENTRY_OTHER] = FIELDS(node_rows),
		[ENTRY_UP] = {NULL, 0},
		[ENTRY_HOLE] = FIELDS(size_rows),
		[ENTRY_END] = FIELDS(size_rows),
		[ENTRY_TOTAL] = FIELDS(total_rows),
		[ENTRY_FAIL] = FIELDS(fail_rows),
		[ENTRY_NOTE] = FIELDS(note_rows),
};

static bool is_node(enum entry_kind kind)
{
	return kind == ENTRY_DIR || kind == ENTRY_FILE || kind == ENTRY_LINK || kind == ENTRY_OTHER;
}

int entry_put(struct buf *out, uint32_t stream, const struct entry *entry)
{
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, stream, FRAME_ENTRY, 0, &mark);
	if (r < 0)
		return r;
	pack_u8(&p, (uint8_t)entry->kind);
	fields_pack(&p, &BY_KIND[entry->kind], entry);
	return frame_close(out, mark, &p);
}

bool entry_is_name(const char *name)
{
	return name[0] && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static bool entry_is_sound(struct entry *e)
{
	if (e->name[0] && !entry_is_name(e->name))
		return false;
	if (!is_node(e->kind))
		return true;
	e->mode &= MODE_BITS;
	return e->mtime_ns < 1000000000u && e->size <= INT64_MAX
	       && (e->kind == ENTRY_LINK) == (e->text[0] != '\0');
}

static int known_code(int code)
{
	/* A code that is not ours, or success, counts as a failure without a stated reason. */
	return code < 0 && strcmp(trm_strerror(code), trm_strerror(1)) != 0 ? code : TRM_EIO;
}

int entry_get(const struct frame *frame, struct entry *ret, struct trm_error *why)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	ret->kind = (enum entry_kind)unpack_u8(&u);
	ret->name[0] = ret->text[0] = '\0';
	ret->size = 0;
	if (frame->len <= ENTRY_PAYLOAD_MAX && ret->kind > 0 && ret->kind <= ENTRY_NOTE)
		fields_unpack(&u, &BY_KIND[ret->kind], ret);
	else
		u.bad = true;
	if (u.bad || !entry_is_sound(ret))
		return trm_error_set(why, TRM_EPROTO,
				"a malformed entry of a file tree, or one whose name would lead out of it");
	if (ret->kind == ENTRY_FAIL || ret->kind == ENTRY_NOTE)
		ret->code = known_code(ret->code);
	return 0;
}

bool entry_link_is_inside(const char *target, unsigned depth)
{
	bool is_below = false; /* a name has been passed */
	if (target[0] == '/')
		return false;
	for (const char *at = target; *at;) {
		size_t n = strcspn(at, "/");
		if (n == 2 && at[0] == '.' && at[1] == '.') {
			if (is_below || depth == 0)
				return false;
			depth--;
		} else if (n && !(n == 1 && at[0] == '.')) {
			is_below = true;
		}
		at += n;
		at += strspn(at, "/");
	}
	return true;
}

/* ---- requests and their outcome ----------------------------------------------------- */

static const struct field tree_rows[] = {
		{TEXT(struct tree_msg, path, PATH_MAX_BYTES)},
		{TEXT(struct tree_msg, base, ENTRY_NAME_MAX)},
		{FIELD(struct tree_msg, flags)},
		{FIELD(struct tree_msg, depth)},
		{FIELD(struct tree_msg, window)},
		{FIELD(struct tree_msg, max_bytes)},
		{FIELD(struct tree_msg, max_files)},
};
static const struct fields TREE = FIELDS(tree_rows);

static bool tree_is_sound(const void *msg)
{
	const struct tree_msg *m = msg;
	return m->path[0] && (!m->base[0] || entry_is_name(m->base));
}

int tree_msg_put(struct buf *out, uint32_t stream, enum frame_type type, const struct tree_msg *msg)
{
	return fields_put(out, stream, type, &TREE, msg);
}

int tree_msg_get(const struct frame *frame, struct tree_msg *ret)
{
	return fields_get(frame, &TREE, tree_is_sound, ret, sizeof *ret);
}

void tree_msg_finish(struct tree_msg *msg)
{
	fields_free(&TREE, msg);
	*msg = (struct tree_msg){0};
}

static const struct field sum_rows[] = {
		{FIELD(struct tree_sum, bytes)},
		{FIELD(struct tree_sum, mode)},
		{FIELD(struct tree_sum, files)},
		{FIELD(struct tree_sum, dirs)},
		{FIELD(struct tree_sum, links)},
		{FIELD(struct tree_sum, refused)},
};
static const struct fields SUM = FIELDS(sum_rows);

int tree_sum_put(struct buf *out, uint32_t stream, const struct tree_sum *sum)
{
	return fields_put(out, stream, FRAME_DONE, &SUM, sum);
}

int tree_sum_get(const struct frame *frame, struct tree_sum *ret)
{
	return fields_get(frame, &SUM, NULL, ret, sizeof *ret);
}
