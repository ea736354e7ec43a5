/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_LINE_HEADER_H
#define TRM_AGENT_LINE_HEADER_H

/* Line buffers for programs of C and C++: standard output is a pipe, and what stands in the buffer of one
 * that crashes would be lost. */

/* Make the folder, with a stdio.h that includes the compiler's own and sets the buffers before main().
 * It is for -isystem. Where it cannot be written the program is compiled without. */
void line_header_make(const char *folder);

#endif
