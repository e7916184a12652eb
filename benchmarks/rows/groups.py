"""The row of groups: sums of groups with random keys, against numpy.bincount and pandas, and medians against pandas."""

import json
import sys

import arrays
from measure import ROOT, BenchError, Skipped, paired_ratio, run
from rows import TESSERA, line, need, shown

PEER = ROOT / "benchmarks" / "peers" / "groups.py"
PEER_NAMES = {"numpy": "numpy.bincount", "pandas": "pandas"}
# What one thread should reach of bincount, by the number of groups.
GOALS = {10**3: 1.5, 10**5: 1.2, 10**6: 1.5, 10**7: 2.3}
PANDAS_GOAL = 6.0
MEDIAN_GROUPS = (12, 10**5)
ELEMENTS = 1 << 25
MEDIAN_ELEMENTS = 1 << 24


def save_arrays(folder, groups, count, is_sorted=False):
    numpy, _ = arrays.modules()
    random = numpy.random.default_rng(groups)
    values, keys = folder / f"values{count}.npy", folder / f"keys{count}.npy"
    numpy.save(values, random.standard_normal(count))
    drawn = random.integers(0, groups, count)
    drawn[:2] = 0, groups - 1
    numpy.save(keys, numpy.sort(drawn) if is_sorted else drawn)
    return values, keys


class GroupReduction:
    """`tessera reduce --by` of files in the page cache, the table written and checked."""

    def __init__(self, settings, files, groups, threads, operation="sum", options=()):
        need(TESSERA)
        self.report, self.table, self.groups = settings.folder / "r.json", settings.folder / "t.npy", groups
        self.operation, self.threads = operation, threads
        self.command = [*self.command_of(files), *options]
        self.start_s = self.cpu_seconds_of(self.command_of(save_arrays(settings.folder, groups=1, count=2)))

    def command_of(self, files):
        return [TESSERA, "reduce", files[0], "--by", files[1], "--op", self.operation, "--threads", self.threads,
                "--memory", "8G", "--output", self.table, "--overwrite", "--report", self.report, "--quiet"]

    def cpu_seconds_of(self, command):
        done = run(command, self.report)
        if done.report["groups"]["count"] > self.groups:
            raise BenchError(f"{done.report['groups']['count']} groups, not {self.groups}")
        return done.cpu_s

    def cpu_seconds(self):
        """Processor time of the whole program, without that of its start."""
        return self.cpu_seconds_of(self.command) - self.start_s

    def wall_seconds(self):
        return run(self.command, self.report).report["wall_s"]

    def values(self):
        numpy, _ = arrays.modules()
        return numpy.load(self.table)[self.operation]


def peer_seconds(package, files, checked):
    result = json.loads(run([sys.executable, PEER, package, checked.operation, *files], optional=True).stdout)
    ours = checked.values()
    for theirs, mine in zip(result["values"], (ours[0], ours[-1])):
        if abs(theirs - mine) > 1e-9 * (1 + abs(mine)):
            raise BenchError(f"{package}: {checked.operation} {theirs}, not {mine}")
    return result["cpu_s"]


def against_peers(settings, what, files, ours, peers, notes):
    """Lines about processor time, `peers` being the packages with their goals."""
    count = MEDIAN_ELEMENTS if ours.operation == "median" else ELEMENTS
    count //= 64 if settings.quick else 1
    lines = []
    for package, wanted in peers.items():
        try:
            pairs = paired_ratio(lambda: peer_seconds(package, files, ours), ours.cpu_seconds, settings.repeats)
        except Skipped as skipped:
            notes.append(str(skipped))
            continue
        lines += [line(f"{what} : {PEER_NAMES[package]}", pairs["ratio"], "×", wanted),
                  line(f"{what}: {PEER_NAMES[package]}", pairs["slower_s"] / count * 1e9, "ns/element"),
                  line(f"{what}: tessera", pairs["faster_s"] / count * 1e9, "ns/element")]
    return lines


def sums(settings, notes):
    count = ELEMENTS // (64 if settings.quick else 1)
    lines, commands = [], []
    for number, goal in GOALS.items():
        files = save_arrays(settings.folder, number, count)
        what = f"f8 sum of {number:.0e} groups".replace("e+0", "e")
        one, two = (GroupReduction(settings, files, number, threads) for threads in (1, 2))
        known = GroupReduction(settings, files, number, 1, options=("--groups", number))
        one.cpu_seconds()  # the first look at new pages costs more
        lines += against_peers(settings, what, files, one, {"numpy": goal, "pandas": PANDAS_GOAL}, notes)
        lines += against_peers(settings, f"{what}, --groups", files, known, {"numpy": goal}, notes)
        pairs = paired_ratio(one.wall_seconds, two.wall_seconds, settings.repeats)
        lines.append(line(f"{what}, 2 threads : 1 thread, wall", pairs["ratio"], "×"))
        commands += [one.command, known.command, two.command, [sys.executable, PEER, "numpy", "sum", *files]]
    files = save_arrays(settings.folder, 10**3, count, is_sorted=True)
    ordered = GroupReduction(settings, files, 10**3, 1)
    ordered.cpu_seconds()
    lines += against_peers(settings, "f8 sum of 1e3 groups, sorted keys", files, ordered, {"numpy": None}, notes)
    return lines, commands


def medians(settings, notes):
    count = MEDIAN_ELEMENTS // (64 if settings.quick else 1)
    lines, commands = [], []
    for number in MEDIAN_GROUPS:
        files = save_arrays(settings.folder, number, count)
        ours = GroupReduction(settings, files, number, 2, operation="median")
        ours.cpu_seconds()
        lines += against_peers(settings, f"f8 median of {number} groups", files, ours, {"pandas": None}, notes)
        commands += [ours.command, [sys.executable, PEER, "pandas", "median", *files]]
    return lines, commands


def groups(settings):
    """Sums of 10^3 to 10^7 groups with random keys against numpy.bincount and pandas, and medians: processor time."""
    notes = []
    found = [sums(settings, notes), medians(settings, notes)]
    return {"lines": sum((lines for lines, _ in found), []), "notes": notes,
            "commands": shown(sum((commands for _, commands in found), []))}
