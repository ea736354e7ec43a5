/* SPDX-License-Identifier: MIT */
#include "fuzz/old/names.h"
#include "wire/entry.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "base/err.h"
#include "wire/pack.h"

enum { PATH_MAX_BYTES = 4095, MODE_BITS = 07777 };

/* ---- writing ---------------------------------------------------------------------- */

static void put_node(struct pack *p, const struct entry *e)
{
	pack_str(p, e->name);
	pack_u32(p, e->mode);
	pack_u64(p, (uint64_t)e->mtime_s);
	pack_u32(p, e->mtime_ns);
	pack_u64(p, e->size);
	pack_str(p, e->kind == ENTRY_LINK ? e->text : "");
}

static void put_fields(struct pack *p, const struct entry *e)
{
	switch (e->kind) {
	case ENTRY_DIR:
	case ENTRY_FILE:
	case ENTRY_LINK:
	case ENTRY_OTHER: put_node(p, e); break;
	case ENTRY_HOLE:
	case ENTRY_END: pack_u64(p, e->size); break;
	case ENTRY_TOTAL:
		pack_u64(p, e->files);
		pack_u64(p, e->size);
		break;
	case ENTRY_FAIL: pack_str(p, e->name); /* fall through */
	case ENTRY_NOTE:
		pack_u32(p, (uint32_t)e->code);
		pack_str(p, e->text);
		break;
	case ENTRY_UP: break;
	}
}

static int finish_entry(struct buf *out, size_t mark, const struct pack *p)
{
	if (p->error) {
		out->len = mark;
		return p->error;
	}
	return frame_end(out, mark);
}

int entry_put(struct buf *out, uint32_t stream, const struct entry *entry)
{
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, stream, FRAME_ENTRY, 0, &mark);
	if (r < 0)
		return r;
	pack_u8(&p, (uint8_t)entry->kind);
	put_fields(&p, entry);
	return finish_entry(out, mark, &p);
}

/* ---- reading ---------------------------------------------------------------------- */

bool entry_is_name(const char *name)
{
	return name[0] && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Copy the bytes without checking their encoding: names are not always UTF-8. */
static void get_bytes(struct unpack *u, char *to, size_t max)
{
	size_t n;
	const char *at = unpack_bytes(u, &n);
	if (u->bad || n > max || memchr(at, '\0', n)) {
		u->bad = true;
		n = 0;
	}
	memcpy(to, at, n);
	to[n] = '\0';
}

static void get_words(struct unpack *u, char *to)
{
	size_t n;
	const char *at = unpack_bytes(u, &n);
	if (n > ENTRY_PAYLOAD_MAX)
		u->bad = true;
	else
		trm_text_clean_line(to, ENTRY_TEXT_MAX, at, n);
}

static void get_name(struct unpack *u, struct entry *e)
{
	get_bytes(u, e->name, ENTRY_NAME_MAX);
	if (e->name[0] && !entry_is_name(e->name))
		u->bad = true;
}

static void get_node(struct unpack *u, struct entry *e)
{
	get_name(u, e);
	e->mode = unpack_u32(u) & MODE_BITS;
	e->mtime_s = (int64_t)unpack_u64(u);
	e->mtime_ns = unpack_u32(u);
	e->size = unpack_u64(u);
	get_bytes(u, e->text, ENTRY_TARGET_MAX);
	if (e->mtime_ns >= 1000000000u || e->size > INT64_MAX
			|| (e->kind == ENTRY_LINK) != (e->text[0] != '\0'))
		u->bad = true;
}

static void get_fields(struct unpack *u, struct entry *e)
{
	switch (e->kind) {
	case ENTRY_DIR:
	case ENTRY_FILE:
	case ENTRY_LINK:
	case ENTRY_OTHER: get_node(u, e); break;
	case ENTRY_HOLE:
	case ENTRY_END: e->size = unpack_u64(u); break;
	case ENTRY_TOTAL:
		e->files = unpack_u64(u);
		e->size = unpack_u64(u);
		break;
	case ENTRY_FAIL: get_name(u, e); /* fall through */
	case ENTRY_NOTE:
		e->code = (int32_t)unpack_u32(u);
		get_words(u, e->text);
		break;
	case ENTRY_UP: break;
	default: u->bad = true;
	}
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
	get_fields(&u, ret);
	if (u.bad || frame->len > ENTRY_PAYLOAD_MAX)
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

/* ---- requests ---------------------------------------------------------------------------- */

int tree_msg_put(struct buf *out, uint32_t stream, enum frame_type type, const struct tree_msg *msg)
{
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, stream, type, 0, &mark);
	if (r < 0)
		return r;
	pack_str(&p, msg->path);
	pack_str(&p, msg->base);
	pack_u32(&p, msg->flags);
	pack_u32(&p, msg->depth);
	pack_u32(&p, msg->window);
	pack_u64(&p, msg->max_bytes);
	pack_u64(&p, msg->max_files);
	return finish_entry(out, mark, &p);
}

int tree_msg_get(const struct frame *frame, struct tree_msg *ret)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	struct tree_msg m = {.path = unpack_str(&u, PATH_MAX_BYTES)};
	m.base = unpack_str(&u, ENTRY_NAME_MAX);
	m.flags = unpack_u32(&u);
	m.depth = unpack_u32(&u);
	m.window = unpack_u32(&u);
	m.max_bytes = unpack_u64(&u);
	m.max_files = unpack_u64(&u);
	if (u.bad || !m.path[0] || (m.base[0] && !entry_is_name(m.base))) {
		tree_msg_finish(&m);
		return unpack_failure(&u);
	}
	*ret = m;
	return 0;
}

void tree_msg_finish(struct tree_msg *msg)
{
	free(msg->path);
	free(msg->base);
	*msg = (struct tree_msg){0};
}

int tree_sum_put(struct buf *out, uint32_t stream, const struct tree_sum *sum)
{
	size_t mark;
	struct pack p = {.to = out};
	int r = frame_begin(out, stream, FRAME_DONE, 0, &mark);
	if (r < 0)
		return r;
	pack_u64(&p, sum->bytes);
	pack_u32(&p, 0);
	pack_u64(&p, sum->files);
	pack_u64(&p, sum->dirs);
	pack_u64(&p, sum->links);
	pack_u64(&p, sum->refused);
	return finish_entry(out, mark, &p);
}

int tree_sum_get(const struct frame *frame, struct tree_sum *ret)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	struct tree_sum sum = {.bytes = unpack_u64(&u)};
	unpack_u32(&u);
	sum.files = unpack_u64(&u);
	sum.dirs = unpack_u64(&u);
	sum.links = unpack_u64(&u);
	sum.refused = unpack_u64(&u);
	if (u.bad)
		return TRM_EPROTO;
	*ret = sum;
	return 0;
}
