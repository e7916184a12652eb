"""Reductions that every device makes: of two arrays and along axes, compared with the reference. A test of a device says
on which devices and how many ranks each is run."""

import os

from reduction import EVERYTHING, ReduceTest, h5py, np

# Products are of whole arrays.
ALONG_AXES = (*(name for name in EVERYTHING if name != "prod"), "histogram=9,-3,3")


def wild(random, *shape):
    """Of every size, with what is not finite, and zeros of both signs."""
    numbers = random.standard_normal(shape) * 2.0 ** random.integers(-1040, 1000, shape)
    for value in (np.nan, np.inf, -np.inf, -0.0):
        numbers[random.random(shape) < 0.002] = value
    return numbers


def single(numbers):
    with np.errstate(over="ignore"):
        return numbers.astype("f4")


class DeviceReductions(ReduceTest):
    RUNS = ()  # (device list, ranks)

    def axes(self, source, axes, device, *options, ranks=0):
        """The bytes of each dataset."""
        self.assert_done("reduce", source, "--op", ",".join(ALONG_AXES), "--axis", axes, "--output", "o.h5",
                         "--overwrite", "--quiet", "--device", device, "--report", "r.json", *options, ranks=ranks)
        self.assertFalse(os.path.exists(self.path("o.h5.part")))
        with h5py.File(self.path("o.h5")) as file:
            return {name: file[name][()].tobytes() for name in file}

    def assert_axes_same(self, source, *axes, options=()):
        for axis in axes:
            truth = self.axes(source, axis, "reference", *options)
            for device, ranks in self.RUNS:
                with self.subTest(source=source, axis=axis, device=device, ranks=ranks, options=options):
                    got = self.axes(source, axis, device, "--slice", "64K", *options, ranks=ranks)
                    self.assertEqual([name for name in truth if got[name] != truth[name]], [])
                    self.assertIn(device.split(",")[-1], self.read_report()["ranks"][0]["device"])

    def dot(self, source, other, device, *options, ranks=0):
        self.assert_done("reduce", source, "--op", "dot,sum,argmax,histogram=5,-2,2", "--with", other, "--quiet",
                         "--report", "r.json", "--device", device, *options, ranks=ranks)
        return self.read_report()["results"]

    def assert_dot_same(self, source, other, *options):
        truth = self.dot(source, other, "reference", *options)
        for device, ranks in self.RUNS:
            with self.subTest(source=source, other=other, device=device, ranks=ranks, options=options):
                self.assertEqual(self.dot(source, other, device, "--slice", "30K", *options, ranks=ranks), truth)


class OfEveryKind:
    """Tests for a DeviceReductions with RUNS."""

    def test_axes_of_many_shapes_and_types(self):
        random = np.random.default_rng(81)
        self.assert_axes_same(self.save(wild(random, 211, 130)), "0", "1", "0,1")
        self.assert_axes_same("a.npy", "0", "1", options=("--nan", "skip"))
        self.assert_axes_same(self.save(random.integers(-2**62, 2**62, (9, 40, 31)) // 64), "0", "1", "-1", "0,2")
        self.assert_axes_same(self.save(np.asfortranarray(single(wild(random, 40, 9, 30)).astype(">f4"))), "0", "1", "0,2")
        self.assert_axes_same(self.save(random.standard_normal((3, 20011)).astype("f2")), "0", "1")

    def test_axes_of_chunks_and_of_made_arrays(self):
        random = np.random.default_rng(82)
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("x", data=wild(random, 70, 50, 20), chunks=(16, 50, 7), compression=1, shuffle=True)
        self.assert_axes_same("a.h5:/x", "0", "1", "2", "0,2")
        self.assert_axes_same("random:normal?count=200003&dtype=f4", "0")

    def test_axes_of_no_elements_and_of_no_outputs(self):
        for shape, axis in (((0, 4), "0"), ((4, 0), "0")):
            self.save(np.zeros(shape))
            for device, _ in self.RUNS:
                self.assert_done("reduce", "a.npy", "--op", "sum,all", "--axis", axis, "--output", "o.h5", "--overwrite",
                                 "--quiet", "--device", device)
                with h5py.File(self.path("o.h5")) as file:
                    self.assertEqual(file["sum"][()].tolist(), [0.0] * shape[1])

    def test_dot_products_of_many_layouts(self):
        random = np.random.default_rng(83)
        x, y = wild(random, 2, 120, 70)
        self.save(x, "x.npy")
        self.save(y, "y.npy")
        self.save(np.asfortranarray(y), "yf.npy")
        self.save(random.integers(-2**63, 2**63 - 1, (120, 70)), "i.npy")
        self.save(random.integers(0, 2**32 - 1, (120, 70), dtype="u4"), "u.npy")
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("x", data=x, chunks=(50, 70), compression=1)
            file.create_dataset("y", data=single(y), chunks=(50, 70))
        for source, other in (("x.npy", "y.npy"), ("x.npy", "yf.npy"), ("a.h5:/x", "a.h5:/y"), ("a.h5:/y", "x.npy"),
                              ("i.npy", "x.npy"), ("i.npy", "u.npy"), ("i.npy", "i.npy")):
            self.assert_dot_same(source, other)
        self.assert_dot_same("x.npy", "y.npy", "--nan", "skip")
        self.assert_dot_same("random:normal?count=100003", "random:uniform?count=100003&dtype=f4")
        self.save(x.ravel(), "flat.npy")
        self.assert_dot_same("random:normal?count=8400", "flat.npy")
