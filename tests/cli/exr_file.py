"""Reads an EXR by the description of the format (openexr.com, "OpenEXR File Layout"), without OpenEXR: scan lines, deflated."""

import struct
import zlib

import numpy as np

TYPES = ("<u4", "<f2", "<f4")
ROWS = {2: 1, 3: 16}  # of a block, by compression: ZIPS, ZIP


def word(data, at):
    end = data.index(0, at)
    return data[at:end].decode(), end + 1


def attributes_of(data):
    """Name to (type, bytes), and where they end."""
    assert data[:8] == b"v/1\1\2\0\0\0", data[:8]
    found, at = {}, 8
    while data[at]:
        name, at = word(data, at)
        kind, at = word(data, at)
        size, = struct.unpack_from("<i", data, at)
        found[name] = kind, data[at + 4:at + 4 + size]
        at += 4 + size
    return found, at + 1


def channels_of(data):
    found, at = [], 0
    while data[at]:
        name, at = word(data, at)
        kind, _, *sampling = struct.unpack_from("<iB3x2i", data, at)
        assert sampling == [1, 1], sampling
        found.append((name, np.dtype(TYPES[kind])))
        at += 16
    return found


def inflated(block, size):
    """A block that deflate did not make smaller is stored as it is."""
    if len(block) == size:
        return block
    steps = np.frombuffer(zlib.decompress(block), "u1").copy()
    steps[1:] -= 128
    parts = steps.cumsum(dtype="u1")
    out = np.empty(size, "u1")
    out[0::2], out[1::2] = parts[:(size + 1) // 2], parts[(size + 1) // 2:]
    return out.tobytes()


def read_exr(path):
    """Attributes as name to number, text or bytes; channels as name to array."""
    with open(path, "rb") as file:
        data = file.read()
    attributes, at = attributes_of(data)
    x0, y0, x1, y1 = struct.unpack("<4i", attributes["dataWindow"][1])
    width, height = x1 - x0 + 1, y1 - y0 + 1
    channels = channels_of(attributes["channels"][1])
    block_rows = ROWS[attributes["compression"][1][0]]
    row = np.dtype([(name, kind, width) for name, kind in channels])
    out = {name: np.empty((height, width), kind) for name, kind in channels}
    for offset in struct.unpack_from(f"<{-(-height // block_rows)}Q", data, at):
        y, size = struct.unpack_from("<ii", data, offset)
        rows = min(block_rows, height - y)
        values = np.frombuffer(inflated(data[offset + 8:offset + 8 + size], rows * row.itemsize), row)
        for name, _ in channels:
            out[name][y:y + rows] = values[name]
    read = {"int": lambda b: struct.unpack("<i", b)[0], "string": bytes.decode}
    return {name: read.get(kind, bytes)(value) for name, (kind, value) in attributes.items()}, out
