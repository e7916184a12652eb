"""What the tests of images share: what is in a file, and how far the log beside it is."""

import os
import struct
import zlib

try:
    import h5py
    import numpy as np
    from PIL import Image
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy python3-pil)")
    raise SystemExit(77)

FIELDS = ("iterations", "smooth", "distance", "fraction", "gradient_x", "gradient_y", "phase")
LOG_HEADER_BYTES, LOG_RECORD_BYTES = 256, 120


def read_image(path):
    """Bytes of the fields of a complete file, and its /tiles."""
    with h5py.File(path, "r") as file:
        assert file.attrs["status"] in (b"complete", "complete"), file.attrs["status"]
        return [file[field][()].tobytes() for field in FIELDS if field in file], file["tiles"][()]


def pixels_of(path):
    """Of a PNG: mode, size and pixels; not its texts, which name the file and the command."""
    with Image.open(path) as picture:
        return picture.mode, picture.size, picture.tobytes()


def deep_pixels_of(path):
    """The numbers of a PNG of 16 bits, which PIL would shorten: by the filters Sub and Up that Tessera writes."""
    with open(path, "rb") as file:
        data = file.read()
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert (depth, kind) == (16, 2), (depth, kind)
    stream, at = b"", 8
    while at < len(data):
        size, = struct.unpack(">I", data[at:at + 4])
        if data[at + 4:at + 8] == b"IDAT":
            stream += data[at + 8:at + 8 + size]
        at += 12 + size
    rows = np.frombuffer(zlib.decompress(stream), "u1").reshape(height, 1 + 6 * width)
    out = np.zeros((height, 6 * width), "u1")
    for y in range(height):
        if rows[y, 0] == 1:
            out[y] = rows[y, 1:].reshape(-1, 6).cumsum(0, dtype="u1").ravel()
        else:
            out[y] = rows[y, 1:] + out[y - 1]
    return out.view(">u2").reshape(height, width, 3).astype(int)


def stored_tiles(path):
    """Of an image that is not complete: tiles that its log has."""
    try:
        size = os.path.getsize(path + ".part.log")
    except FileNotFoundError:
        return 0
    return max(0, size - LOG_HEADER_BYTES) // LOG_RECORD_BYTES
