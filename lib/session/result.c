/* SPDX-License-Identifier: MIT */
#include <terrarium/result.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/artifact.h>
#include <terrarium/lang.h>
#include <terrarium/sandbox.h>

#include "base/buf.h"
#include "base/json.h"

const char *trm_status_name(enum trm_status status)
{
	static const char *const NAMES[] = {
			[TRM_STATUS_OK] = "ok",
			[TRM_STATUS_ERROR] = "error",
			[TRM_STATUS_TIMEOUT] = "timeout",
			[TRM_STATUS_INTERRUPTED] = "interrupted",
			[TRM_STATUS_KILLED] = "killed",
			[TRM_STATUS_LOST] = "lost",
			[TRM_STATUS_REFUSED] = "refused",
	};
	return (size_t)status < sizeof NAMES / sizeof *NAMES ? NAMES[status] : "unknown";
}

/* ---- copy ---------------------------------------------------------------------- */

/* Copies n bytes and appends a NUL. NULL stays NULL. */
static void *copy_bytes(const void *bytes, size_t n, bool *ok)
{
	if (!bytes)
		return NULL;
	char *copy = malloc(n + 1);
	if (!copy) {
		*ok = false;
		return NULL;
	}
	memcpy(copy, bytes, n);
	copy[n] = '\0';
	return copy;
}

static char *copy_text(const char *text, bool *ok)
{
	return copy_bytes(text, text ? strlen(text) : 0, ok);
}

static char **copy_lines(char *const *lines, bool *ok)
{
	size_t n = 0;
	while (lines && lines[n])
		n++;
	char **copy = lines ? calloc(n + 1, sizeof *copy) : NULL;
	if (lines && !copy)
		*ok = false;
	for (size_t i = 0; copy && i < n; i++)
		if (!(copy[i] = copy_text(lines[i], ok)))
			break;
	return copy;
}

static struct trm_display *copy_displays(const struct trm_display *displays, size_t n, bool *ok)
{
	struct trm_display *copy = n ? calloc(n, sizeof *copy) : NULL;
	if (n && !copy)
		*ok = false;
	for (size_t i = 0; copy && i < n; i++) {
		copy[i] = displays[i];
		copy[i].path = NULL;
		copy[i].mime = copy_text(displays[i].mime, ok);
		copy[i].title = copy_text(displays[i].title, ok);
		copy[i].data = copy_bytes(displays[i].data, displays[i].n, ok);
	}
	return copy;
}

struct trm_result *trm_result_copy(const struct trm_result *result)
{
	struct trm_result *copy = malloc(sizeof *copy);
	bool ok = true;
	if (!copy)
		return NULL;
	*copy = *result;
	copy->reason = copy_text(result->reason, &ok);
	copy->hint = copy_text(result->hint, &ok);
	copy->value = copy_text(result->value, &ok);
	copy->error_name = copy_text(result->error_name, &ok);
	copy->error_message = copy_text(result->error_message, &ok);
	copy->traceback = copy_lines(result->traceback, &ok);
	copy->output = copy_bytes(result->output, result->output_len, &ok);
	copy->chunks = copy_bytes(result->chunks, result->n_chunks * sizeof *result->chunks, &ok);
	copy->displays = copy_displays(result->displays, result->n_displays, &ok);
	if (!copy->displays)
		copy->n_displays = 0;
	if (ok)
		return copy;
	trm_result_free(copy);
	return NULL;
}

void trm_result_free(struct trm_result *result)
{
	if (!result)
		return;
	for (char **line = result->traceback; line && *line; line++)
		free(*line);
	for (size_t i = 0; i < result->n_displays; i++) {
		free(result->displays[i].mime);
		free(result->displays[i].data);
		free(result->displays[i].title);
	}
	free(result->reason);
	free(result->hint);
	free(result->value);
	free(result->error_name);
	free(result->error_message);
	free(result->traceback);
	free(result->output);
	free(result->chunks);
	free(result->displays);
	free(result);
}

const char *trm_display_source_name(enum trm_display_source source)
{
	static const char *const names[] = {"shown", "saved", "collected"};
	return (unsigned)source < sizeof names / sizeof *names ? names[source] : "?";
}

/* ---- JSON ---------------------------------------------------------------------- */

/* Writer that remembers the first failure, so that its callers need not look. */
struct writer {
	struct buf to;
	int error;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *fmt, ...)
{
	char text[128];
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (!w->error)
		w->error = buf_append(&w->to, text, (size_t)n);
}

static void put_bytes(struct writer *w, const char *s, size_t n)
{
	if (!s)
		put(w, "null");
	else if (!w->error)
		w->error = json_put_string(&w->to, s, n);
}

static void put_text(struct writer *w, const char *s)
{
	put_bytes(w, s, s ? strlen(s) : 0);
}

/* One stream of the output as one string: a character may have come in two chunks. */
static void put_stream(struct writer *w, const struct trm_result *r, int stream)
{
	char *joined = malloc(r->output_len + 1);
	size_t n = 0;
	if (!joined) {
		w->error = -1;
		return;
	}
	for (size_t i = 0; i < r->n_chunks; i++) {
		if (r->chunks[i].stream != stream)
			continue;
		memcpy(joined + n, r->output + r->chunks[i].offset, r->chunks[i].n);
		n += r->chunks[i].n;
	}
	put_bytes(w, joined, n);
	free(joined);
}

static void put_error(struct writer *w, const struct trm_result *r)
{
	if (!r->error_name) {
		put(w, "null");
		return;
	}
	put(w, "{\"name\":");
	put_text(w, r->error_name);
	put(w, ",\"message\":");
	put_text(w, r->error_message);
	put(w, ",\"traceback\":[");
	for (char **line = r->traceback; line && *line; line++) {
		if (line != r->traceback)
			put(w, ",");
		put_text(w, *line);
	}
	put(w, "]}");
}

static void put_display_facts(struct writer *w, const struct trm_display *d)
{
	put(w, ",\"bundle\":%zu,\"format\":", d->bundle);
	put_text(w, d->format);
	if (d->has_size)
		put(w, ",\"width\":%" PRIu32 ",\"height\":%" PRIu32, d->width, d->height);
	else
		put(w, ",\"width\":null,\"height\":null");
	put(w, ",\"dpi\":");
	if (d->has_dpi) /* by integers, as below */
		put(w, "%" PRIu64 ".%02u", (uint64_t)(d->dpi * 100 + 0.5) / 100,
				(unsigned)((uint64_t)(d->dpi * 100 + 0.5) % 100));
	else
		put(w, "null");
	put(w, ",\"title\":");
	put_text(w, d->title);
	put(w, ",\"source\":\"%s\",\"run\":", trm_display_source_name(d->source));
	put(w, d->run ? "%" PRIu64 : "null", d->run);
	put(w, ",\"path\":");
	put_text(w, d->path);
}

static void put_display(struct writer *w, const struct trm_display *d)
{
	put(w, "{\"mime\":");
	put_text(w, d->mime);
	put(w, ",\"data\":");
	put_bytes(w, d->path ? NULL : d->data, d->n);
	put_display_facts(w, d);
	put(w, "}");
}

static void put_displays(struct writer *w, const struct trm_result *r)
{
	put(w, "[");
	for (size_t i = 0; i < r->n_displays; i++) {
		if (i)
			put(w, ",");
		put_display(w, &r->displays[i]);
	}
	put(w, "]");
}

/* Whole and thousandths by integers: printf's "%f" would follow the locale. */
static void put_ms(struct writer *w, bool is_known, uint64_t us)
{
	if (is_known)
		put(w, "%" PRIu64 ".%03u", us / 1000, (unsigned)(us % 1000));
	else
		put(w, "null");
}

static void put_fields(struct writer *w, const struct trm_result *r)
{
	put(w, r->number ? "{\"run\":%" PRIu64 ",\"language\":" : "{\"run\":null,\"language\":", r->number);
	put_text(w, r->lang ? r->lang->name : NULL);
	put(w, ",\"status\":\"%s\",\"exit_code\":%d,\"reason\":", trm_status_name(r->status), r->exit_code);
	put_text(w, r->reason);
	put(w, ",\"hint\":");
	put_text(w, r->hint);
	put(w, ",\"state_lost\":%s,\"stdout\":", r->state_lost ? "true" : "false");
	put_stream(w, r, TRM_STDOUT);
	put(w, ",\"stderr\":");
	put_stream(w, r, TRM_STDERR);
	put(w, ",\"value\":");
	put_text(w, r->value);
	put(w, ",\"error\":");
	put_error(w, r);
	put(w, ",\"displays\":");
	put_displays(w, r);
	put(w, ",\"dropped_displays\":%zu,\"wall_ms\":", r->dropped_displays);
	put_ms(w, !r->is_wall_unknown, r->wall_us);
	put(w, ",\"install_ms\":");
	put_ms(w, r->has_install, r->install_us);
	put(w, ",\"compile_ms\":");
	put_ms(w, r->has_compile, r->compile_us);
	put(w, ",\"cpu_ms\":");
	put_ms(w, r->has_cpu, r->cpu_us);
	put(w, ",\"mem_peak_bytes\":");
	if (r->has_mem_peak)
		put(w, "%" PRIu64, r->mem_peak_bytes);
	else
		put(w, "null");
	put(w, ",\"stdout_bytes\":%" PRIu64 ",\"stderr_bytes\":%" PRIu64 ",\"dropped_bytes\":%" PRIu64 "}",
			r->stdout_bytes, r->stderr_bytes, r->dropped_bytes);
}

/* What was written, malloc'd; NULL: it could not be. */
static char *finish_writing(struct writer *w)
{
	if (!w->error)
		w->error = buf_append(&w->to, "", 1);
	if (w->error) {
		buf_finish(&w->to);
		return NULL;
	}
	return w->to.mem; /* nothing was taken from its front */
}

char *trm_result_to_json(const struct trm_result *result)
{
	struct writer w = {0};
	buf_init(&w.to, SIZE_MAX / 4);
	put_fields(&w, result);
	return finish_writing(&w);
}

char *trm_display_to_json(const struct trm_display *display)
{
	struct writer w = {0};
	buf_init(&w.to, SIZE_MAX / 4);
	put_display(&w, display);
	return finish_writing(&w);
}
