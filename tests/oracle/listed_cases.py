"""Cases that always run: what was wrong once, as small as it can be, and both sides of what the code decides by."""

import numpy as np

from command import Command
from listed_commands import DEVICES, SUMS, commands, save
from listed_hdf5 import listed_hdf5

def narrow(code, value, count):
    """Blocks whose sum needs more than 32 bits."""
    def case():
        array = np.full(count, value, code)
        yield from commands(array, save(array), ["sum", "norm1"])
        yield from commands(array, ["a.npy"])
        yield from commands(array, ["a.npy"], ["sum", "norm1", "min"])
        dot = Command(array, ["a.npy"], ["sum"], options=["--device", "cpu"])
        dot.add_dot("a.npy", array)
        yield dot
        table = array[:count // 4 * 4].reshape(-1, 4)
        np.save("t.npy", table)
        yield from commands(table, ["t.npy"], ["sum", "norm1", "mean"], axes=[0])
        yield from commands(table, ["t.npy"], ["sum", "norm1", "mean"], axes=[0, 1])
    return case


def instrument():
    array = np.random.default_rng(1).normal(22000, 500, 300_000).astype("i2")
    yield from commands(array, save(array))


def histogram(array, bins, range_=None):
    def case():
        for device in DEVICES:
            command = Command(array, save(array), ["histogram", "sum"], options=["--device", device])
            command.bins, command.range = bins, range_
            yield command
    return case


def both_sides(code, count):
    """A few elements fewer and more than `count`, of the greatest number, and of all bits at random."""
    def case():
        limits = np.iinfo(code) if code[0] in "iu" else np.finfo(code)
        chance = np.random.default_rng(count)
        for n in (count - 1, count, count + 1):
            array = np.full(n, limits.max, code)
            if code[0] == "f":
                array[::2] = -1
            array[chance.integers(0, n, 3)] = 0
            yield from commands(array, save(array), [*SUMS, "argmin", "count_nonzero", "prod"])
    return case


def dot_of_zeros():
    """Whose sign is that of IEEE's product, however a factor is cut up on the way."""
    for code in ("i1", "i4", "i8", "f4"):
        for least in (-1, -2**40):
            if code[0] == "i" and least < np.iinfo(code).min:
                continue
            for zero in (0.0, -0.0):
                array, zeros = np.full(3, least, code), np.full(3, zero)
                save(array)
                np.save("y.npy", zeros)
                for device in DEVICES:
                    for x, y, other, source in ((array, zeros, "y.npy", "a.npy"), (zeros, array, "a.npy", "y.npy")):
                        command = Command(x, [source], [], options=["--device", device])
                        command.add_dot(other, y)
                        yield command


class Refused(Command):
    """A command whose INPUT is damaged."""

    def check_whole(self, done):
        self.refused(done, 2, "a.npy")


def text_behind_the_head():
    """Which NumPy refuses too; it would shift the elements."""
    save(np.arange(9.0))
    with open("a.npy", "rb") as file:
        data = file.read()
    end = data.index(b"}")
    with open("a.npy", "wb") as file:
        file.write(data[:end + 1] + b"junk" + data[end + 5:])
    yield Refused(np.arange(9.0), ["a.npy"], ["sum"])


def listed():
    yield from ((f"{code}-sums", narrow(code, np.iinfo(code).max, 140_000)) for code in ("i2", "u2"))
    yield "i2-least", narrow("i2", -32768, 140_000)
    yield "i1-sums", narrow("i1", -128, 1_100_000)
    yield "u1-sums", narrow("u1", 255, 1_100_000)
    yield "i4-sums", narrow("i4", -2**31, 300_000)
    yield "instrument", instrument
    yield from listed_hdf5()
    yield "histogram-underflow", histogram(np.arange(40) * 5e-324, 7, (0.0, 7e-323))
    yield "histogram-steps-of-nothing", histogram(np.array([0.0, 5e-324]), 10, (0.0, 5e-324))
    yield "histogram-one-number", histogram(np.full(9, 2**63, "u8"), 3)
    yield "dot-of-zeros", dot_of_zeros
    yield "text-behind-the-head", text_behind_the_head
    for count in (192, 1920, 4096, 32768, 65537):
        for code in ("i1", "u2", "i8", "f4", "f8"):
            yield f"{count}-{code}", both_sides(code, count)


LISTED = dict(listed())
