"""Names of dimensions: read from files, given by --dims, used in slices and --axis, and written with coordinates."""

import json

import array_files
import h5py
from program import main
from reduction import ReduceTest, np


class Dimensions(ReduceTest):
    names = ("time", "lat", "lon")

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(1)
        self.array = rng.standard_normal((12, 6, 8)).astype("f4")
        self.time = np.arange(12, dtype="i4") * 30 + 15
        self.lat = np.linspace(-75, 75, 6)
        with h5py.File(self.path("era.nc"), "w") as file:
            file["time"], file["lat"] = self.time, self.lat
            file["time"].attrs["units"] = "days since 2001-01-01"
            file["time"].attrs["bounds"] = "time_bounds"
            file.create_dataset("lon", (8,), ">f4")  # as netCDF-4 writes a dimension without coordinates
            for name in self.names:
                file[name].make_scale(name if name != "lon" else "This is a netCDF dimension but not a netCDF variable.         8")
            x = file.create_dataset("t", data=self.array, chunks=(5, 4, 8), compression="gzip")
            for dimension, name in zip(x.dims, self.names):
                dimension.attach_scale(file[name])
        self.save(self.array, "x.npy")

    def info(self, path):
        datasets = json.loads(self.assert_done("info", path, "--json"))["files"][0]["datasets"]
        return {one["name"]: one.get("dimensions") for one in datasets}

    def answer(self, *arguments):
        return self.assert_done("reduce", *arguments, "--quiet").split()

    def read(self, path, name):
        with h5py.File(self.path(path)) as file:
            array = file[name]
            scales = [dimension[0] if len(dimension) else None for dimension in array.dims]
            names = [scale and scale.name.lstrip("/") for scale in scales]
            return array[()], names, [scale and scale[()] for scale in scales]

    def test_of_every_format_are_shown_and_used(self):
        array_files.write_netcdf3(self.path("c.nc"), {"x": (self.array, {}), "y": (self.array, {})}, 1, ["x", "y"])
        self.assertEqual(self.info("c.nc")["/x"], ["record", "d6", "d8"])
        array_files.write_zarr2(self.path("2.zarr"), self.array, (5, 4, 8), attributes={"_ARRAY_DIMENSIONS": list(self.names)})
        self.assertEqual(list(self.info("2.zarr").values()), [list(self.names)])
        with h5py.File(self.path("l.h5"), "w") as file:
            file["x"] = self.array
            for dimension, name in zip(file["x"].dims, self.names):
                dimension.label = name
        self.assertEqual(self.info("era.nc")["/t"], list(self.names))
        self.assertEqual(self.info("era.nc")["/lat"], ["lat"])
        self.assertEqual(self.info("x.npy"), {"": None})
        wanted = [repr(float(self.array[2:9, :, -1].astype("f8").max()))]
        for source, names in (("era.nc:/t", self.names), ("2.zarr", self.names), ("l.h5:/x", self.names),
                              ("c.nc:/x", ("record", "d6", "d8"))):
            self.assertEqual(self.answer(f"{source}[{names[2]}=-1, {names[0]}=2:9]", "--op", "max"), wanted)
        self.assertEqual(self.answer("x.npy[lon=-1, time=2:9]", "--dims", "time,lat,lon", "--op", "max"), wanted)

    def test_name_axes(self):
        for source, more in (("era.nc:/t", ()), ("x.npy", ("--dims", "time,lat,lon"))):
            self.assert_done("reduce", source, "--op", "max", "--axis", "lon,0", "--output", "o.npy", "--overwrite", *more)
            np.testing.assert_array_equal(np.load(self.path("o.npy")), self.array.max((0, 2)))

    def test_outputs_have_names_and_coordinates(self):
        self.assert_done("reduce", "era.nc:/t[lat=::2]", "--op", "max,minmax,quantile=0.25,0.75,topk=3,histogram=4,-2,2", "--axis",
                         "time", "--output", "o.nc")
        values, names, scales = self.read("o.nc", "max")
        np.testing.assert_array_equal(values, self.array[:, ::2].max(0))
        self.assertEqual(names, ["lat", "lon"])
        np.testing.assert_array_equal(scales[0], self.lat[::2])
        for name, last in (("minmax", "extreme"), ("quantile", "probability"), ("topk", "topk_place"), ("histogram", "histogram_bin")):
            self.assertEqual(self.read("o.nc", name)[1], ["lat", "lon", last])
        np.testing.assert_array_equal(self.read("o.nc", "quantile")[2][2], [0.25, 0.75])
        with h5py.File(self.path("o.nc")) as file:
            self.assertEqual(file["lon"].attrs["NAME"], b"This is a netCDF dimension but not a netCDF variable.         8")
            self.assertTrue(h5py.h5ds.is_scale(file["histogram_edges"].id))
            uses = {file[use].name for use, _ in file["lat"].attrs["REFERENCE_LIST"]}
            self.assertEqual(uses, {"/max", "/minmax", "/quantile", "/topk", "/histogram"})

    def test_outputs_of_map_and_of_several_ranks(self):
        for compress in ("0", "1"):
            self.assert_done("map", "y = x + 1; z = x * 2", "x=era.nc:/t[time=3:]", "--output", "m.h5", "--compress", compress, "--overwrite", ranks=2)
            values, names, scales = self.read("m.h5", "z")
            np.testing.assert_array_equal(values, self.array[3:] * 2)
            self.assertEqual(names, list(self.names))
            np.testing.assert_array_equal(scales[0], self.time[3:])
        with h5py.File(self.path("m.h5")) as file:
            self.assertEqual(dict(file["time"].attrs)["units"], "days since 2001-01-01")
            self.assertNotIn("bounds", file["time"].attrs)

    def test_arrays_that_join_others_use_their_scales(self):
        self.assert_done("map", "x + 1", "x=era.nc:/t", "--output", "m.h5:/a")
        self.assert_done("map", "x + 2", "x=era.nc:/t", "--output", "m.h5:/g/b", "--overwrite")
        self.assert_done("map", "x + 3", "x=era.nc:/t[time=:4]", "--output", "m.h5:/c", "--overwrite")
        for name in ("a", "g/b"):
            self.assertEqual(self.read("m.h5", name)[1], list(self.names))
        np.testing.assert_array_equal(self.read("m.h5", "a")[2][0], self.time)
        self.assertEqual(self.read("m.h5", "c")[1], ["dim_0", "lat", "lon"])  # time has another length here

    def test_joined_files_join_their_coordinates(self):
        for i, part in enumerate(np.split(np.arange(12), 3)):
            with h5py.File(self.path(f"p{i}.nc"), "w") as file:
                file["time"], file["x"] = self.time[part], self.array[part]
                file["time"].attrs["units"] = "days" if i < 2 else "hours"
                file["time"].make_scale("time")
                file["x"].dims[0].attach_scale(file["time"])
        self.assert_done("map", "x * 1", "x=p*.nc:/x[...]", "--output", "m.h5")
        self.assertEqual(self.read("m.h5", "map")[1], ["time", "dim_1", "dim_2"])
        with h5py.File(self.path("m.h5")) as file:  # the units of the third file differ
            self.assertNotIn("units", file["time"].attrs)
        with h5py.File(self.path("p2.nc"), "r+") as file:
            file["time"].attrs["units"] = "days"
        self.assert_done("map", "x * 1", "x=p*.nc:/x", "--output", "m.h5", "--overwrite")
        np.testing.assert_array_equal(self.read("m.h5", "map")[2][0], self.time)

    def test_labels_are_names_of_dimensions_without_a_scale(self):
        with h5py.File(self.path("l.h5"), "w") as file:
            file["lat"], file["x"] = self.lat, self.array[:4, :, :3]
            file["lat"].make_scale("lat")
            file["x"].dims[0].label, file["x"].dims[2].label = "time", "lon"
            file["x"].dims[1].label = "other"
            file["x"].dims[1].attach_scale(file["lat"])
        self.assertEqual(self.info("l.h5")["/x"], ["time", "lat", "lon"])
        self.assert_done("reduce", "l.h5:/x", "--op", "max", "--axis", "time", "--output", "o.h5", "--quiet")
        self.assertEqual(self.read("o.h5", "max")[1], ["lat", "lon"])

    def test_of_one_name_say_nothing_about_a_place(self):
        with h5py.File(self.path("s.h5"), "w") as file:
            file["x"], file["w"] = np.arange(1.0, 4), [1.0, 2, 3]
            file["x"].make_scale("x")
            file["c"] = np.arange(9.0).reshape(3, 3)
            for name, dimensions in (("c", 2), ("w", 1)):
                for d in range(dimensions):
                    file[name].dims[d].attach_scale(file["x"])
        for option in ("--weights", "--by"):
            command = ["reduce", "s.h5:/c", "--op", "sum", option, "s.h5:/w"]
            self.assert_refused(command + (["--bins", "0,4,4"] if option == "--by" else []), 2, "several dimensions are named 'x'")

    def test_texts_of_coordinates_are_texts(self):
        """No references, and what is not UTF-8 is Latin-1."""
        with h5py.File(self.path("era.nc"), "a") as file:
            file["lat"].attrs["ref"] = file["t"].ref
            file["lat"].attrs["units"] = np.bytes_(b"\xb0N")
        self.assert_done("reduce", "era.nc:/t", "--op", "max", "--axis", "time", "--output", "o.h5", "--quiet")
        with h5py.File(self.path("o.h5")) as file:
            self.assertNotIn("ref", file["lat"].attrs)
            self.assertEqual(file["lat"].attrs["units"], "\u00b0N")

    def test_bools_in_netcdf_are_bytes_as_xarray_writes_them(self):
        for suffix in ("nc", "nc4", "h5"):
            name = "b." + suffix
            self.assert_done("map", "warm = x > 0", "x=era.nc:/t", "--output", name, "--quiet")
            with h5py.File(self.path(name)) as file:
                self.assertEqual(file["warm"].dtype, "?" if suffix == "h5" else "i1")
                self.assertEqual(file["warm"].attrs.get("dtype"), None if suffix == "h5" else b"bool")
                np.testing.assert_array_equal(file["warm"][()].astype("?"), self.array > 0)
            self.assertEqual(self.answer(f"{name}:/warm", "--op", "count_nonzero"), [str((self.array > 0).sum())])

    def test_mistakes_say_what_there_is(self):
        for arguments, words in (
                (("era.nc:/t[lev=3]",), "has no dimension 'lev'; its dimensions are time, lat, lon"),
                (("x.npy[lev=3]",), "its dimensions have no names; --dims gives them"),
                (("x.npy", "--dims", "a,b"), "names 2 dimensions; x.npy has 3, 12x6x8"),
                (("x.npy", "--dims", "a,b,a"), "no list of different names"),
                (("era.nc:/t[lat=1, 2]",), "has parts with names and parts without"),
                (("era.nc:/t[lat=1, lat=2]",), "the slice names 'lat' twice"),
                (("era.nc:/t[lat=...]",), "no slice such as time=0:31"),
                (("era.nc:/t", "--axis", "tim", "--output", "o.npy"), "--axis tim: era.nc:/t: has no dimension 'tim'"),
                (("era.nc:/t", "--axis", "time,0", "--output", "o.npy"), "is named twice"),
                (("x.npy", "--axis", "time", "--output", "o.npy"), "its dimensions have no names")):
            self.assert_refused(["reduce", *arguments, "--op", "max"], 2, words)

    def test_what_lies_along_another_dimension_is_refused_though_it_is_as_long(self):
        with h5py.File(self.path("w.h5"), "w") as file:
            for name in ("lon", "station", "dim_0"):
                file[name] = np.arange(8.0)
                file[name].make_scale(name)
                file["of_" + name] = np.arange(1, 9)
                file["of_" + name].dims[0].attach_scale(file[name])
        for taken in ("lon", "dim_0"):  # a name that is made up says nothing
            self.assert_done("reduce", "era.nc:/t", "--weights", f"w.h5:/of_{taken}", "--op", "mean", "--quiet")
            self.assert_done("reduce", "era.nc:/t", "--by", f"w.h5:/of_{taken}", "--op", "sum", "--quiet")
        for option in ("--weights", "--by"):
            for array, name in (("era.nc:/t", "station"), ("era.nc:/t[lon=0]", "lon")):
                self.assert_refused(["reduce", array, option, f"w.h5:/of_{name}", "--op", "sum"], 2, option, f"no dimension '{name}'")


if __name__ == "__main__":
    main()
