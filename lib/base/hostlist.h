/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_HOSTLIST_H
#define TRM_BASE_HOSTLIST_H

/* Names of hosts that a sandbox may connect to: "example.org, *.example.com,
 * git.example.net:22, 10.1.2.3:8080". A "*." stands for one or more labels, so "*.example.com" is not
 * "example.com". Without a port, 80 and 443 are meant. Names are compared without regard to case, and a dot
 * at the end does not count. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cidr.h"

enum { HOST_TEXT = 256, HOSTLIST_MAX = 32, HTTP_PORT = 80, HTTPS_PORT = 443 };

struct host {
	char name[HOST_TEXT]; /* in lower case, without a dot at the end; an address in its usual form */
	bool is_address;
	struct cidr address;
};

struct host_rule {
	struct host host;
	bool is_suffix; /* "*.": names that end with a dot and this one */
	uint16_t port;  /* 0: HTTP_PORT and HTTPS_PORT */
};

/* Read a name or an address; IPv6 without brackets. False: it is neither. Addresses are taken only in their
 * plain form: of four numbers, or of IPv6. What else resolvers take for numbers ("0x7f.1", "2130706433",
 * "127.1") is no name either. */
bool hostlist_read(const char *text, size_t n, struct host *ret);

/* Read a list, with commas or blanks between; "" is none. TRM_EINVAL with a sentence. */
int hostlist_parse(const char *text, struct host_rule ret[HOSTLIST_MAX], size_t *ret_n,
		struct trm_error *reterr);

/* The rule that allows a connection; NULL: none. */
const struct host_rule *hostlist_find(
		const struct host_rule *rules, size_t n, const struct host *host, uint16_t port);

#endif
