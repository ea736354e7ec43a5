# SPDX-License-Identifier: MIT
"""A screen as an SVG: text as text, and lines, blocks and dots as shapes, so that no font leaves gaps between them."""
import base64
import hashlib
import re
import struct
import zlib
from xml.sax.saxutils import escape

CELL_W, CELL_H, PADDING, BASELINE = 9, 18, 14, 14
FONT = "ui-monospace, 'DejaVu Sans Mono', 'Cascadia Mono', Menlo, Consolas, monospace"

# Lines: up, right, down, left; 1 thin, 2 thick.
LINES = {"─": "0101", "│": "1010", "┌": "0110", "┐": "0011", "└": "1100", "┘": "1001", "├": "1110", "┤": "1011",
         "┬": "0111", "┴": "1101", "┼": "1111", "━": "0202", "┃": "2020", "┈": "0101", "╭": "0110", "╮": "0011",
         "╰": "1100", "╯": "1001", "┿": "1212", "╋": "2222"}
SHADES = {"░": 0.25, "▒": 0.5, "▓": 0.75}
# The bits of a braille character: column, row.
DOTS = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))


def line_rects(char):
    up, right, down, left = (int(weight) for weight in LINES[char])
    mid_x, mid_y = CELL_W // 2, CELL_H // 2
    if char == "┈":
        return [(x, mid_y, 2, 1) for x in (0, 4)]
    found = []
    for weight, (x, y, w, h) in ((up, (mid_x, 0, 1, mid_y + 1)), (down, (mid_x, mid_y, 1, CELL_H - mid_y)),
                                 (left, (0, mid_y, mid_x + 1, 1)), (right, (mid_x, mid_y, CELL_W - mid_x, 1))):
        if weight:
            found.append((x, y, w + (weight - 1) * (w == 1), h + (weight - 1) * (h == 1)))
    return found


def shape(char):
    """(rectangles of the cell, opacity), or None: it is text."""
    code = ord(char)
    if char in LINES:
        return line_rects(char), 1
    if char in SHADES:
        return [(0, 0, CELL_W, CELL_H)], SHADES[char]
    if 0x2581 <= code <= 0x2588:
        h = round(CELL_H * (code - 0x2580) / 8)
        return [(0, CELL_H - h, CELL_W, h)], 1
    if 0x2589 <= code <= 0x258f:
        return [(0, 0, round(CELL_W * (0x2590 - code) / 8, 1), CELL_H)], 1
    if char == "▀":
        return [(0, 0, CELL_W, CELL_H // 2)], 1
    if char == "▐":
        return [(CELL_W / 2, 0, CELL_W / 2, CELL_H)], 1
    if 0x2800 < code < 0x2900:
        return [(1 + 4 * col, 1 + row * 4.5, 3, 3) for bit, (col, row) in enumerate(DOTS)
                if (code - 0x2800) >> bit & 1], 1
    return None


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def path(rects):
    return "".join(f"M{number(x)} {number(y)}h{number(w)}v{number(h)}h-{number(w)}z" for x, y, w, h in rects)


def merge(rects):
    """Rectangles that continue each other, first to the right, then downwards."""
    rows = []
    for x, y, w, h in sorted(set(rects), key=lambda r: (r[1], r[3], r[0])):
        if rows and rows[-1][1] == y and rows[-1][3] == h and rows[-1][0] + rows[-1][2] >= x:
            rows[-1][2] = max(rows[-1][2], x + w - rows[-1][0])
        else:
            rows.append([x, y, w, h])
    out = []
    for x, y, w, h in sorted(rows, key=lambda r: (r[0], r[2], r[1])):
        if out and out[-1][0] == x and out[-1][2] == w and out[-1][1] + out[-1][3] >= y:
            out[-1][3] = max(out[-1][3], y + h - out[-1][1])
        else:
            out.append([x, y, w, h])
    return sorted(out, key=lambda r: (r[1], r[0]))


class Picture:
    def __init__(self, screen, rows, foreground, background):
        self.rows, self.cols = rows, screen["cols"]
        self.cells = [cell for cell in screen["cells"] if cell[0] < rows]
        self.log = base64.b64decode(screen["log"])
        self.foreground, self.background = foreground, background

    def at(self, row, col):
        return PADDING + col * CELL_W, PADDING + row * CELL_H

    def backgrounds(self):
        rects = {}
        for row, col, width, _, _, color, _ in self.cells:
            if color and color != self.background:
                rects.setdefault(color, []).append((*self.at(row, col), CELL_W * width, CELL_H))
        for color, found in rects.items():
            yield f'<path fill="{color}" d="{path(merge(found))}"/>'

    def shapes(self):
        rects = {}
        for row, col, _, text, color, _, _ in self.cells:
            if len(text) == 1 and (found := shape(text)):
                x, y = self.at(row, col)
                rects.setdefault((color or self.foreground, found[1]), []).extend(
                    (x + dx, y + dy, w, h) for dx, dy, w, h in found[0])
        for (color, opacity), found in rects.items():
            faint = f' fill-opacity="{opacity}"' if opacity < 1 else ""
            yield f'<path fill="{color}"{faint} d="{path(merge(found))}"/>'

    def words(self):
        """Runs of text of one style: (row, column, columns, text, color, attributes)."""
        run = None
        for row, col, width, text, color, _, attributes in self.cells:
            if not text or (len(text) == 1 and shape(text)):
                continue
            color = color or self.foreground
            gap = col - (run[1] + run[2]) if run and run[0] == row else -1
            if 0 <= gap <= 1 and run[4:] == [color, attributes] and width == 1:
                run[3] += " " * gap + text
                run[2] += gap + 1
                continue
            if run:
                yield run
            run = [row, col, width, text, color, attributes]
        if run:
            yield run

    def texts(self):
        for row, col, cols, text, color, attributes in self.words():
            x, y = self.at(row, col)
            style = "".join(word for bit, word in ((1, ' font-weight="bold"'), (2, ' font-style="italic"'),
                                                   (4, ' text-decoration="underline"'),
                                                   (8, ' text-decoration="line-through"')) if attributes & bit)
            length = f' textLength="{cols * CELL_W}" lengthAdjust="spacingAndGlyphs"' if len(text) > 1 else ""
            yield f'<text x="{x}" y="{y + BASELINE}" fill="{color}"{style}{length}>{escape(text)}</text>'

    def images(self):
        """What was drawn by kitty's protocol and is there still."""
        sent, placed, data = {}, {}, None
        for match in re.finditer(rb"(?:\x1b\[(\d+);(\d+)H)?\x1b_G([^;\x1b]*);?([^\x1b]*)\x1b\\", self.log):
            keys = dict(pair.split("=") for pair in match[3].decode().split(","))
            if keys.get("a") == "t":
                data = sent[keys["i"]] = [keys, b""]
            elif keys.get("a") == "p" and match[1]:
                placed[keys["i"]] = (int(match[1]) - 1, int(match[2]) - 1, keys)
            elif keys.get("a") == "d":
                placed.pop(keys.get("i"), None)
            if data and "m" in keys:
                data[1] += base64.b64decode(match[4])
        for i, (row, col, keys) in placed.items():
            if i in sent and row < self.rows:
                yield self.image(row, col, keys, *sent[i])

    def image(self, row, col, place, keys, data):
        width, height = int(keys["s"]), int(keys["v"])
        pixels = zlib.decompress(data) if keys.get("o") == "z" else data
        lines = b"".join(b"\0" + pixels[y * width * 3:(y + 1) * width * 3] for y in range(height))
        chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(lines, 9)),
                  (b"IEND", b"")]
        png = b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(body)) + kind + body
                                             + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks)
        x, y = self.at(row, col)
        return (f'<image x="{x}" y="{y}" width="{int(place["c"]) * CELL_W}" height="{int(place["r"]) * CELL_H}" '
                f'preserveAspectRatio="none" data-pixels="{hashlib.sha256(pixels).hexdigest()[:16]}"\n'
                f'href="data:image/png;base64,{base64.b64encode(png).decode()}"/>')

    def svg(self, title):
        width, height = self.cols * CELL_W + 2 * PADDING, self.rows * CELL_H + 2 * PADDING
        lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                 f'viewBox="0 0 {width} {height}" font-family="{FONT}" font-size="15">',
                 f"<title>{escape(title)}</title>",
                 "<!-- made by ./dev pictures -->",
                 f'<rect width="{width}" height="{height}" rx="8" fill="{self.background}"/>',
                 '<g shape-rendering="crispEdges">', *self.backgrounds(), *self.shapes(), "</g>",
                 '<g style="white-space: pre" xml:space="preserve">', *self.texts(), "</g>", *self.images(), "</svg>"]
        return "\n".join(lines) + "\n"


def comparable(svg):
    """Of an SVG what must not change: compressed pixels differ with the version of zlib, the pixels do not."""
    return re.sub(r'href="data:[^"]*"', "", svg)
