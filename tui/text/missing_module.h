/* SPDX-License-Identifier: MIT */
#ifndef TUI_TEXT_MISSING_MODULE_H
#define TUI_TEXT_MISSING_MODULE_H

/* What an interpreter's error says of a module that is not there, so that the person can be told how packages
 * are installed. */

#include <stdbool.h>
#include <stddef.h>

/* The name of the package that may hold the module: "six" of "No module named 'six.moves'". False: the error
 * is another one, or names a file. Either text may be NULL. */
bool missing_module(const char *error_name, const char *message, char *out, size_t cap);

/* Does the code begin with what only IPython knows: "!pip install six", "%pip install six"? */
bool is_ipython_command(const char *code);

#endif
