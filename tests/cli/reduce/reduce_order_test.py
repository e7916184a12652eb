"""tessera reduce: medians, quantiles, modes and the largest elements, against NumPy and by sorting."""

import math
import re

from program import main
from reduction import INTEGERS, ReduceTest, same

# Behind reduction, which skips the test where these are not.
import h5py
import numpy as np

import order_answers
from answers import Answers
from order_answers import METHODS

QUANTILES = (0.0, 0.01, 0.25, 1 / 3, 0.5, 0.77, 0.999, 1.0)
DEVICES = ("reference", "cpu")


class OrderTest(ReduceTest):
    def values(self, source, operations, *options):
        """By operation: a list."""
        self.assert_done("reduce", source, "--op", operations, "--quiet", "--report", "r.json", *options)
        return {result["op"]: [float.fromhex(value["hex"]) if value["hex"] not in (None, "nan", "inf", "-inf")
                               else float(value["decimal"]) if value["hex"] else int(value["decimal"])
                               for value in result["values"]] for result in self.read_report()["results"]}

    def assert_same(self, ours, wanted, what):
        self.assertEqual(len(ours), len(wanted), what)
        for mine, theirs in zip(ours, wanted):
            self.assertTrue(same(mine, theirs), f"{what}: {mine!r}, not {theirs!r}")

    def assert_order(self, array, *options, nan="propagate", k=7):
        """All operations that the array allows, on each device."""
        answers = Answers(np.asarray(array).reshape(1, -1), nan)
        wanted = {"median": answers.median(), "topk": answers.topk(k)[0], "argtopk": answers.argtopk(k)[0],
                  "quantile": answers.quantile(QUANTILES, "linear")[0]}
        if array.dtype.kind != "f":
            wanted |= {"mode": answers.mode(), "nunique": answers.nunique()}
        text = {"topk": f"topk={k}", "argtopk": f"argtopk={k}", "quantile": "quantile=" + ",".join(map(repr, QUANTILES))}
        operations = ",".join(["sum", *(text.get(name, name) for name in wanted), "max"])
        self.save(array)
        for device in DEVICES:
            got = self.values("a.npy", operations, "--device", device, "--nan", nan, *options)
            for name, values in wanted.items():
                self.assert_same(got[name], values, f"{name} on {device} of {array.dtype}")


class Quantiles(OrderTest):
    def test_every_method_of_numpy(self):
        random = np.random.default_rng(1)
        for n in (1, 2, 3, 10, 101, 4096):
            array = random.standard_normal(n)
            self.save(array)
            for method in METHODS:
                with self.subTest(n=n, method=method):
                    got = self.values("a.npy", "quantile=" + ",".join(map(repr, QUANTILES)), "--quantile-method", method)
                    ordered = sorted(array.tolist())
                    self.assert_same(got["quantile"], [order_answers.quantile(ordered, method, q) for q in QUANTILES], method)
                    if method == "closest_observation":
                        continue  # NumPy before 2.1 took the odd one halfway
                    self.assertEqual(got["quantile"], np.quantile(array, QUANTILES, method=method).tolist())

    def test_the_median_of_numpy(self):
        random = np.random.default_rng(2)
        for n in (1, 2, 7, 1000):
            array = random.standard_normal(n)
            self.assertEqual(self.values(self.save(array), "median")["median"], [float(np.median(array))])
        self.assertEqual(self.values(self.save(np.array([1.5, 1.25]) * 2.0**1023), "median,quantile=0.5"),
                         {"median": [1.375 * 2.0**1023], "quantile": [1.375 * 2.0**1023]})
        self.assertEqual(self.values(self.save(np.array([-1.7e308, 1.7e308])), "median,quantile=0.25"),
                         {"median": [0.0], "quantile": [-0.5 * 1.7e308]})

    def test_every_type(self):
        random = np.random.default_rng(3)
        for code in INTEGERS:
            limits = np.iinfo(code)
            self.assert_order(random.integers(limits.min, limits.max, 3001, dtype=code, endpoint=True))
            self.assert_order(random.integers(0, 5, 999).astype(code))
        for code in ("f2", "f4", "f8"):
            self.assert_order(random.standard_normal(3001).astype(code))
            self.assert_order(np.round(random.standard_normal(3001)).astype(code))

    def test_integers_beyond_the_digits_of_an_f64(self):
        array = np.array([2**63 - 1, 2**63 - 3, 5, -2**63], "i8")
        self.assert_order(array, k=3)
        got = self.values(self.save(array), "quantile=0,0.75,1,median", "--quantile-method", "higher")
        self.assertEqual(got["quantile"], [-2**63, 2**63 - 1, 2**63 - 1])

    def test_nan_and_infinities_and_zeros(self):
        nan, inf = math.nan, math.inf
        for numbers in ([nan], [inf, -inf], [inf] * 3, [-inf, 1.0, nan], [0.0, -0.0, 0.0, -0.0, nan, -nan], [nan, nan, 2, inf],
                        [-inf, -inf, 5, inf, inf]):
            for code in ("f8", "f4", "f2"):
                for policy in ("propagate", "skip"):
                    with np.errstate(invalid="ignore"):
                        self.assert_order(np.array(numbers, code), nan=policy, k=3)

    def test_no_elements(self):
        got = self.values(self.save(np.zeros(0)), "median,quantile=0.1,0.9,topk=3,argtopk=2")
        self.assertTrue(all(math.isnan(x) for x in got["median"] + got["quantile"]))
        self.assertEqual((len(got["quantile"]), got["topk"], got["argtopk"]), (2, [], []))
        self.assertEqual(self.values(self.save(np.zeros(0, "i4")), "nunique")["nunique"], [0])
        self.assert_refused(["reduce", "a.npy", "--op", "mode"], 2, "mode", "empty")

    def test_numbers_continue_the_list(self):
        self.save(np.arange(11.0))
        got = self.values("a.npy", "quantile=0.1,0.5,.9,mean,topk=2,max,histogram=2,0,10,median")
        self.assertEqual(got, {"quantile": [1.0, 5.0, 9.0], "mean": [5.0], "topk": [10.0, 9.0], "max": [10.0],
                               "histogram": [5, 6], "median": [5.0]})


class Passes(OrderTest):
    """More elements than a sample has, in memory for few of them."""

    SMALL = ("--slice", "64K", "--memory", "96M", "--threads", "1")

    def arrays(self):
        random = np.random.default_rng(5)
        n = 200_003
        yield random.standard_normal(n)
        yield np.sort(random.standard_normal(n)).astype("f4")
        yield np.full(n, 0.1)
        yield np.where(random.random(n) < 0.4, 0.0, random.standard_normal(n))
        yield np.where(random.random(n) < 0.001, np.nan, random.standard_normal(n)).astype("f4")
        yield np.ldexp(random.standard_normal(n), random.integers(-1000, 1000, n))
        yield 1 + random.random(n) * 2.0**-40
        yield np.concatenate([np.full(n // 2, -np.inf), np.full(n // 2, np.inf)])
        yield random.integers(-2**63, 2**63 - 1, n, dtype="i8")
        yield (random.integers(0, 1000, n) ** 2).astype("i4")
        yield random.integers(0, 2**32, n, dtype="u4")
        yield np.tile(np.arange(64), n // 64 + 1)[:n].astype("u8")

    def test_any_data_in_any_memory(self):
        for array in self.arrays():
            for nan in ("propagate", "skip") if array.dtype.kind == "f" else ("propagate",):
                with self.subTest(first=array[:3], nan=nan):
                    self.assert_order(array, nan=nan)
                    self.assert_order(array, *self.SMALL, nan=nan)

    def test_around_the_size_of_a_sample(self):
        array = np.random.default_rng(9).standard_normal(65_537)
        for n in (65_535, 65_536, 65_537):
            self.assert_order(array[:n])

    def test_random_numbers_are_read_once_in_memory_and_told_so(self):
        self.save(np.random.default_rng(6).standard_normal(200_003).astype("f4"))
        done = self.run_program("reduce", "a.npy", "--op", "median,quantile=0.01,0.99", "--report", "r.json")
        self.assertIn("reduce: the array, 781 KiB, is read once (up to ", done.stderr)
        self.assertEqual(self.read_report()["total"]["elements"], 200_003)

    def test_with_other_operations_and_several_files(self):
        random = np.random.default_rng(7)
        parts = [random.standard_normal((n, 300)) for n in (200, 1, 100)]
        for i, part in enumerate(parts):
            self.save(part, f"p{i}.npy")
        array = np.concatenate(parts)
        for device in DEVICES:
            got = self.values("p*.npy", "histogram=4,median,min,argtopk=3", "--device", device, "--slice", "64K")
            self.assertEqual(got["median"], [float(np.median(array))])
            self.assertEqual(got["histogram"], np.histogram(array, 4)[0].tolist())
            self.assertEqual(got["argtopk"], np.argsort(array.ravel())[::-1][:3].tolist())

    def test_layouts(self):
        array = np.random.default_rng(8).standard_normal((300, 17, 51))
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("flat", data=array)
            file.create_dataset("chunks", data=array, chunks=(30, 17, 10), shuffle=True, compression=1)
        self.save(np.asfortranarray(array))
        wanted = {"median": [float(np.median(array))], "quantile": np.quantile(array, [0.1, 0.9]).tolist(),
                  "argtopk": np.argsort(array.ravel())[::-1][:2].tolist()}
        for source in ("a.npy", "a.h5:/flat", "a.h5:/chunks"):
            for device in DEVICES:
                self.assertEqual(self.values(source, "median,quantile=0.1,0.9,argtopk=2", "--device", device), wanted, source)

    def test_generated_arrays(self):
        source = "random:normal?count=300001&seed=3"
        one, other = (self.values(source, "median,quantile=0.3,topk=4", "--device", device) for device in DEVICES)
        self.assertEqual(one, other)
        self.assertLess(abs(one["median"][0]), 0.01)


class AlongAxes(OrderTest):
    def along(self, source, axes, operations, *options):
        self.assert_done("reduce", source, "--op", operations, "--axis", axes, "--output", "o.h5", "--overwrite", "--quiet",
                         *options)
        with h5py.File(self.path("o.h5")) as file:
            return {name: file[name][()] for name in file}

    def test_the_medians_and_quantiles_of_numpy(self):
        array = np.random.default_rng(11).standard_normal((13, 40, 31))
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("x", data=array, chunks=(5, 7, 31), compression=1)
        self.save(array, "c.npy")
        self.save(np.asfortranarray(array), "f.npy")
        for axes in ((0,), (1,), (2,), (0, 2), (0, 1, 2)):
            for source in ("c.npy", "f.npy", "a.h5:/x"):
                for device in DEVICES:
                    got = self.along(source, ",".join(map(str, axes)), "median,mean,quantile=0.1,0.9", "--device", device)
                    np.testing.assert_array_equal(got["median"], np.median(array, axes))
                    quantiles = np.moveaxis(np.quantile(array, [0.1, 0.9], axes), 0, -1)
                    np.testing.assert_array_equal(got["quantile"], quantiles)

    def test_modes_and_the_largest(self):
        array = np.random.default_rng(12).integers(-9, 9, (50, 8)).astype("i2")
        got = self.along(self.save(array), "0", "mode,nunique,topk=3,argtopk=2")
        for column in range(8):
            values, counts = np.unique(array[:, column], return_counts=True)
            self.assertEqual(got["mode"][column], values[counts.argmax()])
            self.assertEqual(got["nunique"][column], len(values))
            order = np.lexsort((np.arange(50), -array[:, column]))
            self.assertEqual(got["topk"][column].tolist(), array[order[:3], column].tolist())
            self.assertEqual(got["argtopk"][column].tolist(), order[:2].tolist())
        self.assertEqual(got["mode"].dtype, np.dtype("i2"))

    def test_nan(self):
        array = np.array([[1.0, np.nan, 3.0], [np.nan, np.nan, 5.0]])
        got = self.along(self.save(array), "1", "median,topk=2,argtopk=2", "--nan", "skip")
        np.testing.assert_array_equal(got["median"], [2.0, 5.0])
        np.testing.assert_array_equal(got["topk"], [[3.0, 1.0], [5.0, np.nan]])
        np.testing.assert_array_equal(got["argtopk"], [[2, 0], [2, -1]])
        np.testing.assert_array_equal(self.along("a.npy", "1", "median")["median"], [np.nan, np.nan])

    def test_what_an_output_does_not_have(self):
        self.save(np.zeros((4, 3)))
        self.assert_refused(["reduce", "a.npy", "--op", "topk=4", "--axis", "1", "--output", "o.npy"], 2, "topk=4", "3 elements")
        self.assert_refused(["reduce", "a.npy", "--op", "mode", "--axis", "1", "--output", "o.npy"], 2, "integers")


class Refusals(OrderTest):
    def test_the_memory_that_is_asked_for_is_enough(self):
        self.save(np.arange(2e6))
        for more in ((), ("--weights", "a.npy"), ("--slice", "64K")):
            command = ("reduce", "a.npy", "--op", "quantile=0.1", "--device", "cpu", "--threads", "2", "--quiet", *more)
            refused = self.run_program(*command, "--memory", "16M")
            self.assertEqual(refused.returncode, 2, refused.stderr)
            needed = re.search(r"needs ([0-9.]+) MiB", refused.stderr)[1]
            self.assert_done(*command, "--memory", needed + "M")

    def test_auto_takes_the_cores(self):
        self.assertEqual(len(self.values("random:uniform?count=1000", "median", "--device", "auto")["median"]), 1)
        self.assertEqual(self.read_report()["ranks"][0]["device"], "cpu")

    def test_wrong_values(self):
        self.save(np.arange(9.0))
        for operations, words in {"quantile": ("quantile=Q",), "quantile=": ("''", "decimal"), "quantile=1.5": ("1.5", "0..1"),
                                  "quantile=-0.1": ("-0.1",), "quantile=x": ("x",), "median=3": ("median", "no value"),
                                  "topk=0": ("0",), "topk=65537": ("65537",), "topk=1,2": ("topk=K",), "argtopk": ("argtopk=K",),
                                  "median,median": ("twice",), "percentile": ("quantile=Q",),
                                  "iqr": ("quantile=0.25,0.75",), "mode": ("mode", "integers", "f8"),
                                  "nunique": ("nunique", "integers")}.items():
            self.assert_refused(["reduce", "a.npy", "--op", operations], 2, *words)
        self.assert_refused(["reduce", "a.npy", "--op", "quantile=0.5", "--quantile-method", "lineal"], 2, "lineal", "linear")


if __name__ == "__main__":
    main()
