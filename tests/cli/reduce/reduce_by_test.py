"""tessera reduce --by: each group is answered as an array of its own elements would be."""

import json
import math
import os
import subprocess
import sys

from by_reduction import OPERATIONS, ByTest, expected, groups_of, h5py, np
from program import LIMITED, TESSERA, main


class By(ByTest):
    def assert_groups(self, array, keys, *options, operations=OPERATIONS, ddof=0, nan="propagate"):
        self.save(array, "a.npy")
        self.save(keys, "k.npy")
        groups = groups_of(np.broadcast_to(keys, np.shape(array)))
        rows = expected(array, groups, operations, ddof, nan)
        for device in ("reference", "cpu"):
            got = self.table("a.npy", "k.npy", operations, "--device", device, "--ddof", str(ddof), "--nan", nan, *options)
            self.assert_rows(got, {"k": [key for key, _ in groups]}, rows, f"on {device} {options}")

    def test_every_operation_of_every_type(self):
        random = np.random.default_rng(1)
        for code in ("i1", "i4", "u2", "u8", "f2", "f4", "f8", ">f8"):
            with self.subTest(code=code):
                kind = np.dtype(code).kind
                array = (random.standard_normal(3001) if kind == "f" else random.integers(0, 100, 3001)).astype(code)
                self.assert_groups(array, random.integers(-20, 20, 3001))

    def test_every_type_of_keys(self):
        random = np.random.default_rng(2)
        array = random.standard_normal((40, 60))
        for code in ("i1", "i2", ">i4", "i8", "u1", "u2", "u4", "u8"):
            limits = np.iinfo(code)
            keys = random.choice([limits.min, limits.min + 1, 0, 7, limits.max - 1, limits.max], (40, 60)).astype(code)
            with self.subTest(code=code):
                self.assert_groups(array, keys, operations=("sum", "argmax"))

    def test_sums_that_are_hard(self):
        """Of numbers that no window holds, and of zeros, NaN and infinities."""
        random = np.random.default_rng(3)
        wild = random.standard_normal(4000) * 2.0 ** random.integers(-1000, 1000, 4000)
        wild[1::2] = -wild[::2]
        self.assert_groups(wild, random.integers(0, 9, 4000))
        special = random.standard_normal(4000)
        for value in (np.nan, np.inf, -np.inf, -0.0, 0.0, 5e-324):
            special[random.integers(0, 4000, 20)] = value
        keys = random.integers(0, 30, 4000)
        keys[keys == 7] = 8
        keys[:5], special[:5] = 7, -0.0
        self.assert_groups(special, keys)
        self.assert_groups(special, keys, nan="skip", ddof=1)
        self.assert_groups(np.full(99, np.nan), np.arange(99) % 3, nan="skip")
        self.assert_groups(np.where(np.arange(500) % 2, 1e308, -1e308), np.arange(500) // 7)

    def test_many_groups(self):
        random = np.random.default_rng(4)
        array = random.standard_normal(300_000)
        # Of more than 64 Ki groups, rows are made in parts.
        for keys in (random.integers(0, 200_000, 300_000), random.integers(-2**62, 2**62, 300_000),
                     np.arange(300_000)[::-1].copy()):
            self.save(array, "a.npy")
            self.save(keys, "k.npy")
            got = self.table("a.npy", "k.npy", ("sum", "max"))
            found, number = np.unique(keys, return_inverse=True)
            self.assertEqual(got["k"].tolist(), found.tolist())
            self.assertEqual(got["count"].tolist(), np.bincount(number).tolist())
            largest = np.full(len(found), -np.inf)
            np.maximum.at(largest, number, array)
            self.assertEqual(got["max"].tolist(), largest.tolist())
            near = np.bincount(number, array)
            self.assertTrue(np.allclose(got["sum"], near, rtol=1e-12, atol=1e-12))
            alone = self.table("a.npy", "k.npy", ("sum",))  # is added in another way
            self.assertEqual(alone["sum"].tobytes(), got["sum"].tobytes())

    def test_several_keys(self):
        random = np.random.default_rng(5)
        month, station = random.integers(1, 13, 5000).astype("i1"), random.integers(2**40, 2**40 + 50, 5000)
        array = random.standard_normal(5000)
        for name, values in (("month", month), ("station", station), ("a", array)):
            self.save(values, name + ".npy")
        both = month.astype("i8") * 1000 + (station - 2**40)
        groups = groups_of(both)
        for ranks in (0, 2):
            self.assert_done("reduce", "a.npy", "--by", "month.npy,station.npy", "--op", "sum,mean", "--output", "t.h5",
                             "--overwrite", ranks=ranks)
            with h5py.File(self.path("t.h5")) as file:
                got = {name: data[()] for name, data in file.items()}
            self.assertEqual(got["month"].dtype, np.int8)
            self.assert_rows(got, {"month": [key // 1000 for key, _ in groups],
                                   "station": [key % 1000 + 2**40 for key, _ in groups]},
                             expected(array, groups, ("sum", "mean")))

    def test_bins(self):
        random = np.random.default_rng(6)
        array, keys = random.standard_normal((2, 4000))
        keys[::100] = np.nan
        self.save(array, "a.npy")
        self.save(keys, "k.npy")
        edges = np.linspace(-2, 2, 9)
        self.save(edges, "e.npy")
        with open(self.path("e.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(map(repr, edges.tolist())))
        number = np.digitize(keys, edges) - 1
        number[keys == 2] = 7
        inside = (number >= 0) & (number < 8) & ~np.isnan(keys)
        groups = [(key, np.flatnonzero(inside)[at]) for key, at in groups_of(number[inside])]
        for bins in ("-2,2,8", "e.npy", "e.txt", "edges=" + ",".join(map(repr, edges.tolist()))):
            got = self.table("a.npy", "k.npy", ("sum", "argmin"), "--bins", bins, "--report", "r.json")
            self.assert_rows(got, {"k_from": [edges[key] for key, _ in groups], "k_to": [edges[key + 1] for key, _ in groups]},
                             expected(array, groups, ("sum", "argmin")), bins)
            report = self.read_report()["groups"]
            self.assertEqual(report["left_out_nans"], 40)
            self.assertEqual(report["left_out_outside"], 4000 - 40 - int(inside.sum()))
        month = random.integers(1, 4, 4000)
        self.save(month, "m.npy")
        got = self.table("a.npy", "m.npy,k.npy", ("sum",), "--bins", "-2,2,8")
        groups = [(key, np.flatnonzero(inside)[at]) for key, at in groups_of((month * 100 + number)[inside])]
        self.assert_rows(got, {"m": [key // 100 for key, _ in groups], "k_from": [edges[key % 100] for key, _ in groups]},
                         expected(array, groups, ("sum",)))

    def test_bins_of_several_keys(self):
        random = np.random.default_rng(8)
        a, b = random.standard_normal((2, 5000))
        a[::70], b[::90] = np.nan, np.inf
        month = random.integers(0, 3, 5000)
        edges = np.array([-1.5, -0.25, 0, 2])
        for name, array in (("a", a), ("b", b), ("m", month), ("e", edges)):
            self.save(array, f"{name}.npy")
        got = self.table("a.npy", "a.npy,b.npy", ("count", "sum"), "--bins", "-2,2,5; e.npy", "--report", "r.json")
        wanted, of_a, of_b = np.histogram2d(a[np.isfinite(a)], b[np.isfinite(a)], (np.linspace(-2, 2, 6), edges))
        places = np.argwhere(wanted > 0)
        self.assert_rows(got, {"a_from": of_a[places[:, 0]], "b_from": of_b[places[:, 1]], "b_to": of_b[places[:, 1] + 1],
                               "count": wanted[wanted > 0]}, [])
        report = self.read_report()["groups"]
        self.assertEqual((report["left_out_nans"], report["left_out_outside"]),
                         (np.isnan(a).sum(), 5000 - np.isnan(a).sum() - int(wanted.sum())))
        got = self.table("a.npy", "b.npy,m.npy", ("count",), "--bins", "-2,2,5;")
        wanted = np.stack([np.histogram(b[(month == m) & np.isfinite(b)], np.linspace(-2, 2, 6))[0] for m in range(3)], 1)
        self.assertEqual(got["count"].tolist(), wanted[wanted > 0].tolist())
        self.assertEqual(got["m"].tolist(), np.argwhere(wanted > 0)[:, 1].tolist())
        self.assert_refused(("reduce", "a.npy", "--op", "sum", "--by", "a.npy,b.npy,m.npy", "--bins", "-2,2,5;e.npy"), 2,
                            "has 2 parts, and --by has 3 keys")
        self.assert_refused(("reduce", "a.npy", "--op", "sum", "--by", "a.npy,b.npy", "--bins", "-2,2,5;"), 2, "b.npy: has floats")

    def test_groups_known_in_advance(self):
        array = np.array([1.5, 2.5, -4.0, 8.0])
        self.save(array, "a.npy")
        self.save(np.array([4, 1, 4, 0]), "k.npy")
        for device in ("reference", "cpu"):
            got = self.table("a.npy", "k.npy", ("sum", "mean", "max", "argmax", "any"), "--groups", "6", "--device", device)
            self.assertEqual(got["k"].tolist(), [0, 1, 2, 3, 4, 5])
            self.assertEqual(got["count"].tolist(), [1, 1, 0, 0, 2, 0])
            self.assertEqual(got["sum"].tolist(), [8, 2.5, 0, 0, -2.5, 0])
            self.assertEqual(got["argmax"].tolist(), [3, 1, -1, -1, 0, -1])
            self.assertEqual(np.isnan(got["mean"]).tolist(), [False, False, True, True, False, True])
            self.assertEqual(np.isnan(got["max"]).tolist(), [False, False, True, True, False, True])
        self.save(np.array([1, 2, 3, 4]), "a.npy")
        got = self.table("a.npy", "k.npy", ("min", "max"), "--groups", "150000")
        self.assertEqual(len(got["k"]), 150000)
        self.assertEqual(got["min"][:5].tolist(), [4, 2, 0, 0, 1])
        self.assertEqual(got["max"][:5].tolist(), [4, 2, 0, 0, 3])

    def test_more_groups_than_the_keys_type_has(self):
        self.save(np.array([1.0, 2.0, 4.0]), "a.npy")
        for keys, groups, code in ((np.array([44, 0, 44], "u1"), 301, "i8"), (np.array([7, 0, 7], "i1"), 130, "i8"),
                                   (np.array([7, 0, 7], "i1"), 128, "i1"), (np.array([7, 0, 7], "u1"), 256, "u1"),
                                   (np.array([True, False, True]), 4, "i8"), (np.array([True, False, True]), 2, "?")):
            with self.subTest(type=keys.dtype, groups=groups):
                self.save(keys, "k.npy")
                got = self.table("a.npy", "k.npy", ("sum",), "--groups", str(groups))
                self.assertEqual(got["k"].tolist(), list(range(groups)))
                self.assertEqual(got["k"].dtype, np.dtype(code))
                self.assertEqual(got["sum"][[0, int(keys[0])]].tolist(), [2, 5])

    def test_keys_of_another_layout(self):
        random = np.random.default_rng(7)
        array = random.standard_normal((40, 30, 17))
        keys = random.integers(0, 5, (40, 30, 17)).astype("i2")
        self.save(array, "a.npy")
        self.save(np.asfortranarray(array), "af.npy")
        self.save(keys, "k.npy")
        self.save(np.asfortranarray(keys), "kf.npy")
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("a", data=array, chunks=(7, 30, 4), compression="gzip", shuffle=True)
            file.create_dataset("k", data=keys, chunks=(7, 30, 4), compression="gzip")
            file.create_dataset("other", data=keys, chunks=(9, 11, 17))
        groups = groups_of(keys)
        rows = expected(array, groups, ("sum", "argmin"))
        for source in ("a.npy", "af.npy", "a.h5:/a"):
            for by in ("k.npy", "kf.npy", "a.h5:/k", "a.h5:/other"):
                with self.subTest(source=source, by=by):
                    got = self.table(source, by, ("sum", "argmin"), "--slice", "6000")
                    name = {"k.npy": "k", "kf.npy": "kf"}.get(by, by.split("/")[-1])
                    self.assert_rows(got, {name: [key for key, _ in groups]}, rows)
        for shape in ((40, 1, 1), (1, 30, 1), (17,), (30, 17), (1,)):
            some = random.integers(0, 4, shape)
            for source in ("a.npy", "af.npy", "a.h5:/a"):
                self.save(some, "s.npy")
                groups = groups_of(np.broadcast_to(some, array.shape))
                got = self.table(source, "s.npy", ("sum", "argmin"))
                self.assert_rows(got, {"s": [key for key, _ in groups]}, expected(array, groups, ("sum", "argmin")))

    def test_more_groups_than_memory_holds(self):
        """They are stored; the array is read once."""
        random = np.random.default_rng(8)
        keys = random.permutation(np.repeat(np.arange(600_000) * 2**30, 2))
        array = random.integers(-1000, 1000, len(keys)).astype("f8")
        self.save(array, "a.npy")
        self.save(keys, "k.npy")
        sums = np.bincount(keys >> 30, array)
        for name in ("t.h5", "t.csv"):
            self.assert_done("reduce", "a.npy", "--by", "k.npy", "--op", "sum", "--memory", "64M", "--threads", "2",
                             "--output", name, "--report", "r.json")
            report = self.read_report()
            self.assertEqual(report["total"]["elements"], len(keys))
            self.assertGreater(report["groups"]["stored_bytes"], 600_000 * 10)
            self.assertEqual(report["groups"]["count"], 600_000)
        with h5py.File(self.path("t.h5")) as file:
            self.assertTrue((file["k"][()] == np.arange(600_000) * 2**30).all())
            self.assertTrue((file["sum"][()] == sums).all())
        table = np.loadtxt(self.path("t.csv"), delimiter=",", skiprows=1)
        self.assertTrue((table[:, 2] == sums).all())
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "k.npy", "r.json", "t.csv", "t.csv.done", "t.h5", "t.h5.done"])

    def test_groups_of_a_few_times_the_memory(self):
        """The array is read some times, each time for the next keys; elements of no group are counted once."""
        random = np.random.default_rng(9)
        keys = random.random((1500, 1000)) * 1.1
        keys[random.random(keys.shape) < .01] = np.nan
        self.save(random.standard_normal(keys.shape), "a.npy")
        self.save(keys, "k.npy")
        by = ("reduce", "a.npy", "--by", "k.npy", "--bins", "0,1,150000", "--op", "sum,argmin,median", "--report", "r.json")
        self.assert_done(*by, "--output", "truth.npy")
        truth, told = np.load(self.path("truth.npy")), self.read_report()
        self.assertEqual(told["groups"]["left_out_nans"], np.isnan(keys).sum())
        for ranks, options in ((0, ()), (3, ()), (0, ("--device", "reference"))):
            self.assert_done(*by, "--memory", "64M", "--threads", "2", "--output", "t.npy", "--overwrite", *options, ranks=ranks)
            self.assertEqual(np.load(self.path("t.npy")).tobytes(), truth.tobytes())
            report = self.read_report()
            # Its groups take so much memory that they are stored. How often they are depends on how many lanes have got work.
            self.assertGreater(report["total"]["elements"], keys.size)
            for name in ("left_out_nans", "left_out_outside", "rows", "count"):
                self.assertEqual(report["groups"][name], told["groups"][name])

    def alone(self, memory, *options):
        """The report of a run without an output."""
        # The shell forks, so that the peak is not that of this process.
        subprocess.run(["sh", "-c", '"$@"; exit $?', "sh", TESSERA, "reduce", *options, "--memory", memory, "--threads", "2",
                        "--quiet", "--report", "r.json"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        return self.read_report()

    def test_memory_of_accumulators(self):
        """Almost every number is far from the others of its group, so most groups have accumulators."""
        random = np.random.default_rng(10)
        keys = random.integers(0, 50_000, 400_000)
        array = np.ldexp(random.standard_normal(keys.shape), random.integers(-900, 900, keys.shape))
        array[:100_000] = 1
        self.save(array, "a.npy")
        self.save(keys, "k.npy")
        by = ("a.npy", "--by", "k.npy", "--op", "sum,var", "--overwrite")
        self.alone("8G", *by, "--output", "truth.npy")
        with open(self.path("truth.npy"), "rb") as file:
            truth = file.read()
        for options in ((), ("--device", "reference")):
            report = self.alone("64M", *by, "--output", "t.npy", *options)
            self.assertLess(report["total"]["peak_memory_bytes"], 80 << 20)
            self.assertGreater(report["groups"]["stored_bytes"], 50_000 * 100)
            with open(self.path("t.npy"), "rb") as file:
                self.assertEqual(file.read(), truth)

    def test_several_keys_with_little_memory(self):
        keys = np.indices((700, 900)).reshape(2, -1)
        self.save(np.ones(keys.shape[1]), "a.npy")
        with h5py.File(self.path("k.h5"), "w") as file:
            file.create_dataset("row", data=keys[0], chunks=(100_000,), compression="gzip")
        self.save(keys[1], "column.npy")
        for memory in ("64M", "16M"):
            self.assert_done("reduce", "a.npy", "--by", "k.h5:/row,column.npy", "--op", "sum", "--memory", memory,
                             "--output", "t.npy", "--overwrite")
            table = np.load(self.path("t.npy"))
            self.assertEqual(len(table), 700 * 900)
            self.assertTrue((table["sum"] == 1).all())
            self.assertTrue((table["row"] == keys[0]).all() and (table["column"] == keys[1]).all())

    def test_memory_of_more_groups_than_it_holds(self):
        """Almost all keys are different; the integers have all bits."""
        arrays = ("random:uniform?count=3e6", "--by", "random:uniform?count=3e6&dtype=i8&seed=5")
        told = [self.alone(memory, *arrays, "--op", "sum,median") for memory in ("64M", "4G")]
        self.assertLess(told[0]["total"]["peak_memory_bytes"], 80 << 20)
        self.assertEqual(told[0]["groups"]["rows"], told[1]["groups"]["rows"])
        self.assertEqual([report["groups"]["stored_bytes"] > 0 for report in told], [True, False])
        self.assertEqual([name for name in os.listdir(self.folder) if name != "r.json"], [])

    def test_formats(self):
        self.save(np.array([1.5, np.nan, 4, 1e300]), "a.npy")
        self.save(np.array([3, 1, 3, -2]), "k.npy")
        for name in ("t.h5", "t.npy", "t.csv", "t.json"):
            self.assert_done("reduce", "a.npy", "--by", "k.npy", "--op", "sum,any,minmax", "--output", name)
        with open(self.path("t.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "k,count,sum,any,minmax_min,minmax_max\n-2,1,1e+300,true,1e+300,1e+300\n"
                                          "1,1,nan,true,nan,nan\n3,2,5.5,true,1.5,4\n")
        with open(self.path("t.json"), encoding="utf-8") as file:
            rows = json.load(file)
        self.assertEqual(rows[1], {"k": 1, "count": 1, "sum": None, "any": True, "minmax_min": None, "minmax_max": None})
        self.save(np.array([0.1, 0.2], "f4"), "f.npy")
        self.save(np.array([0, 1]), "two.npy")
        self.assert_done("reduce", "f.npy", "--by", "two.npy", "--op", "max", "--output", "f.csv")
        with open(self.path("f.csv"), encoding="utf-8") as file:
            self.assertIn("0,1,0.10000000149011612\n", file.read())
        self.save(np.array([-0.0, 0.0]), "z.npy")
        self.assert_done("reduce", "z.npy", "--by", "two.npy", "--op", "sum", "--output", "z.json")
        with open(self.path("z.json"), encoding="utf-8") as file:
            self.assertEqual([math.copysign(1, row["sum"]) for row in json.load(file)], [-1, 1])
        self.assert_done("reduce", "z.npy", "--op", "min", "--report", "r.json")
        self.assertEqual(math.copysign(1, self.read_report()["results"][0]["values"][0]["value"]), -1)
        table = np.load(self.path("t.npy"))
        self.assertEqual(table.dtype.names, ("k", "count", "sum", "any", "minmax_min", "minmax_max"))
        self.assertEqual(table["k"].tolist(), [-2, 1, 3])
        self.assertEqual(table["any"].dtype, bool)
        with h5py.File(self.path("t.h5")) as file:
            self.assertEqual(file.attrs["format"], "tessera-groups")
            self.assertEqual(file.attrs["by"], "k.npy")

    def test_what_is_printed(self):
        self.save(np.arange(6.0), "a.npy")
        self.save(np.array([7, 7, 1, 1, 1, 7]), "k.npy")
        said = self.assert_done("reduce", "a.npy", "--by", "k.npy", "--op", "sum,mean", "--quiet")
        self.assertEqual(said, "1 3 9 3\n7 3 6 2\n")
        said = self.assert_done("reduce", "a.npy", "--by", "k.npy", "--op", "sum,mean")
        self.assertIn("\nk  count  sum  mean\n1      3    9     3\n7      3    6     2\n2 groups\n", said)
        said = self.assert_done("reduce", "random:uniform?count=50", "--by", "random:uniform?count=50&dtype=i8", "--op", "sum")
        self.assertIn("...\n50 groups\n", said)
        self.save(np.zeros(0), "a.npy")
        self.save(np.zeros(0, "i8"), "k.npy")
        self.assertIn("0 groups", self.assert_done("reduce", "a.npy", "--by", "k.npy", "--op", "max"))

    def test_bad_input(self):
        self.save(np.arange(6.0).reshape(2, 3), "a.npy")
        self.save(np.arange(6.0).reshape(2, 3), "f.npy")
        self.save(np.array([[0, 1, 2], [0, -1, 5]]), "k.npy")
        self.save(np.arange(4), "four.npy")
        self.save(np.array([1.0, 1.0]), "e.npy")
        # One key of all 2^64, so that there are no groups for two of them.
        self.save(np.array([[-2**63, 0, 0], [0, 0, 2**63 - 1]]), "wide.npy")
        before = sorted(os.listdir(self.folder))
        for arguments, *told in (
                (("--by", "four.npy"), "four.npy", "4", "2x3"),
                (("--by", "f.npy"), "f.npy", "--bins"),
                (("--by", "f.npy", "--bins", "3,1,2"), "--bins"),
                (("--by", "f.npy", "--bins", "0,1,0"), "--bins"),
                (("--by", "f.npy", "--bins", "e.npy"), "--bins", "edges"),
                (("--by", "f.npy,a.npy", "--bins", "0,1,2"), "--bins", "2"),
                (("--by", "k.npy", "--groups", "3"), "--groups 3", "k.npy", "-1", "[1, 1]"),
                (("--by", "k.npy", "--groups", "0"), "--groups"),
                (("--by", "k.npy,k.npy", "--groups", "3"), "--groups"),
                (("--by", "k.npy", "--groups", "3", "--bins", "0,1,2"), "--groups"),
                (("--by", "wide.npy,wide.npy"), "--by", "2^64"),
                (("--by", "k.npy", "--axis", "0"), "--axis"),
                (("--by", "k.npy", "--op", "prod"), "prod", "--by"),
                (("--by", "k.npy", "--op", "histogram=3,0,1"), "histogram"),
                (("--by", ""), "--by"),
                (("--by", "nonsense"), "nonsense"),
                (("--bins", "0,1,2"), "--by"),
                (("--groups", "2"), "--by"),
                (("--by", "k.npy", "--output", "t.txt"), "t.txt"),
                (("--by", "k.npy", "--output", "k.npy"), "k.npy"),
                (("--axis", "0", "--output", "t.csv"), "t.csv"),
                (("--by", "k.npy", "--output", "t.csv", "--checkpoint-file", "c"), "--checkpoint-file")):
            with self.subTest(arguments=arguments):
                operation = () if "--op" in arguments else ("--op", "sum")
                self.assert_refused(("reduce", "a.npy", *operation, *arguments), 2, *told)
                self.assertEqual(sorted(os.listdir(self.folder)), before)
        self.assert_refused(("reduce", "a.npy", "--op", "sum", "--by", "nothing.npy"), 3, "nothing.npy")
        self.assert_refused(("reduce", "a.npy", "--op", "sum", "--by", "f.npy", "--bins", "nothing.txt"), 3, "nothing.txt")
        self.assert_refused(("reduce", "a.npy", "--op", "sum", "--by", "f.npy", "--bins", "e.npy", "-o", "e.npy", "--overwrite"), 2,
                            "would overwrite --bins e.npy")

    def test_a_finished_table_is_not_made_again(self):
        self.save(np.arange(6.0), "a.npy")
        self.save(np.arange(6) % 2, "k.npy")
        job = ("reduce", "a.npy", "--by", "k.npy", "--op", "sum", "--output", "t.csv", "--report", "r.json")
        self.assert_done(*job)
        first = os.stat(self.path("t.csv")).st_mtime_ns
        for ranks in (0, 2):
            done = self.run_program(*job, ranks=ranks)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("reduce: t.csv is complete already", done.stderr)
            self.assertEqual(os.stat(self.path("t.csv")).st_mtime_ns, first)
            report = self.read_report()
            self.assertTrue(report["found_complete"])
            self.assertEqual((report["groups"]["count"], report["groups"]["columns"]), (2, ["k", "count", "sum"]))
        self.save(np.arange(6) % 3, "k.npy")
        self.assert_refused(job, 2, "t.csv: is there already")

    def test_a_table_by_a_file_of_edges_has_no_note(self):
        self.save(np.arange(6.0), "a.npy")
        self.save(np.array([0.0, 2.0, 9.0]), "e.npy")
        job = ("reduce", "a.npy", "--by", "a.npy", "--bins", "e.npy", "--op", "sum", "--output", "t.csv")
        self.assert_done(*job)
        self.assertFalse(os.path.exists(self.path("t.csv.done")))
        self.assert_refused(job, 2, "t.csv: is there already")

    def test_a_finished_table_is_not_replaced(self):
        self.save(np.arange(6.0), "a.npy")
        self.save(np.arange(6) % 2, "k.npy")
        self.assert_done("reduce", "a.npy", "--by", "k.npy", "--op", "sum", "--output", "t.csv")
        self.assert_refused(("reduce", "a.npy", "--by", "k.npy", "--op", "max", "--output", "t.csv"), 2, "t.csv")
        self.assert_done("reduce", "a.npy", "--by", "k.npy", "--op", "max", "--output", "t.csv", "--overwrite")
        with open(self.path("t.csv"), encoding="utf-8") as file:
            self.assertEqual(file.readline(), "k,count,max\n")

    def test_a_full_disk_is_one_line_and_leaves_no_table(self):
        self.save(np.arange(200_000.0), "a.npy")
        self.save(np.arange(200_000), "k.npy")
        before = sorted(os.listdir(self.folder))
        for name, memory in (("t.h5", "2G"), ("t.npy", "2G"), ("t.csv", "2G"), ("t.json", "64M")):
            with self.subTest(name=name):
                arguments = ["reduce", "a.npy", "--by", "k.npy", "--op", "sum", "--memory", memory, "--output", name]
                done = subprocess.run([sys.executable, "-c", LIMITED, "1000000", TESSERA, *arguments], cwd=self.folder,
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(name, done.stderr)
                self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_an_integer_that_does_not_fit(self):
        self.save(np.full(4, 2**62), "a.npy")
        self.save(np.array([1, 5, 5, 5]), "k.npy")
        self.assert_refused(("reduce", "a.npy", "--by", "k.npy", "--op", "max,sum,mean", "--output", "t.csv"), 4, "sum", "5", "i8")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "k.npy"])


if __name__ == "__main__":
    main()
