/* SPDX-License-Identifier: MIT */
#include <terrarium/config.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/cidr.h"
#include "base/err.h"
#include "base/hostlist.h"
#include "base/suggest.h"
#include "config/config.h"

#define FIELD(f) offsetof(struct trm_config, f), sizeof(((struct trm_config *)0)->f)
#define RANGE(from, to) .min = (from), .max = (to)
#define NO_DOTENV .not_from_dotenv = true

static const struct trm_setting settings[] = {
		{"language", "--lang", 'l', "TERRARIUM_LANG", "LANG", "", TRM_SETTING_TEXT,
				.help = "language, see terrarium langs; default: by file name",
				FIELD(language)},
		{"backend", "--backend", 0, "TERRARIUM_BACKEND", "BACKEND", "local", TRM_SETTING_TEXT,
				.help = "local, docker, podman, microsandbox, yours", FIELD(backend)},
		{"isolation", "--isolation", 0, "TERRARIUM_ISOLATION", "auto|namespaces|landlock|none",
				"auto", TRM_SETTING_CHOICE, NO_DOTENV,
				.help = "how a local sandbox is isolated", FIELD(isolation)},
		{"name", "--name", 0, "TERRARIUM_NAME", "NAME", "", TRM_SETTING_TEXT,
				.help = "name of the sandbox; default: a random one", FIELD(name)},
		{"keep", "--keep", 0, "TERRARIUM_KEEP", "on|off", "off", TRM_SETTING_SWITCH,
				.help = "leave the sandbox running, for attach", FIELD(keep)},
		{"idle_timeout", "--idle-timeout", 0, "TERRARIUM_IDLE_TIMEOUT", "S", "28800",
				TRM_SETTING_SECONDS, RANGE(0.1, 4e6), .zero_is_off = true,
				.help = "stop a kept sandbox when idle this long; 0: never",
				FIELD(idle_timeout_ms)},
		{"max_lifetime", "--max-lifetime", 0, "TERRARIUM_MAX_LIFETIME", "S", "604800",
				TRM_SETTING_SECONDS, RANGE(0.1, 4e6), .zero_is_off = true,
				.help = "stop a kept sandbox at this age; 0: never", FIELD(max_lifetime_ms)},
		{"memory", "--memory", 0, "TERRARIUM_MEMORY", "MIB", "512", TRM_SETTING_BYTES,
				RANGE(16, 1 << 20), .help = "memory limit, files included",
				FIELD(limits.mem_bytes)},
		{"cpus", "--cpus", 0, "TERRARIUM_CPUS", "N", "1", TRM_SETTING_CORES, RANGE(0.01, 1024),
				.help = "processor cores, e.g. 0.5", FIELD(limits.cpus)},
		{"processes", "--processes", 0, "TERRARIUM_PROCESSES", "N", "128", TRM_SETTING_COUNT,
				RANGE(8, 32768), .help = "processes and threads", FIELD(limits.procs)},
		{"disk", "--disk", 0, "TERRARIUM_DISK", "MIB", "256", TRM_SETTING_BYTES, RANGE(1, 1 << 20),
				.help = "all files; local: at most 3/4 of memory", FIELD(limits.disk_bytes)},
		{"file_size", "--file-size", 0, "TERRARIUM_FILE_SIZE", "MIB", "256", TRM_SETTING_BYTES,
				RANGE(1, 1 << 20), .help = "largest single file", FIELD(limits.file_bytes)},
		{"open_files", "--open-files", 0, "TERRARIUM_OPEN_FILES", "N", "4096", TRM_SETTING_COUNT,
				RANGE(64, 1 << 20), .help = "open files per process",
				FIELD(limits.open_files)},
		{"net", "--net", 0, "TERRARIUM_NET", "on|off", "off", TRM_SETTING_SWITCH, NO_DOTENV,
				.help = "network access, except to local services", FIELD(limits.net)},
		{"net_allow", "--net-allow", 0, "TERRARIUM_NET_ALLOW", "CIDR", "", TRM_SETTING_RANGES,
				NO_DOTENV, .help = "local range that it may reach; repeatable",
				FIELD(limits.net_allow)},
		{"net_allow_host", "--net-allow-host", 0, "TERRARIUM_NET_ALLOW_HOST", "HOST", "",
				TRM_SETTING_HOSTS, NO_DOTENV,
				.help = "only host that it may reach, *.NAME too; repeatable",
				FIELD(limits.net_allow_host)},
		{"net_credentials", "--net-credentials", 0, "TERRARIUM_NET_CREDENTIALS", "on|off", "off",
				TRM_SETTING_SWITCH, NO_DOTENV,
				.help = "pass on passwords of proxies and indexes", FIELD(net_credentials)},
		{"mount", "--mount", 0, "TERRARIUM_MOUNT", "HOST:GUEST[:rw]", "", TRM_SETTING_LIST, NO_DOTENV,
				.help = "mount a file or folder; repeatable", FIELD(mounts)},
		{"env", "--env", 0, "TERRARIUM_ENV", "NAME[=VALUE]", "", TRM_SETTING_LIST, NO_DOTENV,
				.help = "set a variable inside; repeatable", FIELD(env)},
		{"from", "--from", 0, "TERRARIUM_FROM", "TAG", "", TRM_SETTING_TEXT, NO_DOTENV,
				.help = "start from this snapshot", FIELD(from)},
		{"workdir", "--workdir", 0, "TERRARIUM_WORKDIR", "PATH", "", TRM_SETTING_TEXT,
				.help = "working directory; default: /workspace", FIELD(workdir)},
		{"server_url", "--server-url", 0, "MSB_SERVER_URL", "URL", "http://127.0.0.1:5555",
				TRM_SETTING_TEXT, .help = "URL of the microsandbox server",
				FIELD(server_url)},
		{"api_key", "--api-key", 0, "MSB_API_KEY", "KEY", "", TRM_SETTING_SECRET,
				.help = "key of the server; safer: --api-key-file", FIELD(api_key)},
		{"api_key_file", "--api-key-file", 0, "MSB_API_KEY_FILE", "FILE", "", TRM_SETTING_SECRET_FILE,
				NO_DOTENV, .help = "file that holds the key", FIELD(api_key_file)},
		{"namespace", "--namespace", 0, "MSB_NAMESPACE", "NAMESPACE", "default", TRM_SETTING_TEXT,
				.help = "namespace of the sandbox on its server", FIELD(server_space)},
		{"ca_file", "--ca-file", 0, "TERRARIUM_CA_FILE", "FILE", "", TRM_SETTING_TEXT, NO_DOTENV,
				.help = "certificate authorities for https, in PEM", FIELD(ca_file)},
		{"image", "--image", 0, "TERRARIUM_IMAGE", "IMAGE", "", TRM_SETTING_TEXT,
				.help = "image of a container or server; default: by language", FIELD(image)},
		{"container", "--container", 0, "TERRARIUM_CONTAINER", "ID", "", TRM_SETTING_TEXT, NO_DOTENV,
				.help = "use this existing container", FIELD(container)},
		{"dockerfile", "--dockerfile", 0, "TERRARIUM_DOCKERFILE", "FILE", "", TRM_SETTING_TEXT,
				NO_DOTENV, .help = "build the container's image from FILE",
				FIELD(dockerfile)},
		{"engine_arg", "--engine-arg", 0, "TERRARIUM_ENGINE_ARG", "ARG", "", TRM_SETTING_LIST,
				NO_DOTENV, .help = "pass an option to the container engine; repeatable",
				FIELD(engine_args)},
		{"runtime", "--runtime", 0, "TERRARIUM_RUNTIME", "NAME", "", TRM_SETTING_TEXT,
				.help = "OCI runtime of a container, as runsc", FIELD(runtime)},
		{"environment", "--environment", 0, "TERRARIUM_ENVIRONMENT", "NAME", "", TRM_SETTING_TEXT,
				.help = "environment of micromamba; default: base", FIELD(environment)},
		{"kube_context", "--kube-context", 0, "TERRARIUM_KUBE_CONTEXT", "NAME", "", TRM_SETTING_TEXT,
				.help = "context of kubectl; default: the current one", FIELD(kube_context)},
		{"kube_namespace", "--kube-namespace", 0, "TERRARIUM_KUBE_NAMESPACE", "NAME", "",
				TRM_SETTING_TEXT, .help = "namespace of a pod; default: the context's",
				FIELD(kube_namespace)},
		{"service_account", "--service-account", 0, "TERRARIUM_SERVICE_ACCOUNT", "NAME", "",
				TRM_SETTING_TEXT, .help = "service account of a pod, without its token",
				FIELD(service_account)},
		{"runtime_class", "--runtime-class", 0, "TERRARIUM_RUNTIME_CLASS", "NAME", "",
				TRM_SETTING_TEXT, .help = "runtime class of a pod, as gvisor",
				FIELD(runtime_class)},
		{"pod_manifest", "--pod-manifest", 0, "TERRARIUM_POD_MANIFEST", "FILE", "", TRM_SETTING_TEXT,
				NO_DOTENV, .help = "merge FILE into the manifest of a pod",
				FIELD(pod_manifest)},
		{"warm_pool", "--warm-pool", 0, "TERRARIUM_WARM_POOL", "NAME", "", TRM_SETTING_TEXT,
				.help = "pool of agent-sandbox to claim a pod from", FIELD(warm_pool)},
		{"template", "--template", 0, "TERRARIUM_TEMPLATE", "NAME", "", TRM_SETTING_TEXT,
				.help = "template of agent-sandbox for a new pod", FIELD(sandbox_template)},
		{"kube_transport", "--kube-transport", 0, "TERRARIUM_KUBE_TRANSPORT", "auto|exec", "auto",
				TRM_SETTING_CHOICE, .help = "reach pods by kubectl proxy, or by exec alone",
				FIELD(kube_transport)},
		{"user", "--user", 0, "TERRARIUM_USER", "USER[:GROUP]", "", TRM_SETTING_TEXT, NO_DOTENV,
				.help = "user in a container; default: the image's, not root", FIELD(user)},
		{"read_only", "--read-only", 0, "TERRARIUM_READ_ONLY", "on|off", "off", TRM_SETTING_SWITCH,
				.help = "make the root of a container read-only", FIELD(read_only)},
		{"commit", "--commit", 0, "TERRARIUM_COMMIT", "TAG", "", TRM_SETTING_TEXT, NO_DOTENV,
				.help = "save the container as image TAG at the end", FIELD(commit)},
		{"commit_over", "--commit-over", 0, "TERRARIUM_COMMIT_OVER", "on|off", "off",
				TRM_SETTING_SWITCH, NO_DOTENV,
				.help = "allow to overwrite the image it came from", FIELD(commit_over)},
		{"keep_image", "--keep-image", 0, "TERRARIUM_KEEP_IMAGE", "on|off", "off", TRM_SETTING_SWITCH,
				.help = "keep an image that was pulled or built", FIELD(keep_image)},
		{"volume", "--volume", 0, "TERRARIUM_VOLUME", "HOST:GUEST", "", TRM_SETTING_LIST, NO_DOTENV,
				.help = "mount a path of the server; repeatable", FIELD(volumes)},
		{"port", "--port", 0, "TERRARIUM_PORT", "HOST:GUEST", "", TRM_SETTING_LIST, NO_DOTENV,
				.help = "forward a port of the server; repeatable", FIELD(ports)},
		{"shell", "--shell", 0, "TERRARIUM_SHELL", "PATH", "", TRM_SETTING_TEXT,
				.help = "shell of a sandbox on a server", FIELD(shell)},
		{"script", "--script", 0, "TERRARIUM_SCRIPT", "NAME=FILE", "", TRM_SETTING_LIST, NO_DOTENV,
				.help = "add FILE to /.sandbox/scripts; repeatable", FIELD(scripts)},
		{"verbose", "--verbose", 'v', "TERRARIUM_VERBOSE", "on|off", "off", TRM_SETTING_SWITCH,
				.help = "print each command that is run for a sandbox", FIELD(verbose)},
		{"timeout", "--timeout", 0, "TERRARIUM_TIMEOUT", "S", "30", TRM_SETTING_SECONDS,
				RANGE(0.001, 4e6), .zero_is_off = true,
				.help = "time limit of a run in seconds; 0: none", FIELD(timeout_ms)},
		{"grace", "--grace", 0, "TERRARIUM_GRACE", "S", "2", TRM_SETTING_SECONDS, RANGE(0, 3600),
				.zero_is_off = true, .help = "seconds from interrupt to SIGTERM or kill",
				FIELD(grace_ms)},
		{"terminate_grace", "--terminate-grace", 0, "TERRARIUM_TERMINATE_GRACE", "S", "2",
				TRM_SETTING_SECONDS, RANGE(0, 3600), .zero_is_off = true,
				.help = "seconds from SIGTERM to kill; 0: no SIGTERM",
				FIELD(terminate_grace_ms)},
		{"start_timeout", "--start-timeout", 0, "TERRARIUM_START_TIMEOUT", "S", "180",
				TRM_SETTING_SECONDS, RANGE(0.1, 86400),
				.help = "time limit of a start in seconds", FIELD(start_timeout_ms)},
		{"metrics_interval", "--metrics-interval", 0, "TERRARIUM_METRICS_INTERVAL", "S", "1",
				TRM_SETTING_SECONDS, RANGE(0.2, 60), .help = "seconds between samples",
				FIELD(metrics_interval_ms)},
		{"keep_output", "--keep-output", 0, "TERRARIUM_KEEP_OUTPUT", "MIB", "64", TRM_SETTING_BYTES,
				RANGE(1, 1024), .help = "output to keep in the result of a run",
				FIELD(output_keep_bytes)},
		{"max_output", "--max-output", 0, "TERRARIUM_MAX_OUTPUT", "MIB", "0", TRM_SETTING_BYTES,
				RANGE(0.001, 1 << 30), .zero_is_off = true,
				.help = "interrupt a run that prints more; 0: no limit",
				FIELD(output_max_bytes)},
		{"confirm", "--confirm", 0, "TERRARIUM_CONFIRM", "on|off", "on", TRM_SETTING_SWITCH,
				NO_DOTENV, .help = "ask before running code", FIELD(confirm)},
		{"trust", "--trust", 0, "TERRARIUM_TRUST", "BACKEND,…|all", "", TRM_SETTING_TEXT, NO_DOTENV,
				.help = "ask only about findings of high severity there", FIELD(trust)},
		{"policy", "--policy", 0, "TERRARIUM_POLICY", "POLICY", "development", TRM_SETTING_TEXT,
				NO_DOTENV, .help = "policy that checks code before it runs", FIELD(policy)},
		{"policy_mode", "--policy-mode", 0, "TERRARIUM_POLICY_MODE", "advise|ask|enforce", "advise",
				TRM_SETTING_CHOICE, NO_DOTENV, .help = "show findings, always ask, or refuse",
				FIELD(policy_mode)},
		{"memory_alert", "--memory-alert", 0, "TERRARIUM_MEMORY_ALERT", "ask|interrupt|off", "ask",
				TRM_SETTING_CHOICE, .help = "what to do near the memory limit",
				FIELD(memory_alert)},
		{"memory_alert_at", "--memory-alert-at", 0, "TERRARIUM_MEMORY_ALERT_AT", "PERCENT", "90",
				TRM_SETTING_COUNT, RANGE(10, 99),
				.help = "percent of the memory limit to act at", FIELD(memory_alert_at)},
		{"max_size", "--max-size", 0, "TERRARIUM_MAX_SIZE", "MIB", "4096", TRM_SETTING_BYTES,
				RANGE(1, 1 << 30), .help = "size limit of one source of a copy",
				FIELD(max_copy_bytes)},
		{"max_files", "--max-files", 0, "TERRARIUM_MAX_FILES", "N", "1000000", TRM_SETTING_COUNT,
				RANGE(1, 4e9), .help = "limit of files in one source of a copy",
				FIELD(max_copy_files)},
};
#define N_SETTINGS (sizeof settings / sizeof *settings)
_Static_assert(N_SETTINGS + OWN_SETTINGS_MAX <= SETTINGS_MAX, "tables by row have room for each");

const struct trm_setting *trm_settings(size_t *ret_count)
{
	*ret_count = N_SETTINGS;
	return settings;
}

/* A setting has three names; the first character of the key says which one to compare. */
static bool is_called(const struct trm_setting *s, const char *key)
{
	return strcmp(key, *key == '-' ? s->option : *key >= 'A' && *key <= 'Z' ? s->env : s->name) == 0;
}

const struct trm_setting *trm_setting_find(const char *key)
{
	for (size_t i = 0; i < N_SETTINGS; i++)
		if (is_called(&settings[i], key))
			return &settings[i];
	return NULL;
}

/* ---- with those of the program ------------------------------------------------ */

size_t config_count(const struct config_target *target)
{
	return N_SETTINGS + (target->own ? target->own->n : 0);
}

const struct trm_setting *config_row(const struct config_target *target, size_t row)
{
	return row < N_SETTINGS ? &settings[row] : &target->own->rows[row - N_SETTINGS];
}

size_t config_find(const struct config_target *target, const char *key)
{
	size_t n = config_count(target), row = 0;
	while (row < n && !is_called(config_row(target, row), key))
		row++;
	return row;
}

const char *config_nearest(const struct config_target *target, const char *key)
{
	struct suggest near;
	suggest_init(&near, key);
	for (size_t i = 0, n = config_count(target); i < n; i++)
		suggest_try(&near, config_row(target, i)->name);
	return near.best;
}

int config_set_row(const struct config_target *target, size_t row, const char *text, const char *label,
		struct trm_error *reterr)
{
	return trm_config_set(row < N_SETTINGS ? (void *)target->config : target->own->fields,
			config_row(target, row), text, label, reterr);
}

void config_note(const struct config_target *target, size_t row, enum trm_config_from from, size_t line,
		size_t column)
{
	bool is_own = row >= N_SETTINGS;
	struct trm_config_origin *origins = is_own ? target->own->origins : target->origins;
	if (origins)
		origins[is_own ? row - N_SETTINGS : row] =
				(struct trm_config_origin){from, (uint32_t)line, (uint32_t)column};
}

/* ---- numbers ---------------------------------------------------------------- */

/* Parse a decimal number, independent of the locale: [+-]digits[.digits]. Returns the rest, or NULL. */
static const char *read_decimal(const char *text, double *ret)
{
	double value = 0, scale = 1;
	bool is_negative = *text == '-', has_digit = false;
	text += *text == '-' || *text == '+';
	for (; *text >= '0' && *text <= '9'; text++, has_digit = true)
		value = value * 10 + (*text - '0');
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++, has_digit = true)
			value += (*text - '0') * (scale /= 10);
	*ret = is_negative ? -value : value;
	return has_digit ? text : NULL;
}

struct unit {
	enum trm_setting_kind kind;
	const char *suffix;
	double factor; /* of the typed unit */
};

static const struct unit units[] = {
		{TRM_SETTING_BYTES, "K", 1.0 / 1024},
		{TRM_SETTING_BYTES, "Ki", 1.0 / 1024},
		{TRM_SETTING_BYTES, "KiB", 1.0 / 1024},
		{TRM_SETTING_BYTES, "KB", 1.0 / 1024},
		{TRM_SETTING_BYTES, "M", 1},
		{TRM_SETTING_BYTES, "Mi", 1},
		{TRM_SETTING_BYTES, "MiB", 1},
		{TRM_SETTING_BYTES, "MB", 1},
		{TRM_SETTING_BYTES, "G", 1024},
		{TRM_SETTING_BYTES, "Gi", 1024},
		{TRM_SETTING_BYTES, "GiB", 1024},
		{TRM_SETTING_BYTES, "GB", 1024},
		{TRM_SETTING_SECONDS, "ms", 0.001},
		{TRM_SETTING_SECONDS, "s", 1},
		{TRM_SETTING_SECONDS, "m", 60},
		{TRM_SETTING_SECONDS, "min", 60},
		{TRM_SETTING_SECONDS, "h", 3600},
		{TRM_SETTING_SECONDS, "d", 86400},
};

static bool read_quantity(enum trm_setting_kind kind, const char *text, double *ret)
{
	const char *rest = read_decimal(text, ret);
	if (!rest)
		return false;
	if (!*rest)
		return true;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (units[i].kind == kind && !strcasecmp(rest, units[i].suffix)) {
			*ret *= units[i].factor;
			return true;
		}
	return false;
}

/* The name of a number of each kind, before "must be …", and its unit after the limit. */
static const struct {
	const char *noun, *unit;
} words[] = {
		[TRM_SETTING_BYTES] = {"a number of MiB, such as 512 or 2G", " MiB"},
		[TRM_SETTING_CORES] = {"a number of cores, such as 1 or 0.5", " cores"},
		[TRM_SETTING_COUNT] = {"a whole number", ""},
		[TRM_SETTING_SECONDS] = {"a number of seconds, such as 30 or 500ms", " seconds"},
};

static int check_range(const struct trm_setting *s, double value, const char *text, const char *label,
		struct trm_error *reterr)
{
	if (value == 0 && s->zero_is_off)
		return 0;
	if (value < s->min)
		return trm_error_set(reterr, TRM_EINVAL, "%s %s: must be at least %.10g%s%s", label, text,
				s->min, words[s->kind].unit,
				s->zero_is_off && s->min > 0 ? ", or 0 for no limit" : "");
	if (value > s->max)
		return trm_error_set(reterr, TRM_EINVAL, "%s %s: must be at most %.10g%s", label, text,
				s->max, words[s->kind].unit);
	return 0;
}

static int set_number(void *fields, const struct trm_setting *s, const char *text, const char *label,
		struct trm_error *reterr)
{
	void *field = (char *)fields + s->offset;
	double value;
	if (!read_quantity(s->kind, text, &value)
			|| (s->kind == TRM_SETTING_COUNT && value != (double)(int64_t)value))
		return trm_error_set(reterr, TRM_EINVAL, "%s %s: must be %s", label, *text ? text : "''",
				words[s->kind].noun);
	int r = check_range(s, value, text, label, reterr);
	if (r < 0)
		return r;
	switch (s->kind) {
	case TRM_SETTING_BYTES: *(uint64_t *)field = (uint64_t)(value * (1 << 20)); break;
	case TRM_SETTING_CORES: *(double *)field = value; break;
	case TRM_SETTING_SECONDS: *(uint32_t *)field = (uint32_t)(value * 1000 + 0.5); break;
	default: *(uint32_t *)field = (uint32_t)value;
	}
	return 0;
}

/* ---- the rest ----------------------------------------------------------------- */

static int set_switch(void *fields, const struct trm_setting *s, const char *text, const char *label,
		struct trm_error *reterr)
{
	static const char *const yes[] = {"on", "true", "yes", "1"}, *const no[] = {"off", "false", "no",
										     "0"};
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		if (!strcasecmp(text, yes[i]) || !strcasecmp(text, no[i])) {
			*(bool *)((char *)fields + s->offset) = !strcasecmp(text, yes[i]);
			return 0;
		}
	return trm_error_set(reterr, TRM_EINVAL, "%s %s: must be on or off", label, *text ? text : "''");
}

static int set_text(void *fields, const struct trm_setting *s, const char *text, const char *label,
		struct trm_error *reterr)
{
	size_t n = strlen(text);
	if (n >= s->size)
		return trm_error_set(reterr, TRM_EINVAL, "%s %.40s…: must not be longer than %zu bytes",
				label, text, s->size - 1);
	if (!n && *s->fallback)
		return trm_error_set(reterr, TRM_EINVAL, "%s '': must not be empty", label);
	memcpy((char *)fields + s->offset, text, n + 1);
	return 0;
}

static int set_ranges(void *fields, const struct trm_setting *s, const char *text, const char *label,
		struct trm_error *reterr)
{
	struct cidr ranges[CIDR_LIST_MAX];
	struct trm_error why = {0};
	size_t n;
	if (!*text)
		return set_text(fields, s, text, label, reterr);
	if (cidr_parse_list(text, ranges, &n, &why) < 0)
		return trm_error_set(reterr, TRM_EINVAL, "%s: %s", label, why.msg);
	return set_text(fields, s, text, label, reterr);
}

static int set_hosts(void *fields, const struct trm_setting *s, const char *text, const char *label,
		struct trm_error *reterr)
{
	struct host_rule rules[HOSTLIST_MAX];
	struct trm_error why = {0};
	size_t n;
	if (hostlist_parse(text, rules, &n, &why) < 0)
		return trm_error_set(reterr, TRM_EINVAL, "%s: %s", label, why.msg);
	return set_text(fields, s, text, label, reterr);
}

/* "ask|interrupt|off" as "ask, interrupt or off". */
static void list_choices(const char *choices, char *out, size_t cap)
{
	size_t used = 0;
	for (const char *at = choices; *at && used + 1 < cap;) {
		size_t n = strcspn(at, "|");
		bool is_last = !at[n], is_next_last = !is_last && !strchr(at + n + 1, '|');
		int wrote = snprintf(out + used, cap - used, "%.*s%s", (int)n, at,
				is_last        ? ""
				: is_next_last ? " or "
					       : ", ");
		used += wrote > 0 ? (size_t)wrote : 0;
		at += n + !is_last;
	}
}

static int set_choice(void *fields, const struct trm_setting *s, const char *text, const char *label,
		struct trm_error *reterr)
{
	char choices[96];
	for (const char *at = s->metavar; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
		size_t n = strcspn(at, "|");
		if (strlen(text) == n && !strncasecmp(text, at, n) && n < s->size) {
			memcpy((char *)fields + s->offset, at, n);
			((char *)fields + s->offset)[n] = '\0';
			return 0;
		}
	}
	list_choices(s->metavar, choices, sizeof choices);
	return trm_error_set(reterr, TRM_EINVAL, "%s %.40s: must be %s", label, *text ? text : "''", choices);
}

int trm_config_set(void *fields, const struct trm_setting *s, const char *text, const char *label,
		struct trm_error *reterr)
{
	switch (s->kind) {
	case TRM_SETTING_TEXT: return set_text(fields, s, text, label, reterr);
	case TRM_SETTING_RANGES: return set_ranges(fields, s, text, label, reterr);
	case TRM_SETTING_HOSTS: return set_hosts(fields, s, text, label, reterr);
	case TRM_SETTING_LIST: return list_set(fields, s, text, label, reterr);
	case TRM_SETTING_SECRET: return secret_set(fields, s, text, label, reterr);
	case TRM_SETTING_SECRET_FILE: return secret_set_file(fields, s, text, label, reterr);
	case TRM_SETTING_CHOICE: return set_choice(fields, s, text, label, reterr);
	case TRM_SETTING_SWITCH: return set_switch(fields, s, text, label, reterr);
	default: return set_number(fields, s, text, label, reterr);
	}
}

/* Returns the length that it would have, as snprintf() does. */
static size_t get_field(const void *fields, const struct trm_setting *s, char *out, size_t cap)
{
	const void *field = (const char *)fields + s->offset;
	if (strcmp(s->name, "server_url") == 0)
		return secret_get_url(fields, s, out, cap);
	switch (s->kind) {
	case TRM_SETTING_LIST: return list_get(fields, s, out, cap);
	case TRM_SETTING_SECRET: return secret_get(fields, s, out, cap);
	case TRM_SETTING_SECRET_FILE:
	case TRM_SETTING_CHOICE:
	case TRM_SETTING_RANGES:
	case TRM_SETTING_HOSTS:
	case TRM_SETTING_TEXT: return (size_t)snprintf(out, cap, "%s", (const char *)field);
	case TRM_SETTING_SWITCH: return (size_t)snprintf(out, cap, "%s", *(const bool *)field ? "on" : "off");
	case TRM_SETTING_BYTES:
		return (size_t)snprintf(out, cap, "%.10g", (double)*(const uint64_t *)field / (1 << 20));
	case TRM_SETTING_CORES: return (size_t)snprintf(out, cap, "%.10g", *(const double *)field);
	case TRM_SETTING_SECONDS:
		return (size_t)snprintf(out, cap, "%.10g", *(const uint32_t *)field / 1000.0);
	case TRM_SETTING_COUNT: break;
	}
	return (size_t)snprintf(out, cap, "%u", *(const uint32_t *)field);
}

const char *trm_config_get(const void *fields, const struct trm_setting *s, char *out, size_t cap)
{
	get_field(fields, s, out, cap);
	return out;
}

void trm_config_default(struct trm_config *config)
{
	memset(config, 0, sizeof *config);
	for (size_t i = 0; i < N_SETTINGS; i++)
		trm_config_set(config, &settings[i], settings[i].fallback, settings[i].name, NULL);
}
