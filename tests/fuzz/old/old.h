/* SPDX-License-Identifier: MIT */
#ifndef TRM_FUZZ_OLD_H
#define TRM_FUZZ_OLD_H

#include "wire/control.h"
#include "wire/entry.h"
#include "wire/fd_handoff.h"
#include "wire/message.h"
#include "wire/plan.h"

int old_hello_msg_get(const struct frame *, struct hello_msg *);
int old_hello_msg_put(struct buf *, uint32_t, uint32_t, uint32_t);
int old_welcome_msg_get(const struct frame *, struct welcome_msg *);
int old_welcome_msg_put(struct buf *, const char *, uint32_t, const char *, size_t);
int old_spawn_msg_get(const struct frame *, struct spawn_msg *);
int old_spawn_msg_put(struct buf *, uint32_t, const struct spawn_msg *);
void old_spawn_msg_finish(struct spawn_msg *);
int old_started_msg_get(const struct frame *, struct started_msg *);
int old_started_msg_put(struct buf *, uint32_t, const struct started_msg *);
int old_exited_msg_get(const struct frame *, struct exited_msg *);
int old_exited_msg_put(struct buf *, uint32_t, const struct exited_msg *);
int old_signal_pid_msg_get(const struct frame *, struct signal_pid_msg *);
int old_signal_pid_msg_put(struct buf *, uint32_t, const struct signal_pid_msg *);
int old_announced_msg_get(const struct frame *, struct announced_msg *);
int old_announced_msg_put(struct buf *, const struct announced_msg *);
int old_metrics_msg_get(const struct frame *, struct trm_metrics *, struct trm_process *);
int old_metrics_msg_put(struct buf *, const struct trm_metrics *);
int old_entry_get(const struct frame *, struct entry *, struct trm_error *);
int old_entry_put(struct buf *, uint32_t, const struct entry *);
int old_tree_msg_get(const struct frame *, struct tree_msg *);
int old_tree_msg_put(struct buf *, uint32_t, enum frame_type, const struct tree_msg *);
void old_tree_msg_finish(struct tree_msg *);
int old_tree_sum_get(const struct frame *, struct tree_sum *);
int old_tree_sum_put(struct buf *, uint32_t, const struct tree_sum *);

int old_spec_msg_get(const void *, size_t, struct spec_msg *);
int old_spec_msg_put(struct buf *, const struct spec_msg *);
void old_spec_msg_finish(struct spec_msg *);
int old_control_get(const void *, size_t, struct control_msg *);
void old_control_finish(struct control_msg *);
int old_ready_msg_put(struct buf *, const struct ready_msg *);
int old_gone_msg_put(struct buf *, const struct gone_msg *);
int old_oom_msg_put(struct buf *, uint64_t);
int old_refused_msg_put(struct buf *, uint64_t, const char *);
int old_progress_msg_put(struct buf *, const char *);
int old_lost_msg_put(struct buf *, const char *);
int old_info_msg_get(const void *, size_t, struct info_msg *);
int old_info_msg_put(struct buf *, const struct info_msg *);
void old_info_msg_finish(struct info_msg *);
int old_state_msg_get(const void *, size_t, struct state_msg *);
int old_state_msg_put(struct buf *, const struct state_msg *);
int old_handoff_report_get(const void *, size_t, struct handoff_report *);
int old_handoff_report_put(struct buf *, const struct handoff_report *);
void old_handoff_report_finish(struct handoff_report *);
int old_plan_msg_get(const void *, size_t, struct plan_msg *);
int old_plan_msg_put(struct buf *, const struct plan_msg *);
void old_plan_msg_finish(struct plan_msg *);

#endif
