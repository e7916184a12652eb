"""Parity: the GPU has the bits of the reference."""

import re

from checks import Failed, first_lines
from images import ALL_FIELDS, Render
from measure import Skipped

# Name, size, iterations; sizes that no tile divides. On few cores the reference takes longer than the GPU.
VIEWS = (("whole", "1301x903", 1000), ("elephant", "907x1301", 2000), ("seahorse", "1301x903", 3000),
         ("galaxies", "701x503", 5000), ("deep-spiral", "401x307", 20000), ("flames", "403x301", 10000),
         ("dragon", "1003x701", 1000), ("burning-ship", "1301x903", 1000), ("ship", "701x503", 2000),
         ("tricorn", "1301x903", 1000), ("trefoil", "1003x701", 1000), ("coral", "701x503", 2000))
QUICK_VIEWS = (("galaxies", "101x75", 500), ("burning-ship", "101x75", 300), ("trefoil", "75x101", 300))
# With true counts; of these, f64 leaves many open.
EXACT_VIEWS = (("seahorse", "1301x903", 3000), ("elephant", "907x1301", 2000), ("burning-ship", "701x503", 500),
               ("tricorn", "701x503", 1000), ("trefoil", "701x503", 1000))
TURNED = (("--rotate", "30", "--arithmetic", "plain"), ("--rotate", "-100.5", "--stretch", "1.5@20", "--mirror", "--arithmetic", "exact"),
          ("--bailout", "1e6"))
QUICK_TURNED = TURNED[:1]
QUICK_EXACT_VIEWS = (("galaxies", "101x75", 500),)
# By perturbation, with the iterations of the view.
DEEP_VIEWS = (("islands", "301x203"), ("e50", "203x157"), ("e113", "401x307"), ("e533", "157x101"), ("e1086", "61x47"))
QUICK_DEEP_VIEWS = (("e113", "45x37"), ("e533", "19x13"))
QUICK_SUITES = ("ViewsParity",)
SUITES = ("ViewsParity", "Parity", "ExactParity", "ShuffledParity", "DeepImages", "ShuffledDeepImages", "ReductionParity",
          "PairParity", "AxisParity", "ExpressionParity", "Thresholds", "FullScale")
SUITE_LIMIT_S = 75


def tests_of(checks, suite, tests="*", device="cuda"):
    """Runs the tests of a suite on the CUDA device."""
    # gpu_parity calls this device cuda; other GPUs have other names.
    done = checks.run(checks.programs["gpu_parity"], f"--gtest_filter=Devices/{suite}.{tests}/{device}", "--gtest_brief=0",
                      codes=(), limit_s=SUITE_LIMIT_S)
    passed = re.findall(r"^\[       OK \] (\S+)", done.out, re.M)
    failed = sorted(set(re.findall(r"^\[  FAILED  \] (\S+?),? ", done.out, re.M)))
    skipped = re.findall(r"^\[  SKIPPED \] (\S+) ", done.out, re.M)
    checks.note(f"gpu_parity, {suite}: {len(passed)} tests passed, {len(failed)} failed, {len(skipped)} skipped")
    if done.code != 0:
        about = "\n".join(entry for entry in done.out.splitlines() if not entry.startswith("["))
        raise Failed(f"exit {done.code}; {', '.join(failed) or 'no test failed'}\n{first_lines(about + done.err)}")
    if skipped and not passed:
        reason = re.search(r"Skipped\n(.*)", done.out)
        raise Skipped(reason.group(1) if reason else f"skipped {skipped[0]}")
    checks.need(passed, "no test ran")


def parity(checks):
    """gpu_parity: pixels, arrays of every type and operation, axes, dots, products, expressions against the reference, bit for bit"""
    if "gpu_parity" not in checks.programs:
        raise Skipped("gpu_parity is not beside tessera; the steps renders and arrays compare whole runs")
    for suite in QUICK_SUITES if checks.quick else SUITES:
        with checks.check(suite):
            tests_of(checks, suite)


def renders(checks):
    """views of every formula, all fields, odd sizes: whole renders against the reference, and tessera verify"""
    for view, size, iterations in QUICK_VIEWS if checks.quick else VIEWS:
        with checks.check(f"{view} {size}"):
            render = Render(checks, size, "--view", view, "--iterations", iterations, "--arithmetic", "plain",
                            fields=ALL_FIELDS)
            # All rows: tessera verify computes 16 of each tile.
            render.take_truth("reference", "--tile", 128)
            for tile in (16, 300):
                render.on("cuda:0", "--tile", tile)
                render.same_as_truth()
                render.verify("cpu", sample=1000)
    for options in QUICK_TURNED if checks.quick else TURNED:
        with checks.check(" ".join(options)):
            render = Render(checks, checks.px("701x503", "101x75"), "--view", "elephant", "--iterations", 1000, *options,
                            fields=ALL_FIELDS)
            render.take_truth("reference")
            render.on("cuda:0", "--tile", 100)
            render.same_as_truth()
    for view, size, iterations in QUICK_EXACT_VIEWS if checks.quick else EXACT_VIEWS:
        with checks.check(f"{view} {size}, exact"):
            render = Render(checks, size, "--view", view, "--iterations", iterations, "--arithmetic", "exact",
                            fields=ALL_FIELDS)
            render.take_truth("cpu")
            render.on("cuda:0", "--tile", 100)
            render.same_as_truth()
            render.verify("cpu", sample=1000)
    with checks.check("rows of the CPU's file computed again by the GPU"):
        render = Render(checks, "203x301", "--view", "galaxies", "--iterations", 500)
        render.on("cpu", name="truth")
        render.verify("cuda:0", sample=1000, name="truth")


def deep_renders(checks):
    """views beyond f64, by perturbation: whole renders against the cores, and tessera verify"""
    for view, size in QUICK_DEEP_VIEWS if checks.quick else DEEP_VIEWS:
        with checks.check(f"{view} {size}"):
            render = Render(checks, size, "--view", view, fields=ALL_FIELDS)
            render.take_truth("cpu")
            for tile in (64, 512):
                render.on("cuda:0", "--tile", tile)
                render.same_as_truth()
            render.verify("cuda:0", sample=2)
