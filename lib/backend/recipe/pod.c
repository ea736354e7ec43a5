/* SPDX-License-Identifier: MIT */
#include "backend/recipe/pod.h"

#include <cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "backend/recipe/pod_merge.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/err.h"
#include "recipe/recipe.h"

/* A manifest that is being made. Any missing piece makes the whole fail at the end. */
struct manifest {
	const struct pod_spec *spec;
	uint32_t uid, gid;
	bool lacks_memory;
	int merged; /* 0, or the error of the user's manifest */
	struct trm_error *err;
};

/* ---- names ------------------------------------------------------------------------------ */

void pod_name(char *name)
{
	enum { UNIQUE = 9 }; /* with its hyphen */
	size_t n = strlen(name);
	if (n >= POD_NAME_BYTES)
		memmove(name + POD_NAME_BYTES - 1 - UNIQUE, name + n - UNIQUE, UNIQUE + 1);
	for (char *at = name; *at; at++) {
		bool is_upper = *at >= 'A' && *at <= 'Z', is_digit = *at >= '0' && *at <= '9';
		if (is_upper)
			*at = (char)(*at - 'A' + 'a');
		else if (!is_digit && !(*at >= 'a' && *at <= 'z'))
			*at = '-';
	}
}

int pod_user(const char *user, uint32_t *ret_uid, uint32_t *ret_gid, struct trm_error *reterr)
{
	char *end, *gid_end;
	if (user && !strcmp(user, "root"))
		user = "0";
	unsigned long uid = user ? strtoul(user, &end, 10) : POD_USER;
	bool has_uid = !user || (*user >= '0' && *user <= '9' && (!*end || *end == ':'));
	bool has_gid = user && has_uid && *end == ':';
	unsigned long gid = has_gid ? strtoul(end + 1, &gid_end, 10) : uid;
	if (has_gid && (end[1] < '0' || end[1] > '9' || *gid_end))
		has_uid = false;
	if (!has_uid || uid > INT32_MAX || gid > INT32_MAX)
		return trm_error_set(reterr, TRM_EINVAL,
				"the user '%.80s' is not a number: a pod's user is UID or UID:GID, or root",
				user);
	*ret_uid = (uint32_t)uid;
	*ret_gid = (uint32_t)gid;
	return 0;
}

/* ---- JSON ------------------------------------------------------------------------------- */

static cJSON *checked(struct manifest *m, cJSON *item)
{
	m->lacks_memory |= !item;
	return item;
}

static void put_text(struct manifest *m, cJSON *to, const char *key, const char *text)
{
	checked(m, cJSON_AddStringToObject(to, key, text));
}

static void put_number(struct manifest *m, cJSON *to, const char *key, double n)
{
	checked(m, cJSON_AddNumberToObject(to, key, n));
}

static void put_switch(struct manifest *m, cJSON *to, const char *key, bool is_on)
{
	checked(m, cJSON_AddBoolToObject(to, key, is_on));
}

static cJSON *put_object(struct manifest *m, cJSON *to, const char *key)
{
	return checked(m, cJSON_AddObjectToObject(to, key));
}

static cJSON *put_list(struct manifest *m, cJSON *to, const char *key)
{
	return checked(m, cJSON_AddArrayToObject(to, key));
}

static cJSON *add_object(struct manifest *m, cJSON *list)
{
	cJSON *item = checked(m, cJSON_CreateObject());
	if (item && !cJSON_AddItemToArray(list, item)) {
		cJSON_Delete(item);
		m->lacks_memory = true;
		return NULL;
	}
	return item;
}

static void add_text(struct manifest *m, cJSON *list, const char *text)
{
	cJSON *item = checked(m, cJSON_CreateString(text));
	if (item && !cJSON_AddItemToArray(list, item)) {
		cJSON_Delete(item);
		m->lacks_memory = true;
	}
}

/* ---- parts of all objects ------------------------------------------------------------------- */

/* Labels select; annotations may hold any text. */
static void put_metadata(struct manifest *m, cJSON *object)
{
	cJSON *metadata = put_object(m, object, "metadata");
	put_text(m, metadata, "name", m->spec->name);
	cJSON *labels = put_object(m, metadata, "labels");
	put_text(m, labels, "dev.terrarium", "1");
	put_text(m, labels, "dev.terrarium.owner", m->spec->owner);
	put_text(m, labels, "dev.terrarium.sandbox", m->spec->name);
	if (m->spec->adoptable)
		put_text(m, labels, "dev.terrarium.adoptable", "1");
	cJSON *annotations = put_object(m, metadata, "annotations");
	if (m->spec->adoptable)
		put_text(m, annotations, "dev.terrarium.adoptable", m->spec->adoptable);
	put_text(m, annotations, "dev.terrarium.supervisor", m->spec->supervisor);
	put_text(m, annotations, "dev.terrarium.name", m->spec->name + strlen(RECIPE_NAME_PREFIX));
}

static cJSON *add_kind(struct manifest *m, cJSON *items, const char *version, const char *kind)
{
	cJSON *object = add_object(m, items);
	put_text(m, object, "apiVersion", version);
	put_text(m, object, "kind", kind);
	if (m->spec->is_template)
		put_text(m, put_object(m, object, "metadata"), "name",
				!strcmp(kind, "ConfigMap") ? m->spec->map : m->spec->name);
	else
		put_metadata(m, object);
	return object;
}

static void add_config_map(struct manifest *m, cJSON *items)
{
	cJSON *object = add_kind(m, items, "v1", "ConfigMap");
	struct buf letters;
	buf_init(&letters, BASE64_LEN(m->spec->agent_n) + 1);
	m->lacks_memory |= base64_put(&letters, m->spec->agent, m->spec->agent_n) < 0
			   || buf_append(&letters, "", 1) < 0;
	if (!m->lacks_memory)
		put_text(m, put_object(m, object, "binaryData"), "agent", buf_at(&letters));
	put_switch(m, object, "immutable", true);
	buf_finish(&letters);
}

/* Selects the pod, and allows nothing in either direction. */
static void add_policy(struct manifest *m, cJSON *items)
{
	cJSON *object = add_kind(m, items, "networking.k8s.io/v1", "NetworkPolicy");
	cJSON *spec = put_object(m, object, "spec");
	cJSON *selector = put_object(m, spec, "podSelector");
	put_text(m, put_object(m, selector, "matchLabels"), "dev.terrarium.sandbox", m->spec->name);
	cJSON *types = put_list(m, spec, "policyTypes");
	add_text(m, types, "Ingress");
	add_text(m, types, "Egress");
}

/* ---- containers -------------------------------------------------------------------------------- */

/* $(NAME) would be replaced by Kubernetes; $$(NAME) is that text. */
static void put_value(struct manifest *m, cJSON *to, const char *value)
{
	struct buf out;
	int r = 0;
	buf_init(&out, 2 * strlen(value) + 1);
	for (const char *at = value; *at && r == 0; at++) {
		r = *at == '$' ? buf_append(&out, "$", 1) : 0;
		r = r == 0 ? buf_append(&out, at, 1) : r;
	}
	r = r == 0 ? buf_append(&out, "", 1) : r;
	m->lacks_memory |= r < 0;
	if (r == 0)
		put_text(m, to, "value", buf_at(&out));
	buf_finish(&out);
}

static void put_env(struct manifest *m, cJSON *container)
{
	cJSON *list = put_list(m, container, "env");
	char name[256];
	for (size_t i = 0; i < m->spec->n_env; i++) {
		const char *sign = strchr(m->spec->env[i], '=');
		if (!sign || sign - m->spec->env[i] >= (int)sizeof name)
			continue; /* the options were checked before */
		snprintf(name, sizeof name, "%.*s", (int)(sign - m->spec->env[i]), m->spec->env[i]);
		cJSON *variable = add_object(m, list);
		put_text(m, variable, "name", name);
		put_value(m, variable, sign + 1);
	}
}

static void add_mount(struct manifest *m, cJSON *list, const char *name, const char *path, bool is_read_only)
{
	cJSON *mount = add_object(m, list);
	put_text(m, mount, "name", name);
	put_text(m, mount, "mountPath", path);
	if (is_read_only)
		put_switch(m, mount, "readOnly", true);
}

static void put_resources(struct manifest *m, cJSON *container, const struct trm_limits *l)
{
	const uint64_t least = (uint64_t)POD_REQUEST_MIB << 20;
	char text[32];
	cJSON *resources = put_object(m, container, "resources");
	cJSON *limits = put_object(m, resources, "limits"), *requests = put_object(m, resources, "requests");
	snprintf(text, sizeof text, "%llu", (unsigned long long)l->mem_bytes);
	put_text(m, limits, "memory", text);
	snprintf(text, sizeof text, "%llu",
			(unsigned long long)(l->mem_bytes < least ? l->mem_bytes : least));
	put_text(m, requests, "memory", text);
	snprintf(text, sizeof text, "%.0fm", l->cpus * 1000);
	put_text(m, limits, "cpu", text);
	put_text(m, requests, "cpu", l->cpus < 0.01 ? text : "10m");
	snprintf(text, sizeof text, "%llu", (unsigned long long)l->disk_bytes);
	put_text(m, limits, "ephemeral-storage", text);
	put_text(m, requests, "ephemeral-storage", "0");
}

/* No capability but the one named, no further rights. Root keeps what the cluster gives it. */
static cJSON *put_security(struct manifest *m, cJSON *container, bool is_root, const char *capability)
{
	cJSON *security = put_object(m, container, "securityContext");
	put_switch(m, security, "allowPrivilegeEscalation", false);
	put_switch(m, security, "privileged", false);
	if (is_root && !capability)
		return security;
	cJSON *capabilities = put_object(m, security, "capabilities");
	add_text(m, put_list(m, capabilities, "drop"), "ALL");
	if (capability)
		add_text(m, put_list(m, capabilities, "add"), capability);
	return security;
}

static cJSON *add_container(
		struct manifest *m, cJSON *list, const char *name, const struct trm_limits *limits)
{
	cJSON *container = add_object(m, list);
	put_text(m, container, "name", name);
	put_text(m, container, "image", m->spec->image);
	put_text(m, container, "imagePullPolicy", "IfNotPresent");
	put_text(m, container, "terminationMessagePolicy", "FallbackToLogsOnError");
	put_resources(m, container, limits);
	return container;
}

/* It runs for some milliseconds. Beside the sandbox's container its limits count in addition. */
static struct trm_limits cut_limits(const struct manifest *m)
{
	const uint64_t memory = (uint64_t)POD_CUT_MIB << 20;
	struct trm_limits limits = m->spec->limits;
	if (m->spec->cut == POD_CUT_BY_INIT)
		return limits;
	limits.mem_bytes = limits.mem_bytes < memory ? limits.mem_bytes : memory;
	limits.cpus = limits.cpus < 0.5 ? limits.cpus : 0.5;
	return limits;
}

static void add_cut(struct manifest *m, cJSON *containers)
{
	const struct trm_limits limits = cut_limits(m);
	cJSON *container = add_container(m, containers, POD_CUT, &limits);
	cJSON *command = put_list(m, container, "command");
	add_text(m, command, "/.terrarium/agent");
	add_text(m, command, "cut");
	cJSON *security = put_security(m, container, true, "NET_ADMIN");
	put_number(m, security, "runAsUser", 0);
	put_number(m, security, "runAsGroup", 0);
	put_switch(m, security, "runAsNonRoot", false);
	put_switch(m, security, "readOnlyRootFilesystem", true);
	add_mount(m, put_list(m, container, "volumeMounts"), "terrarium-agent", "/.terrarium", true);
}

static void put_command(struct manifest *m, cJSON *container)
{
	const struct pod_spec *s = m->spec;
	char linger[16], files[16], file_mb[24];
	snprintf(linger, sizeof linger, "%d", POD_LINGER_S);
	snprintf(files, sizeof files, "%u", s->limits.open_files);
	snprintf(file_mb, sizeof file_mb, "%llu", (unsigned long long)(s->limits.file_bytes >> 20));
	const char *const waits[] = {
			"/.terrarium/agent", "container", "--key", "template", "--workdir", s->workdir};
	const char *const words[] = {"/.terrarium/agent", "container", "--key", s->key, "--linger", linger,
			"--workdir", s->workdir, "--files", files, "--file-mb", file_mb};
	cJSON *command = put_list(m, container, "command");
	const char *const *all = s->is_template ? waits : words;
	const size_t n = s->is_template ? sizeof waits / sizeof *waits : sizeof words / sizeof *words;
	for (size_t i = 0; i < n; i++)
		add_text(m, command, all[i]);
	if (s->cut == POD_CUT_BESIDE)
		add_text(m, command, "--await-cut");
	if (s->cut != POD_KEEPS_NET && !s->is_template)
		add_text(m, command, "--probe-net");
}

static void add_main(struct manifest *m, cJSON *containers)
{
	cJSON *container = add_container(m, containers, POD_CONTAINER, &m->spec->limits);
	put_command(m, container);
	put_env(m, container);
	cJSON *security = put_security(m, container, m->uid == 0, NULL);
	put_switch(m, security, "readOnlyRootFilesystem", m->uid != 0 || m->spec->read_only);
	cJSON *mounts = put_list(m, container, "volumeMounts");
	add_mount(m, mounts, "terrarium-agent", "/.terrarium", true);
	add_mount(m, mounts, "workdir", m->spec->workdir, false);
	if (strcmp(m->spec->workdir, "/tmp") != 0)
		add_mount(m, mounts, "tmp", "/tmp", false);
}

/* ---- the pod --------------------------------------------------------------------------------------- */

static void add_room(struct manifest *m, cJSON *volumes, const char *name)
{
	char bytes[32];
	cJSON *volume = add_object(m, volumes);
	put_text(m, volume, "name", name);
	snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)m->spec->limits.disk_bytes);
	put_text(m, put_object(m, volume, "emptyDir"), "sizeLimit", bytes);
}

static void put_volumes(struct manifest *m, cJSON *spec)
{
	cJSON *volumes = put_list(m, spec, "volumes"), *agent = add_object(m, volumes);
	put_text(m, agent, "name", "terrarium-agent");
	cJSON *map = put_object(m, agent, "configMap");
	put_text(m, map, "name", m->spec->map ? m->spec->map : m->spec->name);
	put_number(m, map, "defaultMode", 0555);
	add_room(m, volumes, "workdir");
	if (strcmp(m->spec->workdir, "/tmp") != 0)
		add_room(m, volumes, "tmp");
}

static void put_pod_security(struct manifest *m, cJSON *spec)
{
	cJSON *security = put_object(m, spec, "securityContext");
	put_number(m, security, "runAsUser", m->uid);
	put_number(m, security, "runAsGroup", m->gid);
	put_switch(m, security, "runAsNonRoot", m->uid != 0);
	put_text(m, put_object(m, security, "seccompProfile"), "type", "RuntimeDefault");
}

static void put_pod_spec(struct manifest *m, cJSON *pod)
{
	const struct pod_spec *s = m->spec;
	const uint64_t lifetime_s = s->max_lifetime_ms ? s->max_lifetime_ms / 1000 + POD_LIFETIME_SLACK_S
						       : POD_LIFETIME_S;
	cJSON *spec = put_object(m, pod, "spec");
	put_text(m, spec, "restartPolicy", "Never");
	if (!s->is_template)
		put_number(m, spec, "activeDeadlineSeconds", (double)lifetime_s);
	put_number(m, spec, "terminationGracePeriodSeconds", 0);
	put_switch(m, spec, "automountServiceAccountToken", false);
	put_switch(m, spec, "enableServiceLinks", false);
	cJSON *selector = put_object(m, spec, "nodeSelector");
	put_text(m, selector, "kubernetes.io/os", "linux");
	put_text(m, selector, "kubernetes.io/arch", s->arch);
	if (s->service_account)
		put_text(m, spec, "serviceAccountName", s->service_account);
	if (s->runtime_class)
		put_text(m, spec, "runtimeClassName", s->runtime_class);
	put_pod_security(m, spec);
	if (s->cut == POD_CUT_BY_INIT)
		add_cut(m, put_list(m, spec, "initContainers"));
	cJSON *containers = put_list(m, spec, "containers");
	if (s->cut == POD_CUT_BESIDE)
		add_cut(m, containers);
	add_main(m, containers);
	put_volumes(m, spec);
}

static cJSON *make_list(struct manifest *m)
{
	cJSON *list = checked(m, cJSON_CreateObject());
	put_text(m, list, "apiVersion", "v1");
	put_text(m, list, "kind", "List");
	cJSON *items = put_list(m, list, "items");
	if (m->spec->cut == POD_CUT_BY_POLICY)
		add_policy(m, items);
	add_config_map(m, items);
	cJSON *pod = add_kind(m, items, "v1", "Pod");
	cJSON *annotations = cJSON_GetObjectItem(cJSON_GetObjectItem(pod, "metadata"), "annotations");
	put_text(m, annotations, "kubectl.kubernetes.io/default-container", POD_CONTAINER);
	put_pod_spec(m, pod);
	if (m->spec->manifest && !m->lacks_memory)
		m->merged = pod_merge(pod, m->spec->manifest, m->spec->changes, m->err);
	return list;
}

/* Without rules the policy of a template allows nothing; without a policy the engine makes one that allows
 * public addresses. */
static cJSON *make_template_list(struct manifest *m)
{
	static const char group[] = "extensions.agents.x-k8s.io/v1beta1";
	cJSON *list = checked(m, cJSON_CreateObject());
	put_text(m, list, "apiVersion", "v1");
	put_text(m, list, "kind", "List");
	cJSON *items = put_list(m, list, "items");
	add_config_map(m, items);
	cJSON *spec = put_object(m, add_kind(m, items, group, "SandboxTemplate"), "spec");
	put_pod_spec(m, put_object(m, spec, "podTemplate"));
	if (m->spec->cut == POD_CUT_BY_POLICY)
		put_object(m, spec, "networkPolicy");
	spec = put_object(m, add_kind(m, items, group, "SandboxWarmPool"), "spec");
	put_number(m, spec, "replicas", POD_POOL_SIZE);
	put_text(m, put_object(m, spec, "sandboxTemplateRef"), "name", m->spec->name);
	return list;
}

static int put_all(struct buf *out, const struct pod_spec *spec, struct trm_error *reterr)
{
	struct manifest m = {.spec = spec, .err = reterr};
	if (spec->agent_n > POD_AGENT_MAX)
		return trm_error_set(reterr, TRM_ETOOBIG,
				"the agent's program has %zu bytes, and a ConfigMap holds at most %d",
				spec->agent_n, POD_AGENT_MAX);
	int r = pod_user(spec->user, &m.uid, &m.gid, reterr);
	if (r < 0)
		return r;
	cJSON *list = spec->is_template ? make_template_list(&m) : make_list(&m);
	char *text = m.lacks_memory || m.merged < 0 ? NULL
		     : spec->is_template            ? cJSON_Print(list)
						    : cJSON_PrintUnformatted(list);
	cJSON_Delete(list);
	if (m.merged < 0)
		return m.merged;
	r = text ? buf_append(out, text, strlen(text)) : TRM_ENOMEM;
	cJSON_free(text);
	return r < 0 ? trm_error_set(reterr, r, "cannot make the pod's manifest: %s", trm_strerror(r)) : 0;
}

int pod_put(struct buf *out, const struct pod_spec *spec, struct trm_error *reterr)
{
	return put_all(out, spec, reterr);
}

int pod_template_put(struct buf *out, const struct pod_spec *spec, struct trm_error *reterr)
{
	struct pod_spec template = *spec;
	template.is_template = true;
	return put_all(out, &template, reterr);
}
