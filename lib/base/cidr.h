/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_CIDR_H
#define TRM_BASE_CIDR_H

/* Ranges of IP addresses, and which of them a sandbox with a network must not reach.
 *
 * Only the address decides, never a name, because a name may resolve to any address. Sources: the IANA
 * special-purpose address registries (RFC 6890), RFC 6598 (100.64/10), RFC 2544 (198.18/15), RFC 4193
 * (fc00::/7), RFC 6052 and 8215 (NAT64), RFC 7915 (::ffff:0:0:0/96), RFC 3056 (6to4). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trm_error;

struct cidr {
	uint8_t family; /* 4 or 6 */
	uint8_t bits;   /* length of the prefix */
	uint8_t addr[16];
};

enum { CIDR_TEXT = 64, CIDR_LIST_MAX = 32 };

/* "10.1.0.0/16", "fd00::/8", or one address. TRM_EINVAL with a sentence: no address, a prefix that is too
 * long, bits set after the prefix, IPv4 written as IPv6. */
int cidr_parse(const char *text, size_t n, struct cidr *ret, struct trm_error *reterr);

/* Ranges to be opened, with commas or blanks between them; "" is none. TRM_EINVAL as above, and also for
 * a range that cannot be opened, and for more than CIDR_LIST_MAX. */
int cidr_parse_list(
		const char *text, struct cidr ret[CIDR_LIST_MAX], size_t *ret_n, struct trm_error *reterr);

/* The address of a socket. False: it is of another family. */
struct sockaddr;
bool cidr_of_address(const struct sockaddr *address, struct cidr *ret);

void cidr_format(const struct cidr *c, char out[CIDR_TEXT]);

/* Does `outer` contain all of `inner`? Do `a` and `b` have an address in common? */
bool cidr_holds(const struct cidr *outer, const struct cidr *inner);
bool cidr_meets(const struct cidr *a, const struct cidr *b);
/* Is it exactly one address? */
bool cidr_is_single(const struct cidr *c);

/* ---- what is refused ------------------------------------------------------------ */

enum cidr_kind {
	CIDR_NEVER,   /* this machine, or everybody: cannot be opened */
	CIDR_LINK,    /* link-local, with the metadata services of clouds: opened only by a range inside it */
	CIDR_PRIVATE, /* local networks, and addresses that lead to them: opened by any range that covers it
		       */
};

struct cidr_refused {
	const char *name;
	enum cidr_kind kind;
	struct cidr range;
};

/* The table, CIDR_NEVER first, then CIDR_LINK. */
const struct cidr_refused *cidr_refused(size_t *ret_n);
/* The row that an address or range lies in; NULL: it is public. */
const struct cidr_refused *cidr_find_refused(const struct cidr *c);

#endif
