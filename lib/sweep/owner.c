/* SPDX-License-Identifier: MIT */
#include "sweep/owner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/procstat.h"
#include "base/sysfile.h"

enum label_part { PART_HOST, PART_BOOT, PART_PIDNS, PART_UID, PART_PID, PART_START, PARTS };

char *owner_label(char *out, size_t cap)
{
	struct utsname host;
	struct procstat self;
	char boot_id[64] = "", pidns[64] = "";
	uname(&host);
	sysfile_read("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
	boot_id[strcspn(boot_id, "\n")] = '\0';
	if (readlink("/proc/self/ns/pid", pidns, sizeof pidns - 1) < 0)
		pidns[0] = '\0';
	const char *inode = strchr(pidns, '[');
	for (char *at = host.nodename; *at; at++)
		if (strchr("/ \t,=", *at) || (unsigned char)*at < 0x20)
			*at = '-';
	if (!procstat_read(getpid(), &self))
		self.start = 0;
	snprintf(out, cap, "%.64s/%.40s/%.*s/%u/%d/%llu", host.nodename, boot_id,
			inode ? (int)strcspn(inode + 1, "]") : 0, inode ? inode + 1 : "", (unsigned)geteuid(),
			(int)getpid(), (unsigned long long)self.start);
	return out;
}

/* Split in place. Returns false unless there are exactly n parts and none of them is empty. */
static bool split(char *text, char separator, char **ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ret[i] = text;
		char *end = strchr(text, separator);
		if ((i + 1 < n) != (end != NULL) || end == text || !*text)
			return false;
		if (end) {
			*end = '\0';
			text = end + 1;
		}
	}
	return true;
}

bool owner_unquote(char *mark)
{
	const size_t n = strlen(mark);
	if (n < 2 || mark[0] != '"' || mark[n - 1] != '"')
		return true;
	if (strchr(mark, '\\'))
		return false;
	memmove(mark, mark + 1, n - 2);
	mark[n - 2] = '\0';
	return true;
}

static bool supervisor_lives(const char *pid, const char *start)
{
	struct procstat now;
	long number = strtol(pid, NULL, 10);
	return number <= 1
	       || (procstat_read((pid_t)number, &now) && now.state != 'Z'
			       && now.start == strtoull(start, NULL, 10));
}

bool owner_is_gone(const char *label, const char *state, const char *own_label, bool takes_over)
{
	char theirs[OWNER_LABEL], ours[OWNER_LABEL], *their[PARTS], *our[PARTS];
	snprintf(theirs, sizeof theirs, "%s", label);
	snprintf(ours, sizeof ours, "%s", own_label);
	if (!split(theirs, '/', their, PARTS) || !split(ours, '/', our, PARTS))
		return false;
	if (strcmp(their[PART_HOST], our[PART_HOST]) != 0 || strcmp(their[PART_UID], our[PART_UID]) != 0)
		return false;
	const bool is_elsewhere = strcmp(their[PART_BOOT], our[PART_BOOT])
				  || strcmp(their[PART_PIDNS], our[PART_PIDNS]);
	if (is_elsewhere && takes_over)
		return true;
	if (strcmp(their[PART_BOOT], our[PART_BOOT]) != 0)
		return strncmp(state, "running", strlen("running")) != 0 && strncmp(state, "Up", 2) != 0;
	return !strcmp(their[PART_PIDNS], our[PART_PIDNS])
	       && !supervisor_lives(their[PART_PID], their[PART_START]);
}
