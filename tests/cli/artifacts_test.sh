#!/bin/sh
# SPDX-License-Identifier: MIT
# What code shows and writes, as files and in JSON.
. "$(dirname "$0")/tell.sh"
need_local

# Displays: more than text is saved, and the JSON says where.
show='display({"text/html": "<b>hi</b>", "text/plain": "hi"}, raw=True)
display({"text/html": "<script>plot()</script>", "text/plain": "plot"}, raw=True)
display({"image/svg+xml": "<svg width=\"30\" height=\"20px\"/>"}, raw=True)'
try run --yes --json --artifacts new/folder -c "$show"
expect_code 0
[ -n "$(ls new/folder)" ] || wrong "the folders above it are made, too"
try run --yes --json --artifacts all -c "$show"
expect_code 0
is_json '[d["path"] for d in value["displays"]] == ["all/fig-1-1.html", None, "all/fig-1-2.html", None, "all/fig-1-3.svg"]'
is_json '[d["data"] for d in value["displays"]] == [None, "hi", None, "plot", None]'
is_json '(value["displays"][4]["width"], value["displays"][4]["height"], value["displays"][4]["dpi"]) == (30, 20, None)'
[ "$(cat all/fig-1-2.html)" = "<script>plot()</script>" ] || wrong "the page should be saved as it is"
try run --yes --json --save-figures figures -c "$show"
is_json '[d["path"] for d in value["displays"]] == [None, None, "figures/fig-1-1.html", None, "figures/fig-1-2.svg"]'
try run --yes --artifacts text -c "$show"
expect_out hi
expect_in err "saved as text/fig-1-2.html"
try run --yes --json --no-plots -c "$show"
is_json '[d["mime"] for d in value["displays"]] == ["text/html", "text/plain"] and value["dropped_displays"] == 0'

# Numbers go on, or start anew.
try run --yes --artifacts all -c 'display({"text/html": "<i>two</i>"}, raw=True)'
[ "$(cat all/fig-2-1.html)" = "<i>two</i>" ] || wrong "the number should go on"
[ -e all/fig-1-3.svg ] || wrong "earlier files should stay"
: >all/fig-notes.txt
: >all/fig-9-x.png
try run --yes --json --artifacts all --clear-artifacts -c 'display({"text/html": "<i>new</i>"}, raw=True)'
is_json '[d["path"] for d in value["displays"]] == ["all/fig-1-1.html"]'
[ "$(ls all | tr '\n' ' ')" = "fig-1-1.html fig-9-x.png fig-notes.txt " ] || wrong "only earlier artifacts should be removed: $(ls all)"
try run --yes --clear-artifacts -c 1
expect_code 125
expect_in err "--clear-artifacts has no effect without --artifacts"

# Files that the code writes; in any language.
write='open("a.csv", "w").write("a,b\n1,2\n"); open(".hidden.csv", "w"); open("c.txt", "w")
open("odd.csv", "wb").write(b"\xff\0"); open("big.csv", "w").truncate(200 << 20)
import os; os.symlink("/etc/passwd", "link.csv"); os.mkdir("dir.csv"); os.mkfifo("pipe.csv")
open("bad\n.csv", "w").write("x"); None'
try run --yes --json --collect '*.csv,*.png' -c "$write" -c 'open("a.csv", "a").write("3,4\n"); None' -c 'None'
expect_code 0
expect_in err "big.csv is not collected: it has more than 16 MiB"
cp out three
head -n 1 three >out
is_json '[(d["title"], d["mime"], d["source"], d["data"]) for d in value["displays"]] == [("a.csv", "text/csv", "collected", "a,b\n1,2\n"), ("bad\n.csv", "text/csv", "collected", "x"), ("odd.csv", "application/octet-stream", "collected", "/wA=")]'
sed -n 2p three >out
is_json '[(d["title"], d["data"], d["run"]) for d in value["displays"]] == [("a.csv", "a,b\n1,2\n3,4\n", 2)]'
tail -n 1 three >out
is_json 'value["displays"] == []'
try run --yes --collect '*.csv' --artifacts files -c 'echo a,b >t.csv' -l bash
expect_out ""
[ "$(cat files/fig-1-1.csv)" = a,b ] || wrong "the file should be there"
try run --yes --collect '*.csv' -c 'echo a,b >t.csv' -l bash
expect_out a,b

# Too many: what is kept is bounded.
try run --yes --json --collect '*.txt' -c 'for i in range(1100): open(f"{i:04}.txt", "w").write("x")'
expect_code 0
is_json 'len(value["displays"]) == 1000'
expect_in err "there are more than 1000 of these files"
try run --yes --json -c 'for i in range(1100): display(i)'
is_json 'len(value["displays"]) == 1000 and value["dropped_displays"] == 100'

# What is too big is said; an image that claims to be huge is neither decoded nor believed.
try run --yes --json -c 'display({"image/png": "A" * 100_000_000}, raw=True)'
expect_code 0
is_json '[d["mime"] for d in value["displays"]] == ["text/plain"] and "left out: 100000000 characters" in value["displays"][0]["data"]'
try run --yes --memory 1536 --json -c 'display({"image/svg+xml": "<svg>" + "x" * 500_000_000}, raw=True)'
expect_code 0
is_json '[d["mime"] for d in value["displays"]] == ["text/plain"] and "left out: 500000005 characters" in value["displays"][0]["data"]'
# A type with control characters is none.
try run --yes --json -c 'display({"image/png\x1b]0;x\x07\n": b"\x89PNG", "text/plain": "p"}, raw=True)'
expect_code 0
is_json '[d["mime"] for d in value["displays"]] == ["text/plain"]'
huge='import struct; display({"image/png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 50000, 50000) + b"\x08\2\0\0\0crc."}, raw=True)'
try run --yes --json -c "$huge"
is_json '(value["displays"][0]["width"], value["displays"][0]["height"]) == (50000, 50000)'
try run --yes -c "$huge"
expect_code 0
expect_in err "[image/png, 33 bytes]"

# An SVG is never followed, and HTML never interpreted: both are saved as they are.
try run --yes --artifacts kept -c 'display({"image/svg+xml": "<svg><image href=\"file:///etc/passwd\"/></svg>"}, raw=True)'
expect_code 0
[ "$(cat kept/fig-1-1.svg)" = '<svg><image href="file:///etc/passwd"/></svg>' ] || wrong "it should be there as it is"

# Other languages show things, too; one that cannot says so.
shown='[sorted((f["mime"], f["data"]) for f in value["displays"] if f["bundle"] == k) for k in range(3)] == [[("image/svg+xml", "<svg/>"), ("text/html", "<b>x</b>")], [("image/png", "iVBORw0KGgo=")], [("text/plain", "text")]] and value["stdout"] == "ab"'
if command -v ruby >/dev/null; then
	try run --yes --json -l ruby -c 'print "a"
display({ "image/svg+xml" => "<svg/>", "text/html" => "<b>x</b>" })
display("\x89PNG\r\n\x1a\n".b, "text")
print "b"'
	is_json "$shown"
	try run --yes --json -l ruby -c 'class Circle; def to_svg = "<svg/>"; end
def show = Terrarium.display(Circle.new)
show
display({ "image/png" => "A" * 20_000_000 })
display({ "image/p\e]0;x\a" => "x" })
display' -c 'puts 5'
	expect_in out '"mime":"image/svg+xml"'
	expect_in out 'left out: 20000000 characters'
	expect_in out '"stdout":"main"'
fi
if command -v javac >/dev/null; then
	try run --yes --json --memory 1024 -l java -c 'System.out.print("a");
display(Map.of("image/svg+xml", "<svg/>", "text/html", "<b>x</b>"));
display(new byte[] {(byte) 0x89, 80, 78, 71, 13, 10, 26, 10}, "text");
System.out.print("b");'
	is_json "$shown"
fi
if command -v gcc >/dev/null; then
	try run --yes --save-figures figs -l c -c 'int main(void) { return 0; }'
	expect_code 0
	expect_in err "c shows no figures"
fi

# What has no effect, or cannot work, is refused.
try run --yes --collect 'a/*' -c x
expect_code 125
expect_in err "names in the working directory"
try run --yes --collect '*.png,' -c x
expect_code 125
expect_in err "a pattern is empty"
try run --yes --save-figures a --no-plots -c x
expect_code 125
expect_in err "cannot be combined with --no-plots"
try run --yes --camel --collect '*' -c x
expect_code 125

# Real figures, where matplotlib is.
/usr/bin/python3 -c 'import matplotlib' 2>/dev/null || verdict
try run --yes --json --memory 1024 --artifacts plots -c 'import matplotlib.pyplot as plt
plt.plot([1, 2]); plt.title("Above"); plt.savefig("a.png"); plt.close()
plt.plot([1, 2]); plt.savefig("b.jpg", dpi=50); plt.savefig("c.svg"); plt.savefig("d.pdf")'
expect_code 0
is_json '[(d["format"], d["width"], d["height"], d["dpi"], d["title"], d["source"], d["path"]) for d in value["displays"] if d["format"] != "txt"] == [("png", 640, 480, 100, "Above", "saved", "plots/fig-1-1.png"), ("jpeg", 320, 240, 50, "b.jpg", "saved", "plots/fig-1-2.jpg"), ("svg", 614, 461, None, "c.svg", "saved", "plots/fig-1-3.svg"), ("pdf", None, None, None, "d.pdf", "saved", "plots/fig-1-4.pdf")]'

try run --yes --save-figures pages -c 'import matplotlib.pyplot as plt
plt.plot([1, 2]); plt.savefig("a.pdf"); plt.close()'
expect_out ""
[ "$(head -c 5 pages/fig-1-1.pdf)" = "%PDF-" ] || wrong "a PDF is a figure, too"
try run --yes -c 'import matplotlib.pyplot as plt
plt.plot([1, 2]); plt.savefig("a.pdf"); plt.close()'
expect_in err "[application/pdf, "

verdict
