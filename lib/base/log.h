/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_LOG_H
#define TRM_BASE_LOG_H

/* Messages for developers, to the hook of trm_set_log(). Without a hook they cost a comparison. Messages
 * for users are errors and results instead. */

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

__attribute__((format(printf, 2, 3))) void log_write(enum log_level level, const char *fmt, ...);

#endif
