/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_CALLS_H
#define TRM_LOCAL_CALLS_H

/* The system calls without which no local sandbox runs. A seccomp profile that refuses one of them would
 * otherwise show as something else: as a name that is taken, a supervisor that was killed, or silence. */

struct trm_error;

/* 0, or TRM_ENOTSUP with the name of the call that a profile refuses. Where there is no profile, nothing is
 * tried; else a short-lived process makes each call with arguments that do nothing. */
int calls_check(struct trm_error *reterr);

#endif
