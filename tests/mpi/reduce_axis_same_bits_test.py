"""usage: reduce_axis_same_bits_test.py TESSERA RANKS

Reductions along axes.
"""

import same_bits
from same_bits import np

OPERATIONS = "sum,mean,var,std,min,max,argmin,argmax,minmax,norm1,norm2,norminf,count_nonzero,any,all,histogram=9,-3,3"


def cases():
    """The first ones are tall: their outputs are shared among ranks."""

    def case(name, array, axes, *options):
        return name, {"a.npy": array}, ["reduce", "a.npy", "--op", OPERATIONS, "--axis", axes, "--output", "o.h5",
                                        "--overwrite", *options]

    random = np.random.default_rng(21)
    tall = random.standard_normal((20011, 3)) * 2.0 ** random.integers(-500, 500, (20011, 3))
    yield case("tall", tall, "0")
    holes = random.standard_normal((9001, 7)).astype("f4")
    holes[random.random(holes.shape) < 0.1] = np.nan
    yield case("holes", holes, "0", "--nan", "skip")
    yield case("rows", holes, "1")
    yield case("fortran", np.asfortranarray(random.integers(-3, 4, (30, 20, 50)).astype(">i2")), "0,2", "--ddof", "1")


if __name__ == "__main__":
    same_bits.main(cases(), same_bits.SLICES_AND_THREADS)
