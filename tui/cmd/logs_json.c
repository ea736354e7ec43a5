/* SPDX-License-Identifier: MIT */
/* Prints runs for programs. */
#include "cmd/logs.h"

#include "cmd/cmd.h"
#include "cmd/json_out.h"

/* Add the bytes of one stream. NUL bytes become U+FFFD. */
static void put_stream(struct json_out *j, const char *key, const struct trm_result *r, int stream)
{
	struct writer w;
	writer_init(&w, LOGS_KEPT_MAX);
	for (size_t i = 0; i < r->n_chunks; i++)
		if (r->chunks[i].stream == stream)
			for (size_t k = 0; k < r->chunks[i].n; k++) {
				const char *byte = r->output + r->chunks[i].offset + k;
				writer_put(&w, *byte ? byte : "\xef\xbf\xbd", *byte ? 1 : 3);
			}
	json_put_text(j, key, w.bytes ? w.bytes : "");
	writer_finish(&w);
}

void logs_print_json(struct logs *l, const struct logs_entry *e, const struct trm_result *r, bool is_running)
{
	struct json_out j;
	json_init(&j);
	j.depth = 1; /* the entry of a list that is never closed, which keeps it on one line */
	json_open(&j, NULL, '{');
	json_put_u64(&j, "run", e->number);
	json_put_text(&j, "language", e->lang->name);
	json_put_text(&j, "by", *e->by ? e->by : NULL);
	if (e->began_ms)
		json_put_u64(&j, "began_ms", e->began_ms);
	else
		json_put_null(&j, "began_ms");
	json_put_text(&j, "file", e->file);
	json_put_text(&j, "code", e->code);
	json_put_u64(&j, "code_cut_bytes", e->code_cut);
	json_put_u64(&j, "lost_bytes", e->lost_bytes);
	json_put_text(&j, "status", is_running ? "running" : trm_status_name(r->status));
	if (is_running)
		json_put_null(&j, "exit_code");
	else
		json_put_number(&j, "exit_code", r->exit_code, 0);
	json_put_text(&j, "reason", is_running ? NULL : r->reason);
	json_put_text(&j, "value", r->value);
	json_put_text(&j, "error_name", r->error_name);
	json_put_text(&j, "error_message", r->error_message);
	put_stream(&j, "stdout", r, TRM_STDOUT);
	put_stream(&j, "stderr", r, TRM_STDERR);
	json_put_u64(&j, "displays", r->n_displays);
	if (r->is_wall_unknown || is_running)
		json_put_null(&j, "wall_ms");
	else
		json_put_number(&j, "wall_ms", (double)r->wall_us / 1000, 3);
	if (r->has_cpu && !is_running)
		json_put_number(&j, "cpu_ms", (double)r->cpu_us / 1000, 3);
	else
		json_put_null(&j, "cpu_ms");
	json_close(&j, '}');
	if (j.w.error)
		l->exit_code = cmd_fail("cannot print this as JSON: %s", trm_strerror(j.w.error));
	else
		sink_line(&l->out, j.w.bytes);
	writer_finish(&j.w);
}
