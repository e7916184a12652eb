"""tessera reduce --axis: the files that it reads and writes, and what it refuses."""

import os
import shutil
import struct

from axis_reduction import AxisTest, elements_of
from program import main
from reduction import h5py, np


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
            attributes = dict(file.attrs)
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
        return self.read_json("again.json")

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
            self.assert_refused((*command, "--device", "abacus"), 2, "--device abacus")
            self.assertEqual(self.state_of(output), before)
            self.assert_done(*command, "--overwrite", "--quiet")
            self.assertNotEqual(self.state_of(output), before)
            self.assert_left_as_it_is(command, output)

    def test_a_disk_that_lacks_a_few_bytes_is_told_of_in_bytes(self):
        self.small_disk("8k")
        self.save(np.ones((1, 1025)))
        self.assert_refused(("reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "disk/o.npy"), 2,
                            "8192 B free", "the file needs 8200 B")

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

    def test_a_file_of_somebody_else_where_the_note_goes_stays(self):
        self.save(np.ones((3, 4)))
        with open(self.path("o.npy.done"), "w") as file:
            file.write("by make\n")
        command = ("reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "o.npy")
        self.assert_refused(command, 2, "o.npy.done exists and is not of tessera")
        with open(self.path("o.npy.done")) as file:
            self.assertEqual(file.read(), "by make\n")

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
                               (["--axis", "one"], ("--axis", "have no names")),
                               (["--axis", ""], ("--axis", "no axis"))):
            self.assert_refused(["reduce", "a.npy", "--op", "sum", "--output", "o.npy", *options], 2, *words)
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--axis", "0"], 2, "--axis", "--output")
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--output", "o.npy"], 2, "--output", "--axis", "--report")
        self.assert_refused(["reduce", "a.npy", "--op", "sum,max", "--axis", "0", "--output", "o.npy"], 2, "o.npy",
                            ".h5")
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "o.csv"], 2, "o.csv", ".npy")
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

    def test_of_few_outputs_is_small(self):
        self.save(np.zeros((2, 3), "u1"))
        self.assert_done("reduce", "a.npy", "--op", "histogram=64,0,1", "--axis", "0", "--output", "o.h5", "--quiet",
                         "--memory", "100M")


if __name__ == "__main__":
    main()
