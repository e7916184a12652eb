"""Each job of the tests here: the reference device on one rank first, then RANKS ranks with other threads and sizes."""

import itertools
import os
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy)")
    raise SystemExit(77)

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))

from surroundings import HANG_S

REFERENCE = ("--device", "reference", "--threads", "1")
SLICES_AND_THREADS = {"--slice": ("4K", "37000", "8M"), "--threads": ("1", "2")}


def datasets(folder):
    """The datasets of o.h5, by name."""
    with h5py.File(os.path.join(folder, "o.h5")) as file:
        return {name: (data.dtype, data[()].tobytes()) for name, data in file.items()}


def combinations(varied, ranks):
    chosen = list(itertools.product(*(enumerate(values) for values in varied.values())))
    if int(os.environ.get("TESSERA_SOAK", "1")) == 1:
        chosen = [each for each in chosen if (sum(number for number, _ in each) + ranks) % 2 == 0]
    return [[value for _, value in each] for each in chosen]


def main(cases, varied, results=datasets, reference=REFERENCE):
    """`cases`: name, arrays by file name, arguments. `varied`: the values of each option that must not change a bit.
    `results(folder)`: the results of a run, by name. Each number of ranks has half of the combinations, with each value of
    each option, and its neighbour the other half; tools/soak tries all of them."""
    tessera, ranks = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    mpirun = ["mpirun", "-n", str(ranks), "--oversubscribe", "--bind-to", "none"]
    compared = 0
    with tempfile.TemporaryDirectory(prefix="tessera mpi ") as folder:

        def run(launcher, *arguments):
            subprocess.run([*launcher, tessera, *arguments, "--quiet"], cwd=folder, check=True, timeout=HANG_S)
            return results(folder)

        for name, arrays, arguments in cases:
            for file, array in arrays.items():
                np.save(os.path.join(folder, file), array)
            truth = run([], *arguments, *reference)
            for values in combinations(varied, ranks):
                options = [text for option in zip(varied, values) for text in option]
                got = run(mpirun, *arguments, *options)
                different = [key for key in truth if got.get(key) != truth[key]]
                if different:
                    print(f"{name}: {' '.join(options)}, {ranks} rank(s): {different} differ")
                    raise SystemExit(1)
                compared += len(truth)
    print(f"{compared} results equal the reference's, bit for bit, with {ranks} rank(s)")
