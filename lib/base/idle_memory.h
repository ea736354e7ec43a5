/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_IDLE_MEMORY_H
#define TRM_BASE_IDLE_MEMORY_H

/* Memory that a process has used and does not need now: there are several processes for each sandbox. */

#include <stddef.h>

/* Give the whole pages among the bytes back to the system. What is read there next is zeros. */
void idle_memory_drop(char *bytes, size_t n);
/* The same with what lies below the caller's frame on the main thread's stack. */
void idle_memory_drop_stack(void);

#endif
