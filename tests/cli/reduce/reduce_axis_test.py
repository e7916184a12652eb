"""tessera reduce --axis: every output against fractions and NumPy, bit for bit."""

import itertools
import math

from axis_reduction import AxisTest, elements_of
from program import main
from reduction import INTEGERS, np, same


class Shapes(AxisTest):
    def test_every_set_of_axes(self):
        random = np.random.default_rng(1)
        for shape in ((13,), (9, 14), (4, 5, 6), (3, 4, 2, 5)):
            array = random.standard_normal(shape)
            for count in range(1, len(shape) + 1):
                for axes in itertools.combinations(range(len(shape)), count):
                    self.assert_axes(array, axes, devices=("cpu",))
            self.assert_axes(array, (0,), devices=("reference",))
            self.assert_axes(np.asfortranarray(array), (0, -1) if len(shape) > 1 else (-1,), "--slice", "4K")
            self.assert_axes(np.asfortranarray(array), (len(shape) // 2,), devices=("cpu",))

    def test_axes_of_length_one(self):
        array = np.random.default_rng(2).standard_normal((1, 7, 1, 3))
        for axes in ((0,), (1,), (2,), (0, 2), (1, 3), (0, 1, 2, 3)):
            self.assert_axes(array, axes)

    def test_long_and_narrow(self):
        random = np.random.default_rng(3)
        for shape, axis in (((5000, 3), 0), ((3, 5000), 1), ((70000, 1), 0), ((2, 70001), 1), ((40, 2, 2050), 2),
                            ((300, 17, 5), 1), ((2, 3000, 9), 1)):
            self.assert_axes(random.standard_normal(shape), (axis,), devices=("cpu",))

    def test_ddof(self):
        array = np.random.default_rng(4).standard_normal((6, 5)) + 1e9
        for ddof in (1, 6):
            self.assert_axes(array, (0,), "--ddof", str(ddof), operations=("var", "std"), ddof=ddof)


class Numbers(AxisTest):
    def test_of_every_size(self):
        random = np.random.default_rng(5)
        with np.errstate(over="ignore"):
            huge = random.standard_normal((83, 40)) * 2.0 ** random.integers(-1060, 1000, (83, 40))
        tiny = random.integers(-5, 6, (83, 40)) * 5e-324
        cancelling = np.concatenate([huge, -huge[::-1], np.full((1, 40), 1e-300)])
        largest = np.full((3, 20), np.finfo("f8").max)
        largest[2] *= -1
        for array in (huge, tiny, cancelling, largest):
            for axis in (0, 1):
                self.assert_axes(array, (axis,))

    def test_of_every_type(self):
        random = np.random.default_rng(6)
        for code in ("f2", "f4", ">f8", ">f4"):
            array = random.standard_normal((19, 21)).astype(code)
            for axis in (0, 1):
                self.assert_axes(array, (axis,))
        for code in INTEGERS:
            limits = np.iinfo(code)
            array = random.integers(limits.min // 64, limits.max // 64, (19, 21), dtype=code, endpoint=True)
            array[3] = 0
            for order in "<>":
                for axis in (0, 1):
                    self.assert_axes(array.astype(array.dtype.newbyteorder(order)), (axis,))

    def test_types_of_results(self):
        for code, small, whole in (("i2", "i2", "i8"), ("u1", "u1", "u8"), ("f4", "f4", "f8"), ("f2", "f4", "f8")):
            self.save(np.ones((3, 4), dtype=code))
            got = self.reduce_axes("a.npy", (0,), ("sum", "max", "argmax", "any", "mean", "count_nonzero"))
            self.assertEqual({name: values.dtype.str[1:] for name, values in got.items()},
                             {"sum": whole, "max": small, "argmax": "i8", "any": "b1", "mean": "f8",
                              "count_nonzero": "i8"})

    def test_sums_that_do_not_fit(self):
        self.save(np.array([[1, 2**62], [1, 2**62]]))
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "o.npy"], 4, "sum at [1]",
                            "9223372036854775808", "i8")
        self.save(np.full((2, 3, 2), 2**63, dtype="u8"))
        self.assert_refused(["reduce", "a.npy", "--op", "max,sum", "--axis", "0", "--output", "o.h5"], 4,
                            "sum at [0, 0]", "u8")

    def test_signed_zeros(self):
        array = np.full((3, 5), -0.0)
        array[1, 2] = 0.0
        for axis in (0, 1):
            shape, rows = elements_of(array, (axis,))
            for device in ("reference", "cpu"):
                got = self.reduce_axes(self.save(array), (axis,), ("sum", "min", "max", "argmin"), "--device", device)
                for i, row in enumerate(rows):
                    negative = bool(np.signbit(row).all())
                    self.assertEqual(np.signbit(got["sum"][i]), negative)
                    self.assertEqual(np.signbit(got["max"][i]), negative)
                    self.assertTrue(np.signbit(got["min"][i]))
                    self.assertEqual(got["argmin"][i], 0)

    def test_nan_and_infinities(self):
        random = np.random.default_rng(7)
        array = random.standard_normal((60, 50))
        array[random.random(array.shape) < 0.05] = math.nan
        array[random.random(array.shape) < 0.005] = math.inf
        array[random.random(array.shape) < 0.005] = -math.inf
        array[:, 7] = math.nan
        array[9] = math.nan
        operations = ("sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "norm1", "norm2", "norminf",
                      "count_nonzero", "any", "all")
        for axis, nan in itertools.product((0, 1), ("propagate", "skip")):
            rows = elements_of(array, (axis,))[1]
            results = [self.reduce_axes(self.save(array), (axis,), operations, "--nan", nan, "--device", device)
                       for device in ("reference", "cpu")]
            for name in operations:
                self.assertEqual(results[0][name].tobytes(), results[1][name].tobytes(), (name, axis, nan))
            for i in (0, 1, 2, 7, 9):
                np.save(self.path("row.npy"), rows[i])
                _, whole = self.reduce("row.npy", operations, "--nan", nan)
                for name in operations:
                    self.assertTrue(same(results[1][name][i].item(), whole[name]), (name, axis, nan, i))

    def test_counts_of_what_is_not_finite(self):
        array = np.ones((40, 30))
        array[3, 4], array[5, 5], array[6, 5] = math.nan, math.inf, -math.inf
        for operation, axis in itertools.product(("sum", "max", "norm2"), ("0", "1")):
            self.assert_done("reduce", self.save(array), "--op", operation, "--axis", axis, "--output", "o.npy",
                             "--overwrite", "--quiet", "--report", "r.json")
            counted = self.read_report()["array"]
            self.assertEqual((counted["nans"], counted["positive_infinities"], counted["negative_infinities"]),
                             (1, 1, 1))


class Histograms(AxisTest):
    def test_the_bins_of_numpy(self):
        random = np.random.default_rng(8)
        for array in (random.standard_normal((50, 9)), random.integers(-3, 4, (50, 9)).astype("i2")):
            for axis, device in itertools.product((0, 1), ("reference", "cpu")):
                got = self.reduce_axes(self.save(array), (axis,), ("histogram=7,-1.5,2",), "--device", device)
                wanted = [np.histogram(row, 7, (-1.5, 2))[0].tolist() for row in elements_of(array, (axis,))[1]]
                self.assertEqual(got["histogram"].tolist(), wanted)

    def test_need_a_range(self):
        self.save(np.ones((3, 4)))
        self.assert_refused(["reduce", "a.npy", "--op", "histogram=4", "--axis", "0", "--output", "o.npy"], 2,
                            "--op histogram", "LO,HI")


if __name__ == "__main__":
    main()
