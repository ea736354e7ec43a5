/* SPDX-License-Identifier: MIT */
#ifndef TUI_ROLE_H
#define TUI_ROLE_H

/* What a cell can be. Themes (themes/ *.json) give each role its colours; code
 * knows roles, never colours. */

/* clang-format off */
#define ROLE_MAP(X) \
	X(TEXT, "text") X(DIM, "dim") X(BORDER, "border") X(BORDER_FOCUS, "border_focus") \
	X(TITLE, "title") X(STATUS, "status") X(STATUS_OK, "status_ok") X(STATUS_BUSY, "status_busy") \
	X(STATUS_ERROR, "status_error") X(KEY, "key") X(KEY_LABEL, "key_label") \
	X(SELECTION, "selection") X(LINE_NUMBER, "line_number") X(LINE_CURRENT, "line_current") \
	X(TAB, "tab") X(TAB_ACTIVE, "tab_active") \
	X(OUT_STDOUT, "out_stdout") X(OUT_STDERR, "out_stderr") X(OUT_VALUE, "out_value") \
	X(OUT_ERROR, "out_error") X(OUT_HEADER, "out_header") X(OUT_LATE, "out_late") X(OUT_INPUT, "out_input") \
	X(GRAPH_CPU, "graph_cpu") X(GRAPH_MEM, "graph_mem") X(GRAPH_DISK, "graph_disk") \
	X(GRAPH_PROC, "graph_proc") X(WARN, "warn") X(CRITICAL, "critical") \
	X(DIALOG, "dialog") X(DIALOG_TITLE, "dialog_title") X(BUTTON, "button") X(BUTTON_FOCUS, "button_focus") \
	X(MENU, "menu") X(MENU_CURRENT, "menu_current") \
	X(SYN_KEYWORD, "syn_keyword") X(SYN_STRING, "syn_string") X(SYN_NUMBER, "syn_number") \
	X(SYN_COMMENT, "syn_comment") X(SYN_FUNCTION, "syn_function") X(SYN_TYPE, "syn_type")
/* clang-format on */

enum role {
#define X(name, text) ROLE_##name,
	ROLE_MAP(X)
#undef X
			ROLE_COUNT
};

#endif
