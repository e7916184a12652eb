"""Expressions of generated arrays: the bits of the cores, and how fast."""

import json

from checks import same

CASES = (("a*b + 1", "random:uniform?count=%d", "random:uniform?count=%d&dtype=f4&seed=2"),
         ("sqrt(a*a + b*b)", "random:uniform?count=%d", "random:uniform?count=%d&seed=2"),
         ("where(a < b, exp(a), sin(b)) * atan2(a, b)", "random:uniform?count=%d", "random:uniform?count=%d&seed=2"),
         ("1 / (index + 1)**2", "random:uniform?count=%d"))


def reduced(checks, case, count, device, slice_bytes):
    """The report of a sum and a maximum."""
    text, *arrays = case
    report = checks.folder / "expression.json"
    checks.run(checks.tessera, "reduce", *(array % count for array in arrays), "--map", text, "--op", "sum,max", "--device", device,
               "--slice", slice_bytes, "--quiet", "--report", report)
    return json.loads(report.read_text())


def rate(checks, case):
    """Elements a second; the median of three after one that warms up."""
    count = checks.px(1 << 31, 3001)
    found = sorted(count / reduced(checks, case, count, "cuda:0", checks.px("256M", "64K"))["work_s"]
                   for _ in range(2 if checks.quick else 4))
    return found[len(found) // 2]


def expressions(checks):
    """expressions of generated arrays: the bits of the cores, and how fast"""
    count = checks.px((1 << 28) + 3, 3001)
    for case in CASES:
        with checks.check(f"{case[0]}: the bits of the cores"):
            truth = reduced(checks, case, count, "cpu", "1M")["results"]
            same(reduced(checks, case, count, "cuda:0", "32M")["results"], truth, "cuda:0")
    for case in CASES:
        with checks.check(f"{case[0]}: how fast"):
            checks.line(f"{case[0]} of generated arrays by cuda:0", rate(checks, case) / 1e9, "G elements/s")
