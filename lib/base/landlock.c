/* SPDX-License-Identifier: MIT */
#include "base/landlock.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	SYS_LANDLOCK_CREATE_RULESET = 444,
	SYS_LANDLOCK_ADD_RULE = 445,
	SYS_LANDLOCK_RESTRICT_SELF = 446,
	RULE_PATH_BENEATH = 1,
	SCOPE_ABSTRACT_SOCKETS = 1,
	SCOPE_SIGNALS = 2,
	TCP_BIND = 1,
	TCP_CONNECT = 2,
	OF_FILES = LANDLOCK_EXECUTE | LANDLOCK_WRITE_FILE | LANDLOCK_READ_FILE | LANDLOCK_TRUNCATE
		   | LANDLOCK_IOCTL_DEV,
};

struct ruleset_attr {
	uint64_t handled_fs, handled_net, scoped;
};

struct path_beneath_attr {
	uint64_t allowed;
	int32_t parent_fd;
} __attribute__((packed));

static uint64_t rights_of(uint32_t abi)
{
	uint64_t rights = LANDLOCK_REFER - 1;
	rights |= abi >= LANDLOCK_ABI_REFER ? LANDLOCK_REFER : 0;
	rights |= abi >= LANDLOCK_ABI_TRUNCATE ? LANDLOCK_TRUNCATE : 0;
	rights |= abi >= LANDLOCK_ABI_IOCTL ? LANDLOCK_IOCTL_DEV : 0;
	return rights;
}

uint32_t landlock_abi(void)
{
	enum { VERSION_FLAG = 1 };
	long abi = syscall(SYS_LANDLOCK_CREATE_RULESET, NULL, 0, VERSION_FLAG);
	return abi < 0 ? 0 : (uint32_t)abi;
}

int landlock_create_scopes(void)
{
	const struct ruleset_attr attr = {.scoped = SCOPE_SIGNALS};
	return landlock_abi() < LANDLOCK_ABI_SCOPES
			       ? -1
			       : (int)syscall(SYS_LANDLOCK_CREATE_RULESET, &attr, sizeof attr, 0);
}

int landlock_create(uint32_t abi, bool refuses_tcp)
{
	const struct ruleset_attr attr = {
			.handled_fs = rights_of(abi),
			.handled_net = refuses_tcp && abi >= LANDLOCK_ABI_TCP ? TCP_BIND | TCP_CONNECT : 0,
			.scoped = abi >= LANDLOCK_ABI_SCOPES ? SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS : 0,
	};
	/* An older kernel does not know the later members. */
	size_t n = abi >= LANDLOCK_ABI_SCOPES ? sizeof attr : abi >= LANDLOCK_ABI_TCP ? 16 : 8;
	return (int)syscall(SYS_LANDLOCK_CREATE_RULESET, &attr, n, 0);
}

int landlock_create_narrow(uint32_t abi)
{
	/* A ruleset that does not handle REFER refuses it. */
	const struct ruleset_attr attr = {.handled_fs = LANDLOCK_NARROW & rights_of(abi)};
	return (int)syscall(SYS_LANDLOCK_CREATE_RULESET, &attr, sizeof attr.handled_fs, 0);
}

int landlock_allow(int ruleset_fd, uint32_t abi, int fd, uint64_t rights)
{
	struct stat st;
	struct path_beneath_attr attr = {.allowed = rights & rights_of(abi), .parent_fd = fd};
	if (fstat(fd, &st) < 0)
		return -1;
	if (!S_ISDIR(st.st_mode))
		attr.allowed &= OF_FILES;
	return (int)syscall(SYS_LANDLOCK_ADD_RULE, ruleset_fd, RULE_PATH_BENEATH, &attr, 0);
}

int landlock_enter(int ruleset_fd)
{
	return (int)syscall(SYS_LANDLOCK_RESTRICT_SELF, ruleset_fd, 0);
}
