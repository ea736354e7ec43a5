/* SPDX-License-Identifier: MIT */
#include "base/procstat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sysfile.h"
#include "base/utf8.h"

/* Numbers of fields, counted from 1; the name in parentheses is the second. */
enum {
	FIRST = 4,
	PPID = 4,
	SESSION = 6,
	UTIME = 14,
	STIME = 15,
	CUTIME = 16,
	CSTIME = 17,
	THREADS = 20,
	START = 22,
	RSS = 24
};

static ssize_t read_file(pid_t pid, const char *file, char *out, size_t cap)
{
	char path[48];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = read(fd, out, cap - 1);
	close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n;
}

bool procstat_parse(char *text, pid_t pid, struct procstat *ret)
{
	uint64_t fields[RSS + 1] = {0};
	char *name = strchr(text, '('), *at = strrchr(text, ')');
	if (!name || !at || at[1] != ' ' || !at[2])
		return false;
	*at = '\0';
	*ret = (struct procstat){.pid = pid};
	snprintf(ret->name, sizeof ret->name, "%s", name + 1);
	ret->state = at[2];
	at += 3;
	for (int i = FIRST; i <= RSS; i++)
		fields[i] = strtoull(at, &at, 10);
	ret->ppid = (pid_t)fields[PPID];
	ret->session = (pid_t)fields[SESSION];
	ret->threads = (uint32_t)fields[THREADS];
	ret->start = fields[START];
	uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
	ret->cpu_ns = (fields[UTIME] + fields[STIME]) * tick_ns;
	ret->waited_cpu_ns = (fields[CUTIME] + fields[CSTIME]) * tick_ns;
	ret->mem_bytes = fields[RSS] * (uint64_t)sysconf(_SC_PAGESIZE);
	return true;
}

bool procstat_read(pid_t pid, struct procstat *ret)
{
	char text[1024];
	return pid > 0 && read_file(pid, "stat", text, sizeof text) > 0 && procstat_parse(text, pid, ret);
}

bool procstat_status(pid_t pid, const char *key, char *out, size_t cap)
{
	char text[4096];
	size_t n = strlen(key);
	out[0] = '\0';
	if (pid <= 0 || read_file(pid, "status", text, sizeof text) <= 0)
		return false;
	for (const char *at = text; (at = strchr(at, '\n'));)
		if (strncmp(++at, key, n) == 0 && at[n] == ':') {
			at += n + 1;
			at += strspn(at, " \t");
			snprintf(out, cap, "%.*s", (int)strcspn(at, "\n"), at);
			return true;
		}
	return false;
}

mode_t procstat_umask(void)
{
	char mask[16];
	return procstat_status(getpid(), "Umask", mask, sizeof mask) ? (mode_t)strtoul(mask, NULL, 8) & 0777
								     : 022;
}

uint64_t procstat_tag(pid_t pid)
{
	static const char KEY[] = "Max file locks";
	char text[2048];
	const char *at = read_file(pid, "limits", text, sizeof text) > 0 ? strstr(text, KEY) : NULL;
	return at ? strtoull(at + sizeof KEY - 1, NULL, 10) : 0;
}

ssize_t procstat_children(pid_t pid, pid_t thread, pid_t *ret, size_t cap)
{
	char path[64], text[8192];
	size_t n = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)thread);
	if (pid <= 0 || sysfile_read(path, text, sizeof text) < 0)
		return -1;
	for (char *at = text, *end; n < cap; at = end) {
		long child = strtol(at, &end, 10);
		if (end == at)
			break;
		ret[n++] = (pid_t)child;
	}
	return (ssize_t)n;
}

char *procstat_command(pid_t pid, char *out, size_t cap)
{
	char raw[512];
	struct procstat stat;
	ssize_t n = read_file(pid, "cmdline", raw, sizeof raw);
	out[0] = '\0';
	while (n > 0 && !raw[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (!raw[i])
			raw[i] = ' ';
	if (n > 0)
		trm_text_clean_line(out, cap, raw, (size_t)n);
	else if (procstat_read(pid, &stat))
		trm_text_clean_line(out, cap, stat.name, strlen(stat.name));
	return out;
}
