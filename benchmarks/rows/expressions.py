"""The row of expressions: in memory beside loops by hand and NumPy, in the page cache beside numexpr, written beside cp."""

import json
import os
import time
from statistics import median

import arrays
from measure import BUILD, BenchError, paired_ratio, run, thread_seconds
from rows import TESSERA, line, need, shown

EXPRESSION_BENCH = BUILD / "benchmarks" / "expression_bench"
CASES = {
    "product": ("a*b + 1", "sum", 0.9, lambda numpy, a, b: (a * b + 1).sum()),
    "root": ("sqrt(a*a + b*b)", "max", 0.8, lambda numpy, a, b: numpy.sqrt(a * a + b * b).max()),
}
NUMPY_GOALS = {"product": 3.0, "root": 5.0}
NUMEXPR_GOALS = {"product": 1.9, "root": 2.5}


def numexpr_module():
    try:
        import numexpr
    except ImportError:
        return None  # Debian: python3-numexpr
    return numexpr


def in_memory(settings):
    """On one core: by hand (expression_bench), then NumPy and numexpr against the same evaluator."""
    need(EXPRESSION_BENCH)
    numpy, _ = arrays.modules()
    numexpr = numexpr_module()
    command = [EXPRESSION_BENCH, "--repeats", 3 if settings.quick else 5 * settings.repeats]
    lines = []
    for case in json.loads(run(command).stdout)["cases"]:
        name, dtype = case["name"].split("/")
        text, reduction, goal, by_numpy = CASES[name]
        what = f"memory, {dtype}, {reduction} of {text}, 1 core"
        lines.append(line(f"{what} : loop by hand", case["ratio"], "×", goal))
        a, b = numpy.random.default_rng(1).standard_normal((2, (64 << 20) // numpy.dtype(dtype).itemsize)).astype(dtype)
        peers = [("NumPy", lambda: by_numpy(numpy, a, b), NUMPY_GOALS[name])]
        if numexpr:
            numexpr.set_num_threads(1)
            peers.append(("numexpr", lambda: getattr(numexpr.evaluate(text, {"a": a, "b": b}), reduction)(), NUMEXPR_GOALS[name]))
        for peer, work, peer_goal in peers:
            taken_ns = median(thread_seconds(work) for _ in range(5)) * 1e9 / a.size
            lines.append(line(f"{what} : {peer}", taken_ns / case["ns"], "×", peer_goal))
    return lines, [command]


def seconds_of(command, report):
    return run(command, report).report["work_s"]


def page_cache(settings):
    """Whole commands on two .npy in the page cache, two threads, against numexpr over memmaps, NumPy and cp."""
    need(TESSERA)
    numpy, _ = arrays.modules()
    numexpr = numexpr_module()
    count = (512 << 20) // 8 // (8 if settings.quick else 1)
    files = [settings.folder / f"expression-{name}.npy" for name in "ab"]
    for seed, file in enumerate(files):
        numpy.save(file, numpy.random.default_rng(seed).standard_normal(count))
    maps = [numpy.load(file, mmap_mode="r") for file in files]
    report, output = settings.folder / "expression-report.json", settings.folder / "expression.raw"
    lines, commands = [], []
    for text, reduction, _, _ in CASES.values():
        command = [TESSERA, "reduce", "--map", text, *files, "--op", reduction, "--device", "cpu", "--threads", 2,
                   "--report", report, "--quiet"]
        commands.append(command)
        if numexpr:
            def peer():
                numexpr.set_num_threads(2)
                start = time.perf_counter()
                getattr(numexpr.evaluate(text, {"a": maps[0], "b": maps[1]}), reduction)()
                return time.perf_counter() - start
            pairs = paired_ratio(peer, lambda: seconds_of(command, report), settings.repeats)
            lines.append(line(f"page cache, f8, {reduction} of {text}, 2 threads : numexpr over memmaps", pairs["ratio"], "×", 2.0))
    command = [TESSERA, "map", "a + b", *files, "--output", output, "--overwrite", "--device", "cpu", "--threads", 2,
               "--report", report, "--quiet"]
    commands.append(command)
    copy = settings.folder / "expression-copy.raw"

    def cp():
        start = time.perf_counter()
        run(["cp", files[0], copy])
        run(["sync", copy])
        return time.perf_counter() - start

    def memmaps():
        start = time.perf_counter()
        result = numpy.lib.format.open_memmap(copy, "w+", "f8", (count,))
        numpy.add(maps[0], maps[1], out=result)
        result.flush()
        return time.perf_counter() - start

    for peer, work, goal in (("cp and sync", cp, 0.85), ("NumPy memmaps", memmaps, 1.5)):
        pairs = paired_ratio(work, lambda: run(command).wall_s, settings.repeats)
        lines.append(line(f"map a + b to raw, f8, 2 threads : {peer}", pairs["ratio"], "×", goal))
    found = numpy.fromfile(output, "f8")
    if not (found == maps[0] + maps[1]).all():
        raise BenchError("map a + b: not the sum")
    for file in (*files, output, copy, output.with_name(output.name + ".done"), report):
        if os.path.exists(file):
            os.remove(file)
    return lines, commands


def expressions(settings):
    """Expressions (reduce --map, map) against loops by hand, NumPy, numexpr and cp"""
    lines, commands = [], []
    for part in (in_memory, page_cache):
        more, made_by = part(settings)
        lines += more
        commands += made_by
    return {"lines": lines, "commands": shown(commands)}
