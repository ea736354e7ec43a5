/* SPDX-License-Identifier: MIT */
#include "agent/container/passwd.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FILE_MAX = 256 * 1024,
	FIELDS = 7,
	/* Of both files: name, password, number. */
	NAME = 0,
	NUMBER = 2,
	/* Of passwd(5) alone. */
	GROUP = 3,
	HOME = 5,
};

/* "0" to "4294967294": the highest number means "none" to the kernel. */
static bool parse_id(const char *text, uint32_t *ret)
{
	char *end;
	if (text[0] < '0' || text[0] > '9' || strlen(text) > 10)
		return false;
	unsigned long long value = strtoull(text, &end, 10);
	*ret = (uint32_t)value;
	return !*end && value < UINT32_MAX;
}

/* The file's text, allocated; NULL: there is none. */
static char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = fd < 0 ? NULL : malloc(FILE_MAX);
	size_t len = 0;
	ssize_t n = 0;
	while (text && len < FILE_MAX - 1 && (n = read(fd, text + len, FILE_MAX - 1 - len)) > 0)
		len += (size_t)n;
	if (text)
		text[len] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

/* Cut a line into its fields. Missing ones are "". */
static void split(char *line, const char *fields[FIELDS])
{
	for (int i = 0; i < FIELDS; i++) {
		fields[i] = line;
		line += strcspn(line, ":");
		if (*line)
			*line++ = '\0';
	}
}

/* The line with that name, or with that number where `name` is NULL. The fields point into *ret_text, which
 * is to be freed. */
static bool find(const char *path, const char *name, uint32_t number, char **ret_text,
		const char *fields[FIELDS])
{
	char *text = read_file(path), *rest = text, *line;
	uint32_t id;
	*ret_text = text;
	while (text && (line = strsep(&rest, "\n"))) {
		split(line, fields);
		if (!parse_id(fields[NUMBER], &id))
			continue;
		if (name ? strcmp(fields[NAME], name) == 0 : id == number)
			return true;
	}
	return false;
}

static void fill(struct passwd *passwd, const char *const fields[FIELDS])
{
	parse_id(fields[NUMBER], &passwd->uid);
	parse_id(fields[GROUP], &passwd->gid);
	snprintf(passwd->name, sizeof passwd->name, "%s", fields[NAME]);
	snprintf(passwd->home, sizeof passwd->home, "%s", fields[HOME]);
}

void passwd_of(uint32_t uid, uint32_t gid, struct passwd *ret)
{
	const char *fields[FIELDS];
	char *text;
	*ret = (struct passwd){.uid = uid, .gid = gid};
	snprintf(ret->name, sizeof ret->name, "%u", uid);
	if (find("/etc/passwd", NULL, uid, &text, fields)) {
		fill(ret, fields);
		ret->gid = gid;
	}
	free(text);
}

static int find_user(const char *user, struct passwd *ret, struct trm_error *reterr)
{
	const char *fields[FIELDS];
	char *text;
	uint32_t uid = 0;
	bool is_number = parse_id(user, &uid), has_entry;
	*ret = (struct passwd){.uid = uid, .gid = uid};
	snprintf(ret->name, sizeof ret->name, "%u", uid);
	has_entry = find("/etc/passwd", is_number ? NULL : user, uid, &text, fields);
	if (has_entry)
		fill(ret, fields);
	free(text);
	if (!has_entry && !is_number && strcmp(user, "root") == 0)
		*ret = (struct passwd){
				.name = "root"}; /* is it in every system, also where no file says so */
	else if (!has_entry && !is_number)
		return trm_error_set(reterr, TRM_ENOENT,
				"there is no user '%s' in the container's /etc/passwd; give an existing one, or a "
				"number",
				user);
	return 0;
}

static int find_group(const char *group, uint32_t *ret, struct trm_error *reterr)
{
	const char *fields[FIELDS];
	char *text;
	if (parse_id(group, ret))
		return 0;
	bool has_entry = find("/etc/group", group, 0, &text, fields);
	if (has_entry)
		parse_id(fields[NUMBER], ret);
	free(text);
	return has_entry ? 0
			 : trm_error_set(reterr, TRM_ENOENT,
					 "there is no group '%s' in the container's /etc/group; give an existing "
					 "one, or a number",
					 group);
}

int passwd_find(const char *spec, struct passwd *ret, struct trm_error *reterr)
{
	char user[sizeof ret->name];
	size_t n = strcspn(spec, ":");
	if (!n || n >= sizeof user || (spec[n] && (!spec[n + 1] || strchr(spec + n + 1, ':'))))
		return trm_error_set(reterr, TRM_EINVAL,
				"'%.80s' is not a user: it must be USER, UID, USER:GROUP or UID:GID", spec);
	memcpy(user, spec, n);
	user[n] = '\0';
	int r = find_user(user, ret, reterr);
	return r < 0 || !spec[n] ? r : find_group(spec + n + 1, &ret->gid, reterr);
}
