/* SPDX-License-Identifier: MIT */
#include "syntax/language.h"

#define BUILTINS \
	" . : [ alias bg bind break builtin caller cd command compgen complete continue dirs disown echo enable" \
	" eval exec exit fg getopts hash help history jobs kill let logout mapfile popd printf pushd pwd read" \
	" readarray return set shift shopt source suspend test times trap true type ulimit umask unalias wait" \
	" false "

/* clang-format off */
static const struct syntax_rule rules[] = {
	{"comment", SYNTAX_COMMENT, NULL, NULL, NULL, NULL, NULL},
	{"string", SYNTAX_STRING, NULL, NULL, NULL, NULL, NULL},
	{"raw_string", SYNTAX_STRING, NULL, NULL, NULL, NULL, NULL},
	{"ansi_c_string", SYNTAX_STRING, NULL, NULL, NULL, NULL, NULL},
	{"translated_string", SYNTAX_STRING, NULL, NULL, NULL, NULL, NULL},
	{"heredoc_body", SYNTAX_STRING, NULL, NULL, NULL, NULL, NULL},
	{"heredoc_start", SYNTAX_ESCAPE, NULL, NULL, NULL, NULL, NULL},
	{"heredoc_end", SYNTAX_ESCAPE, NULL, NULL, NULL, NULL, NULL},
	{"regex", SYNTAX_STRING, NULL, NULL, NULL, NULL, NULL},
	{"extglob_pattern", SYNTAX_STRING, NULL, NULL, NULL, NULL, NULL},
	{"command_substitution", SYNTAX_TEXT, NULL, NULL, NULL, NULL, NULL},
	{"process_substitution", SYNTAX_TEXT, NULL, NULL, NULL, NULL, NULL},
	{"arithmetic_expansion", SYNTAX_TEXT, NULL, NULL, NULL, NULL, NULL},
	{"expansion", SYNTAX_VARIABLE, NULL, NULL, NULL, NULL, NULL},
	{"simple_expansion", SYNTAX_VARIABLE, NULL, NULL, NULL, NULL, NULL},
	{"variable_name", SYNTAX_VARIABLE, NULL, NULL, NULL, NULL, NULL},
	{"special_variable_name", SYNTAX_VARIABLE, NULL, NULL, NULL, NULL, NULL},
	{"number", SYNTAX_NUMBER, NULL, NULL, NULL, NULL, NULL},
	{"file_descriptor", SYNTAX_NUMBER, NULL, NULL, NULL, NULL, NULL},
	{"test_operator", SYNTAX_OPERATOR, NULL, NULL, NULL, NULL, NULL},
	{"word", SYNTAX_FUNCTION, "function_definition", "name", NULL, NULL, NULL},
	{"command_name", SYNTAX_BUILTIN, NULL, NULL, NULL, NULL, BUILTINS},
	{"command_name", SYNTAX_FUNCTION, NULL, NULL, NULL, NULL, NULL},
	{"word", SYNTAX_PARAMETER, "command", NULL, NULL, NULL, "^-"},
	{NULL, 0, NULL, NULL, NULL, NULL, NULL},
};
/* clang-format on */

const struct syntax_rules rules_bash = {"bash", " do done elif else esac fi then ", false, true, rules};
