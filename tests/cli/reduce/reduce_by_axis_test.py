"""--by KEYS along one axis, the others kept: climatology maps, against the groups of NumPy and fractions."""

import array_files
import h5py
from program import main
from reduce_pairs_test import joint, weighted
from reduction import ReduceTest, expected, np


class ByAxis(ReduceTest):
    operations = ("sum", "mean", "var", "std", "min", "max", "norm2", "median", "count")

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(4)
        self.x = rng.standard_normal((37, 6, 8))
        self.month = (np.arange(37) // 3 % 5 + 1).astype("i2")
        self.save(self.x, "x.npy")
        self.save(self.month, "month.npy")
        with h5py.File(self.path("x.h5"), "w") as file:
            file.create_dataset("x", data=self.x, chunks=(5, 4, 3), compression="gzip")
        with h5py.File(self.path("e.nc"), "w") as file:
            file["time"], file["lat"], file["lon"], file["month"], file["t"] = np.arange(37), np.arange(6.0), np.arange(8.0), self.month, self.x
            for i, name in enumerate(("time", "lat", "lon")):
                file[name].make_scale(name)
                file["t"].dims[i].attach_scale(file[name])
            file["month"].dims[0].attach_scale(file["time"])

    def groups(self, *arguments, operations=operations, **options):
        self.assert_done("reduce", *arguments, "--op", ",".join(operations), "--output", "o.h5", "--overwrite", "--quiet", **options)
        with h5py.File(self.path("o.h5")) as file:
            names = [scale[0].name.lstrip("/") for scale in file[operations[0]].dims]
            return {name: file[name][()] for name in operations}, names, {name: file[name][()] for name in names}

    def wanted(self, x, keys, operations=operations, axis=0):
        """Of x with its axis first."""
        x = np.moveaxis(x, axis, 0)
        found = {name: [] for name in operations}
        for key in np.unique(keys):
            rows = x[keys == key].reshape((keys == key).sum(), -1).T
            answers = [expected(row) | {"median": np.median(row), "count": len(row)} for row in rows]
            for name in operations:
                found[name].append(np.reshape([one[name] for one in answers], x.shape[1:]))
        return {name: np.stack(values) for name, values in found.items()}

    def assert_equal(self, found, wanted):
        for name, values in wanted.items():
            np.testing.assert_array_equal(found[name], values, name)

    def test_nan_are_told_from_the_filling_of_short_groups(self):
        """Groups of 1, 2 and 4 are filled up to 4; as many NaN as that, fewer, and more."""
        keys = np.array([0, 1, 1, 2, 2, 2, 2])
        self.save(keys, "k.npy")
        for count in range(7):
            x = np.arange(7, dtype="f8").reshape(7, 1)
            x[:count] = np.nan
            self.save(x, "n.npy")
            found, _, _ = self.groups("n.npy", "--by", "k.npy", "--axis", "0", "--report", "r.json", operations=("sum", "max", "count"))
            wanted = [x[keys == key] for key in range(3)]
            np.testing.assert_array_equal(found["sum"][:, 0], [group.sum() for group in wanted], str(count))
            np.testing.assert_array_equal(found["max"][:, 0], [group.max() for group in wanted], str(count))
            array = self.read_json("r.json")["array"]
            self.assertEqual((array["elements"], array["nans"]), (7, count))
            found, _, _ = self.groups("n.npy", "--by", "k.npy", "--axis", "0", "--nan", "skip", "--groups", "9", operations=("sum",))
            np.testing.assert_array_equal(found["sum"][:3, 0], [np.nansum(group) for group in wanted], str(count))

    def test_maps_of_every_layout(self):
        wanted = self.wanted(self.x, self.month)
        self.save(np.asfortranarray(self.x), "f.npy")
        array_files.write_zarr2(self.path("x.zarr"), self.x, (10, 6, 8))
        for source in ("x.npy", "f.npy", "x.h5:/x", "x.zarr"):
            found, names, scales = self.groups(source, "--by", "month.npy", "--axis", "0")
            self.assert_equal(found, wanted)
            self.assertEqual(names, ["month", "dim_1", "dim_2"])
            np.testing.assert_array_equal(scales["month"], np.unique(self.month))
        found, names, scales = self.groups("e.nc:/t", "--by", "e.nc:/month", "--axis", "time", ranks=2)
        self.assert_equal(found, wanted)
        self.assertEqual(names, ["month", "lat", "lon"])
        np.testing.assert_array_equal(scales["lat"], np.arange(6.0))
        found, _, _ = self.groups("x.h5:/x", "--by", "month.npy", "--axis", "0", "--device", "reference", "--slice", "4K")
        self.assert_equal(found, wanted)

    def test_other_axes_and_several(self):
        keys = np.array([3, 1, 3, 3, 1, 7])
        self.save(keys, "k.npy")
        found, names, _ = self.groups("x.npy", "--by", "k.npy", "--axis", "1", operations=("sum", "max"))
        self.assert_equal(found, self.wanted(self.x, keys, ("sum", "max"), axis=1))
        self.assertEqual(names, ["k", "dim_1", "dim_2"])
        found, _, _ = self.groups("e.nc:/t", "--by", "e.nc:/month", "--axis", "time,lon", operations=("sum", "var"))
        merged = np.moveaxis(self.x, 1, 2).reshape(37 * 8, 6)
        self.assert_equal(found, self.wanted(merged, np.repeat(self.month, 8), ("sum", "var")))

    def test_weights_and_two_arrays(self):
        w = np.random.default_rng(1).random(37)
        y = np.random.default_rng(2).standard_normal(self.x.shape)
        self.save(w[:, None, None], "w.npy")
        self.save(y, "y.npy")
        found, _, _ = self.groups("x.npy", "--weights", "w.npy", "--by", "month.npy", "--axis", "0", operations=("mean", "std"))
        for k, key in enumerate(np.unique(self.month)):
            own = self.month == key
            for i, j in ((0, 0), (5, 7), (2, 3)):
                wanted = weighted(self.x[own, i, j], w[own])
                self.assertEqual((found["mean"][k, i, j], found["std"][k, i, j]), (wanted["mean"], wanted["std"]))
        found, _, _ = self.groups("x.h5:/x", "--with", "y.npy", "--by", "month.npy", "--axis", "0", operations=("corr",))
        own = self.month == 2
        self.assertEqual(found["corr"][1, 4, 2], joint(self.x[own, 4, 2], y[own, 4, 2])["corr"])

    def test_nan_and_missing_elements(self):
        x = self.x.copy()
        x[self.month == 2, 1, 1] = np.nan
        x[0, 0, 0] = np.nan
        x[1, 0, 0] = -999
        self.save(x, "n.npy")
        found, _, _ = self.groups("n.npy", "--by", "month.npy", "--axis", "0", operations=("mean", "count", "max"))
        self.assertTrue(np.isnan(found["mean"][0, 0, 0]) and np.isnan(found["mean"][1, 1, 1]))
        self.assertEqual(np.isnan(found["mean"]).sum(), 2)
        found, _, _ = self.groups("n.npy", "--by", "month.npy", "--axis", "0", "--nan", "skip", "--missing=-999",
                                  operations=("mean", "count", "max"))
        own = self.month == 1
        own[:2] = False
        self.assertEqual(found["mean"][0, 0, 0], expected(x[own, 0, 0])["mean"])
        self.assertEqual(found["count"][0, 0, 0], own.sum())
        self.assertEqual(found["count"][1, 1, 1], 0)
        self.assertTrue(np.isnan(found["max"][1, 1, 1]))

    def test_integers_bins_and_named_groups(self):
        x = np.random.default_rng(3).integers(-9, 9, (12, 4)).astype("i2")
        self.save(x, "i.npy")
        self.save(np.arange(12) % 3, "k.npy")
        found, _, scales = self.groups("i.npy", "--by", "k.npy", "--groups", "4", "--axis", "0", operations=("sum", "min", "count"))
        np.testing.assert_array_equal(found["sum"], [*(x[k::3].sum(0) for k in range(3)), np.zeros(4)])
        np.testing.assert_array_equal(found["min"], [*(x[k::3].min(0) for k in range(3)), np.full(4, np.nan)])
        np.testing.assert_array_equal(found["count"], [[4] * 4] * 3 + [[0] * 4])
        self.save(np.linspace(0, 1, 12), "z.npy")
        found, _, scales = self.groups("i.npy", "--by", "z.npy", "--bins", "0,0.5,2", "--axis", "0", operations=("sum",))
        np.testing.assert_array_equal(found["sum"], [x[:3].sum(0), x[3:6].sum(0)])
        np.testing.assert_array_equal(scales["z"], [0, .25])

    def test_of_more_elements_than_a_piece(self):
        x = np.random.default_rng(6).integers(-100, 100, (1500, 90, 40)).astype("f8")
        keys = np.arange(1500) % 12
        self.save(x, "b.npy")
        with h5py.File(self.path("b.h5"), "w") as file:
            file.create_dataset("x", data=x, chunks=(100, 45, 20))
        for kind in (keys, np.arange(1500) // 125):
            self.save(kind, "k.npy")
            wanted = np.stack([x[kind == k].sum(0) for k in range(12)])
            for source in ("b.npy", "b.h5:/x"):
                found, _, _ = self.groups(source, "--by", "k.npy", "--axis", "0", operations=("sum",))
                np.testing.assert_array_equal(found["sum"], wanted)
        self.save(np.arange(400_000.0), "line.npy")
        self.save(np.arange(400_000) % 24, "hour.npy")
        self.assert_done("reduce", "line.npy", "--by", "hour.npy", "--axis", "0", "--op", "sum", "--output", "l.npy")
        np.testing.assert_array_equal(np.load(self.path("l.npy")), [np.arange(h, 400_000.0, 24).sum() for h in range(24)])

    def test_a_key_lies_along_the_dimension_of_its_name(self):
        for name in ("lat", "station"):
            with h5py.File(self.path("k.h5"), "w") as file:
                file["k"], file[name] = self.month, np.arange(37)
                file[name].make_scale(name)
                file["k"].dims[0].attach_scale(file[name])
            self.assert_refused(("reduce", "e.nc:/t", "--op", "sum", "--by", "k.h5:/k", "--axis", "time", "--output", "o.h5"), 2, "--by k.h5:/k")

    def test_what_is_refused(self):
        self.save(np.arange(37.0), "z.npy")
        self.save(np.zeros((6, 8), int), "m.npy")
        self.save(np.arange(36), "short.npy")
        self.save(np.arange(37), "i8.npy")
        for arguments, words in (
                (("x.npy", "--by", "m.npy", "--axis", "0"), "keys lie along one of its axes"),
                (("x.npy", "--by", "short.npy", "--axis", "0"), "--by short.npy: is 36, and x.npy is 37x6x8"),
                (("x.npy", "--by", "z.npy", "--axis", "0"), "--by z.npy: has floats"),
                (("x.npy", "--by", "month.npy,month.npy", "--axis", "0"), "one key is possible"),
                (("x.npy", "--by", "month.npy", "--axis", "0", "--groups", "3"), "the key at [6] is 3"),
                (("i8.npy", "--by", "month.npy", "--axis", "0"), "integers of up to 32 bits")):
            self.assert_refused(["reduce", *arguments, "--op", "sum", "--output", "o.h5"], 2, words)
        self.assert_refused(["reduce", "x.npy", "--by", "month.npy", "--axis", "0", "--op", "argmax", "--output", "o.h5"], 2,
                            "--op argmax: is not of groups along --axis")
        self.assert_refused(["reduce", "x.npy", "--by", "month.npy", "--axis", "0", "--op", "sum"], 2, "say where it goes")


if __name__ == "__main__":
    main()
