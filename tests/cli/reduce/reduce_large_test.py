"""Arrays whose indices need more than 31 and more than 32 bits. Their files are holes but for some elements, so they
take no room on disk."""

from fractions import Fraction

from program import main
from reduction import ReduceTest, h5py, np, rounded, rounded_root

OPERATIONS = ("sum", "mean", "var", "std", "minmax", "argmin", "argmax", "norm1", "norm2", "norminf", "count_nonzero",
              "any", "all")


def answers(count, rest, elements):
    """Of `count` integers that are all `rest` but for `elements` by index."""
    values = elements.values()
    total = rest * (count - len(elements)) + sum(values)
    squares = rest**2 * (count - len(elements)) + sum(x * x for x in values)
    variance = (Fraction(squares) - Fraction(total) ** 2 / count) / count
    least, greatest = min(values), max(values)
    return {
        "sum": total, "mean": rounded(Fraction(total, count)), "var": rounded(variance),
        "std": rounded_root(variance), "minmax": (least, greatest),
        "argmin": min(i for i, x in elements.items() if x == least),
        "argmax": min(i for i, x in elements.items() if x == greatest),
        "norm1": abs(rest) * (count - len(elements)) + sum(abs(x) for x in values),
        "norm2": rounded_root(Fraction(squares)), "norminf": max(abs(x) for x in values),
        "count_nonzero": (count - len(elements)) * (rest != 0) + sum(x != 0 for x in values),
        "any": True, "all": bool(rest),
    }


class LargeArrays(ReduceTest):
    def holes(self, dtype, count, elements):
        size = np.dtype(dtype).itemsize
        with open(self.path("holes.raw"), "wb") as file:
            file.truncate(count * size)
            for index, value in elements.items():
                file.seek(index * size)
                file.write(np.array(value, dtype=dtype).tobytes())
        return f"holes.raw?dtype={dtype}&shape={count}"

    def test_indices_beyond_31_bits(self):
        count = 2**31 + 5
        elements = {0: 5, 1_000_003: -127, 2**31 - 1: 126, 2**31: 126, 2**31 + 1: 127, 2**31 + 2: -128,
                    2**31 + 3: 127, 2**31 + 4: -128}
        source = self.holes("i1", count, elements)
        self.assert_answers(source, answers(count, 0, elements))
        self.assert_answers(source, {name: answers(count, 0, elements)[name] for name in ("sum", "argmin", "argmax")},
                            "--threads", "1", "--slice", "64M")

    def test_indices_beyond_32_bits(self):
        count = 2**32 + 2**20 + 3
        elements = {7: 200, 2**32 - 1: 254, 2**32 + 11: 255, 2**32 + 2**20 + 2: 255}
        wanted = answers(count, 0, elements)
        wanted["argmin"] = 0
        wanted["minmax"] = (0, 255)
        self.assert_answers(self.holes("u1", count, elements), wanted)

    def test_chunks_that_were_never_written(self):
        count = 2**31 + 5
        with h5py.File(self.path("a.h5"), "w") as file:
            data = file.create_dataset("x", (count,), "i1", chunks=(1 << 24,), fillvalue=-3, compression=1)
            data[2**31 - 1:] = np.array([4, 5, 6, -7, -7, 6], dtype="i1")
        elements = dict(enumerate((4, 5, 6, -7, -7, 6), 2**31 - 1))
        self.assert_answers("a.h5:/x", answers(count, -3, elements))


if __name__ == "__main__":
    main()
