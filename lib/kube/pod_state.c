/* SPDX-License-Identifier: MIT */
#include "kube/pod_state.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <terrarium/text.h>

enum { WORDS = 304, REASON = 64 };

/* A member's text, as one clean line. */
static char *read_line_of(struct json_value object, const char *name, char *out, size_t cap)
{
	char text[WORDS];
	struct json_value value;
	*out = '\0';
	if (json_member(object, name, &value)) {
		json_value_text(value, text, sizeof text);
		trm_text_clean_line(out, cap, text, strlen(text));
	}
	return out;
}

static void put_state(char *out, const char *state, const char *words)
{
	snprintf(out, POD_STATE, "%s%s%s", state, *words ? "\x1f\x1f\x1f" : "", words);
}

static void put_schedule(struct json_value status, char *out)
{
	struct json_value conditions, condition, value;
	char words[WORDS];
	json_member(status, "conditions", &conditions);
	while (json_item(&conditions, &condition))
		if (json_member(condition, "type", &value) && json_is(value, "PodScheduled")
				&& json_member(condition, "status", &value) && json_is(value, "False"))
			put_state(out, "waiting", read_line_of(condition, "message", words, sizeof words));
}

/* A container that does not start yet. Some reasons are only its usual way. */
static void put_waiting(struct json_value waiting, char *out)
{
	char reason[REASON], words[WORDS];
	read_line_of(waiting, "reason", reason, sizeof reason);
	const bool is_usual = !*reason || strcmp(reason, "PodInitializing") == 0
			      || strcmp(reason, "ContainerCreating") == 0;
	if (is_usual)
		put_state(out, "waiting", reason);
	else
		put_state(out, reason, read_line_of(waiting, "message", words, sizeof words));
}

static void put_terminated(struct json_value ended, const char *state, char *out)
{
	char reason[REASON], words[WORDS];
	struct json_value code;
	json_member(ended, "exitCode", &code);
	read_line_of(ended, "reason", reason, sizeof reason);
	read_line_of(ended, "message", words, sizeof words);
	snprintf(out, POD_STATE, "%s\x1f%.0f\x1f%s\x1f%s",
			state     ? state
			: *reason ? reason
				  : "ended",
			json_number(code, 0), strcmp(reason, "OOMKilled") == 0 ? "true" : "false",
			*words || !state ? words : reason);
}

static void put_container(struct json_value container, char *out)
{
	struct json_value state, value;
	json_member(container, "state", &state);
	if (json_member(state, "running", &value))
		put_state(out, "running", "");
	if (json_member(state, "waiting", &value))
		put_waiting(value, out);
	if (json_member(state, "terminated", &value))
		put_terminated(value, NULL, out);
}

/* The container that cuts the network could not. */
static void put_cut(struct json_value container, char *out)
{
	struct json_value state, value, code;
	json_member(container, "state", &state);
	if (json_member(state, "terminated", &value) && json_member(value, "exitCode", &code)
			&& json_number(code, 0))
		put_terminated(value, "InitFailed", out);
}

/* A container that prepares the pod matters only while it has not. */
static void put_init(struct json_value container, char *out)
{
	struct json_value state, value;
	json_member(container, "state", &state);
	if (json_member(state, "waiting", &value))
		put_waiting(value, out);
	put_cut(container, out);
}

char *pod_state_format(struct json_value pod, const char *container, char out[POD_STATE])
{
	struct json_value status, list, item, value;
	char reason[REASON], words[WORDS];
	put_state(out, "waiting", "");
	json_member(pod, "status", &status);
	put_schedule(status, out);
	json_member(status, "containerStatuses", &list);
	while (json_item(&list, &item))
		if (json_member(item, "name", &value) && json_is(value, container))
			put_container(item, out);
	json_member(status, "containerStatuses", &list);
	while (json_item(&list, &item))
		if (json_member(item, "name", &value) && json_is(value, KUBE_CUT))
			put_cut(item, out);
	json_member(status, "initContainerStatuses", &list);
	while (json_item(&list, &item))
		if (!json_member(item, "ready", &value) || value.n != 4 || memcmp(value.at, "true", 4) != 0)
			put_init(item, out);
	if (json_member(pod, "metadata", &value) && json_member(value, "deletionTimestamp", &value))
		put_state(out, "removing", "");
	if (*read_line_of(status, "reason", reason, sizeof reason))
		put_state(out, reason, read_line_of(status, "message", words, sizeof words));
	return out;
}
