/* SPDX-License-Identifier: MIT */
/* Keys for those whose fingers know Emacs. What is not here is as in the default set. */
#include "model/keymap.h"

const struct keymap_row keymap_emacs[] = {
		{PLACE_EDITOR, "ctrl-f", "right"},
		{PLACE_EDITOR, "ctrl-b", "left"},
		{PLACE_EDITOR, "ctrl-n", "down"},
		{PLACE_EDITOR, "ctrl-p", "up"},
		{PLACE_EDITOR, "ctrl-a", "line-start"},
		{PLACE_EDITOR, "ctrl-e", "line-end"},
		{PLACE_EDITOR, "alt-f", "word-right"},
		{PLACE_EDITOR, "alt-b", "word-left"},
		{PLACE_EDITOR, "ctrl-v", "page-down"},
		{PLACE_EDITOR, "alt-v", "page-up"},
		{PLACE_EDITOR, "alt-<", "text-start"},
		{PLACE_EDITOR, "alt->", "text-end"},
		{PLACE_EDITOR, "ctrl-]", "to-bracket"},

		{PLACE_EDITOR, "ctrl-space", "set-mark"},
		{PLACE_EDITOR, "ctrl-w", "cut"},
		{PLACE_EDITOR, "alt-w", "copy"},
		{PLACE_EDITOR, "ctrl-y", "paste"},
		{PLACE_EDITOR, "ctrl-k", "cut-to-line-end"},
		{PLACE_EDITOR, "ctrl-d", "delete-right"},
		{PLACE_EDITOR, "alt-d", "delete-word-right"},
		{PLACE_EDITOR, "ctrl-_", "undo"},
		{PLACE_EDITOR, "ctrl-/", "undo"},
		{PLACE_EDITOR, "ctrl-x u", "undo"},
		{PLACE_EDITOR, "alt-_", "redo"},
		{PLACE_EDITOR, "ctrl-x h", "select-all"},
		{PLACE_EDITOR, "alt-;", "comment"},

		{PLACE_EDITOR, "ctrl-s", "find"},
		{PLACE_EDITOR, "ctrl-r", "find-previous"},
		{PLACE_EDITOR, "alt-%", "replace"},
		{PLACE_EDITOR, "alt-g g", "go-to-line"},
		{PLACE_EDITOR, "alt-g alt-g", "go-to-line"},

		{PLACE_ANY, "alt-x", "palette"},
		{PLACE_ANY, "ctrl-x ctrl-s", "save"},
		{PLACE_ANY, "ctrl-x ctrl-w", "save-as"},
		{PLACE_ANY, "ctrl-x ctrl-f", "open"},
		{PLACE_ANY, "ctrl-x ctrl-e", "run"},
		{PLACE_ANY, "ctrl-x ctrl-c", "quit"},
		{PLACE_ANY, "ctrl-x k", "close-buffer"},
		{PLACE_ANY, "ctrl-x b", "next-buffer"},
		{PLACE_ANY, "ctrl-x right", "next-buffer"},
		{PLACE_ANY, "ctrl-x left", "previous-buffer"},
		{PLACE_ANY, "ctrl-x o", "next-pane"},
		{PLACE_ANY, "ctrl-x 1", "zoom"},
		{PLACE_ALWAYS, "ctrl-g", "cancel"},
};
const size_t keymap_emacs_count = sizeof keymap_emacs / sizeof *keymap_emacs;
