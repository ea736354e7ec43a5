/* SPDX-License-Identifier: MIT */
#ifndef TRM_STREAM_OPTION_NAMES_H
#define TRM_STREAM_OPTION_NAMES_H

#include <stddef.h>

/* The library names settings as its callers know them: "give it more time (start_timeout)". On a command line
 * they are options: "(--start-timeout)". Copies the text with that change, cut to `cap`. Returns `out`. */
char *option_names_put(const char *text, char *out, size_t cap);

#endif
