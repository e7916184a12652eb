"""Arrays that the rows of reductions are measured on, with what their sums exactly are."""

import math
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import measure

FIELD_SHAPE = (256, 721, 720)  # days, latitudes, longitudes
CHUNK = (1, 361, 720)
SAMPLES = 1 << 20


@dataclass(frozen=True)
class Stored:
    """An array in a file, as `tessera reduce` takes it, and the f64 nearest to its sum."""

    path: Path
    dataset: str
    total: float

    @property
    def source(self):
        return f"{self.path}:/{self.dataset}" if self.dataset else str(self.path)


def modules():
    """numpy and h5py, which the rest of the benchmark does without."""
    try:
        import h5py
        import numpy
    except ImportError as error:
        raise measure.BenchError(f"{error}: tools/packages.sh install tests, or set TESSERA_PYTHON") from error
    return numpy, h5py


def repeated_samples(dtype, count):
    """A block of normal numbers and how often it makes `count` of them: a power of two, so that the sum of all
    is rounded as that of one block is."""
    numpy, _ = modules()
    times = 1 << max(0, (count // SAMPLES - 1).bit_length())
    block = numpy.random.default_rng(1).standard_normal(SAMPLES).astype(dtype)
    return block, times, math.fsum(block) * times


def npy(folder, dtype, count):
    """About `count` elements in FOLDER/plain.npy."""
    numpy, _ = modules()
    block, times, total = repeated_samples(dtype, count)
    path = folder / "plain.npy"
    array = numpy.lib.format.open_memmap(path, "w+", dtype, (times * SAMPLES,))
    head_bytes = array.offset
    del array
    with open(path, "r+b") as file:
        file.seek(head_bytes)
        for _ in range(times):
            file.write(block.data)
    return Stored(path, "", total)


def contiguous(folder, dtype, count):
    """About `count` elements in one stretch of FOLDER/plain.h5."""
    _, h5py = modules()
    block, times, total = repeated_samples(dtype, count)
    path = folder / "plain.h5"
    with h5py.File(path, "w") as file:
        dataset = file.create_dataset("x", (times, SAMPLES), dtype)
        for row in range(times):
            dataset[row] = block
    return Stored(path, "x", total)


def shuffled(array):
    numpy, _ = modules()
    return numpy.ascontiguousarray(array.reshape(-1).view("u1").reshape(-1, array.itemsize).T).tobytes()


def field_of_day(day):
    """Temperatures on a sphere with some noise, in steps of 1/64 as instruments have them."""
    numpy, _ = modules()
    _, rows, columns = FIELD_SHAPE
    latitude = numpy.linspace(-1, 1, rows)[:, None]
    longitude = numpy.linspace(0, 2 * math.pi, columns)[None, :]
    field = 288 - 50 * latitude**2 + 5 * numpy.sin(3 * longitude + day / 9) * numpy.cos(4 * latitude)
    noise = numpy.random.default_rng(day).normal(0, 0.3, (rows, columns))
    return (numpy.rint((field + noise) * 64) / 64).astype("f4")


def encoded_day(day, level):
    """The chunks of a day as HDF5's filters leave them, and the exact sum of the day in 1/64."""
    numpy, _ = modules()
    field = field_of_day(day)
    chunks = []
    for row in range(0, FIELD_SHAPE[1], CHUNK[1]):
        chunk = numpy.zeros(CHUNK, "f4")
        part = field[row:row + CHUNK[1]]
        chunk[0, :len(part)] = part
        chunks.append(((day, row, 0), zlib.compress(shuffled(chunk), level)))
    return chunks, int((field.astype("f8") * 64).astype("i8").sum())


def deflated(folder, level, days):
    """A field of that many days in FOLDER/gzip-LEVEL.h5, shuffled and deflated."""
    _, h5py = modules()
    path, total = folder / f"gzip-{level}.h5", 0
    with h5py.File(path, "w") as file, ThreadPoolExecutor() as threads:
        dataset = file.create_dataset("x", (days, *FIELD_SHAPE[1:]), "f4", chunks=CHUNK, compression=level,
                                      shuffle=True)
        for chunks, day_total in threads.map(lambda day: encoded_day(day, level), range(days)):
            total += day_total
            for origin, stored in chunks:
                dataset.id.write_direct_chunk(origin, stored)
    return Stored(path, "x", float(Fraction(total, 64)))


def sparse(folder, count):
    """`count` f8 in FOLDER/sparse.raw that take no room on disk: zeros, and five others."""
    numpy, _ = modules()
    path = folder / "sparse.raw"
    places = [0, 1, count // 3, count // 2 + 12345, count - 1]
    values = numpy.array([1e300, 0.1, -1e300, 0.2, 0.3])
    with open(path, "wb") as file:
        file.truncate(count * 8)
        for place, value in zip(places, values):
            file.seek(place * 8)
            file.write(value.tobytes())
    return path, math.fsum(values), places[0], places[2]
