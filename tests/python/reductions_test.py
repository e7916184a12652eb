"""Statistics beside those of NumPy and math.fsum."""

import pickle
import random
import unittest
from fractions import Fraction
from functools import reduce
from math import fsum, inf, nan
from operator import or_

import numpy as np

import tessera as ts

RANDOM = np.random.default_rng(3)
SIZES = (1000, 300_000)  # on the calling thread, and shared


class Statistics(unittest.TestCase):
    def test_of_one_array(self):
        for size in SIZES:
            x = RANDOM.normal(size=size) * 10.0 ** RANDOM.integers(-8, 8, size=size)
            self.assertEqual(ts.sum(x), fsum(x))
            self.assertEqual(ts.mean(x), float(sum(map(Fraction, x)) / size))
            self.assertEqual((ts.min(x), ts.max(x)), (x.min(), x.max()))
            self.assertEqual((ts.argmin(x), ts.argmax(x)), (x.argmin(), x.argmax()))
            self.assertEqual(ts.median(x), np.median(x))
            self.assertAlmostEqual(ts.std(x) / np.std(x), 1, 13)
            self.assertAlmostEqual(ts.var(x, ddof=1) / np.var(x, ddof=1), 1, 13)
            self.assertEqual(ts.var(x, correction=1), ts.var(x, ddof=1))
            self.assertEqual(ts.norm(x, 1), fsum(abs(x)))
            self.assertEqual(ts.norm(x, inf), abs(x).max())
            self.assertAlmostEqual(ts.norm(x) / np.linalg.norm(x), 1, 13)
            self.assertIs(ts.any(x), True)
            self.assertIs(ts.all(x), True)
            self.assertEqual(ts.count_nonzero(x), size)

    def test_integers_do_not_overflow(self):
        x = np.full(300_000, 2**63 - 1)
        self.assertEqual(ts.sum(x), 300_000 * (2**63 - 1))
        self.assertEqual(ts.dot(x[:10], x[:10]), 10 * (2**63 - 1) ** 2)
        self.assertEqual(ts.prod([2] * 10), 1024)

    def test_nan(self):
        x = np.array([1.0, nan, 3.0])
        self.assertTrue(np.isnan(ts.sum(x)))
        self.assertEqual(ts.argmin(x), 1)
        self.assertEqual(ts.sum(x, skipna=True), 4.0)
        self.assertEqual(ts.median(x, skipna=True), 2.0)
        self.assertEqual(ts.reduce(x, "sum").counts.nans, 1)

    def test_quantiles(self):
        x = RANDOM.normal(size=5000)
        q = [0, 0.1, 0.25, 0.5, 1]
        np.testing.assert_array_equal(ts.quantile(x, q), np.quantile(x, q))
        self.assertEqual(ts.quantile(x, 0.3, method="nearest"), np.quantile(x, 0.3, method="nearest"))
        self.assertEqual(ts.quantile(x, [[0.5]]).shape, (1, 1))
        for bad in (-0.1, 2, []):
            with self.assertRaises(ts.UsageError):
                ts.quantile(x, bad)
        big = np.array([2**63 + 1, 1, 5], "u8")
        for q in ([0, 1], [[0.5], [1]]):
            got = ts.quantile(big, q, method="lower")
            self.assertEqual((got.dtype, got.tolist()), ("u8", np.quantile(big, q, method="lower").tolist()))

    def test_the_types_of_what_is_not_there(self):
        for dtype in ("u8", "i2", "f4"):
            values, places = ts.topk(np.array([], dtype), 2)
            self.assertEqual((values.dtype, places.dtype, values.size, places.size), (dtype, np.intp, 0, 0))
            both = ts.reduce(np.array([], dtype), "topk=2,argtopk=2")
            self.assertEqual((both["topk"].dtype, both["argtopk"].dtype), (dtype, np.intp))

    def test_numbers_that_are_whole(self):
        x = np.arange(6.0).reshape(2, 3)
        for ddof in (1, 1.0, np.int8(1), np.float32(1)):
            self.assertEqual(ts.var(x, ddof=ddof), 3.5)
            self.assertEqual(ts.reduce(x, "var", ddof=ddof)["var"], 3.5)
            self.assertEqual(ts.partial(x, "var", ddof=ddof).results()["var"], 3.5)
        for ddof in (nan, inf, 0.5, "1", None, [1]):
            for call in (lambda: ts.var(x, ddof=ddof), lambda: ts.reduce(x, "std", ddof=ddof)):
                with self.assertRaisesRegex(ts.UsageError, "ddof: .* is no integer", msg=repr(ddof)):
                    call()
        self.assertEqual(ts.topk(x, np.int16(1))[0], [5.0])
        for call in (lambda: ts.topk(x, 2.9), lambda: ts.topk(x, 2.0), lambda: ts.partial(x, "sum", first=1.7),
                     lambda: ts.sum(x, threads=1.5), lambda: ts.open("x.raw", dtype="f4", shape=(2.5,)),
                     lambda: ts.open("x.raw", dtype="f4", shape=2, offset=0.5),
                     lambda: ts.map("x", x=x, out="x.h5", compress=1.5), lambda: ts.map("x", x=x, out="x.h5", chunks=(2.5, 1))):
            with self.assertRaisesRegex(ts.UsageError, "is no integer"):
                call()

    def test_axes_of_any_kind(self):
        x = np.arange(6.0).reshape(2, 3)
        for axis in (np.array([0, 1]), [0, 1], (0, -1), {0, 1}, range(2), np.array([0, 1], "u1")):
            self.assertEqual(ts.sum(x, axis=axis), 15.0)
        np.testing.assert_array_equal(ts.sum(x, axis=np.array(0)), [3, 5, 7])
        for axis in (1.0, np.array([0.0]), [], np.array([], int), [[0, 1]], "", np.array([0, 0])):
            with self.assertRaisesRegex(ts.UsageError, "axis", msg=repr(axis)):
                ts.sum(x, axis=axis)

    def test_arguments_that_a_function_does_not_have(self):
        x = np.arange(6.0).reshape(2, 3)
        functions = [getattr(ts, name) for name in ("sum prod mean min max argmin argmax any all count_nonzero median std var "
                                                    "norm topk histogram quantile dot reduce partial").split()]
        second = {ts.topk: 1, ts.quantile: 0.5, ts.dot: x, ts.reduce: "sum", ts.partial: "sum"}
        for function in functions:
            arguments = [x, second[function]] if function in second else [x]
            for name in ("dtype", "where", "initial", "density"):
                with self.assertRaisesRegex(TypeError, f"^{function.__name__}: takes no {name}$"):
                    function(*arguments, **{name: 1})
        with self.assertRaisesRegex(TypeError, "^norm: takes no where$"):
            ts.norm(x, axis=0, where=1)
        np.testing.assert_array_equal(ts.norm(x, 1, axis=0), abs(x).sum(axis=0))

    def test_what_is_neither_a_method_nor_a_range(self):
        with self.assertRaisesRegex(ts.UsageError, "no method '3'"):
            ts.quantile([1.0], 0.5, method=3)
        for range in ((0,), ("a", 1), 3):
            with self.assertRaisesRegex(ts.UsageError, "range"):
                ts.histogram([1.0], 3, range)

    def test_histograms(self):
        x = RANDOM.normal(size=200_000)
        for how in ({}, {"bins": 33}, {"bins": 7, "range": (-1, 1)}):
            counts, edges = ts.histogram(x, **how)
            expected, expected_edges = np.histogram(x, **how)
            np.testing.assert_array_equal(counts, expected)
            np.testing.assert_allclose(edges, expected_edges, rtol=1e-15, atol=1e-15)
        with self.assertRaisesRegex(ts.UsageError, "equal width"):
            ts.histogram(x, [0, 1, 5])

    def test_largest(self):
        x = RANDOM.permutation(5000)
        values, indices = ts.topk(x, 3)
        self.assertEqual(values.tolist(), [4999, 4998, 4997])
        self.assertEqual(x[indices].tolist(), values.tolist())

    def test_several_in_one_call(self):
        x = RANDOM.normal(size=1000)
        got = ts.reduce(x, ["mean", "minmax", "quantile=0.5,0.9"])
        self.assertEqual(list(got), ["mean", "minmax", "quantile"])
        np.testing.assert_array_equal(got["minmax"], [x.min(), x.max()])
        self.assertEqual(len(got["quantile"]), 2)
        with self.assertRaises(KeyError):
            got["median"]
        for bad in ("sun", "mean,mean", "", 3, "dot"):
            with self.assertRaises(ts.UsageError, msg=str(bad)):
                ts.reduce(x, bad)
        with self.assertRaises(ts.UsageError):
            ts.dot(x, x[1:])
        with self.assertRaises(ts.UsageError):
            ts.norm(x, 3)


class Partials(unittest.TestCase):
    OPS = "sum,mean,std,min,argmin,argmax,norm2,prod,kurtosis"

    def test_merge_in_any_order_to_the_bits_of_the_whole(self):
        x = RANDOM.normal(size=400_000) * 10.0 ** RANDOM.integers(-99, 99, size=400_000)
        whole = dict(ts.reduce(x, self.OPS))
        cuts = sorted(random.Random(2).sample(range(1, x.size), 12))
        parts = [ts.partial(x[a:b], self.OPS, first=a) for a, b in zip([0, *cuts], [*cuts, x.size], strict=True)]
        random.Random(3).shuffle(parts)
        parts = [pickle.loads(pickle.dumps(part)) for part in parts]
        self.assertEqual(dict(reduce(or_, parts).results()), whole)
        self.assertLess(len(pickle.dumps(parts[0])), 4000)

    def test_names_of_dimensions_decide(self):
        class Named(np.ndarray):  # as xarray's arrays
            pass

        def named(values, *dims, dtype="f8"):
            array = np.asarray(values, dtype=dtype).view(Named)
            array.dims = dims
            return array
        x = named([[1, 2], [3, 5]], "time", "lat")
        self.assertEqual(ts.reduce(x, "mean", weights=named([1, 3], "time"))["mean"], (3 + 24) / 8)
        self.assertEqual(ts.reduce(x, "mean", weights=named([1, 3], "lat"))["mean"], (7 + 18) / 8)
        self.assertEqual(ts.reduce(x, "dot", y=named([[1, 2], [3, 4]], "lat", "time"))["dot"], 1 + 6 + 6 + 20)
        self.assertEqual(dict(ts.reduce(x, "sum", by=named([0, 1], "time", dtype="i4")))["sum"].tolist(), [3, 8])
        with self.assertRaisesRegex(ts.UsageError, "level"):
            ts.reduce(x, "mean", weights=named([1, 3], "level"))
        with self.assertRaises(ts.UsageError):
            ts.reduce(x, "mean", weights=named([1, 3, 4], "time"))

    def test_whole_numbers_of_a_list_stay_whole(self):
        self.assertEqual(ts.sum([2**63, 1]), 2**63 + 1)
        self.assertEqual(ts.max([[2**63, 1], [2**64 - 1, 0]]), 2**64 - 1)
        self.assertEqual(ts.sum([2.0**63, 1]), 2.0**63)
        self.assertEqual(ts.sum([np.uint64(2**60 + 1), np.int64(-5)]), 2**60 - 4)
        with self.assertRaisesRegex(ts.UsageError, "64 bits"):
            ts.sum([2**63, -1])

    def test_whole_numbers_of_results_stay_whole(self):
        x = np.array([2**63 + 1, 5, 2**63 + 3], "u8")
        self.assertEqual(ts.topk(x, 3)[0].tolist(), [2**63 + 3, 2**63 + 1, 5])
        got = ts.reduce(x, "minmax,topk=3")
        self.assertEqual(got["minmax"].tolist(), [5, 2**63 + 3])
        self.assertEqual(got["topk"].tolist(), [2**63 + 3, 2**63 + 1, 5])

    def test_lists_of_lists_are_a_key_of_their_shape(self):
        x = [[1, 2], [3, 4]]
        for by in ([[1, 1], [2, 2]], np.array([[1, 1], [2, 2]]), ((1, 1), (2, 2))):
            got = ts.reduce(x, "sum", by=by)
            self.assertEqual((got["key0"].tolist(), got["sum"].tolist()), ([1, 2], [3, 7]))
        two = ts.reduce([1, 2], "sum", by=[[1, 1], [2, 3]])
        self.assertEqual((two["key0"].tolist(), two["key1"].tolist()), ([1, 1], [2, 3]))

    def test_arguments_that_would_do_nothing_are_refused(self):
        x = np.arange(6.0).reshape(2, 3)
        for how, what in (({"bins": (0, 5, 2)}, "bins"), ({"groups": 3}, "groups"), ({"axis": 0, "append": True}, "append"),
                          ({"by": x.astype(int), "keepdims": True}, "keepdims"),
                          ({"axis": 0, "keepdims": True, "out": "kd.npy"}, "keepdims")):
            with self.assertRaisesRegex(ts.UsageError, what, msg=str(how)):
                ts.reduce(x, "mean", **how)

    def test_a_part_without_elements(self):
        for ops in ("min,skewness", "sum,max", "min,std"):
            whole = (ts.partial(np.zeros(0), ops) | ts.partial([3.0, 1.0, 7.0], ops)).results()
            self.assertEqual(dict(whole), dict(ts.reduce([3.0, 1.0, 7.0], ops)))
        with self.assertRaisesRegex(ts.UsageError, "empty"):
            ts.partial(np.zeros(0), "min,skewness").results()

    def test_parts_of_two_arrays(self):
        x, y = np.random.default_rng(8).normal(size=(2, 1000))
        parts = [ts.partial(x[a:b], "dot", y=y[a:b]) for a, b in ((0, 7), (7, x.size))]
        whole = parts[1] | pickle.loads(pickle.dumps(parts[0]))
        self.assertEqual(whole.results()["dot"], ts.reduce(x, "dot", y=y)["dot"])

    def test_those_that_do_not_fit_are_refused(self):
        part = ts.partial([1.0], "sum")
        for other in (ts.partial([1.0], "mean"), ts.partial([1], "sum")):
            with self.assertRaises(ts.UsageError):
                part | other
        with self.assertRaises(TypeError):
            part | 3
        for ops in ("median", "histogram=3", "topk=2"):
            with self.assertRaisesRegex(ts.UsageError, "partial"):
                ts.partial([1.0], ops)


if __name__ == "__main__":
    unittest.main()
