/* SPDX-License-Identifier: MIT */
/* Preloaded: a disk that is slow, or fails, when large files are synced, or has no room for new folders. The
 * file $DISK_STATE says which: "slow" lasts until it says something else, "fails" and "full" are errors, and
 * anything else is a disk as it should be. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LARGE_BYTES = 4 << 20 };

static void read_state(char text[8])
{
	const char *path = getenv("DISK_STATE");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	memset(text, 0, 8);
	if (fd < 0)
		return;
	if (read(fd, text, 7) < 0)
		text[0] = '\0';
	close(fd);
}

int fsync(int fd)
{
	static int (*next)(int);
	const struct timespec moment = {.tv_nsec = 2000000};
	struct stat st;
	char state[8];

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "fsync");
	if (fstat(fd, &st) < 0 || st.st_size < LARGE_BYTES)
		return next(fd);
	for (read_state(state); strcmp(state, "slow") == 0; read_state(state))
		nanosleep(&moment, NULL);
	if (strcmp(state, "fails") != 0)
		return next(fd);
	errno = EIO;
	return -1;
}

int mkdir(const char *path, mode_t mode)
{
	static int (*next)(const char *, mode_t);
	struct stat st;
	char state[8];

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "mkdir");
	read_state(state);
	if (strcmp(state, "full") != 0 || stat(path, &st) == 0)
		return next(path, mode);
	errno = ENOSPC;
	return -1;
}
