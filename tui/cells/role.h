/* SPDX-License-Identifier: MIT */
#ifndef TUI_CELLS_ROLE_H
#define TUI_CELLS_ROLE_H

/* What a cell can be. Themes (themes/ *.json) give each role its colors; code knows only roles, never
 * colors. X(NAME, name in themes, role to use if a theme leaves it out). */

/* clang-format off */
#define ROLE_MAP(X) \
	X(TEXT, "text", TEXT) X(DIM, "dim", TEXT) X(BORDER, "border", TEXT) \
	X(BORDER_FOCUS, "border_focus", TEXT) X(TITLE, "title", TEXT) \
	X(STATUS, "status", TEXT) X(STATUS_OK, "status_ok", TEXT) X(STATUS_BUSY, "status_busy", TEXT) \
	X(STATUS_ERROR, "status_error", TEXT) X(KEY, "key", TEXT) X(KEY_LABEL, "key_label", TEXT) \
	X(NOTICE, "notice", STATUS) X(NOTICE_ERROR, "notice_error", STATUS_ERROR) X(BANNER, "banner", STATUS) \
	X(SELECTION, "selection", TEXT) X(LINE_NUMBER, "line_number", TEXT) \
	X(LINE_NUMBER_CURRENT, "line_number_current", TEXT) X(LINE_CURRENT, "line_current", TEXT) \
	X(SEARCH_MATCH, "search_match", SELECTION) X(SEARCH_CURRENT, "search_current", MENU_CURRENT) \
	X(BRACKET_MATCH, "bracket_match", SELECTION) X(BRACKET_ERROR, "bracket_error", CRITICAL) \
	X(CELL_SEPARATOR, "cell_separator", DIM) X(TAB, "tab", TEXT) X(TAB_ACTIVE, "tab_active", TEXT) \
	X(OUT_STDOUT, "out_stdout", TEXT) X(OUT_STDERR, "out_stderr", TEXT) X(OUT_VALUE, "out_value", TEXT) \
	X(OUT_ERROR, "out_error", TEXT) X(OUT_LINK, "out_link", OUT_ERROR) X(OUT_HEADER, "out_header", TEXT) \
	X(OUT_HEADER_CURRENT, "out_header_current", TITLE) X(OUT_OK, "out_ok", OUT_VALUE) \
	X(OUT_LATE, "out_late", TEXT) X(OUT_INPUT, "out_input", TEXT) \
	X(GRAPH_CPU, "graph_cpu", TEXT) X(GRAPH_MEM, "graph_mem", TEXT) X(GRAPH_DISK, "graph_disk", TEXT) \
	X(GRAPH_PROC, "graph_proc", TEXT) X(GRAPH_NET, "graph_net", GRAPH_CPU) \
	X(GRAPH_PRESSURE, "graph_pressure", WARN) X(GRAPH_MID, "graph_mid", WARN) \
	X(GRAPH_HIGH, "graph_high", CRITICAL) X(GRAPH_LIMIT, "graph_limit", DIM) \
	X(GRAPH_AXIS, "graph_axis", DIM) X(MARK, "mark", TITLE) X(MARK_CURRENT, "mark_current", MENU_CURRENT) \
	X(TABLE_HEADER, "table_header", TITLE) X(TABLE_CURRENT, "table_current", MENU_CURRENT) \
	X(WARN, "warn", TEXT) X(CRITICAL, "critical", TEXT) \
	X(DIALOG, "dialog", TEXT) X(DIALOG_TITLE, "dialog_title", DIALOG) X(DIALOG_DIM, "dialog_dim", DIALOG) \
	X(DIALOG_WARN, "dialog_warn", DIALOG_TITLE) X(DIALOG_FIELD, "dialog_field", TEXT) \
	X(BUTTON, "button", TEXT) X(BUTTON_FOCUS, "button_focus", TEXT) \
	X(MENU, "menu", TEXT) X(MENU_CURRENT, "menu_current", TEXT) X(POPUP, "popup", MENU) \
	X(POPUP_CURRENT, "popup_current", MENU_CURRENT) X(POPUP_DIM, "popup_dim", POPUP) \
	X(POPUP_MATCH, "popup_match", POPUP) \
	X(SYN_KEYWORD, "syn_keyword", TEXT) X(SYN_STRING, "syn_string", TEXT) X(SYN_ESCAPE, "syn_escape", SYN_STRING) \
	X(SYN_NUMBER, "syn_number", TEXT) X(SYN_CONSTANT, "syn_constant", SYN_NUMBER) \
	X(SYN_COMMENT, "syn_comment", TEXT) X(SYN_FUNCTION, "syn_function", TEXT) \
	X(SYN_BUILTIN, "syn_builtin", SYN_FUNCTION) X(SYN_DECORATOR, "syn_decorator", SYN_FUNCTION) \
	X(SYN_TYPE, "syn_type", TEXT) X(SYN_VARIABLE, "syn_variable", TEXT) X(SYN_PROPERTY, "syn_property", TEXT) \
	X(SYN_PARAMETER, "syn_parameter", SYN_VARIABLE) X(SYN_OPERATOR, "syn_operator", TEXT) \
	X(SYN_PUNCTUATION, "syn_punctuation", TEXT) X(SYN_ERROR, "syn_error", OUT_ERROR)
/* clang-format on */

enum role {
#define X(name, text, stand_in) ROLE_##name,
	ROLE_MAP(X)
#undef X
			ROLE_COUNT
};

#endif
