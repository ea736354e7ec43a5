/* SPDX-License-Identifier: MIT */
#ifndef TUI_FRONT_HAND_H
#define TUI_FRONT_HAND_H

/* Handing over to the full program: with the same words, environment, descriptors and signal mask, as if it
 * had been started in the first place. Nothing may have been read, printed or sent before. */

#include <stdbool.h>

/* To be called first. `argv` is borrowed. */
void hand_init(char **argv);

/* Does not return: if the full program is not to be found, that is said, and the exit code is 125. */
_Noreturn void hand_over(void);

/* From now on it is too late: something has been begun. */
void hand_keep(void);
bool hand_is_kept(void);

/* full.c: a descriptor of the full program, which lies in this one as well; -1 with errno. */
int full_open(void);

#endif
