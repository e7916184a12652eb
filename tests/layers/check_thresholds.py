#!/usr/bin/env python3
"""Holds docs/thresholds.md to the code: the list of sizes at which methods change, and of the tests that cross them.

usage: check_thresholds.py ROOT        one line on stderr for each fault; exit 1
       check_thresholds.py --self-test makes every fault in a temporary tree and expects a message

A row of the list is `| `constant` ... | `file` | what changes | `test file: test` ... |`. Every constant of a whole
number in src/ and kernels/ is in a row, or in the part "No thresholds" as `- `file`: constant, ...`.
"""

import re
import sys
import tempfile
from pathlib import Path

from rules import main, write_tree

LIST = "docs/thresholds.md"
SOURCES = {".hpp", ".cpp", ".h", ".inl", ".cu", ".cl"}
CONSTANT = re.compile(r"\bconstexpr\s+(?:std::)?(?:size_t|ptrdiff_t|u?int\d+_t|int|unsigned|auto|hsize_t)\s+(k[A-Z]\w*)\s*[={](?!\s*(?:\[|std::(?:to_array|plus)))")
MACRO = re.compile(r"^#define\s+(TS_[A-Z0-9_]+)\s+-?(?:0x[0-9A-Fa-f]+|\d+)[uUlL]*\s*(?:/\*.*)?$")
QUOTED = re.compile(r"`([^`]+)`")
ROW = re.compile(r"^\| `")
LEFT_OUT = re.compile(r"^- `([^`]+)`: (.+)$")


def constants_of(text):
    """Names of the constants that a source defines."""
    names = set(CONSTANT.findall(text))
    return names | {found[1] for line in text.splitlines() if (found := MACRO.match(line))}


def has_test(text, name, suffix):
    if suffix == ".py":
        return re.search(rf"^\s*def {re.escape(name)}\(", text, re.MULTILINE) is not None
    in_mpi_test = rf"^void {re.escape(name)}\(World& "
    return re.search(rf"\b(TYPED_)?TEST(_P|_F)?\(\s*\w+,\s*{re.escape(name)}\)|{in_mpi_test}", text, re.MULTILINE) is not None


def read(root, name):
    path = root / name
    return path.read_text(encoding="utf-8") if path.is_file() else None


def check_row(root, line, known):
    """Faults of a row; its constants go to `known`."""
    cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
    if len(cells) != 4:
        yield f"has {len(cells)} cells, not 4"
        return
    names, files, tests = QUOTED.findall(cells[0]), QUOTED.findall(cells[1]), QUOTED.findall(cells[3])
    for file in files:
        text = read(root, file)
        if text is None:
            yield f"there is no {file}"
            continue
        for name in names:
            known.add((file, name))
            if not re.search(rf"\b{re.escape(name)}\b", text):
                yield f"{file} has no {name}"
    if not tests:
        yield "names no test"
    for test in tests:
        file, _, name = test.partition(": ")
        text = read(root, file)
        if text is None or not has_test(text, name, Path(file).suffix):
            yield f"there is no test '{test}'"


def check_left_out(root, file, names, known):
    text = read(root, file)
    if text is None:
        yield f"there is no {file}"
        return
    for name in names.split(", "):
        if (file, name) in known:
            yield f"{name} of {file} is there twice"
        known.add((file, name))
        if name not in constants_of(text):
            yield f"{file} has no constant {name}"


def check(root):
    """Every fault, and how many constants there are."""
    root = Path(root)
    listed = read(root, LIST)
    if listed is None:
        return [f"there is no {LIST}"], 0
    problems, known = [], set()
    for number, line in enumerate(listed.splitlines(), 1):
        faults = []
        if ROW.match(line):
            faults = check_row(root, line, known)
        elif found := LEFT_OUT.match(line):
            faults = check_left_out(root, found[1], found[2], known)
        problems += [f"{LIST}:{number}: {fault}" for fault in faults]
    count = 0
    for path in sorted(path for top in ("src", "kernels") for path in (root / top).rglob("*") if path.suffix in SOURCES):
        file = path.relative_to(root).as_posix()
        for name in sorted(constants_of(path.read_text(encoding="utf-8"))):
            count += 1
            if (file, name) not in known:
                problems.append(f"{file}: {name} is not in {LIST}: add a row with the test that crosses it, or say that "
                                "it is no threshold")
    return problems, count


GOOD = {
    "src/a.cpp": "constexpr std::size_t kBlock = 4;\ninline constexpr int kColor = 3;\n",
    "kernels/b.h": "#define TS_BINS 7u /* so many */\n#define TS_CALL(x) (x)\n",
    "tests/a_test.cpp": "TEST_P(Blocks, of_four) {}\n",
    "tests/b_test.py": "    def test_bins(self):\n",
    LIST: "| constant | file | what | test |\n|---|---|---|---|\n"
          "| `kBlock` | `src/a.cpp` | a block | `tests/a_test.cpp: of_four` |\n"
          "| `TS_BINS` | `kernels/b.h` | bins | `tests/b_test.py: test_bins`, `tests/a_test.cpp: of_four` |\n\n"
          "- `src/a.cpp`: kColor\n",
}
# What is replaced in which file, and which message must follow.
FAULTS = [
    ("src/a.cpp", "kBlock", "kPiece", "has no kBlock"),
    ("src/a.cpp", "kBlock", "kPiece", "kPiece is not in"),
    ("src/a.cpp", "kColor", "kShade", "has no constant kColor"),
    ("src/a.cpp", "kColor = 3", "kColor = 3; constexpr std::uint64_t kNew{5}", "kNew is not in"),
    ("kernels/b.h", "TS_BINS", "TS_BOXES", "TS_BOXES is not in"),
    ("tests/a_test.cpp", "of_four", "of_five", "no test 'tests/a_test.cpp: of_four'"),
    ("tests/b_test.py", "test_bins", "test_bin", "no test 'tests/b_test.py: test_bins'"),
    (LIST, "`tests/a_test.cpp: of_four` |\n| `TS", "none |\n| `TS", "names no test"),
    (LIST, "`src/a.cpp` |", "`src/c.cpp` |", "there is no src/c.cpp"),
    (LIST, "- `src/a.cpp`: kColor", "- `src/a.cpp`: kColor, kBlock", "there twice"),
    (LIST, "| a block ", "", "3 cells"),
]


def self_test():
    """None when a good tree passes and each fault is found, else what failed."""
    with tempfile.TemporaryDirectory() as root:
        write_tree(root, GOOD)
        problems, count = check(root)
        if problems or count != 3:
            return f"finds {count} constants and fault with a good tree: " + "; ".join(problems)
        for file, before, after, message in FAULTS:
            assert before in GOOD[file], before
            write_tree(root, {**GOOD, file: GOOD[file].replace(before, after)})
            problems, _ = check(root)
            if not any(message in problem for problem in problems):
                return f"does not find '{message}': " + "; ".join(problems)
    return None


if __name__ == "__main__":
    sys.exit(main(__doc__, check, self_test, f"{len(FAULTS)} faults found"))
