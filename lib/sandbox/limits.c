/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/sandbox.h>

#include "base/cidr.h"
#include "base/err.h"
#include "base/hostlist.h"
#include "base/opts.h"

#define MIB (1024ull * 1024)

/* Below these nothing starts. Above them a limit is pointless, or a mistake. */
enum { MIN_MEM_MIB = 16, MIN_PROCS = 4, MIN_OPEN_FILES = 64 };
#define MAX_BYTES (1ull << 50)
#define MIN_CPUS 0.01
#define MAX_CPUS 4096.0
#define MAX_COUNT (1u << 22)

void trm_limits_default(struct trm_limits *limits)
{
	*limits = (struct trm_limits)TRM_LIMITS_INIT;
}

static int check_bytes(const char *what, uint64_t bytes, uint64_t min_bytes, struct trm_error *reterr)
{
	if (bytes < min_bytes)
		return trm_error_set(reterr, TRM_EINVAL,
				"the %s limit of %" PRIu64 " bytes is too small: it must be at least %" PRIu64
				" MiB",
				what, bytes, (uint64_t)(min_bytes / MIB));
	if (bytes > MAX_BYTES)
		return trm_error_set(reterr, TRM_EINVAL,
				"the %s limit of %" PRIu64 " bytes is too large: it must be at most %llu MiB",
				what, bytes, MAX_BYTES / MIB);
	return 0;
}

static int check_count(const char *what, uint32_t count, uint32_t min, struct trm_error *reterr)
{
	if (count >= min && count <= MAX_COUNT)
		return 0;
	return trm_error_set(reterr, TRM_EINVAL,
			"the limit of %" PRIu32 " %s is invalid: it must be between %" PRIu32 " and %u",
			count, what, min, MAX_COUNT);
}

const char *trm_limits_describe_net(const struct trm_limits *limits, char *out, size_t cap)
{
	bool has_more = limits->net && *limits->net_allow;
	if (!limits->net && *limits->net_allow_host) {
		snprintf(out, cap, "network ONLY to %s", limits->net_allow_host);
		return out;
	}
	snprintf(out, cap, "%s%s%s", limits->net ? "network ON" : "no network", has_more ? ", also to " : "",
			has_more ? limits->net_allow : "");
	return out;
}

const char *trm_guards_net_name(const struct trm_guard *guards, size_t n, const struct trm_limits *limits)
{
	static const char *const words[] = {[TRM_ENFORCED] = "off",
			[TRM_WEAK] = "off (weakly)",
			[TRM_NOT_ENFORCED] = "not cut off"};
	for (size_t i = 0; i < n; i++)
		if (strcmp(guards[i].what, "network") == 0)
			return !limits->net && *limits->net_allow_host && guards[i].strength == TRM_ENFORCED
					       ? "hosts"
			       : limits->net && guards[i].strength != TRM_WEAK ? "on"
									       : words[guards[i].strength];
	return "n/a";
}

static int check_hosts(const struct trm_limits *limits, struct trm_error *reterr)
{
	struct host_rule rules[HOSTLIST_MAX];
	size_t n;
	if (!memchr(limits->net_allow_host, 0, sizeof limits->net_allow_host))
		return trm_error_set(reterr, TRM_EINVAL, "net_allow_host is not NUL-terminated");
	int r = hostlist_parse(limits->net_allow_host, rules, &n, reterr);
	if (r < 0)
		return err_wrap(reterr, r, "net_allow_host");
	if (n && limits->net)
		return trm_error_set(reterr, TRM_EINVAL,
				"net_allow_host names the only hosts that are reached, and the network is on: all public "
				"hosts are reached then. Leave one of the two out");
	return 0;
}

static int check_net(const struct trm_limits *limits, struct trm_error *reterr)
{
	struct cidr open[CIDR_LIST_MAX];
	size_t n;
	if (!memchr(limits->net_allow, 0, sizeof limits->net_allow))
		return trm_error_set(reterr, TRM_EINVAL, "net_allow is not NUL-terminated");
	int r = cidr_parse_list(limits->net_allow, open, &n, reterr);
	return r < 0 ? err_wrap(reterr, r, "net_allow") : check_hosts(limits, reterr);
}

int trm_limits_check(const struct trm_limits *limits, struct trm_error *reterr)
{
	int r;
	if (!isfinite(limits->cpus) || limits->cpus < MIN_CPUS || limits->cpus > MAX_CPUS)
		return trm_error_set(reterr, TRM_EINVAL,
				"the limit of %g CPUs is invalid: it must be between %g and %g", limits->cpus,
				MIN_CPUS, MAX_CPUS);
	if ((r = check_bytes("memory", limits->mem_bytes, MIN_MEM_MIB * MIB, reterr)) < 0)
		return r;
	if ((r = check_count("processes", limits->procs, MIN_PROCS, reterr)) < 0)
		return r;
	if ((r = check_bytes("disk", limits->disk_bytes, MIB, reterr)) < 0)
		return r;
	if ((r = check_bytes("file size", limits->file_bytes, MIB, reterr)) < 0)
		return r;
	if ((r = check_count("open files", limits->open_files, MIN_OPEN_FILES, reterr)) < 0)
		return r;
	return check_net(limits, reterr);
}

void trm_sandbox_opts_init(struct trm_sandbox_opts *opts, size_t size)
{
	static const struct trm_sandbox_opts defaults = TRM_SANDBOX_OPTS_INIT;
	opts_fill(opts, size, &defaults, sizeof defaults);
}
