/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_BATCH_H
#define TRM_BASE_BATCH_H

/* The program name that stands for the kernel of a batch language. It is no file: the agent runs its own
 * driver (agent/batch/batch.h). */
#define BATCH_PROGRAM "terrarium batch"

/* Where a sandbox finds what compilers can use again, read-only, each language's in a folder of its name. It
 * is made by trm_lang.prepare. */
#define BATCH_PREPARED "/var/cache/terrarium-compilers"

#endif
