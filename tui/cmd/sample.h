/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_SAMPLE_H
#define TUI_CMD_SAMPLE_H

/* The metrics of a sandbox as text and as JSON fields, for metrics, inspect and ps. */

#include <stddef.h>

#include <terrarium/metrics.h>

struct json_out;

/* Add the fields of one sample to an open object. Unknown values are null. */
void sample_put(struct json_out *j, const struct trm_sample *s);
/* Add "processes": a list, or null if they are unknown. */
void sample_put_processes(struct json_out *j, const struct trm_metrics *metrics);
/* Add milliseconds as seconds, or null. */
void sample_put_seconds(struct json_out *j, const char *key, bool is_known, uint64_t ms);
/* Add "limits": an object. */
struct trm_limits;
void sample_put_limits(struct json_out *j, const struct trm_limits *limits);
/* Add "kernels": a list of languages, or null. */
struct trm_entry;
void sample_put_kernels(struct json_out *j, const struct trm_entry *entry);

/* Print lines of text on stdout. `net` is the state of the network, for a sample without its traffic. */
void sample_print(const struct trm_sample *s, const char *net);
void sample_print_processes(const struct trm_metrics *metrics);
/* Format everything as one line without a newline: "cpu 3.1 % of 1 core, memory 27 of 512 MiB, …". */
void sample_tell(const struct trm_sample *s, char *out, size_t cap);

#endif
