/* SPDX-License-Identifier: MIT */
#include "kube/claim_state.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/text.h>

#include "base/json.h"

#define AGENT_DIR "/.terrarium"

enum { CLAIM_WORDS = 304, CLAIM_REASON = 96 };

/* ---- the objects that we make ---------------------------------------------------------------------- */

static int put_plain(struct buf *out, const char *text)
{
	return buf_append(out, text, strlen(text));
}

/* "name": "text", after a comma or what else stands before. */
static int put_member(struct buf *out, const char *before, const char *name, const char *text)
{
	int r = put_plain(out, before);
	r = r == 0 ? json_put_string(out, name, strlen(name)) : r;
	r = r == 0 ? put_plain(out, ":") : r;
	return r == 0 ? json_put_string(out, text, strlen(text)) : r;
}

static int put_metadata(struct buf *out, char *const *operands)
{
	static const char prefix[] = "terrarium-";
	const char *name = operands[CLAIM_NAME];
	const char *base = strncmp(name, prefix, sizeof prefix - 1) == 0 ? name + sizeof prefix - 1 : name;
	int r = put_member(out, ",\"metadata\":{", "name", name);
	r = r == 0 ? put_member(out, ",\"labels\":{", "dev.terrarium", "1") : r;
	r = r == 0 ? put_member(out, ",", "dev.terrarium.owner", operands[CLAIM_OWNER]) : r;
	r = r == 0 ? put_member(out, "},\"annotations\":{", "dev.terrarium.supervisor",
			    operands[CLAIM_SUPERVISOR])
		   : r;
	r = r == 0 ? put_member(out, ",", "dev.terrarium.name", base) : r;
	return r == 0 ? put_plain(out, "}}") : r;
}

static int put_pool_spec(struct buf *out, char *const *operands)
{
	int r = put_member(out, "\"replicas\":0,\"sandboxTemplateRef\":{", "name", operands[CLAIM_FROM]);
	return r == 0 ? put_plain(out, "}") : r;
}

static int put_claim_spec(struct buf *out, char *const *operands)
{
	const bool has_own_pool = strcmp(operands[CLAIM_KIND], "template") == 0;
	int r = put_member(
			out, "\"warmPoolRef\":{", "name", operands[has_own_pool ? CLAIM_NAME : CLAIM_FROM]);
	r = r == 0 ? put_member(out, "},\"lifecycle\":{", "shutdownTime", operands[CLAIM_UNTIL]) : r;
	return r == 0 ? put_plain(out, ",\"shutdownPolicy\":\"Delete\"}") : r;
}

int claim_object_put(struct buf *out, const char *kind, char *const *operands)
{
	int r = put_member(out, "{", "apiVersion", "extensions.agents.x-k8s.io/v1beta1");
	r = r == 0 ? put_member(out, ",", "kind", kind) : r;
	r = r == 0 ? put_metadata(out, operands) : r;
	r = r == 0 ? put_plain(out, ",\"spec\":{") : r;
	if (r == 0)
		r = strcmp(kind, "SandboxClaim") == 0 ? put_claim_spec(out, operands)
						      : put_pool_spec(out, operands);
	return r == 0 ? put_plain(out, "}}") : r;
}

/* ---- the state of a claim ------------------------------------------------------------------------- */

static char *read_clean(struct json_value object, const char *name, char *out, size_t cap)
{
	char text[CLAIM_WORDS];
	struct json_value value;
	*out = '\0';
	if (json_member(object, name, &value)) {
		json_value_text(value, text, sizeof text);
		trm_text_clean_line(out, cap, text, strlen(text));
	}
	return out;
}

/* Will the claim never be bound? */
static bool is_hopeless(const char *reason, const char *message, const char *kind)
{
	static const char *const beginnings[] = {
			"TemplateNotFound", "Invalid", "EnvVars", "VolumeClaim", "PodF", "PodS"};
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
		if (strncmp(reason, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return (strcmp(reason, "WarmPoolNotFound") == 0 && strcmp(kind, "pool") == 0)
	       || strstr(reason, "Expired") || strstr(message, "forbidden");
}

char *claim_state_format(
		struct json_value claim, bool is_deleted, const char *kind, bool has_pod, char out[POD_STATE])
{
	struct json_value metadata, status, list, condition, value;
	char reason[CLAIM_REASON] = "", words[CLAIM_WORDS] = "";
	*out = '\0';
	if (is_deleted
			|| (json_member(claim, "metadata", &metadata)
					&& json_member(metadata, "deletionTimestamp", &value))) {
		snprintf(out, POD_STATE, "removing");
		return out;
	}
	if (!json_member(claim, "status", &status) || !json_member(status, "conditions", &list))
		return out;
	while (json_item(&list, &condition))
		if (json_member(condition, "type", &value) && json_is(value, "Ready")
				&& json_member(condition, "status", &value) && !json_is(value, "True")) {
			read_clean(condition, "reason", reason, sizeof reason);
			read_clean(condition, "message", words, sizeof words);
		}
	if (*reason && is_hopeless(reason, words, kind))
		snprintf(out, POD_STATE, "%s\x1f\x1f\x1f%s", reason, words);
	else if (*reason && !has_pod)
		snprintf(out, POD_STATE, "waiting\x1f\x1f\x1f%s: %s", reason, words);
	return out;
}

char *claim_pod(struct json_value claim, char out[KUBE_NAME])
{
	struct json_value status, sandbox, name;
	*out = '\0';
	if (json_member(claim, "status", &status) && json_member(status, "sandbox", &sandbox)
			&& json_member(sandbox, "name", &name))
		json_value_text(name, out, KUBE_NAME);
	return out;
}

/* ---- the state of its pod ------------------------------------------------------------------------- */

/* The container that the pod's annotation names, otherwise the first. */
static bool find_main(struct json_value pod, char *ret_name, size_t cap, struct json_value *ret)
{
	struct json_value spec, list, item, metadata, marks, value;
	bool is_found = false;
	*ret_name = '\0';
	if (json_member(pod, "metadata", &metadata) && json_member(metadata, "annotations", &marks)
			&& json_member(marks, "kubectl.kubernetes.io/default-container", &value))
		json_value_text(value, ret_name, cap);
	if (!json_member(pod, "spec", &spec) || !json_member(spec, "containers", &list))
		return false;
	while (!is_found && json_item(&list, &item)) {
		is_found = json_member(item, "name", &value) && (!*ret_name || json_is(value, ret_name));
		if (is_found)
			json_value_text(value, ret_name, cap);
		*ret = item;
	}
	return is_found;
}

/* The member `name` of the last item of a list whose member `key` is `text`. */
static bool find_item(struct json_value object, const char *list_name, const char *key, const char *text,
		const char *name, struct json_value *ret)
{
	struct json_value list, item, value;
	bool is_found = false;
	if (!json_member(object, list_name, &list))
		return false;
	while (json_item(&list, &item))
		if (json_member(item, key, &value) && json_is(value, text))
			is_found = json_member(item, name, ret);
	return is_found;
}

static bool has_agent(struct json_value pod, struct json_value container, const char *configmap)
{
	struct json_value spec, value, name;
	char volume[KUBE_NAME];
	if (!json_member(pod, "spec", &spec)
			|| !find_item(container, "volumeMounts", "mountPath", AGENT_DIR, "name", &value))
		return false;
	json_value_text(value, volume, sizeof volume);
	return find_item(spec, "volumes", "name", volume, "configMap", &value)
	       && json_member(value, "name", &name) && json_is(name, configmap);
}

char *claim_pod_state_format(struct json_value pod, const char *configmap, char out[POD_STATE])
{
	struct json_value metadata, value, container;
	char main[KUBE_NAME], name[KUBE_NAME] = "";
	const bool has_main = find_main(pod, main, sizeof main, &container);
	pod_state_format(pod, main, out);
	if (strcmp(out, "running") != 0)
		return out;
	if (json_member(pod, "metadata", &metadata) && json_member(metadata, "name", &value))
		json_value_text(value, name, sizeof name);
	const bool is_there = has_main && has_agent(pod, container, configmap);
	snprintf(out, POD_STATE, "running\x1f\x1f\x1f\x1f%s\x1f%s", name, is_there ? AGENT_DIR "/agent" : "");
	return out;
}
