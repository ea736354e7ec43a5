/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/server.h>

#include "base/err.h"
#include "rpc/names.h"
#include "server/keys/token.h"

enum { PATH = 1024, MANY = 256, SERVER_KEY_LEN = TRM_SERVER_KEY - 1 };

static int find(char path[PATH], struct trm_error *reterr)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	int n = -1;
	if (data && *data == '/')
		n = snprintf(path, PATH, "%s/terrarium/server.key", data);
	else if (home && *home == '/')
		n = snprintf(path, PATH, "%s/.local/share/terrarium/server.key", home);
	if (n < 0 || n >= PATH)
		return trm_error_set(reterr, TRM_ENOENT,
				"there is no folder for the server key: neither XDG_DATA_HOME nor HOME names a folder; name a "
				"file with --key-file");
	return 0;
}

/* Make all folders of the path with mode 0700, as the XDG specification requires. */
static int make_parents(char *path, struct trm_error *reterr)
{
	int r = 0;
	for (char *slash = strchr(path + 1, '/'); r == 0 && slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		/* mkdir() of an existing folder may fail in many ways. If a folder is really missing,
		 * opening the file fails later. */
		int error = mkdir(path, 0700) < 0 ? errno : 0;
		if ((error == ENOSPC || error == EDQUOT || error == EROFS) && access(path, F_OK) < 0)
			r = trm_error_set_errno(reterr, error,
					"cannot make the folder %.200s for the server key", path);
		*slash = '/';
	}
	return r;
}

/* ---- reading ---- */

static int check_file(int fd, const char *path, struct trm_error *reterr)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return trm_error_set_errno(reterr, errno, "cannot read the server key %.200s", path);
	if (!S_ISREG(st.st_mode))
		return trm_error_set(reterr, TRM_EPERM, "the server key %.200s is not a file", path);
	if (st.st_uid != geteuid())
		return trm_error_set(reterr, TRM_EPERM,
				"the server key %.200s belongs to another user: chown it, or name another with --key-file",
				path);
	if (st.st_mode & 0077)
		return trm_error_set(reterr, TRM_EPERM,
				"the server key %.200s can be read by others (mode %04o), so that they could make keys: "
				"chmod 600 it, and --reset-key if they may have read it",
				path, (unsigned)st.st_mode & 07777);
	return 0;
}

static bool is_key(const char *text, size_t n)
{
	for (size_t i = 0; i < SERVER_KEY_LEN && i < n; i++)
		if (!isalnum((unsigned char)text[i]))
			return false;
	return n == SERVER_KEY_LEN || (n == SERVER_KEY_LEN + 1 && text[SERVER_KEY_LEN] == '\n');
}

static int read_key(int fd, const char *path, char key[TRM_SERVER_KEY], struct trm_error *reterr)
{
	char text[SERVER_KEY_LEN + 3];
	int r = check_file(fd, path, reterr);
	if (r < 0)
		return r;
	ssize_t n = read(fd, text, sizeof text);
	if (n < 0)
		return trm_error_set_errno(reterr, errno, "cannot read the server key %.200s", path);
	if (!is_key(text, (size_t)n))
		return trm_error_set(reterr, TRM_EINVAL,
				"%.200s does not contain a server key (%d letters and digits): make a new one with "
				"'terrarium serve --reset-key'",
				path, SERVER_KEY_LEN);
	memcpy(key, text, SERVER_KEY_LEN);
	key[SERVER_KEY_LEN] = '\0';
	explicit_bzero(text, sizeof text);
	return 0;
}

/* ---- making ---- */

/* Each character is equally likely: bytes that would favor some are skipped. */
static int make_key(char key[TRM_SERVER_KEY], struct trm_error *reterr)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	const unsigned n_letters = sizeof letters - 1, fair = 256 - 256 % n_letters;
	unsigned char bytes[MANY];
	size_t n = 0;
	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return trm_error_set_errno(reterr, errno, "cannot make a server key");
	for (size_t i = 0; i < sizeof bytes && n < SERVER_KEY_LEN; i++)
		if (bytes[i] < fair)
			key[n++] = letters[bytes[i] % n_letters];
	key[n] = '\0';
	explicit_bzero(bytes, sizeof bytes);
	return n == SERVER_KEY_LEN
			       ? 0
			       : trm_error_set(reterr, TRM_EIO, "cannot make a server key: no randomness");
}

/* The file gets its name only when it is complete. If the name exists by then and must not be replaced, the
 * existing key counts. There is no line end, as in the original, because other programs sign with the exact
 * bytes of the file. */
static int put_file(const char *path, bool replaces, const char *key, struct trm_error *reterr)
{
	char temporary[PATH + 16];
	snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
	int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return trm_error_set_errno(reterr, errno, "cannot write the server key %.200s", path);
	bool is_written = dprintf(fd, "%s", key) == SERVER_KEY_LEN && fsync(fd) == 0;
	is_written = close(fd) == 0 && is_written;
	int r = !is_written ? -1 : replaces ? rename(temporary, path) : link(temporary, path);
	int saved = errno;
	unlink(temporary);
	if (r == 0)
		return 0;
	return saved == EEXIST && !replaces ? 0
					    : trm_error_set_errno(reterr, saved,
							    "cannot write the server key %.200s", path);
}

int trm_server_key(const char *path, bool is_reset, char key[TRM_SERVER_KEY], struct trm_error *reterr)
{
	char usual[PATH];
	int r = 0;
	if (!path && (r = find(usual, reterr)) < 0)
		return r;
	if (!path && (r = make_parents(usual, reterr)) < 0)
		return r;
	const char *file = path ? path : usual;
	int fd = is_reset ? -1 : open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && (is_reset || errno == ENOENT)) {
		if ((r = make_key(key, reterr)) < 0 || (r = put_file(file, is_reset, key, reterr)) < 0)
			return r;
		fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	if (fd < 0)
		return trm_error_set_errno(reterr, errno, "cannot read the server key %.200s", file);
	r = read_key(fd, file, key, reterr);
	close(fd);
	return r;
}

int trm_server_token(const char *key, const char *name_space, uint64_t lifetime_s, char ret[TRM_SERVER_TOKEN],
		struct trm_error *reterr)
{
	struct hmac hmac;
	struct token_claims claims = {.issued_s = (double)time(NULL)};
	int r = strcmp(name_space, RPC_EVERYWHERE) != 0 ? rpc_name_check("namespace", name_space, reterr) : 0;
	if (r == 0)
		r = hmac_load(&hmac, reterr);
	if (r < 0)
		return r;
	claims.expires_s = claims.issued_s + (double)lifetime_s;
	snprintf(claims.namespace, sizeof claims.namespace, "%s", name_space);
	if (!token_make(&hmac, key, &claims, ret))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"libgnutls refuses HMAC with SHA-256, with which keys are signed");
	return 0;
}
