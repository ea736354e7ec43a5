/* SPDX-License-Identifier: MIT */
/* Images on the screen of the real program: with a terminal that speaks kitty's protocol, one that knows
 * sixel, and one that answers nothing of the kind. What it sends is decoded again here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "screen/screen.h"
#include "support/half_png.h"

/* The cell of these terminals is 8 by 16 pixels, so that the image of 64 by 48 takes 8 by 3 cells. */
#define CELL "\033[6;16;8t"
#define KITTY "\033_Gi=31;OK\033\\" CELL "\033[?62;c"
#define SIXEL CELL "\033[?62;4;22c"
#define NEITHER "\033[?62;22c"

static const char *program, *backend;
static struct screen s = {.fd = -1};

static void start(const char *reply, const char *const *more)
{
	const char *argv[12] = {program, "--backend", backend, "--confirm", "off"};
	const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", "COLORTERM=truecolor", NULL};

	for (int i = 0; more && more[i]; i++)
		argv[5 + i] = more[i];
	screen_start(&s, 30, 100, argv, env);
	s.reply = reply;
	s.is_logged = true;
	screen_wait(&s, "idle");
}

static void show(void)
{
	screen_send(&s, "display image/png " HALF_PNG_BASE64 "\rprint shown");
	screen_send(&s, KEY_F(5));
	screen_wait(&s, "\u2713"); /* "shown" stands in the editor, too */
}

static void leave(void)
{
	assert_int_equal(screen_leave(&s), 0);
}

/* Where `text` was sent, from `from` on; waits for it. */
static size_t wait_sent(const char *text, size_t from)
{
	double end = screen_now_ms() + SCREEN_DEADLINE_MS;

	for (;;) {
		const char *at = s.log ? memmem(s.log + from, s.log_len - from, text, strlen(text)) : NULL;
		if (at)
			return (size_t)(at - s.log);
		if (screen_now_ms() > end)
			fail_msg("it was never sent: %s\n%s", text + 1, screen_text(&s));
		screen_wait_quiet(&s, 20);
	}
}

static bool was_sent(const char *text)
{
	return s.log && memmem(s.log, s.log_len, text, strlen(text));
}

/* ---- kitty ---- */

static int digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* The bytes of a whole transmission that begins at `at`: all its commands joined. */
static size_t take_payload(size_t at, unsigned char *out, size_t cap)
{
	size_t n = 0;

	for (bool has_more = true; has_more;) {
		const char *text = s.log + at;
		assert_memory_equal(text, "\033_G", 3);
		const char *data = memchr(text, ';', s.log_len - at),
			   *end = memmem(text, s.log_len - at, "\033\\", 2);
		assert_true(data && end && data < end);
		assert_true(end - data <= 4097);
		has_more = memmem(text, (size_t)(data - text), "m=1", 3);
		for (const char *p = data + 1; p + 3 < end; p += 4) {
			unsigned v = (unsigned)digit(p[0]) << 18 | (unsigned)digit(p[1]) << 12
				     | (unsigned)(p[2] == '=' ? 0 : digit(p[2])) << 6
				     | (unsigned)(p[3] == '=' ? 0 : digit(p[3]));
			assert_true(n + 3 <= cap);
			out[n++] = (unsigned char)(v >> 16);
			if (p[2] != '=')
				out[n++] = (unsigned char)(v >> 8);
			if (p[3] != '=')
				out[n++] = (unsigned char)v;
		}
		at = (size_t)(end + 2 - s.log);
	}
	return n;
}

/* zlib's stream of a stored or compressed block is unpacked by gzip's own tool: none is linked here. */
static size_t inflate_with_python(const unsigned char *bytes, size_t n, unsigned char *out, size_t cap)
{
	char path[] = "/tmp/terrarium-images-XXXXXX", command[300];
	int fd = mkstemp(path);

	assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
	snprintf(command, sizeof command,
			"/usr/bin/python3 -c \"import zlib,sys;sys.stdout.buffer.write(zlib.decompress(open('%s','rb').read()))\"",
			path);
	FILE *f = popen(command, "r");
	assert_non_null(f);
	size_t len = fread(out, 1, cap, f);
	assert_int_equal(pclose(f), 0);
	unlink(path);
	return len;
}

static void draws_by_kittys_protocol(void **state)
{
	static unsigned char packed[100000], rgb[HALF_W * HALF_H * 3 + 1];
	unsigned id = 0;

	(void)state;
	start(KITTY, NULL);
	assert_false(was_sent("\033_G")); /* nobody is asked before there is an image */
	show();
	wait_sent("\033_Gi=31,s=1,v=1,a=q", 0);
	size_t at = wait_sent("\033_Ga=t,", 0);
	size_t place = wait_sent("\033_Ga=p,", at);
	char head[200] = "";
	memcpy(head, s.log + at, strcspn(s.log + at, ";") < 199 ? strcspn(s.log + at, ";") : 199);
	assert_int_equal(sscanf(head, "\033_Ga=t,i=%u,f=24,s=64,v=48", &id), 1);
	assert_true(id > 0);
	size_t n = take_payload(at, packed, sizeof packed);
	if (strstr(head, "o=z"))
		n = inflate_with_python(packed, n, rgb, sizeof rgb);
	else
		memcpy(rgb, packed, n);
	assert_int_equal(n, HALF_W * HALF_H * 3);
	assert_memory_equal(rgb, "\xff\0\0", 3);
	assert_memory_equal(rgb + 63 * 3, "\0\0\xff", 3);
	char wanted[100];
	snprintf(wanted, sizeof wanted, "\033_Ga=p,i=%u,p=1,x=0,y=0,w=64,h=48,c=8,r=3,C=1,q=2;", id);
	assert_memory_equal(s.log + place, wanted, strlen(wanted));
	/* A dialog over it, and gone: it is taken away where the dialog is, and comes back. */
	size_t before = s.log_len;
	screen_send(&s, KEY_F(1));
	wait_sent("\033_Ga=d,d=i,", before);
	screen_send(&s, "\033");
	wait_sent("\033_Ga=p,", before);
	leave();
}

/* Kitty places nothing whose number is 0, and a second image of one number takes the place of the first. */
static void each_image_of_the_repl_has_a_number(void **state)
{
	const char *argv[] = {program, "repl", "--backend", backend, "--yes", NULL};
	const char *const env[] = {"TERM=xterm-256color", "LANG=C.UTF-8", NULL};
	unsigned ids[2], placed;
	size_t at = 0;

	(void)state;
	screen_start(&s, 30, 100, argv, env);
	s.reply = KITTY;
	s.is_logged = true;
	screen_wait(&s, "[1]>");
	for (int i = 0; i < 2; i++) {
		screen_send(&s, "display image/png " HALF_PNG_BASE64 "\r");
		at = wait_sent("\033_Ga=t,", at);
		assert_int_equal(sscanf(s.log + at, "\033_Ga=t,i=%u,", &ids[i]), 1);
		at = wait_sent("\033_Ga=p,", at);
		assert_int_equal(sscanf(s.log + at, "\033_Ga=p,i=%u,", &placed), 1);
		assert_int_not_equal(ids[i], 0);
		assert_int_equal(placed, ids[i]);
		screen_wait(&s, i ? "[3]>" : "[2]>");
	}
	assert_int_not_equal(ids[0], ids[1]);
	screen_send(&s, "\x04");
	assert_int_equal(screen_end(&s), 0);
}

static void what_scrolls_away_is_cut(void **state)
{
	(void)state;
	start(KITTY, NULL);
	show();
	wait_sent("\033_Ga=p,", 0);
	size_t before = s.log_len;
	screen_send(&s, "\r");
	for (int i = 0; i < 12; i++)
		screen_send(&s, "print more\r");
	screen_send(&s, KEY_F(5));
	wait_sent(",r=", before);
	screen_wait_quiet(&s, 100);
	assert_false(memmem(s.log + before, s.log_len - before, "c=8,r=4", 7));
	leave();
}

/* ---- sixel ---- */

struct sixels {
	int width, height;
	int pixels[200][200]; /* color registers; -1: not set */
	int colors[256][3];
};

static struct sixels six;

static void set_column(int x, int y, int bits, int color)
{
	for (int i = 0; i < 6; i++)
		if (bits >> i & 1) {
			assert_true(x < 200 && y + i < 200);
			six.pixels[y + i][x] = color;
		}
}

/* Decode an image at `p`, behind its "q". */
static void decode_sixel(const char *p)
{
	int x = 0, y = 0, color = 0, used;

	memset(&six, 0, sizeof six);
	for (int i = 0; i < 200 * 200; i++)
		six.pixels[i / 200][i % 200] = -1;
	assert_int_equal(sscanf(p, "\"1;1;%d;%d%n", &six.width, &six.height, &used), 2);
	for (p += used; *p != '\033';) {
		int count = 1, rgb[3];
		if (*p == '#') {
			assert_int_equal(sscanf(p, "#%d%n", &color, &used), 1);
			p += used;
			assert_in_range(color, 0, 255);
			if (sscanf(p, ";2;%d;%d;%d%n", &rgb[0], &rgb[1], &rgb[2], &used) == 3) {
				memcpy(six.colors[color], rgb, sizeof rgb);
				p += used;
			}
			continue;
		}
		if (*p == '$' || *p == '-') {
			x = 0;
			y += *p++ == '-' ? 6 : 0;
			continue;
		}
		if (*p == '!') {
			assert_int_equal(sscanf(p, "!%d%n", &count, &used), 1);
			p += used;
		}
		assert_in_range(*p, '?', '~');
		for (; count > 0; count--)
			set_column(x++, y, *p - '?', color);
		p++;
	}
}

static void draws_by_sixel(void **state)
{
	(void)state;
	start(SIXEL, NULL);
	show();
	size_t at = wait_sent("\033P0;1;0q", 0);
	wait_sent("\033\\", at);
	decode_sixel(s.log + at + 8);
	assert_int_equal(six.width, HALF_W);
	assert_int_equal(six.height, HALF_H);
	for (int y = 0; y < HALF_H; y++)
		for (int x = 0; x < HALF_W; x++) {
			assert_in_range(six.pixels[y][x], 0, 255);
			const int *rgb = six.colors[six.pixels[y][x]];
			assert_int_equal(rgb[0], x < 32 ? 100 : 0);
			assert_int_equal(rgb[2], x < 32 ? 0 : 100);
		}
	assert_false(was_sent("\033_Ga=t"));
	leave();
}

/* ---- neither ---- */

static uint32_t color_at(int row, int col, bool is_fg)
{
	VTermScreenCell cell;

	vterm_screen_get_cell(s.vts, (VTermPos){row, col}, &cell);
	VTermColor color = is_fg ? cell.fg : cell.bg;
	vterm_screen_convert_color_to_rgb(s.vts, &color);
	return (uint32_t)color.rgb.red << 16 | (uint32_t)color.rgb.green << 8 | color.rgb.blue;
}

static void wait_symbols(void)
{
	double end = screen_now_ms() + SCREEN_DEADLINE_MS;

	for (;;) {
		for (int r = 10; r < 30; r++)
			if (color_at(r, 2, false) == 0xFF0000 || color_at(r, 2, true) == 0xFF0000) {
				assert_true(color_at(r, 8, false) == 0x0000FF
						|| color_at(r, 8, true) == 0x0000FF);
				return;
			}
		if (screen_now_ms() > end)
			fail_msg("no image:\n%s", screen_text(&s));
		screen_wait_quiet(&s, 20);
	}
}

static void draws_with_characters_where_nothing_better_is_said(void **state)
{
	(void)state;
	start(NEITHER, NULL);
	show();
	wait_symbols();
	assert_false(was_sent("\033_Ga=t") || was_sent("\033_Ga=p") || was_sent("\033P"));
	leave();
}

static void a_terminal_that_is_silent_is_waited_for_a_little(void **state)
{
	(void)state;
	start("", NULL);
	show();
	wait_symbols();
	/* An answer that comes late is no typing. */
	screen_send(&s, KITTY);
	screen_send(&s, "x");
	screen_wait(&s, "print shownx");
	assert_false(screen_shows(&s, "i=31"));
	leave();
}

static void what_the_person_says_counts(void **state)
{
	static const char *const symbols[] = {"--images", "symbols", NULL}, *const off[] = {"--images", "off",
											    NULL};

	(void)state;
	start(KITTY, symbols);
	show();
	wait_symbols();
	assert_false(was_sent("\033_G"));
	leave();
	start(KITTY, off);
	show();
	screen_wait(&s, "[image/png 64\u00d748]");
	assert_false(was_sent("\033_G"));
	leave();
}

/* ---- the person ---- */

static void an_image_is_saved_by_a_key(void **state)
{
	char path[] = "/tmp/terrarium-figure-XXXXXX", typed[64];
	unsigned char bytes[sizeof half_png + 1];

	(void)state;
	assert_true(close(mkstemp(path)) == 0);
	start(NEITHER, NULL);
	show();
	screen_send(&s, "\033s");
	screen_wait(&s, "fig-1-1.png");
	for (int i = 0; i < 11; i++)
		screen_send(&s, "\x7f");
	snprintf(typed, sizeof typed, "%s\r", path);
	screen_send(&s, typed);
	screen_wait(&s, "already exists. Replace it?");
	screen_send(&s, "r");
	screen_wait(&s, "saved the image");
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fread(bytes, 1, sizeof bytes, f), sizeof half_png);
	assert_memory_equal(bytes, half_png, sizeof half_png);
	fclose(f);
	unlink(path);
	screen_send(&s, "\033i");
	screen_wait(&s, "image 1 of 1");
	screen_send(&s, "\033");
	screen_wait_gone(&s, "image 1 of 1");
	leave();
}

static int after(void **state)
{
	(void)state;
	screen_abandon(&s);
	return 0;
}

#define CASE(test) cmocka_unit_test_teardown(test, after)

int main(int argc, char **argv)
{
	if (argc != 3)
		return 1;
	program = argv[1];
	backend = argv[2];
	const struct CMUnitTest tests[] = {
			CASE(draws_by_kittys_protocol),
			CASE(each_image_of_the_repl_has_a_number),
			CASE(what_scrolls_away_is_cut),
			CASE(draws_by_sixel),
			CASE(draws_with_characters_where_nothing_better_is_said),
			CASE(a_terminal_that_is_silent_is_waited_for_a_little),
			CASE(what_the_person_says_counts),
			CASE(an_image_is_saved_by_a_key),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
