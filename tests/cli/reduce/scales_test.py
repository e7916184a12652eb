"""Scales of dimensions beside others of their names, and as netCDF-4 has them."""

import os
import shutil

import zarr_files
from program import main
from reduction import ReduceTest, h5py, np

BARE = b"This is a netCDF dimension but not a netCDF variable."  # netCDF compares it with its dot


class Scales(ReduceTest):
    def setUp(self):
        super().setUp()
        self.x = np.arange(12.0).reshape(4, 3)
        self.time, self.lat = np.arange(4) * 6, np.array([10.0, 20, 30])
        self.write("w.nc", time=(self.time, {"units": "hours since 1900-01-01", "calendar": "noleap"}), lat=(self.lat, {}))
        shutil.copy(self.path("w.nc"), self.path("c.nc"))

    def write(self, path, array=None, **scales):
        """/x with these scales; one without values is as netCDF-4 has a dimension alone."""
        with h5py.File(self.path(path), "w") as file:
            x = file["x"] = self.x if array is None else array
            for dimension, length, (name, (values, attributes)) in zip(file["x"].dims, file["x"].shape, scales.items()):
                file[name] = np.zeros(length, ">f4") if values is None else values
                file[name].make_scale(name if values is not None else BARE + b"%10d" % length)
                file[name].attrs.update(attributes)
                dimension.attach_scale(file[name])
        return x

    def map(self, output, expressions, *inputs):
        self.assert_done("map", expressions, *inputs, "--output", output, "--overwrite", "--quiet")
        if not output.partition(":")[0].endswith(".zarr"):
            self.assert_netcdf(output.partition(":")[0])

    def assert_netcdf(self, path):
        """What netCDF needs to open the file: each dimension of an array has a scale, which knows of it, or none has."""
        with h5py.File(self.path(path)) as file:
            arrays = []
            file.visititems(lambda _, item: arrays.append(item) if isinstance(item, h5py.Dataset) else None)
            for array in arrays:
                if array.attrs.get("CLASS") == b"DIMENSION_SCALE":
                    self.assertNotIn("DIMENSION_LIST", array.attrs)
                    continue
                for d, scales in enumerate(array.attrs.get("DIMENSION_LIST", [])):
                    self.assertEqual(len(scales), 1, (path, array.name, d))
                    scale = file[scales[0]]
                    self.assertEqual(scale.attrs["CLASS"], b"DIMENSION_SCALE")
                    self.assertEqual(scale.shape, array.shape[d:d + 1])
                    self.assertIn((array.name, d), [(file[use].name, place) for use, place in scale.attrs["REFERENCE_LIST"] if use])

    def names(self, path, name):
        if path.endswith(".zarr"):
            return zarr_files.read_group(self.path(path))[1][name].names
        with h5py.File(self.path(path)) as file:
            return [dimension[0].name.lstrip("/") for dimension in file[name].dims]

    def assert_bare(self, path, *names):
        with h5py.File(self.path(path)) as file:
            for name in names:
                self.assertEqual(file[name].attrs["NAME"], BARE + b"%10d" % file[name].size)

    def test_that_do_not_fit_give_way_to_names_by_place(self):
        self.map("c.nc:/y", "x*2", "x=w.nc:/x[:, ::2]")
        self.map("c.nc:/z", "x*2", "x=w.nc:/x[1:, 1:]")  # as long as dim_1, which has no coordinates
        self.map("c.nc:/g/v", "x*2", "x=w.nc:/x[1:, :1]")
        self.assertEqual(self.names("c.nc", "x"), ["time", "lat"])
        self.assertEqual(self.names("c.nc", "y"), ["time", "dim_1"])
        self.assertEqual(self.names("c.nc", "z"), ["dim_0", "dim_1"])
        self.assertEqual(self.names("c.nc", "g/v"), ["dim_0", "dim_1_1"])
        self.assert_bare("c.nc", "dim_0", "dim_1", "dim_1_1")

    def test_give_way_to_whatever_has_the_name(self):
        with h5py.File(self.path("o.nc"), "w") as file:
            file["time"], file["lat"] = self.time, np.arange(3)  # no scales
            file["dim_0"], file["dim_0_4"] = h5py.SoftLink("/nowhere"), np.arange(4)
            file["dim_0_4_2"] = self.time
            file["dim_0_4_2"].make_scale()  # has coordinates
            file["dim_1/a"] = 1
        self.map("o.nc:/y", "x*2", "x=w.nc:/x")
        self.assertEqual(self.names("o.nc", "y"), ["dim_0_4_3", "dim_1_3"])
        self.map("new.nc:/time/lat", "x*2", "x=w.nc:/x")
        self.assertEqual(self.names("new.nc", "time/lat"), ["dim_0", "lat"])
        for output in ("new.nc", "new.zarr"):
            self.map(output, "lat = x*2; y = x", "x=w.nc:/x")
            for name in ("lat", "y"):
                self.assertEqual(self.names(output, name), ["time", "dim_1"])

    def test_of_quantiles_of_quantiles(self):
        self.assert_done("reduce", "w.nc:/x", "--op", "quantile=0.1,0.9", "--axis", "time", "--output", "q.nc", "--quiet")
        self.assert_done("reduce", "q.nc:/quantile", "--op", "quantile=0.25,0.5", "--axis", "lat", "--output", "qq.nc", "--quiet")
        self.assert_netcdf("qq.nc")
        self.assertEqual(self.names("qq.nc", "quantile"), ["probability", "probability_1"])
        with h5py.File(self.path("qq.nc")) as file:
            np.testing.assert_array_equal(file["probability"], [.1, .9])
            np.testing.assert_array_equal(file["probability_1"], [.25, .5])

    def test_that_others_use_are_not_replaced(self):
        with open(self.path("c.nc"), "rb") as file:
            before = file.read()
        self.assert_refused(["map", "lat*2", "lat=w.nc:/lat", "--output", "c.nc:/lat", "--overwrite"], 2, "c.nc:/lat",
                            "is the scale of a dimension that other arrays have")
        with open(self.path("c.nc"), "rb") as file:
            self.assertEqual(file.read(), before)
        for _ in range(2):  # one that no other array uses is
            self.map("o.nc:/lat", "lat*2", "lat=w.nc:/lat")
            with h5py.File(self.path("o.nc")) as file:
                np.testing.assert_array_equal(file["lat"], self.lat * 2)
                self.assertEqual(file["lat"].attrs["NAME"], b"lat")
                self.assertEqual(list(file), ["lat"])

    def test_of_other_coordinates_or_texts_are_not_shared(self):
        texts = {"units": "hours since 1900-01-01", "calendar": "noleap"}
        for values, attributes, shares in ((self.time, dict(reversed(texts.items())), True), (self.time + 1, texts, False),
                                           (self.time, texts | {"calendar": "standard"}, False), (self.time, {}, False),
                                           (self.time, texts | {"units": "hours since 2000-01-01"}, False), (None, {}, True)):
            with self.subTest(values=values, attributes=attributes):
                self.write("v.nc", time=(values, attributes), lat=(self.lat, {}))
                shutil.copy(self.path("w.nc"), self.path("c.nc"))
                self.map("c.nc:/b", "y*1", "y=v.nc:/x")
                wanted = ["time" if shares else "dim_0", "lat"]
                self.assertEqual(self.names("c.nc", "b"), wanted)
                for output in ("o.nc", "o.zarr"):
                    self.map(output, "a=x*1; b=y*1; c=x+y", "x=w.nc:/x", "y=v.nc:/x")
                    for name in "ac":
                        self.assertEqual(self.names(output, name), ["time", "lat"])
                    self.assertEqual(self.names(output, "b"), wanted)
                    self.map(output, "b=y*1; a=x*1", "x=w.nc:/x", "y=v.nc:/x")
                    self.assertEqual(self.names(output, "a"), ["time" if shares else "dim_0", "lat"])
                if shares:  # in any order
                    with h5py.File(self.path("o.nc")) as file:
                        np.testing.assert_array_equal(file["time"], self.time)
                        self.assertEqual(file["time"].attrs["calendar"], "noleap")
                    np.testing.assert_array_equal(zarr_files.read_group(self.path("o.zarr"))[1]["time"].values, self.time)

    def test_of_texts_serve_no_numbers(self):
        with h5py.File(self.path("c.nc"), "r+") as file:
            file["station"] = np.array(["a", "b", "c", "d"], h5py.string_dtype())
            file["station"].make_scale("station")
        self.write("v.nc", station=(self.time, {}), lat=(self.lat, {}))
        self.map("c.nc:/y", "x*1", "x=v.nc:/x")
        self.assertEqual(self.names("c.nc", "y"), ["dim_0", "lat"])

    def test_of_dimensions_alone_have_the_text_of_netcdf(self):
        self.write("v.nc", time=(None, {}), lat=(self.lat, {}))
        self.map("o.nc:/y", "x*1", "x=v.nc:/x")
        self.assert_bare("o.nc", "time")
        with h5py.File(self.path("o.nc"), "r+") as file:  # as older versions of Tessera wrote it
            file["time"].attrs["NAME"] = np.bytes_(BARE[:-1] + b"         4")
        self.map("m.nc:/y", "x*1", "x=o.nc:/y")
        self.assertEqual(self.names("m.nc", "y"), ["time", "lat"])
        self.assert_bare("m.nc", "time")
        self.map("o.nc:/z", "x*1", "x=m.nc:/y")
        self.assert_bare("o.nc", "time")  # mended

    def test_of_dimensions_alone_are_no_values(self):
        for text in (BARE, BARE[:-1]):
            with h5py.File(self.path("f.nc"), "w") as file:
                file["g/lon"] = np.zeros(3, ">f4")
                file["g/lon"].make_scale(text + b"         3")
            self.assert_refused(["reduce", "f.nc:/g/lon", "--op", "sum"], 2, "f.nc:/g/lon: is a dimension of length 3, without values")
            self.assertIn("is a dimension without values", self.assert_done("info", "f.nc"))
            with h5py.File(self.path("f.nc"), "r+") as file:  # as netCDF-4 stores a variable lon(lat, lon)
                file["g/_nc4_non_coord_lon"] = self.x
            self.assertEqual(self.assert_done("reduce", "f.nc:/g/lon", "--op", "sum", "--quiet"), f"{self.x.sum():.0f}\n")

    def test_have_texts_that_are_arrays_of_one(self):
        """NC_STRING of netCDF-4."""
        attributes = {"units": np.array(["days"], h5py.string_dtype()), "flags": np.array(["a", "b"], h5py.string_dtype())}
        self.write("v.nc", time=(self.time, attributes), lat=(self.lat, {"long_name": np.array([b"Breite"])}))
        self.map("o.nc:/y", "x*1", "x=v.nc:/x")
        with h5py.File(self.path("o.nc")) as file:
            self.assertEqual(file["time"].attrs["units"], "days")
            self.assertNotIn("flags", file["time"].attrs)
            self.assertEqual(file["lat"].attrs["long_name"], "Breite")

    def test_behind_a_link_are_those_of_the_other_file(self):
        os.mkdir(self.path("parts"))
        self.write("parts/p.nc", time=(self.time + 50, {"units": "days"}), lat=(None, {}))
        with h5py.File(self.path("c.nc"), "r+") as file:
            file["p"] = h5py.ExternalLink("parts/p.nc", "/x")
        self.map("o.nc:/y", "x*1", "x=c.nc:/p")
        with h5py.File(self.path("o.nc")) as file:
            np.testing.assert_array_equal(file["time"], self.time + 50)
            self.assertEqual(file["time"].attrs["units"], "days")
        self.assert_bare("o.nc", "lat")

    def test_of_zarr_are_found_from_the_folder_of_an_array(self):
        self.map("z.zarr", "y = x*1", "x=w.nc:/x")
        for source in ("z.zarr:/y", "z.zarr/y", "z.zarr/y/", self.path("z.zarr/y")):
            with self.subTest(source=source):
                self.map("o.nc", "x*1", f"x={source}")
                with h5py.File(self.path("o.nc")) as file:
                    np.testing.assert_array_equal(file["time"], self.time)
                    np.testing.assert_array_equal(file["lat"], self.lat)


if __name__ == "__main__":
    main()
