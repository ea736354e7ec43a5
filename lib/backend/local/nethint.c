/* SPDX-License-Identifier: MIT */
/* Warns about a proxy or package index that a sandbox with a network would use but cannot reach. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <terrarium/sandbox.h>

#include "backend/host/netenv.h"
#include "base/cidr.h"

enum { MAX_HOST = 64 };

/* The host of an address, without brackets and port; "" if it is too long. */
static void get_host(const char *url, char out[MAX_HOST])
{
	const char *scheme = strstr(url, "://"), *host = scheme ? scheme + 3 : url;
	for (const char *c = host; *c && !strchr("/?#", *c); c++)
		host = *c == '@' ? c + 1 : host;
	size_t n = *host == '[' ? strcspn(++host, "]") : strcspn(host, ":/?# \t,");
	snprintf(out, MAX_HOST, "%.*s", n < MAX_HOST ? (int)n : 0, host);
}

static bool is_localhost(const char *host)
{
	static const char name[] = "localhost";
	size_t n = strlen(host), m = strlen(name);
	return n >= m && !strcasecmp(host + n - m, name) && (n == m || host[n - m - 1] == '.');
}

static bool is_opened(const struct trm_limits *limits, const struct cidr *c, enum cidr_kind kind)
{
	struct cidr open[CIDR_LIST_MAX];
	size_t n = 0;
	if (cidr_parse_list(limits->net_allow, open, &n, NULL) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct cidr_refused *row = cidr_find_refused(&open[i]);
		if (cidr_holds(&open[i], c) && (kind == CIDR_PRIVATE || (row && row->kind == kind)))
			return true;
	}
	return false;
}

static bool write_hint(
		const struct trm_limits *limits, const char *name, const char *url, char *out, size_t cap)
{
	char host[MAX_HOST];
	struct cidr c;
	get_host(url, host);
	bool is_ip = cidr_parse(host, strlen(host), &c, NULL) == 0 && cidr_is_single(&c);
	const struct cidr_refused *row = is_ip ? cidr_find_refused(&c) : NULL;
	if (is_localhost(host) || (row && row->kind == CIDR_NEVER)) {
		snprintf(out, cap,
				"%s names %s, which is this machine itself, and the sandbox cannot reach that: name an "
				"address of a network, and open it (net_allow)",
				name, host);
		return true;
	}
	if (!row || is_opened(limits, &c, row->kind))
		return false;
	snprintf(out, cap, "%s names %s (%s), which the sandbox may not reach: open %s (net_allow)", name,
			host, row->name, host);
	return true;
}

static bool is_asked(const char *name)
{
	static const char *const words[] = {"proxy", "PROXY", "INDEX", "registry", "REGISTRY"};
	if (!strcasecmp(name, "no_proxy"))
		return false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

bool trm_net_hint(const struct trm_limits *limits, char *out, size_t cap)
{
	struct netenv env;
	bool has_hint = false;
	if (!limits->net)
		return false;
	netenv_find(&env, false, true);
	const char *at = buf_at(&env.vars), *end = at + env.vars.len;
	while (at < end && !has_hint) {
		const char *value = at + strlen(at) + 1;
		has_hint = is_asked(at) && write_hint(limits, at, value, out, cap);
		at = value + strlen(value) + 1;
	}
	netenv_finish(&env);
	return has_hint;
}
