"""Runs commands and says how long they took and how much memory they held; compares in pairs."""

import json
import os
import platform
import resource
import statistics
import subprocess
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
PEAK_SAMPLE_S = 0.05
# The image that benchmarks call seahorse, whatever the named view shows.
SEAHORSE = ("--center=-0.743643887037151,0.131825904205330", "--width", 0.0025, "--iterations", 5000)


class BenchError(Exception):
    """A measurement that could not be made or whose answer is wrong, in one line."""


class Skipped(Exception):
    """A measurement of something that this machine does not have; says what, in one line."""


@dataclass
class Finished:
    """What a command did. `peak_bytes`: the largest resident size of any one process below it; `cpu_s`: the processor time
    of all of them, which a busy machine does not change as it changes the time on the wall."""

    command: list
    wall_s: float
    stdout: str
    peak_bytes: int = 0
    report: dict = field(default_factory=dict)
    cpu_s: float = 0


def processor_seconds():
    """Of all processes so far that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def children_of(pid):
    """Process ids below `pid`, itself included."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def peak_resident_bytes(pid, name):
    """The kernel's own high-water mark, largest over the processes called `name` below `pid`."""
    peak = 0
    for child in children_of(pid):
        try:
            status = dict(line.split(":", 1) for line in open(f"/proc/{child}/status") if ":" in line)
        except OSError:
            continue
        if status["Name"].strip() == name and "VmHWM" in status:
            peak = max(peak, int(status["VmHWM"].split()[0]) * 1024)
    return peak


def watch_memory(process, name, result):
    while process.poll() is None:
        result[0] = max(result[0], peak_resident_bytes(process.pid, name))
        time.sleep(PEAK_SAMPLE_S)


def run(command, report=None, watch=None, optional=False):
    """Runs `command` to its end. `report`: the JSON file it writes, read back; `watch`: name of the processes
    whose memory counts (sampled 20 times a second, so only asked for where memory is what is measured);
    `optional`: it may exit 3, as everything here does when something that it needs is not there."""
    command = [str(part) for part in command]
    start, cpu_before_s = time.perf_counter(), processor_seconds()
    with subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        peak = [0]
        if watch:
            watcher = threading.Thread(target=watch_memory, args=(process, watch, peak))
            watcher.start()
        stdout, stderr = process.communicate()
        wall_s = time.perf_counter() - start
        if watch:
            watcher.join()
    if process.returncode != 0:
        last = (stderr.strip() or stdout.strip() or "(no output)").splitlines()[-1]
        if optional and process.returncode == 3:
            raise Skipped(last)
        raise BenchError(f"exit {process.returncode} of {' '.join(command)}: {last}")
    numbers = json.loads(Path(report).read_text()) if report else {}
    return Finished(command, wall_s, stdout, peak[0], numbers, processor_seconds() - cpu_before_s)


def number(report, *names):
    """The first number of one of these names at any depth of a report."""
    for name in names:
        waiting = [report]
        while waiting:
            value = waiting.pop(0)
            if isinstance(value, dict):
                if isinstance(value.get(name), (int, float)):
                    return value[name]
                waiting += value.values()
            elif isinstance(value, list):
                waiting += value
    raise BenchError(f"the report has none of {', '.join(names)}")


def thread_seconds(work):
    """Processor time of this thread."""
    start = time.thread_time()
    work()
    return time.thread_time() - start


def paired_ratio(slower, faster, repeats):
    """Median over `repeats` pairs of slower()/faster(), both in seconds and run back to back, every second
    pair in the other order, so that a drift of the machine cancels. Also gives both medians."""
    slow_s, fast_s = [], []
    for pair in range(repeats):
        if pair % 2 == 0:
            slow_s.append(slower())
            fast_s.append(faster())
        else:
            fast_s.append(faster())
            slow_s.append(slower())
    ratios = [slow / fast for slow, fast in zip(slow_s, fast_s)]
    return {
        "ratio": statistics.median(ratios),
        "ratios": ratios,
        "slower_s": statistics.median(slow_s),
        "faster_s": statistics.median(fast_s),
    }


def first_line(command):
    try:
        return subprocess.run(command, cwd=ROOT, text=True, capture_output=True).stdout.split("\n")[0]
    except OSError:
        return ""


def cpu_name():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def cache_entries(names):
    """Values of the build's own settings, from its CMake cache."""
    cache = BUILD / "CMakeCache.txt"
    entries = {}
    for line in cache.read_text().splitlines() if cache.exists() else []:
        name, _, value = line.partition("=")
        if name.partition(":")[0] in names:
            entries[name.partition(":")[0]] = value
    return entries


def provenance(programs=None):
    """What was measured where: goes into every result. `programs`: the folder they were in, if not the build's;
    then they know better than the checkout which commit they are."""
    names = {"CMAKE_BUILD_TYPE", "CMAKE_CXX_FLAGS", "CMAKE_CXX_FLAGS_RELEASE", "CMAKE_CXX_COMPILER"}
    flags = {} if programs else cache_entries(names)
    described = [programs / "tessera", "--version"] if programs else ["git", "describe", "--always", "--dirty",
                                                                      "--abbrev=12"]
    return {
        "commit": first_line(described),
        "host": platform.node(),
        "cpu": cpu_name(),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "compiler": "" if programs else first_line([flags.get("CMAKE_CXX_COMPILER", "c++"), "--version"]),
        "flags": flags,
        "load_1min": os.getloadavg()[0],
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
