/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_SAMPLE_H
#define TUI_CMD_SAMPLE_H

/* What was measured in a sandbox, as text and as fields of JSON: metrics, inspect, ps. */

#include <stddef.h>

#include <terrarium/metrics.h>

struct json_out;

/* The fields of one sample, into an object that is open; unknown ones are null. */
void sample_put(struct json_out *j, const struct trm_sample *s);
/* "processes": a list, or null when they are not known. */
void sample_put_processes(struct json_out *j, const struct trm_metrics *metrics);
/* "limits": an object. */
struct trm_limits;
void sample_put_limits(struct json_out *j, const struct trm_limits *limits);
/* "kernels": a list of languages, or null. */
struct trm_entry;
void sample_put_kernels(struct json_out *j, const struct trm_entry *entry);

/* Lines of text on stdout. `net`: of the network when its traffic is not known. */
void sample_print(const struct trm_sample *s, const char *net);
void sample_print_processes(const struct trm_metrics *metrics);
/* All of it in one line, without its end: "cpu 3.1 % of 1 core, memory 27 of 512 MiB, …". */
void sample_tell(const struct trm_sample *s, char *out, size_t cap);

/* Cells of a table, at most 24 bytes; "n/a" for what is not known. */
void sample_cell_cpu(const struct trm_sample *s, char out[24]);
void sample_cell_mem(const struct trm_sample *s, char out[24]);
void sample_cell_disk(const struct trm_sample *s, char out[24]);
void sample_cell_procs(const struct trm_sample *s, char out[24]);
void sample_cell_uptime(const struct trm_sample *s, char out[24]);

#endif
