/* SPDX-License-Identifier: MIT */
#include "backend/local/netplan.h"

#include <stdio.h>

#include <terrarium/sandbox.h>

#include "base/err.h"

/* The sandbox's address lies in one of these. Addresses of the host in the same network are then
 * unreachable, even if they were opened; hence the choice. The first one is the default of slirp4netns. */
static const struct cidr SUBNETS[] = {
		{4, 24, {10, 0, 2}},
		{4, 24, {172, 31, 254}},
		{4, 24, {192, 168, 254}},
		{4, 24, {100, 127, 254}},
};
enum { N_SUBNETS = sizeof SUBNETS / sizeof *SUBNETS };

uint32_t netplan_choose_subnet(const struct cidr *open, size_t n)
{
	size_t choice = 0;
	for (size_t i = N_SUBNETS; i-- > 0;) {
		bool is_free = true;
		for (size_t k = 0; k < n; k++)
			is_free &= !cidr_meets(&SUBNETS[i], &open[k]);
		choice = is_free ? i : choice;
	}
	const uint8_t *a = SUBNETS[choice].addr;
	return (uint32_t)a[0] << 24 | (uint32_t)a[1] << 16 | (uint32_t)a[2] << 8;
}

static void tell_resolver(struct netplan *plan, struct spec_msg *spec)
{
	const uint32_t net = spec->net_subnet;
	int n = snprintf(plan->resolv_conf, sizeof plan->resolv_conf, "nameserver %u.%u.%u.%u\n", net >> 24,
			net >> 16 & 255, net >> 8 & 255, (unsigned)NET_DNS);
	spec->files[spec->n_files++] = (struct slice){plan->resolv_conf, (size_t)n};
}

/* Only to named hosts: programs find the proxy in their environment (supervisor/net/proxy.h). The host's own
 * proxies and indexes are not passed on, because the sandbox could not reach them. */
static void plan_named(struct netplan *plan, struct spec_msg *spec, size_t n_open)
{
	static const char url[] = "http://127.0.0.1:3128", here[] = "localhost,127.0.0.1,::1";
	static const char *const names[] = {
			"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"};
	static const char note[] = "# names are resolved by the proxy of this sandbox\n";
	netenv_find_certs(&plan->argv.env);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		netenv_put(&plan->argv.env, names[i], url, false);
	netenv_put(&plan->argv.env, "no_proxy", here, false);
	netenv_put(&plan->argv.env, "NO_PROXY", here, false);
	netenv_put(&plan->argv.env, "NODE_USE_ENV_PROXY", "1", false);
	argv_net_find(&plan->argv);
	spec->has_certs = plan->argv.env.certs.len > 0;
	spec->net_open = (struct slice){(const char *)plan->open, n_open * sizeof *plan->open};
	spec->files[spec->n_files++] = (struct slice){note, sizeof note - 1};
}

int netplan_make(struct netplan *plan, const struct trm_sandbox_opts *opts, struct spec_msg *spec,
		struct trm_error *reterr)
{
	size_t n;
	int r = cidr_parse_list(opts->limits.net_allow, plan->open, &n, reterr);
	if (r == 0 && !opts->limits.net) {
		plan_named(plan, spec, n);
		return 0;
	}
	if (r == 0 && !spec->shares_net)
		r = machine_find_slirp(plan->slirp, reterr);
	if (r < 0)
		return r;
	netenv_find(&plan->argv.env, opts->net_credentials, true);
	argv_net_find(&plan->argv);
	spec->has_certs = plan->argv.env.certs.len > 0;
	if (spec->shares_net)
		return 0;
	spec->slirp = plan->slirp;
	spec->net_subnet = netplan_choose_subnet(plan->open, n);
	spec->net_open = (struct slice){(const char *)plan->open, n * sizeof *plan->open};
	spec->net_allow = opts->limits.net_allow;
	tell_resolver(plan, spec);
	return 0;
}

void netplan_finish(struct netplan *plan)
{
	netenv_finish(&plan->argv.env);
}
