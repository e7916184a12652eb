"""tessera reduce --axis: every output against fractions and NumPy, bit for bit, and the files that it writes."""

import itertools
import json
import math
import os
import shutil
import struct

from program import main
from reduction import EVERYTHING, INTEGERS, ReduceTest, expected, same

# Behind reduction, which skips the test where these are not.
import h5py
import numpy as np

FLOATS = ("sum", "mean", "var", "std", "norm1", "norm2")

# Products are of whole arrays.
OPERATIONS = tuple(name for name in EVERYTHING if name != "prod")


def elements_of(array, axes):
    """Shape of the result, and the elements of each output in C order."""
    rank = array.ndim
    reduced = sorted(axis % rank for axis in axes)
    kept = [d for d in range(rank) if d not in reduced]
    moved = np.transpose(array, kept + reduced)
    shape = moved.shape[:len(kept)]
    return shape, moved.reshape(int(np.prod(shape, dtype=int)), -1)


class AxisTest(ReduceTest):
    def reduce_axes(self, source, axes, operations, *options, ranks=0):
        """Results by operation."""
        self.assert_done("reduce", source, "--op", ",".join(operations), "--axis", ",".join(map(str, axes)),
                         "--output", "o.h5", "--overwrite", "--quiet", *options, ranks=ranks)
        self.assertFalse(os.path.exists(self.path("o.h5.part")))
        with h5py.File(self.path("o.h5")) as file:
            return {name.split("=")[0]: file[name.split("=")[0]][()] for name in operations}

    def assert_axes(self, array, axes, *options, operations=OPERATIONS, source=None, ddof=0,
                    devices=("reference", "cpu")):
        source = source or self.save(array)
        shape, rows = elements_of(array, axes)
        wanted = [expected(row, ddof) for row in rows]
        for device in devices:
            got = self.reduce_axes(source, axes, operations, "--device", device, *options)
            for name in operations:
                ours = got[name]
                self.assertEqual(ours.shape, shape + ((2,) if name == "minmax" else ()), name)
                flat = ours.reshape((len(rows),) + ours.shape[len(shape):])
                for i, one in enumerate(flat):
                    for theirs, mine in zip(np.atleast_1d(wanted[i][name]), np.atleast_1d(one)):
                        mine, theirs = mine.item(), theirs.item()
                        if name in FLOATS and array.dtype.kind == "f":
                            theirs = float(theirs)
                        self.assertTrue(same(theirs, mine),
                                        f"{name}[{i}] of {array.shape} along {axes} on {device} {options}: "
                                        f"{mine!r}, not {theirs!r}")


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


class Inputs(AxisTest):
    def test_chunks_with_edges(self):
        array = np.random.default_rng(9).standard_normal((23, 17, 11))
        for chunks, options in (((5, 4, 3), {"compression": 1, "shuffle": True}), ((23, 1, 11), {}),
                                ((1, 17, 4), {"fletcher32": True}), ((40, 30, 30), {"maxshape": (None,) * 3})):
            with h5py.File(self.path("a.h5"), "w") as file:
                file.create_dataset("x", data=array, chunks=chunks, **options)
            for axes in ((0,), (1,), (2,), (0, 2), (1, 2)):
                self.assert_axes(array, axes, source="a.h5:/x", operations=("sum", "argmax", "std"), devices=("cpu",))

    def test_contiguous_hdf5_and_raw(self):
        array = np.random.default_rng(10).standard_normal((30, 40)).astype(">f4")
        with h5py.File(self.path("a.h5"), "w") as file:
            file["x"] = array
        array.tofile(self.path("a.raw"))
        for source in ("a.h5:/x", "a.raw?dtype=>f4&shape=30x40"):
            for axis in (0, 1):
                self.assert_axes(array, (axis,), source=source, operations=("sum", "min"), devices=("cpu",))

    def test_several_files(self):
        array = np.random.default_rng(11).standard_normal((30, 8))
        for i, part in enumerate(np.split(array, 3)):
            np.save(self.path(f"part{i}.npy"), np.asfortranarray(part) if i == 1 else part)
        for axis in (0, 1):
            self.assert_axes(array, (axis,), source="part*.npy", operations=("sum", "argmin"))

    def test_made_arrays(self):
        got = self.reduce_axes("linspace:0,9?count=10", (0,), ("sum", "argmax"))
        self.assertEqual((got["sum"].item(), got["argmax"].item()), (45.0, 9))

    def test_the_area_of_an_image_by_rows(self):
        self.assert_done("render", "--size", "40x30", "--output", "i.h5", "--iterations", "64", "--quiet")
        with h5py.File(self.path("i.h5")) as file:
            image = file["iterations"][()]
        self.assert_axes(image, (1,), source="i.h5:/iterations", operations=("sum", "max"), devices=("cpu",))


class Outputs(AxisTest):
    def test_npy_files_that_numpy_reads(self):
        array = np.random.default_rng(12).standard_normal((6, 7, 8))
        for axes in ("0", "-1", "0,1", "0,1,2"):
            for operation, dtype in (("sum", "f8"), ("argmin", "i8"), ("any", "?"), ("minmax", "f8")):
                self.assert_done("reduce", self.save(array), "--op", operation, "--axis", axes, "--output", "o.npy",
                                 "--overwrite", "--quiet")
                got = np.load(self.path("o.npy"))
                self.assertEqual(got.dtype, np.dtype(dtype))
                shape = elements_of(array, tuple(map(int, axes.split(","))))[0]
                self.assertEqual(got.shape, shape + ((2,) if operation == "minmax" else ()))

    def test_say_how_they_were_made(self):
        self.save(np.ones((3, 4)))
        table = self.assert_done("reduce", "a.npy", "--op", "sum,mean", "--axis", "0", "--output", "o.h5", "--report",
                                 "r.json")
        self.assertIn("sum            f8 4 in o.h5:/sum\nmean           f8 4 in o.h5:/mean\n", table)
        with h5py.File(self.path("o.h5")) as file:
            attributes = {key: value.decode() for key, value in file.attrs.items()}
            self.assertEqual(file["sum"][()].tolist(), [3.0] * 4)
        self.assertEqual((attributes["input"], attributes["axis"], attributes["op"], attributes["format"]),
                         ("a.npy", "0", "sum,mean", "tessera-reduction"))
        self.assertIn(".", attributes["version"])
        report = self.read_report()
        self.assertEqual(report["results"][1], {"op": "mean", "dtype": "f8", "shape": [4], "file": "o.h5",
                                                "dataset": "mean"})
        self.assertEqual(report["array"]["elements"], 12)
        self.assertEqual(sum(rank["elements"] for rank in report["ranks"]), 12)

    def test_no_elements(self):
        for shape, axis in (((0, 4), 0), ((4, 0), 1)):
            got = self.reduce_axes(self.save(np.zeros(shape)), (axis,), ("sum", "mean", "all", "norm2"))
            self.assertEqual(got["sum"].tobytes(), np.zeros(4).tobytes())
            self.assertTrue(np.isnan(got["mean"]).all())
            self.assertTrue(got["all"].all())
            self.assert_refused(["reduce", "a.npy", "--op", "max", "--axis", str(axis), "--output", "n.npy"], 2, "max",
                                "empty")
        for shape, axis in (((0, 4), 1), ((4, 0), 0)):
            got = self.reduce_axes(self.save(np.zeros(shape)), (axis,), ("sum", "max"))
            self.assertEqual(got["max"].shape, (0,))

    def test_are_not_replaced_unasked(self):
        self.save(np.ones((3, 4)))
        self.write("o.npy", "mine")
        command = ["reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "o.npy"]
        self.assert_refused(command, 2, "o.npy", "--overwrite")
        self.assert_done(*command, "--overwrite", "--quiet")
        self.assertEqual(np.load(self.path("o.npy")).tolist(), [3.0] * 4)
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "a.npy", "--overwrite"], 2,
                            "INPUT")

    def state_of(self, name):
        found = os.stat(self.path(name))
        return found.st_ino, found.st_size, found.st_mtime_ns

    def assert_left_as_it_is(self, command, output, **options):
        before = self.state_of(output)
        done = self.run_program(*command, "--report", "again.json", **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{output} is complete already", done.stderr)
        self.assertEqual(self.state_of(output), before)
        with open(self.path("again.json")) as file:
            return json.load(file)

    def test_a_finished_one_is_left_as_it_is_by_the_same_command(self):
        self.save(np.array([[1.0, np.nan, np.inf], [2.0, -np.inf, 3.0]]))
        for output in ("o.npy", "o.h5"):
            command = ("reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", output)
            self.assert_done(*command, "--quiet", "--report", "r.json")
            first = self.read_report()
            for ranks in (0, 2):
                again = self.assert_left_as_it_is(command, output, ranks=ranks)
                self.assertEqual((again["array"], again["results"]), (first["array"], first["results"]))
                self.assertEqual(again["found_slices"], first["total"]["slices"])
                self.assertEqual(again["total"]["slices"], 0)
            # How the work is done, and from where, is no part of the job.
            self.assert_left_as_it_is(("reduce", self.path("a.npy"), *command[2:], "--slice", "64K", "--threads", "1"),
                                      output)
            before = self.state_of(output)
            self.assert_done(*command, "--overwrite", "--quiet")
            self.assertNotEqual(self.state_of(output), before)
            self.assert_left_as_it_is(command, output)

    def test_one_that_is_not_known_to_be_the_same_is_not_called_complete(self):
        def edit(name):
            with open(self.path(name), "r+b") as file:
                file.seek(-8, os.SEEK_END)
                file.write(struct.pack("<d", 7.0))

        def cut_the_note():
            os.truncate(self.path("o.npy.done"), os.path.getsize(self.path("o.npy.done")) - 1)

        command = ("reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "o.npy")
        later = 10**9 * 2**31
        for change in (lambda: edit("o.npy"), lambda: edit("a.npy"), cut_the_note,
                       lambda: os.remove(self.path("o.npy.done")),
                       lambda: os.utime(self.path("a.npy"), ns=(later, later)),
                       lambda: self.save(np.ones((3, 5))),
                       lambda: shutil.copy(self.path("o.npy"), self.path("p.npy")) and
                       os.replace(self.path("p.npy"), self.path("o.npy"))):
            self.save(np.ones((3, 4)))
            self.assert_done(*command, "--overwrite", "--quiet")
            self.assert_left_as_it_is(command, "o.npy")
            os.remove(self.path("again.json"))
            change()
            self.assert_refused(command, 2, "o.npy: is there already", "--overwrite")
        self.assert_done(*command, "--overwrite", "--quiet")
        for other in (("a.npy", "--op", "max"), ("a.npy", "--op", "sum", "--nan", "skip"), ("b.npy", "--op", "sum")):
            shutil.copy2(self.path("a.npy"), self.path("b.npy"))
            self.assert_refused(("reduce", *other, *command[4:]), 2, "o.npy: is there already")

    def test_what_refers_to_other_files_is_never_known_to_be_the_same(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file["x"] = np.ones((3, 4))
            file.create_dataset("y", data=np.ones((3, 4)), chunks=(1, 4))
        with h5py.File(self.path("other.h5"), "w") as file:
            layout = h5py.VirtualLayout((3, 4), "f8")
            layout[:] = h5py.VirtualSource("a.h5", "x", (3, 4))
            file.create_virtual_dataset("virtual", layout)
            file["linked"] = h5py.ExternalLink("a.h5", "/x")
            file["chunked"] = h5py.ExternalLink("a.h5", "/y")
            file["own"] = np.ones((3, 4))
        for dataset in ("virtual", "linked", "chunked"):
            command = ("reduce", "other.h5:/" + dataset, "--op", "sum", "--axis", "0", "--output", dataset + ".npy")
            self.assert_done(*command, "--quiet")
            self.assertEqual(np.load(self.path(dataset + ".npy")).tolist(), [3.0] * 4)
            self.assert_refused(command, 2, "is there already")
        command = ("reduce", "other.h5:/own", "--op", "sum", "--axis", "0", "--output", "own.npy")
        self.assert_done(*command, "--quiet")
        self.assert_left_as_it_is(command, "own.npy")

    def test_leave_nothing_when_the_input_is_damaged(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            data = file.create_dataset("x", data=np.ones((8, 1000)), chunks=(2, 1000), compression=1)
            offset = data.id.get_chunk_info(2).byte_offset
        with open(self.path("a.h5"), "r+b") as file:
            file.seek(offset)
            file.write(b"damage")
        self.assert_refused(["reduce", "a.h5:/x", "--op", "sum", "--axis", "0", "--output", "o.npy"], 4, "[4, 0]")


class Mistakes(AxisTest):
    def test_are_told(self):
        self.save(np.ones((3, 4)))
        for options, words in ((["--axis", "2"], ("--axis 2", "2 dimensions, 3x4")),
                               (["--axis", "-3"], ("--axis -3", "2 dimensions, 3x4")),
                               (["--axis", "0,-2"], ("--axis -2", "twice", "3x4")),
                               (["--axis", "one"], ("--axis", "'one'")),
                               (["--axis", ""], ("--axis", "no axis"))):
            self.assert_refused(["reduce", "a.npy", "--op", "sum", "--output", "o.npy", *options], 2, *words)
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--axis", "0"], 2, "--axis", "--output")
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--output", "o.npy"], 2, "--output", "--axis", "--report")
        self.assert_refused(["reduce", "a.npy", "--op", "sum,max", "--axis", "0", "--output", "o.npy"], 2, "o.npy",
                            ".h5")
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "o.csv"], 2, "o.csv", ".npy")
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "no/o.npy"], 2, "no/o.npy",
                            "no folder")
        self.save(np.array(3.0))
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "o.npy"], 2, "0 dimensions",
                            "scalar")


class Memory(AxisTest):
    def test_grows_with_neither_the_array_nor_the_result(self):
        with open(self.path("a.raw"), "wb") as file:
            file.truncate(300 << 20)
        for axis in ("0", "1"):
            self.assert_done("reduce", f"a.raw?dtype=u1&shape=3x{100 << 20}", "--op", "max", "--axis", axis, "--output",
                             "o.npy", "--overwrite", "--quiet", "--memory", "100M", "--threads", "1", "--report",
                             "r.json")
            self.assertLess(self.read_report()["total"]["peak_memory_bytes"], 100 << 20)


if __name__ == "__main__":
    main()
