/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_BATCH_H
#define TRM_AGENT_BATCH_H

/* The driver of batch languages. It speaks the kernel protocol (kernel/kernel.h) as the drivers of resident
 * languages do, and carries out a row's commands for each run: the code becomes a file, all commands but the
 * last prepare it (their output is the run's stderr), the last one is the run: it has the run's stdin and
 * stdout, and its exit code is the run's. No shell or interpreter is needed.
 *
 * It is started in place of a program called BATCH_PROGRAM (base/batch.h) with the language's name as the
 * first argument and, as the second, a sentence for when a command is not found.
 * Descriptor 5 holds words that end with NUL: the file's ending, then the words of each command; an empty
 * word ends a command. A language whose pieces keep their state (pieces.h) has more: an empty command, the
 * words of its compiler, and kernel/native.inc. */

/* Does not return before the end of the requests. Returns an exit code. */
int batch_drive(char **argv);

#endif
