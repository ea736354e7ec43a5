/* SPDX-License-Identifier: MIT */
#include "backend/host/machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "backend/host/filters.h"
#include "base/err.h"

static bool is_program(const char *path, struct stat *ret_st)
{
	return stat(path, ret_st) == 0 && S_ISREG(ret_st->st_mode) && access(path, X_OK) == 0;
}

static bool find_in_path(const char *name, char out[MACHINE_PATH], struct stat *ret_st)
{
	const char *path = getenv("PATH");
	if (!path || !*path)
		path = "/usr/local/bin:/usr/bin:/bin";
	for (const char *at = path; *at;) {
		size_t n = strcspn(at, ":");
		/* Only absolute directories: with "." any program that lies in the current directory
		 * could be started. */
		if (n > 0 && at[0] == '/' && n + strlen(name) + 2 < MACHINE_PATH) {
			snprintf(out, MACHINE_PATH, "%.*s/%s", (int)n, at, name);
			if (is_program(out, ret_st))
				return true;
		}
		at += n + (at[n] == ':');
	}
	return false;
}

int machine_find_bwrap(char path[MACHINE_PATH], struct trm_error *reterr)
{
	struct stat st;
	if (!find_in_path("bwrap", path, &st))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"bubblewrap is not installed (no bwrap in PATH): apt install bubblewrap");
	if ((st.st_mode & S_ISUID) && st.st_uid == 0)
		return trm_error_set(reterr, TRM_ENOTSUP,
				"%s is setuid root, which is not safe to use here: "
				"chmod u-s %s",
				path, path);
	return 0;
}

int machine_find_slirp(char path[MACHINE_PATH], struct trm_error *reterr)
{
	struct stat st;
	if (find_in_path("slirp4netns", path, &st))
		return 0;
	return trm_error_set(reterr, TRM_ENOTSUP,
			"a network for sandboxes needs slirp4netns, which is not installed (or not in PATH): "
			"apt install slirp4netns");
}

int machine_check_filters(struct trm_error *reterr)
{
	struct utsname u;
	if (uname(&u) == 0 && !strcmp(u.machine, filters_machine()))
		return 0;
	return trm_error_set(reterr, TRM_ENOTSUP,
			"the system call filters are for %s, but this machine is %s: "
			"build terrarium on it",
			filters_machine(), u.machine);
}

/* The number in a file of /proc or /sys; -1 if there is none. */
static long machine_read_long(const char *path)
{
	char text[32] = "", *end;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return -1;
	long v = strtol(text, &end, 10);
	return end == text ? -1 : v;
}

const struct machine_switch *machine_userns_switch(void)
{
	static const struct machine_switch switches[] = {
			{"/proc/sys/kernel/unprivileged_userns_clone", 0,
					"kernel.unprivileged_userns_clone is 0",
					"sudo sysctl -w kernel.unprivileged_userns_clone=1"},
			{"/proc/sys/user/max_user_namespaces", 0, "user.max_user_namespaces is 0",
					"sudo sysctl -w user.max_user_namespaces=10000"},
			{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1,
					"AppArmor restricts them (kernel.apparmor_restrict_unprivileged_userns is 1)",
					"sudo apt install apparmor-profiles && sudo cp /usr/share/apparmor/extra-profiles/"
					"bwrap-userns-restrict /etc/apparmor.d/ && sudo apparmor_parser -r "
					"/etc/apparmor.d/bwrap-userns-restrict"},
	};
	for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
		if (machine_read_long(switches[i].path) == switches[i].off)
			return &switches[i];
	return NULL;
}
