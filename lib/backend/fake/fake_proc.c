/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "backend/fake/fake.h"

enum { OUT_MAX = 16 << 20 };

struct fake_proc *fake_proc_find(struct fake *f, uint32_t stream)
{
	for (size_t i = 0; stream && i < FAKE_PROCS; i++)
		if (f->procs[i].stream == stream)
			return &f->procs[i];
	return NULL;
}

static struct fake_proc *free_row(struct fake *f)
{
	for (size_t i = 0; i < FAKE_PROCS; i++)
		if (!f->procs[i].stream)
			return &f->procs[i];
	return NULL;
}

static void send_started(struct fake_proc *p)
{
	const struct started_msg msg = {.pid = p->pid, .has_turn = true};
	p->fake->is_short |= started_msg_put(&p->fake->out, p->stream, &msg) < 0;
}

static void run_echo(struct fake_proc *p, char **argv)
{
	for (size_t i = 1; argv[i]; i++) {
		fake_proc_print(p, CHANNEL_STDOUT, argv[i], strlen(argv[i]));
		fake_proc_print(p, CHANNEL_STDOUT, argv[i + 1] ? " " : "\n", 1);
	}
	fake_proc_end(p, 0, 0);
}

/* cat and sleep go on until their input ends or a signal comes. */
static int run_command(struct fake_proc *p, char **argv)
{
	if (strcmp(argv[0], "true") == 0)
		fake_proc_end(p, 0, 0);
	else if (strcmp(argv[0], "false") == 0)
		fake_proc_end(p, 1, 0);
	else if (strcmp(argv[0], "echo") == 0)
		run_echo(p, argv);
	else if (strcmp(argv[0], "cat") == 0 && !p->stdin_is_open)
		fake_proc_end(p, 0, 0);
	else if (strcmp(argv[0], "cat") != 0 && strcmp(argv[0], "sleep") != 0)
		return TRM_ENOENT;
	return 0;
}

void fake_spawn(struct fake *f, uint32_t stream, const struct spawn_msg *msg)
{
	struct fake_proc *p = free_row(f);
	if (!stream || !p || fake_proc_find(f, stream)) {
		fake_broken(f, "a stream number that is taken, or too many processes");
		return;
	}
	if (msg->flags & SPAWN_ATTACH) {
		error_msg_put(&f->out, stream, TRM_ENOENT, "it does not run in this sandbox");
		return;
	}
	*p = (struct fake_proc){.fake = f,
			.stream = stream,
			.pid = f->next_pid++,
			.credit = msg->window,
			.is_kernel = msg->flags & SPAWN_CONTROL,
			.stdin_is_open = msg->flags & SPAWN_STDIN_OPEN};
	snprintf(p->command, sizeof p->command, "%s", msg->argv[0]);
	buf_init(&p->out[0], OUT_MAX);
	buf_init(&p->out[1], OUT_MAX);
	buf_init(&p->control, OUT_MAX);
	buf_init(&p->in_control, 128u << 20);
	buf_init(&p->in_stdin, 1 << 20);
	if (!p->is_kernel && run_command(p, msg->argv) < 0) {
		char sentence[256];
		snprintf(sentence, sizeof sentence, "%.100s: not found in the sandbox", msg->argv[0]);
		error_msg_put(&f->out, stream, TRM_ENOENT, sentence);
		fake_proc_finish(p);
		return;
	}
	send_started(p);
	if (p->is_kernel)
		fake_kernel_start(p);
	fake_proc_flush(p);
}

void fake_proc_finish(struct fake_proc *p)
{
	trm_timer_remove(p->sleep);
	trm_timer_remove(p->late);
	for (int i = 0; i < 2; i++)
		buf_finish(&p->out[i]);
	buf_finish(&p->control);
	buf_finish(&p->in_control);
	buf_finish(&p->in_stdin);
	free(p->code);
	*p = (struct fake_proc){0};
}

bool fake_proc_print(struct fake_proc *p, int channel, const char *bytes, size_t n)
{
	int r = buf_append(&p->out[channel & 1], bytes, n);
	p->fake->is_short |= r == TRM_ENOMEM;
	return r == 0;
}

void fake_proc_event(struct fake_proc *p, const char *json)
{
	if (buf_append(&p->control, json, strlen(json)) < 0 || buf_append(&p->control, "\n", 1) < 0)
		p->fake->is_short = true;
}

static bool fake_proc_is_blocked(const struct fake_proc *p)
{
	return p->out[0].len || p->out[1].len;
}

static void flush_buf(struct fake_proc *p, struct buf *b, uint8_t channel)
{
	while (b->len && p->credit) {
		size_t n = b->len < FRAME_MAX_PAYLOAD ? b->len : FRAME_MAX_PAYLOAD;
		if (n > p->credit)
			n = (size_t)p->credit;
		if (frame_put(&p->fake->out, p->stream, FRAME_OUTPUT, channel, buf_at(b), n) < 0)
			p->fake->is_short = true;
		buf_take(b, n);
		p->credit -= n;
	}
}

void fake_proc_flush(struct fake_proc *p)
{
	for (;;) {
		flush_buf(p, &p->out[0], (uint8_t)(2 * p->set));
		flush_buf(p, &p->out[1], (uint8_t)(2 * p->set + 1));
		if (fake_proc_is_blocked(p))
			break;
		flush_buf(p, &p->control, CHANNEL_CONTROL);
		if (p->control.len || !fake_kernel_can_step(p))
			break;
		fake_kernel_step(p);
	}
	if (p->will_exit && !fake_proc_is_blocked(p) && !p->control.len) {
		p->fake->is_short |= exited_msg_put(&p->fake->out, p->stream, &p->exit) < 0;
		struct fake *f = p->fake;
		fake_proc_finish(p);
		fake_send(f);
		return;
	}
	fake_send(p->fake);
}

void fake_proc_end(struct fake_proc *p, int exit_code, uint32_t signo)
{
	p->will_exit = true;
	p->exit = (struct exited_msg){.exit_code = signo ? -1 : exit_code,
			.signal = signo,
			.user_us = 1000,
			.system_us = 500,
			.max_rss_bytes = 9u << 20};
}

/* ---- input ---- */

static void give_credit(struct fake_proc *p, uint8_t channel, size_t n)
{
	size_t mark;
	struct pack pack = {.to = &p->fake->out};
	if (frame_begin(&p->fake->out, p->stream, FRAME_INPUT_CREDIT, channel, &mark) < 0) {
		p->fake->is_short = true;
		return;
	}
	pack_u32(&pack, (uint32_t)n);
	p->fake->is_short |= pack.error || frame_end(&p->fake->out, mark) < 0;
}

static void take_requests(struct fake_proc *p)
{
	char *end;
	while (!p->will_exit && !p->code && p->in_control.len
			&& (end = memchr(buf_at(&p->in_control), '\n', p->in_control.len))) {
		*end = '\0';
		size_t n = (size_t)(end + 1 - buf_at(&p->in_control));
		char *line = strdup(buf_at(&p->in_control));
		buf_take(&p->in_control, n);
		if (line)
			fake_kernel_request(p, line);
		else
			p->fake->is_short = true;
		free(line);
	}
}

void fake_proc_input(struct fake_proc *p, uint8_t channel, const char *bytes, size_t n)
{
	give_credit(p, channel, n);
	if (channel == CHANNEL_NOTE)
		return; /* there are no other clients */
	if (channel == CHANNEL_CONTROL) {
		if (p->is_kernel && buf_append(&p->in_control, bytes, n) < 0)
			p->fake->is_short = true;
	} else if (p->is_kernel) {
		p->fake->is_short |= buf_append(&p->in_stdin, bytes, n) == TRM_ENOMEM;
		fake_kernel_step(p);
	} else {
		fake_proc_print(p, CHANNEL_STDOUT, bytes, n);
	}
	take_requests(p);
	fake_proc_flush(p);
}

void fake_proc_stdin(struct fake_proc *p, enum stdin_state state)
{
	p->stdin_is_open = state == STDIN_OPEN;
	if (state == STDIN_RESET)
		buf_clear(&p->in_stdin);
	if (p->is_kernel)
		fake_kernel_step(p);
	else if (!p->stdin_is_open && strcmp(p->command, "cat") == 0)
		fake_proc_end(p, 0, 0);
	take_requests(p);
	fake_proc_flush(p);
}

void fake_proc_signal(struct fake_proc *p, uint32_t signo)
{
	if (signo == SIGINT && p->is_kernel) {
		fake_kernel_interrupt(p);
		take_requests(p);
	} else if (signo && !(signo == SIGTERM && p->is_immortal)) {
		/* A dead process prints nothing more. */
		for (int i = 0; i < 2; i++)
			buf_clear(&p->out[i]);
		p->flood_left = 0;
		fake_proc_end(p, 0, signo);
	}
	fake_proc_flush(p);
}
