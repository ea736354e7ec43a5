/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_SIGNAME_H
#define TRM_BASE_SIGNAME_H

/* What a signal says, as glibc has it: "Segmentation fault". The same words whichever C library this is
 * compiled with. Others than the classic ones are an "Unknown signal". */
const char *signal_words(int signo);

#endif
