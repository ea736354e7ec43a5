/* SPDX-License-Identifier: MIT */
#include <terrarium/terrarium.h>

#include "app/app.h"
#include "cmd/cmd.h"
#include "record/file.h"

static int show_recording(const struct settings *settings, const char *config_path, const char *path)
{
	struct recording recording;
	struct trm_error why = {0};
	struct app_opts opts;

	int code = workbench_opts(settings, config_path, &opts);
	if (code != CMD_OK)
		return code;
	if (recording_load(&recording, path, &why) < 0)
		return cmd_fail("%s", why.msg);
	opts.replay = &recording;
	opts.record = NULL;
	opts.has_history = opts.restore = false; /* the person did not do any of the recorded work */
	code = app_main(&opts);
	recording_finish(&recording);
	return code;
}

static int replay_main(const struct cmd *cmd, int argc, char **argv)
{
	struct settings settings;
	const char *path;
	unsigned given;
	int code;
	struct options o;

	if (!cmd_read_one(cmd, argc, argv, &o, "RECORDING", &given, &path, &code))
		return code;
	if (!path)
		return cmd_fail("nothing to replay: give a RECORDING (made with terrarium --record FILE)");
	return options_settings(&o, &settings) < 0 ? CMD_FAILED
						   : show_recording(&settings, o.config_path, path);
}

static const char *const settings[] = {"theme", "keymap", "linear", NULL};

const struct cmd cmd_replay = {
		.name = "replay",
		.usage = "replay [OPTIONS] RECORDING",
		.summary = "play a recorded session",
		.help = "Plays a recorded session as it happened. No code runs. Space pauses, the arrow "
			"keys seek by 5 seconds, [ and ] by run, + and - change the speed, and a click "
			"on the time bar goes there.",
		.operands = "FILE",
		.settings = settings,
		.run = replay_main,
};
