"""usage: reduce_by_same_bits_test.py TESSERA RANKS

Reduces groups with RANKS ranks, 1 and 2 threads each and several slice sizes and bounds of memory, and compares every
byte of the table with what one rank's reference device makes.
"""

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

OPERATIONS = "sum,mean,var,std,min,max,argmin,argmax,minmax,norm1,norm2,norminf,count_nonzero,any,all"


def cases():
    """Name, array, keys, further options."""
    random = np.random.default_rng(23)
    wide = random.standard_normal(50021) * 2.0 ** random.integers(-500, 500, 50021)
    yield "wide", wide, random.integers(0, 40, 50021), []
    holes = random.standard_normal((901, 70)).astype("f4")
    holes[random.random(holes.shape) < 0.1] = np.nan
    yield "holes", holes, random.integers(0, 50, (901, 1)).astype("u1"), ["--nan", "skip", "--groups", "60"]
    yield "hashed", random.integers(-9, 9, 60000), random.integers(-2**62, 2**62, 60000), []
    yield "bins", holes, random.standard_normal(holes.shape), ["--bins", "-1,1,50"]


def reduce(tessera, ranks, folder, *options):
    command = ["mpirun", "-n", str(ranks), "--oversubscribe", "--bind-to", "none"] if ranks else []
    result = os.path.join(folder, "o.h5")
    subprocess.run([*command, tessera, "reduce", os.path.join(folder, "a.npy"), "--op", OPERATIONS, "--by",
                    os.path.join(folder, "k.npy"), "--output", result, "--overwrite", "--quiet", *options], check=True,
                   timeout=60)
    with h5py.File(result) as file:
        return {name: data[()].tobytes() for name, data in file.items()}


def main():
    tessera, ranks = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    compared = 0
    with tempfile.TemporaryDirectory(prefix="tessera mpi ") as folder:
        for name, array, keys, options in cases():
            np.save(os.path.join(folder, "a.npy"), array)
            np.save(os.path.join(folder, "k.npy"), keys)
            truth = reduce(tessera, 0, folder, *options, "--device", "reference", "--threads", "1")
            for size, memory, threads in itertools.product(("37000", "8M"), ("64M", "2G"), ("1", "2")):
                got = reduce(tessera, ranks, folder, *options, "--slice", size, "--memory", memory, "--threads", threads)
                different = [key for key in truth if got[key] != truth[key]]
                if different:
                    print(f"{name}: slices of {size}, {memory}, {threads} thread(s), {ranks} rank(s): {different} differ")
                    return 1
                compared += len(truth)
    print(f"{compared} columns equal the reference's, bit for bit, with {ranks} rank(s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
