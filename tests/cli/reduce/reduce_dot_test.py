"""tessera reduce --op dot: the products of two arrays."""

import itertools
import math

from program import main
from reduction import INTEGERS, ReduceTest, expected

# Behind reduction, which finds the oracle, and skips the test where these are not.
import answers
import h5py
import numpy as np


def exact_dot(x, y):
    """Of finite numbers: an integer of integers, else rounded once."""
    return answers.dot(np.ravel(x), np.ravel(y), "propagate")


class Dot(ReduceTest):
    def assert_dot(self, source, other, wanted, *options):
        for device in ("reference", "cpu"):
            self.assert_answers(source, {"dot": wanted}, "--with", other, "--device", device, *options)

    def test_of_every_two_types(self):
        random = np.random.default_rng(51)
        arrays = {}
        for code in INTEGERS:
            limits = np.iinfo(code)
            arrays[code] = random.integers(limits.min, limits.max, 1503, dtype=code, endpoint=True)
        for code in ("f2", "f4", "f8", ">f8"):
            arrays[code] = random.standard_normal(1503).astype(code)
        for code, array in arrays.items():
            self.save(array, f"{code}.npy")
        for x, y in itertools.product(arrays, arrays):
            with self.subTest(x=x, y=y):
                self.assert_dot(f"{x}.npy", f"{y}.npy", exact_dot(arrays[x], arrays[y]), "--slice", "4K")

    def test_of_dimensions_in_another_order_is_refused(self):
        for name, dimensions in (("x", ("lat", "lon")), ("y", ("lon", "lat")), ("z", ("lat", "lon"))):
            with h5py.File(self.path(f"{name}.h5"), "w") as file:
                file["x"] = np.arange(9.0).reshape(3, 3)
                for d, dimension in enumerate(dimensions):
                    file[dimension] = np.arange(3)
                    file[dimension].make_scale(dimension)
                    file["x"].dims[d].attach_scale(file[dimension])
        self.assert_refused(("reduce", "x.h5:/x", "--op", "dot", "--with", "y.h5:/x"), 2, "has the dimensions lon, lat")
        self.assert_dot("x.h5:/x", "z.h5:/x", 204.0)

    def test_is_rounded_once(self):
        random = np.random.default_rng(52)
        x = random.standard_normal(40009) * 2.0 ** random.integers(-500, 500, 40009)
        y = random.standard_normal(40009) * 2.0 ** random.integers(-500, 500, 40009)
        cases = [(x, y), (np.append(x, x), np.append(y, -y)), (np.full(9, 1e300), np.full(9, 1e-320)),
                 (np.array([2.0**600, 1.0, -(2.0**600)]), np.array([2.0**600, 3.0, 2.0**600]))]
        for a, b in cases:
            self.assert_dot(self.save(a), self.save(b, "b.npy"), exact_dot(a, b))
        least, largest = np.full(5000, -2**63), np.full(5000, 2**64 - 1, dtype="u8")
        for a, b in itertools.product((least, largest), repeat=2):
            self.assert_dot(self.save(a), self.save(b, "b.npy"), exact_dot(a, b))

    def test_needs_no_layout_in_common(self):
        random = np.random.default_rng(53)
        x, y = random.standard_normal((2, 40, 30, 17))
        self.save(x, "x.npy")
        self.save(y.astype(">f4"), "y.npy")
        self.save(np.asfortranarray(x), "xf.npy")
        self.save(np.asfortranarray(y.astype("f4")), "yf.npy")
        for i, part in enumerate(np.split(x, [7, 8, 29])):
            self.save(part if i % 2 else np.asfortranarray(part), f"part{i}.npy")
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("x", data=x, chunks=(7, 30, 4), compression="gzip", shuffle=True)
            file.create_dataset("y", data=y.astype("f4"), chunks=(7, 30, 4), compression="gzip")
            file.create_dataset("z", data=y.astype("f4"), chunks=(9, 11, 17))
            file.create_dataset("whole", data=y.astype("f4"))
        wanted = exact_dot(x, y.astype("f4"))
        for source in ("x.npy", "xf.npy", "a.h5:/x", "part*.npy"):
            for other in ("y.npy", "yf.npy", "a.h5:/y", "a.h5:/z", "a.h5:/whole"):
                with self.subTest(source=source, other=other):
                    self.assert_answers(source, {"dot": wanted}, "--with", other, "--slice", "6000", "--threads", "2")
        for ranks in (2, 3):
            out = self.assert_done("reduce", "xf.npy", "--op", "dot", "--with", "a.h5:/z", "--slice", "5K", ranks=ranks)
            self.assertIn(f"{wanted!r}", out)

    def test_beside_operations_on_the_first_array(self):
        random = np.random.default_rng(54)
        x, y = random.standard_normal((2, 5003))
        wanted = expected(x) | {"dot": exact_dot(x, y)}
        self.assert_answers(self.save(x), wanted, "--with", self.save(y, "y.npy"))
        self.assert_answers("a.npy", {"dot": exact_dot(x, x), "norm2": wanted["norm2"]}, "--with", "a.npy")
        source = "random:normal?count=5003&seed=4"
        _, squares = self.reduce(source, ("norm2",))
        _, dot = self.reduce(source, ("dot",), "--with", source)
        self.assertAlmostEqual(math.sqrt(dot["dot"]), squares["norm2"], 12)

    def test_what_is_not_finite(self):
        x = np.array([1.0, math.nan, 2.0, 3.0])
        y = np.array([4.0, 5.0, math.nan, 7.0])
        self.assert_dot(self.save(x), self.save(y, "y.npy"), math.nan)
        self.assert_dot("a.npy", "y.npy", 25.0, "--nan", "skip")
        self.save(np.array([1, 2, 3, 4], dtype="i8"), "i.npy")
        self.assert_dot("i.npy", "y.npy", math.nan)
        self.assert_dot("i.npy", "y.npy", 4.0 + 10.0 + 28.0, "--nan", "skip")
        for terms, wanted in (((math.inf, 1.0), math.inf), ((math.inf, -math.inf), math.nan), ((-math.inf, 5), -math.inf)):
            self.assert_dot(self.save(np.array(terms)), self.save(np.array([2.0, 3.0]), "y.npy"), wanted)
            self.assert_dot(self.save(np.array([2, 2**62 + 1])), self.save(np.array(terms), "y.npy"), wanted)
        self.assert_dot(self.save(np.array([0.0, 1.0])), self.save(np.array([math.inf, 1.0]), "y.npy"), math.nan)
        self.assert_dot(self.save(np.array([0, 1])), "y.npy", math.nan)
        self.assert_dot(self.save(np.array([-0.0])), self.save(np.array([3.0]), "y.npy"), -0.0)
        self.assert_dot(self.save(np.zeros((3, 0))), self.save(np.zeros((3, 0)), "y.npy"), 0.0)
        self.assert_dot(self.save(np.zeros(0, dtype="i4")), self.save(np.zeros(0, dtype="i2"), "y.npy"), 0)

    def test_that_cannot_be_is_refused(self):
        self.save(np.zeros((3, 4)))
        self.save(np.zeros((4, 3)), "y.npy")
        for options, *words in ((["--op", "dot", "--with", "y.npy"], "y.npy: is 4x3", "a.npy is 3x4"),
                                (["--op", "dot"], "--with"), (["--op", "sum", "--with", "a.npy"], "--op dot"),
                                (["--op", "dot", "--with", "a.png"], "a.png")):
            with self.subTest(options=options):
                self.assert_refused(["reduce", "a.npy", *options], 2, *words)
        self.assert_refused(["reduce", "a.npy", "--op", "dot", "--with", "none.npy"], 3, "none.npy")
        self.assert_refused(["reduce", "a.npy", "--op", "dot", "--with", "y.npy"], 2, "4x3", ranks=2)


if __name__ == "__main__":
    main()
