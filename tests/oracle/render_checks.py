"""A finished image against the truth: pixels, /tiles, /timing and attributes. Read in a process of its own, since a
damaged file may well take the reader with it."""

import multiprocessing
import os
import queue
import re
import sys

import numpy as np

from render_runs import HANG_S, Difference
from render_truth import crc32c

try:
    import h5py
    from PIL import Image
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-pil)")
    raise SystemExit(77)

def apart(what, *arguments):
    """what(*arguments) in a child; its Difference is raised here, and an end or a hang of the child is one."""
    context = multiprocessing.get_context("fork")
    answers = context.Queue()

    def work():
        try:
            answers.put((True, what(*arguments)))
        except Exception as error:  # of any kind: HDF5 has many
            said = str(error) if isinstance(error, Difference) else f"{type(error).__name__}: {error}"
            answers.put((False, said))

    child = context.Process(target=work)
    child.start()
    try:
        good, answer = answers.get(timeout=HANG_S)
    except queue.Empty:
        child.kill()
        raise Difference(f"reading the file with h5py is not done after {HANG_S} s") from None
    child.join()
    if not good:
        raise Difference(answer)
    return answer


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def check_pixels(path, job, truth):
    """Values as stock HDF5 reads them."""
    with h5py.File(path, "r") as file:
        counts = file["iterations"]
        expected = np.dtype("u2" if job.iterations <= 65535 else "u4")
        if counts.dtype != expected or counts.shape != truth.iterations.shape:
            raise Difference(f"/iterations is {counts.dtype} {counts.shape}, not {expected} {truth.iterations.shape}")
        values = counts[()]
        tell_difference("/iterations", values, values == truth.iterations, truth.iterations)
        if ("smooth" in file) != job.smooth:
            raise Difference(f"/smooth is {'there' if 'smooth' in file else 'not there'}")
        if job.smooth:
            if file["smooth"].dtype != np.dtype("f4"):
                raise Difference(f"/smooth is {file['smooth'].dtype}")
            values = file["smooth"][()]
            tell_difference("/smooth", values, (values >= truth.low) & (values <= truth.high), truth.low)


def tell_difference(name, values, same, truth):
    if same.all():
        return
    row, column = np.argwhere(~same)[0]
    raise Difference(f"{name}: {(~same).sum()} of {same.size} pixels are wrong, the first in row {row}, "
                     f"column {column}: {values[row, column]!r} instead of {truth[row, column]!r}")


def check_tiles(path, job, truth, devices, ranks):
    """A row each tile, tile rows first; what it says of the chunks is so."""
    chunk = (min(job.tile, job.height), min(job.tile, job.width_px))
    with h5py.File(path, "r") as file:
        rows = file["tiles"][()]
        if len(rows) != job.tiles:
            raise Difference(f"/tiles has {len(rows)} rows for {job.tiles} tiles")
        datasets = [file[field] for field in job.fields]
        for dataset in datasets:
            if dataset.chunks != chunk:
                raise Difference(f"{dataset.name} has chunks {dataset.chunks}, not {chunk}")
        for at, row in enumerate(rows):
            y, x = divmod(at, job.tile_columns)
            stored = [dataset.id.read_direct_chunk((y * job.tile, x * job.tile))[1] for dataset in datasets]
            checksum = 0
            for data in stored:
                checksum = crc32c(data, checksum)
            pixels = truth.iterations[y * job.tile:(y + 1) * job.tile, x * job.tile:(x + 1) * job.tile]
            wanted = {"row": y, "column": x, "iterations": int(pixels.sum(dtype=np.uint64)), "checksum": checksum,
                      "bytes": sum(map(len, stored))}
            for name, value in wanted.items():
                if int(row[name]) != value:
                    raise Difference(f"/tiles, row {at}: {name} is {row[name]}, not {value}")
            if not 0 <= row["rank"] < ranks or text(row["device"]).split(":")[0] not in devices:
                raise Difference(f"/tiles, row {at}: rank {row['rank']}, device {row['device']!r}")
            times = [row[name] for name in ("start_s", "compute_s", "encode_s")]
            if not all(np.isfinite(times)) or min(times) < 0:
                raise Difference(f"/tiles, row {at}: times {times}")


def check_attributes(path, job):
    with h5py.File(path, "r") as file:
        found = {name: text(value) for name, value in file.attrs.items()}
        timing = file["timing"][()]
    wanted = {"format": "tessera-image", "format_version": "2", "status": "complete", "arithmetic": "perturbation-f64" if job.deep else "f64-fma",
              "center": job.keys.get("center", job.center_text), "width_text": job.width_text, "width": str(float(job.width_text)),
              "size": f"{job.width_px}x{job.height}", "iterations": str(job.iterations), "tile": str(job.tile),
              "compress": str(job.compress), "fields": ",".join(job.fields), "formula": job.formula}
    for name, value in wanted.items():
        if found.get(name) != value:
            raise Difference(f"attribute {name} is {found.get(name)!r}, not {value!r}")
    if float(found["bailout"]) != job.bailout:
        raise Difference(f"attribute bailout is {found['bailout']!r}, not {job.bailout!r}")
    if not re.fullmatch("[0-9a-f]{16}", found["fingerprint"]):
        raise Difference(f"attribute fingerprint is {found['fingerprint']!r}")
    for name in ("created", "completed"):
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found[name]):
            raise Difference(f"attribute {name} is {found[name]!r}")
    if any(not np.isfinite(row["seconds"]) or row["seconds"] < 0 for row in timing):
        raise Difference("/timing has times that are none")


def check_image(path, job, truth, devices, ranks):
    """All of it, of a file that is said to be good."""
    check_pixels(path, job, truth)
    check_tiles(path, job, truth, devices, ranks)
    check_attributes(path, job)


def read_fields(path, job):
    with h5py.File(path, "r") as file:
        return [file[field][()].tobytes() for field in job.fields]


def read_values(path, field):
    with h5py.File(path, "r") as file:
        return file[field][()]


def read_picture(path, width, height):
    with Image.open(path) as picture:
        pixels = np.asarray(picture.convert("RGB"))
        if picture.mode != "RGB" or picture.size != (width, height):
            raise Difference(f"{os.path.basename(path)} is {picture.mode}, {picture.size}, not RGB, {(width, height)}")
    return pixels


def check_colours(values, pixels):
    """One colour for one count; smooth values are dithered, so two neighbouring bytes."""
    found, first, places = np.unique(values.ravel(), return_index=True, return_inverse=True)
    flat = pixels.reshape(-1, 3)
    most = 1 if values.dtype.kind == "f" else 0
    if np.abs(flat.astype(int) - flat[first][places]).max() > most:
        raise Difference(f"a value has more than one colour, of {len(found)} values")


if __name__ == "__main__":
    sys.exit("this is a part of render_oracle.py")
