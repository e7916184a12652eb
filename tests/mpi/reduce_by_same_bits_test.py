"""usage: reduce_by_same_bits_test.py TESSERA RANKS

Reductions of groups, also with several bounds of memory.
"""

import same_bits
from same_bits import np

OPERATIONS = "sum,mean,var,std,min,max,argmin,argmax,minmax,norm1,norm2,norminf,count_nonzero,any,all"


def cases():
    def case(name, array, keys, *options):
        return name, {"a.npy": array, "k.npy": keys}, ["reduce", "a.npy", "--op", OPERATIONS, "--by", "k.npy", "--output",
                                                       "o.h5", "--overwrite", *options]

    random = np.random.default_rng(23)
    wide = random.standard_normal(50021) * 2.0 ** random.integers(-500, 500, 50021)
    yield case("wide", wide, random.integers(0, 40, 50021))
    holes = random.standard_normal((901, 70)).astype("f4")
    holes[random.random(holes.shape) < 0.1] = np.nan
    yield case("holes", holes, random.integers(0, 50, (901, 1)).astype("u1"), "--nan", "skip", "--groups", "60")
    yield case("hashed", random.integers(-9, 9, 60000), random.integers(-2**62, 2**62, 60000))
    yield case("bins", holes, random.standard_normal(holes.shape), "--bins", "-1,1,50")


if __name__ == "__main__":
    same_bits.main(cases(), {"--slice": ("37000", "8M"), "--memory": ("64M", "2G"), "--threads": ("1", "2")})
