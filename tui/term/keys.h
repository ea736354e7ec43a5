/* SPDX-License-Identifier: MIT */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

/* Decodes the bytes of a terminal into events. No I/O: bytes in, events out. The events do not depend on
 * how the bytes are split.
 *
 * It understands UTF-8; C0 controls (as letter + MOD_CTRL; ^M and ^J are K_ENTER, ^I K_TAB, ^H and DEL
 * K_BACKSPACE); ESC before anything (MOD_ALT); CSI and SS3 keys of xterm, the Linux console, rxvt,
 * vt100/220, screen and tmux with their modifiers; modifyOtherKeys (CSI 27;m;c~) and CSI u (kitty);
 * bracketed paste (2004); SGR mouse (1002, 1006) and X10 mouse; focus (1004); and the terminfo strings
 * given to keys_add(). Unknown sequences are dropped as a whole; invalid UTF-8 becomes U+FFFD.
 *
 * Sources: xterm's ctlseqs, the kitty keyboard protocol, terminfo(5). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/event.h"

#ifndef KEYS_PASTE_MAX
#define KEYS_PASTE_MAX ((size_t)64 << 20) /* bytes of one paste; the rest is dropped */
#endif
#define KEYS_ESC_MS 25 /* how long a lone ESC may be the beginning of a sequence */

struct keys;

struct keys *keys_create(void);    /* NULL when out of memory */
void keys_destroy(struct keys *k); /* accepts NULL */

/* Add a terminfo sequence of this terminal for a key. Sequences that the decoder knows take precedence. */
int keys_add(struct keys *k, const char *sequence, uint32_t key, uint8_t mods);

/* Add bytes. 0 or TRM_ENOMEM (the bytes are lost). Then call keys_next() until it returns false. */
int keys_feed(struct keys *k, const char *bytes, size_t n, uint64_t now_ns);

/* The next event; ret->text is borrowed until the next call with `k`. */
bool keys_next(struct keys *k, struct event *ret);

/* A query was sent to the terminal: its answers (terminal_query.h) are no events. */
struct terminal_answers;
void keys_expect_answers(struct keys *k);
void keys_expect_more_answers(struct keys *k); /* earlier answers still count */
const struct terminal_answers *keys_answers(const struct keys *k);

/* Is something pending that only more bytes or time can decide (a lone ESC)? Then call keys_flush() when
 * nothing has come for KEYS_ESC_MS. A paste does not count: it waits for its end. */
bool keys_is_waiting(const struct keys *k);
void keys_flush(struct keys *k);

#endif
