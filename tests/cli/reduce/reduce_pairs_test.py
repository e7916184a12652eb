"""Statistics of pairs of numbers: --weights, cov, corr, and dot along axes and by groups, against fractions."""

import csv
import math
from fractions import Fraction

import h5py
from program import main
from reduction import ReduceTest, np


def rounded(x):
    """The nearest f64 of a fraction."""
    return x if isinstance(x, float) else x.numerator / x.denominator


def root(x):
    """The square root of a fraction, rounded once."""
    if x < 0:
        return math.nan
    if x == 0:
        return 0.0
    shift = 2 * max(0, 160 + x.denominator.bit_length() - x.numerator.bit_length())
    whole = (x.numerator << shift) // x.denominator
    low = math.isqrt(whole)
    exact = low * low == whole and whole * x.denominator == x.numerator << shift
    return rounded(Fraction(2 * low + (0 if exact else 1), 2 << shift // 2))


def exact(array):
    return [Fraction(one.item()) for one in np.ravel(array)]


def weighted(x, w):
    """Of the finite pairs."""
    x, w = exact(x), exact(w)
    all_weights, products = sum(w), sum(a * b for a, b in zip(x, w))
    answers = {"sum": rounded(Fraction(products)), "mean": math.nan, "var": math.nan, "std": math.nan}
    if all_weights != 0:
        variance = (sum(a * a * b for a, b in zip(x, w)) * all_weights - products ** 2) / all_weights ** 2
        answers |= {"mean": rounded(products / all_weights), "var": rounded(variance), "std": root(variance)}
    return answers


def joint(x, y, ddof=0):
    n = len(np.ravel(x))
    x, y = exact(x), exact(y)
    scaled = lambda a, b: n * sum(p * q for p, q in zip(a, b)) - sum(a) * sum(b)
    both, of_x, of_y = scaled(x, y), scaled(x, x), scaled(y, y)
    corr = root(both * both / (of_x * of_y)) if of_x * of_y else math.nan
    return {"dot": rounded(Fraction(sum(p * q for p, q in zip(x, y)))),
            "cov": rounded(both / (n * (n - ddof))) if n > ddof else math.nan, "corr": math.copysign(corr, both)}


class Pairs(ReduceTest):
    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(3)
        self.x = rng.standard_normal((10, 6, 8)) * 10.0 ** rng.integers(-150, 150, (10, 6, 8))
        self.y = rng.standard_normal((10, 6, 8)).astype("f4")
        self.w = np.cos(np.linspace(-1.4, 1.4, 6))
        self.save(self.x, "x.npy")
        self.save(self.y, "y.npy")
        self.save(self.w, "w.npy")
        self.save(self.w[:, None], "wc.npy")
        self.whole = np.broadcast_to(self.w[:, None], self.x.shape)

    def numbers(self, operations, *arguments, **options):
        said = self.assert_done("reduce", *arguments, "--op", ",".join(operations), "--quiet", **options).split()
        return dict(zip(operations, map(float, said)))

    def along(self, wanted, axis, *arguments, **options):
        """`wanted`: answers of the outputs in C order."""
        names = list(wanted[0])
        self.assert_done("reduce", *arguments, "--op", ",".join(names), "--axis", axis, "--output", "o.h5", "--overwrite",
                         "--quiet", **options)
        with h5py.File(self.path("o.h5")) as file:
            for name in names:
                np.testing.assert_array_equal(file[name][()].ravel(), [one[name] for one in wanted], name)

    def test_weights_of_whole_arrays(self):
        wanted = weighted(self.x, self.whole)
        for weights in ("wc.npy", "lat=w.npy"):
            for more in ((), ("--slice", "4K"), ("--device", "reference")):
                found = self.numbers(list(wanted), "x.npy", "--dims", "time,lat,lon", "--weights", weights, *more)
                self.assertEqual(found, wanted)
        self.assertEqual(self.numbers(list(wanted), "x.npy", "--weights", "wc.npy", ranks=3), wanted)
        self.assertEqual(self.numbers(["count"], "x.npy", "--weights", "wc.npy"), {"count": 480})

    def test_weights_along_axes(self):
        maps = [weighted(self.x[:, :, i], self.whole[:, :, i]) for i in range(8)]
        rows = [weighted(self.x[t, :, i], self.w) for t in range(10) for i in range(8)]
        last = [weighted(self.x[t, i], np.full(8, self.w[i])) for t in range(10) for i in range(6)]
        with h5py.File(self.path("x.h5"), "w") as file:
            file.create_dataset("x", data=self.x, chunks=(3, 4, 5), compression="gzip")
        self.save(np.asfortranarray(self.x), "f.npy")
        for source in ("x.npy", "f.npy", "x.h5:/x"):
            for wanted, axis in ((maps, "0,1"), (rows, "1"), (last, "2")):
                self.along(wanted, axis, source, "--weights", "wc.npy")
        self.along(rows, "1", "x.h5:/x", "--weights", "wc.npy", ranks=2)
        self.along(rows, "lat", "x.npy", "--weights", "lat=w.npy", "--dims", "time,lat,lon", "--slice", "4K")

    def test_weights_by_groups(self):
        keys = np.random.default_rng(5).integers(-2, 3, self.x.shape)
        self.save(keys, "k.npy")
        wanted = {k: weighted(self.x[keys == k], self.whole[keys == k]) for k in range(-2, 3)}
        for ranks in (0, 2):
            self.assert_done("reduce", "x.npy", "--weights", "wc.npy", "--by", "k.npy", "--op", "sum,mean,var,std", "--output",
                             "o.csv", "--overwrite", ranks=ranks)
            with open(self.path("o.csv"), newline="") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), 5)
            for row in rows:
                k = int(row["k"])
                self.assertEqual(int(row["count"]), (keys == k).sum())
                self.assertEqual({name: float(row[name]) for name in wanted[k]}, wanted[k])

    def test_weights_of_every_type(self):
        for code in ("i1", "u2", "i4", "i8", "f2", "f4", "?"):
            x = (np.arange(60) % 7 - (3 if code[0] not in "u?" else 0)).astype(code).reshape(5, 12)
            w = (np.arange(12) + 1).astype("u1" if code == "f2" else "i8")
            self.save(x, "t.npy")
            self.save(w, "tw.npy")
            wanted = weighted(x, np.broadcast_to(w, x.shape))
            self.assertEqual(self.numbers(list(wanted), "t.npy", "--weights", "tw.npy"), wanted, code)
        self.save(np.array([1, 2 ** 53 + 2]), "big.npy")
        self.save(np.ones(2), "one.npy")
        self.assert_refused(["reduce", "big.npy", "--weights", "one.npy", "--op", "sum"], 4, "at [1] is beyond 2^53")

    def test_nan_infinities_and_missing_elements(self):
        x = np.array([1.0, np.nan, 3.0, -999.0])
        self.save(x, "n.npy")
        self.save(np.array([1.0, 2.0, 0.5, 4.0]), "nw.npy")
        names = ["sum", "mean", "var", "count"]
        base = ("n.npy", "--weights", "nw.npy")
        found = self.numbers(names, *base)
        self.assertTrue(math.isnan(found["sum"]) and math.isnan(found["mean"]))
        wanted = weighted(x[[0, 2, 3]], np.array([1, .5, 4]))
        found = self.numbers(names, *base, "--nan", "skip")
        self.assertEqual((found["sum"], found["mean"], found["var"], found["count"]),
                         (wanted["sum"], wanted["mean"], wanted["var"], 3))
        wanted = weighted(x[[0, 2]], np.array([1, .5]))
        found = self.numbers(names, *base, "--nan", "skip", "--missing=-999")
        self.assertEqual((found["mean"], found["count"]), (wanted["mean"], 2))
        self.save(np.array([1, np.inf, 2]), "i.npy")
        for w, mean in (([1, 1, 1], math.inf), ([1, -1, 1], -math.inf), ([1, 0, 1], math.nan), ([1, -3, 1], math.inf)):
            self.save(np.array(w, "f8"), "iw.npy")
            found = self.numbers(["sum", "mean", "std"], "i.npy", "--weights", "iw.npy")
            np.testing.assert_equal(found["mean"], mean)
            self.assertTrue(math.isnan(found["std"]))
        self.save(np.array([1.0, -1.0]), "z.npy")
        self.save(np.array([3.0, 4.0]), "v.npy")
        found = self.numbers(["sum", "mean", "var"], "v.npy", "--weights", "z.npy")
        self.assertEqual(found["sum"], -1)
        self.assertTrue(math.isnan(found["mean"]) and math.isnan(found["var"]))
        for bad, said in ((np.nan, "nan"), (np.inf, "inf")):
            self.save(np.array([1, bad]), "bad.npy")
            self.assert_refused(["reduce", "v.npy", "--weights", "bad.npy", "--op", "mean"], 2, f"the weight at [1] is {said}")
        self.save(np.zeros((0, 2)), "e.npy")
        found = self.numbers(["sum", "mean"], "e.npy", "--weights", "v.npy")
        self.assertTrue(found["sum"] == 0 and math.isnan(found["mean"]))

    def test_weights_that_are_held_and_that_are_not(self):
        x = np.random.default_rng(9).standard_normal((3, 1100, 1000))
        w = np.random.default_rng(8).random((1100, 1000 * 2))[:, ::2]
        big = np.concatenate([x, x], 2)
        self.save(big, "b.npy")
        self.save(np.concatenate([w, w], 1), "bw.npy")  # 17.6 MB
        self.save(x, "s.npy")
        self.save(w, "sw.npy")
        a = self.numbers(["mean"], "b.npy", "--weights", "bw.npy")
        self.assertEqual(a, self.numbers(["mean"], "s.npy", "--weights", "sw.npy"))

    def test_two_arrays(self):
        wanted = joint(self.x, self.y)
        self.assertEqual(self.numbers(list(wanted), "x.npy", "--with", "y.npy"), wanted)
        self.assertEqual(self.numbers(["cov"], "x.npy", "--with", "y.npy", "--ddof", "1")["cov"], joint(self.x, self.y, 1)["cov"])
        self.assertEqual(self.numbers(list(wanted), "x.npy", "--with", "y.npy", ranks=2), wanted)
        maps = [joint(self.x[:, i, j], self.y[:, i, j]) for i in range(6) for j in range(8)]
        self.along(maps, "0", "x.npy", "--with", "y.npy")
        self.along([{"dot": one["dot"]} for one in maps], "0", "x.npy", "--with", "y.npy", ranks=2)
        self.along([joint(self.x[t], self.y[t]) for t in range(10)], "1,2", "x.npy", "--with", "y.npy")

    def test_correlations_of_lines_are_one(self):
        x = np.random.default_rng(2).standard_normal(1000)
        self.save(x, "l.npy")
        self.save(-4 * x, "m.npy")
        self.save(np.full(1000, 7.0), "c.npy")
        self.assertEqual(self.numbers(["corr"], "l.npy", "--with", "m.npy"), {"corr": -1.0})
        self.assertTrue(math.isnan(self.numbers(["corr"], "l.npy", "--with", "c.npy")["corr"]))

    def test_pairs_skip_a_nan_of_either(self):
        x, y = self.x.copy(), self.y.copy()
        x[0, 0, :3] = np.nan
        y[1:3, 2, 4] = np.nan
        self.save(x, "nx.npy")
        self.save(y, "ny.npy")
        there = ~(np.isnan(x) | np.isnan(y))
        wanted = joint(x[there], y[there])
        self.assertEqual(self.numbers(list(wanted), "nx.npy", "--with", "ny.npy", "--nan", "skip"), wanted)
        self.assertTrue(math.isnan(self.numbers(["cov"], "nx.npy", "--with", "ny.npy")["cov"]))

    def test_two_arrays_by_groups(self):
        self.save((np.arange(10) % 3)[:, None, None], "k3.npy")
        self.assert_done("reduce", "x.npy", "--with", "y.npy", "--by", "k3.npy", "--op", "dot,cov,corr", "--output", "o.csv")
        with open(self.path("o.csv"), newline="") as file:
            for row in csv.DictReader(file):
                own = np.arange(10) % 3 == int(row["k3"])
                wanted = joint(self.x[own], self.y[own])
                self.assertEqual({name: float(row[name]) for name in wanted}, wanted)

    def test_what_is_refused(self):
        for arguments, words in (
                (("--weights", "w.npy", "--op", "mean"), ("--weights w.npy: is 6, and x.npy is 10x6x8", "lat=INPUT")),
                (("--weights", "lat=w.npy", "--op", "mean"), ("its dimensions have no names",)),
                (("--weights", "lat=w.npy", "--dims", "a,b,c", "--op", "mean"), ("no dimension 'lat'",)),
                (("--weights", "wc.npy", "--op", "mode"), ("--op mode: is not weighted",)),
                (("--weights", "wc.npy", "--op", "mean", "--ddof", "1"), ("--ddof 1",)),
                (("--with", "y.npy", "--op", "cov,mean"), ("--op mean: is not of two arrays",)),
                (("--with", "w.npy", "--op", "cov"), ("--with w.npy: is 6, and x.npy is 10x6x8",)),
                (("--op", "corr"), ("say with which array",)),
                (("--weights", "none.npy", "--op", "mean"), ("none.npy",))):
            self.assert_refused(["reduce", "x.npy", *arguments], 3 if "none.npy" in arguments else 2, *words)


if __name__ == "__main__":
    main()
