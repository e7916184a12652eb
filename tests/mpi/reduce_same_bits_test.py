"""usage: reduce_same_bits_test.py TESSERA RANKS

Reductions of whole arrays.
"""

import json
import os

import same_bits
from same_bits import np

OPERATIONS = ("sum,prod,mean,var,std,min,max,argmin,argmax,minmax,norm1,norm2,norminf,count_nonzero,any,all,histogram=9,-3,3,"
              "median,quantile=0.01,0.5,0.9,topk=5,argtopk=7")


def cases():
    def case(name, array, *options):
        return name, {"a.npy": array}, ["reduce", "a.npy", "--op", OPERATIONS, "--report", "r.json", *options]

    random = np.random.default_rng(11)
    yield case("wide", random.standard_normal(60013) * 2.0 ** random.integers(-500, 500, 60013))
    holes = random.standard_normal((251, 240)).astype("f4")
    holes[random.random(holes.shape) < 0.1] = np.nan
    yield case("holes", holes, "--nan", "skip")
    yield case("propagated", holes)
    yield case("fortran", np.asfortranarray(random.integers(-3, 4, (250, 240)).astype(">i2")), "--ddof", "1")
    yield case("integers", random.integers(-2**63, 2**63 - 1, 40009))


def results(folder):
    with open(os.path.join(folder, "r.json")) as file:
        report = json.load(file)
    assert sum(rank["elements"] for rank in report["ranks"]) == report["array"]["elements"]
    return {"array": report["array"]} | {f"result {i}": result for i, result in enumerate(report["results"])}


if __name__ == "__main__":
    same_bits.main(cases(), same_bits.SLICES_AND_THREADS, results)
