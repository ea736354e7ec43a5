/* SPDX-License-Identifier: MIT */
#include "term/job_stop.h"

#include <signal.h>
#include <unistd.h>

/* Linux does not stop a process by SIGTSTP if no shell watches its process group. By SIGSTOP it would, and
 * then nobody could continue it. */
bool job_stop(bool is_group)
{
	struct sigaction plain = {.sa_handler = SIG_DFL}, before;
	sigset_t stop, cont, mask, pending;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigemptyset(&cont);
	sigaddset(&cont, SIGCONT);
	sigaction(SIGTSTP, &plain, &before);
	/* SIGCONT stays pending while it is blocked, and so tells that there was a stop. */
	pthread_sigmask(SIG_BLOCK, &cont, &mask);
	kill(is_group ? 0 : getpid(), SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &stop, NULL); /* here it stops */
	sigpending(&pending);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGTSTP, &before, NULL);
	return sigismember(&pending, SIGCONT) == 1;
}
