/* SPDX-License-Identifier: MIT */
#include "settings/settings.h"

#include <string.h>

#define FIELD(f) offsetof(struct settings, f), sizeof(((struct settings *)0)->f)
#define RANGE(from, to) .min = (from), .max = (to)

static const struct trm_setting own[] = {
		{"scrollback", "--scrollback", 0, "TERRARIUM_SCROLLBACK", "MIB", "16", TRM_SETTING_BYTES,
				RANGE(1, 4096), .help = "output that the workbench keeps",
				FIELD(scrollback_bytes)},
		{"theme", "--theme", 0, "TERRARIUM_THEME", "THEME", "dark", TRM_SETTING_TEXT,
				.help = "colors of the workbench", FIELD(theme)},
		{"keymap", "--keymap", 0, "TERRARIUM_KEYMAP", "default|emacs|vi", "default", TRM_SETTING_TEXT,
				.help = "set of keys", FIELD(keymap)},
		{"alerts", "--alerts", 0, "TERRARIUM_ALERTS", "off|status|bell|osc9|all", "status",
				TRM_SETTING_CHOICE, .help = "how the workbench alerts you", FIELD(alerts)},
		{"alert_at", "--alert-at", 0, "TERRARIUM_ALERT_AT", "PERCENT", "90", TRM_SETTING_COUNT,
				RANGE(10, 100), .help = "alert when this percentage of a limit is used",
				FIELD(alert_at)},
		{"alert_after", "--alert-after", 0, "TERRARIUM_ALERT_AFTER", "S", "10", TRM_SETTING_SECONDS,
				RANGE(0, 86400), .help = "… for this many seconds", FIELD(alert_after_ms)},
		{"alert_run", "--alert-run", 0, "TERRARIUM_ALERT_RUN", "S", "60", TRM_SETTING_SECONDS,
				RANGE(0.1, 1e6), .zero_is_off = true,
				.help = "alert at the end of a longer run; 0: never", FIELD(alert_run_ms)},
		{"graphs", "--graphs", 0, "TERRARIUM_GRAPHS", "braille|blocks|ascii", "braille",
				TRM_SETTING_CHOICE, .help = "characters of graphs", FIELD(graphs)},
		{"restore", "--restore", 0, "TERRARIUM_RESTORE", "on|off", "on", TRM_SETTING_SWITCH,
				.help = "reopen the last session of this folder", FIELD(restore)},
		{"typing", "--typing", 0, "TERRARIUM_TYPING", "CHARS", "0", TRM_SETTING_COUNT, RANGE(1, 1000),
				.zero_is_off = true, .help = "typing speed of a demo, per second; 0: instant",
				FIELD(typing)},
		{"linear", "--linear", 0, "TERRARIUM_LINEAR", "on|off", "off", TRM_SETTING_SWITCH,
				.help = "use lines of text instead of a screen", FIELD(linear)},
		{"record", "--record", 0, "TERRARIUM_RECORD", "FILE", "", TRM_SETTING_TEXT,
				.not_from_dotenv = true, .help = "record the session to FILE", FIELD(record)},
		{"history", "--history", 0, "TERRARIUM_HISTORY", "on|off", "on", TRM_SETTING_SWITCH,
				.help = "remember what you run, for the list of earlier runs",
				FIELD(history)},
		{"images", "--images", 0, "TERRARIUM_IMAGES", "auto|kitty|sixel|symbols|off", "auto",
				TRM_SETTING_TEXT, .help = "how to draw images", FIELD(images)},
		{"links", "--links", 0, "TERRARIUM_LINKS", "auto|on|off", "auto", TRM_SETTING_CHOICE,
				.help = "make links of URLs in output; auto: where shown", FIELD(links)},
		{"auto_close", "--auto-close", 0, "TERRARIUM_AUTO_CLOSE", "on|off", "on", TRM_SETTING_SWITCH,
				.help = "close brackets and quotes as you type", FIELD(auto_close)},
		{"wrap", "--wrap", 0, "TERRARIUM_WRAP", "on|off", "off", TRM_SETTING_SWITCH,
				.help = "wrap long lines in the editor", FIELD(wrap)},
		{"auto_complete", "--auto-complete", 0, "TERRARIUM_AUTO_COMPLETE", "on|off", "on",
				TRM_SETTING_SWITCH, .help = "complete after a dot", FIELD(auto_complete)},
		{"theme_plots", "--theme-plots", 0, "TERRARIUM_THEME_PLOTS", "on|off", "off",
				TRM_SETTING_SWITCH, .help = "draw matplotlib's plots in the theme's colors",
				FIELD(theme_plots)},
};
enum { N_OWN = sizeof own / sizeof *own };
_Static_assert(offsetof(struct settings, config) == 0, "the library's offsets hold");

static size_t library_count(void)
{
	size_t n;

	trm_settings(&n);
	return n;
}

size_t setting_count(void)
{
	return library_count() + N_OWN;
}

const struct trm_setting *setting_row(size_t i)
{
	size_t n;
	const struct trm_setting *first = trm_settings(&n);

	return i < n ? &first[i] : &own[i - n];
}

bool setting_is_of_screen(size_t i)
{
	return i >= library_count();
}

size_t setting_index(const struct trm_setting *s)
{
	size_t n;
	const struct trm_setting *first = trm_settings(&n);

	return s >= own && s < own + N_OWN ? n + (size_t)(s - own) : (size_t)(s - first);
}

const struct trm_setting *setting_find(const char *key)
{
	for (size_t i = 0; i < N_OWN; i++)
		if (!strcmp(key, own[i].name) || !strcmp(key, own[i].option) || !strcmp(key, own[i].env))
			return &own[i];
	return trm_setting_find(key);
}

int settings_load(struct settings *settings, const char *path, struct trm_error *reterr)
{
	struct trm_program_settings ours = {.rows = own,
			.n = N_OWN,
			.fields = settings,
			.origins = settings->origins + library_count()};

	return trm_config_load_from(&settings->config, path, settings->origins, &ours, reterr);
}
