/* SPDX-License-Identifier: MIT */
/* Finds the limit that a run or command ran into. The sandbox's counters decide (kills for memory,
 * refused processes, files that fill the disk). Where nothing is counted, the code's last error message
 * decides. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <terrarium/install.h>
#include <terrarium/lang.h>
#include <terrarium/result.h>

#include "sandbox/sandbox.h"

enum { LAST_WORDS_BYTES = 4096 };
static const uint64_t mib = 1024 * 1024;

/* ---- the last output ----------------------------------------------------------------- */

void said_note(struct said *w, const char *bytes, size_t n)
{
	const size_t room = LAST_WORDS_BYTES - 1;
	if (!w->bytes && !(w->bytes = malloc(LAST_WORDS_BYTES)))
		return;
	if (n >= room) {
		memcpy(w->bytes, bytes + n - room, room);
		w->n = room;
	} else {
		size_t keep = w->n < room - n ? w->n : room - n;
		memmove(w->bytes, w->bytes + w->n - keep, keep);
		memcpy(w->bytes + keep, bytes, n);
		w->n = keep + n;
	}
	w->bytes[w->n] = '\0';
}

void said_finish(struct said *w)
{
	free(w->bytes);
	*w = (struct said){0};
}

/* ---- the counters ------------------------------------------------------------------ */

/* How far a counter has risen since the beginning. */
static uint64_t rise(const struct limit_report *m, enum trm_metric bit, uint64_t before, uint64_t after)
{
	return m->before.known & m->now.known & bit && after > before ? after - before : 0;
}

uint64_t limit_report_kills(const struct limit_report *m)
{
	return rise(m, TRM_METRIC_OOM_KILLS, m->before.oom_kills, m->now.oom_kills);
}

/* At a kill the usage may be just below the limit: the request that was refused is not counted. */
void limit_report_describe_memory(const struct limit_report *m, char *out, size_t cap)
{
	uint64_t limit = m->sandbox->opts.limits.mem_bytes;
	uint64_t used = m->now.known & TRM_METRIC_MEM_PEAK ? m->now.mem_peak_bytes : limit;
	if (used > limit)
		used = limit;
	snprintf(out, cap, "out of memory at %" PRIu64 " of %" PRIu64 " MiB", (used + mib / 2) / mib,
			limit / mib);
}

/* ---- complaints of the code ------------------------------------------------------------- */

/* Messages of programs that give up because an allocation was refused. Where nothing is counted, only
 * these tell. */
static bool starved(const char *words)
{
	static const char *const SAID[] = {"JavaScript heap out of memory", "Fatal javascript OOM",
			"xrealloc: cannot allocate", "xmalloc: cannot allocate", "memory exhausted",
			"Cannot allocate memory", "std::bad_alloc"};
	for (size_t i = 0; i < sizeof SAID / sizeof *SAID; i++)
		if (strstr(words, SAID[i]))
			return true;
	return false;
}

/* Does the code's error or its last output contain this? Node prints the name of the constant, Python and
 * the C library print the sentence. */
static bool complains_of(const struct limit_report *m, const char *name, const char *sentence)
{
	const struct trm_result *r = m->result;
	const char *const texts[] = {r->error_message, r->error_name, m->last_words};
	if (r->status == TRM_STATUS_OK)
		return false;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i] && (strstr(texts[i], name) || strstr(texts[i], sentence)))
			return true;
	return false;
}

static bool limit_report_memory(const struct limit_report *m, char *out, size_t cap)
{
	char words[96];
	uint64_t kills = limit_report_kills(m);
	/* The reason of a run whose interpreter has ended says it already. */
	if (!kills || m->result->status == TRM_STATUS_KILLED || m->result->state_lost)
		return false;
	limit_report_describe_memory(m, words, sizeof words);
	if (kills == 1)
		snprintf(out, cap, "a process of this run was killed: %s", words);
	else
		snprintf(out, cap, "%" PRIu64 " processes of this run were killed: %s", kills, words);
	return true;
}

/* Bash tries again, and may succeed. */
static bool complains_of_processes(const struct limit_report *m)
{
	return complains_of(m, "EAGAIN", "Resource temporarily unavailable")
	       || complains_of(m, "can't start new thread", "can't start new thread")
	       || strstr(m->last_words, "fork: retry: Resource temporarily unavailable");
}

static bool limit_report_processes(const struct limit_report *m, char *out, size_t cap)
{
	const enum trm_metric bit = TRM_METRIC_PROCS_REFUSED;
	uint64_t times = rise(m, bit, m->before.procs_refused, m->now.procs_refused);
	/* Without an earlier sample, a count does not say when. */
	bool is_counted = m->now.known & bit && (m->before.known & bit || !m->now.procs_refused);
	if (times > 1)
		snprintf(out, cap, "process limit %u reached %" PRIu64 " times during this run",
				m->sandbox->opts.limits.procs, times);
	else if (times == 1 || (!is_counted && complains_of_processes(m)))
		snprintf(out, cap, "process limit %u reached during this run", m->sandbox->opts.limits.procs);
	return times || out[0];
}

static bool has_full_table(const struct trm_sample *at)
{
	return at->known & TRM_METRIC_FILES && at->files + 8 >= at->files_limit;
}

static bool has_full_disk(const struct trm_sample *at)
{
	return at->known & TRM_METRIC_DISK && at->known & TRM_METRIC_DISK_LIMIT
	       && at->disk_bytes + 64 * 1024 >= at->disk_limit_bytes;
}

/* Did the run fill the disk? If the disk was full before, only if the run failed with ENOSPC. */
static bool ran_into(const struct limit_report *m, bool (*is_full)(const struct trm_sample *))
{
	bool is_quiet = !m->result->error_message && !strstr(m->last_words, "No space left on device");
	return is_full(&m->now) && !(is_full(&m->before) && is_quiet);
}

/* Every file uses some of the host's memory, even an empty one. */
static bool limit_report_files(const struct limit_report *m, char *out, size_t cap)
{
	const struct trm_sample *now = &m->now;
	if (!ran_into(m, has_full_table))
		return false;
	snprintf(out, cap, "disk full: %" PRIu64 " of %" PRIu64 " files and folders", now->files,
			now->files_limit);
	return true;
}

/* Is this limit of our own sandbox only watched? */
static bool is_weak(const struct trm_sandbox *sandbox, const char *limit)
{
	const struct trm_guard *guards;
	size_t n = strcmp(sandbox->backend, "local") == 0 ? trm_sandbox_guards(sandbox, &guards) : 0;
	for (size_t i = 0; i < n; i++)
		if (strcmp(guards[i].what, limit) == 0)
			return guards[i].strength == TRM_WEAK;
	return false;
}

/* Where the disk is only watched, its files share the place with those of this machine, which may be full
 * before the limit is reached. */
static bool limit_report_disk(const struct limit_report *m, char *out, size_t cap)
{
	const struct trm_sample *now = &m->now;
	bool is_known = now->known & TRM_METRIC_DISK && now->known & TRM_METRIC_DISK_LIMIT;
	uint64_t limit = is_known ? now->disk_limit_bytes : m->sandbox->opts.limits.disk_bytes;
	const char *other = is_weak(m->sandbox, "disk") ? "; or this machine's disk is full" : "";
	if (!ran_into(m, has_full_disk) && !complains_of(m, "ENOSPC", "No space left on device"))
		return false;
	if (!is_known)
		snprintf(out, cap, "disk full during this run: limit %" PRIu64 " MiB, in use n/a%s",
				limit / mib, other);
	else if (now->disk_bytes < limit - limit / 20)
		snprintf(out, cap,
				"disk full during this run: limit %" PRIu64 " MiB, now %" PRIu64 " in use%s",
				limit / mib, now->disk_bytes / mib, other);
	else
		snprintf(out, cap, "disk full: %" PRIu64 " of %" PRIu64 " MiB",
				(now->disk_bytes + mib / 2) / mib, limit / mib);
	return true;
}

/* A hard limit of the user may be lower than ours. */
static uint64_t file_limit(const struct trm_sandbox *sandbox)
{
	struct rlimit now;
	uint64_t limit = sandbox->opts.limits.file_bytes;
	bool is_ours = strcmp(sandbox->backend, "local") == 0 && getrlimit(RLIMIT_FSIZE, &now) == 0;
	return is_ours && now.rlim_max < limit ? now.rlim_max : limit;
}

/* When a watched disk is full, no file can grow: the error is the same. */
static bool limit_report_file_size(const struct limit_report *m, char *out, size_t cap)
{
	const struct trm_limits *limits = &m->sandbox->opts.limits;
	bool is_child = m->result->exit_code == 128 + SIGXFSZ && m->result->status == TRM_STATUS_ERROR;
	if (!is_child && !complains_of(m, "EFBIG", "File too large")
			&& !complains_of(m, "File size limit exceeded", "file size limit exceeded"))
		return false;
	int n = snprintf(out, cap, "file size limit %" PRIu64 " MiB reached", file_limit(m->sandbox) / mib);
	if (is_weak(m->sandbox, "disk"))
		snprintf(out + n, cap - (size_t)n, ", or disk limit %" PRIu64 " MiB",
				limits->disk_bytes / mib);
	return true;
}

static bool limit_report_open_files(const struct limit_report *m, char *out, size_t cap)
{
	if (!complains_of(m, "EMFILE", "Too many open files"))
		return false;
	snprintf(out, cap, "limit of %u open files reached", m->sandbox->opts.limits.open_files);
	return true;
}

/* An allocation was refused outright: nothing was killed or counted. */
static bool limit_report_allocation(const struct limit_report *m, char *out, size_t cap)
{
	if (!complains_of(m, "MemoryError", "Cannot allocate memory")
			&& !complains_of(m, "ENOMEM", "Array buffer allocation failed")
			&& (m->result->status == TRM_STATUS_OK || !starved(m->last_words)))
		return false;
	snprintf(out, cap, "an allocation was refused: memory limit %" PRIu64 " MiB",
			m->sandbox->opts.limits.mem_bytes / mib);
	return true;
}

/* Does the traceback or last output mention this word? */
static bool mentions_word(const struct limit_report *m, const char *word)
{
	bool is_found = strstr(m->last_words, word);
	for (char **line = m->result->traceback; line && *line && !is_found; line++)
		is_found = strstr(*line, word);
	return is_found;
}

/* Without a control group for memory the filter of system calls is strict. The error only says that the
 * call does not exist, or that it is not permitted. */
static bool limit_report_uncounted_memory(const struct limit_report *m, char *out, size_t cap)
{
	static const char *const MISSING[] = {
			"memfd", "shmget", "msgget", "semget", "share memory", "message queue", "semaphore"};
	bool is_met = complains_of(m, "EPERM", "peration not permitted") && mentions_word(m, "mmap");
	bool is_missing = complains_of(m, "ENOSYS", strerror(ENOSYS));
	for (size_t i = 0; is_missing && !is_met && i < sizeof MISSING / sizeof *MISSING; i++)
		is_met = mentions_word(m, MISSING[i]);
	if (!is_met || !is_weak(m->sandbox, "memory"))
		return false;
	snprintf(out, cap,
			"without control groups, memory that cannot be counted is refused: memfd_create, System V "
			"IPC, shared anonymous mmap (see 'terrarium doctor')");
	return true;
}

/* What programs say without a network. */
static const char *const UNREACHED[] = {"Temporary failure in name resolution", "Name or service not known",
		"Temporary failure resolving", "Could not resolve host", "unable to resolve host address",
		"UnknownHostException", "EAI_AGAIN", "ENOTFOUND", "ENETUNREACH", "etwork is unreachable",
		"Failed to connect to "};
/* Who wanted to reach the sandbox itself needs no network. */
static const char *const OWN_ADDRESSES[] = {"127.0.0.1", "localhost", "::1"};

static bool mentions_one(const struct limit_report *m, const char *const *words, size_t n)
{
	bool is_found = false;
	for (size_t i = 0; i < n && !is_found; i++)
		is_found = mentions_word(m, words[i])
			   || (m->result->error_message && strstr(m->result->error_message, words[i]));
	return is_found;
}

/* Does the line name a file, as "/run/db.sock"? Those of a traceback's places and bash's /dev/tcp do not
 * count. */
static bool names_path(const char *line, size_t n)
{
	size_t indent = strspn(line, " ");
	if (!strncmp(line + indent, "File \"", 6) || !strncmp(line + indent, "at ", 3))
		return false;
	for (size_t i = 0; i + 1 < n; i++)
		if (line[i] == '/' && isalnum((unsigned char)line[i + 1])
				&& (!i || strchr(" '\"(:=", line[i - 1]))
				&& strncmp(line + i, "/dev/tcp/", 9) != 0
				&& strncmp(line + i, "/dev/udp/", 9) != 0)
			return true;
	return false;
}

static bool text_names_path(const char *text)
{
	for (size_t n; text && *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		if (names_path(text, n))
			return true;
	}
	return false;
}

/* Without namespaces a connection is forbidden. So is a file, whose path is named. */
static bool is_connection_forbidden(const struct limit_report *m)
{
	if (!complains_of(m, "EACCES", "Permission denied") || !mentions_word(m, "connect")
			|| text_names_path(m->result->error_message) || text_names_path(m->last_words))
		return false;
	for (char **line = m->result->traceback; line && *line; line++)
		if (text_names_path(*line))
			return false;
	return true;
}

/* What holds, which is not always what was asked for. */
static bool has_no_network(const struct trm_sandbox *s)
{
	const struct trm_guard *guards;
	size_t n = trm_sandbox_guards(s, &guards);
	return !strncmp(trm_guards_net_name(guards, n, &s->opts.limits), "off", 3)
	       && !trm_sandbox_is_adopted(s);
}

/* Packages have a way of their own, which is told in their own words. */
static bool limit_report_network(const struct limit_report *m, char *out, size_t cap)
{
	char package[128];
	const struct trm_result *r = m->result;
	if (r->status == TRM_STATUS_OK || !has_no_network(m->sandbox)
			|| (!is_connection_forbidden(m)
					&& !mentions_one(m, UNREACHED, sizeof UNREACHED / sizeof *UNREACHED))
			|| mentions_one(m, OWN_ADDRESSES, sizeof OWN_ADDRESSES / sizeof *OWN_ADDRESSES)
			|| trm_package_refused(m->last_words, package, sizeof package)
			|| trm_apt_refused(m->last_words))
		return false;
	snprintf(out, cap, "this sandbox has no network: start one with a network (net)%s",
			r->lang && !strcmp(r->lang->package_manager, "pip")
					? ", or get packages with %pip install"
					: "");
	return true;
}

enum limit_hit limit_report_find(const struct limit_report *m, char *out, size_t cap)
{
	static bool (*const QUESTIONS[])(const struct limit_report *, char *, size_t) = {
			[LIMIT_HIT_MEMORY] = limit_report_memory,
			[LIMIT_HIT_PROCESSES] = limit_report_processes,
			[LIMIT_HIT_FILES] = limit_report_files,
			[LIMIT_HIT_DISK] = limit_report_disk,
			[LIMIT_HIT_FILE_SIZE] = limit_report_file_size,
			[LIMIT_HIT_OPEN_FILES] = limit_report_open_files,
			[LIMIT_HIT_ALLOCATION] = limit_report_allocation,
			[LIMIT_HIT_UNCOUNTED] = limit_report_uncounted_memory,
			[LIMIT_HIT_NETWORK] = limit_report_network,
	};
	enum { N_QUESTIONS = sizeof QUESTIONS / sizeof *QUESTIONS };
	out[0] = '\0';
	for (int what = LIMIT_HIT_NOTHING + 1; what < N_QUESTIONS; what++)
		if (QUESTIONS[what](m, out, cap))
			return (enum limit_hit)what;
	return LIMIT_HIT_NOTHING;
}

void limit_report_by_process(struct limit_report *m, const struct trm_exit *exit, char *out, size_t cap)
{
	char words[96];
	const struct trm_result result = {
			.status = exit->signal || exit->exit_code ? TRM_STATUS_ERROR : TRM_STATUS_OK,
			.exit_code = exit->signal ? 128 + exit->signal : exit->exit_code,
	};
	out[0] = '\0';
	if (result.status == TRM_STATUS_OK)
		return;
	metrics_events_now(m->sandbox, false, &m->now, NULL);
	m->result = &result;
	if (result.exit_code == 128 + SIGKILL && (exit->oom_kills || limit_report_kills(m))) {
		limit_report_describe_memory(m, words, sizeof words);
		snprintf(out, cap, "killed: %s", words);
	} else {
		limit_report_find(m, out, cap);
	}
	m->result = NULL;
}
