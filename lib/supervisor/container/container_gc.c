/* SPDX-License-Identifier: MIT */
#include "supervisor/container/container_gc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/procstat.h"
#include "base/sysfile.h"

enum { LABEL = 256 };
enum label_part { PART_HOST, PART_BOOT, PART_PIDNS, PART_UID, PART_PID, PART_START, PARTS };

char *container_gc_label(char *out, size_t cap)
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

/* ---- judging ------------------------------------------------------------------------- */

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

static bool supervisor_lives(const char *pid, const char *start)
{
	struct procstat now;
	long number = strtol(pid, NULL, 10);
	return number <= 1
	       || (procstat_read((pid_t)number, &now) && now.state != 'Z'
			       && now.start == strtoull(start, NULL, 10));
}

static bool is_orphaned(const char *label, const char *state, const char *own_label, bool takes_over)
{
	char theirs[LABEL], ours[LABEL], *their[PARTS], *our[PARTS];
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

/* An image inherits the labels of the container that it was made from and passes them on to every container
 * made from it. Names are not inherited. So the container is ours only if its name is the one in the label
 * `given`. */
static bool is_our_name(const char *name, const char *given)
{
	const size_t prefix = strlen(PLAN_NAME_PREFIX), n = strlen(name), spared = strlen(PLAN_SPARED);
	if (strncmp(name, PLAN_NAME_PREFIX, prefix) != 0
			|| (n >= spared && !strcmp(name + n - spared, PLAN_SPARED)))
		return false;
	return !strncmp(name + prefix, given, strlen(given));
}

bool container_gc_is(
		const char *line, size_t n, const char *own_label, bool takes_over, char *ret_id, size_t cap)
{
	enum { ID, LABEL_COLUMN, STATE, NAME, GIVEN, COLUMNS, LINE = 2048 };
	char text[LINE], *column[COLUMNS], *at = text;
	if (n >= sizeof text || memchr(line, '\0', n))
		return false;
	memcpy(text, line, n);
	text[n] = '\0';
	for (int i = 0; i < COLUMNS; i++) {
		column[i] = at;
		at += strcspn(at, "\t");
		if (*at)
			*at++ = '\0';
	}
	const size_t id = strlen(column[ID]);
	if (!id || id >= cap || *column[ID] == '-' || !is_our_name(column[NAME], column[GIVEN]))
		return false;
	memcpy(ret_id, column[ID], id + 1);
	return is_orphaned(column[LABEL_COLUMN], column[STATE], own_label, takes_over);
}

/* ---- sweeping ---------------------------------------------------------------------------- */

_Noreturn void container_gc_sweep(const struct step_facts *facts)
{
	static struct step list, destroy;
	char id[LABEL];
	struct step_facts each = *facts;
	each.id = id;
	setpriority(PRIO_PROCESS, 0, 10);
	if (!step_run(&list, facts, PLAN_LIST, -1))
		_exit(1);
	const char *at = list.out_bytes, *end = at + list.out.n;
	while (at < end) {
		const char *eol = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((eol ? eol : end) - at);
		bool is_whole = at > list.out_bytes || !list.out.is_cut;
		if (is_whole
				&& container_gc_is(at, n, facts->supervisor, facts->plan->takes_over, id,
						sizeof id))
			step_run(&destroy, &each, PLAN_DESTROY, -1);
		at += n + 1;
	}
	_exit(0);
}
