"""The row of jobs that people write by hand: Mandelbrot, c = a + b, a mean of speeds, sums of groups, by other tools and by
Tessera on one core, on all of them, and by ranks; then the same with a hundred times the memory that a process may have."""

import json
import os
import subprocess
import sys

import arrays
from measure import ROOT, BenchError, Skipped, run
from rows import TESSERA, line, need, shown

PEER = ROOT / "benchmarks" / "peers" / "jobs.py"
PEERS = ("NumPy", "Numba", "multiprocessing", "joblib", "Dask", "Ray", "CuPy", "PyCUDA")
# Means differ by the pixels near the edge, where products are rounded in another order.
TOLERANCE = 1e-4
GROUPS = 10**5
LIMIT = 256 << 20
TOO_LONG_S = 100


def save_arrays(settings, count):
    numpy, _ = arrays.modules()
    random = numpy.random.default_rng(1)
    files = {name: settings.folder / f"jobs-{name}.npy" for name in ("a", "b", "keys", "c")}
    for name in "ab":
        numpy.save(files[name], random.standard_normal(count))
    keys = random.integers(0, GROUPS, count)
    keys[0] = 0
    numpy.save(files["keys"], keys)
    return files


def jobs_of(settings, files):
    """By name: the peer's arguments, Tessera's, and how to find Tessera's number."""
    report, output = settings.folder / "jobs-report.json", settings.folder / "jobs-output"
    ours = ("--overwrite", "--quiet", "--report", report)
    a, b, keys = files["a"], files["b"], files["keys"]
    jobs = {}
    for size, iterations in ((500, 50), (500, 1000), (2000, 50), (2000, 1000), (15000, 50), (15000, 1000)):
        jobs[f"Mandelbrot {size}², {iterations}"] = (
            ("mandelbrot", size, iterations),
            ("render", "--view", "whole", "--size", f"{size}x{size}", "--iterations", iterations, "--output",
             f"{output}.h5", *ours))
    jobs["c = a + b"] = ("add", a, b, files["c"]), ("map", "a + b", a, b, "--output", f"{output}.npy", *ours)
    jobs["mean of sqrt(u*u + v*v)"] = (
        ("speed", a, b), ("reduce", "--map", "sqrt(a*a + b*b)", a, b, "--op", "mean", *ours))
    jobs[f"sums of {GROUPS} groups"] = (
        ("groups", a, keys), ("reduce", a, "--by", keys, "--op", "sum", "--output", f"{output}.csv", *ours))
    return jobs


def our_ways(settings):
    return {"Tessera, one core": [TESSERA, "--threads", 1], "Tessera, all cores": [TESSERA],
            f"Tessera, {settings.ranks} ranks": [ROOT / "tools" / "mpirun", "-n", settings.ranks, TESSERA]}


def our_command(way, arguments):
    at = way.index(TESSERA) + 1
    return [*way[:at], arguments[0], *way[at:], *arguments[1:], "--device", "cpu"]


def our_number(settings, job, arguments):
    """What Tessera found, as the peer prints it."""
    numpy, h5py = arrays.modules()
    output = settings.folder / "jobs-output"
    if job.startswith("Mandelbrot"):
        with h5py.File(f"{output}.h5") as file:
            return float(file["iterations"][:].mean(dtype="f8"))
    if job.startswith("mean"):
        return float(run([*our_command([TESSERA], arguments)]).stdout)
    if job.startswith("sums"):
        with open(f"{output}.csv", encoding="utf-8") as table:
            return float(table.read().splitlines()[1].split(",")[2])
    return None


def measure(settings, job, peer, ours):
    """Seconds by tool: peers without start-up, Tessera's whole command; and lines of code."""
    seconds, code, commands = {}, {}, []
    for name, way in our_ways(settings).items():
        command = our_command(way, ours)
        seconds[name] = min(run(command).wall_s for _ in range(settings.repeats))
        code[name] = 1
        commands.append(command)
    truth, slow = our_number(settings, job, ours), set()
    pixels = peer[1] ** 2 * peer[2] if peer[0] == "mandelbrot" else 0
    for name in PEERS:
        # NumPy and those that call it make about 20 million pixel steps a second.
        if pixels > TOO_LONG_S * (4e8 if name == "Numba" else 2e7):
            continue
        try:
            found = json.loads(run([sys.executable, PEER, name, *peer], optional=True).stdout.splitlines()[-1])
        except Skipped:
            continue
        if truth is not None and abs(found["value"] - truth) > TOLERANCE * (1 + abs(truth)):
            raise BenchError(f"{job}: {name} has {found['value']}, Tessera {truth}")
        seconds[name], code[name] = found["seconds"], found["lines"]
        commands.append([sys.executable, PEER, name, *peer])
    best = seconds["Tessera, all cores"]
    lines = []
    for name, taken in seconds.items():
        lines.append(line(f"{job}: {name}, {code[name]} lines", taken, "s", better="lower"))
        lines.append(line(f"{job}: {name} : Tessera, all cores", taken / best, "×"))
    return lines, commands


def ends(command):
    """How a command ends that may have LIMIT bytes of memory beside the files that it maps."""
    limited = ["bash", "-c", f"ulimit -d {LIMIT >> 10}; exec \"$@\"", "-", *map(str, command)]
    done = subprocess.run(limited, cwd=ROOT, capture_output=True, text=True, timeout=3600)
    if done.returncode == 0:
        return "completes"
    return (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]


def at_a_hundred_times(settings):
    """Arrays of zeros that take no disk, each a hundred times LIMIT."""
    numpy, _ = arrays.modules()
    files = [settings.folder / f"jobs-large-{name}.npy" for name in "ab"]
    small = [settings.folder / f"jobs-{name}.npy" for name in "ab"]
    for file in files:
        numpy.lib.format.open_memmap(file, "w+", "f8", (100 * LIMIT // 8 // (64 if settings.quick else 1),))
    results = {}
    for name in PEERS:
        try:
            run([sys.executable, PEER, name, "speed", *small], optional=True)
        except Skipped:
            continue
        results[name] = ends([sys.executable, PEER, name, "speed", *files])
    command = [TESSERA, "reduce", "--map", "sqrt(a*a + b*b)", *files, "--op", "mean", "--memory", "256M", "--device", "cpu",
               "--quiet"]
    results["Tessera"] = ends(command)
    for file in files:
        os.remove(file)
    return [line(f"100 times the memory: {name}: {how}", int(how == "completes"), "") for name, how in results.items()], command


def jobs(settings):
    """Mandelbrot, a + b, a mean and sums of groups by NumPy, Numba, multiprocessing, joblib, Dask, Ray, CuPy and Tessera."""
    need(TESSERA)
    files = save_arrays(settings, (1 << 25) // (64 if settings.quick else 1))
    lines, commands = [], []
    for job, (peer, ours) in jobs_of(settings, files).items():
        if settings.quick and peer[1] in (2000, 15000):
            continue
        more, made_by = measure(settings, job, peer, ours)
        lines += more
        commands += made_by
    more, command = at_a_hundred_times(settings)
    for file in settings.folder.glob("jobs-*"):
        file.unlink()
    return {"lines": lines + more, "commands": shown([*commands, command])}
