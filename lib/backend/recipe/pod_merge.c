/* SPDX-License-Identifier: MIT */
#include "backend/recipe/pod_merge.h"

#include <cJSON.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

#include "backend/recipe/pod.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

enum { PATH_BYTES = 300, DEPTH_MAX = 24, VALUE_SHOWN = 120 };

/* Where in the pod something is: "spec.containers[sandbox].image". */
struct pod_path {
	char text[PATH_BYTES];
	unsigned depth;
};

struct merge {
	struct buf *changes;
	struct trm_error *err;
};

static int refuse_path(struct merge *m, const char *path, const char *why)
{
	return trm_error_set(m->err, TRM_EINVAL, "the pod's manifest may not have %.200s: %s", path, why);
}

static int merge_no_memory(struct merge *m)
{
	return trm_error_set(m->err, TRM_ENOMEM, "out of memory for the pod's manifest");
}

/* ---- what changes, and what must stay -------------------------------------------------------- */

/* A pattern ends in '*' for everything below; CONTAINER stands for our container. */
#define CONTAINER "spec.containers[" POD_CONTAINER "]"

static const struct {
	const char *pattern, *why;
} MUST_STAY[] = {
		{"metadata.name", "Terrarium names the pod"},
		{"metadata.generateName", "Terrarium names the pod"},
		{"metadata.namespace", "the namespace is chosen with --kube-namespace"},
		{"metadata.labels.dev.terrarium*", "Terrarium finds its pods by these labels"},
		{"metadata.annotations.dev.terrarium*", "Terrarium finds its pods by these annotations"},
		{"spec.hostNetwork", "the node's own network would be cut"},
		{"spec.restartPolicy", "a sandbox is not started again"},
		{"spec.terminationGracePeriodSeconds", "a sandbox ends at once"},
		{CONTAINER ".command", "Terrarium's agent is the first process"},
		{CONTAINER ".args", "Terrarium's agent is the first process"},
		{CONTAINER ".image", "the image is chosen with --image"},
		{CONTAINER ".volumeMounts[/.terrarium]*", "Terrarium's agent is there"},
		{"spec.volumes[terrarium-agent]*", "Terrarium's agent is in it"},
		{"spec.initContainers[" POD_CUT "]*", "Terrarium's own container cuts the network"},
		{"spec.containers[" POD_CUT "]*", "Terrarium's own container cuts the network"},
};

static const char *const SENSITIVE[] = {"spec.activeDeadlineSeconds", "spec.automountServiceAccountToken",
		"spec.serviceAccountName", "spec.runtimeClassName", "spec.hostPID", "spec.hostIPC",
		"spec.hostUsers", "spec.shareProcessNamespace", "spec.securityContext*", "spec.nodeName",
		"spec.dns*", CONTAINER ".resources*", CONTAINER ".securityContext*", CONTAINER ".lifecycle*",
		"spec.containers[*", "spec.initContainers[*", "spec.volumes[*", CONTAINER ".volumeMounts[*"};

static bool matches(const char *pattern, const char *path)
{
	size_t n = strlen(pattern);
	return pattern[n - 1] == '*' ? !strncmp(pattern, path, n - 1) : !strcmp(pattern, path);
}

static int check_path(struct merge *m, const char *path)
{
	for (size_t i = 0; i < sizeof MUST_STAY / sizeof *MUST_STAY; i++)
		if (matches(MUST_STAY[i].pattern, path))
			return refuse_path(m, path, MUST_STAY[i].why);
	return 0;
}

static bool is_sensitive(const char *path)
{
	/* Variables are shown nowhere, and change no right. */
	if (strstr(path, "].env["))
		return false;
	for (size_t i = 0; i < sizeof SENSITIVE / sizeof *SENSITIVE; i++)
		if (matches(SENSITIVE[i], path))
			return true;
	return false;
}

static int tell_value(struct merge *m, const char *path, const cJSON *value)
{
	char line[PATH_BYTES + VALUE_SHOWN + 8], clean[sizeof line];
	char *text = value && m->changes ? cJSON_PrintUnformatted(value) : NULL;
	if (!m->changes)
		return 0;
	if (value && !text)
		return merge_no_memory(m);
	snprintf(line, sizeof line, "%s: %.*s", path, VALUE_SHOWN, text ? text : "removed");
	cJSON_free(text);
	trm_text_clean_line(clean, sizeof clean, line, strlen(line));
	return buf_append(m->changes, clean, strlen(clean)) < 0 || buf_append(m->changes, "\n", 1) < 0
			       ? merge_no_memory(m)
			       : 0;
}

/* ---- paths -------------------------------------------------------------------------------------- */

static struct pod_path path_below(const struct pod_path *path, const char *key)
{
	struct pod_path below = {.depth = path->depth + 1};
	snprintf(below.text, sizeof below.text, "%.200s%s%.96s", path->text, *path->text ? "." : "", key);
	return below;
}

static struct pod_path path_item(const struct pod_path *path, const char *name)
{
	struct pod_path below = {.depth = path->depth + 1};
	snprintf(below.text, sizeof below.text, "%.200s[%.90s]", path->text, name);
	return below;
}

/* ---- lists -------------------------------------------------------------------------------------- */

/* By which key items are the same; NULL: items are added. "": the whole list takes the place of ours. */
static const struct {
	const char *list, *key;
} LISTS[] = {{"containers", "name"}, {"initContainers", "name"}, {"env", "name"}, {"volumes", "name"},
		{"volumeMounts", "mountPath"}, {"imagePullSecrets", "name"}, {"ports", "containerPort"},
		{"tolerations", NULL}, {"envFrom", NULL}, {"hostAliases", "ip"},
		{"topologySpreadConstraints", NULL}, {"volumeDevices", "devicePath"}, {"sysctls", "name"},
		{"resourceClaims", "name"}};

static const char *key_of_list(const char *name, bool *ret_adds)
{
	for (size_t i = 0; i < sizeof LISTS / sizeof *LISTS; i++)
		if (!strcmp(LISTS[i].list, name)) {
			*ret_adds = !LISTS[i].key;
			return LISTS[i].key;
		}
	*ret_adds = false;
	return NULL;
}

static cJSON *find_named(cJSON *list, const char *key, const char *name)
{
	cJSON *item;
	cJSON_ArrayForEach(item, list)
	{
		const char *own = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, key));
		if (own && !strcmp(own, name))
			return item;
	}
	return NULL;
}

static int merge_object(struct merge *m, cJSON *to, const cJSON *from, const struct pod_path *path);

static int add_copy(struct merge *m, cJSON *list, const cJSON *item)
{
	cJSON *copy = cJSON_Duplicate(item, true);
	if (!copy || !cJSON_AddItemToArray(list, copy)) {
		cJSON_Delete(copy);
		return merge_no_memory(m);
	}
	return 0;
}

/* The name of an item; a container without one is ours. */
static const char *item_name(const cJSON *item, const char *key, const char *list, char number[24])
{
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, key);
	if (cJSON_IsNumber(name)) {
		snprintf(number, 24, "%.0f", name->valuedouble);
		return number;
	}
	if (!name && !strcmp(list, "containers"))
		return POD_CONTAINER;
	return cJSON_GetStringValue(name);
}

static int merge_item(struct merge *m, cJSON *list, const cJSON *item, const char *key,
		const struct pod_path *path, const char *name)
{
	const struct pod_path here = path_item(path, name);
	cJSON *own = find_named(list, key, name);
	int r = check_path(m, here.text);
	if (r == 0 && own)
		return merge_object(m, own, item, &here);
	if (r == 0 && is_sensitive(here.text))
		r = tell_value(m, here.text, item);
	return r == 0 ? add_copy(m, list, item) : r;
}

static int merge_list(struct merge *m, cJSON *list, const cJSON *from, const char *name, const char *key,
		const struct pod_path *path)
{
	const cJSON *item;
	char number[24];
	cJSON_ArrayForEach(item, from)
	{
		const char *own = key ? item_name(item, key, name, number) : NULL;
		if (key && (!own || !cJSON_IsObject(item)))
			return refuse_path(m, path->text, "each item must be an object with a name");
		int r = key ? merge_item(m, list, item, key, path, own) : add_copy(m, list, item);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- objects ------------------------------------------------------------------------------------- */

static int replace_value(struct merge *m, cJSON *to, const cJSON *from, const struct pod_path *path)
{
	int r = is_sensitive(path->text) ? tell_value(m, path->text, cJSON_IsNull(from) ? NULL : from) : 0;
	if (r < 0)
		return r;
	cJSON_DeleteItemFromObjectCaseSensitive(to, from->string);
	if (cJSON_IsNull(from))
		return 0;
	cJSON *copy = cJSON_Duplicate(from, true);
	if (!copy || !cJSON_AddItemToObject(to, from->string, copy)) {
		cJSON_Delete(copy);
		return merge_no_memory(m);
	}
	return 0;
}

static int merge_value(struct merge *m, cJSON *to, const cJSON *from, const struct pod_path *path)
{
	bool adds;
	const char *key = key_of_list(from->string, &adds);
	cJSON *own = cJSON_GetObjectItemCaseSensitive(to, from->string);
	if (cJSON_IsArray(from) && (key || adds) && !own && !(own = cJSON_AddArrayToObject(to, from->string)))
		return merge_no_memory(m);
	if (cJSON_IsArray(from) && (key || adds) && cJSON_IsArray(own))
		return merge_list(m, own, from, from->string, key, path);
	/* Ours are in there, so nothing else may take their place. */
	if ((key || adds) && !cJSON_IsArray(from))
		return refuse_path(m, path->text, "it must be a list, and ours stay in it");
	if (cJSON_IsObject(from) && !own && !(own = cJSON_AddObjectToObject(to, from->string)))
		return merge_no_memory(m);
	if (cJSON_IsObject(from) && cJSON_IsObject(own))
		return merge_object(m, own, from, path);
	return cJSON_Compare(from, own, true) ? 0 : replace_value(m, to, from, path);
}

static int merge_object(struct merge *m, cJSON *to, const cJSON *from, const struct pod_path *path)
{
	const cJSON *item;
	if (path->depth > DEPTH_MAX)
		return refuse_path(m, path->text, "it is nested too deeply");
	cJSON_ArrayForEach(item, from)
	{
		struct pod_path below = path_below(path, item->string);
		int r = check_path(m, below.text);
		if (r == 0)
			r = merge_value(m, to, item, &below);
		if (r < 0)
			return r;
	}
	return 0;
}

static int merge_part(struct merge *m, cJSON *pod, const cJSON *manifest, const char *part)
{
	const cJSON *from = cJSON_GetObjectItemCaseSensitive(manifest, part);
	cJSON *to = cJSON_GetObjectItemCaseSensitive(pod, part);
	struct pod_path path = {.depth = 0};
	snprintf(path.text, sizeof path.text, "%s", part);
	return from && to ? merge_object(m, to, from, &path) : 0;
}

int pod_merge(cJSON *pod, const cJSON *manifest, struct buf *changes, struct trm_error *reterr)
{
	struct merge m = {changes, reterr};
	int r = merge_part(&m, pod, manifest, "metadata");
	return r == 0 ? merge_part(&m, pod, manifest, "spec") : r;
}

/* ---- reading --------------------------------------------------------------------------------------- */

static int refuse_manifest(cJSON *manifest, struct trm_error *reterr, const char *why)
{
	cJSON_Delete(manifest);
	return trm_error_set(reterr, TRM_EINVAL, "the pod's manifest cannot be used: %s", why);
}

int pod_manifest_parse(const char *json, size_t n, cJSON **ret, struct trm_error *reterr)
{
	if (n > POD_MANIFEST_MAX)
		return refuse_manifest(NULL, reterr, "it is longer than 256 KiB");
	if (json_nul_offset(json, n) < n || memchr(json, '\0', n))
		return refuse_manifest(NULL, reterr, "there is a NUL in it");
	cJSON *manifest = cJSON_ParseWithLength(json, n);
	const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(manifest, "kind"));
	const cJSON *spec = cJSON_GetObjectItemCaseSensitive(manifest, "spec");
	const cJSON *metadata = cJSON_GetObjectItemCaseSensitive(manifest, "metadata");
	if (!manifest)
		return refuse_manifest(NULL, reterr, "it is not JSON");
	if (!kind || strcmp(kind, "Pod") != 0)
		return refuse_manifest(manifest, reterr, "its kind is not Pod");
	if ((spec && !cJSON_IsObject(spec)) || (metadata && !cJSON_IsObject(metadata)))
		return refuse_manifest(manifest, reterr, "spec and metadata must be objects");
	*ret = manifest;
	return 0;
}
