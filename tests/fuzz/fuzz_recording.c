/* SPDX-License-Identifier: MIT */
/* A recording that anybody may have written, and everything that is made of one. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#include "fuzz/fuzz.h"
#include "model/model.h"
#include "record/export.h"
#include "record/file.h"
#include "record/player.h"

static void export_all(const struct transcript *transcript)
{
	for (const struct export_format *f = export_formats; f->name; f++) {
		struct writer w;
		if (!f->write)
			continue;
		writer_init(&w, WRITER_MAX);
		f->write(transcript, &w);
		writer_finish(&w);
	}
}

/* To the end, half-way back, to the end. */
static void play(const struct recording *recording)
{
	struct model_opts opts = {.rows = 24,
			.cols = 80,
			.lang = trm_lang_at(0),
			.theme = "",
			.scrollback_bytes = 1 << 16};
	uint64_t end_us = recording_length_us(recording);
	struct model m;
	struct player p;
	if (model_init(&m, &opts) < 0 || player_init(&p, recording) < 0)
		abort();
	replay_begin(&m, p.runs_us, recording->n_runs, end_us, false);
	player_seek(&p, &m, end_us, NULL);
	player_seek(&p, &m, end_us / 2, NULL);
	player_seek(&p, &m, end_us, NULL);
	player_finish(&p);
	model_finish(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct recording recording;
	struct trm_error e;
	char *copy = malloc(n + 1);
	if (!copy)
		return 0;
	memcpy(copy, bytes, n);
	if (recording_parse(&recording, copy, n, "x.trec", &e) < 0)
		return 0;
	struct transcript transcript;
	transcript_init(&transcript, 4096);
	recording_fill_transcript(&recording, &transcript);
	export_all(&transcript);
	play(&recording);
	transcript_finish(&transcript);
	recording_finish(&recording);
	return 0;
}

#define HEAD "{\"terrarium\":\"recording\",\"version\":1,\"rows\":24,\"cols\":80}\n"
#define RUN \
	"{\"t\":0.5,\"e\":\"run\",\"run\":1,\"language\":\"python\",\"text\":\"x\"}\n" \
	"{\"t\":0.5,\"e\":\"accepted\",\"run\":1,\"number\":1}\n"
const struct fuzz_seed fuzz_seeds[] = {
		SEED(HEAD RUN "{\"t\":0.6,\"e\":\"output\",\"run\":1,\"stream\":\"stderr\",\"b64\":\"w6kK/w==\"}\n"
			      "{\"t\":0.7,\"e\":\"done\",\"run\":1,\"status\":\"error\",\"exit_code\":1,\"error\":{\"name\":"
			      "\"E\",\"traceback\":[\"a\"]},\"value\":\"v\",\"wall_us\":4,\"cpu_us\":3}\n"),
		SEED(HEAD RUN "{\"t\":0.6,\"e\":\"display\",\"run\":1,\"mime\":\"image/png\",\"text\":\"aGk=\"}\n"
			      "{\"t\":0.6,\"e\":\"display\",\"run\":1,\"mime\":\"application/json\",\"text\":\"[1]\"}\n"
			      "{\"t\":0.6,\"e\":\"input\",\"run\":1,\"text\":\"hi\\n\"}\n"
			      "{\"t\":0.9,\"e\":\"late\",\"number\":1,\"stream\":\"stdout\",\"text\":\"\\u001b[31m\\r\"}\n"),
		SEED(HEAD "{\"t\":0.1,\"e\":\"sandbox\",\"state\":\"ready\",\"name\":\"a\",\"backend\":\"local\",\"limits\":"
			  "{\"mem_bytes\":1,\"cpus\":1},\"guards\":[{\"what\":\"memory\",\"how\":\"x\",\"strength\":\"weak\"}]}\n"
			  "{\"t\":0.6,\"e\":\"sample\",\"cpu_percent\":12.5,\"mem_bytes\":1000,\"processes\":[[1,0,\"S\",null,10,"
			  "\"agent\"]]}\n{\"t\":1,\"e\":\"end\"}\n"),
		{NULL, 0},
};
