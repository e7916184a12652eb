#!/usr/bin/env python3
"""Outputs of arrays in memory, which nothing tells from other ones, and what is looked up by a name."""

import os
import tempfile
import unittest

import numpy as np

import tessera as ts

try:
    import h5py
except ImportError:
    h5py = None

CORES = ts.Context(device="cpu", threads=1)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)


class OutputsOfArraysInMemory(InFolder):
    x = np.arange(24.0).reshape(6, 4)
    keys = np.array([0, 1, 1, 2, 0, 2])

    def calls(self):
        yield lambda x, **more: ts.reduce(x, "sum", axis=0, out="a.npy", context=CORES, **more)["sum"][...].sum()
        yield lambda x, **more: ts.sum(x, axis=0, out="b.npy", context=CORES, **more)[...].sum()
        yield lambda x, **more: ts.map("a * 1.0", a=x, out="c.h5:/x", context=CORES, **more)[...].sum()
        yield lambda x, **more: ts.reduce(x, "sum", by=self.keys[:, None] + 0 * x.astype(int), out="d.csv", context=CORES,
                                          **more) and np.loadtxt("d.csv", delimiter=",", skiprows=1)[:, -1].sum()

    def test_another_array_is_not_answered_by_the_file_of_the_first(self):
        for call in self.calls():
            call(self.x)
            for other in (self.x, self.x + 1):  # the same array, too: it may have changed meanwhile
                with self.assertRaisesRegex(ts.UsageError, "is there already"):
                    call(other)
            call(self.x + 1, overwrite=True)
        self.assertEqual([name for name in os.listdir(".") if name.endswith(".done")], [])

    def test_overwriting_gives_the_new_answer(self):
        for call in list(self.calls())[:3]:
            call(self.x)
            self.assertEqual(call(self.x + 1, overwrite=True), (self.x + 1).sum())

    def test_arrays_beside_a_file_count(self):
        np.save("x.npy", self.x)
        w = np.arange(1.0, 7.0)[:, None] + 0 * self.x

        def mean(weights, **more):
            return ts.reduce("x.npy", "mean", axis=0, weights=weights, out="m.npy", context=CORES, **more)["mean"][...]

        mean(w)
        with self.assertRaises(ts.UsageError):
            mean(w[::-1])
        np.testing.assert_allclose(mean(w[::-1], overwrite=True), np.average(self.x, axis=0, weights=w[::-1]))
        # Files alone are known again.
        for _ in range(2):
            ts.reduce("x.npy", "sum", axis=0, out="f.npy", context=CORES)

    def stopped_half_way(self):
        """Ones whose reduction was stopped, and has left a part of s.h5."""

        class Stopped(Exception):
            pass

        def stop(done, *_):
            if done:
                raise Stopped

        little = ts.Context(device="cpu", threads=1, memory="96M")  # for many pieces
        for rows in (400, 1600):  # more for a machine that was done before it was stopped
            ones = np.ones((rows, 20000))
            try:
                ts.reduce(ones, "median,sum", axis=0, out="s.h5", overwrite=True, progress=stop, context=little)
            except Stopped:
                pass
            if not os.path.exists("s.h5"):
                return ones
        return self.skipTest("no reduction was caught half-way")

    def test_what_a_stopped_call_left_is_not_continued(self):
        ones = self.stopped_half_way()
        made = ts.reduce(5 * ones, "median,sum", axis=0, out="s.h5", context=CORES)
        self.assertEqual(set(made["sum"][...]), {5.0 * len(ones)})
        self.assertEqual(set(made["median"][...]), {5.0})

    def test_one_file_for_several_arrays(self):
        with self.assertRaisesRegex(ts.UsageError, "holds one operation"):
            ts.reduce(self.x, "sum,mean", axis=0, out="o.npy", context=CORES)
        made = ts.map("c = a; d = a + 1", a=self.x, out="two.h5", context=CORES)
        np.testing.assert_array_equal(made["c"][...], self.x)
        np.testing.assert_array_equal(made["d"][...], self.x + 1)


class Bins(unittest.TestCase):
    x = np.arange(12.0)

    def test_a_tuple_is_a_range_and_anything_else_has_edges(self):
        for edges in ([0, 5, 11], [0, 5, 8, 11], [0, 11], [-np.inf, 4, np.inf], np.array([0.5, 3.25, 9])):
            made = ts.reduce(self.x, "count", by=self.x, bins=edges, context=CORES)
            wanted = np.histogram(self.x, np.array(edges, dtype=float))[0]
            np.testing.assert_array_equal(made["count"], wanted)
            np.testing.assert_array_equal(np.append(made["key0_from"], made["key0_to"][-1]), edges)
        made = ts.reduce(self.x, "count", by=self.x, bins=(0, 12, 3), context=CORES)
        np.testing.assert_array_equal(made["count"], np.histogram(self.x, 3, (0, 12))[0])
        for wrong in ([5], [[0, 1], [2, 3]], "a,b,c", [3, 1], ["a", "b"]):
            with self.assertRaises((ts.UsageError, ts.MissingError), msg=str(wrong)):
                ts.reduce(self.x, "count", by=self.x, bins=wrong, context=CORES)

    def test_along_an_axis_each_row_has_its_edges(self):
        x = np.arange(24.0).reshape(6, 4)
        keys = np.array([0, 5, 5, 9, 0, 9])
        with tempfile.TemporaryDirectory() as folder:
            text = os.path.join(folder, "edges.txt")
            with open(text, "w", encoding="utf-8") as file:
                file.write("# edges\n0, 4\n8 12\n")
            for bins in ((0, 12, 6), [0, 4, 8, 12], "0,12,6", "0,1.2e1,6e0", "edges=0,4,8,12", "edges=0,,12", text):
                made = ts.reduce(x, "sum", axis=0, by=keys, bins=bins, context=CORES)
                self.assertEqual(len(made["key0_from"]), len(made["sum"]))
                for low, high, row in zip(made["key0_from"], made["key0_to"], made["sum"]):
                    np.testing.assert_array_equal(row, x[(keys >= low) & (keys < high)].sum(axis=0))
                table = ts.reduce(keys, "count", by=keys, bins=bins, context=CORES)
                rows = np.isin(made["key0_from"], table["key0_from"])
                np.testing.assert_array_equal(made["key0_to"][rows], table["key0_to"])

    def test_that_are_wrong_are_refused_alike_with_and_without_an_axis(self):
        x, keys = np.arange(24.0).reshape(6, 4), np.arange(6)
        for bins in ("edges=0,x", "edges=3,1", "3,1,5", "0,1,0", "absent.txt", "a,b,c", ("a", 1, 2), [1], (3, 1, 5), ""):
            said = set()
            for array, axis in ((keys, None), (x, 0)):
                with self.assertRaises((ts.UsageError, ts.MissingError), msg=repr(bins)) as error:
                    ts.reduce(array, "count", axis=axis, by=keys, bins=bins, context=CORES)
                said.add(str(error.exception))
            self.assertEqual(len(said), 1, said)


class QuantilesInto(unittest.TestCase):
    def test_an_array_has_them_first(self):
        x = np.random.default_rng(1).normal(size=(7, 3))
        q = [0.1, 0.5, 0.9]
        out = np.empty((3, 3))
        self.assertIs(ts.quantile(x, q, axis=0, out=out, context=CORES), out)
        np.testing.assert_array_equal(out, ts.quantile(x, q, axis=0, context=CORES))
        np.testing.assert_allclose(out, np.quantile(x, q, axis=0))
        with self.assertRaisesRegex(ts.UsageError, "along axes"):
            ts.quantile(x, q, out=out, context=CORES)
        for wrong in (np.empty((3, 4)), np.empty(9), np.empty((3, 3), dtype="i4"), [1, 2]):
            with self.assertRaisesRegex(ts.UsageError, "out"):
                ts.quantile(x, q, axis=0, out=wrong, context=CORES)


@unittest.skipIf(h5py is None, "h5py is missing")
class DatasetsOfH5py(InFolder):
    def write(self, path, value):
        with h5py.File(path, "w") as file:
            file["d"] = np.array([value])

    def test_are_those_of_the_file_that_is_open(self):
        os.mkdir("sub")
        self.write("rel.h5", 10.0)
        self.write("sub/rel.h5", 11.0)
        with h5py.File("rel.h5") as file:
            os.chdir("sub")
            self.assertEqual(ts.sum(file["d"], context=CORES), 10.0)
            os.chdir("..")
            os.rename("rel.h5", "moved.h5")
            self.write("rel.h5", 12.0)
            self.assertEqual(ts.sum(file["d"], context=CORES), 10.0)

    def test_of_files_in_memory_are_read_by_h5py(self):
        self.write("mem.h5", 5.0)
        with h5py.File("mem2.h5", "w", driver="core", backing_store=False) as file:
            file["d"] = np.array([35.0])
            self.write("mem2.h5", 6.0)
            self.assertEqual(ts.sum(file["d"], context=CORES), 35.0)
            self.assertEqual(ts.sum(file.create_dataset(None, data=[1.0, 2.0]), context=CORES), 3.0)


class OutputsInMemory(InFolder):
    def test_one_that_overlaps_what_is_read_is_refused(self):
        x = np.arange(4000.0).reshape(2000, 2)
        out, z = x.ravel()[2000:], np.ones_like(x)
        for call in (lambda: ts.sum(ts.expr("a + 0", a=x), axis=1, out=out), lambda: ts.sum(memoryview(x), axis=1, out=out),
                     lambda: ts.reduce(z, "dot", y=x, axis=1, out=out), lambda: ts.reduce(z, "sum", weights=x, axis=1, out=out),
                     lambda: ts.map("a + 1", a=memoryview(x[:, 0])[::-1], out=x[:, 0])):
            with self.assertRaisesRegex(ts.UsageError, "overlaps"):
                call()
        np.testing.assert_array_equal(x.ravel(), np.arange(4000.0))

    def test_names_of_results(self):
        x = np.arange(6.0).reshape(2, 3)
        np.testing.assert_array_equal(ts.map("c = a + 1", a=x, out="m.h5")[...], x + 1)
        np.testing.assert_array_equal(ts.map("a == 1", a=x, out="n.h5")[...], x == 1)
        made = ts.reduce(x, "mean, std", axis=0, out="r.h5")
        np.testing.assert_array_equal(made["std"][...], x.std(axis=0))

    def test_two_files_of_values_are_refused(self):
        for files in (("a.h5", "b.h5"), ("a.png", "b.png")):
            with self.assertRaisesRegex(ts.UsageError, files[1]):
                ts.render("seahorse", size=(8, 8), out=files, context=CORES)


if __name__ == "__main__":
    unittest.main()
