/* SPDX-License-Identifier: MIT */
#include "base/signame.h"

#include <signal.h>

const char *signal_text(int signo)
{
	static const char *const words[] = {
			[SIGHUP] = "Hangup",
			[SIGINT] = "Interrupt",
			[SIGQUIT] = "Quit",
			[SIGILL] = "Illegal instruction",
			[SIGTRAP] = "Trace/breakpoint trap",
			[SIGABRT] = "Aborted",
			[SIGBUS] = "Bus error",
			[SIGFPE] = "Floating point exception",
			[SIGKILL] = "Killed",
			[SIGUSR1] = "User defined signal 1",
			[SIGSEGV] = "Segmentation fault",
			[SIGUSR2] = "User defined signal 2",
			[SIGPIPE] = "Broken pipe",
			[SIGALRM] = "Alarm clock",
			[SIGTERM] = "Terminated",
			[SIGSTKFLT] = "Stack fault",
			[SIGCHLD] = "Child exited",
			[SIGCONT] = "Continued",
			[SIGSTOP] = "Stopped (signal)",
			[SIGTSTP] = "Stopped",
			[SIGTTIN] = "Stopped (tty input)",
			[SIGTTOU] = "Stopped (tty output)",
			[SIGURG] = "Urgent I/O condition",
			[SIGXCPU] = "CPU time limit exceeded",
			[SIGXFSZ] = "File size limit exceeded",
			[SIGVTALRM] = "Virtual timer expired",
			[SIGPROF] = "Profiling timer expired",
			[SIGWINCH] = "Window changed",
			[SIGIO] = "I/O possible",
			[SIGPWR] = "Power failure",
			[SIGSYS] = "Bad system call",
	};
	const int n = sizeof words / sizeof *words;
	return signo > 0 && signo < n && words[signo] ? words[signo] : "Unknown signal";
}
