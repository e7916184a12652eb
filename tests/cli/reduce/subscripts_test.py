"""Subscripts in expressions, x[1:] - x[:-1] and x - clim[month], against NumPy's."""

import h5py
from program import main
from reduction import ReduceTest, np


class Subscripts(ReduceTest):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(1)
        self.x = rng.standard_normal((24, 6, 8))
        self.clim = rng.standard_normal((12, 6, 8))
        self.month = (np.arange(24) * 5 % 12 + 1).astype("i2")
        for name in ("x", "clim", "month"):
            self.save(getattr(self, name), f"{name}.npy")
        with h5py.File(self.path("e.nc"), "w") as file:
            file["time"], file["lat"] = np.arange(24.0), np.arange(6.0)
            file.create_dataset("x", data=self.x, chunks=(5, 4, 3), compression="gzip")
            file["clim"] = self.clim
            for i, name in enumerate(("time", "lat")):
                file[name].make_scale(name)
                file["x"].dims[i].attach_scale(file[name])

    def map(self, expression, *inputs, **options):
        self.assert_done("map", expression, *inputs, "--output", "o.npy", "--overwrite", "--quiet", **options)
        return np.load(self.path("o.npy"))

    def test_shifts_by_slices(self):
        x = self.x
        for source in ("x=x.npy", "x=e.nc:/x"):
            for text, wanted in (("x[1:] - x[:-1]", x[1:] - x[:-1]), ("x[..., 2:] - 2*x[..., 1:-1] + x[..., :-2]",
                                                                     x[..., 2:] - 2 * x[..., 1:-1] + x[..., :-2]),
                                 ("x - x[0]", x - x[0]), ("x[::3, 1]*2", x[::3, 1] * 2), ("x [ 2 : 4 ] + 1", x[2:4] + 1)):
                np.testing.assert_array_equal(self.map(text, source), wanted, text)
        np.testing.assert_array_equal(self.map("x[time=1:] - x[time=:-1]", "x=e.nc:/x", ranks=2), x[1:] - x[:-1])
        np.testing.assert_array_equal(self.map("x[1:] - x[:-1]", "x=x.npy[2:, 0]"), np.diff(x[2:, 0], axis=0))

    def test_in_reductions(self):
        wanted = np.abs(self.x[1:] - self.x[:-1]).max()
        for more in ((), ("--device", "reference"), ("--slice", "4K")):
            self.assert_answers("x.npy", {"max": float(wanted)}, "--map", "abs(a[1:] - a[:-1])", *more)
        self.assert_done("reduce", "--map", "x[1:] - x[:-1]", "x=e.nc:/x", "--axis", "time", "--op", "max", "--output", "m.npy")
        np.testing.assert_array_equal(np.load(self.path("m.npy")), np.diff(self.x, axis=0).max(0))

    def test_lookups(self):
        wanted = self.x - self.clim[self.month - 1]
        for source in ("x=x.npy", "x=e.nc:/x"):
            for ranks in (0, 2):
                np.testing.assert_array_equal(self.map("x - clim[month - 1]", source, "clim=clim.npy", "month=month.npy", ranks=ranks),
                                              wanted)
        self.save(np.arange(12) ** 2, "table.npy")
        np.testing.assert_array_equal(self.map("t[m - 1]", "t=table.npy", "m=month.npy"), (np.arange(12) ** 2)[self.month - 1])
        np.testing.assert_array_equal(self.map("t[u[m - 1] // 11]*1.5", "t=table.npy", "u=table.npy", "m=month.npy"),
                                      (np.arange(12) ** 2)[(np.arange(12) ** 2)[self.month - 1] // 11] * 1.5)
        self.save(self.month[:, None, None], "column.npy")
        self.save(np.arange(12.0), "flat.npy")
        np.testing.assert_array_equal(self.map("x - f[c - 1]", "x=x.npy", "f=flat.npy", "c=column.npy"),
                                      self.x - np.arange(12.0)[self.month - 1][:, None, None])

    def test_tables_that_are_held_and_that_are_not(self):
        table = np.random.default_rng(2).random((5, 700, 700))  # 19.6 MB
        keys = np.array([3, 3, 0, 4, 1])
        self.save(table, "big.npy")
        self.save(keys, "k.npy")
        np.testing.assert_array_equal(self.map("t[k] + 0", "t=big.npy", "k=k.npy"), table[keys])

    def test_names_go_on(self):
        self.assert_done("map", "x[time=1:] - x[time=:-1]", "x=e.nc:/x", "--output", "o.h5")
        with h5py.File(self.path("o.h5")) as file:
            self.assertEqual([dim[0].name for dim in file["map"].dims], ["/time", "/lat", "/dim_2"])
            self.assertNotIn("units", file["time"].attrs)

    def test_mistakes(self):
        for text, code, words in (
                ("x[1:", 2, "column 2: the bracket is not closed"),
                ("x[1:] + q", 2, "column 9: there is no array 'q'"),
                ("x[1:, 2, 3, 4]", 2, "has 3 dimensions, and the slice has 4 parts"),
                ("x[1:] - x[:-2]", 2, "the shapes do not broadcast"),
                ("x - clim[month]", 4, "the index 12 is not in 0 to 11"),
                ("x - clim[month - 2]", 4, "the index -1 is not in 0 to 11"),
                ("x - clim[month*0.5]", 2, "keys are integers, and these are f8"),
                ("x - clim[index0]", 2, "names no array")):
            inputs = [f"{name}={name}.npy" for name in ("x", "clim", "month") if name in text]
            self.assert_refused(["map", text, *inputs, "--output", "o.npy"], code, words)
        self.assert_refused(["map", "x[1:]", "x=x.npy", "y=x.npy", "--output", "o.npy"], 2, "no expression has the array 'y'")


if __name__ == "__main__":
    main()
