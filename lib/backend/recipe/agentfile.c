/* SPDX-License-Identifier: MIT */
#include "backend/recipe/agentfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "backend/host/program.h"
#include "backend/host/spawn.h"
#include "base/cachedir.h"
#include "base/err.h"
#include "embed/embed.h"

/* ---- a file ------------------------------------------------------------------------------ */

/* Open a directory that belongs to the user, that others cannot write to, and where programs can be
 * executed. Otherwise -1. */
static int open_own(const char *path, bool makes)
{
	struct stat st;
	struct statvfs fs;
	if (makes)
		mkdir(path, 0700);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 0022)
			&& fstatvfs(fd, &fs) == 0 && !(fs.f_flag & ST_NOEXEC))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static int open_cache(char path[AGENTFILE_PATH])
{
	int fd = cachedir_open("agents", path, NULL);
	if (fd < 0)
		return -1;
	close(fd); /* only the path is needed */
	return open_own(path, false);
}

static int open_place(char path[AGENTFILE_PATH])
{
	static const char *const PLACES[] = {"/var/tmp", "/tmp"};
	int fd = open_cache(path);
	for (size_t i = 0; fd < 0 && i < sizeof PLACES / sizeof *PLACES; i++) {
		snprintf(path, AGENTFILE_PATH, "%s/terrarium-agents-%u", PLACES[i], (unsigned)geteuid());
		fd = open_own(path, true);
	}
	return fd;
}

int agentfile_path(char path[AGENTFILE_PATH], struct trm_error *reterr)
{
	char name[64];
	struct embed agent = embed_agent();
	int dir = open_place(path);
	if (dir < 0)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"none of your folders for the agent's program allows programs to be executed: set "
				"XDG_CACHE_HOME to one");
	int r = program_keep(dir, "agent-", 0755, agent.bytes, agent.n, name, sizeof name, reterr);
	close(dir);
	if (r < 0)
		return r;
	size_t n = strlen(path);
	if (snprintf(path + n, AGENTFILE_PATH - n, "/%s", name) >= (int)(AGENTFILE_PATH - n))
		return trm_error_set(reterr, TRM_EINVAL, "the path of the cache is too long");
	return 0;
}

/* ---- an archive ---------------------------------------------------------------------------- */

enum { BLOCK = 512 };

/* Fields of the header by their offsets (POSIX.1-1988, "ustar"). */
struct ustar {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, linkname[100],
			magic[6], version[2], uname[32], gname[32], devmajor[8], devminor[8], prefix[155],
			padding[12];
};
_Static_assert(sizeof(struct ustar) == BLOCK, "a header is one block");

static void header(struct ustar *h, const char *name, unsigned mode, size_t size, char type)
{
	unsigned sum = 0;
	*h = (struct ustar){.type = type, .magic = "ustar", .version = {'0', '0'}};
	snprintf(h->name, sizeof h->name, "%s", name);
	snprintf(h->mode, sizeof h->mode, "%07o", mode);
	snprintf(h->uid, sizeof h->uid, "%07o", 0u);
	snprintf(h->gid, sizeof h->gid, "%07o", 0u);
	snprintf(h->size, sizeof h->size, "%011o", (unsigned)size);
	snprintf(h->mtime, sizeof h->mtime, "%011o", 0u);
	memset(h->checksum, ' ', sizeof h->checksum);
	for (size_t i = 0; i < sizeof *h; i++)
		sum += ((const unsigned char *)h)[i];
	snprintf(h->checksum, sizeof h->checksum, "%06o", sum);
}

/* A folder, the file in it, and two empty blocks as the end. */
static int archive(struct embed agent, struct trm_error *reterr)
{
	size_t whole = (agent.n + BLOCK - 1) / BLOCK * BLOCK, n = 2 * BLOCK + whole + 2 * BLOCK;
	char *bytes = calloc(1, n);
	if (!bytes)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	header((struct ustar *)bytes, ".terrarium/", 0755, 0, '5');
	header((struct ustar *)(bytes + BLOCK), ".terrarium/agent", 0755, agent.n, '0');
	memcpy(bytes + 2 * BLOCK, agent.bytes, agent.n);
	int fd = spawn_memfd("terrarium-agent.tar", bytes, n, reterr);
	free(bytes);
	return fd;
}

int agentfile_put_fd(bool is_tar, struct trm_error *reterr)
{
	struct embed agent = embed_agent();
	return is_tar ? archive(agent, reterr) : spawn_memfd("terrarium-agent", agent.bytes, agent.n, reterr);
}
