/* SPDX-License-Identifier: MIT */
#include "supervisor/net/userns.h"
#include "base/sysfile.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

/* Ubuntu's AppArmor lets programs without a profile make a user namespace, but denies them all rights in
 * it. */
static bool is_crippled_by_apparmor(void)
{
	uint64_t v;
	return sysfile_read_u64("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", &v) && v;
}

static bool map(const char *path, unsigned inside, unsigned outside)
{
	char text[48];
	snprintf(text, sizeof text, "%u %u 1", inside, outside);
	int r = sysfile_write(path, text);
	errno = -r;
	return r == 0;
}

/* All sandboxes of an ordinary user share that user's kernel quota. Each gets a quarter of the usual 128.
 * An old kernel has no such file, which is no reason to fail. */
static void limit_shares(void)
{
	sysfile_write("/proc/sys/user/max_inotify_instances", "32");
}

bool userns_enter(int more_flags, unsigned uid, unsigned gid)
{
	const unsigned outer_uid = getuid(), outer_gid = getgid();
	if (geteuid() != 0 && is_crippled_by_apparmor()) {
		errno = EPERM;
		return false;
	}
	if (unshare(CLONE_NEWUSER | more_flags) < 0)
		return false;
	sysfile_write("/proc/self/setgroups", "deny");
	if (!map("/proc/self/uid_map", uid, outer_uid) || !map("/proc/self/gid_map", gid, outer_gid))
		return false;
	limit_shares();
	return true;
}
