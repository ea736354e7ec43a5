/* SPDX-License-Identifier: MIT */
#ifndef TUI_REPL_LIBRARY_H
#define TUI_REPL_LIBRARY_H

/* GNU readline, loaded only when a person types lines, so that other subcommands do not pay for it and
 * the build needs no headers of it. The declarations here follow readline.h and history.h of readline 8
 * (since 8.0; Debian 12 has 8.2). Only line*.c include this header. */

#include <stdio.h>

struct trm_error;

typedef int readline_command(int count, int key);

/* keymap_entry and the kinds of rl_function_of_keyseq() */
struct readline_key;
enum { READLINE_ISFUNC = 0 };

/* Bits of rl_readline_state: METANEXT, MOREINPUT, ISEARCH, NSEARCH, NUMERICARG, MACRODEF, OVERWRITE,
 * VIMOTION, MULTIKEY, CHARSEARCH. In these states a key can mean more than its character. */
#define READLINE_STATE_BUSY 0xb035d0ul

/* In the order of the names in library.c. */
struct readline {
	/* variables */
	const char **name;
	char **buffer;
	int *point, *end;
	FILE **instream, **outstream;
	int *catches_signals, *catches_sigwinch, *changes_environment;
	unsigned long *state;
	int (**getc_function)(FILE *stream);
	int (**input_available_hook)(void);
	char **(**attempted_completion)(const char *text, int start, int end);
	int *attempted_completion_over;
	int *history_length;
	/* functions */
	int (*initialize)(void);
	void (*install)(const char *prompt, void (*handler)(char *line));
	void (*read_char)(void);
	void (*remove)(void);
	void (*signal_cleanup)(void);
	void (*prep_terminal)(int meta_flag);
	void (*deprep_terminal)(void);
	int (*set_prompt)(const char *prompt);
	int (*insert_text)(const char *text);
	int (*delete_text)(int from, int to);
	void (*replace_line)(const char *text, int clears_undo);
	int (*begin_undo_group)(void);
	int (*end_undo_group)(void);
	void (*redisplay)(void);
	int (*forced_update)(void);
	int (*on_new_line)(void);
	int (*clear_visible_line)(void);
	void (*free_line_state)(void);
	void (*resize_terminal)(void);
	void (*reset_screen_size)(void);
	int (*ding)(void);
	struct readline_key *(*get_keymap)(void);
	readline_command *(*function_of)(const char *keys, struct readline_key *map, int *ret_kind);
	int (*bind_key)(int key, readline_command *command);
	int (*add_defun)(const char *name, readline_command *command, int key);
	readline_command *insert, *complete, *rubout;
	void (*using_history)(void);
	void (*add_history)(const char *text);
	void (*clear_history)(void);
	void (*stifle_history)(int most);
};

/* TRM_ENOTSUP with a sentence that names the Debian package. */
int readline_load(struct readline *ret, struct trm_error *reterr);

#endif
