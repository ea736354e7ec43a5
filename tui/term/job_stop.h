/* SPDX-License-Identifier: MIT */
#ifndef TUI_JOB_STOP_H
#define TUI_JOB_STOP_H

#include <stdbool.h>

/* Stop this process until the shell continues it. The caller has restored the terminal. `is_group`: the
 * processes beside it stop, too, as with Ctrl-Z, so that a script that has started the program does not wait
 * for it. False: no shell could continue it, as in a terminal that runs only this program; then it has not
 * stopped. */
bool job_stop(bool is_group);

#endif
