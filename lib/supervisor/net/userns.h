/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_NET_USERNS_H
#define TRM_SUPERVISOR_NET_USERNS_H

#include <stdbool.h>

/* Step into a new user namespace, in which the caller is `uid` and `gid` and nobody else exists, with further
 * ones of clone(2)'s CLONE_NEW… flags that belong to it. False: not allowed here (errno). */
bool userns_enter(int more_flags, unsigned uid, unsigned gid);

#endif
