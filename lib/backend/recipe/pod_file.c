/* SPDX-License-Identifier: MIT */
/* The manifests of a sandbox's pod as a file in memory: the ways to make it, best first, each ended by a NUL.
 */
#include "backend/recipe/box.h"
#include "backend/recipe/pod.h"
#include "backend/recipe/pod_merge.h"

#include <cJSON.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/host/spawn.h"
#include "base/buf.h"
#include "base/err.h"
#include "embed/embed.h"

enum { FILE_MAX = 8 << 20 };

static struct pod_spec describe_pod(const struct box *box, const char *user)
{
	const struct container_spec *w = &box->container_spec;
	const struct trm_container_opts *c = &w->opts.container;
	struct embed agent = embed_agent();
	return (struct pod_spec){.name = w->name,
			.key = w->key,
			.supervisor = RECIPE_LATE_SUPERVISOR,
			.adoptable = c->kube.adoptable,
			.image = w->image,
			.user = user,
			.workdir = w->opts.workdir ? w->opts.workdir : "/workspace",
			.service_account = c->kube.service_account,
			.runtime_class = c->kube.runtime_class,
			.arch = words_machine(),
			.agent = agent.bytes,
			.agent_n = agent.n,
			.read_only = c->read_only,
			.max_lifetime_ms = w->opts.max_lifetime_ms,
			.limits = w->opts.limits,
			.env = w->opts.env,
			.n_env = w->opts.n_env,
			.manifest = box->manifest};
}

/* The way that is tried first. */
static enum pod_cut first_cut(const struct box *box)
{
	if (box->container_spec.opts.limits.net)
		return POD_KEEPS_NET;
	return box->manifest ? POD_CUT_BY_INIT : POD_CUT_BESIDE;
}

int pod_file_take_manifest(struct box *box, const char *json, struct trm_error *reterr)
{
	struct buf changes, out;
	int r = pod_manifest_parse(json, strlen(json), &box->manifest, reterr);
	if (r < 0)
		return r;
	/* A pod that is not made: it shows what is changed. */
	struct pod_spec spec = describe_pod(box, box->container_spec.opts.container.user);
	buf_init(&changes, sizeof box->changes - 1);
	buf_init(&out, FILE_MAX);
	spec.owner = "0";
	spec.cut = first_cut(box);
	spec.changes = &changes;
	r = pod_put(&out, &spec, reterr);
	if (r == 0)
		snprintf(box->changes, sizeof box->changes, "%.*s", (int)changes.len,
				changes.len ? buf_at(&changes) : "");
	buf_finish(&changes);
	buf_finish(&out);
	return r;
}

void pod_file_finish(struct box *box)
{
	cJSON_Delete(box->manifest);
	box->manifest = NULL;
}

int pod_file_open(const struct box *box, const char *user, struct trm_error *reterr)
{
	const bool has_net = box->container_spec.opts.limits.net;
	char owner[24];
	struct pod_spec spec = describe_pod(box, user);
	struct buf out;
	snprintf(owner, sizeof owner, "%u", (unsigned)geteuid());
	spec.owner = owner;
	buf_init(&out, FILE_MAX);
	spec.cut = first_cut(box);
	int r = pod_put(&out, &spec, reterr);
	if (r == 0)
		r = buf_append(&out, "", 1);
	spec.cut = POD_CUT_BY_POLICY;
	if (r == 0 && !has_net)
		r = pod_put(&out, &spec, reterr);
	if (r == 0 && !has_net)
		r = buf_append(&out, "", 1);
	if (r == 0)
		r = spawn_memfd("terrarium-pod", buf_at(&out), out.len, reterr);
	buf_finish(&out);
	return r;
}
