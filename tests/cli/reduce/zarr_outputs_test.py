"""Arrays that are written as Zarr, read by a reader that knows the specification and nothing else, and by Tessera."""

import json
import os
import shutil

import array_files
import zarr_files
from map_test import TYPES, MapTest, sample
from program import main
from reduction import h5py, np


class ZarrTest(MapTest):
    def setUp(self):
        super().setUp()
        numbers = np.random.default_rng(64)
        self.a, self.b = numbers.standard_normal((2, 200, 301))
        self.save(self.a, "a.npy")
        self.save(self.b, "b.npy")

    def to_zarr(self, *arguments, ranks=0, output="c.zarr"):
        """The arrays of the group."""
        self.assert_done(*arguments, "--output", output, "--quiet", "--overwrite", ranks=ranks)
        folder = output.rstrip("/").partition(":/")[0]
        made = sorted(name for name in os.listdir(self.folder) if name.startswith(folder))
        self.assertEqual(made, [folder, folder + ".done"])
        attributes, arrays = zarr_files.read_group(self.path(folder))
        self.assertEqual(attributes["format"], "tessera-map" if arguments[0] == "map" else "tessera-reduction")
        return arrays

    def assert_read(self, name, values):
        """By Tessera itself."""
        self.assert_done("map", "x", f"x=c.zarr:/{name}", "--output", "read.npy", "--overwrite", "--quiet")
        self.assert_same(np.load(self.path("read.npy")), values, name)


class Maps(ZarrTest):
    def test_of_every_type_are_those_of_numpy(self):
        numbers = np.random.default_rng(1)
        for code in TYPES:
            for shape, options in (((41, 37), ()), ((41, 37), ("--compress", "0")), ((7, 5, 11), ("--chunk", "3x5x4")),
                                   ((130,), ("--chunk", "7", "--compress", "0"))):
                with self.subTest(code=code, shape=shape, options=options):
                    x = sample(code, shape, numbers)
                    self.save(x, "x.npy")
                    arrays = self.to_zarr("map", "same = x; less = x < 0", "x=x.npy", *options)
                    self.assertEqual(list(arrays), ["less", "same"])
                    self.assert_same(arrays["same"].values, x, "same")
                    self.assert_same(arrays["less"].values, x < 0, "less")
                    self.assert_read("same", x)
                    self.assert_read("less", x < 0)
                    self.assertEqual(arrays["same"].names, [f"dim_{d}" for d in range(x.ndim)])

    def test_of_any_number_of_ranks_are_the_same_files(self):
        job = ("map", "c = a + b; less = a < b; half = f2(a)", "a.npy", "b.npy", "--slice", "32K")
        for options in ((), ("--compress", "2"), ("--compress", "3", "--chunk", "70x64"), ("--chunk", "999x1", "--compress", "2"),
                        ("--chunk", "7x301", "--compress", "0"), ("--compress", "0"), ("--chunk", "1x2")):
            found = []
            for ranks in (0, 2):
                with self.subTest(options=options, ranks=ranks):
                    arrays = self.to_zarr(*job, *options, ranks=ranks)
                    self.assert_same(arrays["c"].values, self.a + self.b, "c")
                    self.assert_same(arrays["less"].values, self.a < self.b, "less")
                    self.assert_same(arrays["half"].values, self.a.astype("f2"), "half")
                    found.append(self.contents("c.zarr"))
            self.assertEqual(found[0], found[1])

    def contents(self, folder):
        """By path."""
        contents = {}
        for place, _, names in os.walk(self.path(folder)):
            for name in names:
                with open(os.path.join(place, name), "rb") as file:
                    contents[os.path.relpath(os.path.join(place, name), self.path(folder))] = file.read()
        return contents

    def test_shards_of_many_chunks(self):
        """Of consecutive chunks, as many as a 64th of all: those of a shard are in whole rows, or a divisor of a row."""
        for shape, chunk, chunks_of_shard in (((640, 301), (10, 301), (1, 1)), ((1280, 301), (10, 301), (2, 1)),
                                              ((1285, 301), (10, 301), (2, 1)), ((640, 20), (10, 10), (1, 2)),
                                              ((60, 320), (2, 10), (1, 8)), ((60, 310), (2, 10), (1, 1)),
                                              ((4, 6, 700), (1, 1, 1), (1, 1, 175)), ((1, 700), (1, 1), (1, 10))):
            with self.subTest(shape=shape, chunk=chunk):
                x = np.arange(np.prod(shape), dtype="f8").reshape(shape)
                self.save(x, "x.npy")
                for compress in ("0", "1"):
                    array = self.to_zarr("map", "x", "x=x.npy", "--chunk", "x".join(map(str, chunk)), "--compress", compress,
                                         "--threads", "3")["map"]
                    self.assertEqual(array.chunk, chunk)
                    self.assertEqual(tuple(a // b for a, b in zip(array.shard, chunk)), chunks_of_shard)
                    self.assert_same(array.values, x, "x")
                    self.assert_read("map", x)

    def test_without_compression_are_one_shard_in_c_order(self):
        for shape, part in (((200, 301), (200, 301)), ((300, 1000), (131, 1000)), ((3, 262144), (1, 131072)),
                            ((2, 131101), (1, 131101)), ((2, 131101, 2), (1, 131101, 2))):
            for order in "CF":
                with self.subTest(shape=shape, order=order):
                    x = np.arange(np.prod(shape), dtype="f8").reshape(shape)
                    self.save(np.asarray(x, order=order), "x.npy")
                    array = self.to_zarr("map", "x", "x=x.npy", "--compress", "0")["map"]
                    self.assertEqual((array.chunk, array.shards), (part, 1))
                    with open(self.path("c.zarr/map/c/" + "/".join("0" * len(shape))), "rb") as file:
                        self.assertEqual(file.read(x.nbytes), x.tobytes())
                    self.assert_read("map", x)

    def test_have_the_chunks_of_the_input(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("a", data=self.a, chunks=(33, 20), compression=1)
        array = self.to_zarr("map", "a*b", "a.h5:/a", "b.npy")["map"]
        self.assertEqual((array.chunk, array.shard), ((33, 20), (33, 20)))
        self.assert_same(array.values, self.a * self.b, "a*b")

    def test_chunks_that_do_not_shrink_are_stored(self):
        """Also those that shrink by less than what Blosc adds."""
        noise = np.random.default_rng(3).integers(0, 256, 4096, "u1")
        for repeated in range(0, 64):
            x = noise.copy()
            x[:repeated] = 0
            self.save(x, "x.npy")
            self.assert_same(self.to_zarr("map", "x", "x=x.npy", "--compress", "3")["map"].values, x, repeated)

    def test_without_elements_or_dimensions(self):
        for value in (np.zeros((0, 3)), np.zeros((4, 0), "i2"), np.array(2.0), np.array(True)):
            for options in ((), ("--compress", "0"), ("--chunk", "2x2") if value.ndim else ()):
                self.save(value, "x.npy")
                array = self.to_zarr("map", "x", "x=x.npy", *options)["map"]
                self.assert_same(array.values, value, value.shape)
                self.assert_read("map", value)

    def test_in_groups_and_beside_other_files(self):
        arrays = self.to_zarr("map", "a + b", "a.npy", "b.npy", output="c.zarr:/of/both/sum")
        self.assert_same(arrays["of/both/sum"].values, self.a + self.b, "sum")
        self.assert_read("of/both/sum", self.a + self.b)
        outputs = ("--output", "c=c1.zarr", "--output", "d=d.zarr:/x/d", "--output", "e=e.npy", "--output", "f=f.h5")
        for options in ((), ("--compress", "0")):
            for ranks in (0, 2):
                self.assert_done("map", "c = a + b", "d = a < b", "e = a - b", "f = a", "a.npy", "b.npy", *outputs, "--overwrite",
                                 *options, "--quiet", ranks=ranks)
                self.assert_same(zarr_files.read_group(self.path("c1.zarr"))[1]["c"].values, self.a + self.b, "c")
                self.assert_same(zarr_files.read_group(self.path("d.zarr"))[1]["x/d"].values, self.a < self.b, "d")
                self.assert_same(np.load(self.path("e.npy")), self.a - self.b, "e")
                shutil.rmtree(self.path("d.zarr"))


class Names(ZarrTest):
    def setUp(self):
        super().setUp()
        self.time, self.lat = np.arange(200, dtype="i4") * 30, np.linspace(-75, 75, 301)
        with h5py.File(self.path("era.nc"), "w") as file:
            file["time"], file["lat"] = self.time, self.lat
            file["time"].attrs["units"] = "days since 2001-01-01"
            x = file.create_dataset("t", data=self.a)
            for dimension, name in zip(x.dims, ("time", "lat")):
                file[name].make_scale(name)
                dimension.attach_scale(file[name])

    def assert_coordinate(self, array, name, values):
        self.assertEqual(array.names, [name])
        self.assert_same(array.values, values, name)

    def test_and_coordinates_of_an_array_in_a_group_are_found_above_it(self):
        self.to_zarr("map", "t + 1", "t=era.nc:/t", output="g.zarr:/of/a/run")
        arrays = self.to_zarr("map", "c = t * 2", "t=g.zarr:/of/a/run", output="again.zarr")
        self.assertEqual(sorted(arrays), ["c", "lat", "time"])
        self.assert_coordinate(arrays["time"], "time", self.time)

    def test_and_coordinates_are_written_with_maps(self):
        arrays = self.to_zarr("map", "c = t + 1; d = -t", "t=era.nc:/t")
        self.assertEqual(sorted(arrays), ["c", "d", "lat", "time"])
        for name in "cd":
            self.assertEqual(arrays[name].names, ["time", "lat"])
        self.assert_coordinate(arrays["time"], "time", self.time)
        self.assertEqual(arrays["time"].attributes, {"units": "days since 2001-01-01"})
        self.assert_coordinate(arrays["lat"], "lat", self.lat)
        shown = json.loads(self.assert_done("info", "c.zarr", "--json"))["files"][0]["datasets"]
        self.assertEqual({one["name"]: one["dimensions"] for one in shown}["/c"], ["time", "lat"])
        part = self.to_zarr("map", "t", "t=era.nc:/t[time=5:9]", "--compress", "0")
        self.assert_coordinate(part["time"], "time", self.time[5:9])
        self.assert_same(part["map"].values, self.a[5:9], "slice")
        # What was written can be given to the next command by the same names.
        self.assert_done("reduce", "c.zarr:/map", "--op", "sum", "--axis", "time", "--output", "s.npy", "--quiet")
        self.assertEqual(np.load(self.path("s.npy")).shape, (301,))

    def test_of_other_lengths_are_by_place(self):
        """Each dimension has one length in a group."""
        self.assert_done("reduce", "a.npy", "--axis", "0", "--op", "mean,quantile=0.1,0.9,histogram=4,-1,1", "--output", "c.zarr", "--quiet")
        arrays = zarr_files.read_group(self.path("c.zarr"))[1]
        self.assertEqual({name: array.names for name, array in arrays.items()}, {
            "mean": ["dim_0"], "quantile": ["dim_0", "dim_1"], "histogram": ["dim_0", "dim_1_4"], "histogram_edges": ["histogram_edges"]})
        self.assert_done("reduce", "era.nc:/t", "--axis", "lat", "--op", "mean,histogram=4,-1,1", "--dims", "histogram_edges,lat", "--output", "d.zarr", "--quiet")
        arrays = zarr_files.read_group(self.path("d.zarr"))[1]
        self.assertEqual(sorted(arrays), ["histogram", "histogram_edges", "mean"])

    def test_that_lead_elsewhere_are_no_coordinates(self):
        self.assert_done("map", "a", "a=a.npy", "--dims", "..,lat", "--output", "c.zarr", "--quiet")
        self.assertEqual(sorted(os.listdir(self.path("c.zarr"))), ["map", "zarr.json"])
        self.assertEqual(zarr_files.read_group(self.path("c.zarr"))[1]["map"].names, ["..", "lat"])


class Reductions(Names):
    def reduced(self, *arguments, ranks=0):
        arrays = self.to_zarr("reduce", *arguments, ranks=ranks)
        self.assert_done("reduce", *arguments, "--output", "c.h5", "--overwrite", "--quiet")
        with h5py.File(self.path("c.h5")) as file:
            for name, array in arrays.items():
                if name in file:  # but for names that HDF5 needs a dataset for
                    self.assert_same(array.values, file[name][()], name)
            self.assertLessEqual({name for name in file if not file[name].attrs.get("NAME", b"").startswith(b"This is")},
                                 set(arrays))
        return arrays

    def test_along_axes_are_those_of_hdf5(self):
        operations = "mean,std,minmax,argmax,quantile=0.1,0.9,histogram=4,-1,1,any"
        for axis, names in (("0", ["lat"]), ("time", ["lat"]), ("lat", ["time"]), ("0,1", [])):
            for ranks in (0, 2):
                with self.subTest(axis=axis, ranks=ranks):
                    arrays = self.reduced("era.nc:/t", "--op", operations, "--axis", axis, ranks=ranks)
                    self.assertEqual(arrays["mean"].names, names)
                    np.testing.assert_allclose(arrays["mean"].values, self.a.mean(
                        {"0": 0, "time": 0, "lat": 1, "0,1": None}[axis]), rtol=1e-9, atol=1e-12)
                    self.assertEqual(arrays["any"].values.dtype, bool)
                    if names:
                        self.assertEqual(arrays["quantile"].names, [*names, "probability"])
                        self.assert_coordinate(arrays["probability"], "probability", np.array([.1, .9]))
                    self.assert_same(arrays["histogram_edges"].values, np.array([-1, -.5, 0, .5, 1]), "edges")
                    self.assert_read("std", arrays["std"].values)

    def test_by_groups_along_an_axis_are_those_of_hdf5(self):
        self.save(np.arange(200) % 4, "k.npy")
        arrays = self.reduced("era.nc:/t", "--by", "k.npy", "--axis", "0", "--op", "mean,median")
        self.assertEqual(arrays["mean"].values.shape, (4, 301))
        self.assertEqual(arrays["mean"].names[1], "lat")
        group = arrays["mean"].names[0]
        self.assert_coordinate(arrays[group], group, np.arange(4).astype(arrays[group].values.dtype))

    def test_tables_of_groups_are_those_of_hdf5(self):
        self.save(np.arange(200 * 301).reshape(200, 301) % 7, "k.npy")
        job = ("reduce", "a.npy", "--by", "k.npy", "--op", "sum,count", "--quiet", "--output")
        self.assert_done(*job, "t.zarr")
        self.assertIn("t.zarr is complete already", self.run_program(*[one for one in job if one != "--quiet"], "t.zarr").stderr)
        self.assert_refused((*job, "t.zarr", "--nan", "skip"), 2, "t.zarr", "is there already")
        self.assert_done(*job, "t.zarr", "--nan", "skip", "--overwrite")
        self.assert_done(*job, "t.h5")
        with h5py.File(self.path("t.h5")) as file:
            arrays = zarr_files.read_group(self.path("t.zarr"))[1]
            self.assertEqual(sorted(arrays), sorted(file))
            for name in file:
                self.assert_same(arrays[name].values, file[name][()], name)

    def test_of_a_folder_whose_chunk_was_exchanged_with_its_time_are_made_again(self):
        x = np.arange(40.0).reshape(8, 5)
        array_files.write_zarr3(self.path("x.zarr"), x, (4, 5))
        job = ("reduce", "x.zarr", "--op", "sum", "--axis", "0", "--output", "s.npy", "--quiet")
        self.assert_done(*job)
        chunk = self.path("x.zarr/c/0/0")
        before = os.stat(chunk)
        with open(chunk, "r+b") as file:
            file.write(np.full(5, 1000.0).tobytes())
        os.utime(chunk, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assert_refused(job, 2, "s.npy", "--overwrite")
        self.assert_done(*job, "--overwrite")
        x[0] = 1000
        self.assert_same(np.load(self.path("s.npy")), x.sum(axis=0), "s")


class Refusals(ZarrTest):
    job = ("map", "a + b", "a.npy", "b.npy", "--output")

    def test_of_what_is_there(self):
        self.assert_done(*self.job, "c.zarr", "--quiet")
        self.assertIn("c.zarr is complete already", self.run_program(*self.job, "c.zarr").stderr)
        self.assertIn("c.zarr is complete already", self.run_program(*self.job, "c.zarr/").stderr)
        self.assert_refused((*self.job, "c.zarr", "--compress", "0"), 2, "c.zarr", "is there already; --overwrite replaces it")
        self.assert_done(*self.job, "c.zarr", "--compress", "0", "--overwrite", "--quiet")
        self.assertEqual(zarr_files.read_group(self.path("c.zarr"))[1]["map"].shards, 1)
        for options in ((), ("--overwrite",)):
            self.assert_refused((*self.job, "c.zarr:/other", *options), 2, "c.zarr", "no array is added to a Zarr folder")
        for name in ("c.zarr:/map", "c.zarr/map", "./c.zarr/map:/"):
            self.assert_refused(("map", "a", f"a={name}", "--output", "c.zarr", "--overwrite"), 2, "would overwrite INPUT")
        self.write("c.zarr/notes.txt", "mine")
        self.assert_refused((*self.job, "c.zarr", "--overwrite"), 2, "c.zarr", "other files than those of Zarr")
        os.mkdir(self.path("mine.zarr"))
        self.assert_refused((*self.job, "mine.zarr"), 2, "mine.zarr", "is there already")
        self.write("mine.zarr/thesis.tex", "mine")
        self.write("file.zarr", "mine")
        for options in ((), ("--overwrite",)):
            self.assert_refused((*self.job, "mine.zarr", *options), 2, "mine.zarr", "other files than those of Zarr")
            self.assert_refused((*self.job, "file.zarr", *options), 2, "file.zarr", "is a file")
        os.mkdir(self.path("d.zarr.part.d"))
        self.write("d.zarr.part.d/thesis.tex", "mine")
        self.assert_refused((*self.job, "d.zarr"), 2, "d.zarr.part.d", "is in the way")

    def test_of_names_that_are_none(self):
        for name in ("../c", "a/../../c", ".", "a//b", "zarr.json", "a/zarr.json", "__a", "..."):
            with self.subTest(name):
                self.assert_refused((*self.job, f"c.zarr:/{name}"), 2, "cannot be the name of an array of Zarr")
        self.assert_refused((*self.job, "c.zarr:/"), 2, "c.zarr:/")
        self.assert_refused((*self.job, "c.npy/"), 2, "c.npy/")

    def test_of_chunks_that_do_not_fit(self):
        self.assert_refused((*self.job, "c.zarr", "--chunk", "10"), 2, "--chunk 10", "200x301")
        self.assert_refused((*self.job, "c.zarr", "--chunk", "0x1"), 2, "--chunk", "side of 0")
        self.assert_refused((*self.job, "c.zarr", "--compress", "4"), 2, "--compress")
        self.assert_refused(("reduce", "a.npy", "--op", "sum", "--output", "c.zarr"), 2, "c.zarr")

    def test_a_link_leads_to_the_folder(self):
        os.mkdir(self.path("disk"))
        os.symlink("disk/far.zarr", self.path("c.zarr"))
        for options in ((), ("--overwrite", "--compress", "0")):
            self.assert_done(*self.job, "c.zarr", *options, "--quiet")
            self.assertTrue(os.path.islink(self.path("c.zarr")))
            self.assertEqual(sorted(os.listdir(self.path("disk"))), ["far.zarr", "far.zarr.done"])
            self.assert_same(zarr_files.read_group(self.path("c.zarr"))[1]["map"].values, self.a + self.b, options)

    def test_a_full_disk_is_an_error_and_leaves_no_result(self):
        """At the start without compression, where the size is known; later with it."""
        self.small_disk("300k")
        self.save(np.random.default_rng(5).standard_normal((200, 301)), "x.npy")
        self.assert_refused(("map", "x", "x=x.npy", "--output", "disk/c.zarr", "--compress", "0"), 2, "disk/c.zarr", "free on that disk")
        self.assert_refused(("map", "x", "x=x.npy", "--output", "disk/c.zarr", "--chunk", "10x301", "--slice", "32K"), 4,
                            "disk/c.zarr.part.d/map/c/", "No space left on device", "free")
        self.assertEqual(os.listdir(self.path("disk")), [])


if __name__ == "__main__":
    main()
