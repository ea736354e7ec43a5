/* SPDX-License-Identifier: MIT */
#include "kube/proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/error.h>

/* ---- which proxy -------------------------------------------------------------------------------------- */

/* Whether kubectl or its credential plugins depend on the variable. */
static bool matters(const char *variable)
{
	static const char *const names[] = {"HOME=", "PATH=", "USER=", "XDG_CONFIG_HOME=", "http_proxy=",
			"https_proxy=", "no_proxy=", "all_proxy="};
	static const char *const prefixes[] = {"KUBE", "AWS_", "AZURE_", "ARM_", "AAD_", "GOOGLE_",
			"CLOUDSDK_", "GCLOUD_", "OCI_", "DIGITALOCEAN_", "SSL_CERT_", "VAULT_", "TELEPORT_",
			"TSH_", "OIDC_"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strncasecmp(variable, names[i], strlen(names[i])) == 0)
			return true;
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

/* FNV-1a. It only tells proxies apart: it needs no secret. */
static uint64_t add_hash(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * 0x100000001B3;
	while (*text++);
	return hash;
}

static int name_files(const char *dir, const char *program, const char *context, char *const *env,
		struct proxy_files *ret)
{
	uint64_t hash = add_hash(add_hash(0xCBF29CE484222325, program), context ? context : "\1"), sum = 0;
	for (; *env; env++)
		if (matters(*env))
			sum += add_hash(0xCBF29CE484222325, *env); /* in any order */
	const struct {
		char *out;
		const char *end;
	} rows[] = {{ret->lock, "lock"}, {ret->keeper, "sock"}, {ret->api, "api"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (snprintf(rows[i].out, sizeof ret->lock, "%s/" KUBE_FILES_PREFIX "%016llx.%s", dir,
				    (unsigned long long)(hash ^ sum), rows[i].end)
				>= (int)sizeof ret->lock)
			return TRM_ETOOBIG;
	return 0;
}

/* ---- the lock ---------------------------------------------------------------------------------- */

/* Whether the locked file still has this path: the previous holder of the lock may have removed it. */
static bool is_at(int fd, const char *path)
{
	struct stat own, there;
	return fstat(fd, &own) == 0 && lstat(path, &there) == 0 && own.st_ino == there.st_ino
	       && own.st_dev == there.st_dev;
}

int proxy_lock(const struct proxy_files *files)
{
	for (;;) {
		int fd = open(files->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			return -errno;
		while (flock(fd, LOCK_EX) < 0 && errno == EINTR)
			;
		if (is_at(fd, files->lock))
			return fd;
		close(fd);
	}
}

/* ---- joining ----------------------------------------------------------------------------------- */

static int open_socket(const char *path, bool listens)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	enum { BACKLOG = 128 };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	memcpy(address.sun_path, path, strlen(path) + 1);
	const struct sockaddr *at = (const struct sockaddr *)&address;
	bool is_good = fd >= 0
		       && (listens ? bind(fd, at, sizeof address) == 0 && listen(fd, BACKLOG) == 0
				   : connect(fd, at, sizeof address) == 0);
	if (is_good)
		return fd;
	int error = errno;
	if (fd >= 0)
		close(fd);
	return -error;
}

int proxy_connect(const struct proxy_use *use)
{
	return open_socket(use->path, false);
}

/* The keeper outlives the process that starts it, so it is started by way of a child that exits at once. */
static int start_keeper(
		const struct proxy_files *files, const char *program, const char *context, char *const *env)
{
	unlink(files->keeper);
	unlink(files->api);
	int listen_fd = open_socket(files->keeper, true);
	pid_t pid = listen_fd < 0 ? -1 : fork();
	if (pid == 0) {
		if (fork() == 0)
			proxy_keep(files, listen_fd, program, context, env);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	int error = pid > 0 ? 0 : listen_fd < 0 ? listen_fd : -errno;
	if (listen_fd >= 0)
		close(listen_fd);
	return error;
}

/* A connection to a keeper, or -errno. */
static int find_keeper(
		const struct proxy_files *files, const char *program, const char *context, char *const *env)
{
	int lock_fd = proxy_lock(files);
	if (lock_fd < 0)
		return lock_fd;
	int fd = open_socket(files->keeper, false);
	if (fd == -ENOENT || fd == -ECONNREFUSED) {
		int r = start_keeper(files, program, context, env);
		fd = r < 0 ? r : open_socket(files->keeper, false);
	}
	close(lock_fd);
	return fd;
}

/* The keeper's line: "+", or "-" and a reason. Returns the number of bytes without the newline, 0 at the end,
 * -errno. */
static ssize_t read_greeting(int fd, char *line, size_t cap)
{
	size_t n = 0;
	while (n < cap - 1) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		if (poll(&ready, 1, PROXY_START_MS) <= 0)
			return -ETIMEDOUT;
		ssize_t got = read(fd, line + n, 1);
		if (got <= 0 || line[n] == '\n')
			break;
		n++;
	}
	line[n] = '\0';
	return (ssize_t)n;
}

/* Returns false if the proxy has died and its keeper has not noticed yet, after the keeper has ended. */
static bool is_alive(const struct proxy_files *files, int keeper_fd)
{
	enum { NOTICED_MS = 1000 };
	struct pollfd end = {.fd = keeper_fd, .events = POLLIN};
	int fd = open_socket(files->api, false);
	if (fd < 0)
		poll(&end, 1, NOTICED_MS);
	else
		close(fd);
	return fd >= 0;
}

int proxy_join(const char *dir, const char *program, const char *context, char *const *env,
		struct proxy_use *ret, char why[PROXY_WORDS])
{
	enum { TRIES = 3 };
	struct proxy_files files;
	char line[PROXY_WORDS];
	*ret = (struct proxy_use){.keeper_fd = -1};
	snprintf(why, PROXY_WORDS, "the path of the runtime directory is too long for a socket");
	if (name_files(dir, program, context, env, &files) < 0)
		return TRM_ETOOBIG;
	for (int i = 0; i < TRIES; i++) {
		int fd = find_keeper(&files, program, context, env);
		ssize_t n = fd < 0 ? fd : read_greeting(fd, line, sizeof line);
		bool is_ready = n > 0 && *line == '+';
		if (is_ready && is_alive(&files, fd)) {
			ret->keeper_fd = fd;
			memcpy(ret->path, files.api, sizeof ret->path);
			return 0;
		}
		if (fd >= 0)
			close(fd);
		snprintf(why, PROXY_WORDS, "%s",
				n < 0                ? strerror((int)-n)
				: n > 0 && !is_ready ? line + 1
						     : "kubectl proxy ended");
		if (n != 0 && !is_ready) /* else it was about to end, or has died: there may be another now */
			break;
	}
	return TRM_EIO;
}
