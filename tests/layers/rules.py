"""The command line of the checks here, and the small trees of their self-tests."""

import sys
from pathlib import Path


def write_tree(root, files):
    for name, text in files.items():
        path = Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def main(usage, check, self_test, seen):
    """`check(root)`: problems and the number of things checked. `self_test()`: the failure, or None. `seen`: its success."""
    if len(sys.argv) != 2:
        print(usage, file=sys.stderr)
        return 2
    if sys.argv[1] == "--self-test":
        failure = self_test()
        print(f"self-test {failure}" if failure else f"self-test: {seen}")
        return 1 if failure else 0
    problems, count = check(sys.argv[1])
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{count} checked, {len(problems)} broken rules")
    return 1 if problems or count == 0 else 0
