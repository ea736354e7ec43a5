/* SPDX-License-Identifier: MIT */
/* The objects from which agent-sandbox makes pods that hold our agent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/sandbox.h>

#include "backend/recipe/agentfile.h"
#include "backend/recipe/box.h"
#include "backend/recipe/pod.h"
#include "base/buf.h"
#include "base/err.h"
#include "embed/embed.h"

enum { TEXT_MAX = 4 << 20 };

/* The name holds the hash of the agent, so that pods with another one are recognized. */
static int name_map(char out[AGENTFILE_PATH], struct trm_error *reterr)
{
	char path[AGENTFILE_PATH];
	int r = agentfile_path(path, reterr);
	if (r == 0)
		snprintf(out, AGENTFILE_PATH, RECIPE_NAME_PREFIX "%s", strrchr(path, '/') + 1);
	return r;
}

int trm_kube_template(const struct trm_sandbox_opts *opts, char **ret_text, struct trm_error *reterr)
{
	const struct trm_container_opts *c = &opts->container;
	struct embed agent = embed_agent();
	char map[AGENTFILE_PATH];
	const struct pod_spec spec = {
			.name = c->kube.sandbox_template ? c->kube.sandbox_template : TRM_KUBE_TEMPLATE,
			.map = map,
			.image = c->image ? c->image : trm_container_image(c->language),
			.user = c->user,
			.workdir = opts->workdir ? opts->workdir : "/workspace",
			.service_account = c->kube.service_account,
			.runtime_class = c->kube.runtime_class,
			.arch = words_machine(),
			.agent = agent.bytes,
			.agent_n = agent.n,
			.read_only = c->read_only,
			.limits = opts->limits,
			.env = opts->env,
			.n_env = opts->n_env,
			.cut = opts->limits.net ? POD_KEEPS_NET : POD_CUT_BY_POLICY};
	struct buf out;
	int r = name_map(map, reterr);
	if (r < 0)
		return r;
	buf_init(&out, TEXT_MAX);
	r = pod_template_put(&out, &spec, reterr);
	char *text = r == 0 ? strndup(buf_at(&out), out.len) : NULL;
	buf_finish(&out);
	if (r == 0 && !text)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*ret_text = text;
	return r;
}
