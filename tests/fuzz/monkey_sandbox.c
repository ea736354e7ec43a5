/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/metrics.h>
#include <terrarium/result.h>
#include <terrarium/session.h>

#include "fuzz/monkey.h"

const char *pick_output(struct monkey *k, size_t *ret_len)
{
	static const char *const bits[] = {"hello", "\n", "\r", "\r\n", "\b", "\t", "\x1b[31m",
			"\x1b[1;4;38;5;200m", "\x1b[0m", "\x1b[48;2;1;2;3m", "\x1b[2K", "\x1b[A", "\x1b[999B",
			"\x1b[5;5H", "\x1b[2J", "\x1b]0;title\x07", "\x1b]52;c;AAAA\x07", "\x1b[?1049h",
			"\x1bP+q\x1b\\", "\x9b", "\xff\xfe", "\xE4\xB8\xAD", "e\xCC\x81", "100%|####| 5/5",
			"Traceback (most recent call last):\n  File \"x.py\", line 3, in f\n", "\x00", "\x1b",
			"\x1b[", "\xF0\x9F\x98\x80", "\x1b[1000000000C", "\x1b[65535;65535r", "\x1b[?25l",
			"\x0e", "\x1b(0qqq\x1b(B"};
	static char bytes[8192];
	size_t len = 0;
	while (len + 128 < sizeof(bytes) && pick(k, 40)) {
		const char *bit = bits[pick(k, sizeof(bits) / sizeof(*bits))];
		size_t n = *bit ? strlen(bit) : 1;
		memcpy(bytes + len, bit, n);
		len += n;
	}
	*ret_len = len;
	return bytes;
}

/* Most often the run in hand; but messages may come late, or of a run that nobody knows. */
static uint32_t pick_serial(struct monkey *k)
{
	return pick(k, 8) ? k->model.run.serial : pick(k, 20);
}

static void accepted(struct monkey *k)
{
	tell(k, (struct msg){.type = MSG_RUN_ACCEPTED,
				.run.serial = pick_serial(k),
				.run.number = ++k->runs});
}

static void started(struct monkey *k)
{
	tell(k, (struct msg){.type = MSG_RUN_STARTED, .run.serial = pick_serial(k)});
}

static void output(struct monkey *k)
{
	size_t n;
	const char *bytes = pick_output(k, &n);
	int stream = 1 + (int)pick(k, 2);
	struct msg msg = {.type = MSG_RUN_OUTPUT,
			.run.serial = pick_serial(k),
			.run.output = {stream, bytes, n}};
	if (pick(k, 8) == 0)
		msg = (struct msg){.type = MSG_LATE, .late = {pick(k, 30), stream, bytes, n}};
	tell(k, msg);
}

static void display(struct monkey *k)
{
	static const char *const mimes[] = {"image/png", "image/svg+xml", "text/html", "text/markdown",
			"text/plain", "application/x-odd", ""};
	size_t n;
	const char *text = pick_text(k, 200, &n);
	struct trm_display d = {.mime = (char *)mimes[pick(k, 7)],
			.data = (char *)text,
			.n = n,
			.bundle = pick(k, 4),
			.more = pick(k, 3)};
	tell(k, (struct msg){.type = MSG_RUN_DISPLAY, .run.serial = pick_serial(k), .run.display = &d});
}

static void kernel_query_input(struct monkey *k)
{
	size_t n;
	tell(k, (struct msg){.type = MSG_RUN_INPUT,
				.run.serial = pick_serial(k),
				.run.input.prompt = pick_text(k, 100, &n),
				.run.input.is_secret = pick(k, 2)});
}

static void memory(struct monkey *k)
{
	tell(k, (struct msg){.type = MSG_RUN_MEMORY,
				.run.serial = pick_serial(k),
				.run.memory_bytes = (uint64_t)pick(k, 1u << 31)});
}

static void stopping(struct monkey *k)
{
	struct trm_stopping how = {.step = (enum trm_stop)pick(k, 4),
			.next = (enum trm_stop)pick(k, 4),
			.next_ms = (int64_t)pick(k, 5000) - 1};
	tell(k, (struct msg){.type = MSG_RUN_STOPPING, .run.serial = pick_serial(k), .run.stopping = &how});
}

static void done(struct monkey *k)
{
	const char *lines[] = {"Traceback (most recent call last):",
			"  File \"<run 1>\", line 1, in <module>", NULL};
	bool has_error = pick(k, 2);
	struct trm_result r = {.status = (enum trm_status)pick(k, TRM_STATUS_LOST + 1),
			.state_lost = pick(k, 4) == 0,
			.number = k->runs,
			.lang = k->model.lang,
			.exit_code = (int)pick(k, 256),
			.reason = pick(k, 3) ? NULL : (char *)"it was too big",
			.hint = pick(k, 3) ? NULL : (char *)"process limit 128 reached",
			.value = pick(k, 2) ? NULL : (char *)"42\n\x1b[31mred",
			.error_name = has_error ? (char *)"ValueError" : NULL,
			.error_message = has_error ? (char *)"bad \x1b[1m" : NULL,
			.traceback = has_error ? (char **)lines : NULL,
			.wall_us = pick(k, 1000000000),
			.has_cpu = pick(k, 2),
			.cpu_us = pick(k, 1000000000),
			.has_mem_peak = pick(k, 2),
			.mem_peak_bytes = pick(k, 1u << 31),
			.dropped_bytes = pick(k, 3) ? 0 : pick(k, 1000000)};
	tell(k, (struct msg){.type = MSG_RUN_DONE, .run.serial = pick_serial(k), .run.result = &r});
}

static void refused(struct monkey *k)
{
	tell(k, (struct msg){.type = MSG_RUN_REFUSED,
				.run.serial = pick_serial(k),
				.run.why = "there is no sandbox"});
}

static void metrics(struct monkey *k)
{
	static struct trm_process processes[80];
	struct trm_metrics m = {
			.processes = processes, .n_processes = pick(k, 80), .has_processes = pick(k, 4) > 0};
	m.sample = (struct trm_sample){.time_ns = k->now_ns,
			.known = pick(k, 4) ? ~0u : pick(k, 1u << 19),
			.cpu_percent = (double)pick(k, 100000) / 100,
			.cpu_limit = pick(k, 5),
			.mem_bytes = (uint64_t)pick(k, 1u << 31) << pick(k, 8),
			.mem_limit_bytes = pick(k, 3) ? (uint64_t)512 << 20 : 0,
			.disk_bytes = pick(k, 1u << 31),
			.disk_limit_bytes = pick(k, 3) ? (uint64_t)256 << 20 : 0,
			.procs = pick(k, 1000),
			.procs_limit = pick(k, 3) ? 128 : 0,
			.net_rx_bytes = pick(k, 1u << 31),
			.uptime_ms = k->now_ns / 1000000,
			.oom_kills = pick(k, 40) == 0,
			.source = "cgroup v2"};
	for (size_t i = 0; i < m.n_processes; i++) {
		processes[i] = (struct trm_process){.pid = pick(k, 60),
				.ppid = pick(k, 60),
				.state = 'R',
				.has_cpu = pick(k, 2),
				.cpu_percent = pick(k, 101),
				.mem_bytes = pick(k, 1u << 31)};
		snprintf(processes[i].command, sizeof(processes[i].command), "%s",
				pick(k, 2) ? "python3 \xE4\xB8\xAD" : "");
	}
	tell(k, (struct msg){.type = MSG_METRICS, .metrics = &m});
}

static void closed(struct monkey *k)
{
	bool is_wanted = pick(k, 2);
	tell(k, (struct msg){.type = MSG_SANDBOX_CLOSED,
				.text = is_wanted ? NULL : "the sandbox was killed from outside"});
	if (pick(k, 2))
		return;
	tell(k, (struct msg){.type = MSG_SANDBOX_STARTING,
				.sandbox.name = "odd-moss",
				.sandbox.backend = "fake"});
	tell(k, (struct msg){.type = MSG_SANDBOX_READY,
				.sandbox.name = "odd-moss",
				.sandbox.backend = "fake"});
}

static void tick(struct monkey *k)
{
	tell(k, (struct msg){.type = MSG_TICK});
}

static void notice(struct monkey *k)
{
	size_t n;
	enum msg_type type = pick(k, 2) ? MSG_NOTICE : MSG_ERROR;
	tell(k, (struct msg){.type = type, .text = pick_text(k, 300, &n)});
}

void monkey_sandbox(struct monkey *k)
{
	static const struct {
		const char *name;
		void (*deed)(struct monkey *);
	} deeds[] = {{"accepted", accepted}, {"started", started}, {"started", started}, {"output", output},
			{"output", output}, {"output", output}, {"display", display},
			{"input", kernel_query_input}, {"memory", memory}, {"stopping", stopping},
			{"done", done}, {"refused", refused}, {"metrics", metrics}, {"metrics", metrics},
			{"closed", closed}, {"tick", tick}, {"tick", tick}, {"notice", notice}};
	uint32_t i = pick(k, sizeof(deeds) / sizeof(*deeds));
	if (strcmp(deeds[i].name, "closed") == 0 && pick(k, 10))
		i = 0;
	snprintf(k->last, sizeof(k->last), "the sandbox told: %s", deeds[i].name);
	deeds[i].deed(k);
}

/* ---- effects ---- */

static void answer(struct monkey *k, const struct effect *effect)
{
	static const char *const answers[] = {"{}", "[]", "null",
			"{\"matches\":[\"abc\",\"abd\"],\"start\":0,\"end\":1}",
			"{\"found\":true,\"text\":\"doc\\nstring\",\"type\":\"int\"}",
			"{\"variables\":[{\"name\":\"x\",\"type\":\"int\"}]}", "[[[[", "{\"items\":[1,2,3]}",
			"\"text\"", "{\"name\":\"\\u0000\"}",
			("{\"matches\":[\"a\\u001b\",7,\"dir/\",\"f.csv\"],\"kinds\":[\"\",null,\"directory\",\"file\"],"
			 "\"start\":0,\"end\":1e9}"),
			"{\"found\":true,\"name\":\"f\",\"signature\":\"f(a)\",\"doc\":\"a\\nb\",\"value\":\"\"}",
			"{\"variables\":[{\"name\":\"y\",\"size\":\"2×3\",\"value\":\"\\u001b[1m\\n\"},7,{}]}"};
	bool has_failed = pick(k, 6) == 0;
	tell(k, (struct msg){.type = MSG_ANSWER,
				.answer.serial = pick(k, 10) ? effect->ask.serial : pick(k, 50),
				.answer.json = has_failed ? NULL
							  : answers[pick(k,
									  sizeof answers / sizeof *answers)],
				.answer.why = has_failed ? "the kernel is busy" : NULL});
}

/* What was run: whole lines, broken ones, hostile ones. */
static void tell_history(struct monkey *k)
{
	static const char *const texts[] = {"", "\n\n\n", "no json\n{\"time\":1",
			"{\"time\":1,\"language\":\"python\",\"status\":\"ok\",\"code\":\"a\\n\\tb\"}\n"
			"{\"time\":1e300,\"language\":\"cobol\",\"code\":\"a\"}\n"
			"{\"time\":-5,\"language\":\"bash\",\"status\":7,\"code\":\"\\u001b[31m\\u202e\"}\n"
			"{\"language\":\"js\",\"code\":\"\"}\n{\"language\":\"js\",\"code\":\"let x\"}\n"};
	const char *text = texts[pick(k, 4)];
	tell(k, (struct msg){.type = MSG_HISTORY,
				.history.bytes = text,
				.history.len = strlen(text),
				.history.now_s = pick(k, 1000)});
}

static void tell_files(struct monkey *k)
{
	static const char *const texts[] = {
			"", "12\ta.csv\n", "\n\t\n999999999999999999999\tb\x1b[31m\n7", "x"};
	uint32_t i = pick(k, 5);
	tell(k, (struct msg){.type = MSG_FILES,
				.files.lines = i < 4 ? texts[i] : NULL,
				.files.has_more = pick(k, 2)});
}

static void tell_themes(struct monkey *k)
{
	static const char names[3][64] = {"dark", "light", "mono"};
	tell(k, (struct msg){.type = MSG_THEMES, .themes.names = names, .themes.n = 3});
}

/* Another program has written the file. */
static void reload(struct monkey *k, uint32_t buffer)
{
	struct buffer *b = buffers_find(&k->model.buffers, buffer);
	size_t n;
	const char *text = pick_text(k, 500, &n);

	if (b && editor_set_text(&b->editor, text, n) == 0)
		tell(k, (struct msg){.type = MSG_RELOADED, .file.buffer = buffer, .file.path = "/tmp/x.py"});
}

void monkey_perform(struct monkey *k, const struct effect *effect)
{
	const char *why = pick(k, 3) ? NULL : "no room", *saved = "/tmp/x.py";
	switch (effect->type) {
	case EFFECT_ASK: answer(k, effect); break;
	case EFFECT_READ_HISTORY: tell_history(k); break;
	case EFFECT_LIST_FILES: tell_files(k); break;
	case EFFECT_OPEN:
		tell(k, (struct msg){.type = MSG_OPENED,
					.file.buffer = buffers_current(&k->model.buffers)->id,
					.file.path = effect->open.path,
					.file.error = why});
		break;
	case EFFECT_SAVE_CHECKED:
		if (pick(k, 2)) {
			tell(k, (struct msg){.type = MSG_SAVE_EXISTS,
						.save_exists.buffer = effect->save.buffer,
						.save_exists.path =
								effect->save.path ? effect->save.path : saved,
						.save_exists.is_changed = pick(k, 2),
						.save_exists.closes = effect->save.closes});
			break;
		}
		/* fallthrough */
	case EFFECT_SAVE:
		tell(k, (struct msg){.type = MSG_SAVED,
					.file.buffer = effect->save.buffer,
					.file.path = effect->save.path ? effect->save.path : saved,
					.file.error = why,
					.file.closes = effect->save.closes});
		break;
	case EFFECT_RELOAD: reload(k, effect->buffer); break;
	case EFFECT_LIST_THEMES: tell_themes(k); break;
	case EFFECT_COMPLETE_PATH: tell(k, (struct msg){.type = MSG_PATH, .path.text = effect->path}); break;
	case EFFECT_EXPORT:
	case EFFECT_EXPORT_OVER:
		tell(k, (struct msg){.type = MSG_EXPORTED,
					.exported.path = effect->path,
					.exported.n_runs = 3,
					.exported.error = why,
					.exported.exists = pick(k, 2)});
		break;
	case EFFECT_RECORD:
	case EFFECT_RECORD_STOP:
		tell(k, (struct msg){.type = MSG_RECORDING,
					.recording.path = effect->type == EFFECT_RECORD ? effect->path
											: "/tmp/x.py",
					.recording.error = why,
					.recording.goes_on = effect->type == EFFECT_RECORD});
		break;
	default: break; /* answered, if at all, by what the sandbox tells */
	}
}
