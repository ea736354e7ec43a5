/* SPDX-License-Identifier: MIT */
#include "base/cidr.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"

/* ---- the table --------------------------------------------------------------------- */

#define V4(a, b, c, d, n) \
	{ \
		4, n, \
		{ \
			a, b, c, d \
		} \
	}
#define V6(n, ...) \
	{ \
		6, n, \
		{ \
			__VA_ARGS__ \
		} \
	}

static const struct cidr_refused REFUSED[] = {
		{"this host", CIDR_NEVER, V4(0, 0, 0, 0, 8)},
		{"loopback", CIDR_NEVER, V4(127, 0, 0, 0, 8)},
		{"multicast", CIDR_NEVER, V4(224, 0, 0, 0, 4)},
		{"reserved and broadcast", CIDR_NEVER, V4(240, 0, 0, 0, 4)},
		{"loopback, IPv4 as IPv6", CIDR_NEVER, V6(96, 0)}, /* ::, ::1 and ::a.b.c.d */
		{"IPv4 as IPv6", CIDR_NEVER, V6(96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)},
		{"multicast", CIDR_NEVER, V6(8, 0xff)},
		{"link-local, metadata", CIDR_LINK, V4(169, 254, 0, 0, 16)},
		{"metadata", CIDR_LINK, V4(168, 63, 129, 16, 32)},   /* Azure */
		{"metadata", CIDR_LINK, V4(100, 100, 100, 200, 32)}, /* Alibaba */
		{"metadata", CIDR_LINK, V4(192, 0, 0, 192, 32)},     /* Oracle */
		{"link-local", CIDR_LINK, V6(10, 0xfe, 0x80)},
		{"metadata", CIDR_LINK,
				V6(128, 0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
						0x54)}, /* EC2 */
		{"private", CIDR_PRIVATE, V4(10, 0, 0, 0, 8)},
		{"private", CIDR_PRIVATE, V4(172, 16, 0, 0, 12)},
		{"private", CIDR_PRIVATE, V4(192, 168, 0, 0, 16)},
		{"private (carrier)", CIDR_PRIVATE, V4(100, 64, 0, 0, 10)},
		{"private (protocols)", CIDR_PRIVATE, V4(192, 0, 0, 0, 24)},
		{"private (benchmarks)", CIDR_PRIVATE, V4(198, 18, 0, 0, 15)},
		{"private", CIDR_PRIVATE, V6(7, 0xfc)},
		{"private (site-local)", CIDR_PRIVATE, V6(10, 0xfe, 0xc0)},
		{"IPv4 through NAT64", CIDR_PRIVATE, V6(96, 0, 0x64, 0xff, 0x9b)},
		{"IPv4 through NAT64", CIDR_PRIVATE, V6(48, 0, 0x64, 0xff, 0x9b, 0, 1)},
		{"IPv4 translated", CIDR_PRIVATE, V6(96, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)},
		{"IPv4 through 6to4", CIDR_PRIVATE, V6(16, 0x20, 0x02)},
		{"IPv4 through Teredo", CIDR_PRIVATE, V6(32, 0x20, 0x01)},
};

const struct cidr_refused *cidr_refused(size_t *ret_n)
{
	*ret_n = sizeof REFUSED / sizeof *REFUSED;
	return REFUSED;
}

const struct cidr_refused *cidr_find_refused(const struct cidr *c)
{
	for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++)
		if (cidr_holds(&REFUSED[i].range, c))
			return &REFUSED[i];
	return NULL;
}

/* ---- sets ---------------------------------------------------------------------------- */

static bool same_prefix(const struct cidr *a, const struct cidr *b, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;
	if (a->family != b->family || memcmp(a->addr, b->addr, whole))
		return false;
	return !rest || (a->addr[whole] ^ b->addr[whole]) >> (8 - rest) == 0;
}

bool cidr_holds(const struct cidr *outer, const struct cidr *inner)
{
	return outer->bits <= inner->bits && same_prefix(outer, inner, outer->bits);
}

bool cidr_meets(const struct cidr *a, const struct cidr *b)
{
	return same_prefix(a, b, a->bits < b->bits ? a->bits : b->bits);
}

bool cidr_is_single(const struct cidr *c)
{
	return c->bits == (c->family == 4 ? 32 : 128);
}

/* ---- text ---------------------------------------------------------------------------- */

void cidr_format(const struct cidr *c, char out[CIDR_TEXT])
{
	char addr[INET6_ADDRSTRLEN] = "";
	inet_ntop(c->family == 4 ? AF_INET : AF_INET6, c->addr, addr, sizeof addr);
	snprintf(out, CIDR_TEXT, "%s/%u", addr, c->bits);
}

/* Clear the bits after the prefix. True if any was set. */
static bool clear_host_bits(struct cidr *c)
{
	bool was_set = false;
	for (unsigned i = c->bits; i < (c->family == 4 ? 32u : 128u); i++) {
		uint8_t bit = (uint8_t)(0x80 >> i % 8);
		was_set |= (c->addr[i / 8] & bit) != 0;
		c->addr[i / 8] &= (uint8_t)~bit;
	}
	return was_set;
}

/* "/24" after the address. False: no number of one to three digits, or larger than `max`. */
static bool parse_bits(const char *text, unsigned max, uint8_t *ret)
{
	size_t n = strspn(text, "0123456789");
	unsigned v = 0;
	if (n == 0 || n > 3 || text[n] || (n > 1 && text[0] == '0'))
		return false;
	for (size_t i = 0; i < n; i++)
		v = v * 10 + (unsigned)(text[i] - '0');
	*ret = (uint8_t)v;
	return v <= max;
}

static const struct cidr MAPPED = V6(96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

int cidr_parse(const char *text, size_t n, struct cidr *ret, struct trm_error *reterr)
{
	char copy[CIDR_TEXT], fixed[CIDR_TEXT];
	struct cidr c = {.family = 4};
	if (n >= sizeof copy || memchr(text, 0, n))
		return trm_error_set(reterr, TRM_EINVAL, "'%.40s…' is not a range of addresses", text);
	memcpy(copy, text, n);
	copy[n] = '\0';
	char *slash = strchr(copy, '/');
	if (slash)
		*slash = '\0';
	if (inet_pton(AF_INET, copy, c.addr) != 1) {
		c.family = 6;
		if (inet_pton(AF_INET6, copy, c.addr) != 1)
			return trm_error_set(reterr, TRM_EINVAL,
					"'%.*s' is not a range of addresses, such as 10.1.0.0/16 or fd00::/8",
					(int)n, text);
	}
	unsigned max = c.family == 4 ? 32 : 128;
	c.bits = (uint8_t)max;
	if (slash && !parse_bits(slash + 1, max, &c.bits))
		return trm_error_set(reterr, TRM_EINVAL, "'%.*s': the prefix must be between /0 and /%u",
				(int)n, text, max);
	if (cidr_holds(&MAPPED, &c))
		return trm_error_set(reterr, TRM_EINVAL,
				"'%.*s': write IPv4 addresses without ::ffff:", (int)n, text);
	if (clear_host_bits(&c)) {
		cidr_format(&c, fixed);
		return trm_error_set(reterr, TRM_EINVAL,
				"'%.*s' has bits set after its prefix: did you mean %s?", (int)n, text,
				fixed);
	}
	*ret = c;
	return 0;
}

static int parse_one(const char *text, size_t n, struct cidr *ret, struct trm_error *reterr)
{
	int r = cidr_parse(text, n, ret, reterr);
	const struct cidr_refused *row = r == 0 ? cidr_find_refused(ret) : NULL;
	if (!row || row->kind != CIDR_NEVER)
		return r;
	return trm_error_set(reterr, TRM_EINVAL,
			"'%.*s' can never be opened (%s): the host's own services are out of reach", (int)n,
			text, row->name);
}

int cidr_parse_list(const char *text, struct cidr ret[CIDR_LIST_MAX], size_t *ret_n, struct trm_error *reterr)
{
	static const char blanks[] = " \t";
	*ret_n = 0;
	text += strspn(text, blanks);
	while (*text) {
		size_t n = strcspn(text, ", \t");
		if (!n)
			return trm_error_set(reterr, TRM_EINVAL, "a range is missing before a comma");
		if (*ret_n == CIDR_LIST_MAX)
			return trm_error_set(
					reterr, TRM_EINVAL, "at most %d ranges can be opened", CIDR_LIST_MAX);
		int r = parse_one(text, n, &ret[*ret_n], reterr);
		if (r < 0)
			return r;
		++*ret_n;
		text += n + strspn(text + n, blanks);
		if (*text == ',') {
			text += 1 + strspn(text + 1, blanks);
			if (!*text)
				return trm_error_set(reterr, TRM_EINVAL, "a range is missing after a comma");
		}
	}
	return 0;
}

bool cidr_of_address(const struct sockaddr *address, struct cidr *ret)
{
	if (address->sa_family == AF_INET) {
		*ret = (struct cidr){.family = 4, .bits = 32};
		memcpy(ret->addr, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
		return true;
	}
	if (address->sa_family == AF_INET6) {
		*ret = (struct cidr){.family = 6, .bits = 128};
		memcpy(ret->addr, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, 16);
		return true;
	}
	return false;
}
