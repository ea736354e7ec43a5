/* SPDX-License-Identifier: MIT */
/* The completion engine: what may stand at the end of a command line. The tables of commands, options and
 * settings say which kind of value stands where (cmd/options.h). */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/config.h>
#include <terrarium/lang.h>
#include <terrarium/policy.h>

#include "cmd/cmd.h"
#include "cmd/completion.h"

struct completion {
	const struct cmd *cmd;
	bool has_cmd;
	int n_operands;     /* complete ones, after the command */
	bool only_operands; /* "--" stands before the word */
	const char *value;  /* metavar of the option before the word; NULL: none */
	const char *front;  /* of each offered word: "--theme=", of front_len bytes */
	int front_len;
	const char *typed; /* the word, without the front */
	size_t n_offered;
};

static void offer_word(struct completion *c, const char *word, const char *help)
{
	if (strncmp(word, c->typed, strlen(c->typed)) != 0)
		return;
	printf("%.*s%s", c->front_len, c->front, word);
	if (help && *help)
		printf("\t%s", help);
	putchar('\n');
	c->n_offered++;
}

/* ---- what this program prints ---- */

/* Start this program with its output in a pipe. NULL: it cannot be started. */
static FILE *open_self(const char *const argv[], pid_t *ret_pid)
{
	int fds[2];

	fflush(stdout);
	if (pipe(fds) < 0)
		return NULL;
	*ret_pid = fork();
	if (*ret_pid == 0) {
		dup2(fds[1], STDOUT_FILENO);
		if (!freopen("/dev/null", "r", stdin) || !freopen("/dev/null", "w", stderr))
			_exit(1);
		close(fds[0]);
		close(fds[1]);
		execv("/proc/self/exe", (char *const *)argv);
		_exit(1);
	}
	close(fds[1]);
	return fdopen(fds[0], "r");
}

/* Offer the lines that it prints, with `front` before and `end` after each. They may contain anything. */
static void offer_lines_of(struct completion *c, const char *const argv[], const char *front, const char *end)
{
	char line[1024], word[1200];
	pid_t pid;
	FILE *f = open_self(argv, &pid);

	while (f && fgets(line, sizeof line, f)) {
		bool is_plain = true;
		line[strcspn(line, "\n")] = '\0';
		for (const char *p = line; *p; p++)
			is_plain = is_plain && !iscntrl((unsigned char)*p);
		snprintf(word, sizeof word, "%s%s%s", front, line, end);
		if (*line && is_plain)
			offer_word(c, word, NULL);
	}
	if (!f)
		return;
	fclose(f);
	waitpid(pid, NULL, 0);
}

static void offer_names_of(struct completion *c, const char *command, const char *end)
{
	offer_lines_of(c, (const char *const[]){"terrarium", command, "--names", NULL}, "", end);
}

/* "NAME:PATH" with a path in a sandbox; false: the word is not that far. */
static bool offer_inside(struct completion *c)
{
	static const char list[] = "compgen -f -- \"$1\" | while IFS= read -r f; do [[ -d $f ]] && f+=/; "
				   "echo \"$f\"; done | head -n 500";
	size_t n = strcspn(c->typed, ":/");
	char name[80], front[96];

	if (!isalnum((unsigned char)*c->typed) || c->typed[n] != ':' || n >= sizeof name)
		return false;
	snprintf(name, sizeof name, "%.*s", (int)n, c->typed);
	snprintf(front, sizeof front, "%s:", name);
	const char *path = c->typed + n + 1;
	const char *const argv[] = {"terrarium", "exec", name, "--", "bash", "-c", list, "-", path, NULL};
	offer_lines_of(c, argv, front, "");
	return true;
}

/* ---- kinds of values ---- */

static void offer_commands(struct completion *c)
{
	size_t n;
	const struct cmd *const *table = cmd_table(&n);

	for (size_t i = 0; i < n; i++)
		offer_word(c, table[i]->name, table[i]->summary);
}

static void offer_policy(void *user, const char *name, const char *description, bool is_own)
{
	(void)is_own;
	offer_word(user, name, description);
}

static void offer_settings(struct completion *c)
{
	for (size_t i = 0; i < setting_count(); i++)
		offer_word(c, setting_row(i)->name, setting_row(i)->help);
}

static void offer_kind(struct completion *c, const char *kind)
{
	if (strcmp(kind, "FILE") == 0 || strcmp(kind, "RECORDING") == 0 || strcmp(kind, "PATH") == 0) {
		puts(":files");
	} else if (strcmp(kind, "DIR") == 0) {
		puts(":dirs");
	} else if (strcmp(kind, "NAME:PATH") == 0) {
		if (offer_inside(c))
			return;
		offer_names_of(c, "ps", ":");
		puts(":files");
	} else if (strcmp(kind, "NAME") == 0) {
		offer_names_of(c, "ps", "");
	} else if (strcmp(kind, "THEME") == 0) {
		offer_names_of(c, "themes", "");
	} else if (strcmp(kind, "BACKEND") == 0) {
		offer_names_of(c, "backends", "");
	} else if (strcmp(kind, "COMMAND") == 0) {
		offer_commands(c);
	} else if (strcmp(kind, "SETTING") == 0) {
		offer_settings(c);
	} else if (strcmp(kind, "POLICY") == 0) {
		trm_policy_list(NULL, offer_policy, c, NULL);
	} else if (strcmp(kind, "LANG") == 0) {
		for (unsigned id = 0; id < trm_lang_count(); id++)
			offer_word(c, trm_lang_at(id)->name, NULL);
	} else if (islower((unsigned char)*kind) || *kind == '-') {
		offer_word(c, kind, NULL);
	}
}

/* `value`: kinds, separated by |; "-" alone means nothing. */
static void offer_value(struct completion *c, const char *value, size_t len)
{
	char kinds[256], *rest = kinds, *kind;

	snprintf(kinds, sizeof kinds, "%.*s", (int)len, value);
	if (strcmp(kinds, "-") == 0)
		return;
	while ((kind = strsep(&rest, "|")) != NULL)
		offer_kind(c, kind);
}

/* The Nth operand of the command. */
static void offer_operand(struct completion *c)
{
	const char *at = c->cmd->operands;

	for (int i = 0; at && *at; i++) {
		size_t n = strcspn(at, " ");
		bool is_repeated = n > 3 && memcmp(at + n - 3, "...", 3) == 0;
		if (i == c->n_operands || (is_repeated && !at[n])) {
			offer_value(c, at, is_repeated ? n - 3 : n);
			return;
		}
		at += n + strspn(at + n, " ");
	}
}

/* ---- options ---- */

struct option_row {
	const char *name, *value, *help;
	char letter;
};

static bool is_in_help(const struct cmd *cmd, const struct trm_setting *setting)
{
	for (const char *const *s = cmd->settings; s && *s; s++)
		if (!strcmp(*s, setting->name))
			return true;
	for (const struct option_spec *o = cmd->options; o && o->name; o++)
		if (!strcmp(o->name, setting->option))
			return true;
	return false;
}

/* Call `take` with each option of the command that its help has, or with those that all commands take
 * besides. Returns whether `take` ever did. */
static bool each_option(struct completion *c, bool is_common,
		bool (*take)(struct completion *c, const struct option_row *row, const char *word),
		const char *word)
{
	bool is_taken = false;

	for (const struct option_spec *o = c->cmd->options; !is_common && o && o->name; o++)
		is_taken |= take(c, &(struct option_row){o->name, o->metavar, o->help, o->letter}, word);
	for (const struct option_spec *o = options_common; !is_common && o->name; o++)
		is_taken |= take(c, &(struct option_row){o->name, o->metavar, o->help, o->letter}, word);
	for (const char *const *s = c->cmd->settings; !is_common && s && *s; s++) {
		const struct trm_setting *one = setting_find(*s);
		is_taken |= take(c, &(struct option_row){one->option, one->metavar, one->help, one->letter},
				word);
	}
	for (size_t i = 0; is_common && i < setting_count(); i++) {
		const struct trm_setting *s = setting_row(i);
		if (!is_in_help(c->cmd, s))
			is_taken |= take(c, &(struct option_row){s->option, s->metavar, s->help, s->letter},
					word);
	}
	return is_taken;
}

static bool offer_option(struct completion *c, const struct option_row *row, const char *word)
{
	size_t before = c->n_offered;

	(void)word;
	offer_word(c, row->name, row->help);
	if (row->letter)
		offer_word(c, (char[]){'-', row->letter, '\0'}, row->help);
	return c->n_offered > before;
}

/* Is this the option? Its value goes to c->value. */
static bool take_option(struct completion *c, const struct option_row *row, const char *word)
{
	size_t n = strcspn(word, "=");
	bool is_it = (strlen(row->name) == n && memcmp(row->name, word, n) == 0)
		     || (row->letter && word[0] == '-' && word[1] == row->letter && !word[2]);

	if (is_it)
		c->value = row->value;
	return is_it;
}

static void find_option(struct completion *c, const char *word)
{
	if (!each_option(c, false, take_option, word))
		each_option(c, true, take_option, word);
}

/* ---- the line ---- */

static bool is_option(const struct completion *c, const char *word)
{
	return !c->only_operands && word[0] == '-' && word[1];
}

static const struct cmd *named_command(const char *word)
{
	size_t n;
	const struct cmd *const *table = cmd_table(&n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(table[i]->name, word) == 0)
			return table[i];
	return NULL;
}

/* A complete word before the last. A switch turns on without a value: on or off may follow it. */
static void read_word(struct completion *c, const char *word, bool *is_after_switch)
{
	bool was_switch = *is_after_switch;
	const struct cmd *cmd = c->has_cmd || c->n_operands ? NULL : named_command(word);

	*is_after_switch = false;
	if (was_switch && (strcmp(word, "on") == 0 || strcmp(word, "off") == 0))
		return;
	if (c->value) {
		c->value = NULL;
	} else if (is_option(c, word)) {
		if (strcmp(word, "--") == 0)
			c->only_operands = true;
		else if (!strchr(word, '='))
			find_option(c, word);
		*is_after_switch = c->value && strcmp(c->value, "on|off") == 0;
		if (*is_after_switch)
			c->value = NULL;
	} else if (cmd) {
		c->cmd = cmd;
		c->has_cmd = true;
	} else {
		c->n_operands++;
	}
}

int completion_answer(int n, char **words)
{
	struct completion c = {.cmd = &cmd_workbench, .front = "", .typed = n > 0 ? words[n - 1] : ""};
	bool is_after_switch = false;

	for (int i = 0; i + 1 < n; i++)
		read_word(&c, words[i], &is_after_switch);
	const char *equals = strchr(c.typed, '=');
	if (c.value) {
		offer_value(&c, c.value, strlen(c.value));
	} else if (is_option(&c, c.typed) && equals) {
		find_option(&c, c.typed);
		c.front = c.typed;
		c.front_len = (int)(equals + 1 - c.typed);
		c.typed = equals + 1;
		if (c.value)
			offer_value(&c, c.value, strlen(c.value));
	} else if (is_option(&c, c.typed)) {
		/* All settings are too many to choose from, unless there are letters of their names. */
		each_option(&c, false, offer_option, NULL);
		if (strlen(c.typed) > strlen("--") || !c.n_offered)
			each_option(&c, true, offer_option, NULL);
	} else {
		if (!c.has_cmd && !c.n_operands && !c.only_operands)
			offer_commands(&c);
		offer_operand(&c);
	}
	return cmd_flush();
}
