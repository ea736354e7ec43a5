/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_SNAPSHOT_ROW_H
#define TUI_CMD_SNAPSHOT_ROW_H

struct json_out;
struct trm_snapshot_info;

/* A snapshot as a JSON object. `key` NULL: an item of a list, or the whole. */
void snapshot_row_put(struct json_out *json, const char *key, const struct trm_snapshot_info *info);

#endif
