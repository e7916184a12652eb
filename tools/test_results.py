"""Reads what CTest says of tests (JUnit's XML).

usage: test_results.py FILE...           skipped tests, the ten longest, and what passed at the second try only
       test_results.py --failed FILE     names of the tests that failed, one a line
"""

import os
import sys
import xml.etree.ElementTree


def cases_of(path):
    """Name, seconds and outcome (run, fail, notrun, disabled) of each test, and why one was skipped."""
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        said = case.findtext("system-out") or ""
        yield case.get("name"), float(case.get("time", 0)), case.get("status"), said


def reason(said):
    """The line in which a skipped test says why."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return next((line for line in lines if "skip" in line.lower()), lines[-1] if lines else "")


def main(paths):
    if paths[:1] == ["--failed"]:
        print(*(name for name, _, status, _ in cases_of(paths[1]) if status == "fail"), sep="\n")
        return
    cases = [(name, seconds, status, said, path) for path in paths for name, seconds, status, said in cases_of(path)]
    skipped = [(name, reason(said)) for name, _, status, said, _ in cases if status in ("notrun", "disabled")]
    if skipped:
        print(f"== {len(skipped)} skipped")
        for name, why in skipped:
            print(f"   {name}: {why[:100]}")
    print("== the longest")
    for name, seconds, _, _, path in sorted(cases, key=lambda case: -case[1])[:10]:
        print(f"{seconds:8.1f} s  {name} ({os.path.basename(os.path.dirname(os.path.dirname(path)))})")
    again = [name for name, _, status, _, path in cases if os.path.basename(path) == "second.xml" and status == "run"]
    if again:
        print("== passed at the second try only:", *again)


if __name__ == "__main__":
    main(sys.argv[1:])
