/* SPDX-License-Identifier: MIT */
#include "agent/container/container_setup.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/privilege.h"
#include "base/rlimit.h"
#include "base/sysfile.h"

static void complain(struct container_identity *s, const char *fmt, ...)
		__attribute__((format(printf, 2, 3)));

static void complain(struct container_identity *s, const char *fmt, ...)
{
	va_list args;
	size_t n = strlen(s->words), room = sizeof s->words - n;
	int gap = n ? snprintf(s->words + n, room, "; ") : 0;
	if ((size_t)gap >= room)
		return;
	va_start(args, fmt);
	vsnprintf(s->words + n + gap, room - (size_t)gap, fmt, args);
	va_end(args);
}

/* ---- the working directory, as root -------------------------------------------------- */

/* The number of the mount that holds a directory, from /proc. Without /proc, its device number. */
static uint64_t mount_of(int fd)
{
	char path[48], text[256];
	struct stat st;
	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
	const char *at = sysfile_read(path, text, sizeof text) > 0 ? strstr(text, "mnt_id:") : NULL;
	if (at)
		return strtoull(at + 7, NULL, 10);
	return fstat(fd, &st) < 0 ? 0 : st.st_dev;
}

/* True if the directory is in the container's own file system. It must not be a folder of the host, a
 * volume or a tmpfs: a tmpfs may belong to the host, and everybody can write to those that engines make. */
static bool is_containers_own(int fd)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool is_same = root >= 0 && mount_of(root) == mount_of(fd);
	if (root >= 0)
		close(root);
	return is_same;
}

/* Make the missing directories of the path, and append each to `made` with a newline. Returns 0 if the last
 * one existed, 1 if it was made, or -errno. */
static int make_path(const char *path, struct buf *made)
{
	char part[sizeof((struct container_identity *)0)->workdir];
	bool is_new = false;
	for (const char *at = path; *at;) {
		at += strspn(at, "/");
		at += strcspn(at, "/");
		size_t n = (size_t)(at - path);
		if (n >= sizeof part)
			return -ENAMETOOLONG;
		memcpy(part, path, n);
		part[n] = '\0';
		is_new = mkdir(part, 0755) == 0;
		int error = is_new ? 0 : errno;
		if (is_new) {
			buf_append(made, part, n);
			buf_append(made, "\n", 1);
		}
		if (error && error != EEXIST && access(part, F_OK) < 0)
			return -error; /* existing ones fail on a read-only file system */
		at += strspn(at, "/");
	}
	return is_new;
}

static bool is_for_the_taking(int fd)
{
	struct stat st, root;
	return fstat(fd, &st) == 0 && st.st_uid == 0 && stat("/", &root) == 0
	       && !(st.st_ino == root.st_ino && st.st_dev == root.st_dev) && is_containers_own(fd);
}

/* Beside our program, for who removes that: agent/container/container.c. */
static void note_made(const struct buf *list)
{
	char path[PATH_MAX + 8];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
	char *name = strrchr(path, '/');
	if (!name)
		return;
	strcpy(name + 1, SETUP_MADE_FILE);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0 && write(fd, buf_at(list), list->len) < 0)
		unlink(path);
	if (fd >= 0)
		close(fd);
}

/* Make the directory for the user if it is missing. An existing one changes its owner only if it belongs to
 * root and to the container's own file system. Returns 0, or the reason of the failure. */
static int give_workdir(const char *path, const struct passwd *to, bool is_visit)
{
	struct buf list;
	buf_init(&list, PATH_MAX);
	int made = make_path(path, &list);
	if (is_visit && list.len)
		note_made(&list);
	buf_finish(&list);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_given = geteuid() == 0 && to->uid != 0 && fd >= 0;
	if (is_given && (made > 0 || is_for_the_taking(fd)) && fchown(fd, to->uid, to->gid) < 0) {
		/* Reported later, if the user cannot write there. */
	}
	if (fd >= 0)
		close(fd);
	return made < 0 ? -made : 0;
}

/* ---- the user ------------------------------------------------------------------------- */

static int become(const struct passwd *to, struct trm_error *reterr)
{
	bool is_alone = setgroups(0, NULL) == 0 || getgroups(0, NULL) <= 0;
	if (is_alone && setresgid(to->gid, to->gid, to->gid) == 0
			&& setresuid(to->uid, to->uid, to->uid) == 0)
		return 0;
	return trm_error_set_errno(reterr, errno,
			"the agent cannot become user %s (%u:%u) in the container: it takes the capabilities "
			"SETUID and SETGID, and numbers that are mapped there",
			to->name, to->uid, to->gid);
}

static int take_user(const struct container_setup_opts *opts, struct container_identity *s,
		struct trm_error *reterr)
{
	struct passwd self;
	passwd_of(geteuid(), getegid(), &self);
	s->passwd = self;
	if (!opts->user)
		return 0;
	int r = passwd_find(opts->user, &s->passwd, reterr);
	if (r < 0 || self.uid == 0 || s->passwd.uid == self.uid)
		return r;
	complain(s, "it runs as user %s, as its engine started it, not as %s", self.name, s->passwd.name);
	s->passwd = self;
	return 0;
}

/* ---- limits and environment ------------------------------------------------------------ */

static bool limit(int resource, uint64_t n)
{
	return !n || rlimit_set(resource, n, n);
}

static bool is_usable(const char *dir)
{
	struct stat st;
	return dir && dir[0] == '/' && dir[1] && stat(dir, &st) == 0 && S_ISDIR(st.st_mode)
	       && access(dir, W_OK | X_OK) == 0;
}

/* Engines set HOME for the user that they start, who may be another. */
static void set_home(const struct passwd *passwd, const char *workdir)
{
	const char *home = getenv("HOME");
	bool is_roots = home && passwd->uid != 0 && strcmp(home, "/root") == 0;
	if (is_usable(home) && !is_roots)
		return;
	setenv("HOME", is_usable(passwd->home) ? passwd->home : workdir, 1);
}

static void set_environment(const struct container_identity *s)
{
	set_home(&s->passwd, s->workdir);
	setenv("USER", s->passwd.name, 1);
	setenv("LOGNAME", s->passwd.name, 1);
	setenv("PWD", s->workdir, 1);
	setenv("PIP_BREAK_SYSTEM_PACKAGES", "1", 0); /* the container is ours: nobody else manages it */
	setenv("PYTHONUNBUFFERED", "1", 0);          /* its children's output comes at once */
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 0);
}

/* ---- all together --------------------------------------------------------------------- */

/* Without such a directory, use another one that the user can write to. */
static const char *find_other(const struct passwd *passwd)
{
	const char *const others[] = {passwd->home, getenv("HOME"), "/tmp", "/var/tmp", "/dev/shm"};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (is_usable(others[i]))
			return others[i];
	return "/";
}

static void enter_workdir(const char *wanted, int why_not, struct container_identity *s)
{
	if (wanted && chdir(wanted) == 0) {
		if (access(".", W_OK) < 0)
			complain(s, "%s cannot be written to by user %s (%s)", wanted, s->passwd.name,
					strerror(errno));
	} else if (wanted) {
		int error = why_not ? why_not : errno;
		const char *other = find_other(&s->passwd);
		complain(s, "there is no working directory %s (%s), so commands start in %s", wanted,
				strerror(error), chdir(other) < 0 ? "another" : other);
	}
	if (!getcwd(s->workdir, sizeof s->workdir))
		snprintf(s->workdir, sizeof s->workdir, "/");
}

int container_setup(const struct container_setup_opts *opts, struct container_identity *ret,
		struct trm_error *reterr)
{
	int r, why_not = 0;
	*ret = (struct container_identity){.words = ""};
	if ((r = take_user(opts, ret, reterr)) < 0)
		return r;
	umask(022);
	if (opts->workdir)
		why_not = give_workdir(opts->workdir, &ret->passwd, opts->is_visit);
	if (!limit(RLIMIT_NOFILE, opts->files) || !limit(RLIMIT_FSIZE, opts->file_mb << 20)
			|| !limit(RLIMIT_NPROC, opts->nproc))
		return trm_error_set_errno(reterr, errno,
				"the agent cannot set resource limits (prlimit64) in the container");
	if (ret->passwd.uid != 0)
		privilege_drop_bounds();
	if (ret->passwd.uid != geteuid() && (r = become(&ret->passwd, reterr)) < 0)
		return r;
	if (ret->passwd.uid != 0) {
		privilege_drop_capabilities();
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	}
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* a change of user makes the process dumpable again */
	enter_workdir(opts->workdir, why_not, ret);
	set_environment(ret);
	return 0;
}
