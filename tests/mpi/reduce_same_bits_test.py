"""usage: reduce_same_bits_test.py TESSERA RANKS

Reduces arrays with RANKS ranks, 1 and 2 threads each and three slice sizes, and compares every number with
what one rank's reference device says.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-numpy)")
    raise SystemExit(77)

OPERATIONS = ("sum,prod,mean,var,std,min,max,argmin,argmax,minmax,norm1,norm2,norminf,count_nonzero,any,all,histogram=9,-3,3,"
              "median,quantile=0.01,0.5,0.9,topk=5,argtopk=7")


def arrays():
    random = np.random.default_rng(11)
    yield "wide", random.standard_normal(60013) * 2.0 ** random.integers(-500, 500, 60013), []
    holes = random.standard_normal((251, 240)).astype("f4")
    holes[random.random(holes.shape) < 0.1] = np.nan
    yield "holes", holes, ["--nan", "skip"]
    yield "propagated", holes, []
    yield "fortran", np.asfortranarray(random.integers(-3, 4, (250, 240)).astype(">i2")), ["--ddof", "1"]
    yield "integers", random.integers(-2**63, 2**63 - 1, 40009), []


def reduce(tessera, ranks, folder, *options):
    command = ["mpirun", "-n", str(ranks), "--oversubscribe", "--bind-to", "none"] if ranks else []
    report = os.path.join(folder, "r.json")
    subprocess.run([*command, tessera, "reduce", os.path.join(folder, "a.npy"), "--op", OPERATIONS, *options,
                    "--quiet", "--report", report], check=True, timeout=60)
    with open(report) as file:
        report = json.load(file)
    assert sum(rank["elements"] for rank in report["ranks"]) == report["array"]["elements"]
    return report["results"], report["array"]


def main():
    tessera, ranks = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    compared = 0
    with tempfile.TemporaryDirectory(prefix="tessera mpi ") as folder:
        for name, array, options in arrays():
            np.save(os.path.join(folder, "a.npy"), array)
            truth = reduce(tessera, 0, folder, *options, "--device", "reference", "--threads", "1")
            for size, threads in itertools.product(("4K", "37000", "8M"), ("1", "2")):
                got = reduce(tessera, ranks, folder, *options, "--slice", size, "--threads", threads)
                if got != truth:
                    print(f"{name}: slices of {size}, {threads} thread(s), {ranks} rank(s): {got}, not {truth}")
                    return 1
                compared += len(truth[0])
    print(f"{compared} numbers equal the reference, bit for bit, with {ranks} rank(s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
