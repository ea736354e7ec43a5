/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <strings.h>

#include "server/http/listener.h"

/* What the headers say about the body. */
struct framing {
	unsigned lengths, encodings;
	bool is_chunked, has_odd_name;
};

/* A line that begins with a blank continues the previous one. The library (0.9.75) appends it to the name
 * instead of the value, so what looks like another header may be one of these two. */
static bool is_or_begins(const char *name, const char *header, unsigned *n, bool *is_longer)
{
	size_t len = strlen(header);
	if (strncasecmp(name, header, len) != 0)
		return false;
	*n += 1;
	*is_longer |= name[len] != '\0';
	return true;
}

/* There is white space before the colon, or the colon is in a folded line. */
static bool is_odd(const char *name)
{
	while (*name > ' ' && *name != ':')
		name++;
	return *name;
}

static int on_header(void *user, int kind, const char *name, const char *value)
{
	struct framing *f = user;
	(void)kind;
	f->has_odd_name |= is_odd(name);
	is_or_begins(name, "Content-Length", &f->lengths, &f->has_odd_name);
	if (is_or_begins(name, "Transfer-Encoding", &f->encodings, &f->has_odd_name))
		f->is_chunked = value && strcasecmp(value, "chunked") == 0;
	return MHD_YES;
}

const char *request_framing_fault(const struct request *r)
{
	struct framing f = {0};
	r->listener->mhd.values(r->connection, MHD_HEADER_KIND, on_header, &f);
	if (f.has_odd_name)
		return "a header has an invalid name, or its line is folded";
	if (f.lengths > 1)
		return "there is more than one Content-Length";
	if (f.lengths && f.encodings)
		return "there are both Content-Length and Transfer-Encoding";
	if (f.encodings && (f.encodings > 1 || !f.is_chunked))
		return "Transfer-Encoding may be 'chunked', and nothing else";
	return f.encodings && r->is_old ? "HTTP/1.0 has no Transfer-Encoding" : NULL;
}
