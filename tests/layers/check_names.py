#!/usr/bin/env python3
"""Finds names in the documentation that nothing in the tree has any more.

usage: check_names.py ROOT        one line on stderr for each fault; exit 1
       check_names.py --self-test makes every fault in a temporary tree and expects a message

In backticks of the pages: an identifier is a word of the code, a path ends the path of a file, an option is in
docs/options.md or in a tool, and a command of tessera is a heading of docs/options.md. Links lead to files and headings.
In comments of src/ and kernels/: paths of sources and pages.
"""

import re
import sys
from pathlib import Path

from rules import faults_found, main

TOPS = ("src", "include", "kernels", "python", "tests", "tools", "benchmarks", "cmake", "jobs", "docs", "packaging", ".github")
PAGES = ("README.md", "CONTRIBUTING.md", "src/README.md", "docs/*.md", "docs/benchmarks/README.md")
OPTIONS = "docs/options.md"
COMMENTED = {".hpp", ".cpp", ".h", ".inl", ".cu", ".cl", ".c", ".js"}
CODE = COMMENTED | {".py", ".html", ".css", ".cmake", ".txt", ".json", ".yml", ".sh", ".sbatch", ""}
SUFFIX = r"\.(?:hpp|cpp|h|inl|cu|cl|py|js|css|md|cmake)"
COMMENT = re.compile(r"(?<![:\"'])//[^\n]*|/\*.*?\*/", re.DOTALL)
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`")
IDENTIFIER = re.compile(r"(?:\w+(?:::|\.|->))*~?\w+(?:\(\))?")
PATH = re.compile(rf"(?:\.\./)?(?:[a-zA-Z.][\w.*-]*/)+[\w.*-]*|[\w*-]+{SUFFIX}")
PLACEHOLDER = re.compile(r"(?<![A-Za-z0-9])(?:NAME|ID)(?![A-Za-z0-9])")  # of any name
PATH_IN_COMMENT = re.compile(rf"(?<![\w/.])(?:[\w.-]+/)+[\w.-]+{SUFFIX}\b")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
COMMAND = re.compile(r"tessera ([a-z-]+)")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")

# Names of other programs and libraries, and of the examples of the pages.
FOREIGN = set("""
    mpi.h hdf5.h png.h H5Fstart_swmr_write h5clear nohup taskset --dependency --gpus-per-task --gpu-bind
    OMPI_COMM_WORLD_LOCAL_RANK SLURM_LOCALID share/tessera/jobs leaflet/leaflet.css leaflet.js src/manuals/options.md device-process
    PascalCase snake_case member_ kConstant TS_TANGENTS_celtic rms sum3 kurtosis_pearson scipy scipy.stats.skew scipy.stats.kurtosis plan_s send_s write_s FIRST
""".split())


class Tree:
    """The names that there are."""

    def __init__(self, root):
        self.root = root
        self.files = [path.relative_to(root).as_posix() for top in TOPS for path in (root / top).rglob("*")
                      if path.is_file() and "__pycache__" not in path.parts]
        self.files += [path.name for path in root.iterdir() if path.is_file()]
        self.folders = {parent.as_posix() for file in self.files for parent in Path(file).parents} - {"."}
        text = "\n".join(self.code(file) for file in self.files
                         if Path(file).suffix in CODE and Path(file).name != Path(__file__).name)
        self.words = set(re.findall(r"\w+", text)) | {part for folder in self.folders for part in folder.split("/")}
        self.endings = {word[at:] for word in self.words for at, letter in enumerate(word) if letter == "_"}
        options = self.text(OPTIONS)
        self.options = set(OPTION.findall(options)) | set(OPTION.findall(text))
        self.commands = set(re.findall(r"^##+ .*?`?tessera ([a-z]+)", options, re.MULTILINE))

    def text(self, file):
        path = self.root / file
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""

    def code(self, file):
        """Without comments, which may be stale themselves."""
        text = self.text(file)
        return COMMENT.sub("", text) if Path(file).suffix in COMMENTED else text

    def has_path(self, path):
        """Whether a file or a folder ends like this; `*` stands for any characters, NAME and ID for a name."""
        parts = PLACEHOLDER.sub("*", path).removeprefix("../").rstrip("/").split("*")
        pattern = re.compile("(?:.*/)?" + ".*".join(map(re.escape, parts)) + "$")
        return any(pattern.match(known) for known in (*self.files, *self.folders))

    def has_word(self, word):
        return word in self.words or word in self.endings or word in FOREIGN or word[0].isdigit() or PLACEHOLDER.search(word)

    def headings(self, file):
        """As GitHub names them in links."""
        lines = re.findall(r"^#+ (.*)$", FENCE.sub("", self.text(file)), re.MULTILINE)
        return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def fault_of_span(tree, span):
    """Why a text in backticks names nothing, or None."""
    span = " ".join(span.split())
    for option in OPTION.findall(span):
        if option not in tree.options and option not in FOREIGN:
            return f"there is no option {option}"
    if (command := COMMAND.match(span)) and command[1] not in tree.commands | FOREIGN:
        return f"there is no command tessera {command[1]}"
    if span in FOREIGN:
        return None
    if PATH.fullmatch(span):
        return None if tree.has_path(span) or span.startswith(("out/", "build/")) else f"there is no file {span}"
    if IDENTIFIER.fullmatch(span):
        missing = [word for word in re.findall(r"\w+", span) if not tree.has_word(word)]
        return f"nothing is named {missing[0]}" if missing else None
    return None


def faults_of_links(tree, page, text):
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, heading = target.partition("#")
        at = (Path(page).parent / file).as_posix() if file else page
        path = (tree.root / at).resolve()
        if not path.exists():
            yield target, f"the link {target} leads to no file"
        elif heading and heading not in tree.headings(path.relative_to(tree.root.resolve()).as_posix()):
            yield target, f"the link {target} leads to no heading"


def check(root):
    """Every fault, and how many names were looked at."""
    root = Path(root)
    tree = Tree(root)
    problems, count = [], 0

    def add(file, text, start, fault):
        problems.append(f"{file}:{text.count(chr(10), 0, start) + 1}: {fault}")

    for page in sorted({path for pattern in PAGES for path in root.glob(pattern)}):
        name = page.relative_to(root).as_posix()
        text = FENCE.sub(lambda found: "\n" * found[0].count("\n"), page.read_text(encoding="utf-8"))
        for found in SPAN.finditer(text):
            count += 1
            if fault := fault_of_span(tree, found[1]):
                add(name, text, found.start(), fault)
        for target, fault in faults_of_links(tree, name, text):
            add(name, text, text.find(f"({target})"), fault)
    for file in tree.files:
        if not file.startswith(("src/", "kernels/")) or Path(file).suffix not in COMMENTED:
            continue
        text = tree.text(file)
        for comment in COMMENT.finditer(text):
            for found in PATH_IN_COMMENT.finditer(comment[0]):
                count += 1
                if not tree.has_path(found[0]) and found[0] not in FOREIGN:
                    add(file, text, comment.start() + found.start(), f"there is no file {found[0]}")
    return problems, count


GOOD = {
    "src/room/a.cpp": "// room/a.hpp, see docs/page.md; kStale\nint kBlock = 4;  /* b.h */\n"
                      "const char* url = \"http://x/y.js\";\n",
    "src/room/a.hpp": "struct Tile { int rows_bytes; };\n",
    "src/README.md": "`room` and [the page](../docs/page.md#a-part-of-it)\n",
    "tools/run.py": "print('--seed')\n",
    "docs/options.md": "## tessera render\n| `--tile N` | size |\n",
    "docs/page.md": "# Page\n\n## A part of *it*\n\n`Tile::rows_bytes`, `kBlock`, `_bytes`, `src/room/a.*`, `room/NAME.hpp`, `a.cpp`,\n"
                    "`tessera render x.h5 --tile 3 --seed 4`, `mpi.h`, `x + gone` [here](#page) [there](https://x.y/z)\n"
                    "```sh\n`gone`\n```\n",
}
# The text that is replaced in which file, and which message must follow.
FAULTS = [
    ("docs/page.md", "kBlock", "kStale", "docs/page.md:5: nothing is named kStale"),
    ("docs/page.md", "rows_bytes", "columns_bytes", "nothing is named columns_bytes"),
    ("docs/page.md", "Tile::", "Chunk::", "nothing is named Chunk"),
    ("docs/page.md", "`_bytes", "`_seconds", "nothing is named _seconds"),
    ("docs/page.md", "src/room/a.*", "src/room/b.*", "there is no file src/room/b.*"),
    ("docs/page.md", "`a.cpp", "`b.cpp", "there is no file b.cpp"),
    ("docs/page.md", "NAME.hpp", "NAME.inl", "there is no file room/NAME.inl"),
    ("docs/page.md", "--tile", "--tiles", "docs/page.md:6: there is no option --tiles"),
    ("docs/page.md", "tessera render", "tessera paint", "there is no command tessera paint"),
    ("docs/page.md", "](#page", "](#pages", "the link #pages leads to no heading"),
    ("src/README.md", "part-of", "part", "leads to no heading"),
    ("src/README.md", "page.md", "pages.md", "leads to no file"),
    ("src/README.md", "`room`", "`hall`", "nothing is named hall"),
    ("src/room/a.cpp", "room/a.hpp", "hall/a.hpp", "src/room/a.cpp:1: there is no file hall/a.hpp"),
    ("src/room/a.cpp", "docs/page.md", "docs/pages.md", "there is no file docs/pages.md"),
    ("src/room/a.cpp", "int kBlock", "int kPiece", "nothing is named kBlock"),
    ("tools/run.py", "--seed", "--seeds", "there is no option --seed"),
]


def self_test():
    return faults_found(check, GOOD, FAULTS)


if __name__ == "__main__":
    sys.exit(main(__doc__, check, self_test, f"{len(FAULTS)} faults found"))
