/* SPDX-License-Identifier: MIT */
#ifndef TESTS_FAULT_ALLOC_H
#define TESTS_FAULT_ALLOC_H

/* Allocations that fail when they are told to, and are counted. The linker leads malloc() and its relatives
 * here (--wrap); a program has one thread. Its children are refused what it would be. */

#include <stdbool.h>
#include <stddef.h>

/* From now on the nth allocation (from 1) is refused, and with `ever_after` each that follows. */
void alloc_refuse(unsigned nth, bool ever_after);
/* Refuse nothing any more. Was anything refused? */
bool alloc_relent(void);
/* Where the first was refused, on stderr: addresses for addr2line, or names. */
void alloc_tell(void);
/* tree-sitter ends the program where it gets no memory, and cannot be told not to: it is refused nothing. */
void alloc_spare_tree_sitter(void);
/* What is allocated now, and not freed yet. */
size_t alloc_living(void);
/* Forget those before; then tell on stderr where what still lives was allocated. */
void alloc_mark(void);
void alloc_tell_living(void);

#endif
