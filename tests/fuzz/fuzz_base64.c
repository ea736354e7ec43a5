/* SPDX-License-Identifier: MIT */
/* Bytes become letters and the same bytes again; letters that are taken are the only ones for their bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "fuzz/fuzz.h"

static void there_and_back(const void *bytes, size_t n)
{
	struct buf letters;
	size_t len = 0;
	buf_init(&letters, BASE64_LEN(n));
	if (base64_put(&letters, bytes, n) < 0)
		abort();
	char *back = base64_decode(n ? buf_at(&letters) : "", letters.len, &len);
	if (!back || len != n || memcmp(back, bytes, n) != 0)
		abort();
	free(back);
	buf_finish(&letters);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct buf letters;
	size_t len = 0;
	there_and_back(bytes, n);
	char *out = base64_decode((const char *)bytes, n, &len);
	if (!out)
		return 0;
	buf_init(&letters, n);
	if (base64_put(&letters, out, len) < 0 || letters.len != n
			|| (n && memcmp(buf_at(&letters), bytes, n) != 0))
		abort();
	buf_finish(&letters);
	free(out);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {SEED("aGVsbG8="), SEED("AAAA"), SEED("/+8="), SEED("QQ=="),
		SEED("QR=="), SEED("a GVs"), {NULL, 0}};
