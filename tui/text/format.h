/* SPDX-License-Identifier: MIT */
#ifndef TUI_FORMAT_H
#define TUI_FORMAT_H

/* Numbers with units, as people read them. Those that return a text return `out`. */

#include <stdbool.h>
#include <stdint.h>

char *format_duration(char out[24], uint64_t us);             /* "0.4 ms", "12 ms", "1.2 s", "3:05 min" */
char *format_bytes(char out[24], uint64_t bytes);             /* "640 B", "12.5 KiB", "64 MiB" */
char *format_count(char out[32], uint64_t n, char separator); /* "9,379,344" */
char *format_uptime(char out[24], uint64_t ms);               /* "01:02:03", "4d 07h" */
void format_mib_of(char out[24], bool is_known, uint64_t bytes, uint64_t limit); /* "27/512M", "n/a" */

#endif
