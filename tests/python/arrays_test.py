"""Everything that is taken for an array, and what is refused with a word of advice."""

import array
import os
import pathlib
import pickle
import tempfile
import threading
import unittest
from math import fsum

import numpy as np

import tessera as ts

RANDOM = np.random.default_rng(7)


def views(dtype):
    """Arrays of every layout, small ones and ones that threads share."""
    if dtype == bool:
        base = RANDOM.integers(0, 2, size=(60, 70, 80)).astype(bool)
    elif np.dtype(dtype).kind == "f":
        base = (RANDOM.normal(size=(60, 70, 80)) * 100).astype(dtype)
    else:
        base = RANDOM.integers(0, 100, size=(60, 70, 80)).astype(dtype)
    for x in (base, base[:7, :8, :9]):
        yield "C", x
        yield "F", np.asfortranarray(x)
        yield "transposed", x.transpose(2, 0, 1)
        yield "permuted", x.transpose(1, 0, 2)
        yield "negative", x[::-1, :, ::-1]
        yield "stepped", x[::2, 1::3, ::2]
        yield "broadcast", np.broadcast_to(x[0], (5, *x.shape[1:]))
        yield "one number", x[1, 2, 3]
        yield "empty", x[:, :0]
        if np.dtype(dtype).itemsize > 1:
            yield "big-endian", x.astype(x.dtype.newbyteorder(">"))
            yield "unaligned", np.frombuffer(b"\0" + x.tobytes(), dtype, offset=1)
    read_only = base.copy()
    read_only.setflags(write=False)
    yield "read-only", read_only


class Layouts(unittest.TestCase):
    def test_sums_and_extremes_of_all(self):
        for dtype in ("f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", bool):
            for name, x in views(dtype):
                with self.subTest(dtype=dtype, layout=name, shape=np.shape(x)):
                    x = np.asarray(x)
                    numbers = x.astype("f8" if x.dtype.kind == "f" else "i8").ravel().tolist()
                    ops = "sum,count_nonzero" + (",min,max,argmin,argmax" if x.size else "")
                    got = ts.reduce(x, ops)
                    self.assertEqual(got["sum"], fsum(numbers))
                    self.assertEqual(got["count_nonzero"], np.count_nonzero(x))
                    self.assertEqual(got.counts.elements, x.size)
                    if x.size:
                        self.assertEqual((got["min"], got["max"]), (x.min(), x.max()))
                        self.assertEqual((got["argmin"], got["argmax"]), (x.argmin(), x.argmax()))

    def test_order_statistics_of_all(self):
        for dtype in ("f8", "i2"):
            for name, x in views(dtype):
                x = np.asarray(x)
                if x.size:
                    self.assertEqual(ts.median(x), np.median(x), f"{dtype} {name} {x.shape}")

    def test_of_objects(self):
        class Foreign:
            def __array__(self, dtype=None, copy=None):
                return np.array([1.5, 2.5])

        class Dlpack:
            def __init__(self, x):
                self.x = x

            def __dlpack__(self, **how):
                return self.x.__dlpack__(**how)

            def __dlpack_device__(self):
                return self.x.__dlpack_device__()

        for x in ([1.5, 2.5], (1.5, 2.5), array.array("d", [1.5, 2.5]), memoryview(np.array([1.5, 2.5])), Foreign(),
                  Dlpack(np.array([1.5, 2.5])), np.asfortranarray([1.5, 2.5])):
            self.assertEqual(ts.sum(x), 4.0, type(x))
        self.assertEqual(ts.sum(3), 3)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.x = RANDOM.normal(size=(30, 40))
        np.save(self.folder / "x1.npy", self.x)
        np.save(self.folder / "x2.npy", self.x + 1)

    def test_paths_patterns_and_memmaps(self):
        self.assertEqual(ts.max(self.folder / "x1.npy"), self.x.max())
        self.assertEqual(ts.max(str(self.folder / "x1.npy")), self.x.max())
        self.assertEqual(ts.max(f"{self.folder}/x*.npy"), self.x.max() + 1)
        self.assertEqual(ts.max(np.load(self.folder / "x1.npy", mmap_mode="r")), self.x.max())

    def test_lazy_arrays(self):
        lazy = ts.open(self.folder / "x1.npy")
        self.assertEqual((lazy.shape, lazy.dtype, lazy.ndim, lazy.size, len(lazy)), ((30, 40), "f8", 2, 1200, 30))
        lazy = pickle.loads(pickle.dumps(lazy))
        for key in (..., 3, -1, (3, 4), slice(2, 9), (slice(None, None, 7), slice(20, 2, -3)), (..., 5), (slice(5, 5), 1),
                    (slice(100, None),), (2, slice(None))):
            np.testing.assert_array_equal(lazy[key], self.x[key], str(key))
        np.testing.assert_array_equal(np.asarray(lazy), self.x)
        for key in (30, -31, (1, 2, 3), [1, 2], (..., ...), 1.5):
            with self.assertRaises(IndexError, msg=str(key)):
                lazy[key]
        self.assertEqual(ts.sum(lazy), fsum(self.x.ravel()))

    def test_a_file_that_has_changed_is_not_read_as_what_it_was(self):
        path = self.folder / "changed.npy"
        for before, after in (("f4", "f8"), ("f4", "i4"), ("u2", "u4"), ("b1", "u1")):
            np.save(path, np.ones((3, 4), before))
            lazy = ts.open(path)
            for array in (np.ones((3, 4), after), np.ones(12, before), np.ones((4, 3), before)):
                np.save(path, array)
                with self.assertRaisesRegex(ts.UsageError, "has changed since it was opened", msg=f"{before} {array.dtype}"):
                    lazy[1:]
            np.save(path, np.full((3, 4), 1, before))
            np.testing.assert_array_equal(lazy[...], np.full((3, 4), 1, before))

    def test_raw_files(self):
        path = self.folder / "x.raw"
        path.write_bytes(b"head" + self.x.astype(">f4").tobytes())
        lazy = ts.open(path, dtype=">f4", shape=(30, 40), offset=4)
        np.testing.assert_array_equal(lazy[...], self.x.astype("f4"))
        with self.assertRaisesRegex(ts.UsageError, "both dtype and shape"):
            ts.open(path, dtype="f4")

    def test_datasets_of_h5py(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("no h5py")
        with h5py.File(self.folder / "x.h5", "w") as file:
            file.create_dataset("a/x", data=self.x, chunks=(10, 10), compression="gzip")
            self.assertEqual(ts.sum(file["a/x"]), fsum(self.x.ravel()))
            with self.assertRaisesRegex(ts.UsageError, "group"):
                ts.sum(file["a"])
        lazy = ts.open(self.folder / "x.h5", "a/x")
        self.assertEqual(lazy.chunks, (10, 10))
        np.testing.assert_array_equal(lazy[5:25:2, ::-1], self.x[5:25:2, ::-1])

    def test_integers_that_are_missing_and_have_64_bits(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("no h5py")
        big = 2**62 + 1
        with h5py.File(self.folder / "x.h5", "w") as file:
            for name, dtype, numbers in (("wide", "i8", [[big, 2], [-1, 4]]), ("narrow", "i4", [[1, 2], [-1, 4]])):
                file[name] = np.array(numbers, dtype)
                file[name].attrs["_FillValue"] = np.array(-1, dtype)
        wide, path = ts.open(self.folder / "x.h5", "wide"), f"{self.folder}/x.h5:/wide"
        self.assertEqual((wide.dtype, wide.shape), ("i8", (2, 2)))
        for x in (wide, path):
            self.assertEqual(ts.sum(x), big + 6)
            np.testing.assert_array_equal(ts.sum(x, axis=0), [big, 6])
            np.testing.assert_array_equal(ts.max(x, axis=1, keepdims=True), [[big], [4]])
            got = ts.reduce(x, "sum", by=[[0, 1], [1, 0]])  # one key, in the shape of x
            np.testing.assert_array_equal(got["sum"], [big + 4, 2])
        for read in (lambda: wide[0], lambda: ts.map("x + 1", x=path)):
            with self.assertRaisesRegex(ts.UsageError, "f8 does not hold every i8; reductions leave them out"):
                read()
        narrow = ts.open(self.folder / "x.h5", "narrow")
        self.assertEqual(narrow.dtype, "f8")
        np.testing.assert_array_equal(narrow[...], [[1, 2], [np.nan, 4]])
        with self.assertRaisesRegex(ts.Error, "absent"):
            ts.reduce(f"{self.folder}/absent.h5:/x", "sum", by=[[0, 1], [1, 0]])

    def test_a_file_that_is_cut_off(self):
        path = self.folder / "cut.npy"
        np.save(path, np.arange(100000.0))
        lazy = ts.open(path)
        os.truncate(path, 1000)
        with self.assertRaises(ts.Error):
            ts.sum(lazy)


class Expressions(unittest.TestCase):
    def test_of_arrays_in_memory_and_files(self):
        u, v = RANDOM.normal(size=(2, 100, 70))
        e = ts.expr("sqrt(u*u + v*v)", u=u, v=v)
        self.assertEqual((e.shape, e.dtype), ((100, 70), "f8"))
        self.assertEqual(ts.max(e), np.sqrt(u * u + v * v).max())
        self.assertEqual(ts.sum(ts.expr("x + 1", x=[1, 2])), 5)
        with self.assertRaisesRegex(ts.UsageError, "expression itself"):
            ts.expr("e + 1", e=e).shape
        self.assertEqual(ts.sum(ts.expr("x * index1", x=[[1, 2], [3, 4]])), 6)
        for call in (lambda: ts.map("x + index2", x=u), lambda: ts.sum(ts.expr("x + index2", x=u))):
            with self.assertRaisesRegex(ts.UsageError, "index2: the array has 2 dimensions"):
                call()


class Changing(unittest.TestCase):
    def test_an_array_that_another_thread_writes(self):
        x = RANDOM.normal(size=300_000)
        over = threading.Event()

        def write():
            while not over.is_set():
                x[:] = RANDOM.permutation(x)
                x[::1000] = np.nan

        thread = threading.Thread(target=write)
        thread.start()
        try:
            for name in ("sum", "argmin", "median", "count_nonzero", "std") * 4:
                try:  # some value, or an error of which the interpreter knows
                    getattr(ts, name)(x)
                except ts.Error:
                    pass
            ts.reduce(x.reshape(300, 1000), "max", axis=0)
        finally:
            over.set()
            thread.join()


class Variable:
    """As one of netCDF4, whose __array__ gives masked arrays; with names of dimensions as one of xarray."""

    def __init__(self, values, dims=None):
        self.values, self.dims, self.shape = values, dims, values.shape

    def __array__(self, dtype=None, copy=None):
        return self.values


class Refused(unittest.TestCase):
    def test_each_with_advice(self):
        class OnAGpu:
            __cuda_array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (4096, False), "version": 3}

        masked = np.ma.masked_array([1.0, 2.0], [True, False])

        for x, advice in (
            (np.array([1j]), "x.real"),
            (np.array(["2020-01-01"], "M8[D]"), "view"),
            (np.array([1], object), "astype"),
            (np.array(["a"]), "numbers"),
            (np.zeros(2, [("a", "f8")]), "numbers"),
            (np.zeros(2, np.longdouble), "astype"),
            (masked, "mask"),
            ([masked, [3.0, 4.0]], "mask"),
            ([[3.0, 4.0], ([masked],)], "mask"),
            ([1.0, np.ma.masked], "mask"),
            (Variable(masked), "mask"),
            ([Variable(masked)], "mask"),
            ([[1, 2], [3]], "NumPy"),
            (OnAGpu(), "GPU"),
            ({"a": 1}, "astype"),
            (None, "astype"),
        ):
            with self.assertRaisesRegex(ts.UsageError, advice, msg=repr(x)):
                ts.sum(x)

    def test_masks_are_seen_of_all_arrays_of_a_call(self):
        x, masked = np.ones((2, 3)), Variable(np.ma.masked_array(np.ones((2, 3)), np.eye(2, 3)))
        turned = Variable(masked.values.T, ("x", "y"))
        named = Variable(x, ("y", "x"))
        for call in (
            lambda: ts.dot(x, masked),
            lambda: ts.dot(named, turned),
            lambda: ts.reduce(x, "sum", by=masked),
            lambda: ts.reduce(x, "sum", by=[x, masked]),
            lambda: ts.reduce(x, "mean", weights=masked),
            lambda: ts.reduce(named, "mean", weights=turned),
            lambda: ts.sum(masked, axis=0),
            lambda: ts.partial(masked, "sum"),
            lambda: ts.map("a + 1", a=masked),
        ):
            with self.assertRaisesRegex(ts.UsageError, "mask"):
                call()

    def test_an_array_that_masks_nothing_is_taken(self):
        for mask in (False, [False, False], np.ma.nomask):
            whole = np.ma.masked_array([1.5, 2.5], mask)
            for x in (whole, Variable(whole), [[whole]], [Variable(whole), [0, 0]]):
                self.assertEqual(ts.sum(x), 4.0)
        self.assertEqual(ts.sum([np.array(2**63, "u8"), np.array(1)]), 2**63 + 1)

    def test_variables_of_netcdf4(self):
        try:
            import netCDF4
        except ImportError:
            self.skipTest("no netCDF4")
        with tempfile.TemporaryDirectory() as folder, netCDF4.Dataset(f"{folder}/v.nc", "w") as file:
            file.createDimension("x", 4)
            v = file.createVariable("v", "f4", ("x",), fill_value=1e20)
            v[:] = [1, 2, 3, 4]
            self.assertEqual(ts.sum(v), 10.0)
            v[2] = np.ma.masked
            with self.assertRaisesRegex(ts.UsageError, "mask"):
                ts.sum(v)
            self.assertEqual(ts.sum(v[:].compressed()), 7.0)

    def test_what_an_empty_array_does_not_have(self):
        self.assertEqual(ts.sum([]), 0)
        self.assertTrue(np.isnan(ts.mean(np.zeros((3, 0)))))
        for call in (ts.min, ts.max, ts.argmin):
            with self.assertRaisesRegex(ts.UsageError, "empty"):
                call([])


if __name__ == "__main__":
    unittest.main()
