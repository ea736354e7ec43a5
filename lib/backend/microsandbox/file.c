/* SPDX-License-Identifier: MIT */
#include "backend/microsandbox/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/shell.h"
#include "base/utf8.h"
#include "rpc/names.h"

enum { PATH_BYTES = 4096 };

/* ---- one job
 * -------------------------------------------------------------------------------------------- */

struct msb_file *file_new(struct msb *m, uint32_t stream, char *path, const struct file_ops *ops)
{
	struct msb_file *f = path ? calloc(1, sizeof *f) : NULL;
	if (!f) {
		free(path);
		error_msg_put(&m->out, stream, TRM_ENOMEM, "out of memory");
		return NULL;
	}
	*f = (struct msb_file){.next = m->files, .msb = m, .ops = ops, .stream = stream, .path = path};
	m->files = f;
	return f;
}

void file_drop(struct msb_file *f)
{
	struct msb *m = f->msb;
	struct msb_file **at = &m->files;
	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	msb_call_cancel(f->call);
	if (f->ops->finish)
		f->ops->finish(f);
	free(f->path);
	free(f);
	msb_file_is_over(m);
}

/* As on other backends, where the agent knows the number. */
int file_code_of(const char *words, size_t n)
{
	static const struct {
		int error;
		const char *words;
	} rows[] = {{ENOENT, "No such file"}, {ENOENT, "irectory nonexistent"},
			{ENOENT, "nonexistent directory"}, {ENOTDIR, "Not a directory"},
			{EACCES, "Permission denied"}, {EROFS, "Read-only file system"},
			{EISDIR, "Is a directory"}, {ENOSPC, "No space left on device"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (memmem(words, n, rows[i].words, strlen(rows[i].words)))
			return err_code_of(rows[i].error);
	return TRM_EIO;
}

static void abandon_transfer(struct msb_file *f)
{
	f->is_full = false;
	f->stream = 0;
	if (f->ops->give_up)
		f->ops->give_up(f);
	else
		file_drop(f);
}

void file_end(struct msb_file *f)
{
	struct msb *m = f->msb;
	file_drop(f);
	msb_send(m);
}

void file_fail(struct msb_file *f, int code, const char *fmt, ...)
{
	struct trm_error why;
	char text[sizeof why.msg];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	trm_error_set(&why, code, "%s", text);
	if (f->stream)
		error_msg_put(&f->msb->out, f->stream, code, why.msg);
	file_end(f);
}

bool msb_files_are_full(const struct msb *m)
{
	const struct msb_file *f = m->files;
	while (f && !f->is_full)
		f = f->next;
	return f;
}

void msb_files_give_up(struct msb *m)
{
	for (struct msb_file *f = m->files, *next; f; f = next) {
		next = f->next;
		if (f->stream)
			abandon_transfer(f);
	}
}

bool msb_files_are_given_up(const struct msb *m)
{
	const struct msb_file *f = m->files;
	while (f && f->stream)
		f = f->next;
	return f;
}

void msb_files_finish(struct msb *m)
{
	while (m->files)
		file_drop(m->files);
}

/* ---- its commands ----------------------------------------------------------------------------------- */

/* All of stdout as one malloc'd text. */
static char *join_stdout(const cJSON *lines, size_t *ret_n, const char **ret_wrong)
{
	struct buf text;
	const cJSON *line;
	buf_init(&text, MSB_RESULT_MAX);
	*ret_wrong = "";
	cJSON_ArrayForEach(line, lines)
	{
		const char *stream = kernel_json_text(line, "stream"),
			   *words = kernel_json_text(line, "text");
		if (stream && words && strcmp(stream, "stdout") == 0)
			buf_append(&text, words, strlen(words));
		else if (stream && words && !**ret_wrong)
			*ret_wrong = words;
	}
	*ret_n = text.len;
	char *copy = malloc(text.len + 1);
	if (copy) {
		memcpy(copy, text.len ? buf_at(&text) : "", text.len);
		copy[text.len] = '\0';
	}
	buf_finish(&text);
	return copy;
}

static void on_command(void *user, const cJSON *result, const struct trm_error *why)
{
	struct msb_file *f = user;
	struct file_said said = {.exit_code = 1};
	double code;
	f->call = NULL;
	if (!cJSON_IsObject(result)) {
		file_fail(f, result ? TRM_EPROTO : why->code, "%s",
				result ? "the server's answer to a command is not a result" : why->msg);
		return;
	}
	char *out = join_stdout(cJSON_GetObjectItemCaseSensitive(result, "output"), &said.n, &said.wrong);
	if (kernel_json_number(result, "exit_code", 255, &code))
		said.exit_code = (int)code;
	said.out = out ? out : "";
	f->ops->said(f, &said);
	free(out);
}

/* The arguments of a command. The script itself sets arguments that JSON cannot carry. */
static cJSON *words_of(const char *script, const char *const *args)
{
	struct buf whole;
	bool are_text = true;
	buf_init(&whole, MSB_RESULT_MAX);
	buf_append(&whole, "set --", 6);
	for (size_t i = 0; args && args[i]; i++) {
		are_text = are_text && utf8_is_valid(args[i], strlen(args[i]));
		buf_append(&whole, " ", 1);
		shell_quote(&whole, args[i]);
	}
	buf_append(&whole, "\n", 1);
	buf_append(&whole, script, strlen(script) + 1);
	cJSON *words = cJSON_CreateArray();
	cJSON_AddItemToArray(words, cJSON_CreateString("-c"));
	cJSON_AddItemToArray(words, cJSON_CreateString(are_text ? script : buf_at(&whole)));
	cJSON_AddItemToArray(words, cJSON_CreateString("sh"));
	for (; are_text && args && *args; args++)
		cJSON_AddItemToArray(words, cJSON_CreateString(*args));
	buf_finish(&whole);
	return words;
}

void file_run(struct msb_file *f, const char *script, const char *const *args)
{
	struct msb *m = f->msb;
	struct trm_error why;
	struct msb_request request = {.method = RPC_COMMAND,
			.params = msb_params(m, m->name),
			.is_once = true,
			.max_bytes = MSB_RESULT_MAX};
	cJSON_AddStringToObject(request.params, "command", "sh");
	cJSON_AddItemToObject(request.params, "args", words_of(script, args));
	snprintf(request.what, sizeof request.what, "move files of sandbox '%s'", m->name);
	if (msb_call(m, &request, on_command, f, &f->call, &why) < 0)
		file_fail(f, why.code, "%s", why.msg);
}

/* ---- jobs of a single command
 * ----------------------------------------------------------------------------- */

static void on_op(struct msb_file *f, const struct file_said *said)
{
	static const struct tree_sum none;
	if (said->exit_code) {
		file_fail(f, file_code_of(said->wrong, strlen(said->wrong)), "%s",
				*said->wrong ? said->wrong : "that did not succeed");
		return;
	}
	tree_sum_put(&f->msb->out, f->stream, &none);
	file_end(f);
}

static void begin_op(struct msb *m, const struct frame *frame)
{
	static const struct file_ops OPS = {.said = on_op};
	static const char *const scripts[] = {
			[FILE_OP_MKDIR] = "mkdir -m \"$2\" -- \"$1\"",
			[FILE_OP_REMOVE] = "if [ -d \"$1\" ] && [ ! -L \"$1\" ]; then rmdir -- \"$1\"; "
					   "else rm -- \"$1\"; fi",
			[FILE_OP_REMOVE_TREE] = "if [ -e \"$1\" ] || [ -L \"$1\" ]; then rm -rf -- \"$1\"; "
						"else echo \"$1: No such file or directory\" >&2; exit 1; fi",
	};
	struct unpack u = {.at = frame->payload, .left = frame->len};
	uint8_t op = unpack_u8(&u);
	char *path = unpack_str(&u, PATH_BYTES), mode[16];
	uint32_t bits = unpack_u32(&u);
	if (u.bad || op < FILE_OP_MKDIR || op > FILE_OP_REMOVE_TREE) {
		error_msg_put(&m->out, frame->stream, TRM_EINVAL, "a broken FILE_OP");
		free(path);
		return;
	}
	snprintf(mode, sizeof mode, "%o", bits & 0777);
	struct msb_file *f = file_new(m, frame->stream, path, &OPS);
	const char *args[] = {path, mode, NULL};
	if (f)
		file_run(f, scripts[op], args);
}

/* ---- frames
 * ---------------------------------------------------------------------------------------------- */

static struct msb_file *find_msb_file(struct msb *m, uint32_t stream)
{
	struct msb_file *f = m->files;
	while (f && f->stream != stream)
		f = f->next;
	return stream ? f : NULL;
}

bool msb_file_frame(struct msb *m, const struct frame *frame)
{
	struct msb_file *f = find_msb_file(m, frame->stream);
	struct unpack u = {.at = frame->payload, .left = frame->len};
	switch (frame->type) {
	case FRAME_PUT:
	case FRAME_TREE_PUT: file_put_begin(m, frame); return true;
	case FRAME_GET:
	case FRAME_TREE_GET: file_get_begin(m, frame); return true;
	case FRAME_FILE_OP: begin_op(m, frame); return true;
	case FRAME_SIGNAL_PID:
		error_msg_put(&m->out, frame->stream, TRM_ENOTSUP,
				"a microsandbox server sends no signals to processes");
		return true;
	case FRAME_DATA:
	case FRAME_ENTRY:
		if (f && f->ops->frame)
			f->ops->frame(f, frame);
		return true; /* also for a job that has failed meanwhile */
	case FRAME_CREDIT:
		if (f)
			f->credit += unpack_u32(&u);
		if (f && f->ops->credit)
			f->ops->credit(f);
		return f != NULL;
	case FRAME_CLOSE:
		if (f)
			abandon_transfer(f);
		return f != NULL;
	default: return false;
	}
}
