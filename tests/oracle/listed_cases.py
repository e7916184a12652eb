"""Cases that always run: what was wrong once, as small as it can be, and both sides of what the code decides by."""

import h5py
import numpy as np

from command import Command
from hdf5_chunks import LIBRARY, leave_partial_chunks

SUMS = ["sum", "mean", "norm1", "var", "std", "norm2", "minmax"]
DEVICES = ("cpu", "reference")


def commands(array, inputs, operations=SUMS, **more):
    for device in DEVICES:
        yield Command(array, inputs, list(operations), options=["--device", device], **more)


def save(array):
    np.save("a.npy", array)
    return ["a.npy"]


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


def never_written(count, written, chunk, **options):
    """Chunks that were never written, among others."""
    def case():
        with h5py.File("a.h5", "w") as file:
            data = file.create_dataset("d", (count,), "i4", chunks=(chunk,), **options)
            data[written] = 1
            array = data[()]
        yield from commands(array, ["a.h5:/d"])
    return case


def growing_second_side():
    """HDF5 1.10 finds chunks in the wrong places where the side that can grow is not the first."""
    array = np.arange(36.0).reshape(6, 6)
    with h5py.File("a.h5", "w", libver="latest") as file:
        file.create_dataset("d", data=array, chunks=(2, 2), maxshape=(6, None))
    yield from commands(array, ["a.h5:/d"])
    yield from commands(array, ["a.h5:/d"], ["sum", "max"], axes=[0])


def partial_chunks_as_they_are(**filters):
    def case():
        array = np.arange(70, dtype="i4").reshape(7, 10)
        with h5py.File("a.h5", "w", libver="latest") as file:
            creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            creation.set_chunk((4, 4))
            if "shuffle" in filters:
                creation.set_shuffle()
            if "deflate" in filters:
                creation.set_deflate(4)
            leave_partial_chunks(creation)
            space = h5py.h5s.create_simple(array.shape)
            h5py.h5d.create(file.id, b"d", h5py.h5t.NATIVE_INT32, space, creation).write(h5py.h5s.ALL, h5py.h5s.ALL, array)
        yield from commands(array, ["a.h5:/d"])
    return case


def contiguous_never_written():
    """Behind a user block, which is full of something else."""
    array = np.full((300,), 7, "i4")
    with h5py.File("a.h5", "w", userblock_size=4096) as file:
        file.create_dataset("d", array.shape, "i4", fillvalue=7)
        file.create_dataset("e", data=np.arange(5000))
    with open("a.h5", "r+b") as file:
        file.write(b"\x55" * 4096)
    yield from commands(array, ["a.h5:/d"])


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
    yield "i1-sums", narrow("i1", -128, 1_200_000)
    yield "u1-sums", narrow("u1", 255, 1_200_000)
    yield "i4-sums", narrow("i4", -2**31, 600_000)
    yield "instrument", instrument
    yield "never-written", never_written(843, slice(281, 421), 1)
    yield "never-written-many", never_written(9000, slice(4000, 4600), 2)
    yield "never-written-deflated", never_written(900, slice(300, 600), 7, compression=1, shuffle=True)
    yield "never-written-at-all", never_written(900, slice(0, 0), 7)
    yield "growing-second-side", growing_second_side
    if LIBRARY is not None:
        yield "partial-chunks-shuffle", partial_chunks_as_they_are(shuffle=True)
        yield "partial-chunks-deflate", partial_chunks_as_they_are(deflate=True)
        yield "partial-chunks-both", partial_chunks_as_they_are(shuffle=True, deflate=True)
    yield "contiguous-never-written", contiguous_never_written
    yield "histogram-underflow", histogram(np.arange(40) * 5e-324, 7, (0.0, 7e-323))
    yield "histogram-steps-of-nothing", histogram(np.array([0.0, 5e-324]), 10, (0.0, 5e-324))
    yield "histogram-one-number", histogram(np.full(9, 2**63, "u8"), 3)
    yield "dot-of-zeros", dot_of_zeros
    yield "text-behind-the-head", text_behind_the_head
    for count in (192, 1920, 4096, 32768, 65537):
        for code in ("i1", "u2", "i8", "f4", "f8"):
            yield f"{count}-{code}", both_sides(code, count)


LISTED = dict(listed())
