"""Arrays on both sides of the sizes at which reading and cutting change, of numbers at the ends of their types."""

import h5py

from program import main
from reduction import ReduceTest, np

ASKED = ("sum", "norm1", "minmax", "count_nonzero")


def around(*edges):
    return sorted({size for edge in edges for size in (edge - 1, edge, edge + 1)})


def full_scale(code, count):
    """The greatest number everywhere, but for the least one at the end."""
    limits = np.iinfo(code)
    array = np.full(count, limits.max, code)
    array[-1] = limits.min
    return array


def answers(array):
    """By Python's integers, of a full_scale() array in any shape."""
    limits = np.iinfo(array.dtype)
    least, greatest, others = int(limits.min), int(limits.max), array.size - 1
    return {"sum": others * greatest + least, "norm1": others * greatest + abs(least),
            "minmax": (least, greatest if others else least), "count_nonzero": others + (least != 0)}


class Thresholds(ReduceTest):
    def assert_exact(self, source, array, *options):
        _, got = self.reduce(source, ASKED, *options)
        self.assertEqual(got, answers(array), (source, array.shape, array.dtype, options))
        _, alone = self.reduce(source, ("sum",), *options)
        self.assertEqual(alone["sum"], answers(array)["sum"], (source, array.shape, array.dtype, options))

    def test_pieces_of_a_file(self):
        """1 MiB is read at a time, and 8 MiB are looked at."""
        for code in ("i1", "i2", "u2", "i4", "u8"):
            size = np.dtype(code).itemsize
            for count in around((1 << 20) // size, (8 << 20) // size):
                array = full_scale(code, count)
                self.assert_exact(self.save(array), array)

    def test_slices_that_are_the_least_and_the_most(self):
        array = full_scale("i2", 300_001)
        self.save(array)
        for text in ("4096", "4097", "1G"):
            self.assert_exact("a.npy", array, "--slice", text)
        for text in ("4095", "1025M"):
            self.assert_refused(["reduce", "a.npy", "--op", "sum", "--slice", text], 2, "--slice")

    def test_chunks_that_are_fetched_together(self):
        """256 KiB of them, or one that is larger."""
        for code, filters in (("i2", {}), ("u2", {"shuffle": True, "compression": 1}), ("i1", {"compression": 1})):
            per_batch = (256 << 10) // np.dtype(code).itemsize
            for chunk in around(per_batch // 2, per_batch) + [1000]:
                array = full_scale(code, 3 * per_batch + 5)
                with h5py.File(self.path("a.h5"), "w") as file:
                    file.create_dataset("d", data=array, chunks=(chunk,), **filters)
                self.assert_exact("a.h5:/d", array)

    def test_chunks_that_are_found_in_the_file(self):
        """Up to 4096 of them are read past HDF5."""
        for count in around(4096):
            array = full_scale("i4", 8 * count - 3)
            with h5py.File(self.path("a.h5"), "w") as file:
                file.create_dataset("d", data=array, chunks=(8,))
            self.assert_exact("a.h5:/d", array)

    def test_chunks_that_were_never_written(self):
        """1024 are taken together, there or not."""
        for absent in around(1024, 2048):
            for begin in (0, 1, 7):
                with h5py.File(self.path("a.h5"), "w") as file:
                    data = file.create_dataset("d", ((absent + 50) * 8 - 3,), "i2", chunks=(8,), fillvalue=-5)
                    data[:begin * 8] = 32767
                    data[(begin + absent) * 8:] = 32767
                    array = data[:]
                _, got = self.reduce("a.h5:/d", ("sum", "count_nonzero"))
                self.assertEqual(got, {"sum": int(array.sum(dtype="i8")), "count_nonzero": array.size}, (absent, begin))

    def test_files_that_are_one_array(self):
        """So many that the limit of open files has to be raised."""
        for count in around(512):
            array = full_scale("i2", 3 * count)
            for number in range(count):
                np.save(self.path(f"part{number:04}.npy"), array[3 * number:3 * number + 3])
            self.assert_exact("part*.npy", array)

    def test_outputs_of_a_tile(self):
        """8192 at most, in either order, from one row to the next."""
        for outputs in around(8192, 16384):
            for code in ("i2", "u1"):
                array = np.full((5, outputs), np.iinfo(code).max, code)
                array[:, -1] = np.iinfo(code).min
                np.save(self.path("a.npy"), array)
                np.save(self.path("b.npy"), np.asfortranarray(array))
                for name, order in (("a.npy", "C"), ("b.npy", "F")):
                    self.assert_done("reduce", name, "--op", "sum", "--axis", "0", "--output", "r.npy", "--overwrite",
                                     "--quiet")
                    self.assertTrue(np.array_equal(np.load(self.path("r.npy")), array.sum(0, dtype="i8")), (outputs, order))

    def test_elements_of_an_output(self):
        """More than a piece of 1 MiB, and than sums of 32 bits have room for."""
        for count in around(65536, 1 << 19):
            array = np.full((count, 3), np.iinfo("i2").min, "i2")
            for name, axis, laid in (("a.npy", "0", array), ("b.npy", "1", np.ascontiguousarray(array.T))):
                np.save(self.path(name), laid)
                self.assert_done("reduce", name, "--op", "sum", "--axis", axis, "--output", "r.npy", "--overwrite",
                                 "--quiet")
                self.assertEqual(np.load(self.path("r.npy")).tolist(), [-32768 * count] * 3)


if __name__ == "__main__":
    main()
