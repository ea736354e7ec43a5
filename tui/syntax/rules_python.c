/* SPDX-License-Identifier: MIT */
#include "syntax/language.h"

#define BUILTINS \
	" abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile" \
	" complex delattr dict dir divmod enumerate eval exec filter float format frozenset getattr globals" \
	" hasattr hash help hex id input int isinstance issubclass iter len list locals map max memoryview min" \
	" next object oct open ord pow print property range repr reversed round set setattr slice sorted" \
	" staticmethod str sum super tuple type vars zip __import__ "

/* clang-format off */
static const struct syntax_rule rules[] = {
	{"comment", SYNTAX_COMMENT, NULL, NULL, NULL, NULL, NULL},
	{"string", SYNTAX_STRING, NULL, NULL, NULL, NULL, NULL},
	{"escape_sequence", SYNTAX_ESCAPE, NULL, NULL, NULL, NULL, NULL},
	{"escape_interpolation", SYNTAX_ESCAPE, NULL, NULL, NULL, NULL, NULL},
	{"interpolation", SYNTAX_TEXT, NULL, NULL, NULL, NULL, NULL},
	{"'{", SYNTAX_EMBED, "interpolation", NULL, NULL, NULL, NULL},
	{"'}", SYNTAX_EMBED, "interpolation", NULL, NULL, NULL, NULL},
	{"format_specifier", SYNTAX_ESCAPE, NULL, NULL, NULL, NULL, NULL},
	{"type_conversion", SYNTAX_ESCAPE, NULL, NULL, NULL, NULL, NULL},
	{"integer", SYNTAX_NUMBER, NULL, NULL, NULL, NULL, NULL},
	{"float", SYNTAX_NUMBER, NULL, NULL, NULL, NULL, NULL},
	{"true", SYNTAX_CONSTANT, NULL, NULL, NULL, NULL, " True "},
	{"false", SYNTAX_CONSTANT, NULL, NULL, NULL, NULL, " False "},
	{"none", SYNTAX_CONSTANT, NULL, NULL, NULL, NULL, " None "},
	{"ellipsis", SYNTAX_CONSTANT, NULL, NULL, NULL, NULL, NULL},
	{"decorator", SYNTAX_DECORATOR, NULL, NULL, NULL, NULL, NULL},
	{"type", SYNTAX_TYPE, NULL, NULL, NULL, NULL, NULL},
	{"identifier", SYNTAX_FUNCTION, "function_definition", "name", NULL, NULL, NULL},
	{"identifier", SYNTAX_TYPE, "class_definition", "name", NULL, NULL, NULL},
	{"identifier", SYNTAX_DECORATOR, "call", "function", "decorator", NULL, NULL},
	{"identifier", SYNTAX_BUILTIN, "call", "function", NULL, NULL, BUILTINS},
	{"identifier", SYNTAX_FUNCTION, "call", "function", NULL, NULL, NULL},
	{"identifier", SYNTAX_FUNCTION, "attribute", "attribute", "call", "function", NULL},
	{"identifier", SYNTAX_PROPERTY, "attribute", "attribute", NULL, NULL, NULL},
	{"identifier", SYNTAX_BUILTIN, NULL, NULL, NULL, NULL, " self cls __name__ __file__ NotImplemented "},
	{"identifier", SYNTAX_PARAMETER, "parameters", NULL, NULL, NULL, NULL},
	{"identifier", SYNTAX_PARAMETER, "lambda_parameters", NULL, NULL, NULL, NULL},
	{"identifier", SYNTAX_PARAMETER, "default_parameter", "name", NULL, NULL, NULL},
	{"identifier", SYNTAX_PARAMETER, "typed_parameter", NULL, NULL, NULL, NULL},
	{"identifier", SYNTAX_PARAMETER, "typed_default_parameter", "name", NULL, NULL, NULL},
	{"identifier", SYNTAX_PARAMETER, "list_splat_pattern", NULL, "parameters", NULL, NULL},
	{"identifier", SYNTAX_PARAMETER, "dictionary_splat_pattern", NULL, "parameters", NULL, NULL},
	{"identifier", SYNTAX_PARAMETER, "keyword_argument", "name", NULL, NULL, NULL},
	{NULL, 0, NULL, NULL, NULL, NULL, NULL},
};
/* clang-format on */

const struct syntax_rules rules_python = {"python", " elif else except finally ", true, false, rules};
