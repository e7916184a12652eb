"""The rows of formats: HDF5 through each common filter, to a sum, beside H5Dread with the filter's plug-in."""

import ctypes
import glob
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import arrays
from measure import BenchError, paired_ratio, run
from reduce import PEERS, peer_seconds
from rows import TESSERA, line, need, shown

LZ4, BITSHUFFLE, BLOSC, ZSTD = 32004, 32008, 32001, 32015
PLUGINS = "/usr/lib/*/hdf5/serial/plugins"  # of Debian's packages


@dataclass(frozen=True)
class Pipeline:
    """How h5py writes it, and how much faster than H5Dread a sum on one core should be."""

    name: str
    options: dict
    goal: float | None = None


def blosc(compressor):
    return {"compression": BLOSC, "compression_opts": (0, 0, 0, 0, 5, 1, compressor)}


PIPELINES = (
    Pipeline("shuffle + zstd", {"compression": ZSTD, "compression_opts": (3,), "shuffle": True}, 4.0),
    Pipeline("shuffle + LZ4", {"compression": LZ4, "compression_opts": (0,), "shuffle": True}, 9.0),
    Pipeline("bitshuffle + LZ4", {"compression": BITSHUFFLE, "compression_opts": (0, 2)}, 3.5),
    Pipeline("Blosc, zlib", blosc(4), 2.5),
    Pipeline("Blosc, LZ4", blosc(1)),
    Pipeline("Blosc, zstd", blosc(5)),
)


def model_of_day(day):
    """Temperatures as a model computes them: smooth, with all bits of their fractions."""
    numpy, _ = arrays.modules()
    _, rows, columns = arrays.FIELD_SHAPE
    latitude = numpy.linspace(-1, 1, rows)[:, None]
    longitude = numpy.linspace(0, 2 * numpy.pi, columns)[None, :]
    waves = 5 * numpy.sin(3 * longitude + day / 9) * numpy.cos(4 * latitude) + numpy.sin(40 * longitude) * latitude
    return (288 - 50 * latitude**2 + waves).astype("f4")


def counts_of_day(day):
    """Photons in a detector: Poisson numbers of u2, few where it is dark."""
    numpy, _ = arrays.modules()
    _, rows, columns = arrays.FIELD_SHAPE
    mean = 3 + 40 * numpy.exp(-numpy.linspace(-3, 3, rows)[:, None] ** 2 - numpy.linspace(-3, 3, columns)[None, :] ** 2)
    return numpy.random.default_rng(day).poisson(mean).astype("u2")


DATA = {"f4 of a model": (model_of_day, "f4"), "f4 of instruments": (arrays.field_of_day, "f4"),
        "u2 counts": (counts_of_day, "u2")}
STEPS = 1 << 16  # all numbers are whole multiples of one in so many


def zstd_stream(raw):
    """By the library that every distribution has; Python has no module for it."""
    library = ctypes.CDLL("libzstd.so.1")
    for name in ("ZSTD_compressBound", "ZSTD_compress"):
        getattr(library, name).restype = ctypes.c_size_t
    room = library.ZSTD_compressBound(ctypes.c_size_t(len(raw)))
    stream = ctypes.create_string_buffer(room)
    size = library.ZSTD_compress(stream, ctypes.c_size_t(room), raw, ctypes.c_size_t(len(raw)), 3)
    return stream.raw[:size]


def write_zstd(file, dtype, days, made):
    """Its chunks as the filters leave them: there is no plug-in to write by."""
    numpy, h5py = arrays.modules()
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(arrays.CHUNK)
    plist.set_shuffle()
    plist.set_filter(ZSTD, h5py.h5z.FLAG_OPTIONAL, (3,))
    space = h5py.h5s.create_simple((days, *arrays.FIELD_SHAPE[1:]))
    dataset = h5py.h5d.create(file.id, b"x", h5py.h5t.py_create(numpy.dtype(dtype)), space, plist)
    for day, field in enumerate(made):
        for row in range(0, arrays.FIELD_SHAPE[1], arrays.CHUNK[1]):
            chunk = numpy.zeros(arrays.CHUNK, dtype)
            part = field[row:row + arrays.CHUNK[1]]
            chunk[0, :len(part)] = part
            dataset.write_direct_chunk((day, row, 0), zstd_stream(arrays.shuffled(chunk)))


def write(path, pipeline, data, days):
    """The sum of what was written, in steps."""
    _, h5py = arrays.modules()
    make, dtype = DATA[data]
    with ThreadPoolExecutor() as threads, h5py.File(path, "w") as file:
        made = list(threads.map(make, range(days)))
        if pipeline.options["compression"] == ZSTD:
            write_zstd(file, dtype, days, made)
        else:
            dataset = file.create_dataset("x", (days, *arrays.FIELD_SHAPE[1:]), dtype, chunks=arrays.CHUNK,
                                          **pipeline.options)
            for day, field in enumerate(made):
                dataset[day] = field
    return sum(int((field.astype("f8") * STEPS).astype("i8").sum()) for field in made)


def find_plugins(folder):
    """Makes HDF5 find Debian's plug-ins and the one for zstd, which is compiled here."""
    folders = [os.environ["HDF5_PLUGIN_PATH"]] if "HDF5_PLUGIN_PATH" in os.environ else glob.glob(PLUGINS)
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "hdf5-serial", "libzstd"], text=True,
                           capture_output=True, check=True).stdout.split()
    run(["cc", "-O2", "-shared", "-fPIC", PEERS / "zstd_plugin.c", "-o", folder / "libh5zstd.so", *flags])
    os.environ["HDF5_PLUGIN_PATH"] = ":".join([*folders, str(folder)])


def seconds_of(settings, path, threads, total):
    """A function that sums the file by so many threads and says how long from the first slice to the last."""
    report = settings.folder / "formats-report.json"
    command = [TESSERA, "reduce", f"{path}:/x", "--op", "sum", "--threads", threads, "--device", "cpu", "--report", report,
               "--quiet"]

    def seconds():
        done = run(command, report)
        value = done.report["results"][0]["values"][0]
        found = float.fromhex(value["hex"]) if value.get("hex") else int(value["decimal"])
        if found != total / STEPS:
            raise BenchError(f"{path}: sum {found!r}, not {total / STEPS!r}")
        return done.report["work_s"]

    return seconds, command


def through(settings, pipeline, data):
    """One file: against H5Dread on one core, and two cores against one."""
    path = settings.folder / "filtered.h5"
    total = write(path, pipeline, data, 16 if settings.quick else arrays.FIELD_SHAPE[0])
    one, command = seconds_of(settings, path, 1, total)
    two, _ = seconds_of(settings, path, 2, total)
    peer = [sys.executable, PEERS / "h5dread.py", path, "x"]
    one()  # the first look at new pages costs more
    pairs = paired_ratio(lambda: peer_seconds(peer), one, settings.repeats)
    cores = paired_ratio(one, two, settings.repeats)
    gb = json.loads(run(peer).stdout)["bytes"] / 1e9
    path.unlink()
    what = f"HDF5, {pipeline.name}, {data}"
    return [line(f"{what}, 1 core : H5Dread", pairs["ratio"], "×", pipeline.goal),
            line(f"{what}, 1 core: rate", gb / pairs["faster_s"], "GB/s"),
            line(f"{what}, 2 cores : 1", cores["ratio"], "×", 1.9)], [peer, command]


def formats(settings):
    """Arrays in files of other programs: HDF5 through common filters, to a sum, against H5Dread."""
    need(TESSERA)
    find_plugins(settings.folder)
    lines, commands, notes = [], [], []
    for pipeline in PIPELINES:
        for data in DATA:
            print(f"   {pipeline.name}, {data}", file=sys.stderr, flush=True)
            try:
                found = through(settings, pipeline, data)
            except ValueError as error:  # h5py's, of a filter that it does not find
                notes.append(f"without {pipeline.name}: {error}; tools/packages.sh install peers")
                break
            lines += found[0]
            commands += found[1]
    return {"lines": lines, "commands": shown(commands), "notes": notes}
