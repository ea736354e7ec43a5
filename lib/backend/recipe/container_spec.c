/* SPDX-License-Identifier: MIT */
#include "backend/recipe/container_spec.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/recipe.h>
#include <terrarium/text.h>

#include <terrarium/lang.h>

#include "backend/host/rundir.h"
#include "backend/recipe/engine_args.h"
#include "backend/recipe/pod.h"
#include "backend/recipe/reference.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mount.h"

const char *trm_container_image(const char *language)
{
	const struct trm_lang *lang = NULL;
	if (!language || trm_lang_find(language, &lang, NULL) < 0 || !*lang->image)
		lang = trm_lang_default();
	return lang->image;
}

const char *trm_container_describe(
		const char *backend, const char *container, const char *user, char *out, size_t cap)
{
	snprintf(out, cap,
			"A file, /.terrarium/agent, is copied into the container %.400s (%.80s; it is started if it is "
			"stopped), and runs in it. What you start runs as %.200s, with the container's own limits and "
			"network. The container is not stopped or removed; at the end the agent and its file "
			"are removed.",
			container, backend,
			user && *user ? user : "its user, or as uid 1000 if that is root");
	return out;
}

/* ---- copies -------------------------------------------------------------------------------- */

static const char *store_text(struct container_spec *container_spec, const char *text)
{
	char *copy = text ? strdup(text) : NULL;
	if (copy)
		container_spec->texts[container_spec->n_texts++] = copy;
	return copy;
}

static int copy_opts(struct container_spec *container_spec, const struct trm_sandbox_opts *opts,
		struct trm_error *reterr)
{
	struct trm_sandbox_opts *own = &container_spec->opts;
	size_t n_wanted = 0;
	*own = *opts;
	const char **const fields[] = {&own->backend, &own->name, &own->workdir, &own->group,
			&own->container.image, &own->container.language, &own->container.dockerfile,
			&own->container.container, &own->container.user, &own->container.commit_tag,
			&own->container.runtime, &own->container.environment, &own->container.kube.context,
			&own->container.kube.space, &own->container.kube.service_account,
			&own->container.kube.runtime_class, &own->container.kube.manifest,
			&own->container.kube.warm_pool, &own->container.kube.sandbox_template,
			&own->container.kube.transport, &own->container.kube.adoptable, &own->from};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		n_wanted += *fields[i] != NULL;
		*fields[i] = store_text(container_spec, *fields[i]);
	}
	for (size_t i = 0; i < own->n_env; i++) {
		n_wanted++;
		container_spec->env[i] = store_text(container_spec, opts->env[i]);
	}
	for (size_t i = 0; i < own->container.n_engine_args; i++) {
		n_wanted++;
		container_spec->engine_args[i] = store_text(container_spec, opts->container.engine_args[i]);
	}
	if (own->container.kube.left) {
		container_spec->left = *own->container.kube.left;
		own->container.kube.left = &container_spec->left;
	}
	own->env = container_spec->env;
	own->container.engine_args = container_spec->engine_args;
	own->n_mounts = 0;
	own->server = (struct trm_remote_opts){0};
	return container_spec->n_texts == n_wanted ? 0 : trm_error_set(reterr, TRM_ENOMEM, "out of memory");
}

/* ---- checks ---------------------------------------------------------------------------------- */

static int refuse_option(const struct trm_recipe *recipe, const char *what, struct trm_error *reterr)
{
	return trm_error_set(reterr, TRM_ENOTSUP,
			"sandboxes of the backend '%s' %s: its recipe does not support that",
			trm_recipe_name(recipe), what);
}

static bool is_exec_asked(const struct trm_kube_opts *kube)
{
	return kube->transport && strcmp(kube->transport, "auto") != 0;
}

static int check_able(
		const struct trm_recipe *recipe, const struct trm_sandbox_opts *o, struct trm_error *reterr)
{
	const struct trm_container_opts *c = &o->container;
	bool is_adopted = c->container != NULL;
	const struct trm_kube_opts *kube = &c->kube;
	const struct {
		bool is_wanted, is_possible;
		const char *what;
	} rows[] = {
			{kube->context, recipe_uses(recipe, STEP_CONNECT, "kube_context"),
					"are in no context of kubectl (kube_context)"},
			{kube->space, recipe_uses(recipe, STEP_CONNECT, "kube_namespace"),
					"are in no namespace of Kubernetes (kube_namespace)"},
			{c->environment, recipe_uses(recipe, STEP_CREATE, "environment"),
					"have no environments of micromamba (environment)"},
			{kube->service_account, recipe_uses(recipe, STEP_CREATE, "service_account"),
					"have no service account (service_account)"},
			{kube->runtime_class, recipe_uses(recipe, STEP_CREATE, "runtime_class"),
					"have no runtime class (runtime_class)"},
			{kube->manifest, recipe_has(recipe, STEP_MANIFEST),
					"have no manifest (pod_manifest)"},
			{kube->warm_pool, recipe_uses(recipe, STEP_CREATE, "warm_pool"),
					"come from no warm pool (warm_pool)"},
			{kube->sandbox_template, recipe_uses(recipe, STEP_CREATE, "template"),
					"come from no template (template)"},
			{kube->resumes, recipe_has(recipe, STEP_SUSPEND), "cannot be suspended (resume)"},
			{kube->adoptable || kube->left, recipe_has(recipe, STEP_TAKE),
					"end with their client (adoptable)"},
			{is_exec_asked(kube), recipe_is_of_cluster(recipe),
					"are not reached by kubectl (kube_transport)"},
			{c->container, recipe_has(recipe, STEP_ADOPT), "cannot be existing ones (container)"},
			{c->dockerfile, recipe_has(recipe, STEP_BUILD),
					"cannot be built from a file (dockerfile)"},
			{c->image, recipe_uses(recipe, STEP_CREATE, "image"), "have no image (image)"},
			{c->commit_tag, recipe_has(recipe, STEP_COMMIT),
					"cannot be saved as an image (commit)"},
			{c->read_only && !is_adopted, recipe_uses(recipe, STEP_CREATE, "read_only"),
					"cannot have a root that is read-only (read_only)"},
			{o->n_mounts && !is_adopted, recipe_uses(recipe, STEP_CREATE, "mount"),
					"cannot have mounts (mount)"},
			{*o->limits.net_allow_host, false,
					"have the network of their engine, which knows no names of hosts (net_allow_host)"},
			{o->limits.net && !is_adopted, recipe_uses(recipe, STEP_CREATE, "net"),
					"have their own network, which cannot be changed (net)"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].is_wanted && !rows[i].is_possible)
			return refuse_option(recipe, rows[i].what, reterr);
	return 0;
}

/* These options determine the image; at most one may be given. */
static int check_source(const struct trm_sandbox_opts *opts, struct trm_error *reterr)
{
	const struct trm_container_opts *c = &opts->container;
	if (c->container && (c->image || c->dockerfile))
		return trm_error_set(reterr, TRM_EINVAL,
				"an existing container already has its image: give either the container (container) or %s",
				c->image ? "the image (image)" : "the Dockerfile (dockerfile)");
	if (c->image && c->dockerfile)
		return trm_error_set(reterr, TRM_EINVAL,
				"an image is either named (image) or built (dockerfile), not both");
	const char *fixed = c->read_only              ? "a read-only root (read_only)"
			    : c->kube.service_account ? "a service account (service_account)"
			    : c->kube.runtime_class   ? "a runtime class (runtime_class)"
			    : c->kube.manifest        ? "a manifest (pod_manifest)"
			    : opts->n_mounts          ? "mounts (mount)"
			    : opts->limits.net        ? "a network (net)"
						      : NULL;
	if (c->container && fixed)
		return trm_error_set(reterr, TRM_EINVAL,
				"an existing container keeps its own mounts, network and limits: it cannot get %s",
				fixed);
	if (!c->commit_tag && c->commit_overwrites)
		return trm_error_set(reterr, TRM_EINVAL,
				"only a commit can overwrite an image: name the image to save it as (commit)");
	return 0;
}

/* A claim names a pool, or else a template, by a name that Kubernetes allows. */
static int check_claim(
		const struct trm_recipe *recipe, const struct trm_kube_opts *kube, struct trm_error *reterr)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";
	const char *name = kube->warm_pool ? kube->warm_pool : kube->sandbox_template;
	if (!recipe_uses(recipe, STEP_CREATE, "warm_pool") || kube->resumes)
		return 0;
	if (!name)
		return trm_error_set(reterr, TRM_EINVAL,
				"the backend '%s' takes its pods from a warm pool (warm_pool) or a template "
				"(template): name one; 'terrarium backends --print-manifest %s' prints both",
				trm_recipe_name(recipe), trm_recipe_name(recipe));
	if (kube->warm_pool && kube->sandbox_template)
		return trm_error_set(reterr, TRM_EINVAL,
				"a pod comes from a warm pool (warm_pool) or from a template (template), not both");
	if (!*name || name[strspn(name, letters)] || strlen(name) > 253)
		return trm_error_set(reterr, TRM_EINVAL,
				"'%.80s' is not the name of a %s: use lowercase letters, digits and hyphens",
				name, kube->warm_pool ? "warm pool" : "template");
	return 0;
}

/* The words become arguments of a command, so none of them may look like an option. */
static int check_word(const char *what, const char *word, size_t max, struct trm_error *reterr)
{
	char clean[300];
	if (!word)
		return 0;
	trm_text_clean_line(clean, sizeof clean, word, strlen(word));
	if (!*word || strlen(word) >= max || strcmp(clean, word) || strpbrk(word, " \t") || *word == '-')
		return trm_error_set(reterr, TRM_EINVAL,
				"%s '%.80s' is invalid: use 1 to %zu characters, no spaces, and do not begin with "
				"a hyphen",
				what, clean, max - 1);
	return 0;
}

static int check_words(const struct trm_container_opts *c, struct trm_error *reterr)
{
	const struct {
		const char *what, *word;
		size_t max;
	} words[] = {{"the image", c->image, CONTAINER_SPEC_IMAGE},
			{"the container", c->container, CONTAINER_SPEC_IMAGE},
			{"the image to save it as,", c->commit_tag, CONTAINER_SPEC_IMAGE},
			{"the user", c->user, 128}, {"the environment", c->environment, 128},
			{"the context", c->kube.context, 256}, {"the namespace", c->kube.space, 64},
			{"the service account", c->kube.service_account, 254},
			{"the runtime class", c->kube.runtime_class, 254}};
	if (c->kube.adoptable && strlen(c->kube.adoptable) >= TRM_KUBE_ADOPTABLE)
		return trm_error_set(
				reterr, TRM_EINVAL, "the text by which a pod is found again is too long");
	if (is_exec_asked(&c->kube) && strcmp(c->kube.transport, "exec") != 0)
		return trm_error_set(reterr, TRM_EINVAL,
				"the transport '%.40s' is unknown: it is auto or exec", c->kube.transport);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		int r = check_word(words[i].what, words[i].word, words[i].max, reterr);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Complete an image name: "python" and "docker.io/library/python:latest" are the same image. */
static void full_name(const char *image, char out[CONTAINER_SPEC_IMAGE * 2])
{
	const char *slash = strrchr(image, '/'), *last = slash ? slash + 1 : image;
	size_t first = strcspn(image, "/");
	bool has_host = slash
			&& (memchr(image, '.', first) || memchr(image, ':', first)
					|| (first == 9 && !strncmp(image, "localhost", 9)));
	bool is_official = !slash;
	snprintf(out, CONTAINER_SPEC_IMAGE * 2, "%s%s%s%s", has_host ? "" : "docker.io/",
			is_official ? "library/" : "", image, strpbrk(last, ":@") ? "" : ":latest");
}

static int check_commit(const struct container_spec *container_spec, const struct trm_recipe *recipe,
		struct trm_error *reterr)
{
	const struct trm_container_opts *c = &container_spec->opts.container;
	char from[CONTAINER_SPEC_IMAGE * 2], to[CONTAINER_SPEC_IMAGE * 2];
	/* Recipes that can inspect images name them as docker and podman do. */
	int r = c->commit_tag && recipe_has(recipe, STEP_IMAGE) ? reference_check(c->commit_tag, reterr) : 0;
	if (r < 0 || !c->commit_tag || c->commit_overwrites || c->container)
		return r;
	full_name(container_spec->image, from);
	full_name(c->commit_tag, to);
	if (strcmp(from, to))
		return 0;
	return trm_error_set(reterr, TRM_EINVAL, CONTAINER_SPEC_COMMITS_OVER, c->commit_tag);
}

/* ---- the parts ------------------------------------------------------------------------------- */

static int find_dockerfile(struct container_spec *container_spec, const char *path, struct trm_error *reterr)
{
	struct stat st;
	char *real = realpath(path, NULL), *slash;
	int error = errno;
	if (!real)
		return trm_error_set_errno(reterr, error, "cannot use the Dockerfile %.200s", path);
	bool is_folder = stat(real, &st) == 0 && S_ISDIR(st.st_mode);
	int n = snprintf(container_spec->dockerfile, sizeof container_spec->dockerfile, "%s%s", real,
			is_folder ? "/Dockerfile" : "");
	free(real);
	if (n >= (int)sizeof container_spec->dockerfile)
		return trm_error_set(
				reterr, TRM_EINVAL, "the path of the Dockerfile %.80s… is too long", path);
	if (stat(container_spec->dockerfile, &st) < 0)
		return trm_error_set_errno(reterr, errno, "cannot use the Dockerfile %.200s",
				container_spec->dockerfile);
	memcpy(container_spec->folder, container_spec->dockerfile, sizeof container_spec->folder);
	if ((slash = strrchr(container_spec->folder, '/')))
		slash[slash == container_spec->folder] = '\0';
	return 0;
}

static int take_mounts(struct container_spec *container_spec, const struct trm_sandbox_opts *opts,
		struct trm_error *reterr)
{
	struct trm_mount found[TRM_MOUNTS_MAX];
	char run_path[RUNDIR_PATH];
	int run_fd = opts->n_mounts ? rundir_open(run_path, reterr) : 0;
	if (run_fd <= 0)
		return run_fd;
	close(run_fd);
	int r = mounts_open(&container_spec->mounts, opts, run_path, reterr);
	if (r < 0)
		return r;
	memcpy(container_spec->mount_text, container_spec->mounts.text, sizeof container_spec->mount_text);
	container_spec->n_mounts = mount_read_lines(container_spec->mount_text, found);
	for (size_t i = 0; i < container_spec->n_mounts; i++)
		container_spec->recipe_mounts[i] =
				(struct recipe_mount){found[i].host, found[i].guest, found[i].is_writable};
	return 0;
}

/* When the engine ends the sandbox by itself: a safety net, after our own limit. */
static void put_shutdown_time(struct container_spec *w)
{
	struct tm tm;
	const uint64_t limit_s = w->opts.max_lifetime_ms / 1000;
	const time_t at = time(NULL) + (time_t)(limit_s ? limit_s + POD_LIFETIME_SLACK_S : POD_LIFETIME_S);
	strftime(w->shutdown_time, sizeof w->shutdown_time, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &tm));
}

static int make_names(struct container_spec *container_spec, const struct trm_recipe *recipe,
		struct trm_error *reterr)
{
	unsigned char random[16];
	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return trm_error_set(reterr, TRM_EIO, "cannot get random numbers for a name from the kernel");
	for (size_t i = 0; i < sizeof random; i++)
		snprintf(container_spec->key + 2 * i, 3, "%02x", random[i]);
	snprintf(container_spec->name, sizeof container_spec->name, "terrarium-%.64s-%.8s",
			container_spec->opts.name, container_spec->key);
	const struct trm_container_opts *c = &container_spec->opts.container;
	if (recipe_is_of_cluster(recipe))
		pod_name(container_spec->name);
	if (c->kube.left) {
		snprintf(container_spec->name, sizeof container_spec->name, "%s", c->kube.left->pod);
		snprintf(container_spec->key, sizeof container_spec->key, "%s", c->kube.left->key);
	}
	put_shutdown_time(container_spec);
	if (c->dockerfile)
		snprintf(container_spec->image, sizeof container_spec->image, TRM_BUILT_IMAGE "%.16s",
				container_spec->key);
	else
		snprintf(container_spec->image, sizeof container_spec->image, "%s",
				c->container || !recipe_uses(recipe, STEP_CREATE, "image") ? ""
				: c->image                                                 ? c->image
				: trm_recipe_image(recipe) ? trm_recipe_image(recipe)
							   : trm_container_image(c->language));
	return 0;
}

/* If nobody asked for another directory, use the recipe's. */
static int choose_workdir(struct container_spec *container_spec, const struct trm_recipe *recipe,
		struct trm_error *reterr)
{
	const struct recipe_facts facts = {
			.value = {[FACT_NAME] = container_spec->name, [FACT_KEY] = container_spec->key}};
	struct buf out;
	if (container_spec->opts.workdir && strcmp(container_spec->opts.workdir, "/workspace") != 0)
		return 0;
	buf_init(&out, TRM_INSIDE_PATH);
	int r = recipe_workdir(recipe, &facts, &out, reterr);
	if (r == 0 && out.len)
		container_spec->opts.workdir = store_text(container_spec, buf_at(&out));
	buf_finish(&out);
	return r;
}

/* POD or POD/CONTAINER, and what is known of the place. */
static int take_place(struct container_spec *w, const struct trm_recipe *recipe, struct trm_error *reterr)
{
	const struct trm_container_opts *c = &w->opts.container;
	snprintf(w->kube_context, sizeof w->kube_context, "%s", c->kube.context ? c->kube.context : "");
	snprintf(w->kube_namespace, sizeof w->kube_namespace, "%s", c->kube.space ? c->kube.space : "");
	if (!c->container || recipe_put_reads(recipe) != RECIPE_PUT_POD)
		return 0;
	size_t n = strcspn(c->container, "/");
	const char *container = c->container[n] ? c->container + n + 1 : "";
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";
	if (!n || c->container[strspn(c->container, letters)] != (c->container[n] ? '/' : '\0')
			|| container[strspn(container, letters)]
			|| strlen(container) >= sizeof w->pod_container || (c->container[n] && !*container))
		return trm_error_set(reterr, TRM_EINVAL,
				"'%.80s' is not the name of a pod: give POD or POD/CONTAINER, in lowercase letters, "
				"digits and hyphens",
				c->container);
	snprintf(w->pod, sizeof w->pod, "%.*s", (int)n, c->container);
	snprintf(w->pod_container, sizeof w->pod_container, "%s", container);
	return 0;
}

int container_spec_init(struct container_spec *container_spec, const struct trm_recipe *recipe,
		const struct trm_sandbox_opts *opts, struct trm_error *reterr)
{
	const struct trm_container_opts *c = &opts->container;
	int r;
	if ((r = engine_args_check(c, recipe, reterr)) < 0
			|| (r = copy_opts(container_spec, opts, reterr)) < 0
			|| (r = check_able(recipe, opts, reterr)) < 0 || (r = check_source(opts, reterr)) < 0
			|| (r = check_words(c, reterr)) < 0 || (r = check_claim(recipe, &c->kube, reterr)) < 0
			|| (r = take_place(container_spec, recipe, reterr)) < 0
			|| (r = make_names(container_spec, recipe, reterr)) < 0
			|| (r = check_commit(container_spec, recipe, reterr)) < 0
			|| (r = choose_workdir(container_spec, recipe, reterr)) < 0
			|| (r = take_mounts(container_spec, opts, reterr)) < 0)
		return r;
	return c->dockerfile ? find_dockerfile(container_spec, c->dockerfile, reterr) : 0;
}

void container_spec_finish(struct container_spec *container_spec)
{
	mounts_close(&container_spec->mounts);
	for (size_t i = 0; i < container_spec->n_texts; i++)
		free(container_spec->texts[i]);
	container_spec->n_texts = 0;
}
