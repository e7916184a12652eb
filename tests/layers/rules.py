"""The command line of the checks here, and their self-tests on small trees."""

import sys
import tempfile
from pathlib import Path


def write_tree(root, files):
    for name, text in files.items():
        path = Path(root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def faults_found(check, good, faults, count_of_good=None):
    """None if the tree `good` passes, and each fault is found: (file, text in it, what replaces it, message that must follow);
    else what failed."""
    with tempfile.TemporaryDirectory() as root:
        write_tree(root, good)
        problems, count = check(root)
        if problems or count != (count_of_good or count) or count == 0:
            return f"checks {count} things and finds fault with a good tree: " + "; ".join(problems)
        for file, before, after, message in faults:
            assert before in good[file], before
            write_tree(root, {**good, file: good[file].replace(before, after)})
            problems, _ = check(root)
            if not any(message in problem for problem in problems):
                return f"does not find '{message}': " + "; ".join(problems)
    return None


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
