/* SPDX-License-Identifier: MIT */
#include "policy/fold.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What is decomposed to one character of a name in ASCII, in runs of code points; a blank is none of these.
 */
static const struct {
	uint32_t first;
	const char *plain;
} RUNS[] = {
		{0xAA, "a"},
		{0xBA, "o"},
		{0x17F, "s"},
		{0x2B0, "h jr   wy"},
		{0x2E1, "lsx"},
		{0x1D2C, "A B DE GHIJKLMN O PRTUWa   bde   g km o   ptu  v"},
		{0x1D62, "iruv"},
		{0x1D9C, "c   f"},
		{0x1DBB, "z"},
		{0x2071, "i"},
		{0x207F, "n"},
		{0x2090, "aeox hklmnpst"},
		{0x2102, "C"},
		{0x210A, "gHHHh IILl N   PQRRR"},
		{0x2124, "Z   Z K BC eEF Mo"},
		{0x2139, "i"},
		{0x2145, "Ddeij"},
		{0x2160, "I   V"},
		{0x2169, "X  LCDMi   v"},
		{0x2179, "x  lcdm"},
		{0x2C7C, "jV"},
		{0xA7F2, "CFQ"},
		{0xFE33, "__"},
		{0xFE4D, "___"},
		{0x107A5, "q"},
		{0x1FBF0, "0123456789"},
};

/* Ligatures and Roman numbers. */
static const struct {
	uint32_t code;
	char plain[5];
} PAIRS[] = {
		{0x132, "IJ"},
		{0x133, "ij"},
		{0x1C7, "LJ"},
		{0x1C8, "Lj"},
		{0x1C9, "lj"},
		{0x1CA, "NJ"},
		{0x1CB, "Nj"},
		{0x1CC, "nj"},
		{0x1F1, "DZ"},
		{0x1F2, "Dz"},
		{0x1F3, "dz"},
		{0x2161, "II"},
		{0x2162, "III"},
		{0x2163, "IV"},
		{0x2165, "VI"},
		{0x2166, "VII"},
		{0x2167, "VIII"},
		{0x2168, "IX"},
		{0x216A, "XI"},
		{0x216B, "XII"},
		{0x2171, "ii"},
		{0x2172, "iii"},
		{0x2173, "iv"},
		{0x2175, "vi"},
		{0x2176, "vii"},
		{0x2177, "viii"},
		{0x2178, "ix"},
		{0x217A, "xi"},
		{0x217B, "xii"},
		{0xFB00, "ff"},
		{0xFB01, "fi"},
		{0xFB02, "fl"},
		{0xFB03, "ffi"},
		{0xFB04, "ffl"},
		{0xFB05, "st"},
		{0xFB06, "st"},
};

/* One character that is complete; 0 bytes: it is not UTF-8. */
static size_t decode(const unsigned char *at, size_t left, uint32_t *ret_code)
{
	size_t n = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : at[0] >= 0xC2 ? 2 : 0;
	if (!n || n > left || at[0] > 0xF4)
		return 0;
	*ret_code = at[0] & (0x7Fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((at[i] & 0xC0) != 0x80)
			return 0;
		*ret_code = *ret_code << 6 | (at[i] & 0x3Fu);
	}
	return n;
}

/* Writes what it means; gives the length, 0 if it means itself. */
static size_t fold(uint32_t code, char *out)
{
	char one = 0;
	if (code >= 0x1D400 && code <= 0x1D6A3) /* mathematical letters, in one style after the other */
		one = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[(code - 0x1D400) % 52];
	else if (code >= 0x1D7CE && code <= 0x1D7FF)
		one = "0123456789"[(code - 0x1D7CE) % 10];
	else if ((code >= 0xFF10 && code <= 0xFF19) || (code >= 0xFF21 && code <= 0xFF3A) || code == 0xFF3F
			|| (code >= 0xFF41 && code <= 0xFF5A))
		one = (char)(code - 0xFEE0);
	for (size_t i = 0; !one && i < sizeof RUNS / sizeof *RUNS; i++)
		if (code >= RUNS[i].first && code - RUNS[i].first < strlen(RUNS[i].plain))
			one = RUNS[i].plain[code - RUNS[i].first];
	if (one && one != ' ') {
		*out = one;
		return 1;
	}
	for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++)
		if (PAIRS[i].code == code) {
			size_t n = strlen(PAIRS[i].plain);
			memcpy(out, PAIRS[i].plain, n);
			return n;
		}
	return 0;
}

char *fold_create(const char *code, size_t n, size_t *ret_n)
{
	/* Four letters may come from three bytes. */
	char *out = malloc(n + n / 3 + 5);
	size_t len = 0;
	for (size_t at = 0; out && at < n;) {
		uint32_t c = 0;
		size_t width = (unsigned char)code[at] < 0x80
					       ? 0
					       : decode((const unsigned char *)code + at, n - at, &c);
		size_t folded = width ? fold(c, out + len) : 0;
		if (!folded) {
			folded = width ? width : 1;
			memcpy(out + len, code + at, folded);
		}
		len += folded;
		at += width ? width : 1;
	}
	*ret_n = len;
	return out;
}
