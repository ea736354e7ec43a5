/* SPDX-License-Identifier: MIT */
/* What a sandbox says to the proxy: what is forwarded is one request to the host that was checked. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/proxy_head.h"
#include "fuzz/fuzz.h"

static void check_rewritten(const char *text, const struct proxy_head *head)
{
	static const char host[] = "\r\nHost: ", end[] = "\r\n\r\n";
	struct buf out;
	buf_init(&out, 2 * PROXY_HEAD_MAX);
	if (proxy_head_rewrite(text, head, &out) < 0)
		abort();
	const char *at = buf_at(&out), *first = memmem(at, out.len, host, sizeof host - 1);
	const char *blank = memmem(at, out.len, end, sizeof end - 1);
	if (!first || !blank || blank + sizeof end - 1 != at + out.len)
		abort();
	if (strncmp(first + sizeof host - 1 + (head->host.is_address && head->host.address.family == 6),
			    head->host.name, strlen(head->host.name)))
		abort();
	for (const char *next = first + 1; next < blank; next++)
		if (!strncasecmp(next, host, sizeof host - 2))
			abort();
	buf_finish(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct host_rule rules[HOSTLIST_MAX];
	struct proxy_head head;
	size_t n_rules;
	char *text = malloc(n + 1);
	if (!text)
		return 0;
	memcpy(text, bytes, n);
	text[n] = '\0';
	hostlist_parse(text, rules, &n_rules, NULL);
	enum proxy_ask ask = proxy_head_read(text, n, &head);
	if (ask == PROXY_BAD && !head.why)
		abort();
	if (ask == PROXY_CONNECT || ask == PROXY_FORWARD) {
		if (!head.n || head.n > n || !head.port || strpbrk(head.host.name, " /@\r\n")
				|| !*head.host.name)
			abort();
		if (ask == PROXY_FORWARD)
			check_rewritten(text, &head);
	}
	free(text);
	return 0;
}

const struct fuzz_seed fuzz_seeds[] = {
		SEED("CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\nrest"),
		SEED("GET http://example.org:8080/a?b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nUpgrade: y\r\n\r\nhello"),
		SEED("POST http://[fd00::1]/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
		SEED("example.org, *.example.com:22 [fd00::1]:80,127.0.0.1"),
		{NULL, 0},
};
