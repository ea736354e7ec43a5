/* SPDX-License-Identifier: MIT */
/* An entry that the server finds on disk when it starts, whatever has become of it meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "fuzz/fuzz.h"
#include "rpc/params.h"
#include "server/sandboxes/store.h"

static char top[64];

static int on_space(void *user, const char *space)
{
	(void)user;
	if (strcmp(space, "s") != 0)
		abort();
	return 0;
}

static int on_entry(void *user, const char *space, const char *name, cJSON *config)
{
	struct rpc_config read;
	(void)user, (void)space;
	if (strcmp(name, "n") != 0)
		abort();
	rpc_config_read(&read, config, NULL);
	cJSON_Delete(config);
	return 0;
}

static void make_dirs(void)
{
	char path[128];
	snprintf(top, sizeof top, "/tmp/terrarium-fuzz-XXXXXX");
	if (!mkdtemp(top))
		abort();
	snprintf(path, sizeof path, "%s/s", top);
	mkdir(path, 0700);
	snprintf(path, sizeof path, "%s/s/.sandboxes", top);
	mkdir(path, 0700);
}

static void remove_dirs(void)
{
	char path[128];
	static const char *const parts[] = {"/s/.sandboxes/n.json", "/s/.sandboxes", "/s", ""};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		snprintf(path, sizeof path, "%s%s", top, parts[i]);
		remove(path);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const struct store_reader reader = {.space = on_space, .entry = on_entry};
	struct store *store;
	char path[128];
	make_dirs();
	snprintf(path, sizeof path, "%s/s/.sandboxes/n.json", top);
	FILE *file = fopen(path, "wb");
	if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0)
		abort();
	if (store_open(top, &store, NULL) < 0 || store_load(store, &reader, NULL) < 0)
		abort();
	store_close(store);
	remove_dirs();
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("{\"image\":\"microsandbox/python\",\"memory\":512,\"cpus\":1,\"volumes\":[\"a:/b\"],"
		     "\"envs\":[\"A=B\"],\"depends_on\":[],\"workdir\":\"/b\",\"shell\":\"bash\",\"scripts\":{\"start\":\"x\"},"
		     "\"exec\":\"y\",\"ports\":[\"80:80\"]}"),
		SEED("{\"image\":7,\"memory\":-1e300,\"scripts\":[{}]}"),
		SEED("[]"),
		{NULL, 0},
};
