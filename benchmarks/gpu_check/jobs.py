"""Whole jobs: ranks, lists of devices, processes of devices, tiles; stopped and resumed."""

import itertools

from checks import same
from elements import Reduction
from images import Render
from machine import listed

# Devices, ranks (0 = without mpirun), --isolate, tile.
QUICK_CASES = (("cuda", 0, "on", 64), ("cuda", 0, "off", 100), ("cuda,cpu", 2, "on", 64), ("auto", 3, "on", 64))


def cases(checks):
    if checks.quick:
        return QUICK_CASES
    devices = ["cuda", "cuda,cpu", "auto", *(["cuda:0,cuda:1"] if has_two(checks) else [])]
    every = itertools.product(devices, (0, 1, 2, 3), ("on", "off"), (100, 256, 1024))
    # Two of seven: still each device with each number of ranks, each --isolate and each tile.
    return [case for i, case in enumerate(every) if i % 7 in (0, 4)]


def has_two(checks):
    return any(device["name"] == "cuda:1" for device in listed(checks))


def renders_of(checks):
    render = Render(checks, checks.px("3001x2003", "203x151"), "--view", "seahorse", "--iterations", checks.px(3000, 500))
    with checks.check("the reference's image"):
        render.take_truth("cpu" if not checks.quick else "reference")
    for device, ranks, isolate, tile in cases(checks):
        launch = f"{ranks} ranks" if ranks else "without mpirun"
        with checks.check(f"render --device {device} --isolate {isolate} --tile {tile}, {launch}"):
            report = render.on(device, "--isolate", isolate, "--tile", tile, ranks=ranks)
            render.same_as_truth()
            used = {rank["device"] for rank in report["ranks"]}
            late = {opening["outcome"] for rank in report["ranks"] for opening in rank["openings"]}
            checks.need(any("cuda:" in name for name in used) or late == {"not needed"},
                        f"no rank used the GPU: {sorted(used)}, {sorted(late)}")


REDUCED_BY = (("cuda", 0, "on"), ("cpu,cuda", 0, "off"), ("cuda", 2, "on"), ("cuda", 0, "off"), ("cpu,cuda", 0, "on"),
              ("auto", 3, "on"))


def reductions_of(checks):
    source = f"random:normal?count={checks.px(30_000_001, 40_001)}"
    for operation in ("sum,var,norm2,argmax,histogram=9,-3,3", "prod")[:checks.px(2, 1)]:
        reduction = Reduction(checks, source, "--op", operation)
        truth = None
        for device, ranks, isolate in REDUCED_BY[:checks.px(6, 3)]:
            with checks.check(f"reduce --op {operation} --device {device} --isolate {isolate}, {ranks} ranks"):
                truth = truth or reduction.on("cpu")
                same(reduction.on(device, "--isolate", isolate, ranks=ranks), truth, device)


def resumed(checks):
    size = checks.px(16384, 1024)
    render = Render(checks, size, "--view", "seahorse", "--iterations", checks.px(20000, 1000), fields=("iterations",))
    with checks.check("stopped after 1 s, and resumed"):
        command = render.command("cuda", "resumed", "--tile", checks.px(1024, 32))
        first = checks.run(*command, "--max-seconds", 1, codes=(0, 75))
        checks.note(f"stopped after 1 s: exit {first.code}")
        checks.run(*command)
        render.verify("cpu", sample=checks.px(64, 1000), name="resumed")


def jobs(checks):
    """renders and reductions by 1 to 3 ranks, cuda, cuda,cpu, auto, --isolate on and off; a stop and its resumption"""
    renders_of(checks)
    reductions_of(checks)
    resumed(checks)
