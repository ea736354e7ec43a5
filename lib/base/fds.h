/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_FDS_H
#define TRM_BASE_FDS_H

/* Descriptors of a child before it executes a program. System calls only. */

#include <stdbool.h>
#include <stddef.h>

enum { FDS_PLACE_MAX = 96 };

/* Close `first` and all above. */
void fds_close_from(int first);
/* Close all but one. */
void fds_close_all_but(int fd);
/* Move the descriptors to 0 … n-1, in this order, and close all above. False: see errno. */
bool fds_place(const int *fds, size_t n);

#endif
