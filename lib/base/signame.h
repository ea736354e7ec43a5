/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_SIGNAME_H
#define TRM_BASE_SIGNAME_H

/* The name of a signal as in glibc: "Segmentation fault". The text is the same with every C library. Only
 * the classic signals have names; others are an "Unknown signal". */
const char *signal_text(int signo);

#endif
