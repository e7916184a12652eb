"""The row of arrays in the browser: the first picture of a large array, its smaller scales, pictures at all scales."""

import json
import time
import zlib
from statistics import median

import arrays
from measure import BenchError, peak_resident_bytes
from rows import TESSERA, line, shown
from viewer import PATIENCE_S, connect, get, server

CHUNK = 256
LOOK = "low=0&high=16"
PICTURES = 24  # of a level


def write_array(path, side):
    """side x side f4 in chunks with shuffle and deflate; 16 different chunks, so that it is quick to write."""
    numpy, h5py = arrays.modules()
    chance = numpy.random.default_rng(0)
    waves = numpy.sin(numpy.arange(CHUNK) / 40)[:, None] * numpy.cos(numpy.arange(CHUNK) / 50)[None]
    stored = []
    for k in range(16):
        values = numpy.round((waves + k + chance.normal(0, 0.05, waves.shape)) * 4096).astype("f4") / numpy.float32(4096)
        stored.append(zlib.compress(values.view("u1").reshape(-1, 4).T.tobytes(), 1))
    with h5py.File(path, "w", libver="latest") as file:
        data = file.create_dataset("x", (side, side), "f4", chunks=(CHUNK, CHUNK), compression="gzip", shuffle=True)
        for row in range(0, side, CHUNK):
            for column in range(0, side, CHUNK):
                data.id.write_direct_chunk((row, column), stored[(row // 4096 + 3 * (column // 4096)) % 16])


def first_picture(file):
    """Seconds from the start of the program to a picture of the whole."""
    start = time.perf_counter()
    with server(file) as (address, _):
        connection = connect(address)
        levels = json.loads(get(connection, "/api/arrays/0/plane")[0])["levels"]
        get(connection, f"/planes/0/{levels - 1}/0/0.png?{LOOK}")
        return time.perf_counter() - start


def built(file):
    """Seconds until the smaller scales are made, seconds of pictures at each level, and the memory of the process."""
    with server(file) as (address, process):
        connection = connect(address)
        start = time.perf_counter()
        plane = json.loads(get(connection, "/api/arrays/0/plane")[0])
        while json.loads(get(connection, "/api/arrays/0/plane")[0])["built"] < 1:
            if time.perf_counter() - start > PATIENCE_S:
                raise BenchError("the smaller scales are not made")
            time.sleep(0.02)
        seconds = time.perf_counter() - start
        slowest = 0
        for level in range(plane["levels"]):
            side = max(plane["width"] >> level >> 8, 1)
            waits = [get(connection, f"/planes/0/{level}/{(7 * k + 3) % side}/{(11 * k + 5) % side}.png?{LOOK}")[1]
                     for k in range(min(PICTURES, side * side))]
            slowest = max(slowest, median(waits))
        return seconds, slowest, peak_resident_bytes(process.pid, "tessera")


def browse(settings):
    """tessera serve of a large array: first picture, smaller scales, pictures while one pans."""
    side = settings.px(65536)
    file = settings.folder / "browse.h5"
    write_array(file, side)
    size = f"{side}² f4, shuffle + deflate"
    first_s = median(first_picture(file) for _ in range(settings.repeats))
    runs = [built(file) for _ in range(settings.repeats)]
    seconds, slowest, peak = (median(run[i] for run in runs) for i in range(3))
    stored_bytes = file.stat().st_size
    file.unlink()
    return {"lines": [line(f"{size} ({stored_bytes / 2**30:.1f} GiB stored): start to the first picture", first_s, "s", 0.3, "lower"),
                      line("the slowest level: a new picture, median", 1e3 * slowest, "ms", 50.0, "lower"),
                      line("its smaller scales: elements read a second", 4 * side**2 / 2**30 / seconds, "GiB/s", None, "higher"),
                      line("the memory of the process", peak / 2**20, "MiB", 2048.0, "lower")],
            "commands": shown([[TESSERA, "serve", file]])}
