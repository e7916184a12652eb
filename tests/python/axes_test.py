"""Arrays that calls make: along axes, by groups, of expressions."""

import os
import tempfile
import unittest

import numpy as np

import tessera as ts

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(30, 41, 52))


class Axes(unittest.TestCase):
    def test_those_of_numpy(self):
        for x in (X, X.transpose(2, 0, 1), X[::2, :, ::-3], X.astype("f4")):
            for axis in (0, 1, -1, (0, 2), (1, 2), (0, 1, 2)):
                for keepdims in (False, True):
                    for name in ("min", "max", "any", "all", "count_nonzero", "median"):
                        got = getattr(ts, name)(x, axis=axis, keepdims=keepdims)
                        expected = getattr(np, name)(x.astype("f8"), axis=axis, keepdims=keepdims)
                        np.testing.assert_array_equal(got, expected, f"{name} {axis} {keepdims}")
                    for name in ("sum", "mean", "std", "var"):
                        got = getattr(ts, name)(x, axis=axis, keepdims=keepdims)
                        expected = getattr(np, name)(x.astype("f8"), axis=axis, keepdims=keepdims)
                        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9)
                        self.assertEqual(got.shape, np.shape(expected))
            np.testing.assert_array_equal(ts.argmax(x, axis=1), x.argmax(axis=1))
        np.testing.assert_array_equal(ts.sum(X > 0, axis=0), (X > 0).sum(axis=0))
        self.assertEqual(ts.max(X, keepdims=True).shape, (1, 1, 1))

    def test_groups_along_an_axis(self):
        """Climatology maps: the other axes are kept, and key0 says whose groups they are."""
        months = RANDOM.integers(1, 6, 30)
        for axis, x in ((0, X), (1, X.transpose(1, 0, 2)), (-1, X.transpose(1, 2, 0))):
            got = ts.reduce(x, "mean,max,median", axis=axis, by=months)
            np.testing.assert_array_equal(got["key0"], np.unique(months))
            for name, how in (("mean", np.mean), ("max", np.max), ("median", np.median)):
                for g, month in enumerate(np.unique(months)):
                    expected = how(x.compress(months == month, axis=axis), axis=axis)
                    np.testing.assert_allclose(got[name][g], expected, rtol=1e-12, atol=1e-15)
        seven = ts.reduce(X, "sum", axis=0, by=months, groups=7)
        np.testing.assert_array_equal(seven["key0"], np.arange(7))
        self.assertFalse(seven["sum"][6].any())
        levels = RANDOM.random(30)
        bins = ts.reduce(X, "min", axis=0, by=levels, bins=(0, 1, 4))
        np.testing.assert_array_equal(bins["key0_from"], [0, 0.25, 0.5, 0.75])
        np.testing.assert_array_equal(bins["min"][1], X[(levels >= 0.25) & (levels < 0.5)].min(axis=0))
        for wrong in ({"by": months[:7]}, {"by": [months, months]}, {"by": months, "keepdims": True}):
            with self.assertRaises(ts.UsageError):
                ts.reduce(X, "mean", axis=0, **wrong)

    def test_quantiles_come_first(self):
        q = [[0.1, 0.5], [0.9, 1.0]]
        got = ts.quantile(X, q, axis=(0, 2))
        self.assertEqual(got.shape, (2, 2, 41))
        for i in range(2):
            for j in range(2):
                np.testing.assert_array_equal(got[i, j], np.quantile(X, q[i][j], axis=(0, 2)))
        np.testing.assert_array_equal(ts.quantile(X, 0.3, axis=1), np.quantile(X, 0.3, axis=1))

    def test_several_operations(self):
        got = ts.reduce(X, "mean,minmax,histogram=4,-1,1", axis=(0, 1))
        self.assertEqual({name: got[name].shape for name in got}, {"mean": (52,), "minmax": (52, 2), "histogram": (52, 4)})
        np.testing.assert_array_equal(got.edges["histogram"], np.linspace(-1, 1, 5))
        self.assertEqual(got.counts.elements, X.size)

    def test_out(self):
        for out in (np.empty((30, 52)), np.empty((52, 30)).T, np.empty((30, 104))[:, ::2], np.empty((30, 1, 52))):
            self.assertIs(ts.max(X, axis=1, out=out), out)
            np.testing.assert_array_equal(out.reshape(30, 52), X.max(axis=1))
        read_only = np.empty((30, 52))
        read_only.setflags(write=False)
        for out in (np.empty((52, 30)), np.empty((30, 52), "f4"), read_only, np.empty((30, 52), ">f8"), X[:, 0], [1.0], 3):
            with self.assertRaises(ts.UsageError, msg=repr(out)[:40]):
                ts.max(X, axis=1, out=out)
        with self.assertRaises(ts.UsageError):
            ts.max(X, out=np.empty(()))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            np.save(os.path.join(folder, "x.npy"), X)
            path = os.path.join(folder, "max.npy")
            got = ts.max(os.path.join(folder, "x.npy"), axis=0, out=path)
            self.assertEqual((got.shape, os.path.exists(path)), ((41, 52), True))
            np.testing.assert_array_equal(got[...], X.max(axis=0))
            got = ts.reduce(X, "min,mean", axis=0, out=os.path.join(folder, "two.h5"))
            np.testing.assert_array_equal(got["min"][3:5], X.min(axis=0)[3:5])
            got = ts.sum(X, axis=0, out=os.path.join(folder, "sum.zarr"))
            np.testing.assert_allclose(got[...], X.sum(axis=0))
            ts.map("x*2", x=X, out=os.path.join(folder, "chunks.zarr"), chunks=(5, 41, 52), compress=0)
            self.assertEqual(ts.open(os.path.join(folder, "chunks.zarr")).chunks, (5, 41, 52))

    def test_bad_axes(self):
        for axis in (3, -4, (0, 0), (0, 3), "x", 1.5, ()):
            with self.assertRaises(ts.UsageError, msg=str(axis)):
                ts.sum(X, axis=axis)
        with self.assertRaises(ts.UsageError):
            ts.reduce(X, "prod,nothing", axis=0)


class Groups(unittest.TestCase):
    def test_columns(self):
        keys = RANDOM.integers(-5, 5, size=X.shape)
        got = ts.reduce(X, "sum,median,max", by=keys)
        self.assertEqual(list(got), ["key0", "count", "sum", "median", "max"])
        np.testing.assert_array_equal(got["key0"], np.unique(keys))
        for i, key in enumerate(got["key0"]):
            members = X[keys == key]
            self.assertEqual(got["count"][i], members.size)
            self.assertEqual(got["median"][i], np.median(members))
            self.assertEqual(got["max"][i], members.max())
            self.assertAlmostEqual(got["sum"][i], members.sum(), 9)

    def test_two_keys_bins_and_files(self):
        a, b = RANDOM.integers(0, 3, size=(2, 1000))
        x = RANDOM.normal(size=1000)
        got = ts.reduce(x, "mean", by=[a, b])
        self.assertEqual(len(got["count"]), 9)
        got = ts.reduce(x, "sum", by=x, bins=(-1, 1, 4))
        np.testing.assert_array_equal(got["count"], np.histogram(x, 4, (-1, 1))[0])
        with self.assertRaises(ts.UsageError):
            ts.reduce(x, "sum", by=a[:10])

    def test_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("no pandas")
        frame = ts.reduce([1.0, 2.0, 3.0], "sum", by=[1, 1, 2]).to_pandas()
        self.assertEqual(frame.columns.tolist(), ["key0", "count", "sum"])


class Weights(unittest.TestCase):
    def test_whole_arrays_and_axes(self):
        w = RANDOM.random(X.shape[-1])
        full = np.broadcast_to(w, X.shape)
        got = ts.reduce(X, "sum,mean,var", weights=w)
        self.assertAlmostEqual(got["mean"], np.average(X, weights=full), 12)
        self.assertAlmostEqual(got["sum"], (X * full).sum(), 9)
        self.assertAlmostEqual(got["var"], np.average((X - got["mean"]) ** 2, weights=full), 12)
        along = ts.reduce(X, "mean", axis=-1, weights=full)["mean"]
        np.testing.assert_allclose(along, np.average(X, axis=-1, weights=w), rtol=1e-12, atol=1e-13)
        kept = ts.reduce(X, "mean", axis=(0, 2), keepdims=True, weights=w)["mean"]
        np.testing.assert_allclose(kept, np.average(X, axis=(0, 2), weights=full, keepdims=True), rtol=1e-12, atol=1e-13)

    def test_names_of_dimensions(self):
        w = RANDOM.random(X.shape[1])
        got = ts.reduce(X, "mean", axis=("b",), dims="a,b,c", weights={"b": w})["mean"]
        np.testing.assert_allclose(got, np.average(X, axis=1, weights=w), rtol=1e-12, atol=1e-13)
        np.testing.assert_array_equal(ts.reduce(X, "max", axis="a,c", dims=["a", "b", "c"])["max"], X.max(axis=(0, 2)))
        np.testing.assert_array_equal(ts.reduce(X, "max", axis=1, dims="a,b,c")["max"], X.max(axis=1))

    def test_groups(self):
        keys = RANDOM.integers(0, 3, size=X.shape)
        w = RANDOM.random(X.shape)
        got = ts.reduce(X, "mean", by=keys, weights=w)
        for i in range(3):
            self.assertAlmostEqual(got["mean"][i], np.average(X[keys == i], weights=w[keys == i]), 12)

    def test_medians_and_quantiles(self):
        w = RANDOM.integers(1, 5, X.shape[-1])
        repeated = np.repeat(X, w, axis=-1)  # where the definition does not interpolate, a weight is as many elements
        q = [0.1, 0.5, 0.8]
        options = {"method": "inverted_cdf", "weights": w}
        np.testing.assert_array_equal(ts.quantile(X, q, **options), np.quantile(repeated, q, method="inverted_cdf"))
        np.testing.assert_array_equal(ts.quantile(X, q, axis=-1, **options), np.quantile(repeated, q, axis=-1, method="inverted_cdf"))
        equal = np.full(X.shape, 0.3)
        self.assertEqual(ts.median(X, weights=equal), np.median(X))
        np.testing.assert_array_equal(ts.median(X, axis=0, keepdims=True, weights=equal), np.median(X, axis=0, keepdims=True))
        np.testing.assert_allclose(ts.quantile(X, q, weights=equal), np.quantile(X, q), rtol=1e-14)
        self.assertEqual(ts.reduce([1.0, 2.0, 4.0], "median", weights=[5, 5, 5])["median"], 2)
        for wrong in ({"method": "lower"}, {"weights": -w}):
            with self.assertRaises(ts.UsageError):
                ts.quantile(X, q, **{**options, **wrong})

    def test_second_arrays_along_axes(self):
        y = RANDOM.normal(size=X.shape)
        got = ts.reduce(X, "cov,dot", axis=0, y=y)
        np.testing.assert_allclose(got["dot"], (X * y).sum(axis=0), rtol=1e-12, atol=1e-12)
        wanted = ((X - X.mean(axis=0)) * (y - y.mean(axis=0))).mean(axis=0)
        np.testing.assert_allclose(got["cov"], wanted, rtol=1e-9, atol=1e-12)

    def test_bad_ones(self):
        w = np.ones(X.shape[-1])
        for wrong in ({"weights": w[1:]}, {"weights": {"b": w}}, {"weights": {}}, {"weights": {"a": w, "b": w}},
                      {"weights": np.full(X.shape, np.nan)}, {"weights": w, "ddof": 1}, {"weights": w * 1j},
                      {"axis": "b"}, {"axis": "b", "dims": "a,b"}, {"axis": "b", "dims": "a,b,c", "keepdims": True},
                      {"dims": ""}, {"axis": 0, "by": X}, {"axis": 0, "state": "a.st"}, {"append": True}):
            with self.subTest(wrong=wrong), self.assertRaises(ts.UsageError):
                ts.reduce(X, "mean", **wrong)
        with self.assertRaises(ts.UsageError):
            ts.reduce(X, "mode", weights=w)


class States(unittest.TestCase):
    def test_an_answer_grows_with_the_bits_of_one_run(self):
        with tempfile.TemporaryDirectory() as folder:
            state = os.path.join(folder, "a.st")
            parts = [RANDOM.normal(size=size) for size in (1000, 1, 77)]
            for part in parts:
                got = ts.reduce(part, "sum,std,max", state=state, append=True)
            whole = ts.reduce(np.concatenate(parts), "sum,std,max")
            self.assertEqual(dict(got), dict(whole))
            np.save(os.path.join(folder, "x.npy"), X.reshape(-1))
            ts.reduce(os.path.join(folder, "x.npy"), "sum,std,max", state=state, append=True)
            with self.assertRaises(ts.UsageError):
                ts.reduce(os.path.join(folder, "x.npy"), "sum,std,max", state=state, append=True)


class Maps(unittest.TestCase):
    def test_new_arrays(self):
        a, b = X[0], RANDOM.normal(size=52).astype("f4")
        np.testing.assert_array_equal(ts.map("a*b + 1", a=a, b=b), a * b + 1)
        np.testing.assert_array_equal(ts.map("a > 0", a=a), a > 0)
        self.assertEqual(ts.map("a > 0", a=a).dtype, bool)
        np.testing.assert_array_equal(ts.map("a + 1", a=a.T), a.T + 1)
        np.testing.assert_array_equal(np.asarray(ts.expr("a + 1", a=a)), a + 1)

    def test_out(self):
        out = np.empty(X.shape)
        self.assertIs(ts.map("x*2", x=X, out=out), out)
        np.testing.assert_array_equal(out, X * 2)
        unaligned = np.frombuffer(bytearray(X.nbytes + 1), "f8", offset=1).reshape(X.shape)
        for out in (np.empty(X.shape[::-1]).T, np.empty((30, 41, 104))[:, :, ::2], np.empty((30, 82, 52))[:, ::-2], unaligned):
            np.testing.assert_array_equal(ts.map("x*2", x=X, out=out), X * 2)
        for out in (X, X[::-1], np.empty(X.shape, "f4"), np.empty(3)):
            with self.assertRaises(ts.UsageError):
                ts.map("x*2", x=X, out=out)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a.npy", "a.raw", "a.h5", "b.h5:/c", "a.zarr", "b.zarr/", "c.zarr:/g/c"):
                got = ts.map("x*2", x=X, out=os.path.join(folder, name))
                np.testing.assert_array_equal(got[...], X * 2, name)
            path = os.path.join(folder, "a.npy")
            with self.assertRaises(ts.UsageError):
                ts.map("x*3", x=X, out=path)
            np.testing.assert_array_equal(ts.map("x*3", x=X, out=path, overwrite=True)[1], X[1] * 3)

    def test_bad_expressions(self):
        for text, arrays in (("", {"a": X}), ("a +", {"a": X}), ("b", {"a": X}), ("a", {}), ("a + b", {"a": X, "b": X[:, :3]})):
            with self.assertRaises(ts.UsageError, msg=text):
                ts.map(text, **arrays)


if __name__ == "__main__":
    unittest.main()
