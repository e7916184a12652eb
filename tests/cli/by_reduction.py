"""Tables of groups for the tests of tessera reduce --by: how to make one, and the answers of the oracle."""

from reduction import ReduceTest, same

# Behind reduction, which finds the oracle, and skips the test where these are not.
import h5py
import numpy as np

from answers import Answers

OPERATIONS = ("sum", "mean", "var", "std", "skewness", "kurtosis", "min", "max", "argmin", "argmax", "minmax", "norm1", "norm2", "norminf",
              "count_nonzero", "any", "all")
TWO = {"minmax": ("minmax_min", "minmax_max")}


def groups_of(keys):
    """Each key, and the indices of its elements, sorted by key."""
    keys = np.ravel(keys)
    order = np.argsort(keys, kind="stable")
    found, first = np.unique(keys[order], return_index=True)
    return list(zip(found.tolist(), np.split(order, first[1:])))


def expected(array, groups, operations=OPERATIONS, ddof=0, nan="propagate"):
    """Rows of (count, answers by column) of groups of indices."""
    array = np.ravel(array)
    rows = []
    for _, indices in groups:
        answers = Answers(array[indices].reshape(1, -1), nan)
        row = {"count": len(indices)}
        for name in operations:
            value = answers.of(name, ddof)[0]
            if name in ("argmin", "argmax") and value >= 0:
                value = int(indices[value])
            for column, one in zip(TWO.get(name, (name,)), value if name in TWO else (value,)):
                row[column] = one
        rows.append(row)
    return rows


class ByTest(ReduceTest):
    def table(self, source, by, operations, *options):
        """The columns of the table, as HDF5 has them."""
        self.assert_done("reduce", source, "--by", by, "--op", ",".join(operations), "--output", "t.h5", "--overwrite",
                         "--quiet", *options)
        with h5py.File(self.path("t.h5")) as file:
            return {name: data[()] for name, data in file.items()}

    def assert_rows(self, got, keys, rows, what=""):
        """`keys`: by column."""
        for name, wanted in keys.items():
            self.assertEqual(got[name].tolist(), list(wanted), f"{name} {what}")
        for column in rows[0] if rows else ():
            ours, theirs = got[column].tolist(), [row[column] for row in rows]
            self.assertEqual(len(ours), len(theirs))
            for mine, other in zip(ours, theirs):
                self.assertTrue(same(other, mine), f"{column} {what}: {mine!r}, not {other!r}")
