/* SPDX-License-Identifier: MIT */
/* The sandboxes at a server, ours and others'. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "backend/microsandbox/msb.h"
#include "base/err.h"
#include "rpc/names.h"

enum { ROWS_MAX = 10000 };

/* Reject names that cannot exist. */
static bool take_name(const cJSON *row, const char *key, char out[TRM_REMOTE_SPACE_BYTES])
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(row, key));
	if (!text || rpc_name_check(key, text, NULL) < 0)
		return false;
	memcpy(out, text, strlen(text) + 1);
	return true;
}

static size_t read_rows(const struct msb *m, const cJSON *rows, struct trm_remote_entry *entries)
{
	const cJSON *row;
	size_t n = 0;
	cJSON_ArrayForEach(row, rows)
	{
		struct trm_remote_entry *e = &entries[n];
		*e = (struct trm_remote_entry){0};
		if (n == ROWS_MAX)
			break;
		if (!take_name(row, "name", e->name) || !take_name(row, "namespace", e->space))
			continue;
		e->is_running = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "running"));
		if (e->is_running)
			msb_metrics_read(m, row, &e->sample);
		n++;
	}
	return n;
}

static void on_rows(void *user, const cJSON *result, const struct trm_error *why)
{
	struct msb *m = user;
	const cJSON *rows = cJSON_GetObjectItemCaseSensitive(result, "sandboxes");
	int n = cJSON_GetArraySize(rows);
	m->metrics_call = NULL;
	if (!result)
		m->why = *why;
	else if (!cJSON_IsArray(rows))
		trm_error_set(&m->why, TRM_EPROTO,
				"the server %s answered with an invalid list of "
				"sandboxes",
				m->settings.url);
	struct trm_remote_entry *entries =
			m->why.code ? NULL
				    : calloc((size_t)(n < ROWS_MAX ? n : ROWS_MAX) + 1, sizeof *entries);
	if (entries)
		m->list_fn(m->list_user, entries, read_rows(m, rows, entries), &m->why);
	else if (!m->why.code)
		trm_error_set(&m->why, TRM_ENOMEM, "out of memory");
	free(entries);
	msb_end(m);
}

void msb_list(struct msb *m)
{
	cJSON *params = cJSON_CreateObject();
	struct msb_request request = {.method = RPC_METRICS,
			.params = params,
			.timeout_ms = MSB_ERRAND_MS,
			.max_bytes = MSB_RESULT_MAX,
			.what = "list the sandboxes"};
	cJSON_AddStringToObject(params, "namespace", m->settings.space);
	if (m->extensions)
		cJSON_AddTrueToObject(params, "full");
	if (msb_call(m, &request, on_rows, m, &m->metrics_call, &m->why) < 0)
		msb_end(m);
}
