"""What the tests of tessera reduce --axis share: the outputs that it should come to, and how to ask it."""

import os

from reduction import EVERYTHING, ReduceTest, expected, h5py, np, same

FLOATS = ("sum", "mean", "var", "std", "norm1", "norm2")

# Products are of whole arrays.
OPERATIONS = tuple(name for name in EVERYTHING if name != "prod")


def elements_of(array, axes):
    """Shape of the result, and the elements of each output in C order."""
    rank = array.ndim
    reduced = sorted(axis % rank for axis in axes)
    kept = [d for d in range(rank) if d not in reduced]
    moved = np.transpose(array, kept + reduced)
    shape = moved.shape[:len(kept)]
    return shape, moved.reshape(int(np.prod(shape, dtype=int)), -1)


class AxisTest(ReduceTest):
    def reduce_axes(self, source, axes, operations, *options, ranks=0):
        """Results by operation."""
        self.assert_done("reduce", source, "--op", ",".join(operations), "--axis", ",".join(map(str, axes)),
                         "--output", "o.h5", "--overwrite", "--quiet", *options, ranks=ranks)
        self.assertFalse(os.path.exists(self.path("o.h5.part")))
        with h5py.File(self.path("o.h5")) as file:
            return {name.split("=")[0]: file[name.split("=")[0]][()] for name in operations}

    def assert_axes(self, array, axes, *options, operations=OPERATIONS, source=None, ddof=0,
                    devices=("reference", "cpu")):
        source = source or self.save(array)
        shape, rows = elements_of(array, axes)
        wanted = [expected(row, ddof) for row in rows]
        for device in devices:
            got = self.reduce_axes(source, axes, operations, "--device", device, *options)
            for name in operations:
                ours = got[name]
                self.assertEqual(ours.shape, shape + ((2,) if name == "minmax" else ()), name)
                flat = ours.reshape((len(rows),) + ours.shape[len(shape):])
                for i, one in enumerate(flat):
                    for theirs, mine in zip(np.atleast_1d(wanted[i][name]), np.atleast_1d(one)):
                        mine, theirs = mine.item(), theirs.item()
                        if name in FLOATS and array.dtype.kind == "f":
                            theirs = float(theirs)
                        self.assertTrue(same(theirs, mine),
                                        f"{name}[{i}] of {array.shape} along {axes} on {device} {options}: "
                                        f"{mine!r}, not {theirs!r}")
