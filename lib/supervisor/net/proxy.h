/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_PROXY_H
#define TRM_SUPERVISOR_PROXY_H

/* Theory of operation. A sandbox that may reach only named hosts (spec->net_hosts) has a network namespace
 * with only a loopback device, on which an HTTP proxy of ours listens. Its listening socket was made inside
 * of the namespace (net_enter_named()); the process that serves it is on the host's side. Programs find the
 * proxy in their environment. They say a name, and the proxy resolves it: the sandbox has no resolver and no
 * route.
 *
 *   - A name or address that is not in the list is refused, whatever it resolves to.
 *   - Of the addresses of an allowed name, those that a sandbox with a network could not reach are refused,
 * by the same rules as the packet filter's (net_may_reach()). The connection goes to the very address that
 *     was checked. An address that the list itself names is not checked.
 *   - Nothing else is opened: no other port, and no connection inwards.
 *
 * What the sandbox says is hostile. The head of a request is read strictly (base/proxy_head.h), in bounded
 * time and space. A connection carries one request to one host, or a tunnel. The number of connections and
 * of lookups is bounded; further ones wait. Names are resolved by short-lived processes, because resolvers
 * block, and because they read what name servers answer.
 *
 * The proxy runs as the sandbox's own user, in its control groups, and can gain no privileges. It ends with
 * the supervisor. Of each refusal it tells the supervisor a struct proxy_word, which passes it to clients and
 * answers with a byte. */

#include <stdint.h>

#include "supervisor/net/net.h"

enum { PROXY_PORT = 3128, PROXY_WORDS = 256 };

struct proxy_word {
	uint64_t n_refused;      /* so far */
	char words[PROXY_WORDS]; /* the last one: "example.org:443 is not in net_allow_host" */
};

/* Serve until the supervisor ends. `word_fd` is a socket of packets. */
_Noreturn void proxy_serve(const struct spec_msg *spec, int listen_fd, int word_fd);

#endif
