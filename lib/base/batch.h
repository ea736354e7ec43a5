/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_BATCH_H
#define TRM_BASE_BATCH_H

/* What is started as the kernel of a batch language: no file, but the agent's own driver (agent/batch.h). */
#define BATCH_PROGRAM "terrarium batch"

#endif
