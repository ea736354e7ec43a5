/* SPDX-License-Identifier: MIT */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

/* What a terminal sends, decoded. No I/O: bytes in, events out; however the bytes
 * are cut, the events are the same.
 *
 * Understood: UTF-8; C0 controls (as letter + MOD_CTRL; ^M and ^J are K_ENTER, ^I K_TAB, ^H and
 * DEL K_BACKSPACE); ESC before anything (MOD_ALT); CSI and SS3 keys of xterm, the Linux console, rxvt,
 * vt100/220, screen and tmux with their modifiers; modifyOtherKeys (CSI 27;m;c~)
 * and CSI u (kitty); bracketed paste (2004); SGR mouse (1002, 1006) and X10 mouse;
 * focus (1004); and the terminfo strings given to keys_add(). What is not understood is
 * dropped whole; broken UTF-8 arrives as U+FFFD.
 *
 * Sources: xterm's ctlseqs, the kitty keyboard protocol, terminfo(5). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/event.h"

#ifndef KEYS_PASTE_MAX
#define KEYS_PASTE_MAX ((size_t)64 << 20) /* bytes of one paste; the rest is dropped */
#endif
#define KEYS_ESC_MS 25 /* how long a lone ESC may be the start of a sequence */

struct keys;

struct keys *keys_create(void);    /* NULL when out of memory */
void keys_destroy(struct keys *k); /* takes NULL */

/* A sequence of this terminal that means a key (from terminfo). What the decoder already knows
 * comes first. */
int keys_add(struct keys *k, const char *sequence, uint32_t key, uint8_t mods);

/* Take bytes. 0 or TRM_ENOMEM (the bytes are lost). Call keys_next() until it says no. */
int keys_feed(struct keys *k, const char *bytes, size_t n, uint64_t now_ns);

/* The next event; ret->text is borrowed until the next call with `k`. */
bool keys_next(struct keys *k, struct event *ret);

/* The terminal was asked something: what answers it (terminal_query.h) makes no event. */
struct terminal_answers;
void keys_expect_answers(struct keys *k);
void keys_expect_more_answers(struct keys *k); /* those that came already still count */
const struct terminal_answers *keys_answers(const struct keys *k);

/* Something is begun that only more bytes or time decide (a lone ESC): call keys_flush() when
 * nothing came for KEYS_ESC_MS. A paste does not count: it waits for its end. */
bool keys_is_waiting(const struct keys *k);
void keys_flush(struct keys *k);

#endif
