/* SPDX-License-Identifier: MIT */
/* shot ROWS COLUMNS STEP… -- PROGRAM ARGUMENT…: start the program on a terminal of that size, do the steps,
 * and print what the screen shows then, as JSON: {"rows", "cols", "cells": [[row, column, width, text, color,
 * background, attributes]], "log": base64 of all that was sent}. Blank cells on the default background are
 * left out. Attributes: 1 bold, 2 italic, 4 underlined, 8 struck.
 *
 *   wait=TEXT   until it is shown      gone=TEXT   until it is not
 *   send=KEYS   type                   rest=MS     until nothing has come for so long
 *   kitty       the terminal answers that it draws images, in cells of 10 by 20 pixels
 *   shot        print the screen now, and go on: the steps that follow end the program */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "screen/screen.h"

#define KITTY "\033_Gi=31;OK\033\\\033[6;20;10t\033[?62;c"

static struct screen s = {.fd = -1};

static void put_text(const uint32_t *chars)
{
	for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && chars[i]; i++)
		if (chars[i] == '"' || chars[i] == '\\')
			printf("\\%c", (char)chars[i]);
		else if (chars[i] < 0x10000)
			printf(chars[i] >= ' ' && chars[i] < 0x7f ? "%c" : "\\u%04x", (unsigned)chars[i]);
		else
			printf("\\u%04x\\u%04x", (unsigned)(0xd800 + ((chars[i] - 0x10000) >> 10)),
					(unsigned)(0xdc00 + ((chars[i] - 0x10000) & 0x3ff)));
}

/* "#rrggbb", or "" for the terminal's own. */
static const char *color(VTermColor c, bool is_default, char out[8])
{
	*out = '\0';
	if (is_default)
		return out;
	vterm_screen_convert_color_to_rgb(s.vts, &c);
	snprintf(out, 8, "#%02x%02x%02x", c.rgb.red, c.rgb.green, c.rgb.blue);
	return out;
}

static void put_cell(int row, int col, const char **comma)
{
	VTermScreenCell cell;
	char fg[8], bg[8];

	vterm_screen_get_cell(s.vts, (VTermPos){row, col}, &cell);
	color(cell.fg, VTERM_COLOR_IS_DEFAULT_FG(&cell.fg), fg);
	color(cell.bg, VTERM_COLOR_IS_DEFAULT_BG(&cell.bg), bg);
	bool is_blank = !cell.chars[0] || (cell.chars[0] == ' ' && !cell.chars[1])
			|| cell.chars[0] == (uint32_t)-1;
	if (is_blank && !*bg && !cell.attrs.reverse)
		return;
	printf("%s\n[%d,%d,%d,\"", *comma, row, col, cell.width);
	if (!is_blank)
		put_text(cell.chars);
	printf("\",\"%s\",\"%s\",%d]", cell.attrs.reverse ? bg : fg, cell.attrs.reverse ? fg : bg,
			cell.attrs.bold | cell.attrs.italic << 1 | (cell.attrs.underline != 0) << 2
					| cell.attrs.strike << 3);
	*comma = ",";
}

static void put_log(void)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < s.log_len; i += 3) {
		unsigned v = 0;
		for (size_t k = 0; k < 3; k++)
			v = v << 8 | (i + k < s.log_len ? (unsigned char)s.log[i + k] : 0u);
		printf("%c%c%c%c", digits[v >> 18], digits[v >> 12 & 63],
				i + 1 < s.log_len ? digits[v >> 6 & 63] : '=',
				i + 2 < s.log_len ? digits[v & 63] : '=');
	}
}

static void put_screen(void)
{
	const char *comma = "";

	printf("{\"rows\":%d,\"cols\":%d,\"cells\":[", s.rows, s.cols);
	for (int row = 0; row < s.rows; row++)
		for (int col = 0; col < s.cols; col++)
			put_cell(row, col, &comma);
	printf("],\n\"log\":\"");
	put_log();
	printf("\"}\n");
}

static void step(const char *word)
{
	if (strncmp(word, "wait=", 5) == 0)
		screen_wait(&s, word + 5);
	else if (strncmp(word, "gone=", 5) == 0)
		screen_wait_gone(&s, word + 5);
	else if (strncmp(word, "send=", 5) == 0)
		screen_send(&s, word + 5);
	else if (strncmp(word, "rest=", 5) == 0)
		screen_wait_quiet(&s, atoi(word + 5));
	else if (strcmp(word, "shot") == 0)
		put_screen();
	else
		fail_msg("there is no step '%s'", word);
}

/* Those of Solarized: they can be read on dark and on light ground. */
static void set_palette(void)
{
	static const uint8_t colors[8][3] = {{0x07, 0x36, 0x42}, {0xdc, 0x32, 0x2f}, {0x85, 0x99, 0x00},
			{0xb5, 0x89, 0x00}, {0x26, 0x8b, 0xd2}, {0xd3, 0x36, 0x82}, {0x2a, 0xa1, 0x98},
			{0x93, 0xa1, 0xa1}};

	for (int i = 0; i < 16; i++) {
		VTermColor c;
		vterm_color_rgb(&c, colors[i % 8][0], colors[i % 8][1], colors[i % 8][2]);
		vterm_state_set_palette_color(vterm_obtain_state(s.vt), i, &c);
	}
}

int main(int argc, char **argv)
{
	static const char *const env[] = {"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8",
			"XDG_CONFIG_HOME=/nonexistent", "TERRARIUM_CONFIRM=off", "TERRARIUM_RESTORE=off",
			"TERRARIUM_HISTORY=off", NULL};
	int first = 3, end = first;

	while (end < argc && strcmp(argv[end], "--") != 0)
		end++;
	if (end + 1 >= argc) {
		fprintf(stderr, "Usage: shot ROWS COLUMNS STEP… -- PROGRAM ARGUMENT…\n");
		return 2;
	}
	screen_start(&s, atoi(argv[1]), atoi(argv[2]), (const char *const *)(argv + end + 1), env);
	s.is_logged = true;
	set_palette();
	if (first < end && strcmp(argv[first], "kitty") == 0) {
		s.reply = KITTY;
		first++;
	}
	for (; first < end; first++)
		step(argv[first]);
	return screen_end(&s);
}
