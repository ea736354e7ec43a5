/* SPDX-License-Identifier: MIT */
#include "syntax/language.h"

#define OBJECTS \
	" Array Atomics BigInt Boolean Buffer Date Error Function Infinity Intl JSON Map Math NaN Number Object" \
	" Promise Proxy Reflect RegExp Set String Symbol WeakMap WeakSet arguments console document exports global" \
	" globalThis module process require window "

/* clang-format off */
static const struct syntax_rule rules[] = {
	{"comment", SYNTAX_COMMENT, NULL, NULL, NULL, NULL, NULL},
	{"hash_bang_line", SYNTAX_COMMENT, NULL, NULL, NULL, NULL, NULL},
	{"html_comment", SYNTAX_COMMENT, NULL, NULL, NULL, NULL, NULL},
	{"string", SYNTAX_STRING, NULL, NULL, NULL, NULL, NULL},
	{"template_string", SYNTAX_STRING, NULL, NULL, NULL, NULL, NULL},
	{"escape_sequence", SYNTAX_ESCAPE, NULL, NULL, NULL, NULL, NULL},
	{"template_substitution", SYNTAX_TEXT, NULL, NULL, NULL, NULL, NULL},
	{"'${", SYNTAX_EMBED, "template_substitution", NULL, NULL, NULL, NULL},
	{"'}", SYNTAX_EMBED, "template_substitution", NULL, NULL, NULL, NULL},
	{"regex", SYNTAX_STRING, NULL, NULL, NULL, NULL, NULL},
	{"regex_flags", SYNTAX_ESCAPE, NULL, NULL, NULL, NULL, NULL},
	{"number", SYNTAX_NUMBER, NULL, NULL, NULL, NULL, NULL},
	{"true", SYNTAX_CONSTANT, NULL, NULL, NULL, NULL, NULL},
	{"false", SYNTAX_CONSTANT, NULL, NULL, NULL, NULL, NULL},
	{"null", SYNTAX_CONSTANT, NULL, NULL, NULL, NULL, NULL},
	{"undefined", SYNTAX_CONSTANT, NULL, NULL, NULL, NULL, NULL},
	{"this", SYNTAX_BUILTIN, NULL, NULL, NULL, NULL, NULL},
	{"super", SYNTAX_BUILTIN, NULL, NULL, NULL, NULL, NULL},
	{"decorator", SYNTAX_DECORATOR, NULL, NULL, NULL, NULL, NULL},
	{"statement_identifier", SYNTAX_CONSTANT, NULL, NULL, NULL, NULL, NULL},
	{"identifier", SYNTAX_FUNCTION, "function_declaration", "name", NULL, NULL, NULL},
	{"identifier", SYNTAX_FUNCTION, "generator_function_declaration", "name", NULL, NULL, NULL},
	{"identifier", SYNTAX_FUNCTION, "function_expression", "name", NULL, NULL, NULL},
	{"identifier", SYNTAX_TYPE, "class_declaration", "name", NULL, NULL, NULL},
	{"identifier", SYNTAX_TYPE, "class", "name", NULL, NULL, NULL},
	{"identifier", SYNTAX_TYPE, "class_heritage", NULL, NULL, NULL, NULL},
	{"identifier", SYNTAX_BUILTIN, NULL, NULL, NULL, NULL, OBJECTS},
	{"identifier", SYNTAX_TYPE, "new_expression", "constructor", NULL, NULL, NULL},
	{"identifier", SYNTAX_FUNCTION, "call_expression", "function", NULL, NULL, NULL},
	{"identifier", SYNTAX_PARAMETER, "formal_parameters", NULL, NULL, NULL, NULL},
	{"identifier", SYNTAX_PARAMETER, "arrow_function", "parameter", NULL, NULL, NULL},
	{"identifier", SYNTAX_PARAMETER, "assignment_pattern", "left", "formal_parameters", NULL, NULL},
	{"identifier", SYNTAX_PARAMETER, "rest_pattern", NULL, "formal_parameters", NULL, NULL},
	{"property_identifier", SYNTAX_FUNCTION, "method_definition", "name", NULL, NULL, NULL},
	{"property_identifier", SYNTAX_FUNCTION, "member_expression", "property", "call_expression", "function", NULL},
	{"property_identifier", SYNTAX_PROPERTY, NULL, NULL, NULL, NULL, NULL},
	{"private_property_identifier", SYNTAX_PROPERTY, NULL, NULL, NULL, NULL, NULL},
	{"shorthand_property_identifier", SYNTAX_PROPERTY, NULL, NULL, NULL, NULL, NULL},
	{"identifier", SYNTAX_TYPE, "jsx_opening_element", "name", NULL, NULL, NULL},
	{"identifier", SYNTAX_TYPE, "jsx_closing_element", "name", NULL, NULL, NULL},
	{"identifier", SYNTAX_TYPE, "jsx_self_closing_element", "name", NULL, NULL, NULL},
	{NULL, 0, NULL, NULL, NULL, NULL, NULL},
};
/* clang-format on */

const struct syntax_rules rules_javascript = {"javascript", " catch else finally while ", true, false, rules};
