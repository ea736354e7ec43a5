/* SPDX-License-Identifier: MIT */
/* Pods of a real cluster, against kubectl in the same run. ./run starts the cluster. */
#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "bench/bench.h"

enum { CROWD = 20, CROWD_S = 10, OPENS = 5, STREAMS = 11, CLAIMS = 8 };
#define IMAGE "localhost/tt:deb"
#define PEER "bench-peer"

/* With our own environment, in which kubectl is found. Negative: it failed. */
static double shell_took(const char *command)
{
	char line[1024];
	snprintf(line, sizeof line, "{ %s; } >/dev/null 2>&1 </dev/null", command);
	uint64_t start_ns = now_ns();
	return system(line) == 0 ? ms_since(start_ns) : -1;
}

static void choose_pod(struct trm_sandbox_opts *ret)
{
	trm_sandbox_opts_default(ret);
	ret->backend = "kubernetes";
	ret->container.image = IMAGE;
	ret->limits.mem_bytes = 64 << 20;
}

/* ---- one pod ------------------------------------------------------------------------------------- */

/* Whole processes: until the result, and the end of the pod. */
static void bench_first_result(void)
{
	static const char theirs[] =
			"kubectl run " PEER " --image=" IMAGE " --image-pull-policy=Never --restart=Never "
			"--command -- sleep 1000 && kubectl wait --for=condition=Ready pod/" PEER
			" && kubectl exec " PEER " -- python3 -c 'print(1)'";
	static const char ours[] =
			BENCH_PROGRAM " run --yes --backend kubernetes --image " IMAGE " -c 'print(1)'";
	struct samples own = {0}, peer = {0};
	bool is_good = true;
	for (int i = 0; is_good && i < OPENS; i++) {
		double ms = shell_took(theirs), own_ms = shell_took(ours);
		is_good = ms >= 0 && own_ms >= 0;
		samples_add(&peer, ms);
		samples_add(&own, own_ms);
		shell_took("kubectl delete pod " PEER " --grace-period=0 --force");
	}
	if (is_good)
		report("a pod, its first result and its end, against kubectl run, wait and exec",
				samples_at(&own, 0.5), "ms", samples_at(&peer, 0.5), 1.3);
	else
		report_missing("a pod and its first result", "it failed");
	samples_free(&own);
	samples_free(&peer);
}

static void bench_warm_pod(const char *transport, double target)
{
	struct trm_sandbox_opts opts;
	struct samples s = {0};
	char why[512] = "", title[96];
	choose_pod(&opts);
	snprintf(title, sizeof title, "warm 1+1 in a pod, %s",
			transport ? "by kubectl exec" : "over the proxy");
	opts.container.kube.transport = transport;
	if (warm_measure(&s, &opts, false, why, sizeof why))
		report(title, samples_at(&s, 0.5), "ms", 0, target);
	else
		report_missing(title, why);
	samples_free(&s);
}

/* A new client of a pod that runs: whole processes again. */
static void bench_streams(void)
{
	struct samples own = {0}, peer = {0};
	bool is_good = shell_took(BENCH_PROGRAM " run --yes --keep --name " PEER
						" --backend kubernetes --image " IMAGE " -c 1")
		       >= 0;
	for (int i = 0; is_good && i < STREAMS; i++) {
		double own_ms = shell_took(BENCH_PROGRAM " exec " PEER " -- true");
		double ms = shell_took(
				"kubectl exec $(kubectl get pods -l dev.terrarium=1 -o name | head -n 1) -- /.terrarium/agent version");
		is_good = own_ms >= 0;
		samples_add(&own, own_ms);
		samples_add(&peer, ms);
	}
	shell_took(BENCH_PROGRAM " stop " PEER " --yes");
	if (is_good)
		report("exec in a pod that runs, against kubectl get and exec", samples_at(&own, 0.5), "ms",
				samples_at(&peer, 0.5), 0.5);
	else
		report_missing("exec in a pod that runs", "it failed");
	samples_free(&own);
	samples_free(&peer);
}

/* ---- from the call that opens a sandbox to its first result ------------------------------------------ */

/* A sandbox's first result, and its end. */
struct claimed {
	struct trm_session *session;
	bool is_done, is_good, is_closed;
};

static void on_claim_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct claimed *c = user;
	(void)run;
	c->is_done = true;
	c->is_good = result->status == TRM_STATUS_OK && result->value && strcmp(result->value, "2") == 0;
}

static void on_claim_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct claimed *c = user;
	(void)sandbox;
	if (*why->msg)
		fprintf(stderr, "bench: %s\n", why->msg);
	c->is_closed = c->is_done = true;
}

static bool open_and_add(struct trm_loop *loop, const struct trm_sandbox_opts *opts, struct claimed *c,
		struct trm_sandbox **ret)
{
	static const struct trm_sandbox_cb sandbox_cb = {.closed = on_claim_closed};
	static const struct trm_session_cb session_cb = {0};
	static const struct trm_run_cb run_cb = {.done = on_claim_done};
	struct trm_session_opts session_opts;
	struct trm_run_opts run_opts;
	struct trm_run *run;
	trm_session_opts_default(&session_opts);
	trm_run_opts_default(&run_opts);
	run_opts.lang = trm_lang_default();
	run_opts.code = "1+1";
	run_opts.code_len = 3;
	*c = (struct claimed){0};
	*ret = NULL;
	if (trm_sandbox_open(loop, opts, &sandbox_cb, c, ret, NULL) < 0
			|| trm_session_open(*ret, &session_opts, &session_cb, NULL, &c->session, NULL) < 0
			|| trm_session_run(c->session, &run_opts, &run_cb, c, &run, NULL) < 0)
		return false;
	while (!c->is_done)
		trm_loop_step(loop, -1);
	return c->is_good;
}

static void close_claim(struct trm_loop *loop, struct claimed *c, struct trm_sandbox *sandbox)
{
	if (c->session)
		trm_session_close(c->session);
	if (sandbox && !c->is_closed)
		trm_sandbox_close(sandbox);
	while (sandbox && !c->is_closed)
		trm_loop_step(loop, -1);
}

/* New pods, in turns with llm-sandbox's session, which must do the same. Both are libraries here: no process
 * is started that a program which uses them would not start. */
static double peer_pod_ms(void)
{
	static const char command[] = BENCH_LLM_SANDBOX "/bin/python -B " BENCH_SOURCE_DIR
							"/llm_sandbox_peer.py --pod " IMAGE;
	double ms = -1;
	FILE *f = access(BENCH_LLM_SANDBOX "/installed", F_OK) == 0 ? popen(command, "r") : NULL;
	bool is_good = f && fscanf(f, "%lf", &ms) == 1;
	if (f)
		pclose(f);
	return is_good ? ms : -1;
}

static double bench_open_pods(void)
{
	static const char title[] = "a new pod: open to the first result, against llm-sandbox";
	struct samples own = {0}, peer = {0};
	struct trm_sandbox_opts opts;
	struct trm_sandbox *sandbox;
	struct trm_loop *loop;
	struct claimed c;
	bool is_good = true;
	if (trm_loop_create(&loop, NULL) < 0)
		return -1;
	choose_pod(&opts);
	for (int i = 0; is_good && i < OPENS; i++) {
		double peer_ms = peer_pod_ms();
		if (peer_ms >= 0)
			samples_add(&peer, peer_ms);
		uint64_t start_ns = now_ns();
		is_good = open_and_add(loop, &opts, &c, &sandbox);
		samples_add(&own, ms_since(start_ns));
		close_claim(loop, &c, sandbox);
	}
	double ms = peer.n ? samples_at(&peer, 0.5) : -1;
	if (is_good && ms > 0)
		report(title, samples_at(&own, 0.5), "ms", ms, 1.0 / 3);
	else
		report_missing(title, is_good ? "llm-sandbox is not installed, or failed" : "it failed");
	trm_loop_destroy(loop);
	samples_free(&own);
	samples_free(&peer);
	return ms;
}

/* ---- a claim of agent-sandbox --------------------------------------------------------------------- */

#define SPACE "bench-claims"

static bool has_pool(void)
{
	return shell_took("kubectl create namespace " SPACE) >= 0
	       && shell_took(BENCH_PROGRAM " backends --print-manifest agent-sandbox --image " IMAGE
					   " | kubectl -n " SPACE " apply --server-side --filename -")
				  >= 0;
}

/* A pool of two is full again before the next claim. */
static bool await_pool(void)
{
	return shell_took("kubectl -n " SPACE " wait sandboxwarmpool terrarium --timeout=60s "
			  "--for=jsonpath={.status.readyReplicas}=2")
	       >= 0;
}

/* From the call that opens a sandbox to the first result, with a pod that waits. Another sandbox holds the
 * proxy, as in a server. */
static void bench_claim(double peer_ms)
{
	static const char title[] = "agent-sandbox: claim from a warm pool to the first result";
	struct claimed first, c;
	struct trm_sandbox *held = NULL, *sandbox;
	struct trm_loop *loop;
	struct samples s = {0};
	struct trm_sandbox_opts opts;
	if (trm_loop_create(&loop, NULL) < 0)
		return;
	trm_sandbox_opts_default(&opts);
	opts.backend = "agent-sandbox";
	opts.container.kube.context = "test"; /* both named: kubectl need not be asked for them */
	opts.container.kube.space = SPACE;
	opts.container.kube.warm_pool = "terrarium";
	bool is_good = has_pool() && await_pool() && open_and_add(loop, &opts, &first, &held);
	for (int i = 0; is_good && i < CLAIMS; i++) {
		is_good = await_pool();
		uint64_t start_ns = now_ns();
		is_good = is_good && open_and_add(loop, &opts, &c, &sandbox);
		samples_add(&s, ms_since(start_ns));
		close_claim(loop, &c, sandbox);
	}
	if (is_good)
		report(title, samples_at(&s, 0.5), "ms", 0, 500);
	if (is_good && peer_ms > 0)
		report("the same, against a new pod of llm-sandbox", samples_at(&s, 0.5), "ms", peer_ms,
				1.0 / 3);
	else
		report_missing(title, "a claim failed: is agent-sandbox in the cluster?");
	if (held)
		close_claim(loop, &first, held);
	trm_loop_destroy(loop);
	samples_free(&s);
	shell_took("kubectl delete namespace " SPACE " --wait=false");
}

/* ---- many ---------------------------------------------------------------------------------------- */

struct crowd;

struct pod {
	struct crowd *crowd;
	struct trm_sandbox *sandbox;
	struct trm_session *session;
	uint64_t since_ns;
	bool is_closed;
};

struct crowd {
	struct pod pods[CROWD];
	struct samples took;
	size_t n_ready, n_failed, n_closed, n_busy;
	uint64_t until_ns; /* 0: each runs once */
};

static void run_again(struct pod *pod);

static void on_crowd_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct pod *pod = user;
	(void)run;
	pod->crowd->n_busy--;
	if (result->status != TRM_STATUS_OK || !result->value || strcmp(result->value, "2") != 0)
		pod->crowd->n_failed++;
	else if (!pod->crowd->until_ns)
		pod->crowd->n_ready++;
	else
		samples_add(&pod->crowd->took, ms_since(pod->since_ns));
	if (now_ns() < pod->crowd->until_ns)
		run_again(pod);
}

static void run_again(struct pod *pod)
{
	static const struct trm_run_cb cb = {.done = on_crowd_done};
	struct trm_run_opts opts;
	struct trm_run *run;
	trm_run_opts_default(&opts);
	opts.lang = trm_lang_default();
	opts.code = "1+1";
	opts.code_len = 3;
	pod->since_ns = now_ns();
	if (trm_session_run(pod->session, &opts, &cb, pod, &run, NULL) < 0)
		pod->crowd->n_failed++;
	else
		pod->crowd->n_busy++;
}

static void on_crowd_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct pod *pod = user;
	(void)sandbox;
	if (*why->msg)
		fprintf(stderr, "bench: %s\n", why->msg);
	pod->is_closed = true;
	pod->crowd->n_closed++;
}

static void open_crowd(struct crowd *c, struct trm_loop *loop)
{
	static const struct trm_sandbox_cb sandbox_cb = {.closed = on_crowd_closed};
	static const struct trm_session_cb session_cb = {0};
	struct trm_sandbox_opts opts;
	struct trm_session_opts session_opts;
	choose_pod(&opts);
	trm_session_opts_default(&session_opts);
	for (size_t i = 0; i < CROWD; i++) {
		struct pod *pod = &c->pods[i];
		pod->crowd = c;
		if (trm_sandbox_open(loop, &opts, &sandbox_cb, pod, &pod->sandbox, NULL) < 0
				|| trm_session_open(pod->sandbox, &session_opts, &session_cb, NULL,
						   &pod->session, NULL)
						   < 0) {
			c->n_failed++;
			continue;
		}
		run_again(pod);
	}
	while (c->n_busy && !c->n_failed && !c->n_closed)
		trm_loop_step(loop, -1);
}

static void close_crowd(struct crowd *c, struct trm_loop *loop)
{
	for (size_t i = 0; i < CROWD; i++) {
		if (c->pods[i].session)
			trm_session_close(c->pods[i].session);
		if (c->pods[i].sandbox && !c->pods[i].is_closed)
			trm_sandbox_close(c->pods[i].sandbox);
	}
	for (size_t i = 0; i < CROWD; i++)
		while (c->pods[i].sandbox && !c->pods[i].is_closed)
			trm_loop_step(loop, -1);
}

/* ---- memory of the client's side ------------------------------------------------------------------- */

/* Was it started with our runtime directory? The bench itself is not counted: it was not. */
static bool is_ours(const char *pid, const char *dir)
{
	static char env[65536];
	char path[64], variable[128];
	snprintf(path, sizeof path, "/proc/%.16s/environ", pid);
	int n = snprintf(variable, sizeof variable, "XDG_RUNTIME_DIR=%s", dir);
	FILE *f = fopen(path, "re");
	size_t got = f ? fread(env, 1, sizeof env, f) : 0;
	if (f)
		fclose(f);
	return got && memmem(env, got, variable, (size_t)n + 1);
}

static double pss_mib(const char *pid)
{
	char path[64], line[128];
	double kib = 0;
	snprintf(path, sizeof path, "/proc/%.16s/smaps_rollup", pid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "Pss: %lf", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib / 1024;
}

static pid_t parent_of(pid_t pid)
{
	char path[64], line[128];
	int parent = 0;
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "PPid: %d", &parent) == 1)
			break;
	if (f)
		fclose(f);
	return parent;
}

/* Supervisors have no environment, but they are children of the client. */
static bool descends_from(pid_t pid, pid_t root)
{
	for (int depth = 0; pid > 1 && depth < 8; depth++)
		if ((pid = parent_of(pid)) == root)
			return true;
	return false;
}

double helpers_mib(const char *dir, pid_t root)
{
	DIR *all = opendir("/proc");
	struct dirent *entry;
	double mib = 0;
	while (all && (entry = readdir(all)))
		if (isdigit((unsigned char)*entry->d_name)
				&& (is_ours(entry->d_name, dir) || descends_from(atoi(entry->d_name), root)))
			mib += pss_mib(entry->d_name);
	if (all)
		closedir(all);
	return mib;
}

static void bench_crowd(const char *dir)
{
	static struct crowd c;
	struct trm_loop *loop;
	char title[96];
	if (trm_loop_create(&loop, NULL) < 0)
		return;
	uint64_t start_ns = now_ns();
	open_crowd(&c, loop);
	const double open_ms = ms_since(start_ns);
	snprintf(title, sizeof title, "%d pods, each used in turns", CROWD);
	if (c.n_failed || c.n_closed) {
		report_missing(title, "a pod failed");
	} else {
		c.until_ns = now_ns() + CROWD_S * 1000000000ull;
		for (size_t i = 0; i < CROWD; i++)
			run_again(&c.pods[i]);
		while (c.n_busy && !c.n_failed && !c.n_closed)
			trm_loop_step(loop, -1);
		report_beside("pods that were opened at once", open_ms / CROWD, "ms for each");
		report("memory of the supervisors and the proxy, for each pod",
				helpers_mib(dir, getpid()) / CROWD, "MiB", 0, 5);
		report_beside("requests to all of them", (double)c.took.n / CROWD_S, "per second");
		report("p99 of these", samples_at(&c.took, 0.99), "ms", 0, 150);
		report("errors", (double)(c.n_failed + c.n_closed), "", 0, 0);
	}
	close_crowd(&c, loop);
	samples_free(&c.took);
	trm_loop_destroy(loop);
}

/* Runs the part in a runtime directory of its own. */
static void bench_in_cluster(void (*part)(const char *dir))
{
	char dir[] = "/tmp/terrarium-bench-XXXXXX", command[64];
	if (!getenv("KUBECONFIG") || !mkdtemp(dir)) {
		report_missing("cluster", "no cluster is up: see tests/bench/run");
		return;
	}
	setenv("XDG_RUNTIME_DIR", dir, 1);
	part(dir);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	shell_took(command);
}

static void bench_single_pods(const char *dir)
{
	bench_first_result();
	bench_warm_pod(NULL, 1.5);
	bench_warm_pod("exec", INFINITY);
	bench_streams();
	bench_claim(bench_open_pods());
	bench_crowd(dir);
}

void bench_cluster(void)
{
	bench_in_cluster(bench_single_pods);
}

void bench_pods(void)
{
	bench_in_cluster(bench_served_pods);
}
