"""tessera reduce of several HDF5 files with chunks as one array: every output against NumPy, bit for bit."""

import itertools

from program import main
from reduction import ReduceTest

# Behind reduction, which skips the test where these are not.
import h5py
import numpy as np

OPERATIONS = ("sum", "min", "max", "argmin", "argmax", "count_nonzero")


def wanted(array, axes):
    """By operation, of integers, whose sums NumPy has exactly."""
    kept = [d for d in range(array.ndim) if d not in axes]
    moved = np.transpose(array, kept + sorted(axes))
    rows = moved.reshape(moved.shape[:len(kept)] + (-1,))
    return {"sum": rows.sum(-1, dtype="i8"), "min": rows.min(-1), "max": rows.max(-1), "argmin": rows.argmin(-1),
            "argmax": rows.argmax(-1), "count_nonzero": np.count_nonzero(rows, axis=-1)}


class JoinedTest(ReduceTest):
    def write_parts(self, array, rows, options):
        """part0.h5, ... with so many rows each; the options of each dataset in turn."""
        first = 0
        for i, (count, how) in enumerate(zip(rows, itertools.cycle(options))):
            with h5py.File(self.path(f"part{i}.h5"), "w") as file:
                grows = {"maxshape": (None,) * array.ndim} if "chunks" in how else {}  # chunks may be the larger
                file.create_dataset("x", data=array[first:first + count], **how, **grows)
            first += count
        self.assertEqual(first, len(array))

    def assert_axes(self, array, axes, source="part*.h5:/x", *options, ranks=0):
        self.assert_done("reduce", source, "--op", ",".join(OPERATIONS), "--axis", ",".join(map(str, axes)), "--output",
                         "o.h5", "--overwrite", "--quiet", *options, ranks=ranks)
        with h5py.File(self.path("o.h5")) as file:
            for name, values in wanted(array, axes).items():
                got = file[name][()]
                self.assertEqual(got.shape, values.shape, (name, axes))
                self.assertEqual(got.astype("i8").tobytes(), values.astype("i8").tobytes(), (name, axes, options))

    def assert_every_axis(self, array):
        for count in range(1, array.ndim + 1):
            for axes in itertools.combinations(range(array.ndim), count):
                self.assert_axes(array, axes)


DEFLATE = {"compression": 4, "shuffle": True}


class Chunks(JoinedTest):
    def numbers(self, *shape):
        return np.random.default_rng(31).integers(-99, 100, shape).astype("i4")

    def test_along_every_axis(self):
        for shape, chunks in (((40,), (7,)), ((41, 30), (6, 8)), ((26, 9, 14), (4, 5, 6)), ((13, 3, 5, 4), (5, 2, 2, 3))):
            array = self.numbers(*shape)
            rows = (shape[0] // 2, 1, shape[0] - shape[0] // 2 - 1)
            self.write_parts(array, rows, [{"chunks": chunks, **DEFLATE}])
            self.assert_every_axis(array)

    def test_of_other_shapes_and_filters_and_none(self):
        array = self.numbers(50, 22, 9).astype(">i4")
        options = [{"chunks": (4, 7, 9), **DEFLATE}, {"chunks": (7, 4, 2), "compression": 1}, {},
                   {"chunks": (3, 22, 9), "fletcher32": True}, {"chunks": (16, 5, 5)}]
        for turn in range(len(options)):
            self.write_parts(array, (9, 12, 7, 17, 5), options[turn:] + options[:turn])
            self.assert_every_axis(array)

    def test_with_files_that_are_empty_or_were_never_written(self):
        array = self.numbers(20, 6)
        array[5:12] = -3
        self.write_parts(array[:5], (5,), [{"chunks": (2, 4), **DEFLATE}])
        for name, rows in (("part1.h5", 7), ("part2.h5", 0)):
            with h5py.File(self.path(name), "w") as file:
                file.create_dataset("x", (rows, 6), "i4", chunks=(2, 4), maxshape=(None, 6), fillvalue=-3, **DEFLATE)
        with h5py.File(self.path("part3.h5"), "w") as file:
            file.create_dataset("x", data=array[12:], chunks=(2, 4), **DEFLATE)
        self.assert_every_axis(array)

    def test_at_any_number_of_ranks_and_threads_and_on_the_reference(self):
        array = self.numbers(300, 40, 11)
        self.write_parts(array, (70, 101, 29, 100), [{"chunks": (16, 16, 11), **DEFLATE}])
        for axes in ((0,), (2,), (0, 1)):
            self.assert_axes(array, axes, "part*.h5:/x", "--slice", "4K", ranks=2)
            self.assert_axes(array, axes, "part*.h5:/x", "--threads", "1", "--slice", "64K")
            self.assert_axes(array, axes, "part*.h5:/x", "--device", "reference")

    def test_that_are_damaged_are_named_with_their_file(self):
        array = self.numbers(40, 30)
        self.write_parts(array, (20, 20), [{"chunks": (8, 30), **DEFLATE}, {"chunks": (5, 30), **DEFLATE}])
        with h5py.File(self.path("part1.h5")) as file:
            chunk = file["x"].id.get_chunk_info(3)
        with open(self.path("part1.h5"), "rb+") as file:
            file.seek(chunk.byte_offset + chunk.size // 2)
            file.write(b"\xff" * 8)
        for axis in ("0", "1"):
            self.assert_refused(["reduce", "part*.h5:/x", "--op", "sum", "--axis", axis, "--output", "o.npy"], 4,
                                "part1.h5:/x", "chunk at [15, 0]")


class FortranOrder(JoinedTest):
    def test_files_are_read_along_every_axis(self):
        for shape in ((40,), (41, 30), (26, 9, 14)):
            array = np.random.default_rng(32).integers(-99, 100, shape)
            for i, part in enumerate(np.split(array, [11, 12])):
                np.save(self.path(f"part{i}.npy"), np.asfortranarray(part))
            for count in range(1, array.ndim + 1):
                for axes in itertools.combinations(range(array.ndim), count):
                    self.assert_axes(array, axes, "part*.npy", "--slice", "4K")


class Pairs(ReduceTest):
    def test_stored_in_chunks_of_other_shapes(self):
        random = np.random.default_rng(33)
        x, y = random.integers(-99, 100, (2, 70, 31))
        np.save(self.path("x.npy"), x)
        np.save(self.path("fortran.npy"), np.asfortranarray(x))
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("x", data=x, chunks=(9, 31), **DEFLATE)
            file.create_dataset("y", data=y, chunks=(16, 5), **DEFLATE)
        for i, part in enumerate(np.split(x, [20, 45])):
            with h5py.File(self.path(f"part{i}.h5"), "w") as file:
                file.create_dataset("x", data=part, chunks=(7, 10), **DEFLATE)
        wanted = {"dot": int((x * y).sum()), "argmax": int(x.argmax()), "sum": int(x.sum())}
        for source in ("x.npy", "fortran.npy", "a.h5:/x", "part*.h5:/x"):
            self.assert_answers(source, wanted, "--with", "a.h5:/y", "--slice", "4K")
        for second in ("x.npy", "fortran.npy", "a.h5:/x", "part*.h5:/x"):
            self.assert_answers("a.h5:/y", {"dot": wanted["dot"], "argmax": int(y.argmax())}, "--with", second)

    def test_of_which_the_second_is_damaged(self):
        np.save(self.path("x.npy"), np.ones((40, 30)))
        with h5py.File(self.path("y.h5"), "w") as file:
            data = file.create_dataset("y", data=np.random.default_rng(34).standard_normal((40, 30)), chunks=(8, 15),
                                       **DEFLATE)
            chunk = data.id.get_chunk_info(3)
        with open(self.path("y.h5"), "rb+") as file:
            file.seek(chunk.byte_offset + chunk.size // 2)
            file.write(b"\xff" * 8)
        self.assert_refused(["reduce", "x.npy", "--op", "dot", "--with", "y.h5:/y"], 4, "y.h5:/y", "chunk at [8, 15]")


if __name__ == "__main__":
    main()
