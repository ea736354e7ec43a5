/* SPDX-License-Identifier: MIT */
/* Sending a signal to a process in the sandbox: the choice of the signal, and a confirmation. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/update.h"

static void answer_signal_sure(struct model *m, int answer, struct effects *out);

static void answer_signal(struct model *m, int answer, struct effects *out);

static const struct {
	int signo;
	const char *name, *what;
} signals[] = {
		{SIGTERM, "TERM", "ask it to quit"},
		{SIGKILL, "KILL", "kill it now"},
		{SIGINT, "INT", "interrupt, like ^C"},
		{SIGHUP, "HUP", "hang up"},
		{SIGQUIT, "QUIT", "quit with a core dump"},
		{SIGSTOP, "STOP", "suspend"},
		{SIGCONT, "CONT", "resume"},
		{SIGUSR1, "USR1", "user-defined"},
		{SIGUSR2, "USR2", "user-defined"},
};

static const char *name_of(int signo)
{
	for (int i = 0; i < COUNT(signals); i++)
		if (signals[i].signo == signo)
			return signals[i].name;
	return "?";
}

void ask_signal(struct model *m, struct effects *out)
{
	struct process_table *t = &m->metrics.processes;
	char title[96], text[64], number[8];

	(void)out;
	if (process_table_selected(t) < 0)
		process_table_select(t, (long)t->top, 1);
	long row = process_table_selected(t);
	const struct trm_process *p = row < 0 ? NULL : process_table_at(t, (size_t)row);
	if (!p) {
		notices_add(&m->notices, m->now_ns, false, "select a process first");
		m->needs_draw = true;
		return;
	}
	m->target = (struct signal_target){.pid = p->pid, .start = p->start};
	snprintf(m->target.command, sizeof m->target.command, "%.60s", p->command);
	snprintf(title, sizeof title, "Signal to %u %.60s", p->pid, p->command);
	dialog_begin(&m->dialog, title, answer_signal);
	for (int i = 0; i < COUNT(signals); i++) {
		snprintf(text, sizeof text, "%-5s %s", signals[i].name, signals[i].what);
		snprintf(number, sizeof number, "%d", signals[i].signo);
		dialog_add_choice(&m->dialog, text, number, 0, NULL);
	}
	m->needs_draw = true;
}

/* The library gives a kernel a name that ends in " kernel". */
static bool is_kernel(const struct signal_target *target)
{
	size_t n = strlen(target->command);
	return n > 7 && strcmp(target->command + n - 7, " kernel") == 0;
}

static bool is_deadly(int signo)
{
	return signo != SIGSTOP && signo != SIGCONT && signo != SIGINT;
}

static void ask_if_sure(struct model *m)
{
	static const struct dialog_button buttons[] = {{"Send", NULL, 's', 1}, {"Cancel", NULL, 'c', 0}};
	const struct signal_target *target = &m->target;

	dialog_begin(&m->dialog, "Send the signal?", answer_signal_sure);
	dialog_add(&m->dialog, ROLE_DIALOG, "SIG%s (%d) to process %u, %s", name_of(target->signo),
			target->signo, target->pid, target->command);
	if (is_kernel(target) && is_deadly(target->signo))
		dialog_add(&m->dialog, ROLE_DIALOG_WARN,
				"This is your interpreter: its variables will be lost.");
	dialog_set_buttons(&m->dialog, buttons, COUNT(buttons));
}

static void answer_signal(struct model *m, int answer, struct effects *out)
{
	(void)out;
	if (answer == ANSWER_MOVED)
		return;
	if (answer != ANSWER_ENTER || m->dialog.current >= (size_t)COUNT(signals)) {
		dialog_close(m);
		return;
	}
	m->target.signo = signals[m->dialog.current].signo;
	ask_if_sure(m);
}

static void answer_signal_sure(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer != 1)
		return;
	effect_add(out, (struct effect){.type = EFFECT_SIGNAL,
					.signal = {m->target.pid, m->target.start, m->target.signo}});
	notices_add(&m->notices, m->now_ns, false, "SIG%s sent to process %u", name_of(m->target.signo),
			m->target.pid);
}
