"""Reads Zarr 3 as its specification has it, with NumPy and zlib, and nothing of Tessera.

https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html, its codecs `bytes`, `blosc`, `crc32c` and
`sharding_indexed`, and README_CHUNK_FORMAT.rst of c-blosc.
"""

import ctypes
import ctypes.util
import functools
import itertools
import json
import os
import struct
import zlib

import numpy as np

MISSING = 2**64 - 1
STORED_AS_IS, SHUFFLED, ONE_STREAM = 2, 1, 16


def remainder(value, bits=8):
    for _ in range(bits):
        value = value >> 1 ^ (0x82f63b78 if value & 1 else 0)
    return value


REMAINDERS = [remainder(byte) for byte in range(256)]


def crc32c(data):
    value = 0xffffffff
    for byte in data:
        value = value >> 8 ^ REMAINDERS[(value ^ byte) & 255]
    return value ^ 0xffffffff


def unshuffled(data, width):
    return np.frombuffer(data, "u1").reshape(width, -1).T.tobytes()


def read_blosc(frame):
    """A frame of Blosc 1, whose compressor is zlib."""
    version, _, flags, width, raw_bytes, block_bytes, frame_bytes = struct.unpack_from("<BBBBIII", frame)
    assert version == 2 and frame_bytes == len(frame) and flags >> 5 == 3, (version, frame_bytes, flags)
    assert 0 < block_bytes <= raw_bytes and frame_bytes <= raw_bytes + 16
    if flags & STORED_AS_IS:
        assert len(frame) == 16 + raw_bytes
        return frame[16:]
    assert flags & ONE_STREAM
    raw = b""
    for number in range(-(-raw_bytes // block_bytes)):
        start, = struct.unpack_from("<I", frame, 16 + 4 * number)
        length, = struct.unpack_from("<I", frame, start)
        block = zlib.decompress(frame[start + 4:start + 4 + length])
        raw += unshuffled(block, width) if flags & SHUFFLED and width > 1 else block
    assert len(raw) == raw_bytes
    return raw


@functools.cache
def libblosc():
    name = ctypes.util.find_library("blosc")
    return ctypes.CDLL(name) if name else None


def read_by_libblosc(library, frame):
    """As zarr-python does it."""
    sizes = [ctypes.c_size_t() for _ in range(3)]
    library.blosc_cbuffer_sizes(frame, *map(ctypes.byref, sizes))
    assert library.blosc_cbuffer_validate(frame, ctypes.c_size_t(len(frame)), ctypes.byref(sizes[0])) == 0
    raw = ctypes.create_string_buffer(sizes[0].value)
    read = library.blosc_decompress_ctx(frame, raw, sizes[0], 1)
    assert read == len(raw), (read, len(raw))
    return raw.raw


def decode(codecs, data, dtype, shape):
    """Undoes the codecs of a chunk."""
    for codec in reversed(codecs[1:]):
        assert codec["name"] == "blosc", codec
        assert codec["configuration"]["typesize"] == dtype.itemsize
        frame, data = data, read_blosc(data)
        if libblosc():
            assert read_by_libblosc(libblosc(), frame) == data
    assert codecs[0]["name"] == "bytes" and codecs[0].get("configuration", {}).get("endian", "little") == "little"
    return np.frombuffer(data, dtype).reshape(shape)


def grid(shape, chunk):
    return itertools.product(*(range(-(-side // each)) for side, each in zip(shape, chunk)))


def read_shard(data, settings, dtype, shape, fill):
    """The elements of a shard, and its number of inner chunks."""
    assert settings["index_location"] == "end"
    assert [codec["name"] for codec in settings["index_codecs"]] == ["bytes", "crc32c"]
    chunk = settings["chunk_shape"]
    assert all(side % each == 0 for side, each in zip(shape, chunk)), (shape, chunk)
    places = list(grid(shape, chunk))
    index, end = data[-16 * len(places) - 4:-4], data[-4:]
    assert crc32c(index) == struct.unpack("<I", end)[0]
    elements = np.full(shape, fill, dtype)
    there = 0
    for place, (offset, length) in zip(places, struct.iter_unpack("<QQ", index)):
        if (offset, length) == (MISSING, MISSING):
            continue
        there += 1
        inner = decode(settings["codecs"], data[offset:offset + length], dtype, chunk)
        elements[tuple(slice(i * each, (i + 1) * each) for i, each in zip(place, chunk))] = inner
    return elements, there


class ZarrArray:
    """An array in a folder: `values`, `names` of the dimensions, `attributes`, `chunk`, `shard`, `shards`."""

    def __init__(self, path):
        with open(os.path.join(path, "zarr.json")) as file:
            self.document = document = json.load(file)
        assert (document["zarr_format"], document["node_type"]) == (3, "array")
        assert document["chunk_key_encoding"] == {"name": "default", "configuration": {"separator": "/"}}
        assert document["chunk_grid"]["name"] == "regular"
        self.names, self.attributes = document.get("dimension_names"), document["attributes"]
        dtype = np.dtype(document["data_type"])
        shape = tuple(document["shape"])
        self.shard = tuple(document["chunk_grid"]["configuration"]["chunk_shape"])
        assert len(self.shard) == len(shape) and all(side > 0 for side in self.shard)
        sharding = document["codecs"][0]["name"] == "sharding_indexed"
        settings = document["codecs"][0]["configuration"] if sharding else None
        self.chunk = tuple(settings["chunk_shape"]) if sharding else self.shard
        self.values = np.full(shape, document["fill_value"], dtype)
        keys = {"zarr.json"}
        self.shards = 0
        for place in grid(shape, self.shard):
            key = os.path.join("c", *map(str, place))
            keys.add(key)
            self.shards += 1
            with open(os.path.join(path, key), "rb") as file:
                data = file.read()
            box = tuple(slice(i * each, (i + 1) * each) for i, each in zip(place, self.shard))
            if sharding:
                elements, there = read_shard(data, settings, dtype, self.shard, document["fill_value"])
                inside = [min(side, size - i * side) for i, side, size in zip(place, self.shard, shape)]
                assert there == len(list(grid(inside, self.chunk))), "chunks of the shard that are there"
            else:
                elements = decode(document["codecs"], data, dtype, self.shard)
            cut = tuple(slice(0, self.values[box].shape[d]) for d in range(len(shape)))
            self.values[box] = elements[cut]
        found = {os.path.relpath(os.path.join(folder, name), path) for folder, _, files in os.walk(path) for name in files}
        assert found == keys, found ^ keys


def check_consolidated(path, metadata):
    """The document of a folder has those of all nodes below, for readers of zarr-python."""
    assert (metadata["kind"], metadata["must_understand"]) == ("inline", False)
    nodes = {}
    for folder, _, files in os.walk(path):
        if "zarr.json" in files and folder != path:
            with open(os.path.join(folder, "zarr.json")) as file:
                nodes[os.path.relpath(folder, path)] = json.load(file)
    assert metadata["metadata"] == nodes, metadata["metadata"].keys() ^ nodes.keys()


def read_group(path, is_whole=True):
    """The attributes of a group and its arrays by name, also of groups in it; all files must belong to one."""
    with open(os.path.join(path, "zarr.json")) as file:
        document = json.load(file)
    assert (document["zarr_format"], document["node_type"]) == (3, "group")
    if is_whole:
        check_consolidated(path, document["consolidated_metadata"])
    arrays = {}
    for name in sorted(os.listdir(path)):
        node = os.path.join(path, name)
        if name == "zarr.json":
            continue
        with open(os.path.join(node, "zarr.json")) as file:
            kind = json.load(file)["node_type"]
        if kind == "array":
            arrays[name] = ZarrArray(node)
        else:
            arrays.update({f"{name}/{inner}": array for inner, array in read_group(node, is_whole=False)[1].items()})
    lengths = {}
    for name, array in arrays.items():  # xarray opens no group otherwise
        assert len(array.names) == array.values.ndim, name
        for dimension, length in zip(array.names, array.values.shape):
            assert isinstance(dimension, str) and lengths.setdefault(dimension, length) == length, (name, dimension)
    return document["attributes"], arrays
