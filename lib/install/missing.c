/* SPDX-License-Identifier: MIT */
/* What is missing, as can be told from outside: a module that a run did not find, a package that a command was to
 * install. All of it is hostile text, and only names of packages leave here. */
#include <stdio.h>
#include <string.h>

#include <terrarium/install.h>
#include <terrarium/lang.h>
#include <terrarium/result.h>

#include "install/install.h"

/* Modules whose packages are called otherwise. */
static const struct {
	const char *module, *package;
} known[] = {
		{"Crypto", "pycryptodome"},
		{"OpenSSL", "pyopenssl"},
		{"PIL", "pillow"},
		{"bs4", "beautifulsoup4"},
		{"cv2", "opencv-python-headless"},
		{"dateutil", "python-dateutil"},
		{"docx", "python-docx"},
		{"dotenv", "python-dotenv"},
		{"fitz", "pymupdf"},
		{"jwt", "pyjwt"},
		{"mpl_toolkits", "matplotlib"},
		{"pptx", "python-pptx"},
		{"serial", "pyserial"},
		{"skimage", "scikit-image"},
		{"sklearn", "scikit-learn"},
		{"usb", "pyusb"},
		{"yaml", "pyyaml"},
};

/* The text between the quotes behind `words`, at the beginning of the message. */
static bool quoted_behind(const char *message, const char *words, char *out, size_t cap)
{
	size_t n = strlen(words);
	if (strncmp(message, words, n) != 0)
		return false;
	const char *end = strchr(message + n, '\'');
	if (!end || end == message + n || (size_t)(end - message) - n >= cap)
		return false;
	memcpy(out, message + n, (size_t)(end - message) - n);
	out[(size_t)(end - message) - n] = '\0';
	return true;
}

/* "a" of "a.b"; with npm, "a" of "a/b" and "@s/a" of "@s/a/b". */
static void cut_inner(char *name, const char *tool)
{
	bool is_npm = !strcmp(tool, "npm");
	char *at = is_npm && *name == '@' && strchr(name, '/') ? strchr(name, '/') + 1 : name;
	at[strcspn(at, is_npm ? "/" : ".")] = '\0';
}

bool trm_missing_package(const struct trm_result *result, char *package, size_t cap)
{
	char name[128];
	const char *tool = result->lang ? result->lang->package_manager : "";
	if (result->status != TRM_STATUS_ERROR || !result->error_name || !result->error_message)
		return false;
	bool is_python = !strcmp(tool, "pip") && !strcmp(result->error_name, "ModuleNotFoundError")
			 && quoted_behind(result->error_message, "No module named '", name, sizeof name);
	bool is_node = !strcmp(tool, "npm")
		       && (quoted_behind(result->error_message, "Cannot find module '", name, sizeof name)
				       || quoted_behind(result->error_message, "Cannot find package '", name, sizeof name));
	if ((!is_python && !is_node) || strchr("./", *name))
		return false;
	cut_inner(name, tool);
	const char *found = name;
	for (size_t i = 0; i < sizeof known / sizeof *known && is_python; i++)
		if (!strcmp(known[i].module, name))
			found = known[i].package;
	if (trm_package_check(result->lang, found, NULL) < 0)
		return false;
	snprintf(package, cap, "%s", found);
	return strlen(found) < cap;
}

/* ---- commands ------------------------------------------------------------------------------ */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_pip(const char *word)
{
	return !strncmp(word, "pip", 3) && strspn(word + 3, "0123456789.") == strlen(word + 3);
}

static bool is_python(const char *word)
{
	return !strncmp(word, "python", 6) && strspn(word + 6, "0123456789.") == strlen(word + 6);
}

/* How many words in front of "install" name the program; 0: it is another command. */
static size_t count_tool_words(const char *const *argv, const char **ret_tool)
{
	const char *program = argv[0] ? base_name(argv[0]) : "";
	*ret_tool = "pip";
	if (is_pip(program))
		return 1;
	if (is_python(program) && argv[1] && !strcmp(argv[1], "-m") && argv[2] && is_pip(argv[2]))
		return 3;
	*ret_tool = "npm";
	return !strcmp(program, "npm") ? 1 : 0;
}

const struct trm_lang *trm_package_command(const char *const *argv, char *packages, size_t cap)
{
	const char *tool;
	size_t n = count_tool_words(argv, &tool), len = 0;
	bool is_install = n && argv[n]
			  && (!strcmp(argv[n], "install")
					  || (!strcmp(tool, "npm") && (!strcmp(argv[n], "i") || !strcmp(argv[n], "add"))));
	const struct trm_lang *lang = NULL;
	for (unsigned i = 0; i < trm_lang_count() && is_install && !lang; i++)
		if (!strcmp(trm_lang_at(i)->package_manager, tool))
			lang = trm_lang_at(i);
	*packages = '\0';
	for (const char *const *word = argv + n + 1; lang && *word && len < cap; word++)
		if (trm_package_check(lang, *word, NULL) == 0)
			len += (size_t)snprintf(packages + len, cap - len, "%s%s", len ? " " : "", *word);
	return len < cap ? lang : NULL;
}

const struct trm_lang *trm_package_command_line(const char *line, char *packages, size_t cap)
{
	char words[512];
	const char *argv[33] = {NULL};
	size_t n = 0;
	line += strspn(line, " \t");
	line += *line == '!' || *line == '%';
	snprintf(words, sizeof words, "%.*s", (int)strcspn(line, "\r\n#;&|"), line);
	for (char *rest = words, *word; n < 32 && (word = strtok_r(rest, " \t'\"", &rest));)
		argv[n++] = word;
	return trm_package_command(argv, packages, cap);
}
