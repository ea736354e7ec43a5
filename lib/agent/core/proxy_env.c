/* SPDX-License-Identifier: MIT */
#include "agent/core/proxy_env.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME "/host-certificates.pem"

void proxy_env_init(struct proxy_env *s)
{
	*s = (struct proxy_env){.fd = -1};
}

static void file_path(const struct proxy_env *s, char out[sizeof s->folder + sizeof FILE_NAME])
{
	snprintf(out, sizeof s->folder + sizeof FILE_NAME, "%s" FILE_NAME, s->folder);
}

static void remove_file(struct proxy_env *s)
{
	char path[sizeof s->folder + sizeof FILE_NAME];
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	if (!s->folder[0])
		return;
	file_path(s, path);
	unlink(path);
	rmdir(s->folder);
	s->folder[0] = '\0';
}

void proxy_env_finish(struct proxy_env *s)
{
	remove_file(s);
}

/* First try a folder in memory, which does not become a part of an image. */
static void make_file(struct proxy_env *s)
{
	static const char *const places[] = {"/dev/shm", "/tmp", "/var/tmp"};
	char path[sizeof s->folder + sizeof FILE_NAME];
	for (size_t i = 0; i < sizeof places / sizeof *places && s->fd < 0; i++) {
		snprintf(s->folder, sizeof s->folder, "%s/terrarium-XXXXXX", places[i]);
		if (!mkdtemp(s->folder)) {
			s->folder[0] = '\0';
			continue;
		}
		file_path(s, path);
		s->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
		if (s->fd < 0)
			remove_file(s);
	}
	s->has_failed = s->fd < 0;
}

bool proxy_env_certs(struct proxy_env *s, const void *bytes, size_t n)
{
	const char *at = bytes;
	if (n > PROXY_ENV_CERTS_MAX - s->n_bytes)
		return false;
	if (!s->folder[0] && !s->has_failed)
		make_file(s);
	s->n_bytes += n;
	while (n && s->fd >= 0) {
		ssize_t done = write(s->fd, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			remove_file(s);
			s->has_failed = true;
			break;
		}
		at += done;
		n -= (size_t)done;
	}
	return true;
}

void proxy_env_environ(struct proxy_env *s, char **env, char **cert_names)
{
	char path[sizeof s->folder + sizeof FILE_NAME];
	for (; env && *env; env++) {
		char *value = strchr(*env, '=');
		if (!value || value == *env)
			continue;
		*value = '\0';
		setenv(*env, value + 1, 0);
	}
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	if (!s->folder[0])
		return;
	file_path(s, path);
	for (; cert_names && *cert_names; cert_names++)
		setenv(*cert_names, path, 0);
}
