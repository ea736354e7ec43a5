/* SPDX-License-Identifier: MIT */
/* Sets: libraries that lie unpacked in the cache, for all sandboxes, and count against none of them.
 *
 *   sets/NAME/site-packages …   a set. NAME is the SHA-256 of what is in it, expected by the downloader
 *   sets/NAME/sum               what was there when it came: see sum_of(). It is touched at each use
 *   asked/KEY                   for which request which set came, and when: its first line is NAME, the rest
 *                               the request */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cachedir.h"
#include "base/err.h"
#include "base/log.h"
#include "install/install.h"

/* How long an answer of the index counts: as long as nobody asks it again, "numpy" is the same version. */
enum { FRESH_S = 24 * 3600, ASKED_MAX = 64 * 1024 };

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
	for (const unsigned char *at = bytes, *end = at + n; at < end; at++)
		hash = (hash ^ *at) * UINT64_C(0x100000001b3);
	return hash;
}

static const uint64_t HASH_START = UINT64_C(0xcbf29ce484222325);

/* ---- what was asked for ---------------------------------------------------------------- */

static void add_text(struct buf *b, const char *name, const char *text)
{
	buf_append(b, name, strlen(name));
	buf_append(b, "=", 1);
	if (text)
		buf_append(b, text, strlen(text));
	buf_append(b, "\n", 1);
}

/* A file that decides what comes of a request: another one is another request. */
static void add_stat(struct buf *b, const char *path)
{
	struct stat st;
	char words[120];
	if (stat(path, &st) < 0)
		return;
	snprintf(words, sizeof words, "%lld %lld.%09ld", (long long)st.st_size, (long long)st.st_mtim.tv_sec,
			st.st_mtim.tv_nsec);
	add_text(b, path, words);
}

static void add_home_stat(struct buf *b, const char *name)
{
	char path[CACHEDIR_PATH];
	const char *home = getenv("HOME");
	if (home && snprintf(path, sizeof path, "%s/%s", home, name) < (int)sizeof path)
		add_stat(b, path);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The packages in any order, the interpreter, and where they are fetched from. */
static int put_request(struct buf *b, const struct tool_opts *opts)
{
	static const char *const variables[] = {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS",
			"PIP_NO_INDEX", "PIP_PRE", "npm_config_registry", "NPM_CONFIG_REGISTRY", "GEM_SOURCE",
			"R_REPO", "MAVEN_REPO", "GOPROXY"};
	char **packages = calloc(opts->n_packages + 1, sizeof *packages);
	if (!packages)
		return TRM_ENOMEM;
	memcpy(packages, opts->packages, opts->n_packages * sizeof *packages);
	qsort(packages, opts->n_packages, sizeof *packages, by_text);
	add_text(b, "for", opts->lang->package_manager);
	for (size_t i = 0; i < opts->n_packages; i++)
		add_text(b, "package", packages[i]);
	free(packages);
	if (opts->requirements) {
		add_text(b, "requirements", "");
		buf_append(b, opts->requirements, opts->requirements_len);
	}
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (getenv(variables[i]))
			add_text(b, variables[i], getenv(variables[i]));
	const char *program = opts->recipe->is_of_row ? opts->lang->interpreter : opts->recipe->program;
	if (*program == '/')
		add_stat(b, program);
	add_stat(b, "/etc/pip.conf");
	add_home_stat(b, ".config/pip/pip.conf");
	add_home_stat(b, ".npmrc");
	return b->len < b->max ? 0 : TRM_ETOOBIG;
}

static void name_asked(char name[SET_NAME + 8], const struct buf *request)
{
	snprintf(name, SET_NAME + 8, "%016" PRIx64, hash_bytes(HASH_START, buf_at(request), request->len));
}

/* ---- a set -------------------------------------------------------------------------------- */

bool set_is_name(const char *name)
{
	return strlen(name) == SET_NAME - 1 && strspn(name, "0123456789abcdef") == SET_NAME - 1;
}

/* A path below the cache's folder; false: there is no cache. */
static bool find_path(char path[CACHEDIR_PATH], const char *folder, const char *name, const char *file)
{
	char root[CACHEDIR_PATH];
	struct trm_error why;
	int fd = cachedir_open("packages", root, &why);
	if (fd < 0) {
		log_write(LOG_WARNING, "%s", why.msg);
		return false;
	}
	close(fd);
	return snprintf(path, CACHEDIR_PATH, "%s/%s%s%s%s%s", root, folder, name ? "/" : "", name ? name : "",
			       file ? "/" : "", file ? file : "")
	       < CACHEDIR_PATH;
}

/* Of the names, sizes and times of all files, in no order. This finds what a full disk, a crash or a person
 * has damaged, at the cost of a walk: it is no protection against somebody who means harm, and could write to
 * this user's cache anyway. */
static bool sum_of(const char *folder, uint64_t *ret)
{
	char *const roots[] = {(char *)folder, NULL};
	const size_t skipped = strlen(folder);
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	bool is_whole = walk;
	*ret = 0;
	for (FTSENT *entry; walk && (entry = fts_read(walk));) {
		const struct stat *st = entry->fts_statp;
		int64_t facts[] = {st->st_size, st->st_mtim.tv_sec, st->st_mtim.tv_nsec};
		if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
			is_whole = false;
		if (entry->fts_info != FTS_F || (entry->fts_level == 1 && !strcmp(entry->fts_name, "sum")))
			continue;
		uint64_t hash = hash_bytes(
				HASH_START, entry->fts_path + skipped, strlen(entry->fts_path) - skipped);
		*ret += hash_bytes(hash, facts, sizeof facts);
	}
	if (walk)
		fts_close(walk);
	return is_whole;
}

static bool read_text(const char *path, char *text, size_t cap, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, cap - 1);
	bool is_read = n >= 0 && fstat(fd, st) == 0;
	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return is_read;
}

bool set_is_whole(const char *name)
{
	char folder[CACHEDIR_PATH], path[CACHEDIR_PATH], expected[24], text[24];
	struct stat st;
	uint64_t sum;
	if (!find_path(folder, "sets", name, NULL) || !find_path(path, "sets", name, "sum")
			|| !read_text(path, expected, sizeof expected, &st) || !sum_of(folder, &sum))
		return false;
	snprintf(text, sizeof text, "%016" PRIx64, sum);
	if (strcmp(text, expected) != 0)
		return false;
	utimensat(AT_FDCWD, path, NULL, 0); /* it is in use: it goes last */
	return true;
}

bool set_find(const struct tool_opts *opts, bool is_any_age, char ret[SET_NAME])
{
	char path[CACHEDIR_PATH], key[SET_NAME + 8];
	struct stat st;
	struct buf request;
	bool is_found = false;
	char *text = malloc(ASKED_MAX);
	buf_init(&request, ASKED_MAX);
	if (text && put_request(&request, opts) == 0) {
		name_asked(key, &request);
		is_found = find_path(path, "asked", key, NULL) && read_text(path, text, ASKED_MAX, &st)
			   && strlen(text) == SET_NAME + request.len && text[SET_NAME - 1] == '\n'
			   && memcmp(text + SET_NAME, buf_at(&request), request.len) == 0;
	}
	if (is_found) {
		memcpy(ret, text, SET_NAME - 1);
		ret[SET_NAME - 1] = '\0';
		int64_t age_s = (int64_t)time(NULL) - st.st_mtim.tv_sec;
		is_found = set_is_name(ret) && (is_any_age || (age_s >= 0 && age_s < FRESH_S))
			   && set_is_whole(ret);
	}
	buf_finish(&request);
	free(text);
	return is_found;
}

bool set_lock_path(const struct tool_opts *opts, char path[CACHEDIR_PATH])
{
	char folder[CACHEDIR_PATH], key[SET_NAME + 8];
	struct buf request;
	buf_init(&request, ASKED_MAX);
	bool is_found = put_request(&request, opts) == 0 && find_path(folder, "asked", NULL, NULL);
	name_asked(key, &request);
	buf_finish(&request);
	if (!is_found || snprintf(path, CACHEDIR_PATH, "%s/%s.lock", folder, key) >= CACHEDIR_PATH)
		return false;
	mkdir(folder, 0755);
	return true;
}

static int write_text(
		const char *folder, const char *name, const char *text, size_t n, struct trm_error *reterr)
{
	struct cache_file file;
	int r = cache_file_begin(&file, folder, name, reterr);
	if (r < 0)
		return r;
	r = cache_file_write(&file, text, n, reterr);
	int end = cache_file_end(&file, r == 0, reterr);
	return r < 0 ? r : end;
}

void set_note(const struct tool_opts *opts)
{
	char key[SET_NAME + 8], first[SET_NAME + 1];
	struct buf text, request;
	struct trm_error why = {0};
	buf_init(&text, 2 * ASKED_MAX);
	buf_init(&request, ASKED_MAX);
	int r = put_request(&request, opts);
	snprintf(first, sizeof first, "%s\n", opts->set);
	if (r == 0)
		r = buf_append(&text, first, SET_NAME);
	if (r == 0)
		r = buf_append(&text, buf_at(&request), request.len);
	name_asked(key, &request);
	if (r < 0 || write_text("asked", key, buf_at(&text), text.len, &why) < 0)
		log_write(LOG_WARNING, "%s", r < 0 ? trm_strerror(r) : why.msg);
	buf_finish(&text);
	buf_finish(&request);
}

/* ---- a new one ----------------------------------------------------------------------------- */

void set_remove(const char *folder)
{
	char *const roots[] = {(char *)folder, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	for (FTSENT *entry; walk && (entry = fts_read(walk));)
		if (entry->fts_info == FTS_DP)
			rmdir(entry->fts_accpath);
		else if (entry->fts_info != FTS_D)
			unlink(entry->fts_accpath);
	if (walk)
		fts_close(walk);
}

/* Remove half-made sets of programs that were killed. */
static void remove_old_halves(const char *sets)
{
	enum { OLD_S = 24 * 3600 };
	char path[CACHEDIR_PATH];
	struct stat st;
	DIR *dir = opendir(sets);
	for (struct dirent *row; dir && (row = readdir(dir));)
		if ((!strncmp(row->d_name, ".new-", 5) || !strncmp(row->d_name, ".old-", 5))
				&& snprintf(path, sizeof path, "%s/%s", sets, row->d_name) < CACHEDIR_PATH
				&& lstat(path, &st) == 0 && time(NULL) - st.st_mtim.tv_sec > OLD_S)
			set_remove(path);
	if (dir)
		closedir(dir);
}

int set_begin(char folder[CACHEDIR_PATH], struct trm_error *reterr)
{
	char sets[CACHEDIR_PATH];
	if (!find_path(sets, "sets", NULL, NULL) || !find_path(folder, "sets", ".new-XXXXXX", NULL))
		return trm_error_set(reterr, TRM_EIO, "there is no cache to put the packages into");
	mkdir(sets, 0755);
	remove_old_halves(sets);
	if (!mkdtemp(folder) || chmod(folder, 0755) < 0)
		return trm_error_set_errno(
				reterr, errno, "cannot put the packages into the cache %.150s", sets);
	return 0;
}

/* All that was copied is on the disk before anybody can find it. */
static int write_sum(const char *folder, struct trm_error *reterr)
{
	char path[CACHEDIR_PATH], text[24];
	uint64_t sum;
	if (!sum_of(folder, &sum) || snprintf(path, sizeof path, "%s/sum", folder) >= CACHEDIR_PATH)
		return trm_error_set(reterr, TRM_EIO, "cannot read in the cache what was put there");
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	int n = snprintf(text, sizeof text, "%016" PRIx64, sum);
	bool is_written = fd >= 0 && write(fd, text, (size_t)n) == n;
	int r = is_written ? 0 : trm_error_set_errno(reterr, errno, "cannot write into the cache");
	if (fd >= 0)
		close(fd);
	return r;
}

int set_end(const char *folder, const char *name, struct trm_error *reterr)
{
	char path[CACHEDIR_PATH], old[CACHEDIR_PATH];
	int r = write_sum(folder, reterr);
	if (r == 0 && !find_path(path, "sets", name, NULL))
		r = trm_error_set(reterr, TRM_EIO, "there is no cache to put the packages into");
	if (r == 0 && rename(folder, path) == 0)
		return 0;
	/* Somebody else was quicker, or it is damaged: sandboxes that use it keep what they have open. */
	if (r == 0 && !set_is_whole(name) && find_path(old, "sets", ".old-XXXXXX", NULL) && mkdtemp(old)) {
		if (rename(path, old) < 0 || rename(folder, path) < 0)
			r = trm_error_set_errno(reterr, errno, "cannot put the packages into the cache");
		set_remove(old);
		if (r == 0)
			return 0;
	}
	set_remove(folder);
	return r;
}
