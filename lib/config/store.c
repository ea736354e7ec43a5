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

/* The range of the nth value in a text without comments that cJSON has parsed. */
static bool value_range(const char *text, size_t n, size_t nth, size_t *ret_from, size_t *ret_to)
{
	size_t key = jsonc_key_offset(text, n, nth);
	const char *end = NULL;
	if (key >= n)
		return false;
	*ret_from = jsonc_value_offset(text, n, key);
	cJSON_Delete(cJSON_ParseWithOpts(text + *ret_from, &end, false));
	*ret_to = end ? (size_t)(end - text) : *ret_from;
	return end != NULL;
}

/* Write numbers and switches without quotes, all other values as JSON strings. */
static void put_json_value(FILE *out, const struct trm_setting *setting, const char *value)
{
	bool is_number = setting->kind >= TRM_SETTING_BYTES && *value
			 && value[strspn(value, "0123456789")] == '\0' && (*value != '0' || !value[1]);
	if (setting->kind == TRM_SETTING_SWITCH && (!strcmp(value, "on") || !strcmp(value, "off"))) {
		fputs(strcmp(value, "on") == 0 ? "true" : "false", out);
	} else if (is_number) {
		fputs(value, out);
	} else {
		cJSON *json = cJSON_CreateString(value);
		char *text = json ? cJSON_PrintUnformatted(json) : NULL;
		fputs(text ? text : "\"\"", out);
		cJSON_free(text);
		cJSON_Delete(json);
	}
}

/* The indentation of the first member, if the member has a line of its own. */
static int indentation(const char *blanked, size_t n, const char **ret)
{
	size_t key = jsonc_key_offset(blanked, n, 0), from = key;
	while (key < n && from > 0 && strchr(" \t", blanked[from - 1]))
		from--;
	*ret = blanked + from;
	bool has_line = key < n && from > 0 && blanked[from - 1] == '\n' && key - from < 32;
	if (!has_line)
		*ret = "\t";
	return has_line ? (int)(key - from) : 1;
}

/* Does a comment begin in these bytes that goes on behind them? */
static bool opens_comment(const char *bytes, size_t n)
{
	for (const char *at = bytes; (at = memmem(at, n - (size_t)(at - bytes), "/*", 2)) != NULL;) {
		at = memmem(at + 2, n - (size_t)(at + 2 - bytes), "*/", 2);
		if (!at)
			return true;
	}
	return false;
}

/* Where a new member goes when it is to stand behind `at`, the end of the last one: below what is said about
 * that in its line. */
static size_t end_of_line(const char *old, const char *blanked, size_t n, size_t at)
{
	size_t end = at + strcspn(old + at, "\n"), blank = at + strspn(blanked + at, " \t\r");
	bool is_rest_of_line = end < n && blank >= end && !opens_comment(old + at, end - at);
	return is_rest_of_line ? end - (end > at && old[end - 1] == '\r') : at;
}

/* Add the setting as the last member of a file that lacks it. */
static void put_new_member(FILE *out, const char *old, const char *blanked, size_t n, size_t count,
		const struct trm_setting *setting, const char *value)
{
	size_t from, to = (size_t)(strchr(blanked, '{') - blanked) + 1;
	const char *indent;
	int n_indent = indentation(blanked, n, &indent);
	if (count)
		value_range(blanked, n, count - 1, &from, &to);
	size_t behind = end_of_line(old, blanked, n, to);
	bool has_lines = strchr(blanked, '\n') != NULL;
	fwrite(old, 1, to, out);
	fputs(count ? "," : "", out);
	fwrite(old + to, 1, behind - to, out);
	if (has_lines || !count)
		fprintf(out, "\n%.*s\"%s\": ", n_indent, indent, setting->name);
	else
		fprintf(out, " \"%s\": ", setting->name);
	put_json_value(out, setting, value);
	fputs(!has_lines && !count ? "\n" : "", out);
	fwrite(old + behind, 1, n - behind, out);
}

static int nth_of_member(const cJSON *root, const char *key)
{
	int nth = 0;
	for (const cJSON *item = root->child; item; item = item->next, nth++)
		if (strcmp(item->string, key) == 0)
			return nth;
	return -1;
}

/* Replace the value or add the member; comments and order stay. */
static bool put_edited(FILE *out, const char *old, const char *blanked, size_t n, const cJSON *root,
		const struct trm_setting *setting, const char *value)
{
	int nth = nth_of_member(root, setting->name);
	size_t from, to;
	if (nth < 0) {
		put_new_member(out, old, blanked, n, (size_t)cJSON_GetArraySize(root), setting, value);
		return true;
	}
	if (!value_range(blanked, n, (size_t)nth, &from, &to))
		return false;
	fwrite(old, 1, from, out);
	put_json_value(out, setting, value);
	fwrite(old + to, 1, n - to, out);
	return true;
}

/* Read the result again: an edit must never damage a file, whatever it contained. */
static bool says_value(const char *text, size_t n, const struct trm_setting *setting, int n_members)
{
	char *blanked = strndup(text, n);
	cJSON *root = blanked && jsonc_blank_comments(blanked, n) == n
				      ? cJSON_ParseWithOpts(blanked, NULL, true)
				      : NULL;
	bool is_good = cJSON_IsObject(root) && nth_of_member(root, setting->name) >= 0
		       && cJSON_GetArraySize(root) == n_members;
	cJSON_Delete(root);
	free(blanked);
	return is_good;
}

int trm_config_edit(const char *text, size_t n, const struct trm_setting *setting, const char *value,
		char **ret, size_t *ret_n, struct trm_error *reterr)
{
	char *blanked = strndup(text, n), *made = NULL;
	size_t made_n = 0;
	FILE *out = blanked ? open_memstream(&made, &made_n) : NULL;
	if (!out) {
		free(blanked);
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	}
	bool is_good = strlen(blanked) == n && jsonc_blank_comments(blanked, n) == n;
	cJSON *root = is_good ? cJSON_ParseWithOpts(blanked, NULL, true) : NULL;
	int n_members = root ? cJSON_GetArraySize(root) : 0;
	is_good = cJSON_IsObject(root) && put_edited(out, text, blanked, n, root, setting, value);
	n_members += is_good && nth_of_member(root, setting->name) < 0;
	cJSON_Delete(root);
	free(blanked);
	is_good = fclose(out) == 0 && is_good && says_value(made, made_n, setting, n_members);
	if (!is_good) {
		free(made);
		return trm_error_set(reterr, TRM_EINVAL, "it is not a JSON object");
	}
	*ret = made;
	*ret_n = made_n;
	return 0;
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

static int write_file(const char *path, const char *bytes, size_t n, struct trm_error *reterr)
{
	char fresh[1040];
	struct stat st = {.st_mode = 0600};
	make_folders(path);
	stat(path, &st);
	snprintf(fresh, sizeof fresh, "%s.new", path);
	int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, st.st_mode & 0777);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out)
		return trm_error_set_errno(reterr, errno, "cannot write %s", fresh);
	bool is_whole = fwrite(bytes, 1, n, out) == n;
	is_whole = fclose(out) == 0 && is_whole;
	if (is_whole && rename(fresh, path) == 0)
		return 0;
	trm_error_set_errno(reterr, errno, "cannot write %s", path);
	unlink(fresh);
	return TRM_EIO;
}

int trm_config_store(const char *path, const struct trm_setting *setting, const char *value,
		struct trm_error *reterr)
{
	char *old = NULL;
	size_t n = 0;
	int r = config_read_file(path, &old, &n, reterr);
	if (r < 0 && r != TRM_ENOENT)
		return r;
	static const char empty[] = "{\n}\n";
	struct trm_error why = {0};
	char *made = NULL;
	size_t made_n = 0;
	r = trm_config_edit(
			old ? old : empty, old ? n : sizeof empty - 1, setting, value, &made, &made_n, &why);
	free(old);
	if (r < 0)
		return trm_error_set(reterr, r, "%s cannot be changed: %s", path, why.msg);
	r = write_file(path, made, made_n, reterr);
	free(made);
	return r;
}
