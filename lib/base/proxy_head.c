/* SPDX-License-Identifier: MIT */
#include "base/proxy_head.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <terrarium/error.h>

enum { METHOD_MAX = 16 };

struct part {
	const char *at;
	size_t n;
};

static enum proxy_ask bad(struct proxy_head *head, const char *why)
{
	head->why = why;
	return PROXY_BAD;
}

static bool is_token(struct part p)
{
	for (size_t i = 0; i < p.n; i++)
		if (!isalnum((unsigned char)p.at[i]) && (!p.at[i] || !strchr("!#$%&'*+-.^_`|~", p.at[i])))
			return false;
	return p.n;
}

static bool is_word(struct part p, const char *word)
{
	return p.n == strlen(word) && !strncasecmp(p.at, word, p.n);
}

/* The end of the head; 0: it is not there yet. A line ends with CR and LF, and with nothing else. */
static size_t find_end(const char *bytes, size_t n, bool *ret_is_bad)
{
	size_t line = 0;
	*ret_is_bad = false;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];
		bool is_lf = c == '\n', is_cr = c == '\r';
		if (is_lf               ? !i || bytes[i - 1] != '\r'
				: is_cr ? i + 1 < n && bytes[i + 1] != '\n'
					: (c < ' ' && c != '\t') || c == 0x7f) {
			*ret_is_bad = true;
			return 0;
		}
		if (is_lf && i == line + 1)
			return i + 1;
		line = is_lf ? i + 1 : line;
	}
	return 0;
}

static bool read_authority(struct part p, bool needs_port, struct proxy_head *head)
{
	const char *end = p.at + p.n, *close = p.n && *p.at == '[' ? memchr(p.at, ']', p.n) : NULL;
	const char *colon = close ? (close + 1 < end ? close + 1 : NULL) : memchr(p.at, ':', p.n);
	uint32_t port = 0;
	size_t n_digits = colon ? (size_t)(end - colon - 1) : 0;
	if ((p.n && *p.at == '[' && !close) || (colon && *colon != ':') || (needs_port && !colon))
		return false;
	for (size_t i = 0; i < n_digits; i++) {
		if (n_digits > 5 || !isdigit((unsigned char)colon[1 + i]))
			return false;
		port = port * 10 + (uint32_t)(colon[1 + i] - '0');
	}
	if (colon && (!port || port > 65535))
		return false;
	head->port = colon ? (uint16_t)port : HTTP_PORT;
	const char *from = close ? p.at + 1 : p.at, *to = close ? close : colon ? colon : end;
	return hostlist_read(from, (size_t)(to - from), &head->host)
	       && (!close || (head->host.is_address && head->host.address.family == 6));
}

/* ---- the first line ------------------------------------------------------------------------ */

static enum proxy_ask read_address(const char *bytes, struct part target, struct proxy_head *head)
{
	static const char scheme[] = "http://";
	if (target.n < sizeof scheme - 1 || strncasecmp(target.at, scheme, sizeof scheme - 1) != 0)
		return bad(head, "a request to a proxy needs an address that begins with http://");
	struct part authority = {target.at + sizeof scheme - 1, 0};
	const char *end = target.at + target.n;
	while (authority.at + authority.n < end && !strchr("/?#", authority.at[authority.n]))
		authority.n++;
	head->path = (size_t)(authority.at + authority.n - bytes);
	head->path_n = (size_t)(end - authority.at - authority.n);
	if (memchr(target.at, '#', target.n) || memchr(authority.at, '@', authority.n)
			|| !read_authority(authority, false, head))
		return bad(head, "the address names no host that can be read");
	return PROXY_FORWARD;
}

static enum proxy_ask read_first(const char *bytes, struct part line, struct proxy_head *head)
{
	const char *blank = memchr(line.at, ' ', line.n), *last = memrchr(line.at, ' ', line.n);
	struct part method = {line.at, blank ? (size_t)(blank - line.at) : 0};
	if (!blank || last == blank || !is_token(method) || method.n > METHOD_MAX)
		return bad(head, "the first line is no request");
	struct part target = {blank + 1, (size_t)(last - blank - 1)};
	struct part version = {last + 1, (size_t)(line.at + line.n - last - 1)};
	if (!target.n || memchr(target.at, ' ', target.n) || memchr(target.at, '\t', target.n)
			|| !(version.n == 8 && !memcmp(version.at, "HTTP/1.", 7)
					&& (version.at[7] == '0' || version.at[7] == '1')))
		return bad(head, "the first line is no request of HTTP/1.1");
	if (!(method.n == 7 && !memcmp(method.at, "CONNECT", 7)))
		return read_address(bytes, target, head);
	return read_authority(target, true, head)
			       ? PROXY_CONNECT
			       : bad(head, "CONNECT names no host and port that can be read");
}

/* ---- fields ----------------------------------------------------------------------------- */

static bool split_field(struct part line, struct part *ret_name, struct part *ret_value)
{
	const char *colon = memchr(line.at, ':', line.n);
	if (!colon)
		return false;
	*ret_name = (struct part){line.at, (size_t)(colon - line.at)};
	*ret_value = (struct part){colon + 1, (size_t)(line.at + line.n - colon - 1)};
	while (ret_value->n && (*ret_value->at == ' ' || *ret_value->at == '\t'))
		ret_value->at++, ret_value->n--;
	while (ret_value->n && strchr(" \t", ret_value->at[ret_value->n - 1]))
		ret_value->n--;
	return is_token(*ret_name);
}

static bool read_length(struct part value, uint64_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < value.n; i++) {
		if (!isdigit((unsigned char)value.at[i]) || value.n > 18)
			return false;
		*ret = *ret * 10 + (uint64_t)(value.at[i] - '0');
	}
	return value.n;
}

static const char *read_field(struct part line, struct proxy_head *head, bool *has_host)
{
	struct part name, value;
	if (!split_field(line, &name, &value))
		return "a line of the head is no field";
	if (is_word(name, "host")) {
		if (*has_host)
			return "there are two Host fields";
		*has_host = true;
	} else if (is_word(name, "content-length")) {
		if (head->has_length || head->is_chunked || !read_length(value, &head->length))
			return "the length of the body is not clear";
		head->has_length = true;
	} else if (is_word(name, "transfer-encoding")) {
		if (head->has_length || head->is_chunked || !is_word(value, "chunked"))
			return "the length of the body is not clear";
		head->is_chunked = true;
	}
	return NULL;
}

/* The next line behind `at`, without CR and LF. */
static struct part next_line(const char *bytes, size_t n, size_t at)
{
	const char *end = memchr(bytes + at, '\n', n - at);
	return (struct part){bytes + at, (size_t)(end - bytes) - at - 1};
}

enum proxy_ask proxy_head_read(const char *bytes, size_t n, struct proxy_head *ret)
{
	bool is_bad, has_host = false;
	*ret = (struct proxy_head){.n = 0};
	size_t end = find_end(bytes, n < PROXY_HEAD_MAX ? n : PROXY_HEAD_MAX, &is_bad), count = 0;
	if (is_bad)
		return bad(ret, "the head holds characters that do not belong there");
	if (!end)
		return n < PROXY_HEAD_MAX ? PROXY_MORE : bad(ret, "the head is longer than 16 KiB");
	struct part line = next_line(bytes, end, 0);
	enum proxy_ask ask = read_first(bytes, line, ret);
	size_t at = line.n + 2;
	for (line = next_line(bytes, end, at); line.n && ask != PROXY_BAD; line = next_line(bytes, end, at)) {
		const char *why = ++count > PROXY_FIELDS_MAX ? "the head has too many fields"
							     : read_field(line, ret, &has_host);
		if (why)
			ask = bad(ret, why);
		at += line.n + 2;
	}
	ret->n = end;
	return ask;
}

/* ---- rewriting ------------------------------------------------------------------------------- */

static bool is_own(struct part name)
{
	static const char *const own[] = {"host", "connection", "proxy-connection", "proxy-authorization",
			"proxy-authenticate", "keep-alive", "te", "trailer", "upgrade"};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (is_word(name, own[i]))
			return true;
	return false;
}

static int put_first(const char *bytes, const struct proxy_head *head, struct buf *out)
{
	char host[HOST_TEXT + 64];
	bool is_v6 = head->host.is_address && head->host.address.family == 6;
	const char *blank = memchr(bytes, ' ', head->n), *path = bytes + head->path;
	int n = snprintf(host, sizeof host, " HTTP/1.1\r\nHost: %s%s%s", is_v6 ? "[" : "", head->host.name,
			is_v6 ? "]" : "");
	if (head->port != HTTP_PORT)
		n += snprintf(host + n, sizeof host - (size_t)n, ":%u", head->port);
	int r = buf_append(out, bytes, (size_t)(blank + 1 - bytes));
	if (r == 0 && (!head->path_n || *path != '/'))
		r = buf_append(out, "/", 1);
	if (r == 0)
		r = buf_append(out, path, head->path_n);
	if (r == 0)
		r = buf_append(out, host, (size_t)n);
	return r == 0 ? buf_append(out, "\r\n", 2) : r;
}

int proxy_head_rewrite(const char *bytes, const struct proxy_head *head, struct buf *out)
{
	static const char last[] = "Connection: close\r\n\r\n";
	struct part line = next_line(bytes, head->n, 0), name, value;
	int r = put_first(bytes, head, out);
	size_t at = line.n + 2;
	for (line = next_line(bytes, head->n, at); line.n && r == 0; line = next_line(bytes, head->n, at)) {
		if (split_field(line, &name, &value) && !is_own(name))
			r = buf_append(out, line.at, line.n + 2);
		at += line.n + 2;
	}
	return r == 0 ? buf_append(out, last, sizeof last - 1) : r;
}
