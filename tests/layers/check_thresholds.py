#!/usr/bin/env python3
"""Holds the thresholds of src/ and kernels/ to the tests that cross them.

usage: check_thresholds.py ROOT        one line on stderr for each fault; exit 1
       check_thresholds.py --self-test makes every fault in a temporary tree and expects a message

The comment `// crossed by: test, file.test` stands above a constant, or above a run of them, and names tests in tests/.
A limit by its name (kMax..., kMin...) in the rooms that compute results has it, or `// not crossed: reason`. So has each
constant in a table of docs/thresholds.md, whose rows are `| `constant` ... | `file` | what changes |`.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from rules import faults_found, main

LIST = "docs/thresholds.md"
SOURCES = {".hpp", ".cpp", ".h", ".inl", ".cu", ".cl"}
ROOMS = ("kernels/", "src/device/", "src/expression/", "src/reduce/", "src/statistics/")
COMMENT = re.compile(r"\s*//[/!]?\s?(.*)$")
CROSSED = re.compile(r"(not )?crossed(?: by)?: (.+)$")
CONSTANT = re.compile(r"\s*(?:static |inline )*constexpr .*?\b(k[A-Z]\w*)\s*[={](.*)|\s*#\s*define (TS_\w+)\s(.*)")
LIMIT = re.compile(r"k(?:Max|Min|Most|Least|Fewest)[A-Z0-9]\w*$|TS_(?:MAX|MIN|MOST|LEAST)_\w+$")
OTHER_CONSTANT = re.compile(r"\bk[A-Z]\w*|\bTS_\w+")
TEST = re.compile(r"^\s*def (test_\w+)\(|\b(?:TYPED_)?TEST(?:_P|_F)?\(\s*\w+,\s*(\w+)\)|^void (\w+)\(World& ", re.MULTILINE)
QUOTED = re.compile(r"`([^`]+)`")


def names_of_tests(root):
    """The files, without suffix, that have a test of a name."""
    files = defaultdict(set)
    for path in (root / "tests").rglob("*"):
        if path.suffix in {".py", ".cpp", ".cu"}:
            for found in TEST.finditer(path.read_text(encoding="utf-8")):
                files[next(filter(None, found.groups()))].add(path.stem)
    return files


def fault_of_test(tests, said):
    file, _, name = said.rpartition(".")
    found = tests.get(name, set())
    if file and file not in found or not found:
        return f"there is no test '{said}'"
    if not file and len(found) > 1:
        return f"several files have a test '{said}': write FILE.{said} with one of {', '.join(sorted(found))}"
    return None


class Comment(NamedTuple):
    crossed: bool
    rest: str  # names of tests, or the reason


class Line(NamedTuple):
    number: int
    text: str
    constant: str  # "" if it declares none
    value: str
    comment: Comment | None


class Source:
    """Lines of a file, each with the comment on thresholds that it has."""

    def __init__(self, text):
        self.lines = []
        block, said, in_run = [], None, False
        for number, line in enumerate(text.splitlines(), 1):
            if comment := COMMENT.match(line):
                block.append(comment[1])
                continue
            constant = CONSTANT.match(line)
            if block or not (in_run and constant):
                said = self.read(" ".join(block))
            in_run = constant is not None
            block = []
            name, value = (constant[1] or constant[3], constant[2] or constant[4] or "") if constant else ("", "")
            self.lines.append(Line(number, line, name, value, said))

    @staticmethod
    def read(comment):
        found = CROSSED.search(comment)
        return Comment(not found[1], found[2]) if found else None

    def tests(self):
        """The line below the comment, and the name of a test in it."""
        last = None
        for line in self.lines:
            if line.comment and line.comment is not last and line.comment.crossed:
                yield from ((line.number, name.strip()) for name in line.comment.rest.split(", "))
            last = line.comment

    def crossed(self, name):
        """Whether tests cross it; None if nothing declares it."""
        at = [line for line in self.lines if re.search(rf"\b{re.escape(name)}\b", line.text)]
        return any(line.comment and line.comment.crossed for line in at) if at else None


def check_source(file, source, tests):
    for number, name in source.tests():
        if fault := fault_of_test(tests, name):
            yield f"{file}:{number}: {fault}"
    for line in source.lines if file.startswith(ROOMS) else ():
        is_number = re.search(r"\d", line.value) and not OTHER_CONSTANT.search(line.value)
        if LIMIT.match(line.constant) and is_number and not line.comment:
            yield (f"{file}:{line.number}: {line.constant} is a limit: say '// crossed by: TEST' above it, or "
                   "'// not crossed: REASON'")


def check_row(line, sources):
    cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
    if len(cells) != 3:
        yield f"has {len(cells)} cells, not 3"
        return
    for file in QUOTED.findall(cells[1]):
        if file not in sources:
            yield f"there is no {file}"
            continue
        for name in QUOTED.findall(cells[0]):
            crossed = sources[file].crossed(name)
            if not crossed:
                yield f"{file} has no {name}" if crossed is None else f"{name} of {file} names no test"


def check(root):
    """Every fault, and how many constants name their tests."""
    root = Path(root)
    page = root / LIST
    if not page.is_file():
        return [f"there is no {LIST}"], 0
    tests = names_of_tests(root)
    paths = sorted(path for top in ("src", "kernels") for path in (root / top).rglob("*") if path.suffix in SOURCES)
    sources = {path.relative_to(root).as_posix(): Source(path.read_text(encoding="utf-8")) for path in paths}
    problems = [fault for file, source in sources.items() for fault in check_source(file, source, tests)]
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("| `"):
            problems += [f"{LIST}:{number}: {fault}" for fault in check_row(line, sources)]
    lines = (line for source in sources.values() for line in source.lines)
    count = sum(line.constant != "" and line.comment is not None and line.comment.crossed for line in lines)
    return problems, count


GOOD = {
    "src/device/a.cpp": "/// Elements.\n// crossed by: of_four, of_six,\n// of_nine\nconstexpr std::size_t kBlock = 4;\n"
                        "constexpr int kSide{2};\n\n"
                        "// not crossed: only refuses\nstatic constexpr int kMaxSide = 3;\n"
                        "constexpr int kMaxArea = kMaxSide * kMaxSide;\n\nconstexpr int kColor = 3;\n",
    "src/view/b.hpp": "constexpr int kMaxParts = 3;\n// crossed by: a_test.of_two\nint bound(int x) {\n",
    "kernels/c.h": "// crossed by: test_bins\n#define TS_MAX_BINS 7u /* so many */\n#define TS_CALL(x) (x)\n",
    "tests/a_test.cpp": "TEST_P(Blocks, of_four) {}\nTEST(Blocks, of_six) {}\nvoid of_nine(World& world) {\n"
                        "TEST(A, of_two) {}\n",
    "tests/b_test.py": "    def test_bins(self):\n",
    "tests/c_test.cpp": "TEST_F(C, of_two) {}\n",
    LIST: "| constant | file | what |\n|---|---|---|\n"
          "| `kBlock`, `kSide` | `src/device/a.cpp` | a block |\n"
          "| `bound` | `src/view/b.hpp` | `kBins` |\n| of sums | `kMaxParts` | 3 |\n",
}
# The text that is replaced in which file, and which message must follow.
FAULTS = [
    ("src/device/a.cpp", "kBlock", "kPiece", "has no kBlock"),
    ("src/device/a.cpp", "by: of_four, of_six,\n// of_nine", "it", "kSide of src/device/a.cpp names no test"),
    ("src/device/a.cpp", "of_four", "of_five", "src/device/a.cpp:4: there is no test 'of_five'"),
    ("src/device/a.cpp", "of_nine", "test_bin", "no test 'test_bin'"),
    ("src/device/a.cpp", "// not crossed: only refuses", "", "kMaxSide is a limit"),
    ("src/device/a.cpp", "kColor", "kMinColor", "kMinColor is a limit"),
    ("src/device/a.cpp", "\n\n// not crossed: only", "\n// not crossed: only\n\n", "kMaxSide is a limit"),
    ("src/view/b.hpp", "a_test.of_two", "of_two", "several files have a test 'of_two'"),
    ("src/view/b.hpp", "a_test.of_two", "b_test.of_two", "no test 'b_test.of_two'"),
    ("kernels/c.h", "// crossed by: test_bins", "", "TS_MAX_BINS is a limit"),
    ("tests/a_test.cpp", "of_four", "of_five", "no test 'of_four'"),
    ("tests/a_test.cpp", "of_nine", "of_ten", "no test 'of_nine'"),
    ("tests/b_test.py", "test_bins", "test_bin", "no test 'test_bins'"),
    (LIST, "`src/device/a.cpp` |", "`src/c.cpp` |", "there is no src/c.cpp"),
    (LIST, "`kSide`", "`kColor`", "kColor of src/device/a.cpp names no test"),
    (LIST, "| a block ", "", "2 cells"),
]


def self_test():
    return faults_found(check, GOOD, FAULTS, 3)


if __name__ == "__main__":
    sys.exit(main(__doc__, check, self_test, f"{len(FAULTS)} faults found"))
