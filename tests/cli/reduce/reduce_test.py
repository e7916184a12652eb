"""tessera reduce: its numbers against fractions and NumPy, bit for bit, and the memory that it takes."""

import math

from program import main
from reduction import INTEGERS, ReduceTest, expected

# Behind reduction, which skips the test where these are not.
import h5py
import numpy as np


class Floats(ReduceTest):
    def test_ordinary_numbers(self):
        random = np.random.default_rng(1)
        self.assert_right(random.standard_normal(4999))
        self.assert_right(random.standard_normal(4999).astype("f4"))
        self.assert_right(random.standard_normal(4999).astype("f2"))

    def test_numbers_of_every_size(self):
        random = np.random.default_rng(2)
        with np.errstate(over="ignore"):
            huge = random.standard_normal(3001) * 2.0 ** random.integers(-1060, 1000, 3001)
        self.assert_right(huge)
        self.assert_right(np.concatenate([huge, -huge[::-1], [1e-300]]))
        self.assert_right(random.integers(-5, 6, 503) * 5e-324)
        self.assert_right(np.array([1e308, 1e308, -1e308, -1e308, 1e-308]))

    def test_a_sum_too_large_is_infinite_only_if_the_real_one_is(self):
        largest = np.finfo("f8").max
        self.assert_right(np.array([largest, largest, -largest]))
        self.assert_answers(self.save(np.array([largest, largest])), {"sum": math.inf, "mean": largest,
                                                                      "var": 0.0, "norm2": math.inf})

    def test_half_precision_to_the_last_subnormal(self):
        self.assert_right(np.arange(0x7c00, dtype="u2").view("f2"))

    def test_one_element(self):
        self.assert_right(np.array([0.1]))
        self.assert_right(np.array(-3.5))
        self.assert_answers(self.save(np.array([7.0])), {"var": math.nan, "std": math.nan}, "--ddof", "1")

    def test_degrees_of_freedom(self):
        array = np.random.default_rng(3).standard_normal(97) + 1e9
        for ddof in (1, 2, 50):
            self.assert_right(array, "--ddof", str(ddof), ddof=ddof)

    def test_signed_zeros(self):
        wanted = {"sum": -0.0, "min": -0.0, "max": -0.0, "argmin": 0, "norm1": 0.0, "norm2": 0.0, "any": False}
        self.assert_answers(self.save(np.full(5, -0.0)), wanted)
        for zeros in ([0.0, -0.0], [-0.0, 0.0], [0.0] * 40 + [-0.0] + [0.0] * 40):
            for device in ("reference", "cpu"):
                self.assert_answers(self.save(np.array(zeros)), {"sum": 0.0, "min": -0.0, "max": 0.0, "argmin": 0,
                                                                 "argmax": 0, "norminf": 0.0}, "--device", device)

    def test_nan_and_infinities_in_every_combination(self):
        random = np.random.default_rng(4)
        inf, nan = math.inf, math.nan
        for specials in ([nan], [inf], [-inf], [inf, -inf], [nan, inf], [nan, -inf], [nan, inf, -inf], [nan] * 3):
            array = random.standard_normal(64)
            places = sorted(random.choice(64, len(specials), replace=False))
            array[places] = specials
            for device in ("reference", "cpu"):
                with self.subTest(specials=specials, device=device):
                    self.check_specials(array, device)

    def check_specials(self, array, device):
        with np.errstate(invalid="ignore"):
            propagated = {"sum": float(array.sum()) if not np.isfinite(array.sum()) else None,
                          "min": float(array.min()), "max": float(array.max()), "argmin": int(array.argmin()),
                          "argmax": int(array.argmax()), "norm1": float(np.abs(array).sum()),
                          "norm2": float(np.sqrt((array * array).sum())), "norminf": float(np.abs(array).max()),
                          "count_nonzero": 64, "any": True, "all": True}
            if not np.isfinite(array).all():
                propagated["prod"] = float(array.prod())
        self.assert_answers(self.save(array), propagated, "--device", device)
        kept = array[~np.isnan(array)]
        positions = np.flatnonzero(~np.isnan(array))
        skipped = {"min": float(kept.min()), "max": float(kept.max()), "argmin": int(positions[kept.argmin()]),
                   "argmax": int(positions[kept.argmax()]), "count_nonzero": len(kept)}
        if np.isfinite(kept).all():
            skipped |= {name: expected(kept)[name] for name in ("sum", "prod", "mean", "var", "std", "norm1", "norm2")}
        self.assert_answers("a.npy", skipped, "--device", device, "--nan", "skip")
        report, _ = self.reduce("a.npy", ("sum",), "--device", device)
        counted = report["array"]
        self.assertEqual((counted["nans"], counted["positive_infinities"], counted["negative_infinities"]),
                         (np.isnan(array).sum(), np.isposinf(array).sum(), np.isneginf(array).sum()))

    def test_products_that_would_overflow_on_the_way(self):
        random = np.random.default_rng(19)
        huge = 2.0 ** random.integers(-1060, 1000, 2000) * random.uniform(1, 2, 2000)
        logarithm = np.log2(huge).sum()
        huge = np.append(huge, np.full(abs(int(logarithm)) // 900, 2.0 ** (-900 if logarithm > 0 else 900)))
        for array in (huge, random.uniform(0.99, 1.01, 20011), 2 ** random.uniform(-1, 1, 9999).astype("f4")):
            product = expected(array)["prod"]
            self.assertTrue(0 < product < math.inf)
            for device in ("reference", "cpu"):
                self.assert_answers(self.save(array), {"prod": product}, "--device", device, "--slice", "4K")
        self.assert_answers(self.save(np.arange(1, 31)), {"prod": float(math.factorial(30))})

    def test_nothing_but_nan_skipped(self):
        self.assert_answers(self.save(np.full(9, np.nan)),
                            {"sum": 0.0, "prod": 1.0, "mean": math.nan, "min": math.nan, "argmin": -1, "norminf": 0.0,
                             "count_nonzero": 0, "any": False, "all": True}, "--nan", "skip")

    def test_no_elements(self):
        self.save(np.zeros((4, 0)))
        self.assert_answers("a.npy", {"sum": 0.0, "prod": 1.0, "mean": math.nan, "var": math.nan, "norm2": 0.0, "norminf": 0.0,
                                      "count_nonzero": 0, "any": False, "all": True})
        for name in ("min", "max", "argmin", "argmax", "minmax"):
            self.assert_refused(["reduce", "a.npy", "--op", name], 2, name, "empty")


class Histograms(ReduceTest):
    def assert_histogram(self, array, bins, given=None, *options):
        counts, edges = np.histogram(array[~np.isnan(array)].astype("f8"), bins, given)
        text = f"histogram={bins}" + (f",{given[0]!r},{given[1]!r}" if given else "")
        for device in ("reference", "cpu"):
            report, _ = self.reduce(self.save(array), ("mean", text, "max"), "--device", device, "--slice", "4K",
                                    *options)
            self.assertEqual([result["op"] for result in report["results"]], ["mean", "histogram", "max"])
            ours = report["results"][1]
            self.assertEqual([int(value["decimal"]) for value in ours["values"]], counts.tolist())
            self.assertEqual([float.fromhex(edge["hex"]) for edge in ours["edges"]], edges.tolist())

    def test_the_bins_of_numpy(self):
        random = np.random.default_rng(31)
        for array in (random.standard_normal(5003), random.integers(-50, 50, 4001).astype("i2"),
                      random.integers(0, 255, (50, 40), dtype="u1"), random.standard_normal(999).astype("f4"),
                      np.full(7, 2.5), np.arange(11) / 10):
            for bins in (1, 7, 10, 64):
                self.assert_histogram(array, bins)
        self.assert_histogram(random.standard_normal(5003), 20, (-0.5, 1.25))
        self.assert_histogram(np.repeat(np.linspace(0.1, 0.7, 7), 3), 6, (0.1, 0.7))

    def test_the_edges_of_numpy_where_a_width_is_hardly_a_number(self):
        unit = 5e-324
        for low, high in ((0.0, 3 * unit), (-2 * unit, 3 * unit), (1e-320, 1.1e-320), (-1e-310, 1e-310)):
            array = np.array([low, high, (low + high) / 2, 0.0])
            for bins in (1, 2, 7, 40, 10000):
                report, _ = self.reduce(self.save(array), (f"histogram={bins},{low!r},{high!r}",))
                edges = [float.fromhex(edge["hex"]) for edge in report["results"][0]["edges"]]
                self.assertEqual(edges, np.linspace(low, high, bins + 1).tolist(), (low, high, bins))

    def test_nan_is_in_no_bin(self):
        array = np.array([math.nan, 1.0, 2.0, math.nan, 4.0])
        self.assert_histogram(array, 3)
        self.assert_histogram(array, 3, None, "--nan", "skip")
        self.assert_histogram(np.array([math.nan]), 2, (0, 1))
        self.assert_histogram(np.array([-math.inf, 0.5, math.inf]), 2, (0, 1))

    def test_with_ranks_and_in_the_table(self):
        self.save(np.arange(100000) % 10)
        table = self.assert_done("reduce", "a.npy", "--op", "histogram=2,sum", "--slice", "4K", ranks=2)
        self.assertIn("\nhistogram\n         50000 from 0 to 4.5\n         50000 from 4.5 to 9\nsum            450000\n",
                      table)

    def test_ranges_that_are_none(self):
        self.save(np.array([0.0, math.inf]))
        self.assert_refused(["reduce", "a.npy", "--op", "histogram=4"], 2, "--op histogram", "inf", "LO,HI")
        for text, word in (("histogram", "BINS"), ("histogram=", "''"), ("histogram=0", "'0'"), ("histogram=4,1", "LO,HI"),
                           ("histogram=4,2,1", "width"), ("histogram=4,1,1", "width"), ("histogram=4,a,b", "'a'"),
                           ("histogram=4,-1e308,1e308", "width"), ("histogram=65537", "65536"), ("sum=3", "no value"),
                           ("histogram=4,histogram=5", "twice"), ("histogram=4,0,1,sun", "'sun'")):
            with self.subTest(text=text):
                self.assert_refused(["reduce", "a.npy", "--op", text], 2, "--op", word)


class Integers(ReduceTest):
    def test_every_type_over_its_whole_range(self):
        random = np.random.default_rng(5)
        for code in INTEGERS:
            limits = np.iinfo(code)
            array = random.integers(limits.min, limits.max, 5003, dtype=code, endpoint=True)
            array[[7, 4100]] = limits.min, limits.max
            with self.subTest(code=code):
                self.assert_right(array)
                self.assert_right(array.astype(array.dtype.newbyteorder(">")))

    def test_sums_beyond_64_bits(self):
        for code in ("i8", "u8"):
            for value in (np.iinfo(code).min, np.iinfo(code).max):
                self.assert_right(np.full(5000, value, dtype=code))

    def test_zeros(self):
        self.assert_right(np.zeros(77, dtype="i4"))


class Memory(ReduceTest):
    def test_does_not_grow_with_the_array(self):
        report, values = self.reduce("random:uniform?count=268435459&dtype=u1", ("max", "count_nonzero"), "--memory",
                                     "70M", "--threads", "2", "--device", "cpu")
        self.assertEqual(values["max"], 255)
        self.assertEqual(report["array"]["elements"], 268435459)
        self.assertLess(report["total"]["peak_memory_bytes"], 70 << 20)

    def test_leaves_out_threads_that_do_not_fit(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("x", data=np.ones((4, 1 << 20)), chunks=(1, 1 << 20), compression=1)
        report, _ = self.reduce("a.h5:/x", ("sum",), "--memory", "100M", "--threads", "9")
        self.assertEqual(report["total"]["workers"], 1)
        self.assert_refused(["reduce", "a.h5:/x", "--op", "sum", "--memory", "80M"], 2, "--memory", "needs 88.0 MiB")


if __name__ == "__main__":
    main()
