/* SPDX-License-Identifier: MIT */
/* Scans a command: as a line of Bash, and the code that it gives an interpreter as a word. */
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "policy/policy.h"

enum { LINE_BYTES = 16 << 20 };

/* Quoted, so that Bash would read the very words. */
static int put_word(struct buf *line, const char *word)
{
	static const char plain[] =
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./=:,+@%";
	size_t n = strlen(word);
	int r = line->len ? buf_append(line, " ", 1) : 0;
	if (n && strspn(word, plain) == n)
		return r == 0 ? buf_append(line, word, n) : r;
	r = r == 0 ? buf_append(line, "'", 1) : r;
	for (; *word && r == 0; word++)
		r = *word == '\'' ? buf_append(line, "'\\''", 4) : buf_append(line, word, 1);
	return r == 0 ? buf_append(line, "'", 1) : r;
}

/* Bash's script is the first word that is no option, if one of the options holds a c. */
static const char *bash_script(const char *const *argv)
{
	bool has_script = false;
	size_t i = 1;
	for (; argv[i] && (*argv[i] == '-' || *argv[i] == '+'); i++) {
		const char *word = argv[i];
		bool is_long = strncmp(word, "--", 2) == 0, is_last = !word[1] || !strcmp(word, "--");
		has_script |= !is_long && *word == '-' && strchr(word, 'c');
		if (argv[i + 1]
				&& (is_last
						|| (is_long ? !strcmp(word, "--rcfile") || !strcmp(word, "--init-file")
							    : strpbrk(word, "oO") != NULL)))
			i++;
		if (is_last)
			break;
	}
	return has_script ? argv[i] : NULL;
}

/* Python's options end at the first -c, to which the code may be glued, and at -m. */
static const char *python_script(const char *const *argv)
{
	for (size_t i = 1; argv[i] && *argv[i] == '-'; i++) {
		const char *letter = argv[i][1] == '-' ? NULL : strpbrk(argv[i], "cmWX");
		if (letter && *letter == 'c')
			return letter[1] ? letter + 1 : argv[i + 1];
		if (letter && *letter == 'm')
			return NULL;
		if (((letter && !letter[1]) || !strcmp(argv[i], "--check-hash-based-pycs")) && argv[i + 1])
			i++;
	}
	return NULL;
}

/* "-e CODE", "--eval=CODE" */
static const char *flagged_script(const char *const *argv, const char *const *flags)
{
	for (size_t i = 1; flags && argv[i]; i++)
		for (size_t f = 0; flags[f]; f++) {
			size_t n = strlen(flags[f]);
			if (strncmp(argv[i], flags[f], n) == 0 && (!argv[i][n] || argv[i][n] == '='))
				return argv[i][n] ? argv[i] + n + 1 : argv[i + 1];
		}
	return NULL;
}

/* The code that an interpreter is given as a word. */
static const char *inner_script(const char *const *argv, const struct trm_lang **ret_lang)
{
	const char *slash = argv[0] ? strrchr(argv[0], '/') : NULL, *program = slash ? slash + 1 : argv[0];
	if (!program || trm_lang_find(program, ret_lang, NULL) < 0)
		return NULL;
	switch ((*ret_lang)->style) {
	case TRM_STYLE_INDENT: return python_script(argv);
	case TRM_STYLE_SHELL: return bash_script(argv);
	default: return flagged_script(argv, (*ret_lang)->code_options);
	}
}

static int scan_line(struct trm_policy *policy, const char *const *argv, struct trm_findings *ret,
		struct trm_error *reterr)
{
	struct buf line;
	int r = 0;
	buf_init(&line, LINE_BYTES);
	for (size_t i = 0; argv[i] && r == 0; i++)
		r = put_word(&line, argv[i]);
	r = r < 0 ? trm_error_set(reterr, r, "the command is too long to be checked")
		  : trm_policy_scan(policy, trm_lang_shell(), buf_at(&line), line.len, ret, reterr);
	buf_finish(&line);
	return r;
}

int trm_policy_scan_command(struct trm_policy *policy, const char *const *argv, struct trm_findings *ret,
		struct trm_error *reterr)
{
	const struct trm_lang *lang;
	const char *script = inner_script(argv, &lang);
	struct trm_findings in_script = {0};
	*ret = (struct trm_findings){0};
	int r = scan_line(policy, argv, ret, reterr);
	if (r < 0 || !script)
		return r;
	r = trm_policy_scan(policy, lang, script, strlen(script), &in_script, reterr);
	if (r < 0 || (in_script.n && in_script.worst >= ret->worst)) {
		trm_findings_finish(ret);
		*ret = in_script;
	} else {
		trm_findings_finish(&in_script);
	}
	return r;
}
