"""The row of groups: sums of groups with random keys, against numpy.bincount and pandas."""

import json
import sys

import arrays
from measure import ROOT, BenchError, Skipped, paired_ratio, run
from rows import TESSERA, line, need, shown

PEER = ROOT / "tools" / "bench-peers" / "group_sums.py"
# What one thread should reach of bincount, by the number of groups.
GOALS = {10**3: 1.5, 10**5: 1.2, 10**6: 1.5, 10**7: 2.3}
PANDAS_GOAL = 6.0
ELEMENTS = 1 << 26


def save_arrays(settings, groups, count):
    numpy, _ = arrays.modules()
    random = numpy.random.default_rng(groups)
    values, keys = settings.folder / "values.npy", settings.folder / "keys.npy"
    numpy.save(values, random.standard_normal(count))
    drawn = random.integers(0, groups, count)
    drawn[:2] = 0, groups - 1
    numpy.save(keys, drawn)
    return values, keys


class GroupSums:
    """`tessera reduce --by` of files in the page cache, from the first piece to the last, checked."""

    def __init__(self, settings, files, groups, threads):
        need(TESSERA)
        self.report, self.table, self.groups = settings.folder / "r.json", settings.folder / "t.npy", groups
        self.command = [TESSERA, "reduce", files[0], "--by", files[1], "--op", "sum", "--threads", threads, "--memory",
                        "8G", "--output", self.table, "--overwrite", "--report", self.report, "--quiet"]

    def seconds(self):
        done = run(self.command, self.report)
        if done.report["groups"]["count"] > self.groups:
            raise BenchError(f"{done.report['groups']['count']} groups, not {self.groups}")
        return done.report["work_s"]

    def sums(self):
        numpy, _ = arrays.modules()
        return numpy.load(self.table)["sum"]


def peer_seconds(package, files, checked):
    result = json.loads(run([sys.executable, PEER, package, *files], optional=True).stdout)
    ours = checked.sums()
    for theirs, mine in zip(result["sums"], (ours[0], ours[-1])):
        if abs(theirs - mine) > 1e-9 * (1 + abs(mine)):
            raise BenchError(f"{package}: sum {theirs}, not {mine}")
    return result["seconds"]


def groups(settings):
    """Sums of 10^3 to 10^7 groups with random keys: against numpy.bincount and pandas."""
    count = ELEMENTS // (64 if settings.quick else 1)
    lines, commands, notes = [], [], []
    for number, goal in GOALS.items():
        files = save_arrays(settings, number, count)
        one, two = (GroupSums(settings, files, number, threads) for threads in (1, 2))
        one.seconds()  # the first look at new pages costs more
        what = f"f8 sum of {number:.0e} groups".replace("e+0", "e")
        for package, wanted in (("numpy", goal), ("pandas", PANDAS_GOAL)):
            try:
                pairs = paired_ratio(lambda: peer_seconds(package, files, one), one.seconds, settings.repeats)
            except Skipped as skipped:
                notes.append(str(skipped))
                continue
            name = "numpy.bincount" if package == "numpy" else "pandas"
            lines += [line(f"{what}, 1 thread : {name}", pairs["ratio"], "×", wanted),
                      line(f"{what}: {name}", pairs["slower_s"] / count * 1e9, "ns/element")]
        lines.append(line(f"{what}, 1 thread", pairs["faster_s"] / count * 1e9, "ns/element"))
        pairs = paired_ratio(one.seconds, two.seconds, settings.repeats)
        lines.append(line(f"{what}, 2 threads : 1 thread", pairs["ratio"], "×"))
        commands += [one.command, two.command, [sys.executable, PEER, "numpy", *files]]
    return {"lines": lines, "notes": notes, "commands": shown(commands)}
