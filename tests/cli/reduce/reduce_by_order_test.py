"""tessera reduce --by: medians, quantiles, modes and the largest elements of groups."""

from by_reduction import ByTest, groups_of, h5py, np
from program import main


def order_of(elements, indices, nan, integers):
    """Answers of order statistics about some elements by column, with NumPy as the oracle."""
    missing = 0 if integers else np.nan
    descending = np.lexsort((np.arange(len(elements)), -elements.astype("f8") + 0.0))
    is_nan = np.isnan(elements.astype("f8"))
    numbers = elements[~is_nan]
    largest = descending[~is_nan[descending]]
    if nan == "propagate":
        largest = np.concatenate([np.flatnonzero(is_nan), largest])
    sought = numbers if nan == "skip" else elements
    row = {"count": len(elements)}
    row["median"] = float(np.median(sought.astype("f8"))) if len(sought) else np.nan
    for name, q in (("quantile_0.25", .25), ("quantile_0.9", .9)):
        row[name] = float(np.quantile(sought.astype("f8"), q)) if len(sought) else np.nan
    if integers:
        values, counts = np.unique(elements, return_counts=True)
        row["mode"], row["nunique"] = int(values[counts.argmax()]), len(values)
    for k in range(3):
        row[f"topk_{k + 1}"] = elements[largest[k]].item() if k < len(largest) else missing
    for k in range(2):
        row[f"argtopk_{k + 1}"] = int(indices[largest[k]]) if k < len(largest) else -1
    return row


class Order(ByTest):
    OPERATIONS = ("median", "quantile=0.25,0.9", "topk=3", "argtopk=2")

    def assert_order(self, array, keys, *options, nan="propagate", devices=("reference", "cpu"), ranks=0):
        self.save(array, "a.npy")
        self.save(keys, "k.npy")
        integers = array.dtype.kind != "f"
        groups = groups_of(np.broadcast_to(keys, np.shape(array)))
        rows = [order_of(np.ravel(array)[at], at, nan, integers) for _, at in groups]
        operations = (*self.OPERATIONS, "mode", "nunique") if integers else self.OPERATIONS
        for device in devices:
            self.assert_done("reduce", "a.npy", "--by", "k.npy", "--op", ",".join(operations), "--output", "t.h5", "--nan", nan,
                             "--overwrite", "--quiet", "--device", device, "--report", "r.json", *options, ranks=ranks)
            with h5py.File(self.path("t.h5")) as file:
                got = {name: data[()] for name, data in file.items()}
            self.assert_rows(got, {"k": [key for key, _ in groups]}, rows, f"on {device} {options}")

    def test_of_every_type(self):
        random = np.random.default_rng(11)
        for code in ("i1", "i4", "u2", "u8", "f2", "f4", ">f8"):
            with self.subTest(code=code):
                kind = np.dtype(code).kind
                array = (random.standard_normal(3001) if kind == "f" else random.integers(0, 100, 3001)).astype(code)
                self.assert_order(array, random.integers(-20, 20, 3001))

    def test_with_nan_and_groups_that_are_smaller_than_k(self):
        random = np.random.default_rng(12)
        array = random.standard_normal((30, 50))
        array[random.random((30, 50)) < .1] = np.nan
        array[random.random((30, 50)) < .1] = 0.0
        keys = random.integers(0, 700, (30, 50))
        for nan in ("propagate", "skip"):
            self.assert_order(array, keys, nan=nan)
            self.assert_order(array, np.arange(30)[:, None], nan=nan)

    def test_of_groups_that_are_collected_and_that_are_not(self):
        """Up to 16384 elements, a group is collected."""
        random = np.random.default_rng(13)
        for code in ("f8", "i8", "u1"):
            sizes = np.repeat(np.arange(5), (16383, 16384, 16385, 70000, 2))
            keys = random.permutation(sizes) * 1000
            array = np.rint(random.standard_normal(len(keys)) * 40 + 100).astype(code)
            with self.subTest(code=code):
                self.assert_order(array, keys, devices=("cpu",))
                self.assert_order(array, keys, "--memory", "64M", devices=("cpu",), ranks=2)

    def test_of_more_elements_than_memory_holds(self):
        random = np.random.default_rng(14)
        keys = random.integers(0, 40_000, 400_000) * 2**30
        keys[random.random(400_000) < .3] = 5 * 2**30
        array = random.standard_normal(400_000)
        self.assert_order(array, keys, "--memory", "64M", "--threads", "2", devices=("cpu",))
        report = self.read_report()
        self.assertGreater(report["groups"]["stored_bytes"], 280_000 * 8)
        self.assertLess(report["total"]["elements"], 6 * 400_000)

    def test_of_stored_elements_and_more_large_groups_than_are_searched_at_a_time(self):
        random = np.random.default_rng(15)
        keys = random.permutation(np.concatenate([np.repeat(np.arange(30) * 1000, 16_500), random.integers(-30_000, 0, 200_000)]))
        array = random.integers(-500, 500, len(keys)) / 8
        for ranks in (0, 3):
            self.assert_order(array, keys, "--memory", "64M", "--threads", "2", devices=("cpu",), ranks=ranks)
            self.assertGreater(self.read_report()["groups"]["stored_bytes"], 200_000 * 4)

    def test_of_groups_known_in_advance_and_beside_other_operations(self):
        self.save(np.array([4, 1, 4, 8]), "a.npy")
        self.save(np.array([4, 1, 4, 0]), "k.npy")
        got = self.table("a.npy", "k.npy", ("sum", "median", "mode", "topk=2", "nunique", "argtopk=1", "minmax"), "--groups",
                         "6")
        self.assertEqual(got["sum"].tolist(), [8, 1, 0, 0, 8, 0])
        self.assertEqual(got["minmax_max"].tolist(), [8, 1, 0, 0, 4, 0])
        self.assertEqual(np.nan_to_num(got["median"], nan=-1).tolist(), [8, 1, -1, -1, 4, -1])
        self.assertEqual(got["mode"].tolist(), [8, 1, 0, 0, 4, 0])
        self.assertEqual(got["topk_1"].tolist(), [8, 1, 0, 0, 4, 0])
        self.assertEqual(got["topk_2"].tolist(), [0, 0, 0, 0, 4, 0])
        self.assertEqual(got["nunique"].tolist(), [1, 1, 0, 0, 1, 0])
        self.assertEqual(got["argtopk_1"].tolist(), [3, 1, -1, -1, 0, -1])
        self.save(np.zeros(0), "a.npy")
        self.save(np.zeros(0, "i8"), "k.npy")
        self.assertIn("0 groups", self.assert_done("reduce", "a.npy", "--by", "k.npy", "--op", "median"))

    def test_in_every_format(self):
        self.save(np.array([1.5, 2.5, 4]), "a.npy")
        self.save(np.array([3, 1, 3]), "k.npy")
        for name in ("t.h5", "t.npy", "t.csv", "t.json"):
            self.assert_done("reduce", "a.npy", "--by", "k.npy", "--op", "median,quantile=0.5,topk=2", "--output", name)
        with open(self.path("t.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "k,count,median,quantile_0.5,topk_1,topk_2\n1,1,2.5,2.5,2.5,nan\n"
                                          "3,2,2.75,2.75,4,1.5\n")
        self.assertEqual(np.load(self.path("t.npy"))["topk_1"].tolist(), [2.5, 4])
        self.assert_refused(("reduce", "a.npy", "--by", "k.npy", "--op", "mode"), 2, "--op mode: is for integers")


if __name__ == "__main__":
    main()
