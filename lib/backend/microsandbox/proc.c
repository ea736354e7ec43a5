/* SPDX-License-Identifier: MIT */
/* Processes as the client sees them. The server has none, only runs and commands. A kernel's process
 * exists here, as long as the client wants it. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/microsandbox/feed.h"
#include "backend/microsandbox/msb.h"
#include "base/batch.h"
#include "base/err.h"
#include "kernel/kernel.h"

enum { PIECE_HEAD = 5 };

struct msb_proc *msb_proc_find(struct msb *m, uint32_t stream)
{
	for (size_t i = 0; stream && i < MSB_PROCS; i++)
		if (m->procs[i].stream == stream)
			return &m->procs[i];
	return NULL;
}

/* ---- output ------------------------------------------------------------------------------------ */

void msb_proc_print(struct msb_proc *p, uint8_t channel, const char *bytes, size_t n)
{
	char head[PIECE_HEAD] = {(char)channel};
	uint32_t len = (uint32_t)n;
	if (!n || p->will_exit)
		return;
	memcpy(head + 1, &len, sizeof len);
	if (p->pieces.len + PIECE_HEAD + n <= MSB_OUT_MAX && buf_append(&p->pieces, head, sizeof head) == 0)
		buf_append(&p->pieces, bytes, n);
}

void msb_proc_say(struct msb_proc *p, const char *sentence)
{
	char line[600];
	int n = snprintf(line, sizeof line, "terrarium: %s%s\n", sentence, p->has_terminal ? "\r" : "");
	msb_proc_print(p, p->has_terminal ? CHANNEL_STDOUT : CHANNEL_STDERR, line,
			n < (int)sizeof line ? (size_t)n : sizeof line - 1);
	msb_proc_flush(p);
}

static bool next_piece(struct msb_proc *p)
{
	uint32_t len;
	if (p->piece_left)
		return true;
	if (p->pieces.len < PIECE_HEAD)
		return false;
	const char *head = buf_at(&p->pieces);
	p->piece_channel = (uint8_t)head[0];
	memcpy(&len, head + 1, sizeof len);
	p->piece_left = len;
	buf_take(&p->pieces, PIECE_HEAD);
	return true;
}

void msb_proc_flush(struct msb_proc *p)
{
	struct msb *m = p->msb;
	while (p->credit && next_piece(p)) {
		size_t n = p->piece_left < FRAME_MAX_PAYLOAD ? p->piece_left : FRAME_MAX_PAYLOAD;
		if (n > p->credit)
			n = (size_t)p->credit;
		frame_put(&m->out, p->stream, FRAME_OUTPUT, p->piece_channel, buf_at(&p->pieces), n);
		buf_take(&p->pieces, n);
		p->piece_left -= n;
		p->credit -= n;
	}
	if (p->will_exit && !p->piece_left && !p->pieces.len) {
		exited_msg_put(&m->out, p->stream, &p->exit);
		msb_proc_finish(p);
	}
	msb_send(m);
	if (p->stream && m->dialect->room)
		m->dialect->room(p);
}

/* ---- the end ------------------------------------------------------------------------------------- */

void msb_proc_end(struct msb_proc *p, int exit_code, uint32_t signo)
{
	if (p->will_exit)
		return;
	p->will_exit = true;
	p->run_id[0] = '\0';
	p->exit.exit_code = signo ? -1 : exit_code;
	p->exit.signal = signo;
	msb_proc_flush(p);
}

void msb_proc_fail(struct msb_proc *p, const struct trm_error *why)
{
	struct msb *m = p->msb;
	/* Between agent and client these two codes mean that the client should attach to the interpreter
	 * again. */
	bool is_meant = p->lang && (why->code == TRM_EBUSY || why->code == TRM_ENOENT);
	int code = is_meant ? TRM_EIO : why->code;
	error_msg_put(&m->out, p->stream, code, why->msg);
	msb_proc_finish(p);
	msb_send(m);
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void msb_proc_finish(struct msb_proc *p)
{
	if (p->msb->dialect)
		p->msb->dialect->drop(p);
	msb_call_cancel(p->call);
	buf_finish(&p->pieces);
	kernel_lines_finish(&p->requests);
	free(p->code);
	free_list(p->argv);
	free_list(p->env);
	free(p->cwd);
	*p = (struct msb_proc){0};
}

/* ---- the beginning --------------------------------------------------------------------------------- */

static struct msb_proc *free_row(struct msb *m)
{
	for (size_t i = 0; i < MSB_PROCS; i++)
		if (!m->procs[i].stream)
			return &m->procs[i];
	return NULL;
}

/* Find a kernel's language: by its interpreter, or for batch languages by the argument. */
static const struct trm_lang *language_of(char *const *argv)
{
	const struct trm_lang *lang = NULL;
	const char *program = argv[0];
	if (!strcmp(program, BATCH_PROGRAM) && argv[1])
		return trm_lang_find(argv[1], &lang, NULL) < 0 ? NULL : lang;
	for (unsigned i = 0; i < trm_lang_count(); i++)
		if (strcmp(kernel_spec(trm_lang_at(i))->argv[0], program) == 0)
			return trm_lang_at(i);
	return NULL;
}

static char **copy_list(char *const *list)
{
	size_t n = 0;
	while (list && list[n])
		n++;
	char **copy = calloc(n + 1, sizeof *copy);
	for (size_t i = 0; copy && i < n; i++)
		copy[i] = strdup(list[i]);
	return copy;
}

static int refuse_stream(struct msb *m, uint32_t stream, int code, const char *sentence)
{
	error_msg_put(&m->out, stream, code, sentence);
	return code;
}

/* Choose the sandbox for this language, if there is one. A server of ours has all languages in one
 * sandbox. */
static int choose_box(struct msb *m, uint32_t stream, const struct trm_lang *lang, struct msb_box **ret)
{
	const char *image = m->settings.image;
	bool is_node = lang && dialect_of(lang) == DIALECT_JAVASCRIPT,
	     is_python = lang && dialect_of(lang) == DIALECT_PYTHON;
	char sentence[400];
	*ret = &m->boxes[MSB_BOX_MAIN];
	if (m->extensions)
		return 0;
	if (lang && dialect_of(lang) == DIALECT_NONE) {
		snprintf(sentence, sizeof sentence,
				"this server runs python, javascript and bash; it cannot run %s", lang->name);
		return refuse_stream(m, stream, TRM_ENOTSUP, sentence);
	}
	if (!image && is_node)
		*ret = &m->boxes[MSB_BOX_NODE];
	if (!image || !((is_node && strstr(image, "python")) || (is_python && strstr(image, "node"))))
		return 0;
	snprintf(sentence, sizeof sentence,
			"the image %.200s has no %s; without an image of your own, each language gets the image that it "
			"needs",
			image, lang->name);
	return refuse_stream(m, stream, TRM_ENOTSUP, sentence);
}

static int check_spawn(struct msb *m, uint32_t stream, const struct spawn_msg *msg, struct msb_proc **ret)
{
	*ret = free_row(m);
	if (msg->flags & SPAWN_ATTACH)
		return refuse_stream(m, stream, TRM_ENOENT, "it does not run in this sandbox");
	if (!*ret)
		return refuse_stream(m, stream, TRM_EBUSY, "too many processes at a time for this backend");
	return 0;
}

void msb_spawn(struct msb *m, uint32_t stream, const struct spawn_msg *msg)
{
	struct msb_proc *p;
	struct msb_box *box;
	const struct trm_lang *lang = msg->flags & SPAWN_CONTROL ? language_of(msg->argv) : NULL;
	if (check_spawn(m, stream, msg, &p) < 0 || choose_box(m, stream, lang, &box) < 0)
		return;
	*p = (struct msb_proc){.msb = m,
			.stream = stream,
			.pid = m->next_pid++,
			.lang = lang,
			.box = box,
			.is_waiting = true,
			.credit = msg->window,
			.stdin_is_open = msg->flags & SPAWN_STDIN_OPEN};
	snprintf(p->label, sizeof p->label, "%.127s", *msg->label ? msg->label : msg->argv[0]);
	buf_init(&p->pieces, MSB_OUT_MAX + (64u << 10));
	kernel_lines_init(&p->requests);
	if (!lang) {
		p->argv = copy_list(msg->argv);
		p->env = copy_list(msg->env);
		p->cwd = strdup(msg->cwd);
		p->has_terminal = msg->flags & SPAWN_PTY;
		p->rows = msg->rows;
		p->cols = msg->cols;
		p->stdin_is_open |= p->has_terminal;
	}
	const struct started_msg started = {.pid = p->pid, .has_turn = true};
	started_msg_put(&m->out, stream, &started);
	if (box->state == BOX_UP)
		msb_proc_begin(p);
	else
		msb_box_want(box);
}

void msb_proc_begin(struct msb_proc *p)
{
	p->is_waiting = false;
	if (*p->box->warning)
		msb_proc_say(p, p->box->warning);
	*p->box->warning = '\0';
	if (p->lang)
		msb_kernel_start(p);
	else
		p->msb->dialect->command(p);
}

/* ---- frames ------------------------------------------------------------------------------------------ */

static void send_credit(struct msb_proc *p, uint8_t channel, size_t n)
{
	size_t mark;
	struct pack pack = {.to = &p->msb->out};
	frame_begin(&p->msb->out, p->stream, FRAME_INPUT_CREDIT, channel, &mark);
	pack_u32(&pack, (uint32_t)n);
	frame_end(&p->msb->out, mark);
}

void msb_proc_taken(struct msb_proc *p, size_t n)
{
	send_credit(p, CHANNEL_STDIN, n);
}

static void on_input(struct msb_proc *p, const struct frame *frame)
{
	if (frame->channel == CHANNEL_STDIN && p->stdin_is_open && !p->will_exit) {
		p->msb->dialect->input(p, frame->payload, frame->len);
		return;
	}
	send_credit(p, frame->channel, frame->len);
	if (frame->channel == CHANNEL_CONTROL && p->lang)
		msb_kernel_feed(p, frame->payload, frame->len);
}

static void on_stdin(struct msb_proc *p, enum stdin_state state)
{
	bool was_open = p->stdin_is_open;
	p->stdin_is_open = state == STDIN_OPEN;
	if (was_open && !p->stdin_is_open && !p->will_exit)
		p->msb->dialect->eof(p, state == STDIN_RESET);
}

static void on_resize(struct msb_proc *p, struct unpack *u)
{
	uint16_t rows = unpack_u16(u), cols = unpack_u16(u);
	if (u->bad || !p->has_terminal || p->will_exit)
		return;
	p->rows = rows;
	p->cols = cols;
	p->msb->dialect->resize(p);
}

static void on_signal(struct msb_proc *p, uint32_t signo)
{
	if (!p->will_exit)
		p->msb->dialect->signal(p, signo);
}

/* Ends the current run or command, too. */
static void on_close(struct msb_proc *p)
{
	if (!p->will_exit && p->call)
		p->msb->dialect->signal(p, SIGKILL);
	if (p->stream)
		msb_proc_finish(p);
}

void msb_proc_frame(struct msb_proc *p, const struct frame *frame)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	switch (frame->type) {
	case FRAME_INPUT: on_input(p, frame); break;
	case FRAME_STDIN: on_stdin(p, unpack_u8(&u)); break;
	case FRAME_RESIZE: on_resize(p, &u); break;
	case FRAME_SIGNAL: on_signal(p, unpack_u32(&u)); break;
	case FRAME_CLOSE: on_close(p); break;
	case FRAME_CREDIT:
		p->credit += unpack_u32(&u);
		msb_proc_flush(p);
		break;
	}
}
