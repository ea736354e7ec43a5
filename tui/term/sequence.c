/* SPDX-License-Identifier: MIT */
#include "term/sequence.h"

#include <string.h>

#define PARAM_MAX 0x10FFFF
#define CELL_MAX 32767

void sequence_control(unsigned char c, struct event *ret)
{
	static const uint32_t special[0x20] = {['\r'] = K_ENTER,
			['\n'] = K_ENTER,
			['\t'] = K_TAB,
			['\b'] = K_BACKSPACE,
			[0x1B] = K_ESCAPE};
	if (c == 0x7F) {
		ret->key = K_BACKSPACE;
	} else if (special[c]) {
		ret->key = special[c];
	} else {
		ret->key = c == 0 ? ' ' : c < 0x1B ? 'a' + c - 1u : c + 0x40u;
		ret->mods |= MOD_CTRL;
	}
}

/* Parse parameters up to the first other byte. Returns its offset. */
static size_t parse_params(const char *s, size_t n, size_t at, struct sequence *ret)
{
	bool in_subparam = false;
	ret->params[0] = -1;
	for (; at < n && s[at] >= '0' && s[at] <= ';'; at++) {
		int *param = ret->n_params > 0 ? &ret->params[ret->n_params - 1] : NULL;
		if (s[at] == ';' && ret->n_params == 0)
			ret->n_params = 1;
		if (s[at] == ';') {
			if (ret->n_params < 4)
				ret->params[ret->n_params++] = -1;
			in_subparam = false;
			continue;
		}
		if (s[at] == ':') {
			in_subparam = true;
			continue;
		}
		if (!param) {
			ret->n_params = 1;
			param = &ret->params[0];
		}
		if (in_subparam) {
			if (ret->n_params == 2)
				ret->subparam = s[at] - '0';
			continue;
		}
		*param = (*param < 0 ? 0 : *param) * 10 + (s[at] - '0');
		*param = *param < PARAM_MAX ? *param : PARAM_MAX;
	}
	return at;
}

static enum sequence_result ends(struct sequence *ret, size_t len, enum sequence_result result)
{
	ret->len = len;
	return result;
}

/* CSI [ A (Linux console) and CSI M b x y (X10 mouse) have a form of their own. */
static enum sequence_result parse_odd(const char *s, size_t n, struct sequence *ret)
{
	size_t len = s[2] == '[' ? 4 : 6;
	if (n < len)
		return SEQUENCE_MORE;
	ret->is_linux_f = s[2] == '[';
	ret->final = ret->is_linux_f ? s[3] : 'M';
	ret->tail = ret->is_linux_f ? NULL : s + 3;
	return ends(ret, len, SEQUENCE_WHOLE);
}

enum sequence_result sequence_parse(const char *s, size_t n, struct sequence *ret)
{
	*ret = (struct sequence){.introducer = s[1]};
	size_t at = 2;
	if (at < n && s[1] == '[' && (s[2] == '[' || s[2] == 'M'))
		return parse_odd(s, n, ret);
	if (at < n && s[1] == '[' && s[at] >= '<' && s[at] <= '?')
		ret->prefix = s[at++];
	n = n < SEQUENCE_MAX ? n : SEQUENCE_MAX; /* longer sequences are not examined, however they are split
						    into reads */
	at = parse_params(s, n, at, ret);
	/* rxvt ends Shift with function keys in '$', which elsewhere is a byte before the last one. */
	if (at < n && s[at] == '$' && ret->prefix == 0 && ret->n_params == 1) {
		ret->final = '$';
		return ends(ret, at + 1, SEQUENCE_WHOLE);
	}
	while (at < n && s[at] >= ' ' && s[at] <= '/')
		at++;
	if (at == SEQUENCE_MAX)
		return ends(ret, at, SEQUENCE_BROKEN);
	if (at == n)
		return SEQUENCE_MORE;
	if (s[at] < '@' || s[at] > '~')
		return ends(ret, at, SEQUENCE_BROKEN);
	ret->final = s[at];
	return ends(ret, at + 1, SEQUENCE_WHOLE);
}

/* ---- meaning ---- */

struct final_key {
	char final;
	uint32_t key;
	uint8_t mods;
};

static bool find_final(const struct final_key *table, size_t n, char final, struct event *ret)
{
	for (size_t i = 0; i < n; i++) {
		if (table[i].final != final)
			continue;
		ret->key = table[i].key;
		ret->mods |= table[i].mods;
		return true;
	}
	return false;
}

#define FIND_FINAL(table, final, ret) find_final(table, sizeof(table) / sizeof(*(table)), final, ret)

/* The modifier parameter: 1 + bits of shift 1, alt 2, control 4, and meta 32 (taken as alt). */
static uint8_t mods_of(int param)
{
	int bits = param > 0 ? param - 1 : 0;
	return (uint8_t)((bits & 7) | (bits & 32 ? MOD_ALT : 0));
}

/* Keys by the number before '~' (or before rxvt's '$', '^', '@'). */
static bool tilde_key(int number, struct event *ret)
{
	static const uint32_t keys[] = {[1] = K_HOME,
			[2] = K_INSERT,
			[3] = K_DELETE,
			[4] = K_END,
			[5] = K_PAGE_UP,
			[6] = K_PAGE_DOWN,
			[7] = K_HOME,
			[8] = K_END,
			[11] = K_F1,
			[12] = K_F2,
			[13] = K_F3,
			[14] = K_F4,
			[15] = K_F5,
			[17] = K_F6,
			[18] = K_F7,
			[19] = K_F8,
			[20] = K_F9,
			[21] = K_F10,
			[23] = K_F11,
			[24] = K_F12,
			/* The Linux console sends F13 to F20 for Shift with F1 to F8. */
			[25] = K_F1,
			[26] = K_F2,
			[28] = K_F3,
			[29] = K_F4,
			[31] = K_F5,
			[32] = K_F6,
			[33] = K_F7,
			[34] = K_F8};
	if (number < 0 || (size_t)number >= sizeof(keys) / sizeof(*keys) || keys[number] == 0)
		return false;
	ret->key = keys[number];
	if (number >= 25)
		ret->mods |= MOD_SHIFT;
	return true;
}

/* A code point with modifiers, from CSI u or modifyOtherKeys. */
static bool coded_key(int code, uint8_t mods, struct event *ret)
{
	/* kitty's numbers for the keypad, from 57399. */
	static const uint32_t pad[] = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '.', '/', '*', '-',
			'+', K_ENTER, '=', ',', K_LEFT, K_RIGHT, K_UP, K_DOWN, K_PAGE_UP, K_PAGE_DOWN, K_HOME,
			K_END, K_INSERT, K_DELETE};
	const int pad_first = 57399, private_first = 57344, private_last = 63743;
	if (code <= 0)
		return false;
	if (code >= private_first && code <= private_last) {
		int i = code - pad_first;
		if (i < 0 || (size_t)i >= sizeof(pad) / sizeof(*pad))
			return false;
		ret->key = pad[i];
		ret->mods = mods;
		return true;
	}
	if (code < 0x20 || code == 0x7F) {
		sequence_control((unsigned char)code, ret);
		ret->mods |= mods;
		return true;
	}
	bool is_upper = code >= 'A' && code <= 'Z', is_lower = code >= 'a' && code <= 'z';
	if ((mods & MOD_CTRL) && is_upper)
		code += 'a' - 'A';
	if (!(mods & MOD_CTRL) && (mods & MOD_SHIFT)) {
		code -= is_lower ? 'a' - 'A' : 0;
		mods &= (uint8_t)~MOD_SHIFT;
	}
	ret->key = (uint32_t)code;
	ret->mods = mods;
	return true;
}

static bool mouse_event(int bits, int col, int row, bool is_release, struct event *ret)
{
	ret->type = EVENT_MOUSE;
	ret->mods = (uint8_t)((bits & 4 ? MOD_SHIFT : 0) | (bits & 8 ? MOD_ALT : 0)
			      | (bits & 16 ? MOD_CTRL : 0));
	ret->col = (col < 1 ? 1 : col > CELL_MAX ? CELL_MAX : col) - 1;
	ret->row = (row < 1 ? 1 : row > CELL_MAX ? CELL_MAX : row) - 1;
	if (bits & 64) {
		ret->action = bits & 1 ? MOUSE_WHEEL_DOWN : MOUSE_WHEEL_UP;
		return (bits & 2) == 0 && !is_release; /* the others scroll sideways */
	}
	if (bits & 128)
		return false;
	if ((bits & 35) == 35) { /* no button is down */
		ret->action = MOUSE_MOVE;
		return !is_release;
	}
	ret->button = (uint8_t)((bits & 3) + 1);
	ret->action = is_release ? MOUSE_RELEASE : bits & 32 ? MOUSE_DRAG : MOUSE_PRESS;
	return ret->button <= 3;
}

/* X10: one byte each for buttons, column and row, plus 32; button 3 is the release of any button. */
static bool x10_mouse(const char *tail, struct event *ret)
{
	const unsigned char *p = (const unsigned char *)tail;
	int bits = p[0] - 32;
	bool is_release = (bits & 3) == 3 && !(bits & 64);
	if (is_release)
		bits &= ~3;
	return mouse_event(bits, p[1] - 32, p[2] - 32, is_release, ret);
}

static const struct final_key common[] = {{'A', K_UP, 0}, {'B', K_DOWN, 0}, {'C', K_RIGHT, 0},
		{'D', K_LEFT, 0}, {'H', K_HOME, 0}, {'F', K_END, 0}, {'P', K_F1, 0}, {'Q', K_F2, 0},
		{'R', K_F3, 0}, {'S', K_F4, 0}};

static bool ss3_event(const struct sequence *seq, struct event *ret)
{
	static const struct final_key table[] = {{'M', K_ENTER, 0}, {'I', K_TAB, 0}, {' ', ' ', 0},
			{'X', '=', 0}, {'a', K_UP, MOD_CTRL}, {'b', K_DOWN, MOD_CTRL},
			{'c', K_RIGHT, MOD_CTRL}, {'d', K_LEFT, MOD_CTRL}};
	/* Old xterm puts the modifiers first: SS3 2 P. */
	ret->mods = mods_of(seq->n_params > 0 ? seq->params[seq->n_params - 1] : 0);
	if (FIND_FINAL(common, seq->final, ret) || FIND_FINAL(table, seq->final, ret))
		return true;
	if (seq->final >= 'j' && seq->final <= 'y') {
		ret->key = (uint32_t)(seq->final - 'j' + '*'); /* the keypad's * + , - . / 0 to 9 */
		return true;
	}
	return false;
}

static bool tilde_event(const struct sequence *seq, struct event *ret)
{
	if (seq->params[0] == 27 && seq->n_params == 3)
		return coded_key(seq->params[2], mods_of(seq->params[1]), ret);
	ret->mods = mods_of(seq->n_params > 1 ? seq->params[1] : 0);
	return tilde_key(seq->params[0], ret);
}

static bool csi_key(const struct sequence *seq, struct event *ret)
{
	static const struct final_key table[] = {{'Z', K_TAB, MOD_SHIFT}, {'a', K_UP, MOD_SHIFT},
			{'b', K_DOWN, MOD_SHIFT}, {'c', K_RIGHT, MOD_SHIFT}, {'d', K_LEFT, MOD_SHIFT}};
	static const struct final_key rxvt[] = {
			{'$', 0, MOD_SHIFT}, {'^', 0, MOD_CTRL}, {'@', 0, MOD_SHIFT | MOD_CTRL}};
	uint8_t mods = mods_of(seq->n_params > 1 ? seq->params[1] : 0);
	if (seq->final == '~')
		return tilde_event(seq, ret);
	if (seq->final == 'u')
		return coded_key(seq->params[0], mods, ret);
	if (FIND_FINAL(rxvt, seq->final, ret))
		return tilde_key(seq->params[0], ret);
	ret->mods = mods;
	return FIND_FINAL(common, seq->final, ret) || FIND_FINAL(table, seq->final, ret);
}

bool sequence_event(struct sequence *seq, struct event *ret)
{
	*ret = (struct event){.type = EVENT_KEY};
	seq->is_known = true;
	if (seq->tail)
		return x10_mouse(seq->tail, ret);
	if (seq->is_linux_f && seq->final >= 'A' && seq->final <= 'E') {
		ret->key = K_F1 + (uint32_t)(seq->final - 'A');
		return true;
	}
	if (seq->prefix == '<' && (seq->final == 'M' || seq->final == 'm') && seq->n_params == 3)
		return mouse_event(seq->params[0] < 0 ? 0 : seq->params[0], seq->params[1], seq->params[2],
				seq->final == 'm', ret);
	if (seq->introducer == '[' && !seq->prefix && seq->n_params == 0
			&& (seq->final == 'I' || seq->final == 'O')) {
		ret->type = EVENT_FOCUS;
		ret->key = seq->final == 'I';
		return true;
	}
	if (seq->subparam == 3) /* kitty: the key was released */
		return false;
	if (seq->prefix == 0 && !seq->is_linux_f
			&& (seq->introducer == 'O' ? ss3_event(seq, ret) : csi_key(seq, ret)))
		return true;
	seq->is_known = false;
	return false;
}
