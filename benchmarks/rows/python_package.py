"""The row of the Python package: each call beside that of NumPy or numexpr, or beside the command."""

import importlib
import math
import subprocess
import sys
import time
from statistics import median

import arrays
from measure import BUILD, BenchError, Skipped, paired_ratio, run
from rows import TESSERA, line, need


def package():
    folder = BUILD / "python"
    if not any(folder.glob("tessera/_core.*")):
        raise Skipped("this build has no Python package: tools/packages.sh install build, and configure again")
    sys.path.insert(0, str(folder))
    return importlib.import_module("tessera")


def wall_of(work, calls):
    """Best of some calls: other work of the machine only makes them longer."""
    def seconds():
        best = math.inf
        for _ in range(calls):
            start = time.perf_counter()
            work()
            best = min(best, time.perf_counter() - start)
        return best
    return seconds


def beside(settings, what, ours, theirs, goal, calls=7):
    ratio = paired_ratio(wall_of(theirs, calls), wall_of(ours, calls), settings.repeats)["ratio"]
    return line(what, ratio, "×", goal)


def sums(settings, ts, numpy):
    lines = []
    x = numpy.random.default_rng(1).random((512 << 17) // (8 if settings.quick else 1))
    for mib, goal in ((512, 2.0), (64, 1.4), (1, 0.2)):
        part = x[: mib << 17]
        if ts.sum(part[:100_000]) != math.fsum(part[:100_000]):
            raise BenchError("ts.sum is not exact")
        lines.append(beside(settings, f"sum of {part.nbytes >> 20} MiB of f8 : numpy.sum", lambda part=part: ts.sum(part),
                            lambda part=part: numpy.sum(part), goal))
    cube = x[: 64 << 17].reshape(-1, 256, 128) if x.size >= 64 << 17 else x.reshape(-1, 256, 128)
    for name, view in (("transpose(2, 0, 1)", cube.transpose(2, 0, 1)), ("transpose(1, 0, 2)", cube.transpose(1, 0, 2)),
                       ("[::2]", cube[::2]), ("[:, ::-1]", cube[:, ::-1]), ("[:, :, ::2]", cube[:, :, ::2]),
                       ("other byte order", cube.astype(">f8"))):
        lines.append(beside(settings, f"sum of 64 MiB, {name} : numpy.sum", lambda view=view: ts.sum(view),
                            lambda view=view: numpy.sum(view), 0.8))
    part = x[: 64 << 17]
    if ts.median(part) != numpy.median(part):
        raise BenchError("ts.median is wrong")
    lines.append(beside(settings, "median of 64 MiB : numpy.median", lambda: ts.median(part), lambda: numpy.median(part),
                        6.0, 3))
    return lines


def maps(settings, ts, numpy):
    try:
        import numexpr
    except ImportError:
        return []
    a, b = numpy.random.default_rng(2).random((2, (64 << 17) // (8 if settings.quick else 1)))
    out, other = numpy.empty_like(a), numpy.empty_like(a)
    line_of = beside(settings, "map a*b+1 into out= : numexpr", lambda: ts.map("a*b+1", a=a, b=b, out=out),
                     lambda: numexpr.evaluate("a*b+1", {"a": a, "b": b}, out=other), 1.2)
    if not (out == other).all():
        raise BenchError("ts.map is wrong")
    return [line_of]


def fixed_costs(settings, ts, numpy):
    ten = numpy.arange(10.0)
    calls = []
    for _ in range(1000):
        start = time.perf_counter()
        ts.sum(ten)
        calls.append(time.perf_counter() - start)
    imports = []
    for _ in range(max(3, settings.repeats)):
        done = subprocess.run([sys.executable, "-c", f"import sys, time, numpy; sys.path.insert(0, {str(BUILD / 'python')!r})\n"
                               "t = time.perf_counter(); import tessera; print(time.perf_counter() - t)"],
                              capture_output=True, text=True, check=True)
        imports.append(float(done.stdout))
    return [line("sum of 10 numbers", median(calls) * 1e3, "ms", 0.4, "lower"),
            line("import, after NumPy", min(imports) * 1e3, "ms", 15.0, "lower")]


def images(settings, ts):
    need(TESSERA)
    context = ts.Context(device="cpu")
    file = settings.folder / "python-image.h5"
    command = [TESSERA, "render", "--view", "seahorse", "--size", "800x600", "--fields", "iterations,smooth", "--device", "cpu",
               "--output", file, "--overwrite", "--quiet"]
    ours = wall_of(lambda: ts.render("seahorse", size=(800, 600), context=context), 3)
    ratio = paired_ratio(ours, lambda: run(command).wall_s, settings.repeats)["ratio"]
    file.unlink()
    return [line("render 800x600 into memory : the command", ratio, "×", 0.5, "lower")]


def python(settings):
    """Calls from Python: sums, medians, maps and images beside NumPy, numexpr and the command; fixed costs."""
    numpy, _ = arrays.modules()
    ts = package()
    lines = sums(settings, ts, numpy) + maps(settings, ts, numpy) + fixed_costs(settings, ts, numpy) + images(settings, ts)
    return {"lines": lines, "commands": []}
