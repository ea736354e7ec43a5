/* SPDX-License-Identifier: MIT */
/* The plan of the later steps, which the supervisor takes. */
#include "backend/recipe/box.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <terrarium/recipe.h>

#include "backend/host/rundir.h"
#include "backend/host/spawn.h"
#include "backend/recipe/agentfile.h"
#include "backend/recipe/pod.h"
#include "base/err.h"
#include "wire/plan.h"

extern char **environ;

enum {
	READY_MS = 5 * 60 * 1000,   /* an engine that fetches the image by itself takes its time */
	COMMIT_MS = 30 * 60 * 1000, /* saving a container takes the longer the more files it has */
	MAX_OPTIONS = 12,
	NUMBER = 24
};

/* ---- facts ------------------------------------------------------------------------------- */

/* The values of the placeholders, with the texts that they point to. */
struct terms {
	struct recipe_facts facts;
	char memory_mb[NUMBER], memory_bytes[NUMBER], cpus[NUMBER], procs[NUMBER], disk_mb[NUMBER],
			file_bytes[NUMBER], file_mb[NUMBER], open_files[NUMBER], uid[NUMBER];
	char agent[AGENTFILE_PATH], share[RUNDIR_PATH + 96];
	const char *options[MAX_OPTIONS], *labels[1];
	char label[96];
};

static bool is_root(const char *user)
{
	size_t n = strcspn(user, ":");
	return (n == 4 && !strncmp(user, "root", 4)) || (n && strspn(user, "0") == n);
}

const char *box_user(const struct box *box)
{
	const char *asked = box->container_spec.opts.container.user;
	if (!asked && recipe_keeps_user(box->recipe))
		return "";
	return asked ? asked : *box->image_user && !is_root(box->image_user) ? box->image_user : "1000:1000";
}

void box_facts(const struct box *box, struct recipe_facts *ret)
{
	const struct container_spec *w = &box->container_spec;
	*ret = (struct recipe_facts){0};
	ret->value[FACT_IMAGE] = box->asks_tag    ? w->opts.container.commit_tag
				 : *box->image_id ? box->image_id
						  : w->image;
	ret->value[FACT_TAG] = w->image;
	ret->value[FACT_CONTAINER] = w->opts.container.container;
	ret->value[FACT_DOCKERFILE] = w->dockerfile;
	ret->value[FACT_CONTEXT] = w->folder;
	ret->value[FACT_NAME] = w->name;
	ret->value[FACT_KUBE_CONTEXT] = w->kube_context;
	ret->value[FACT_KUBE_NAMESPACE] = w->kube_namespace;
	ret->value[FACT_POD_MANIFEST] = w->opts.container.kube.manifest;
	ret->value[FACT_WARM_POOL] = w->opts.container.kube.warm_pool;
	ret->value[FACT_TEMPLATE] = w->opts.container.kube.sandbox_template;
	ret->value[FACT_RESUME] = w->opts.container.kube.resumes ? "on" : NULL;
	ret->value[FACT_SHUTDOWN_TIME] = w->shutdown_time;
	ret->value[FACT_POD] = w->opts.container.container ? w->pod : w->name;
	ret->value[FACT_POD_CONTAINER] = w->opts.container.container ? w->pod_container : POD_CONTAINER;
}

static void put_number(char out[NUMBER], uint64_t n)
{
	snprintf(out, NUMBER, "%" PRIu64, n);
}

static void add_option(struct terms *t, const char *option, const char *value)
{
	t->options[t->facts.n_options++] = option;
	t->options[t->facts.n_options++] = value;
}

static void add_limits(struct terms *t, const struct trm_limits *limits)
{
	const char **value = t->facts.value;
	put_number(t->memory_mb, limits->mem_bytes >> 20);
	put_number(t->memory_bytes, limits->mem_bytes);
	put_number(t->procs, limits->procs);
	put_number(t->disk_mb, limits->disk_bytes >> 20);
	put_number(t->file_bytes, limits->file_bytes);
	put_number(t->file_mb, limits->file_bytes >> 20);
	put_number(t->open_files, limits->open_files);
	snprintf(t->cpus, sizeof t->cpus, "%g", limits->cpus);
	value[FACT_MEMORY_MB] = t->memory_mb;
	value[FACT_MEMORY_BYTES] = t->memory_bytes;
	value[FACT_CPUS] = t->cpus;
	value[FACT_PROCS] = t->procs;
	value[FACT_DISK_MB] = t->disk_mb;
	value[FACT_FILE_BYTES] = t->file_bytes;
	value[FACT_OPEN_FILES] = t->open_files;
	value[FACT_NET] = limits->net ? "on" : NULL;
}

static int make_terms(struct terms *t, const struct box *box, const struct rundir_entry *entry,
		struct trm_error *reterr)
{
	const struct container_spec *w = &box->container_spec;
	const struct trm_container_opts *c = &w->opts.container;
	const char **value = t->facts.value;
	box_facts(box, &t->facts);
	add_limits(t, &w->opts.limits);
	put_number(t->uid, geteuid());
	int n = snprintf(t->share, sizeof t->share, "%s/%s/" SHARE_DIR, entry->path, entry->name);
	if (n >= (int)sizeof t->share)
		return trm_error_set(reterr, TRM_EINVAL, "the path of the runtime directory is too long");
	value[FACT_READ_ONLY] = c->read_only ? "on" : NULL;
	value[FACT_USER] = box_user(box);
	value[FACT_UID] = t->uid;
	value[FACT_WORKDIR] = w->opts.workdir ? w->opts.workdir : "/workspace";
	value[FACT_KEY] = w->key;
	value[FACT_AGENT] = t->agent;
	value[FACT_TAG] = c->commit_tag;
	value[FACT_ROOT] = is_root(box_user(box)) ? "on" : NULL;
	value[FACT_IMAGE_USER] = box->image_user;
	value[FACT_IMAGE_WORKDIR] = box->image_workdir;
	value[FACT_IMAGE_ENTRYPOINT] = box->image_entrypoint;
	value[FACT_IMAGE_CMD] = box->image_cmd;
	snprintf(t->label, sizeof t->label, "dev.terrarium.name=%.64s", w->opts.name);
	t->labels[0] = t->label;
	t->facts.labels = t->labels;
	t->facts.n_labels = 1;
	t->facts.env = w->opts.env;
	t->facts.n_env = w->opts.n_env;
	t->facts.mounts = w->recipe_mounts;
	t->facts.n_mounts = w->n_mounts;
	t->facts.options = t->options;
	t->facts.engine_args = c->engine_args;
	t->facts.n_engine_args = c->n_engine_args;
	value[FACT_RUNTIME] = c->runtime;
	value[FACT_ENVIRONMENT] = c->environment ? c->environment : "base";
	if (*box_user(box))
		add_option(t, "--user", box_user(box));
	add_option(t, "--workdir", w->opts.workdir ? w->opts.workdir : "/workspace");
	if (c->container)
		return 0;
	add_option(t, "--files", t->open_files);
	add_option(t, "--file-mb", t->file_mb);
	int r = agentfile_path(t->agent, reterr);
	value[FACT_AGENT_NAME] = r == 0 ? strrchr(t->agent, '/') + 1 : NULL;
	return r;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* A plan that is being written. */
struct draft {
	struct buf steps[PLAN_STEPS], env;
};

static void draft_init(struct draft *d)
{
	for (size_t i = 0; i < PLAN_STEPS; i++)
		buf_init(&d->steps[i], PLAN_MAX_BYTES);
	buf_init(&d->env, PLAN_MAX_BYTES);
}

static void draft_finish(struct draft *d)
{
	for (size_t i = 0; i < PLAN_STEPS; i++)
		buf_finish(&d->steps[i]);
	buf_finish(&d->env);
}

static int put_words(struct buf *out, const char *words, size_t n, struct trm_error *reterr)
{
	bool is_first = true;
	for (size_t at = 0; at < n; at += strlen(words + at) + 1) {
		if (!words[at]) {
			is_first = true;
			continue;
		}
		int r = plan_arg_put(out, words + at, is_first);
		if (r < 0)
			return trm_error_set(reterr, r, "the recipe's commands are too long");
		is_first = false;
	}
	return 0;
}

static int put_step(struct draft *d, enum plan_step to, const struct box *box, enum recipe_step from,
		const struct terms *t, struct trm_error *reterr)
{
	struct buf words;
	buf_init(&words, RECIPE_EXPANDED_MAX);
	int r = recipe_has(box->recipe, from) ? recipe_expand(box->recipe, from, &t->facts, &words, reterr)
					      : 0;
	if (r == 0)
		r = put_words(&d->steps[to], buf_at(&words), words.len, reterr);
	buf_finish(&words);
	return r;
}

bool box_is_pod(const struct box *box)
{
	return recipe_put_reads(box->recipe) == RECIPE_PUT_POD
	       && !box->container_spec.opts.container.container
	       && !box->container_spec.opts.container.kube.left;
}

static bool shares_proxy(const struct box *box)
{
	const char *transport = box->container_spec.opts.container.kube.transport;
	return recipe_is_of_cluster(box->recipe) && !(transport && strcmp(transport, "exec") == 0);
}

/* Tests and measurements can force a way. */
static bool is_direct(const struct box *box)
{
	const char *forced = getenv("TERRARIUM_CARRIER_STREAM");
	return recipe_uses(box->recipe, STEP_CREATE, "share") && !box->is_remote
	       && !box->container_spec.opts.container.container && !(forced && strcmp(forced, "exec") == 0);
}

static uint32_t asks_of(const struct trm_recipe *recipe, const struct trm_sandbox_opts *opts)
{
	const struct trm_container_opts *c = &opts->container;
	const struct {
		uint32_t ask;
		const char *words[2];
		bool is_wanted;
	} rows[] = {
			{ASK_MEMORY, {"memory_mb", "memory_bytes"}, true},
			{ASK_CPU, {"cpus"}, true},
			{ASK_PROCS, {"procs"}, true},
			{ASK_DISK, {"disk_mb"}, c->read_only},
			{ASK_NO_NET, {"net"}, !opts->limits.net},
			{ASK_NET, {"net"}, opts->limits.net},
			{ASK_READ_ONLY, {"read_only"}, c->read_only},
			{ASK_FEW_CAPS, {"root"}, !(c->user && is_root(c->user))},
	};
	if (c->container)
		return opts->limits.net ? ASK_NET : ASK_NO_NET;
	uint32_t asks = ASK_OPEN_FILES | ASK_FILE_SIZE;
	if (recipe_put_reads(recipe) == RECIPE_PUT_POD)
		asks |= ASK_DISK | (opts->limits.net ? 0 : ASK_CUT)
			| (c->user && is_root(c->user) ? 0 : ASK_READ_ONLY);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t k = 0; k < 2 && rows[i].is_wanted && rows[i].words[k]; k++)
			if (recipe_uses(recipe, STEP_CREATE, rows[i].words[k]))
				asks |= rows[i].ask;
	return asks;
}

static int put_create(struct draft *d, const struct box *box, struct terms *t, struct trm_error *reterr)
{
	int r = 0;
	if (box->container_spec.opts.container.kube.left)
		return put_step(d, PLAN_CREATE_EXEC, box, STEP_TAKE, t, reterr);
	if (is_direct(box)) {
		t->facts.value[FACT_SHARE] = t->share;
		r = put_step(d, PLAN_CREATE_DIRECT, box, STEP_CREATE, t, reterr);
		if (r == 0)
			r = put_step(d, PLAN_START_DIRECT, box, STEP_START, t, reterr);
		t->facts.value[FACT_SHARE] = NULL;
	}
	if (r == 0 && recipe_has(box->recipe, STEP_CONNECT))
		r = put_step(d, PLAN_CREATE_EXEC, box, STEP_CREATE, t, reterr);
	return r;
}

static int put_steps(struct draft *d, const struct box *box, struct terms *t, struct trm_error *reterr)
{
	const struct trm_container_opts *c = &box->container_spec.opts.container;
	const bool is_left = c->kube.left; /* it runs */
	const struct {
		enum plan_step to;
		enum recipe_step from;
		bool is_wanted;
	} rows[] = {
			{PLAN_PUT, STEP_PUT, !is_left},
			{PLAN_START, STEP_START, !c->container && !is_left},
			{PLAN_READY, STEP_READY, !c->container && !is_left},
			{PLAN_CONNECT, STEP_CONNECT, true},
			{PLAN_INSPECT, STEP_INSPECT, true},
			{PLAN_RELEASE, STEP_RELEASE, c->container},
			{PLAN_COMMIT, STEP_COMMIT, c->commit_tag},
			{PLAN_SPARE, STEP_SPARE, c->commit_tag},
			{PLAN_DESTROY, STEP_DESTROY, !c->container},
			{PLAN_SUSPEND, STEP_SUSPEND, !c->container},
			{PLAN_AFTER, STEP_IMAGE_REMOVE, box->is_made && !c->keep_image},
			{PLAN_LIST, STEP_LIST, true},
	};
	int r = c->container ? 0 : put_create(d, box, t, reterr);
	for (size_t i = 0; i < sizeof rows / sizeof *rows && r == 0; i++)
		if (rows[i].is_wanted)
			r = put_step(d, rows[i].to, box, rows[i].from, t, reterr);
	if (r < 0 || !t->facts.value[FACT_NET] || !recipe_uses(box->recipe, STEP_DESTROY, "net"))
		return r;
	t->facts.value[FACT_NET] = NULL;
	return put_step(d, PLAN_SWEEP, box, STEP_DESTROY, t, reterr);
}

static bool is_proxy(const char *variable)
{
	static const char *const names[] = {"http_proxy", "https_proxy", "ftp_proxy", "no_proxy"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncasecmp(variable, names[i], strlen(names[i])) && variable[strlen(names[i])] == '=')
			return true;
	return false;
}

/* The recipe's variables, and ours without proxies. An engine on this machine is reached without a proxy,
 * and podman would pass our proxies on to the container, including passwords, even without a network. A
 * container gets the permitted proxies in another way (backend/host/netenv.h). */
static int put_env(struct draft *d, const struct box *box, struct trm_error *reterr)
{
	const bool has_proxies = box->is_remote || box->container_spec.opts.container.container
				 || !recipe_uses(box->recipe, STEP_CREATE, "share");
	int r = recipe_env(box->recipe, &d->env, reterr);
	for (char **at = environ; at && *at && r == 0; at++) {
		if (!has_proxies && is_proxy(*at))
			continue;
		r = buf_append(&d->env, *at, strlen(*at) + 1);
		if (r < 0)
			trm_error_set(reterr, r,
					"there are too many environment variables for a recipe's commands");
	}
	return r;
}

static int plan_fd(const struct box *box, struct draft *d, struct terms *t, struct trm_error *reterr)
{
	const struct container_spec *w = &box->container_spec;
	char cwd[TRM_HOST_PATH];
	struct plan_msg plan = {.backend = trm_recipe_name(box->recipe),
			.image = w->opts.container.container ? w->opts.container.container : w->image,
			.name = w->name,
			.container = w->opts.container.container ? box->id : "",
			.user = box_user(box),
			.cwd = getcwd(cwd, sizeof cwd) ? cwd : "/",
			.is_adopted = w->opts.container.container != NULL,
			.has_net = w->opts.limits.net,
			.leaves = w->opts.container.kube.adoptable,
			.version = w->opts.container.kube.left ? w->left.version : 0,
			.takes_over = w->opts.container.kube.takes_over,
			.is_verbose = w->opts.is_verbose,
			.puts_text = box_is_pod(box),
			.shares_proxy = shares_proxy(box),
			.asks = asks_of(box->recipe, &w->opts)};
	struct buf packet;
	int r = put_steps(d, box, t, reterr);
	if (r == 0)
		r = put_env(d, box, reterr);
	if (r < 0)
		return r;
	for (size_t i = 0; i < PLAN_STEPS; i++) {
		plan.steps[i] = (struct slice){buf_at(&d->steps[i]), d->steps[i].len};
		plan.timeout_ms[i] = i == PLAN_COMMIT  ? COMMIT_MS
				     : i == PLAN_READY ? READY_MS
						       : recipe_timeout_ms(box->recipe);
	}
	plan.env = (struct slice){buf_at(&d->env), d->env.len};
	buf_init(&packet, PLAN_MAX_BYTES);
	r = plan_msg_put(&packet, &plan);
	if (r == 0)
		r = spawn_memfd("plan", buf_at(&packet), packet.len, reterr);
	else
		trm_error_set(reterr, r, "cannot make a plan of the recipe '%s': %s", plan.backend,
				trm_strerror(r));
	buf_finish(&packet);
	return r;
}

int box_plan_open(const struct box *box, const struct rundir_entry *entry, struct trm_error *reterr)
{
	struct draft draft;
	struct terms *terms = calloc(1, sizeof *terms);
	if (!terms)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	draft_init(&draft);
	int r = make_terms(terms, box, entry, reterr);
	if (r == 0)
		r = plan_fd(box, &draft, terms, reterr);
	draft_finish(&draft);
	free(terms);
	return r;
}
