/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "settings/settings.h"
#include "text/edit_distance.h"

enum { VALUE_BYTES = 1100 };

/* All effective settings and their origins. */
struct effective {
	struct settings settings;
	char path[PATH_MAX]; /* of the config file; "": there is none */
};

static const char *const sources[] = {
		[TRM_FROM_DEFAULT] = "default",
		[TRM_FROM_FILE] = "file",
		[TRM_FROM_DOTENV] = ".env",
		[TRM_FROM_ENVIRONMENT] = "environment",
		[TRM_FROM_OPTION] = "option",
};

/* Describe the origin of a row's value, so that the person can find it. False: it is the default. */
static bool describe_where(const struct effective *e, size_t row, char *out, size_t cap)
{
	const struct trm_config_origin *o = &e->settings.origins[row];
	const struct trm_setting *s = setting_row(row);
	bool is_yes = !strcmp(s->name, "confirm") && o->column; /* see options_settings() */

	switch (o->from) {
	case TRM_FROM_DEFAULT: return false;
	case TRM_FROM_FILE: snprintf(out, cap, "%s:%u:%u", e->path, o->line, o->column); break;
	case TRM_FROM_DOTENV: snprintf(out, cap, ".env:%u", o->line); break;
	case TRM_FROM_ENVIRONMENT: snprintf(out, cap, "%s", s->env); break;
	case TRM_FROM_OPTION: snprintf(out, cap, "%s", is_yes ? "--yes" : s->option); break;
	}
	return true;
}

static int load_effective(const struct options *o, struct effective *e)
{
	if (!trm_config_path(o->config_path, e->path, sizeof e->path))
		e->path[0] = '\0';
	return options_settings(o, &e->settings) < 0 ? CMD_FAILED : CMD_OK;
}

/* ---- printing ---- */

static void put_row(struct json_out *j, const struct effective *e, size_t row)
{
	const struct trm_setting *s = setting_row(row);
	char value[VALUE_BYTES], where[PATH_MAX + 48];

	trm_config_get(&e->settings, s, value, sizeof value);
	json_open(j, NULL, '{');
	json_put_text(j, "name", s->name);
	json_put_text(j, "value", value);
	json_put_text(j, "from", sources[e->settings.origins[row].from]);
	json_put_text(j, "where", describe_where(e, row, where, sizeof where) ? where : NULL);
	json_put_text(j, "default", s->fallback);
	json_put_text(j, "option", s->option);
	json_put_text(j, "variable", s->env);
	json_put_text(j, "help", s->help);
	json_close(j, '}');
}

static int print_settings_json(const struct effective *e)
{
	struct json_out j;

	json_init(&j);
	json_open(&j, NULL, '[');
	for (size_t i = 0; i < setting_count(); i++)
		put_row(&j, e, i);
	json_close(&j, ']');
	return json_finish(&j);
}

enum { VALUE_COLS = 32 }; /* a longer value moves the rest of its row */

/* The columns of the longest name and of the longest value. */
static void measure_settings(const struct effective *e, int *ret_name, int *ret_value)
{
	char value[VALUE_BYTES];

	*ret_name = *ret_value = 8;
	for (size_t i = 0; i < setting_count(); i++) {
		int name = (int)strlen(setting_row(i)->name);
		trm_config_get(&e->settings, setting_row(i), value, sizeof value);
		int cols = (int)strlen(value) > VALUE_COLS ? VALUE_COLS : (int)strlen(value);
		*ret_name = name > *ret_name ? name : *ret_name;
		*ret_value = cols > *ret_value ? cols : *ret_value;
	}
}

static int print_settings_table(const struct effective *e)
{
	bool has_color = cmd_has_color();
	int cols, value_cols;

	measure_settings(e, &cols, &value_cols);
	printf("%-*s %-*s %s\n", cols, "SETTING", value_cols, "VALUE", "FROM");
	for (size_t i = 0; i < setting_count(); i++) {
		char value[VALUE_BYTES], clean[VALUE_BYTES], where[PATH_MAX + 48] = "default",
									      shown[PATH_MAX];
		trm_config_get(&e->settings, setting_row(i), value, sizeof value);
		trm_text_clean_line(clean, sizeof clean, value, strlen(value));
		bool is_set = describe_where(e, i, where, sizeof where);
		trm_text_clean_line(shown, sizeof shown, where, strlen(where));
		printf("%s%-*s %-*s %s%s\n", has_color ? (is_set ? "\033[1m" : "\033[2m") : "", cols,
				setting_row(i)->name, value_cols, *clean ? clean : "-", shown,
				has_color ? "\033[m" : "");
	}
	return cmd_flush();
}

/* On stderr, because a program may read the list on stdout. */
static void describe_leftover(void *user, const char *name, const char *nearest)
{
	char shown[128];

	(void)user;
	trm_text_clean_line(shown, sizeof shown, name, strlen(name));
	fprintf(stderr, "terrarium: note: unknown variable %s%s%s%s\n", shown,
			nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static int print_key(const struct effective *e, const char *key, bool is_json)
{
	const struct trm_setting *s = setting_find(key);
	char value[VALUE_BYTES];

	if (!s) {
		struct near near = edit_distance_to(key, strlen(key));
		for (size_t i = 0; i < setting_count(); i++)
			edit_distance_try(&near, setting_row(i)->name);
		return near.best ? cmd_fail("there is no setting '%s'; did you mean %s?", key, near.best)
				 : cmd_fail("there is no setting '%s'; 'terrarium config' lists them", key);
	}
	if (is_json) {
		struct json_out j;
		json_init(&j);
		put_row(&j, e, setting_index(s));
		return json_finish(&j);
	}
	trm_config_get(&e->settings, s, value, sizeof value);
	puts(value);
	return cmd_flush();
}

static int print_setting_names(void)
{
	for (size_t i = 0; i < setting_count(); i++)
		puts(setting_row(i)->name);
	return cmd_flush();
}

/* ---- the file ---- */

static int print_path(const char *path)
{
	if (!*path)
		return cmd_fail("there is no folder for a config file: neither XDG_CONFIG_HOME nor HOME is set");
	puts(path);
	return cmd_flush();
}

/* Create the parent folders of a path. */
static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700); /* a failure shows when the file is created */
		*slash = '/';
	}
}

/* Print all settings with their defaults, as comments. */
static void print_start(FILE *out)
{
	fputs("// Settings of terrarium. Take the // off a line and change the value.\n"
	      "// 'man terrarium-config' and 'terrarium help settings' explain them.\n{\n",
			out);
	for (size_t i = 0; i < setting_count(); i++) {
		const struct trm_setting *s = setting_row(i);
		bool is_secret = s->kind == TRM_SETTING_SECRET; /* belongs in a file of its own */
		if (!is_secret)
			fprintf(out, "\t// %s\n\t// \"%s\": %s%s%s,\n", s->help, s->name,
					s->kind == TRM_SETTING_LIST ? "[" : "\"",
					s->kind == TRM_SETTING_LIST ? "" : s->fallback,
					s->kind == TRM_SETTING_LIST ? "]" : "\"");
	}
	fputs("}\n", out);
}

static int begin_file(char *path)
{
	make_folders(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out)
		return errno == EEXIST ? CMD_OK : cmd_fail("cannot make %s: %s", path, strerror(errno));
	print_start(out);
	bool has_failed = ferror(out);
	if (fclose(out) == 0 && !has_failed)
		return CMD_OK;
	int error = errno;
	unlink(path); /* otherwise the incomplete file would be used next time */
	return cmd_fail("cannot write %s: %s", path, strerror(error));
}

/* The editor may come with options: VISUAL='emacs -nw'. */
static int run_editor(const char *path)
{
	const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR"), *program = "editor";
	char command[1024];
	int status;

	if (visual && *visual)
		program = visual;
	else if (editor && *editor)
		program = editor;
	if (snprintf(command, sizeof command, "%s \"$1\"", program) >= (int)sizeof command)
		return cmd_fail("the name of the editor in VISUAL or EDITOR is too long");
	pid_t pid = fork();
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", command, "sh", path, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0)
		return cmd_fail("cannot start the editor: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return CMD_OK;
	return cmd_fail("the editor '%s' failed (VISUAL or EDITOR names it)", program);
}

static int edit(char *path)
{
	struct settings settings;
	struct trm_error why = {0};

	if (!*path)
		return print_path(path);
	int code = begin_file(path);
	if (code == CMD_OK)
		code = run_editor(path);
	if (code == CMD_OK && settings_load(&settings, path, &why) < 0)
		return cmd_fail("%s", why.msg);
	return code;
}

/* ---- the command ---- */

enum { OPTION_JSON, OPTION_NAMES };
static const struct option_spec options[] = {
		[OPTION_JSON] = {"--json", 0, NULL, "print an object for KEY, else a list of objects"},
		[OPTION_NAMES] = {"--names", 0, NULL, "print only the keys"},
		{0},
};

static int show_config(const struct options *o, const char *word, bool is_json)
{
	struct effective e = {0};
	char path[PATH_MAX] = "";

	if (word && (!strcmp(word, "path") || !strcmp(word, "edit"))) {
		trm_config_path(o->config_path, path, sizeof path);
		return word[0] == 'p' ? print_path(path) : edit(path);
	}
	if (load_effective(o, &e) != CMD_OK)
		return CMD_FAILED;
	if (word)
		return print_key(&e, word, is_json);
	int code = is_json ? print_settings_json(&e) : print_settings_table(&e);
	setting_unknown_env(describe_leftover, NULL);
	return code;
}

static int config_main(const struct cmd *cmd, int argc, char **argv)
{
	const char *word = NULL;
	unsigned given;
	int code;
	struct options o;

	if (!cmd_read_one(cmd, argc, argv, &o, "KEY", &given, &word, &code))
		return code;
	if (given & 1u << OPTION_NAMES)
		return print_setting_names();
	return show_config(&o, word, given & 1u << OPTION_JSON);
}

const struct cmd cmd_config = {
		.name = "config",
		.usage = "config [KEY | path | edit] [--json | --names]",
		.summary = "settings and their sources",
		.help = "Prints each setting with its value and its source. The first of these wins: an "
			"option given here, the environment, .env in the current directory, the config "
			"file (with line and column), the default. KEY prints only that value, for "
			"scripts. 'path' prints the name of the config file. 'edit' opens it in $VISUAL "
			"or $EDITOR and checks it afterwards; a new file has all settings as comments. 'terrarium help settings' explains each "
			"setting.",
		.options = options,
		.operands = "SETTING|path|edit",
		.run = config_main,
};
