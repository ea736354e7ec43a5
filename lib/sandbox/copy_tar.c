/* SPDX-License-Identifier: MIT */
/* A tree as a tar stream, for "-". Names, links and order of what a sandbox sends have been checked, so
 * whoever unpacks this gets nothing but relative names below one folder. Long names are in GNU's form, which
 * every tar reads. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "sandbox/copy.h"

enum { BLOCK = 512, NAME_FIELD = 100 };

struct header {
	char name[NAME_FIELD], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[NAME_FIELD];
	char magic[8], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};

static int put_bytes(struct buf *out, const void *bytes, size_t n)
{
	static const char zeros[BLOCK];
	int r = buf_append(out, bytes, n);
	return r < 0 || n % BLOCK == 0 ? r : buf_append(out, zeros, BLOCK - n % BLOCK);
}

/* What octal digits cannot say is a binary number behind a byte 0x80, as GNU and POSIX tars read it. */
static void put_size(char field[12], uint64_t size)
{
	if (size < UINT64_C(1) << 33) {
		snprintf(field, 12, "%011llo", (unsigned long long)size);
		return;
	}
	field[0] = (char)0x80;
	for (int i = 11; i > 0; i--, size >>= 8)
		field[i] = (char)(size & 0xff);
}

static int put_header(struct buf *out, const char *name, const char *link, char type,
		const struct entry *entry, uint64_t size)
{
	struct header h = {.type = type};
	unsigned sum = 0;
	memcpy(h.name, name, strnlen(name, sizeof h.name));
	memcpy(h.link, link, strnlen(link, sizeof h.link));
	snprintf(h.mode, sizeof h.mode, "%07o", (unsigned)entry->mode & ENTRY_MODE_MASK);
	snprintf(h.uid, sizeof h.uid, "%07o", 0u);
	snprintf(h.gid, sizeof h.gid, "%07o", 0u);
	put_size(h.size, size);
	snprintf(h.mtime, sizeof h.mtime, "%011llo",
			(unsigned long long)(entry->mtime_s > 0 ? entry->mtime_s : 0) & 077777777777);
	memcpy(h.magic, "ustar  ", sizeof h.magic);
	memset(h.sum, ' ', sizeof h.sum);
	for (size_t i = 0; i < sizeof h; i++)
		sum += ((unsigned char *)&h)[i];
	snprintf(h.sum, sizeof h.sum, "%06o", sum);
	return buf_append(out, &h, sizeof h);
}

/* What is too long for a field goes before it, as a file of its own. */
static int put_long(struct buf *out, const char *text, char type)
{
	static const struct entry none;
	size_t n = strlen(text) + 1;
	if (n <= NAME_FIELD)
		return 0;
	int r = put_header(out, "././@LongLink", "", type, &none, n);
	return r < 0 ? r : put_bytes(out, text, n);
}

static int put_node(struct buf *out, const char *name, const char *link, char type, const struct entry *entry,
		uint64_t size)
{
	int r = put_long(out, link, 'K');
	if (r == 0)
		r = put_long(out, name, 'L');
	return r < 0 ? r : put_header(out, name, link, type, entry, size);
}

/* The node's path below the folder of the archive. TRM_ETOOBIG. */
static int find_name(const struct copy_tar *tar, const struct entry *entry, char out[COPY_TAR_PATH])
{
	int n = snprintf(out, COPY_TAR_PATH, "%s%s%s%s", tar->path, *tar->path && *entry->name ? "/" : "",
			entry->name, entry->kind == ENTRY_DIR ? "/" : "");
	return n < 0 || n >= COPY_TAR_PATH ? TRM_ETOOBIG : 0;
}

static int begin_folder(struct copy_tar *tar, struct buf *out, const struct entry *entry)
{
	char name[COPY_TAR_PATH];
	int r = find_name(tar, entry, name);
	if (r == 0)
		r = put_node(out, name, "", '5', entry, 0);
	if (r < 0)
		return r;
	name[strlen(name) - 1] = '\0';
	memcpy(tar->path, name, sizeof name);
	tar->depth++;
	return 0;
}

static int end_folder(struct copy_tar *tar, struct buf *out)
{
	static const char end[2 * BLOCK];
	char *slash = strrchr(tar->path, '/');
	if (--tar->depth == 0)
		return buf_append(out, end, sizeof end);
	if (slash)
		*slash = '\0';
	return 0;
}

static int begin_file(struct copy_tar *tar, struct buf *out, const struct entry *entry)
{
	char name[COPY_TAR_PATH];
	int r = find_name(tar, entry, name);
	tar->is_in_file = true;
	tar->skips_file = false;
	tar->left = tar->padding = entry->size;
	return r < 0 ? r : put_node(out, name, "", '0', entry, entry->size);
}

/* It may have become shorter since its size was told. Zeros stand for what is missing, unless that is so much
 * that it cannot be kept here until it is written. */
static int end_file(struct copy_tar *tar, struct buf *out)
{
	static const char zeros[64 * 1024], end[2 * BLOCK];
	uint64_t left = tar->left + (BLOCK - tar->padding % BLOCK) % BLOCK;
	int r = left <= out->max - out->len ? 0 : TRM_EIO;
	for (; left && r == 0; left -= left < sizeof zeros ? left : sizeof zeros)
		r = buf_append(out, zeros, left < sizeof zeros ? (size_t)left : sizeof zeros);
	tar->left = 0;
	tar->is_in_file = false;
	return r < 0 || tar->depth ? r : buf_append(out, end, sizeof end);
}

static int put_link(struct copy_tar *tar, struct buf *out, const struct entry *entry, struct trm_error *why)
{
	char name[COPY_TAR_PATH];
	int r = find_name(tar, entry, name);
	if (r < 0)
		return r;
	if (entry_link_is_inside(entry->text, tar->depth ? tar->depth - 1 : 0))
		return put_node(out, name, entry->text, '2', entry, 0);
	trm_error_set(why, TRM_EPERM, "%.200s: this is a link that leads out of what is copied", name);
	return COPY_TAR_REFUSED;
}

void copy_tar_init(struct copy_tar *tar, const char *base)
{
	*tar = (struct copy_tar){0};
	snprintf(tar->path, sizeof tar->path, "%s", *base ? base : ".");
}

/* Is this in a folder, or the end of a file, that is not in the archive? Then it is dealt with. */
static bool skip_entry(struct copy_tar *tar, const struct entry *entry)
{
	if (tar->is_in_file && tar->skips_file) {
		tar->is_in_file = entry->kind != ENTRY_END && entry->kind != ENTRY_FAIL;
		return true;
	}
	if (!tar->n_skipped)
		return false;
	tar->n_skipped += entry->kind == ENTRY_DIR;
	tar->n_skipped -= entry->kind == ENTRY_UP;
	tar->is_in_file = tar->skips_file = entry->kind == ENTRY_FILE;
	tar->left = 0;
	return true;
}

static bool is_path_too_long(const struct copy_tar *tar, const struct entry *entry)
{
	char name[COPY_TAR_PATH];
	bool has_path = entry->kind == ENTRY_DIR || entry->kind == ENTRY_FILE || entry->kind == ENTRY_LINK;
	return has_path && find_name(tar, entry, name) < 0;
}

/* The node is left out, and so is what belongs to it. */
static int refuse_path(struct copy_tar *tar, const struct entry *entry, struct trm_error *why)
{
	tar->n_skipped += entry->kind == ENTRY_DIR;
	if (entry->kind == ENTRY_FILE) {
		tar->is_in_file = tar->skips_file = true;
		tar->left = 0;
	}
	trm_error_set(why, TRM_ETOOBIG, "%.100s…/%.100s: the path is too long for an archive", tar->path,
			entry->name);
	return COPY_TAR_REFUSED;
}

int copy_tar_entry(struct copy_tar *tar, struct buf *out, const struct entry *entry, struct trm_error *why)
{
	int r = 0;
	if (skip_entry(tar, entry))
		return 0;
	if (is_path_too_long(tar, entry))
		return refuse_path(tar, entry, why);
	switch (entry->kind) {
	case ENTRY_DIR: r = begin_folder(tar, out, entry); break;
	case ENTRY_UP: r = end_folder(tar, out); break;
	case ENTRY_FILE: r = begin_file(tar, out, entry); break;
	case ENTRY_END: r = end_file(tar, out); break;
	case ENTRY_LINK: r = put_link(tar, out, entry, why); break;
	case ENTRY_FAIL:
		trm_error_set(why, entry->code, "%.200s%s%s: %s", tar->path, *entry->name ? "/" : "",
				entry->name, entry->text);
		r = tar->is_in_file ? end_file(tar, out) : 0;
		if (r == 0)
			return COPY_TAR_REFUSED;
		break;
	case ENTRY_TOTAL: break;
	default:
		return trm_error_set(
				why, TRM_EPROTO, "the agent in the sandbox sent data that was not requested");
	}
	if (r == TRM_EIO)
		return trm_error_set(
				why, r, "%.200s: a file became much shorter while it was read", tar->path);
	/* A part of it may be there: to go on would make a header of what comes next. */
	if (r == TRM_ETOOBIG)
		return trm_error_set(why, r, "the archive is read too slowly for so many small files");
	return r < 0 ? trm_error_set(why, r, "out of memory") : r;
}

int copy_tar_data(struct copy_tar *tar, struct buf *out, const void *bytes, size_t n, struct trm_error *why)
{
	if (n > tar->left)
		n = (size_t)tar->left; /* it has grown since its size was told, or never had one: /proc */
	tar->left -= n;
	int r = buf_append(out, bytes, n);
	return r < 0 ? trm_error_set(why, r, "out of memory") : 0;
}
