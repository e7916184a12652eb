"""Expressions of generated arrays: compiled by NVRTC, beside the kernel that executes steps, and the cores."""

import json

from checks import same
from measure import Skipped
from pixels import tests_of

# From here on they are compiled (src/device/gpu/launch_arguments.cpp).
LEAST_COMPILED = 1 << 30
CASES = (("a*b + 1", "random:uniform?count=%d", "random:uniform?count=%d&dtype=f4&seed=2"),
         ("sqrt(a*a + b*b)", "random:uniform?count=%d", "random:uniform?count=%d&seed=2"),
         ("where(a < b, exp(a), sin(b)) * atan2(a, b)", "random:uniform?count=%d", "random:uniform?count=%d&seed=2"),
         ("1 / (index + 1)**2", "random:uniform?count=%d"))
WAYS = {"compiled": {}, "by steps": {"TESSERA_NVRTC": "off"}}


def reduced(checks, case, count, device, environment, slice_bytes):
    """The report of a sum and a maximum."""
    text, *arrays = case
    if checks.quick:  # only builds for tests know this variable
        environment = {**environment, "TESSERA_FAULT": "device.compile.few@1+"}
    report = checks.folder / "expression.json"
    checks.run(checks.tessera, "reduce", *(array % count for array in arrays), "--map", text, "--op", "sum,max", "--device", device,
               "--slice", slice_bytes, "--quiet", "--report", report, environment=environment)
    return json.loads(report.read_text())


def need_compiled(report):
    [used] = report["ranks"][0]["expressions"]  # of the only GPU
    if used["compiled_launches"] == 0:
        raise Skipped(f"nothing was compiled; compiler: {used['compiler']}")


def rate(checks, case, way):
    """Elements a second; the median of three after one that compiles."""
    count = checks.px(1 << 31, 3001)
    found = []
    for _ in range(2 if checks.quick else 4):
        report = reduced(checks, case, count, "cuda:0", WAYS[way], checks.px("256M", "64K"))
        if way == "compiled":
            need_compiled(report)
        found.append(count / report["work_s"])
    found = sorted(found[1:])
    return found[len(found) // 2]


def expressions(checks):
    """expressions of generated arrays: compiled by NVRTC, with the bits of the cores, and how fast beside the kernel for steps"""
    with checks.check("operations and functions of every type, compiled"):
        if "gpu_parity" not in checks.programs:
            raise Skipped("gpu_parity is not beside tessera")
        tests_of(checks, "ExpressionParity", checks.px("*", "of_several*"), "cuda_compiled")
    count = checks.px(LEAST_COMPILED + 3, 3001)
    for case in CASES:
        with checks.check(f"{case[0]}: the bits of both ways and of the cores"):
            found = {way: reduced(checks, case, count, "cuda:0", WAYS[way], "32M") for way in WAYS}
            need_compiled(found["compiled"])
            truth = reduced(checks, case, count, "cpu", {}, "1M")["results"]
            for way, report in found.items():
                same(report["results"], truth, way)
    for case in CASES:
        with checks.check(f"{case[0]}: how fast"):
            rates = {way: rate(checks, case, way) for way in WAYS}
            for way, value in rates.items():
                checks.line(f"{case[0]} of generated arrays, {way}", value / 1e9, "G elements/s")
            checks.line(f"{case[0]} of generated arrays: compiled : by steps", rates["compiled"] / rates["by steps"], "×")
