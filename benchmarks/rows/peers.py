"""Tessera against what people would write today: Dask + Numba and mpi4py + Numba, both with h5py."""

import json
import os
import subprocess
import sys

from measure import ROOT, BenchError, number, paired_ratio, run
from rows import line, render, shown, tile_table

FOLDER = ROOT / "benchmarks" / "peers"
ITERATIONS = 1000
# Means differ by the pixels that fused and separate operations decide differently: about 2e-5 is usual.
MEAN_TOLERANCE = 1e-4


def peer_commands(settings):
    """The peers by name, as they use all cores: Dask as processes, and one more rank for the writing root."""
    cores = len(os.sched_getaffinity(0))
    return {
        "Dask + Numba": [sys.executable, FOLDER / "dask_numba.py", "--workers", cores],
        "mpi4py + Numba": [ROOT / "tools" / "mpirun", "-n", cores + 1, sys.executable,
                           FOLDER / "mpi4py_numba.py"],
    }


def install():
    """The distribution's packages, unless another Python was asked for, which must have its own."""
    if not os.environ.get("TESSERA_PYTHON"):
        if subprocess.run(["bash", ROOT / "tools" / "packages.sh", "install", "peers"], stdout=sys.stderr).returncode:
            raise BenchError("the peers' packages are missing")


def json_line(text):
    """The peer's numbers; libraries may print escape codes around them."""
    for row in reversed(text.splitlines()):
        if "{" in row:
            return json.loads(row[row.index("{") : row.rindex("}") + 1])
    raise BenchError("a peer printed no result")


class Contest:
    """One peer against Tessera on the same image, side by side."""

    def __init__(self, settings, name, command):
        self.settings, self.name = settings, name
        self.size = settings.px(16384)
        self.file = settings.folder / "peer.h5"
        self.command = [*command, "--size", self.size, "--iterations", ITERATIONS, "--output", self.file]
        self.peer, self.ours, self.mean = {}, None, 0.0

    def run_peer(self):
        self.peer = json_line(run(self.command).stdout)
        self.file.unlink()
        return self.peer["seconds_without_startup"]

    def run_tessera(self):
        self.ours, file = render(self.settings, "against-peer", self.settings.ranks, "--view", "whole",
                                 "--size", f"{self.size}x{self.size}", "--iterations", ITERATIONS)
        self.mean = float(tile_table(file)["iterations"].sum()) / self.size**2
        file.unlink()
        return number(self.ours.report, "wall_s")

    def lines(self, goal, repeats):
        pairs = paired_ratio(self.run_peer, self.run_tessera, repeats)
        if abs(self.mean / self.peer["mean"] - 1) > MEAN_TOLERANCE:
            raise BenchError(f"{self.name}: mean count {self.peer['mean']}, Tessera {self.mean}")
        return [line(f"{self.name} : Tessera, whole {self.size}² to HDF5", pairs["ratio"], "×", goal),
                line("the same with start-up", self.peer["seconds"] / self.ours.wall_s, "×"),
                line(f"{self.name}, without start-up", pairs["slower_s"], "s"),
                line("Tessera, without start-up", pairs["faster_s"], "s")]


def peers(settings):
    """Dask and mpi4py with Numba, plain and with the cardioid and disc left out."""
    install()
    lines, commands = [], []
    for name, command in peer_commands(settings).items():
        for skip, goal in ((False, 20.0), (True, 6.0)):
            label = f"{name}, skipping" if skip else name
            contest = Contest(settings, label, [*command, *(["--skip"] if skip else [])])
            # A plain peer takes about a minute, against which a second's noise of ours does not count.
            lines += contest.lines(goal, settings.repeats if skip else 1)
            commands += [contest.command, contest.ours.command]
    return {"lines": lines, "commands": shown(commands)}
