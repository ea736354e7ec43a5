/* SPDX-License-Identifier: MIT */
#ifndef TUI_EDITOR_VI_INTERNAL_H
#define TUI_EDITOR_VI_INTERNAL_H

/* Shared by the files of vi's keys: vi.c (keys and modes), vi_motion.c (motions and positions), vi_object.c
 * (text objects), vi_change.c (operators and changes), vi_visual.c, vi_ctrl.c (keys with Ctrl), vi_repeat.c.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "editor/editor_internal.h"
#include "editor/vi.h"

static inline bool vi_is_visual(const struct vi *v)
{
	return v->mode == VI_VISUAL || v->mode == VI_VISUAL_LINES;
}

/* ---- vi_motion.c ---- */

/* The text that an operator takes with a motion. SPAN_LINE_END: all up to the end of a line. */
enum span { SPAN_NONE, SPAN_EXCLUSIVE, SPAN_INCLUSIVE, SPAN_LINE_END, SPAN_LINES };

size_t vi_line_start(const struct editor *e, size_t pos);
size_t vi_line_end(const struct editor *e, size_t pos);
/* The end of the last line. What follows a newline at the end of the text is no line of vi. */
size_t vi_last_end(const struct editor *e);
size_t vi_first_ink(const struct editor *e, size_t pos);
size_t vi_ink_or_last(
		const struct editor *e, size_t pos); /* for motions: in a blank line its last character */
/* 0 white space, 1 a word, 2 punctuation. Big words include punctuation. */
int vi_class_of(const struct editor *e, size_t pos, bool is_big);
bool vi_is_word_end(const struct editor *e, size_t pos, bool is_big);
bool vi_find_in_line(const struct editor *e, uint32_t kind, uint32_t wanted, unsigned count, size_t *pos,
		bool is_again);
size_t vi_down_by(const struct editor *e, size_t pos, long by);
/* Move *pos by a motion. The return value says which text an operator takes. SPAN_NONE: the key is not a
 * motion, or the motion fails. */
enum span vi_motion(struct vi *v, struct editor *e, uint32_t key, unsigned count, size_t *pos);

/* ---- vi_object.c ---- */

struct vi_object {
	size_t from, to;
	bool is_lines; /* whole lines */
};

/* The text object of `key` ("w", quotes, brackets, "p") at `pos`. is_around: with the blanks or brackets
 * around it. False: there is none here. */
bool vi_find_object(const struct editor *e, bool is_around, uint32_t key, unsigned count, size_t pos,
		struct vi_object *ret);

/* ---- vi_change.c ---- */

/* In normal mode the cursor is on a character, not after the last one of the line. */
void vi_put_cursor(struct editor *e, size_t pos);
void vi_go_to(struct editor *e, size_t pos);
/* The first and the last character of visual mode. */
struct vi_ends {
	size_t low, high;
};
struct vi_ends vi_visual_ends(const struct vi *v, const struct editor *e);
void vi_show_visual(struct vi *v, struct editor *e);
void vi_begin_insert(struct vi *v, struct editor *e, size_t pos);
unsigned vi_open_line(struct vi *v, struct editor *e, bool is_above); /* o O */
unsigned vi_end_insert(struct vi *v, struct editor *e);               /* Escape */
/* Copy [from, to) to the clipboard, as whole lines or not. d and c also remove it. Other operators change its
 * case or its indentation. */
unsigned vi_operate(struct vi *v, struct editor *e, uint32_t op, size_t from, size_t to, bool is_lines);
unsigned vi_operate_lines(struct vi *v, struct editor *e, uint32_t op, size_t one, size_t other);
unsigned vi_put_clipboard(struct vi *v, struct editor *e, bool is_behind, unsigned count);
unsigned vi_join_lines(struct editor *e, unsigned count);
unsigned vi_replace_characters(struct editor *e, uint32_t cp, unsigned count);
unsigned vi_change_case(struct editor *e, uint32_t op, size_t from, size_t to); /* u, U or ~ */
unsigned vi_swap_case(struct editor *e, unsigned count);

/* ---- vi_ctrl.c ---- */

enum { VI_WINDOW = 'w' & 0x1F }; /* ^W, as a prefix */

bool vi_wants_ctrl(uint32_t key);
bool vi_wants_ctrl_typed(uint32_t key); /* in insert mode */
/* A key with Ctrl, or a page key, of normal or visual mode. */
unsigned vi_ctrl_key(struct vi *v, struct editor *e, uint32_t key, unsigned count);
unsigned vi_erase_typed(struct vi *v, struct editor *e, uint32_t key); /* ^W and ^U of insert mode */

/* ---- vi_repeat.c ---- */

/* "3." repeats the last change with another count: 2dw and d2w become 3dw. */
void vi_count_last(struct vi *v, unsigned count);
void vi_record_key(struct vi *v, uint32_t key);
/* A counted insertion begins where the cursor has erased to. Without the break before a new line it is not
 * one line that is repeated. */
void vi_follow_erasing(struct vi *v, const struct editor *e, uint32_t key);
void vi_end_change(struct vi *v);

/* ---- vi.c ---- */

void vi_forget_keys(struct vi *v); /* counts, operator and prefix */

/* ---- vi_visual.c ---- */

/* Visual mode is of this text as it is now. */
void vi_note_visual(struct vi *v, const struct editor *e);
/* A key of visual mode. *ret_done false: it is a motion, or no such key. */
unsigned vi_visual_key(struct vi *v, struct editor *e, uint32_t key, bool *ret_done);
unsigned vi_replace_visual(struct vi *v, struct editor *e, uint32_t cp); /* r */
/* Each character of [from, to) but for breaks. goes_on: the cursor goes to the last one. */
unsigned vi_replace_each(struct editor *e, uint32_t cp, size_t from, size_t to, bool goes_on);

#endif
