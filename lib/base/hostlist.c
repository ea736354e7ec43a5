/* SPDX-License-Identifier: MIT */
#include "base/hostlist.h"

#include <ctype.h>
#include <string.h>

#include <terrarium/error.h>

#include "base/err.h"

enum { LABEL_MAX = 63, NAME_MAX_BYTES = 253 };

static bool is_host_char(unsigned char c)
{
	return isalnum(c) || c == '-' || c == '_';
}

/* Letters, digits, "-" and "_" in labels. A last label of digits, or of "0x" and digits, would be read as a
 * number. */
static bool is_name(const char *name, size_t n)
{
	size_t label = 0, start = 0;
	for (size_t i = 0; i < n; i++) {
		if (name[i] == '.' ? !label : !is_host_char((unsigned char)name[i]) || label == LABEL_MAX)
			return false;
		start = name[i] == '.' ? i + 1 : start;
		label = name[i] == '.' ? 0 : label + 1;
	}
	const char *last = name + start;
	bool is_number = isdigit((unsigned char)last[0]) && strspn(last, "0123456789") == label;
	bool is_hex = last[0] == '0' && last[1] == 'x' && strspn(last + 2, "0123456789abcdef") + 2 == label;
	return label && !is_number && !is_hex;
}

bool hostlist_read(const char *text, size_t n, struct host *ret)
{
	*ret = (struct host){.is_address = false};
	if (!n || n > NAME_MAX_BYTES + 1 || memchr(text, 0, n) || memchr(text, '/', n))
		return false;
	if (cidr_parse(text, n, &ret->address, NULL) == 0) {
		ret->is_address = true;
		cidr_format(&ret->address, ret->name);
		ret->name[strcspn(ret->name, "/")] = '\0';
		return true;
	}
	n -= text[n - 1] == '.';
	if (n > NAME_MAX_BYTES)
		return false;
	for (size_t i = 0; i < n; i++)
		ret->name[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 0x20) : text[i];
	ret->name[n] = '\0';
	return is_name(ret->name, n);
}

/* ---- lists ------------------------------------------------------------------------------- */

static bool read_port(const char *text, size_t n, uint16_t *ret)
{
	uint32_t port = 0;
	for (size_t i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9' || n > 5)
			return false;
		port = port * 10 + (uint32_t)(text[i] - '0');
	}
	*ret = (uint16_t)port;
	return n && port > 0 && port <= 65535;
}

static int refuse_host(const char *text, size_t n, struct trm_error *reterr)
{
	return trm_error_set(reterr, TRM_EINVAL,
			"'%.*s' is no host: write a name such as example.org, *.example.org or example.org:8080, or an "
			"address such as 10.1.2.3 or [fd00::1]:8080",
			(int)(n < 80 ? n : 80), text);
}

static int parse_rule(const char *text, size_t n, struct host_rule *ret, struct trm_error *reterr)
{
	const char *host = text, *end = text + n, *colon = memrchr(text, ':', n);
	*ret = (struct host_rule){.is_suffix = n > 2 && text[0] == '*' && text[1] == '.'};
	host += ret->is_suffix ? 2 : 0;
	if (*host == '[') { /* an IPv6 address, perhaps with a port behind it */
		const char *close = memchr(host, ']', (size_t)(end - host));
		bool has_port = close && close + 1 < end;
		if (!close
				|| (has_port
						&& (close[1] != ':'
								|| !read_port(close + 2,
										(size_t)(end - close - 2),
										&ret->port))))
			return refuse_host(text, n, reterr);
		host++;
		end = close;
	} else if (colon && memchr(text, ':', n) == colon) {
		if (!read_port(colon + 1, (size_t)(end - colon - 1), &ret->port))
			return refuse_host(text, n, reterr);
		end = colon;
	}
	if (!hostlist_read(host, (size_t)(end - host), &ret->host)
			|| (ret->is_suffix && ret->host.is_address))
		return refuse_host(text, n, reterr);
	return 0;
}

int hostlist_parse(
		const char *text, struct host_rule ret[HOSTLIST_MAX], size_t *ret_n, struct trm_error *reterr)
{
	static const char gaps[] = ", \t";
	*ret_n = 0;
	for (text += strspn(text, gaps); *text; text += strspn(text, gaps)) {
		size_t n = strcspn(text, gaps);
		if (*ret_n == HOSTLIST_MAX)
			return trm_error_set(
					reterr, TRM_EINVAL, "at most %d hosts can be named", HOSTLIST_MAX);
		int r = parse_rule(text, n, &ret[*ret_n], reterr);
		if (r < 0)
			return r;
		++*ret_n;
		text += n;
	}
	return 0;
}

static bool rule_matches(const struct host_rule *rule, const struct host *host)
{
	size_t n = strlen(host->name), suffix = strlen(rule->host.name);
	if (rule->host.is_address != host->is_address)
		return false;
	if (!rule->is_suffix)
		return strcmp(rule->host.name, host->name) == 0;
	return n > suffix + 1 && host->name[n - suffix - 1] == '.'
	       && strcmp(host->name + n - suffix, rule->host.name) == 0;
}

const struct host_rule *hostlist_find(
		const struct host_rule *rules, size_t n, const struct host *host, uint16_t port)
{
	for (size_t i = 0; i < n; i++) {
		bool is_port = rules[i].port ? rules[i].port == port
					     : port == HTTP_PORT || port == HTTPS_PORT;
		if (is_port && rule_matches(&rules[i], host))
			return &rules[i];
	}
	return NULL;
}
