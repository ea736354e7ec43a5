/* SPDX-License-Identifier: MIT */
#include "term/keys.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "term/sequence.h"
#include "term/terminal_query.h"
#include "text/cluster.h"

#define ESC 0x1B
#define CLICK_NS 400000000u /* between the presses of a double click */
#define PASTE_END "\x1B[201~"
#define PASTE_END_LEN 6u

struct added {
	char *sequence;
	uint32_t key;
	uint8_t mods;
};

struct bytes {
	char *mem;
	size_t len, cap;
};

struct keys {
	struct bytes in; /* bytes not decoded yet, from `head` on */
	size_t head;
	struct bytes paste; /* of the current paste, or the last one that was returned */
	bool is_pasting, is_flushed;
	uint64_t now_ns;
	struct added *added;
	size_t n_added;
	struct event last_press;
	struct terminal_answers terminal_answers;
};

struct keys *keys_create(void)
{
	return calloc(1, sizeof(struct keys));
}

void keys_destroy(struct keys *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n_added; i++)
		free(k->added[i].sequence);
	free(k->added);
	free(k->in.mem);
	free(k->paste.mem);
	free(k);
}

int keys_add(struct keys *k, const char *sequence, uint32_t key, uint8_t mods)
{
	struct added *bigger = realloc(k->added, (k->n_added + 1) * sizeof(*bigger));
	if (!bigger)
		return TRM_ENOMEM;
	k->added = bigger;
	char *copy = strdup(sequence);
	if (!copy)
		return TRM_ENOMEM;
	k->added[k->n_added++] = (struct added){.sequence = copy, .key = key, .mods = mods};
	return 0;
}

static int append_input(struct bytes *b, const char *bytes, size_t n)
{
	if (n > b->cap - b->len) {
		size_t cap = b->len + n + b->cap + 256;
		char *bigger = realloc(b->mem, cap);
		if (!bigger)
			return TRM_ENOMEM;
		b->mem = bigger;
		b->cap = cap;
	}
	if (n)
		memcpy(b->mem + b->len, bytes, n);
	b->len += n;
	return 0;
}

int keys_feed(struct keys *k, const char *bytes, size_t n, uint64_t now_ns)
{
	k->now_ns = now_ns;
	k->is_flushed = false;
	if (k->head > 0) {
		memmove(k->in.mem, k->in.mem + k->head, k->in.len - k->head);
		k->in.len -= k->head;
		k->head = 0;
	}
	return append_input(&k->in, bytes, n);
}

bool keys_is_waiting(const struct keys *k)
{
	return !k->is_pasting && k->head < k->in.len;
}

void keys_flush(struct keys *k)
{
	k->is_flushed = true;
}

void keys_expect_answers(struct keys *k)
{
	struct terminal_answers *a = &k->terminal_answers;
	/* The query about emoji is sent only once, so its answers are kept. */
	*a = (struct terminal_answers){.is_expected = true,
			.n_positions = a->n_positions,
			.shaded = a->shaded,
			.linked = a->linked};
}

void keys_expect_more_answers(struct keys *k)
{
	k->terminal_answers.is_expected = true;
}

const struct terminal_answers *keys_answers(const struct keys *k)
{
	return &k->terminal_answers;
}

/* Is this the beginning of something that can only be an answer? We wait for the rest, however slow the
 * line is. */
static bool is_half_answer(const struct keys *k, const char *s, size_t n)
{
	const struct terminal_answers *a = &k->terminal_answers;
	bool is_position = n > 2 && s[2] >= '1' && s[2] <= '9' && a->n_positions < 2;

	return a->is_expected && !a->is_whole && n > 2 && (s[2] == '?' || s[2] == '6' || is_position);
}

/* ---- paste ---- */

/* Line ends become \n, other control characters except tabs are removed, and invalid UTF-8 becomes
 * U+FFFD. Returns 0 or TRM_ENOMEM. */
static int sanitise(struct bytes *paste)
{
	struct bytes out = {0};
	size_t at = 0;
	while (at < paste->len) {
		const char *p = paste->mem + at;
		char encoded[4];
		uint32_t cp;
		bool valid;
		size_t len = trm_utf8_decode(p, paste->len - at, &cp, &valid);
		at += len;
		if (cp == '\r' && at < paste->len && paste->mem[at] == '\n')
			continue;
		cp = cp == '\r' ? '\n' : cp;
		if ((cp < 0x20 && cp != '\n' && cp != '\t') || cp == 0x7F)
			continue;
		if (append_input(&out, encoded, trm_utf8_encode(cp, encoded)) < 0) {
			free(out.mem);
			return TRM_ENOMEM;
		}
	}
	free(paste->mem);
	*paste = out;
	return 0;
}

/* Is it only printable ASCII, tabs and newlines? Most pastes are. */
static bool is_plain(const struct bytes *b)
{
	bool plain = true;
	for (size_t i = 0; i < b->len; i++) {
		unsigned char c = (unsigned char)b->mem[i];
		plain &= (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t';
	}
	return plain;
}

/* The number of bytes at the end of s[0..n) that may be the beginning of the end mark. */
static size_t partial_end(const char *s, size_t n)
{
	for (size_t len = PASTE_END_LEN - 1; len > 0; len--)
		if (len <= n && memcmp(s + n - len, PASTE_END, len) == 0)
			return len;
	return 0;
}

static void paste_append(struct keys *k, const char *bytes, size_t n)
{
	size_t room = KEYS_PASTE_MAX - k->paste.len;
	append_input(&k->paste, bytes, n < room ? n : room); /* without memory: as beyond the limit */
}

/* Move the available bytes into the paste. True: it is complete. */
static bool collect_paste(struct keys *k, struct event *ret)
{
	const char *p = k->in.mem + k->head;
	size_t n = k->in.len - k->head;
	const char *end = n ? memmem(p, n, PASTE_END, PASTE_END_LEN) : NULL;
	size_t take = end ? (size_t)(end - p) : n - partial_end(p, n);

	paste_append(k, p, take);
	k->head += take + (end ? PASTE_END_LEN : 0);
	if (!end)
		return false;
	k->is_pasting = false;
	if (!is_plain(&k->paste) && sanitise(&k->paste) < 0)
		k->paste.len = 0;
	*ret = (struct event){.type = EVENT_PASTE,
			.text = k->paste.mem ? k->paste.mem : "",
			.text_len = k->paste.len,
			.time_ns = k->now_ns};
	return true;
}

static void drop_old_paste(struct keys *k)
{
	/* Free the memory of a big paste. */
	if (k->paste.cap > 1 << 16) {
		free(k->paste.mem);
		k->paste = (struct bytes){0};
	}
	k->paste.len = 0;
}

/* ---- keys ---- */

/* Decode a key of one byte or one code point. Returns its length; 0: more bytes are needed. */
static size_t plain_key(const struct keys *k, const char *s, size_t n, struct event *ret)
{
	unsigned char c = (unsigned char)s[0];
	size_t more = c < 0xC2 || c > 0xF4 ? 0 : c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
	bool valid;
	if (c < 0x20 || c == 0x7F) {
		sequence_control(c, ret);
		return 1;
	}
	size_t len = trm_utf8_decode(s, n, &ret->key, &valid);
	/* Cut off, but valid so far? */
	if (!valid && !k->is_flushed && n <= more) {
		for (size_t i = 1; i < n; i++)
			if (((unsigned char)s[i] & 0xC0) != 0x80)
				return len;
		return 0;
	}
	return len;
}

/* Find an added sequence: with `exact` s[0..n) as a whole, otherwise one at its beginning. *ret_partial:
 * s is the beginning of one. */
static const struct added *find_added(
		const struct keys *k, const char *s, size_t n, bool exact, bool *ret_partial)
{
	const struct added *best = NULL;
	size_t best_len = 0;
	*ret_partial = false;
	for (size_t i = 0; i < k->n_added; i++) {
		size_t len = strlen(k->added[i].sequence);
		if (len > n && memcmp(k->added[i].sequence, s, n) == 0)
			*ret_partial = true;
		if (len > n || len <= best_len || memcmp(k->added[i].sequence, s, len) != 0
				|| (exact && len != n))
			continue;
		best = &k->added[i];
		best_len = len;
	}
	return best;
}

static void count_clicks(struct keys *k, struct event *e)
{
	const struct event *last = &k->last_press;
	if (e->action != MOUSE_PRESS)
		return;
	int drift = e->col - last->col;
	bool is_same = last->clicks > 0 && last->button == e->button && last->row == e->row && drift >= -1
		       && drift <= 1 && k->now_ns - last->time_ns <= CLICK_NS;
	e->clicks = is_same && last->clicks < 3 ? (uint8_t)(last->clicks + 1) : 1;
	k->last_press = *e;
	k->last_press.time_ns = k->now_ns;
}

/* Decode a sequence that begins with ESC [ or ESC O. As decode_key(). */
static size_t take_sequence(struct keys *k, const char *s, size_t n, struct event *ret, bool *ret_event)
{
	struct sequence seq;
	bool partial;
	*ret_event = false;
	enum sequence_result r = sequence_parse(s, n, &seq);
	if (r == SEQUENCE_MORE && (!k->is_flushed || is_half_answer(k, s, n)))
		return 0;
	if (r == SEQUENCE_MORE && n == 2) { /* Alt with [ or O */
		*ret = (struct event){.type = EVENT_KEY, .key = (unsigned char)s[1], .mods = MOD_ALT};
		*ret_event = true;
		return 2;
	}
	if (r != SEQUENCE_WHOLE)
		return r == SEQUENCE_MORE ? n : seq.len;
	if (seq.final == '~' && seq.n_params > 0 && seq.params[0] == 200) {
		k->is_pasting = true;
		drop_old_paste(k);
		return seq.len;
	}
	if (terminal_query_take_sequence(&k->terminal_answers, s, seq.len, &seq))
		return seq.len;
	*ret_event = sequence_event(&seq, ret);
	if (*ret_event && ret->type == EVENT_MOUSE)
		count_clicks(k, ret);
	const struct added *a = *ret_event || seq.is_known ? NULL : find_added(k, s, seq.len, true, &partial);
	if (a) {
		*ret = (struct event){.type = EVENT_KEY, .key = a->key, .mods = a->mods};
		*ret_event = true;
	}
	return seq.len;
}

/* Decode something that begins with ESC. As decode_key(). */
static size_t take_escape(struct keys *k, const char *s, size_t n, struct event *ret, bool *ret_event)
{
	bool partial, is_sequence = n > 1 && (s[1] == '[' || s[1] == 'O');
	if (is_sequence)
		return take_sequence(k, s, n, ret, ret_event);
	if (n > 1 && s[1] == '_' && !(n == 2 && k->is_flushed)) {
		long len = terminal_query_take_string(&k->terminal_answers, s, n);
		if (len >= 0)
			return (size_t)len;
	}
	const struct added *a = find_added(k, s, n, false, &partial);
	if (a) {
		*ret = (struct event){.type = EVENT_KEY, .key = a->key, .mods = a->mods};
		*ret_event = true;
		return strlen(a->sequence);
	}
	if ((n == 1 || partial) && !k->is_flushed)
		return 0;
	*ret_event = true;
	if (n > 1 && s[1] == ESC) {
		/* rxvt and others send Alt as an ESC before the key's own sequence. Two ESC alone are two
		 * keys. */
		if (n == 2 && !k->is_flushed)
			return 0;
		if (n > 2 && (s[2] == '[' || s[2] == 'O')) {
			size_t len = take_sequence(k, s + 1, n - 1, ret, ret_event);
			ret->mods |= MOD_ALT;
			return len ? len + 1 : 0;
		}
	}
	if (n == 1 || s[1] == ESC) {
		ret->key = K_ESCAPE;
		return 1;
	}
	size_t len = plain_key(k, s + 1, n - 1, ret);
	ret->mods |= MOD_ALT;
	return len ? len + 1 : 0;
}

/* Decode one item from s[0..n). Returns its length; 0: more bytes are needed. *ret_event says whether it
 * is an event. */
static size_t decode_key(struct keys *k, const char *s, size_t n, struct event *ret, bool *ret_event)
{
	bool partial;
	*ret = (struct event){.type = EVENT_KEY};
	if ((unsigned char)s[0] == ESC)
		return take_escape(k, s, n, ret, ret_event);
	*ret_event = true;
	const struct added *a = (unsigned char)s[0] < 0x20 ? find_added(k, s, n, false, &partial) : NULL;
	if (a && strlen(a->sequence) > 1) {
		ret->key = a->key;
		ret->mods = a->mods;
		return strlen(a->sequence);
	}
	return plain_key(k, s, n, ret);
}

bool keys_next(struct keys *k, struct event *ret)
{
	while (k->head < k->in.len || k->is_pasting) {
		bool is_event = false;
		if (k->is_pasting) {
			if (collect_paste(k, ret))
				return true;
			break;
		}
		size_t len = decode_key(k, k->in.mem + k->head, k->in.len - k->head, ret, &is_event);
		if (len == 0)
			break;
		k->head += len;
		ret->time_ns = k->now_ns;
		if (is_event)
			return true;
	}
	return false;
}
