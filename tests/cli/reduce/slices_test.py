"""Slices of INPUTs, INPUT[10:20, ::4, -1], against NumPy's."""

import random

import array_files
import h5py
from program import main
from reduction import ReduceTest, expected, np


class Slices(ReduceTest):
    def setUp(self):
        super().setUp()
        self.array = np.random.default_rng(1).standard_normal((24, 31, 18))
        self.save(self.array)
        self.save(np.asfortranarray(self.array), "f.npy")
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("x", data=self.array, chunks=(5, 8, 7), compression="gzip")
            file["plain"] = self.array
        array_files.write_zarr2(self.path("a.zarr"), self.array, (5, 8, 7))
        array_files.write_netcdf3(self.path("a.nc"), {"x": (self.array, {}), "y": (self.array[:, 0, 0], {})}, 1, ["x", "y"])
        self.sources = ("a.npy", "f.npy", "a.h5:/x", "a.h5:/plain", "a.zarr", "a.nc:/x")

    def random_slice(self, choose):
        parts = []
        for side in self.array.shape:
            kind = choose.randrange(4)
            if kind == 0:
                parts.append(str(choose.randrange(-side, side)))
            elif kind == 1:
                parts.append(":")
            else:
                bound = lambda: choose.choice(["", str(choose.randrange(-side, 2 * side))])
                parts.append(f"{bound()}:{bound()}" + choose.choice(["", ":", f":{choose.randrange(1, 9)}"]))
        return ", ".join(parts[:choose.randrange(1, 4)])

    def test_are_those_of_numpy(self):
        choose = random.Random(7)
        for source in self.sources:
            for _ in range(6):
                text = self.random_slice(choose)
                part = np.asarray(eval(f"self.array[{text}]"))  # noqa: S307
                what = f"{source}[{text}]"
                if part.size == 0:
                    self.assert_answers(what, {"sum": 0.0})
                    continue
                wanted = expected(part)
                names = ("sum", "min", "argmin", "argmax")
                self.assert_answers(what, {name: wanted[name] for name in names}, "--slice", choose.choice(["4K", "8M"]))
                if part.ndim:
                    axis = choose.randrange(part.ndim)
                    self.assert_done("reduce", what, "--op", "max", "--axis", str(axis), "--output", "o.npy", "--overwrite", "--quiet")
                    np.testing.assert_array_equal(np.load(self.path("o.npy")), part.max(axis))

    def test_long_steps_take_no_memory_for_what_they_leave_out(self):
        for source in self.sources:
            for step in (30, 10**15):
                part = self.array[2:20:step, 5::step]
                self.assert_answers(f"{source}[2:20:{step}, 5::{step}]", {"sum": expected(part)["sum"]}, "--memory", "512M")
        with h5py.File(self.path("wide.h5"), "w") as file:
            file.create_dataset("x", (1 << 33,), "f4", chunks=(1 << 16,))[0] = 3
        self.assert_answers(f"wide.h5:/x[::{1 << 32}]", {"sum": 3.0}, "--memory", "512M")
        np.lib.format.open_memmap(self.path("wide.npy"), "w+", "f8", (1 << 30,))[1 << 29] = 5
        self.assert_answers(f"wide.npy[::{1 << 29}]", {"sum": 5.0}, "--memory", "512M")

    def test_of_slices_are_those_of_numpy(self):
        choose = random.Random(2)
        for _ in range(60):
            rows, columns = (f"{choose.randrange(3)}:{choose.randrange(12, 24)}:{choose.randrange(1, 4)}" for _ in range(2))
            again = f"{choose.randrange(2)}::{choose.randrange(1, 4)}, ::{choose.randrange(1, 4)}, {choose.randrange(3)}::2"
            source = choose.choice(self.sources)
            with self.subTest(source=source, slices=(rows, columns, again)):
                wanted = eval(f"self.array[{rows}, {columns}][{again}]")
                self.assert_answers(f"x={source}[{rows}, {columns}]", {"sum": expected(wanted)["sum"]}, "--map", f"x[{again}] * 1")

    def test_of_slices_and_of_joined_files_have_their_coordinates(self):
        for name, first in (("j1", 0), ("j2", 4)):
            with h5py.File(self.path(f"{name}.h5"), "w") as file:
                file["x"], file["time"] = np.arange(4.0) + first, (np.arange(4.0) + first) * 100
                file["time"].make_scale("time")
                file["x"].dims[0].attach_scale(file["time"])
        for text, source, wanted in (("x[1:] * 1", "j2.h5:/x[1:4]", [6, 7]), ("x[2:6] * 1", "j*.h5:/x", [2, 3, 4, 5]),
                                     ("x[::3] * 1", "j*.h5:/x[1:]", [1, 5])):
            with self.subTest(text=text, source=source):
                self.assert_done("map", text, f"x={source}", "--output", "o.h5", "--overwrite", "--quiet")
                with h5py.File(self.path("o.h5")) as file:
                    self.assertEqual(file["map"][...].tolist(), wanted)
                    self.assertEqual(file["time"][...].tolist(), [100 * time for time in wanted])

    def test_an_ellipsis_and_all(self):
        whole = expected(self.array)["sum"]
        for text in ("...", ":", "::, ...", "0:24"):
            self.assert_answers(f"a.npy[{text}]", {"sum": whole})
        self.assert_answers("a.h5:/x[..., 3]", {"sum": expected(self.array[..., 3])["sum"]})
        self.assert_answers("a.zarr:/[2, ..., ::3]", {"sum": expected(self.array[2, ..., ::3])["sum"]})

    def test_everywhere_an_input_is(self):
        a, b = self.array[1:], self.array[:-1]
        self.assert_answers("x=a.npy[1:]", {"max": (a - b).max()}, "--map", "x - y", "y=a.h5:/x[:-1]")
        self.assert_done("map", "x - y", "x=a.npy[1:]", "y=a.zarr[:-1]", "--output", "d.npy", "--quiet")
        np.testing.assert_array_equal(np.load(self.path("d.npy")), a - b)
        keys = np.random.default_rng(2).integers(0, 3, self.array.shape).astype("i2")
        self.save(keys, "k.npy")
        self.assert_done("reduce", "a.npy[2:4, :, 0]", "--op", "max", "--by", "k.npy[2:4, :, 0], k.npy[1:3, :, 1]", "--output", "t.npy")
        table = np.load(self.path("t.npy"))
        part, first, second = self.array[2:4, :, 0], keys[2:4, :, 0], keys[1:3, :, 1]
        self.assertEqual(list(table["max"]), [part[(first == i) & (second == j)].max() for i in range(3) for j in range(3)])
        _, got = self.reduce("a.npy[0]", ("dot",), "--with", "f.npy[1]")
        self.assertAlmostEqual(got["dot"], float((self.array[0] * self.array[1]).sum()), places=9)
        joined = self.run_program("reduce", "a.npy[:2]", "a.h5:/x[5:6]", "--op", "max", "--quiet")
        self.assertEqual(float(joined.stdout), self.array[[0, 1, 5]].max())
        self.assertIn("1x2", self.assert_done("info", "a.npy[3, 4:5, :2]"))

    def test_packed_numbers_are_sliced(self):
        array_files.write_netcdf3(self.path("p.nc"), {"t": (np.array([1, -9, 3, 5], "i2"), {
            "_FillValue": np.int16(-9), "scale_factor": np.float64(0.5)})})
        self.assert_answers("p.nc:/t[1:]", {"sum": 4.0, "min": 1.5})

    def test_a_file_of_that_name_comes_first(self):
        self.save(np.arange(5.0), "n[1:3].npy")
        self.assert_answers("n[1:3].npy", {"sum": 10.0})
        self.assert_answers("n[1:3].npy[1:3]", {"sum": 3.0})

    def test_wrong_ones(self):
        for text, word in (("24", "index 24"), ("-25", "index -25"), ("0, 0, 0, 0", "4 parts"), ("::0", "1 or more"),
                           ("::-1", "1 or more"), ("a", "'a'"), ("", "no slice"), ("1:2:3:4", "no slice"), ("..., ...", "several"),
                           ("0.5", "0.5")):
            self.assert_refused(("reduce", f"a.npy[{text}]", "--op", "sum"), 2, word)
        self.assert_refused(("reduce", "random:uniform?count=9[1:3]", "--op", "sum"), 2, "generated")
        self.assert_refused(("reduce", "none.npy[0]", "--op", "sum"), 3, "no such file")

    def test_are_part_of_the_job(self):
        job = ("reduce", "a.npy[0]", "--op", "sum", "--axis", "0", "--output", "o.npy")
        self.assert_done(*job)
        self.assertIn("complete already", self.run_program(*job).stderr)
        self.assert_refused(("reduce", "a.npy[1]", *job[2:]), 2, "o.npy")


if __name__ == "__main__":
    main()
