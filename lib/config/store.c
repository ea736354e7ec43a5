/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "base/err.h"
#include "config/config.h"

/* Find the value of `key` in a text without comments, which cJSON has parsed. False: there is none. */
static bool find_value(const char *text, size_t n, const cJSON *root, const char *key, size_t *ret_from,
		size_t *ret_to)
{
	const char *end = NULL;
	size_t nth = 0;
	for (const cJSON *item = root->child; item; item = item->next, nth++) {
		if (strcmp(item->string, key) != 0)
			continue;
		*ret_from = jsonc_value_offset(text, n, jsonc_key_offset(text, n, nth));
		cJSON_Delete(cJSON_ParseWithOpts(text + *ret_from, &end, false));
		*ret_to = end ? (size_t)(end - text) : *ret_from;
		return end != NULL;
	}
	return false;
}

/* Comments stay unchanged. A setting that is new to the file becomes its first member. */
static int write_member(const char *old, size_t n, const char *key, const char *value, FILE *out,
		const char *path, struct trm_error *reterr)
{
	char *blanked = strdup(old);
	if (!blanked)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	jsonc_blank_comments(blanked, n);
	cJSON *root = cJSON_Parse(blanked);
	const char *brace = strchr(blanked, '{');
	size_t from = brace ? (size_t)(brace - blanked) + 1 : 0, to;
	int r = 0;
	if (!cJSON_IsObject(root) || !from)
		r = trm_error_set(reterr, TRM_EINVAL, "%s cannot be changed: it is not a JSON object", path);
	else if (find_value(blanked, n, root, key, &from, &to))
		fprintf(out, "%.*s\"%s\"%s", (int)from, old, value, old + to);
	else
		fprintf(out, "%.*s\n\t\"%s\": \"%s\"%s%s", (int)from, old, key, value, root->child ? "," : "",
				old + from);
	cJSON_Delete(root);
	free(blanked);
	return r;
}

/* Make the folders of the file. Existing ones are unchanged. */
static void make_folders(const char *path)
{
	char part[1024];
	snprintf(part, sizeof part, "%s", path);
	for (char *at = part + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(part, 0700);
	}
}

int trm_config_store(const char *path, const struct trm_setting *setting, const char *value,
		struct trm_error *reterr)
{
	char fresh[1040], *old = NULL;
	size_t n = 0;
	struct stat st = {.st_mode = 0600};
	int r = config_read_file(path, &old, &n, reterr);
	if (r < 0 && r != TRM_ENOENT)
		return r;
	make_folders(path);
	stat(path, &st);
	snprintf(fresh, sizeof fresh, "%s.new", path);
	int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, st.st_mode & 0777);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		free(old);
		return trm_error_set_errno(reterr, errno, "cannot write %s", fresh);
	}
	r = write_member(old ? old : "{\n}\n", old ? n : 4, setting->name, value, out, path, reterr);
	bool is_whole = fclose(out) == 0;
	if (r == 0 && (!is_whole || rename(fresh, path) < 0))
		r = trm_error_set_errno(reterr, errno, "cannot write %s", path);
	if (r < 0)
		unlink(fresh);
	free(old);
	return r;
}
