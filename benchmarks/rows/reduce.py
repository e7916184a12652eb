"""The rows of reductions: arrays in memory, files in the page cache, deflated chunks, and one of 64 GiB."""

import json
import os
import sys
from statistics import median

import arrays
from measure import BUILD, ROOT, BenchError, Skipped, paired_ratio, run, thread_seconds
from rows import TESSERA, line, need, shown, tessera

REDUCE_BENCH = BUILD / "benchmarks" / "reduce_bench"
PREAD_BENCH = BUILD / "benchmarks" / "pread_bench"
PEERS = ROOT / "benchmarks" / "peers"
FIVE = "mean,var,min,max,argmax"
# What the exact one should reach of the plain one, by question and data.
MEMORY_GOALS = {("sum", "normal"): 0.93, ("sum", "fill"): 0.85, ("sum", "spread"): 0.4, (FIVE, "normal"): 0.6}
DATA = {"normal": "ordinary data", "fill": "0.1 % fill values", "spread": "2^±300 (f4: 2^±100)"}
HUGE_BYTES, HUGE_LIMIT_MIB = 64 << 30, 1280.0


def in_memory(settings):
    """Exact and plain sums of arrays in memory, on one core and on two, by reduce_bench."""
    need(REDUCE_BENCH)
    command = [REDUCE_BENCH, "--repeats", 3 if settings.quick else 5 * settings.repeats]
    lines = []
    for case in json.loads(run(command).stdout)["cases"]:
        question, dtype, data, threads = case["name"].split("/")
        plain = "plain sum" if question == "sum" else "plain sum + sum of squares"
        what = f"memory, {dtype} {question}, {DATA[data]}, {threads} core{'s' if threads != '1' else ''}"
        lines += [line(f"{what} : {plain}", case["ratio"], "×", MEMORY_GOALS[question, data]),
                  line(f"{what}: rate", case["GB/s"], "GB/s")]
    return lines, [command]


def along_axes(settings):
    """Exact sums along axes of 8192 columns in memory beside plain ones, one core, by reduce_bench."""
    lines, commands = [], []
    for axis in ("axis 0", "last axis"):
        for dtype in ("f8", "f4"):
            command = [REDUCE_BENCH, "--repeats", 3 if settings.quick else 5 * settings.repeats, "--filter",
                       f"{axis}/{dtype}/normal/1"]
            ratio = json.loads(run(command).stdout)["cases"][0]["ratio"]
            lines.append(line(f"memory, {dtype} sum, {axis}, 8192 columns, 1 core : plain", ratio, "×", 0.8))
            commands.append(command)
    return lines, commands


def numpy_seconds_per_gb(function, dtype):
    """One core's, of a normal array of 256 MiB; processor time, as reduce_bench takes it."""
    numpy, _ = arrays.modules()
    block, times, _ = arrays.repeated_samples(dtype, (256 << 20) // numpy.dtype(dtype).itemsize)
    array = numpy.tile(block, times)
    return median(thread_seconds(lambda: function(array)) for _ in range(3)) / (array.nbytes / 1e9)


def against_numpy(settings):
    """numpy.sum and numpy.var against the same exactly, one core each."""
    numpy, _ = arrays.modules()
    lines, commands = [], []
    for name, function, question, goal in (("sum", numpy.sum, "sum", 1.9), ("var", numpy.var, FIVE, 4.5)):
        for dtype in ("f8", "f4"):
            command = [REDUCE_BENCH, "--repeats", 3, "--filter", f"{question}/{dtype}/normal/1"]
            ours = lambda: 1 / json.loads(run(command).stdout)["cases"][0]["GB/s"]
            pairs = paired_ratio(lambda: numpy_seconds_per_gb(function, dtype), ours, settings.repeats)
            lines.append(line(f"memory, {dtype} {question}, 1 core : numpy.{name}", pairs["ratio"], "×", goal))
            commands.append(command)
    return lines, commands


class Reduction:
    """`tessera reduce --op sum` of a stored array by one process of two threads, its answer checked."""

    def __init__(self, settings, stored):
        self.stored, self.report = stored, settings.folder / "reduce-report.json"
        need(TESSERA)
        self.command = [TESSERA, "reduce", stored.source, "--op", "sum", "--threads", 2, "--report", self.report,
                        "--quiet"]
        self.outside_s = []

    def seconds(self):
        """From the first slice to the last."""
        done = run(self.command, self.report)
        found = float.fromhex(done.report["results"][0]["values"][0]["hex"])
        if found != self.stored.total:
            raise BenchError(f"{self.stored.source}: sum {found!r}, not {self.stored.total!r}")
        self.outside_s.append(done.wall_s - done.report["work_s"])
        return done.report["work_s"]


def peer_seconds(command):
    return json.loads(run(command, optional=True).stdout)["seconds"]


def with_dask(settings, stored, reduction):
    """dask.array over h5py with two threads on the same file, from the opened dataset to the number."""
    command = [sys.executable, PEERS / "dask_sum.py", stored.path, stored.dataset]

    def seconds():
        result = json.loads(run(command).stdout)
        if abs(result["sum"] - stored.total) > 1e-6 * abs(stored.total):
            raise BenchError(f"dask: sum {result['sum']}, not {stored.total}")
        return result["seconds"]

    pairs = paired_ratio(seconds, reduction.seconds, settings.repeats)
    return [line("HDF5 in the page cache, f4, 2 threads : dask.array over h5py", pairs["ratio"], "×", 3.0)], command


def contiguous_files(settings):
    """.npy and contiguous HDF5 in the page cache, two threads, against bare pread and against Dask."""
    need(PREAD_BENCH)
    size = (2 << 30) // (8 if settings.quick else 1)
    lines, commands, notes = [], [], []
    for name, make, dtype in ((".npy", arrays.npy, "f8"), ("HDF5", arrays.contiguous, "f4")):
        stored = make(settings.folder, dtype, size // int(dtype[1]))
        reduction = Reduction(settings, stored)
        bare = [PREAD_BENCH, stored.path]
        reduction.seconds()  # the first look at new pages costs more
        pairs = paired_ratio(lambda: peer_seconds(bare), reduction.seconds, 5 * settings.repeats)
        gb = stored.path.stat().st_size / 1e9
        what = f"{name} in the page cache, {dtype}, 2 threads"
        lines += [line(f"{what} : bare pread", pairs["ratio"], "×", 0.9),
                  line(f"{what}: rate", gb / pairs["faster_s"], "GB/s"),
                  line(f"{what}: bare pread", gb / pairs["slower_s"], "GB/s"),
                  line(f"{what}: start, opening and end of the process", median(reduction.outside_s), "s")]
        commands += [bare, reduction.command]
        if name == "HDF5":
            try:
                more, command = with_dask(settings, stored, reduction)
                lines += more
                commands.append(command)
            except BenchError as error:
                if "No module named" not in str(error):
                    raise
                notes.append("without Dask: tools/packages.sh install peers")
        stored.path.unlink()
    return lines, commands, notes


def deflated_chunks(settings):
    """Shuffled and deflated chunks of 1 MB, two threads, against H5Dread."""
    lines, commands = [], []
    for level in (1, 4):
        stored = arrays.deflated(settings.folder, level, 32 if settings.quick else arrays.FIELD_SHAPE[0])
        reduction = Reduction(settings, stored)
        peer = [sys.executable, PEERS / "h5dread.py", stored.path, stored.dataset]
        pairs = paired_ratio(lambda: peer_seconds(peer), reduction.seconds, settings.repeats)
        gb = json.loads(run(peer).stdout)["bytes"] / 1e9
        what = f"HDF5, gzip {level} + shuffle, f4, 2 threads"
        lines += [line(f"{what} : H5Dread", pairs["ratio"], "×", 5.0),
                  line(f"{what}: rate", gb / pairs["faster_s"], "GB/s"),
                  line(f"{what}: H5Dread", gb / pairs["slower_s"], "GB/s")]
        commands += [peer, reduction.command]
        stored.path.unlink()
    return lines, commands


def in_little_memory(settings):
    """64 GiB under --memory 1G, made and from a file, and what each of two ranks holds at most."""
    count = HUGE_BYTES // 8 // (64 if settings.quick else 1)
    path, total, first_greatest, first_least = arrays.sparse(settings.folder, count)
    report = settings.folder / "reduce-report.json"
    lines, commands = [], []
    for what, source in ((f"{count * 8 >> 30} GiB from a file", f"{path}?dtype=f8&shape={count}"),
                         (f"{count * 8 >> 30} GiB of random numbers", f"random:uniform?count={count}")):
        command = tessera(settings.ranks, "reduce", source, "--op", "sum,argmin,argmax", "--memory", "1G",
                          "--threads", 1, "--report", report, "--quiet")
        done = run(command, report, watch=TESSERA.name)
        found = {result["op"]: result["values"][0]["decimal"] for result in done.report["results"]}
        if source.startswith(str(path)):
            expected = {"sum": total, "argmin": first_least, "argmax": first_greatest}
            if {op: float(value) for op, value in found.items()} != expected:
                raise BenchError(f"{source}: {found}, not {expected}")
        # The mean of random numbers is 1/2 to within six of its standard deviations.
        elif abs(float(found["sum"]) / count - 0.5) > 6 * (1 / 12 / count) ** 0.5:
            raise BenchError(f"{source}: sum {found['sum']}")
        told = max(rank["peak_memory_bytes"] for rank in done.report["ranks"])
        lines += [line(f"{what}, --memory 1G, {settings.ranks} ranks: largest rank",
                       max(done.peak_bytes, told) / 2**20, "MiB", HUGE_LIMIT_MIB, "lower"),
                  line(f"{what}: rate", done.report["bytes_per_s"] / 1e9, "GB/s")]
        commands.append(command)
    path.unlink()
    return lines, commands


def reduce(settings):
    """Reductions: in memory, from files and chunks, against plain sums, pread, H5Dread, NumPy and Dask."""
    if os.cpu_count() < 2:
        raise Skipped("needs two cores")
    lines, commands, notes = [], [], []
    for part in (in_memory, along_axes, against_numpy, contiguous_files, deflated_chunks, in_little_memory):
        print(f"   {part.__doc__.splitlines()[0]}", file=sys.stderr, flush=True)
        found = part(settings)
        lines += found[0]
        commands += found[1]
        notes += found[2] if len(found) > 2 else []
    return {"lines": lines, "notes": notes, "commands": shown(commands)}
