"""tessera reduce: medians and quantiles with --weights, against fractions."""

import csv
import math
import os
from fractions import Fraction

from program import main, times
from reduction import np, rounded

# Behind reduction, which skips the test where it is not.
import h5py

from reduce_runs import Checkpoint, ReduceRunTest
from runs import QUICKLY, SLOWLY

THIRD, EIGHTH = Fraction(1, 3), Fraction(1, 8)
# Hyndman and Fan's alpha and beta.
INTERPOLATING = {"linear": (1, 1), "interpolated_inverted_cdf": (0, 1), "hazen": (4 * EIGHTH, 4 * EIGHTH), "weibull": (0, 0),
                 "median_unbiased": (THIRD, THIRD), "normal_unbiased": (3 * EIGHTH, 3 * EIGHTH)}
METHODS = (*INTERPOLATING, "inverted_cdf")


def fractions(array):
    return [Fraction(one) for one in np.ravel(array).tolist()]


def quantile(x, w, q, method="linear"):
    """As A. Akinshin and xarray define it, or the first x whose cumulated weight is at least q of all."""
    pairs = sorted((a, b) for a, b in zip(fractions(x), fractions(w)) if b > 0)
    if not pairs:
        return math.nan
    everything, q, cumulated = sum(b for _, b in pairs), Fraction(repr(q)), 0
    if method == "inverted_cdf":
        for a, b in pairs:
            cumulated += b
            if cumulated >= q * everything:
                return rounded(a)
    effective = everything ** 2 / sum(b * b for _, b in pairs)
    alpha, beta = INTERPOLATING[method]
    h = min(max(effective * q + alpha + q * (1 - alpha - beta), 1), effective)
    low, high = (h - 1) / effective * everything, h / effective * everything
    products = 0
    for a, b in pairs:
        products += a * max(0, min(high, cumulated + b) - max(low, cumulated))
        cumulated += b
    return rounded(products / (high - low))


def operations(quantiles):
    return f"quantile={','.join(map(repr, quantiles))},median"


class Weighted(ReduceRunTest):
    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(times() + 4)

    def numbers(self, *arguments, **options):
        return [float(one) for one in self.assert_done("reduce", *arguments, "--quiet", **options).split()]

    def assert_quantiles(self, x, w, quantiles, method, *cuts):
        """`cuts`: options that change no answer; by each of them."""
        self.save(x, "x.npy")
        self.save(w, "w.npy")
        whole = np.broadcast_to(w, x.shape)
        wanted = [quantile(x, whole, q, method) for q in quantiles] + [quantile(x, whole, 0.5)]
        for more in cuts or ((),):
            options = {"ranks": more[0]} if more and isinstance(more[0], int) else {}
            found = self.numbers("x.npy", "--weights", "w.npy", "--op", operations(quantiles), "--quantile-method", method,
                                 *more[len(options):], **options)
            self.assertEqual(found, wanted, f"{method} {more} {x.ravel()[:4]} {w.ravel()[:4]}")

    def test_every_method_of_any_numbers_and_weights(self):
        magnitudes = 10.0 ** self.rng.integers(-300, 300, 200)
        for x in (self.rng.standard_normal(200), self.rng.integers(-3, 4, 200), self.rng.standard_normal(200).astype("f4"),
                  self.rng.standard_normal(200).astype("f2"), self.rng.integers(-2 ** 53, 2 ** 53, 200), np.full(200, 7, "u1"),
                  self.rng.standard_normal(200) * magnitudes):
            for w in (self.rng.random(200), self.rng.integers(0, 3, 200), np.where(np.arange(200) == 77, 1e9, 1.0),
                      self.rng.random(200) * magnitudes, np.full(200, 5e-324), np.full(200, 1.7e308, "f8")):
                method = METHODS[self.rng.integers(len(METHODS))]
                self.assert_quantiles(x, w, (0.0, float(self.rng.random()), 1.0), method, ("--slice", "4K"))
        for method in METHODS:
            self.assert_quantiles(self.rng.standard_normal((5, 8)), self.rng.random(8), (0.1, 1 / 3, 0.5, 0.9), method)

    def test_the_same_bits_by_any_cut_ranks_and_devices(self):
        x = np.round(self.rng.standard_normal(70_001), 3)  # with ties, and beyond a sample
        w = self.rng.integers(0, 1000, x.shape)
        cuts = ((), ("--slice", "4K"), ("--slice", "64K", "--memory", "96M", "--threads", "1"), (4, "--slice", "16K"),
                ("--device", "reference"))
        self.assert_quantiles(x, w, (0.01, 0.5, 0.999), "linear", *cuts)
        self.assert_quantiles(x, w, (0.01, 0.5, 0.999), "inverted_cdf", *cuts)

    def test_how_often_the_array_is_read_is_told(self):
        self.save(self.rng.standard_normal(100_000), "x.npy")
        self.save(self.rng.random(100_000), "w.npy")
        done = self.run_program("reduce", "x.npy", "--weights", "w.npy", "--op", "median", "--report", "r.json", "--slice", "64K")
        self.assertIn("reduce: the array, 781 KiB, is read once (up to ", done.stderr)
        self.assertEqual(self.read_report()["total"]["elements"], 100_000)

    def test_in_any_memory(self):
        """A sixteenth of it does not hold the keys, and one weight makes all of them one quantile."""
        x = self.rng.standard_normal(500_000)
        w = np.where(np.arange(x.size) == 5, 1e12, 1.0)
        self.save(x, "x.npy")
        self.save(w, "w.npy")
        arguments = ("x.npy", "--weights", "w.npy", "--op", "median,quantile=0.001,0.3", "--slice", "64K")
        much = self.numbers(*arguments)
        self.assertEqual(self.numbers(*arguments, "--memory", "96M"), much)
        self.assertEqual(self.numbers(*arguments, "--memory", "96M", ranks=2), much)
        self.assertAlmostEqual(much[0], x[5], 6)

    def test_along_axes(self):
        x = np.round(self.rng.standard_normal((4, 6, 5)), 1)
        w = self.rng.integers(0, 4, (6, 5))
        whole = np.broadcast_to(w, x.shape)
        self.save(w, "w.npy")
        self.save(np.asfortranarray(x), "x.npy")
        with h5py.File(self.path("x.h5"), "w") as file:
            file.create_dataset("x", data=x, chunks=(3, 4, 2), compression="gzip")
        for axis, ranks, source in (((0,), 0, "x.npy"), ((1,), 2, "x.h5:/x"), ((0, 2), 0, "x.h5:/x"), ((1, 2), 0, "x.npy")):
            for method in ("linear", "inverted_cdf"):
                self.assert_done("reduce", source, "--weights", "w.npy", "--axis", ",".join(map(str, axis)), "--op",
                                 operations((0.2, 0.7)) + ",mean", "--quantile-method", method, "--output", "o.h5", "--overwrite",
                                 "--quiet", ranks=ranks)
                kept = [d for d in range(3) if d not in axis]
                outputs = np.ndindex(*(x.shape[d] for d in kept))
                with h5py.File(self.path("o.h5")) as file:
                    for place in outputs:
                        own = tuple(place[kept.index(d)] if d in kept else slice(None) for d in range(3))
                        wanted = [quantile(x[own], whole[own], q, method) for q in (0.2, 0.7)]
                        np.testing.assert_array_equal(file["quantile"][place], wanted)
                        np.testing.assert_array_equal(file["median"][place], quantile(x[own], whole[own], 0.5))

    def test_by_groups(self):
        """Of few and of many elements: those of a large group are not collected."""
        sizes = (3, 16_384, 16_385, 60_000)
        keys = self.rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
        x = np.round(self.rng.standard_normal(keys.size), 3)
        w = self.rng.integers(0, 50, keys.size)
        for array, name in ((keys, "k.npy"), (x, "x.npy"), (w, "w.npy")):
            self.save(array, name)
        wanted = {k: [quantile(x[keys == k], w[keys == k], q) for q in (0.25, 0.5)] for k in range(len(sizes))}
        for ranks, more in ((0, ()), (4, ("--slice", "64K")), (0, ("--memory", "64M", "--slice", "64K"))):
            self.assert_done("reduce", "x.npy", "--weights", "w.npy", "--by", "k.npy", "--op", "quantile=0.25,median,mean", "--output",
                             "o.csv", "--overwrite", *more, ranks=ranks)
            with open(self.path("o.csv"), newline="") as file:
                rows = {int(row["k"]): [float(row["quantile_0.25"]), float(row["median"])] for row in csv.DictReader(file)}
            self.assertEqual(rows, wanted, more)

    def test_by_groups_along_an_axis(self):
        keys = np.arange(12) % 3
        x = self.rng.standard_normal((12, 4))
        w = self.rng.random((12, 4))
        for array, name in ((keys, "k.npy"), (x, "x.npy"), (w, "w.npy")):
            self.save(array, name)
        self.assert_done("reduce", "x.npy", "--weights", "w.npy", "--by", "k.npy", "--axis", "0", "--op", "median", "--output", "o.npy")
        wanted = [[quantile(x[keys == k, i], w[keys == k, i], 0.5) for i in range(4)] for k in range(3)]
        np.testing.assert_array_equal(np.load(self.path("o.npy")), wanted)

    def test_nan_infinities_zeros_and_missing_elements(self):
        self.save(np.array([1.0, np.nan, 3.0, -999.0]), "x.npy")
        self.save(np.array([1.0, 0.0, 0.5, 4.0]), "w.npy")
        base = ("x.npy", "--weights", "w.npy", "--op", "median,quantile=1")
        np.testing.assert_equal(self.numbers(*base), [math.nan, math.nan])
        skipped = [quantile([1, 3, -999], [1, .5, 4], q) for q in (0.5, 1)]
        self.assertEqual(self.numbers(*base, "--nan", "skip"), skipped)
        there = [quantile([1, 3], [1, .5], q) for q in (0.5, 1)]
        self.assertEqual(self.numbers(*base, "--nan", "skip", "--missing=-999"), there)
        self.save(np.array([-np.inf, 2, 3, np.inf]), "x.npy")
        self.save(np.array([1, 1, 1, 0.5]), "w.npy")
        self.assertEqual(self.numbers("x.npy", "--weights", "w.npy", "--op", "quantile=0,0.5,1", "--quantile-method", "inverted_cdf"),
                         [-math.inf, 2, math.inf])
        self.save(np.zeros(4), "w.npy")
        np.testing.assert_equal(self.numbers(*base), [math.nan, math.nan])
        self.save(np.zeros((0, 4)), "x.npy")
        np.testing.assert_equal(self.numbers(*base), [math.nan, math.nan])

    def test_what_is_refused(self):
        self.save(np.arange(3.0), "x.npy")
        self.save(np.array([1.0, -2, 1]), "w.npy")
        base = ("x.npy", "--weights", "w.npy", "--op")
        for arguments, words in (
                (("median",), ("--weights w.npy: the weight at [1] is -2", "of quantiles are not negative")),
                (("quantile=0.5", "--axis", "0", "--output", "o.npy"), ("the weight at [1] is -2",)),
                (("quantile=0.5", "--quantile-method", "lower"), ("--quantile-method lower: is not weighted", "inverted_cdf")),
                (("mode",), ("--op mode: is not weighted", "median, quantile")),
                (("median", "--pool", "a.pool"), ("--pool: median needs all elements again",)),
                (("median", "--state", "a.st"), ("--state: keeps no weighted statistics",))):
            self.assert_refused(["reduce", *base, *arguments], 2, *words)
        self.assertEqual(self.numbers(*base, "sum"), [0])  # has a meaning with any weights
        self.assertFalse(os.path.exists(self.path("a.pool")))

    def test_passes_go_on_after_a_kill(self):
        job = ("random:normal?count=10000000&seed=3", "--weights", "random:uniform?count=10000000", "--op",
               "mean,median,quantile=0.01,0.1,0.3,0.7,0.9,0.99", "--memory", "100M", "--slice", "256K", "--checkpoint", "1", "--report",
               "r.json")
        truth = self.truth(*job)
        slices = self.read_report()["total"]["slices"] // 2
        for number in range(2):
            process = self.start(*job, *SLOWLY, "--quiet", hold=number * slices - self.recorded() + 10)
            self.assert_reaches(process, f"pass {number}", lambda number=number: self.has_reached(number))
            self.kill(process)
        recorded = self.recorded()
        self.finish_well(self.start(*job, *QUICKLY, ranks=2))
        self.assertEqual(self.read_report()["found_slices"], recorded)
        self.assertEqual(self.results(), truth)

    def test_large_groups_go_on_after_any_kill(self):
        keys = self.rng.integers(0, 20, 800_000)  # that are not collected
        for array, name in ((keys, "k.npy"), (self.rng.standard_normal(keys.size), "x.npy"), (self.rng.random(keys.size), "w.npy")):
            self.save(array, name)
        job = ("x.npy", "--weights", "w.npy", "--by", "k.npy", "--groups", "20", "--op", "median,quantile=0.1", "--slice", "16K",
               "--checkpoint", "1")
        self.assert_done("reduce", *job, *QUICKLY, "--output", "truth.csv", "--quiet")
        self.assertGreater(self.stop_again_and_again("o.csv", *job, first=30), 25)  # in a search, behind 25 items that count
        with open(self.path("truth.csv")) as truth, open(self.path("o.csv")) as found:
            self.assertEqual(found.read(), truth.read())

    def has_reached(self, number):
        names = self.checkpoints()
        if not names:
            return False
        checkpoint = Checkpoint(self.path(names[0]))
        return checkpoint.pass_number >= number and bool(checkpoint.finished.any())


if __name__ == "__main__":
    main()
