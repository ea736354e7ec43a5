/* SPDX-License-Identifier: MIT */
#ifndef TUI_SAMPLE_CELL_H
#define TUI_SAMPLE_CELL_H

/* The cells of tables of sandboxes; "n/a" for unknown values. */

struct trm_sample;

void sample_cell_cpu(const struct trm_sample *s, char out[24]);
void sample_cell_mem(const struct trm_sample *s, char out[24]);
void sample_cell_disk(const struct trm_sample *s, char out[24]);
void sample_cell_procs(const struct trm_sample *s, char out[24]);
void sample_cell_uptime(const struct trm_sample *s, char out[24]);

#endif
