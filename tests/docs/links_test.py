# SPDX-License-Identifier: MIT
"""links_test.py TREE: every link and every path in the documentation leads somewhere, every page can be found from the
README, and the README is short."""
import glob
import os
import re
import sys

TREE = os.path.abspath(sys.argv[1])
README_MAX = 8192
PATH = re.compile(r"`((?:lib|tui|tests|man|themes|package|docs)/[\w./*-]+)`")
faults = []


def anchors(path):
    """Of the headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", open(path, encoding="utf-8").read(), flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).strip().replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", text, re.M)}


def targets(path):
    """(link, line) of a page: Markdown's and HTML's."""
    text = open(path, encoding="utf-8").read()
    for match in re.finditer(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"", text):
        yield match[1] or match[2], text.count("\n", 0, match.start()) + 1


def check_link(page, link, line):
    """The page of ours that it leads to, or None."""
    if re.match(r"[a-z]+:", link):
        return None
    file, _, anchor = link.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(page), file)) if file else page
    if not os.path.exists(path):
        faults.append(f"{page}:{line}: there is no {link}")
    elif anchor and anchor not in anchors(path):
        faults.append(f"{page}:{line}: {path} has no heading #{anchor}")
    return path


def main():
    os.chdir(TREE)
    pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md",
             *glob.glob("docs/**/*.md", recursive=True)]
    reached, todo = set(), ["README.md"]
    links = {page: [check_link(page, *target) for target in targets(page)] for page in pages}
    while todo:
        if (page := todo.pop()) in links and page not in reached:
            reached.add(page)
            todo += [target for target in links[page] if target]
    faults.extend(f"{page}: no link leads there from README.md" for page in pages if page not in reached)
    for page in pages:
        for line, text in enumerate(open(page, encoding="utf-8"), 1):
            faults.extend(f"{page}:{line}: there is no {path}" for path in PATH.findall(text)
                          if not re.search("NAME|ROOM|GROUP", path) and not glob.glob(path))
    size = os.path.getsize("README.md")
    if size > README_MAX:
        faults.append(f"README.md: {size} bytes are more than {README_MAX}")
    sys.exit("\n".join(faults) or 0)


main()
