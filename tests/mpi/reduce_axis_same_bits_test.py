"""usage: reduce_axis_same_bits_test.py TESSERA RANKS

Reduces arrays along axes with RANKS ranks, 1 and 2 threads each and three slice sizes, and compares every byte with
what one rank's reference device makes.
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

OPERATIONS = ("sum,mean,var,std,min,max,argmin,argmax,minmax,norm1,norm2,norminf,count_nonzero,any,all,histogram=9,-3,3")


def arrays():
    """Name, array, axes, further options. The first ones are tall: their outputs are shared among ranks."""
    random = np.random.default_rng(21)
    tall = random.standard_normal((20011, 3)) * 2.0 ** random.integers(-500, 500, (20011, 3))
    yield "tall", tall, "0", []
    holes = random.standard_normal((9001, 7)).astype("f4")
    holes[random.random(holes.shape) < 0.1] = np.nan
    yield "holes", holes, "0", ["--nan", "skip"]
    yield "rows", holes, "1", []
    yield "fortran", np.asfortranarray(random.integers(-3, 4, (30, 20, 50)).astype(">i2")), "0,2", ["--ddof", "1"]


def reduce(tessera, ranks, folder, axes, *options):
    command = ["mpirun", "-n", str(ranks), "--oversubscribe", "--bind-to", "none"] if ranks else []
    result = os.path.join(folder, "o.h5")
    subprocess.run([*command, tessera, "reduce", os.path.join(folder, "a.npy"), "--op", OPERATIONS, "--axis", axes,
                    "--output", result, "--overwrite", "--quiet", *options], check=True, timeout=60)
    with h5py.File(result) as file:
        return {name: data[()].tobytes() for name, data in file.items()}


def main():
    tessera, ranks = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    compared = 0
    with tempfile.TemporaryDirectory(prefix="tessera mpi ") as folder:
        for name, array, axes, options in arrays():
            np.save(os.path.join(folder, "a.npy"), array)
            truth = reduce(tessera, 0, folder, axes, *options, "--device", "reference", "--threads", "1")
            for size, threads in itertools.product(("4K", "37000", "8M"), ("1", "2")):
                got = reduce(tessera, ranks, folder, axes, *options, "--slice", size, "--threads", threads)
                different = [key for key in truth if got[key] != truth[key]]
                if different:
                    print(f"{name}: slices of {size}, {threads} thread(s), {ranks} rank(s): {different} differ")
                    return 1
                compared += len(truth)
    print(f"{compared} arrays equal the reference's, bit for bit, with {ranks} rank(s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
