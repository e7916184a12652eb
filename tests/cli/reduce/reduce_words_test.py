"""What a reduction answers to words of other programs and to first tries: count, quantiles of one Q, coordinates, hints."""

from program import main
from reduction import ReduceTest, np


class Words(ReduceTest):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(5)
        self.array = random.normal(size=(12, 3, 5))
        self.array[3, 1, 2] = np.nan
        self.array[5] = np.nan
        np.save(self.path("a.npy"), self.array)

    def answers(self, *arguments):
        return self.assert_done("reduce", "a.npy", *arguments, "--quiet").split()

    def test_count_is_the_number_of_elements_that_are_no_nan_whatever_nan_says(self):
        valid = ~np.isnan(self.array)
        for policy in ("skip", "propagate"):
            self.assertEqual(self.answers("--op", "count,count_nonzero", "--nan", policy)[0], str(valid.sum()))
            self.assert_done("reduce", "a.npy", "--op", "count", "--axis", "0", "--nan", policy, "--output", "c.npy", "--overwrite", "-q")
            np.testing.assert_array_equal(np.load(self.path("c.npy")), valid.sum(0))
        keys = np.arange(12) % 3
        np.save(self.path("keys.npy"), keys.reshape(12, 1, 1))
        self.assert_done("reduce", "a.npy", "--by", "keys.npy", "--op", "count,max", "--nan", "skip", "--json", "--report", "r.json")
        groups = self.read_json("r.json")["groups"]
        self.assertEqual(groups["columns"][1:3], ["count", "valid"])
        self.assertEqual([row[2] for row in groups["rows"]], [int(valid[keys == key].sum()) for key in range(3)])
        self.assertEqual([row[1] for row in groups["rows"]], [60, 60, 60])
        # Of integers, and of nothing.
        np.save(self.path("i.npy"), np.arange(7))
        self.assertEqual(self.assert_done("reduce", "i.npy", "--op", "count", "-q"), "7\n")
        np.save(self.path("e.npy"), np.zeros(0))
        self.assertEqual(self.assert_done("reduce", "e.npy", "--op", "count", "-q"), "0\n")

    def test_count_leaves_out_missing_elements(self):
        self.assertEqual(self.assert_done("reduce", "a.npy", "--missing", str(self.array[0, 0, 0]), "--op", "count", "-q"),
                         f"{np.isfinite(self.array).sum() - 1}\n")

    def test_a_quantile_of_one_q_adds_no_dimension_and_several_do(self):
        for values, shape in (("0.9", (3, 5)), ("0.1,0.9", (3, 5, 2))):
            self.assert_done("reduce", "a.npy", "--op", "quantile=" + values, "--axis", "0", "--nan", "skip", "--output", "q.npy",
                             "--overwrite", "-q")
            self.assertEqual(np.load(self.path("q.npy")).shape, shape)

    def test_argtopk_has_the_coordinates_of_each_element(self):
        said = self.assert_done("reduce", "a.npy", "--op", "argtopk=3", "--nan", "skip", "--report", "r.json")
        order = np.argsort(-np.nan_to_num(self.array, nan=-np.inf), axis=None)[:3]
        places = [[int(i) for i in np.unravel_index(flat, self.array.shape)] for flat in order]
        self.assertEqual(self.read_json("r.json")["results"][0]["coordinates"], places)
        for flat, place in zip(order, places):
            self.assertIn(f" {flat}  at {place}\n", said)

    def test_keys_along_an_axis_are_told_the_shape_to_have(self):
        np.save(self.path("keys.npy"), np.arange(12) % 3)
        self.assert_refused(["reduce", "a.npy", "--by", "keys.npy", "--op", "sum"], 2, "is 12, and a.npy is 12x3x5",
                            "for keys along axis 0, store them as 12x1x1")
        np.save(self.path("other.npy"), np.arange(7))
        self.assert_refused(["reduce", "a.npy", "--by", "other.npy", "--op", "sum"], 2, "is 7, and a.npy is 12x3x5")

    def test_standard_input_and_output_are_refused_by_name(self):
        self.assert_refused(["reduce", "-", "--op", "sum"], 2, "standard input is not read")
        self.assert_refused(["map", "a+1", "a.npy", "--output", "-"], 2, "not written to standard output")

    def test_a_map_gives_no_advice_that_it_refuses(self):
        said = self.assert_done("map", "a+1", "a.npy", "--output", "b.npy")
        self.assertIn("16 NaN, ", said)
        self.assertNotIn("--nan", said)
        self.assertIn("--nan skip leaves them out", self.assert_done("reduce", "a.npy", "--op", "sum"))

    def test_tables_fit_80_columns(self):
        for command in (["reduce", "a.npy", "--op", "sum"], ["map", "a+1", "a.npy", "--output", "m.npy"]):
            for line in self.assert_done(*command).splitlines():
                self.assertLessEqual(len(line), 80, line)


if __name__ == "__main__":
    main()
