/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_BATCH_H
#define TRM_AGENT_BATCH_H

/* The driver of batch languages. It speaks the kernel protocol (kernel/kernel.h) like the drivers of
 * resident languages. For each run it executes the commands of the language's row. The code becomes a
 * file. All commands except the last one prepare it, and their output is the run's stderr. The last
 * command is the run: it has the run's stdin and stdout, and its exit code is the run's. No shell or
 * interpreter is needed.
 *
 * It is started in place of a program called BATCH_PROGRAM (base/batch.h) with the language's name as the
 * first argument and, as the second, a sentence for when a command is not found.
 * Descriptor 5 holds words that end with NUL: the file's ending, then the words of each command; an empty
 * word ends a command. A language whose pieces keep their state (pieces.h) has more: an empty command, the
 * words of its compiler, and kernel/native.inc; for Go, kernel/carry.go. */

/* Returns when the requests end, with an exit code. */
int batch_drive(char **argv);

#endif
