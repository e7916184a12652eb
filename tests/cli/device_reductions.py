"""Reductions that every device makes: of two arrays, along axes, of groups, and order statistics, compared with the reference. A test of a device says
on which devices and how many ranks each is run."""

import itertools
import os

from program import times
from reduction import EVERYTHING, ReduceTest, h5py, np

# Products are of whole arrays.
ALONG_AXES = (*(name for name in EVERYTHING if name != "prod"), "histogram=9,-3,3")

ORDER = "median,quantile=0.01,0.5,0.99,topk=7,argtopk=3"
GROUPED = ",".join(name for name in EVERYTHING if name != "prod")

MAPPED = "sum,std,norm2,minmax,argmin,argmax,count_nonzero,histogram=9,-3,3"


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

    def setUp(self):
        super().setUp()
        self.turns = itertools.cycle(self.RUNS[1:])

    def runs(self):
        """The first of RUNS and one of the others, which take turns. tools/soak takes all of them."""
        return self.RUNS if times() > 1 else (self.RUNS[0], next(self.turns))

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
            for device, ranks in self.runs():
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
        for device, ranks in self.runs():
            with self.subTest(source=source, other=other, device=device, ranks=ranks, options=options):
                self.assertEqual(self.dot(source, other, device, "--slice", "30K", *options, ranks=ranks), truth)

    def map(self, expression, sources, device, *options, ranks=0):
        self.assert_done("reduce", "--map", expression, *sources, "--op", MAPPED, "--quiet", "--report", "r.json",
                         "--device", device, *options, ranks=ranks)
        return self.read_report()["results"]

    def assert_map_same(self, expression, *sources, options=()):
        truth = self.map(expression, sources, "reference", *options)
        for device, ranks in self.runs():
            with self.subTest(expression=expression, sources=sources, device=device, ranks=ranks, options=options):
                got = self.map(expression, sources, device, "--slice", "40K", *options, ranks=ranks)
                self.assertEqual(got, truth)
                self.assertIn(device.split(",")[-1], self.read_report()["ranks"][0]["device"])


    def written(self, texts, sources, device, *options, ranks=0):
        """The bytes of the arrays c and d that `tessera map` writes."""
        self.assert_done("map", *texts, *sources, "--output", "c=c.npy", "--output", "d=d.h5:/x/d", "--overwrite", "--quiet",
                         "--report", "r.json", "--device", device, *options, ranks=ranks)
        with h5py.File(self.path("d.h5")) as file:
            return np.load(self.path("c.npy")).tobytes(), file["x/d"][()].tobytes()

    def assert_written_same(self, c, d, *sources, options=()):
        texts = (f"c = {c}", f"d = {d}")
        truth = self.written(texts, sources, "reference", *options)
        for device, ranks in self.runs():
            with self.subTest(texts=texts, sources=sources, device=device, ranks=ranks, options=options):
                self.assertEqual(self.written(texts, sources, device, "--slice", "40K", *options, ranks=ranks), truth)
                self.assertIn(device.split(",")[-1], self.read_report()["ranks"][0]["device"])

    def order(self, source, device, *options, ranks=0):
        self.assert_done("reduce", source, "--quiet", "--report", "r.json", "--device", device, *options, ranks=ranks)
        return self.read_report()["results"]

    def assert_order_same(self, source, *options, op=ORDER):
        truth = self.order(source, "reference", "--op", op, *options)
        for device, ranks in self.runs():
            with self.subTest(source=source, device=device, ranks=ranks, options=options):
                self.assertEqual(self.order(source, device, "--slice", "100K", "--op", op, *options, ranks=ranks), truth)
                self.assertIn(device.split(",")[-1], self.read_report()["ranks"][0]["device"])

    def groups(self, source, keys, device, *options, ranks=0):
        """The bytes of each column."""
        self.assert_done("reduce", source, "--by", keys, "--output", "t.h5", "--overwrite", "--quiet", "--device", device,
                         "--report", "r.json", *options, ranks=ranks)
        with h5py.File(self.path("t.h5")) as file:
            return {name: file[name][()].tobytes() for name in file}

    def assert_groups_same(self, source, keys, *options, op=GROUPED):
        truth = self.groups(source, keys, "reference", "--op", op, *options)
        for device, ranks in self.runs():
            with self.subTest(source=source, keys=keys, device=device, ranks=ranks, options=options):
                got = self.groups(source, keys, device, "--slice", "64K", "--op", op, *options, ranks=ranks)
                self.assertEqual([name for name in truth if got[name] != truth[name]], [])
                self.assertIn(device.split(",")[-1], self.read_report()["ranks"][0]["device"])


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
            for device, _ in self.runs():
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

    def test_expressions_of_many_types_and_layouts(self):
        random = np.random.default_rng(84)
        a, b = wild(random, 2, 60, 170)
        self.save(a, "a.npy")
        self.save(np.asfortranarray(b), "b.npy")
        self.save(single(b), "b4.npy")
        self.save(random.integers(-9, 9, (60, 170)).astype("i2"), "i.npy")
        self.save(random.standard_normal((60, 170)).astype("f2"), "h.npy")
        self.save(random.integers(0, 2**62, (60, 1), dtype="u8"), "column.npy")
        self.save(np.arange(170.0), "row.npy")
        with h5py.File(self.path("x.h5"), "w") as file:
            file.create_dataset("x", data=a, chunks=(25, 64), compression=1, shuffle=True)
            file.create_dataset("y", data=single(b), chunks=(25, 64))
        self.assert_map_same("sqrt(a*a + b*b)", "a.npy", "b.npy")
        self.assert_map_same("where(i > 0, b4, i) * 2 - h", "b4=b4.npy", "i=i.npy", "h=h.npy", options=("--nan", "skip"))
        self.assert_map_same("sin(x) + cbrt(y) - exp(-abs(h))", "x=x.h5:/x", "y=x.h5:/y", "h=h.npy")
        self.assert_map_same("column // 7 + i", "column=column.npy", "i=i.npy")
        self.assert_map_same("a*row + index0 - index", "a=a.npy", "row=row.npy")
        self.assert_map_same("index1 + 0*x", "x=x.h5:/x")
        self.assert_map_same("3", "a.npy")
        self.assert_map_same("(i ** 3 % 11) & 6", "i=i.npy")
        self.assert_map_same("a < b", "a.npy", "b.npy")

    def test_expressions_of_made_arrays(self):
        self.save(np.arange(200003.0) % 1009, "a.npy")
        self.assert_map_same("2*x + i8(y) % 7", "x=random:normal?count=200003", "y=random:uniform?count=200003&dtype=u2&seed=3")
        self.assert_map_same("x*a - index + index0", "x=linspace:-1,1?count=200003", "a=a.npy")

    def test_expressions_that_are_written(self):
        random = np.random.default_rng(86)
        a, b = wild(random, 2, 130, 171)
        self.save(a, "a.npy")
        self.save(b, "b.npy")
        self.save(np.asfortranarray(a), "af.npy")
        self.save(np.asfortranarray(single(b)), "bf.npy")
        self.save(random.integers(-9, 9, (130, 171)).astype("i2"), "i.npy")
        self.save(random.standard_normal((130, 171)).astype("f2"), "h.npy")
        self.save(np.arange(171.0), "row.npy")
        self.save(np.arange(100003) % 251, "flat.npy")
        with h5py.File(self.path("x.h5"), "w") as file:
            file.create_dataset("x", data=a, chunks=(25, 64), compression=1, shuffle=True)
        self.assert_written_same("sqrt(a*a + b*b)", "a < b", "a=a.npy", "b=b.npy")
        self.assert_written_same("a - b", "a", "a=af.npy", "b=bf.npy", options=("--compress", "0"))
        self.assert_written_same("a / 3", "b + index", "a=af.npy", "b=b.npy", options=("--compress", "0"))
        self.assert_written_same("x*h", "x + row - index1", "x=x.h5:/x", "h=h.npy", "row=row.npy")
        self.assert_written_same("where(i > 0, h, i)", "h*2", "i=i.npy", "h=h.npy", options=("--chunk", "50x50"))
        self.assert_written_same("2*x + index", "y + flat", "x=random:normal?count=100003",
                                 "y=random:uniform?count=100003&dtype=u2", "flat=flat.npy")
        self.assert_written_same("+".join(["a"] * 300), "a + index0", "a=a.npy")  # the first is too long for a device
        self.assert_written_same("3", "index % 7", "a=a.npy")

    def test_expressions_along_axes_and_in_dot_products(self):
        random = np.random.default_rng(85)
        with h5py.File(self.path("x.h5"), "w") as file:
            file.create_dataset("x", data=wild(random, 50, 40, 30), chunks=(16, 40, 7), compression=1)
        self.save(random.standard_normal((50, 40, 30)).astype("f4"), "y.npy")
        self.save(np.asfortranarray(random.integers(0, 99, (50, 40, 30))), "f.npy")
        for text, first, *others in (("x*y + index2", "x=x.h5:/x", "y=y.npy"), ("f // 5 - index0", "f=f.npy"),
                                     ("sqrt(y) + index", "y=y.npy")):
            truth = {}
            for device, ranks in (("reference", 0), *self.runs()):
                for axis in ("0", "2", "0,1"):
                    with self.subTest(text=text, device=device, axis=axis):
                        got = self.axes(first, axis, device, "--slice", "30K", "--map", text, *others, ranks=ranks)
                        self.assertEqual(truth.setdefault(axis, got), got)
        self.assert_map_same("x + y", "x=x.h5:/x", "y=y.npy", options=("--op", "dot", "--with", "y.npy"))
        self.assert_map_same("f * y", "f=f.npy", "y=y.npy", options=("--op", "dot", "--with", "f.npy", "--nan", "skip"))

    def test_order_statistics_of_many_types_and_layouts(self):
        random = np.random.default_rng(86)
        integers = f"{ORDER},mode,nunique,sum"
        self.assert_order_same(self.save(wild(random, 300, 301)), "--nan", "skip")
        self.assert_order_same("a.npy")
        self.assert_order_same(self.save(np.asfortranarray(single(wild(random, 260, 301)))), "--nan", "skip")
        self.assert_order_same(self.save(random.standard_normal((3, 20011)).astype("f2")))
        self.assert_order_same(self.save(random.integers(-2**62, 2**62, 90001) // 2**20), op=integers)
        self.assert_order_same(self.save(random.integers(0, 9, 90001).astype(">u2")), op=integers)
        self.assert_order_same(self.save(np.sort(random.integers(-99, 9, 90001).astype("i1"))), op=integers)
        self.assert_order_same(self.save(np.full(80001, -0.0)))
        self.assert_order_same(self.save(np.arange(80001.0)), "--memory", "120M")
        self.assert_order_same("random:normal?count=200003", "--memory", "120M")
        self.assert_order_same("random:uniform?count=100003&dtype=i4", op=integers)
        self.assert_order_same("x=a.npy", "--map", "x*x - 3*index", op=f"{ORDER},std")

    def test_order_statistics_along_axes(self):
        random = np.random.default_rng(87)
        self.save(wild(random, 70, 90))
        self.save(random.integers(-2**62, 2**62, (300, 9)) // 2**55, "i.npy")
        self.save(np.sort(random.integers(0, 9, (300, 9)).astype("u1"), axis=0), "u.npy")
        counted = f"{ORDER},mode,nunique"
        for op, source, *options in ((ORDER, "a.npy", "--nan", "skip"), (ORDER, "random:normal?count=20003"),
                                     (ORDER, "x=a.npy", "--map", "x + index"), (counted, "i.npy"), (counted, "u.npy"),
                                     (counted, "i=i.npy", "--map", "3*i - index1"), (counted, "random:uniform?count=20003&dtype=u4")):
            truth = self.axes(source, "0", "reference", "--op", f"{op},sum,argmax", *options)
            for device, ranks in self.runs():
                with self.subTest(source=source, device=device):
                    got = self.axes(source, "0", device, "--op", f"{op},sum,argmax", "--slice", "64K", *options, ranks=ranks)
                    self.assertEqual(got, truth)

    def test_order_statistics_of_groups(self):
        """Of small groups, and of such that passes search."""
        random = np.random.default_rng(89)
        self.save(np.minimum(random.geometric(0.3, 90007), 9), "keys.npy")
        self.save(wild(random, 90007), "x.npy")
        for options in (("--nan", "skip"), ()):
            self.assert_groups_same("x.npy", "keys.npy", *options, op=f"{ORDER},max")
        self.assert_groups_same("x=x.npy", "keys.npy", "--map", "f4(x) - index", op=ORDER)
        for integers in (random.integers(-2**62, 2**62, 90007) // 2**50, random.integers(0, 999, 90007).astype("u2"),
                         2**63 - 1 - random.integers(0, 3, 90007)):
            self.assert_groups_same(self.save(integers), "keys.npy", op=ORDER)
            self.assert_groups_same("a.npy", "keys.npy", op=f"{ORDER},mode,nunique,max")

    def test_groups_of_many_types_and_keys(self):
        random = np.random.default_rng(88)
        count = 60013
        for name, keys in (("random", random.integers(-40, 40, count)), ("sorted", np.sort(random.integers(0, 3000, count))),
                           ("single", np.full(count, 7, "u1")), ("wide", random.integers(-2**62, 2**62, 500)[
                               random.integers(0, 500, count)]), ("many", random.permutation(count))):
            self.save(keys, f"{name}.npy")
        self.save(wild(random, count), "x.npy")
        for keys in ("random", "sorted", "single", "wide", "many"):
            self.assert_groups_same("x.npy", f"{keys}.npy", "--nan", "skip")
        self.assert_groups_same("x.npy", "random.npy")
        self.assert_groups_same("x.npy", "sorted.npy", "--groups", "4000", op="sum,mean,min")
        self.assert_groups_same("x.npy", "random.npy,sorted.npy", op="sum")
        self.assert_groups_same("x.npy", "random.npy", op="max")
        self.assert_groups_same("x.npy", "random.npy", op="argmin,count_nonzero")
        self.assert_groups_same(self.save(random.integers(-2**63, 2**63 - 1, count) // 70000), "random.npy")
        self.assert_groups_same(self.save(random.integers(0, 2**16, count).astype("u2")), "many.npy")
        self.assert_groups_same(self.save(random.standard_normal(count).astype("f2")), "sorted.npy")
        self.assert_groups_same("random:normal?count=60013&dtype=f4", "random.npy", op=f"{GROUPED},{ORDER}")
        self.assert_groups_same("a=x.npy", "wide.npy", "--map", "a + index", "--nan", "skip")
        self.save(np.asfortranarray(wild(random, 211, 130)), "f.npy")
        self.save(random.integers(0, 9, (211, 1)), "rows.npy")
        self.assert_groups_same("f.npy", "rows.npy", "--nan", "skip")
