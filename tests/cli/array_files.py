"""Writes arrays in formats that Debian's NumPy and h5py do not write: NetCDF-3, Zarr and TIFF, by their specifications."""

import gzip
import itertools
import json
import os
import struct
import zlib

import numpy as np

from recorded_disk import crc32c

NETCDF3_TYPES = {"i1": 1, "S1": 2, "i2": 3, "i4": 4, "f4": 5, "f8": 6, "u1": 7, "u2": 8, "u4": 9, "i8": 10, "u8": 11}


def code(array):
    return array.dtype.str[1:]


def padded(data):
    return data + b"\0" * (-len(data) % 4)


def write_netcdf3(path, variables, version=1, records=None, streaming=False):
    """`variables`: name -> (array, attributes). The first dimension of an array that is in `records` is that of records.
    Attributes are NumPy scalars, arrays, or texts."""
    records = records or ()
    size = ">Q" if version == 5 else ">I"
    number = lambda x: struct.pack(size, x)
    name = lambda text: number(len(text.encode())) + padded(text.encode())
    lengths = sorted({side for v, (a, _) in variables.items() for side in (a.shape[1:] if v in records else a.shape)})
    count = max([variables[v][0].shape[0] for v in records], default=0)

    def listed(tag, entries):
        return struct.pack(">I", tag if entries else 0) + number(len(entries)) + b"".join(entries)

    def attribute(key, value):
        if isinstance(value, str):
            return name(key) + struct.pack(">I", 2) + number(len(value)) + padded(value.encode())
        value = np.atleast_1d(value)
        data = value.astype(value.dtype.newbyteorder(">")).tobytes()
        return name(key) + struct.pack(">I", NETCDF3_TYPES[code(value)]) + number(value.size) + padded(data)

    dimensions = [name("record") + number(0)] + [name(f"d{n}") + number(n) for n in lengths]
    slabs = {v: a[:1].nbytes if v in records else a.nbytes for v, (a, _) in variables.items()}
    slab = lambda v: slabs[v] if len(records) == 1 and v in records else slabs[v] + -slabs[v] % 4
    record_bytes = sum(slab(v) for v in records)

    def head(begins):
        entries = []
        for v, (array, attributes) in variables.items():
            sides = [0 if v in records and d == 0 else 1 + lengths.index(n) for d, n in enumerate(array.shape)]
            entries.append(name(v) + number(len(sides)) + b"".join(number(side) for side in sides)
                           + listed(12, [attribute(*one) for one in attributes.items()])
                           + struct.pack(">I", NETCDF3_TYPES[code(array)]) + number(min(slab(v), 2**32 - 1))
                           + struct.pack(">I" if version == 1 else ">Q", begins.get(v, 0)))
        numrecs = number(2**32 - 1 if version != 5 and streaming else count)
        return b"CDF" + bytes([version]) + numrecs + listed(10, dimensions) + listed(12, []) + listed(11, entries)

    at = len(head({}))
    begins = {}
    for v in [*(v for v in variables if v not in records), *records]:
        begins[v] = at
        at += slab(v)
    with open(path, "wb") as file:
        file.write(head(begins))
        swapped = {v: a.astype(a.dtype.newbyteorder(">")) for v, (a, _) in variables.items()}
        for v in variables:
            if v not in records:
                file.write(padded(swapped[v].tobytes()))
        for r in range(count):
            for v in records:
                data = swapped[v][r:r + 1].tobytes()
                file.write(data if len(records) == 1 else padded(data))


def chunks_of(array, chunk, fill):
    """(numbers, whole chunk) of each chunk; what is outside of the array is `fill`."""
    grid = [range(-(-side // of)) for side, of in zip(array.shape, chunk)]
    for numbers in itertools.product(*grid):
        whole = np.full(chunk, fill, array.dtype)
        part = array[tuple(slice(n * c, (n + 1) * c) for n, c in zip(numbers, chunk))]
        whole[tuple(slice(0, side) for side in part.shape)] = part
        yield numbers, whole


ENCODERS = {"gzip": lambda data, _: gzip.compress(data, 5), "zlib": lambda data, _: zlib.compress(data, 3),
            "crc32c": lambda data, _: data + struct.pack("<I", crc32c(data)),
            "shuffle": lambda data, bytes_each: np.frombuffer(data, "u1").reshape(-1, bytes_each).T.tobytes()}


def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def put_json(path, document):
    put(path, json.dumps(document).encode())


def write_zarr2(path, array, chunk, filters=(), compressor=None, order="C", separator=".", fill=0, holes=(), attributes=None):
    codec = lambda of: {"id": of, "elementsize": array.itemsize} if of == "shuffle" else {"id": of, "level": 3}
    dtype = array.dtype.str
    put_json(f"{path}/.zarray", {
        "zarr_format": 2, "shape": array.shape, "chunks": chunk, "dtype": dtype, "order": order, "fill_value": fill,
        "filters": [codec(of) for of in filters] or None, "compressor": compressor and codec(compressor),
        "dimension_separator": separator})
    if attributes is not None:
        put_json(f"{path}/.zattrs", attributes)
    for numbers, whole in chunks_of(array, chunk, 0):
        if numbers in holes:
            continue
        data = whole.tobytes(order)
        for of in [*filters, *([compressor] if compressor else [])]:
            data = ENCODERS[of](data, array.itemsize)
        put(f"{path}/" + (separator.join(map(str, numbers)) or "0"), data)


def write_zarr3(path, array, chunk, codecs=(), transpose=None, shard=None, index_at="end", fill=0, holes=(), attributes=None,
                **members):
    """`codecs`: of bytes. With `shard`, `chunk` is that of the inner ones."""
    endian = {"name": "bytes", "configuration": {"endian": "big" if array.dtype.byteorder == ">" else "little"}}
    named = [{"name": of, "configuration": {"level": 5}} if of == "gzip" else {"name": of} for of in codecs]
    first = [{"name": "transpose", "configuration": {"order": transpose}}] if transpose else []
    chain = [*first, endian, *named]
    if shard:
        index = [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]
        chain = [{"name": "sharding_indexed", "configuration": {
            "chunk_shape": chunk, "codecs": chain, "index_codecs": index, "index_location": index_at}}]
    kind = {"b": "bool", "i": "int", "u": "uint", "f": "float"}[array.dtype.kind]
    put_json(f"{path}/zarr.json", {
        "zarr_format": 3, "node_type": "array", "shape": array.shape, "fill_value": fill, "codecs": chain,
        "data_type": kind + ("" if kind == "bool" else str(8 * array.itemsize)), "attributes": attributes or {},
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shard or chunk}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}}, **members})

    def encoded(whole):
        data = (whole.transpose(transpose) if transpose else whole).tobytes()
        for of in codecs:
            data = ENCODERS[of](data, array.itemsize)
        return data

    def key(numbers):
        return f"{path}/" + "/".join(["c", *map(str, numbers)])

    if not shard:
        for numbers, whole in chunks_of(array, chunk, fill):
            if numbers not in holes:
                put(key(numbers), encoded(whole))
        return
    for outer, whole in chunks_of(array, shard, fill):
        inner = [None if (*outer, *numbers) in holes else encoded(part) for numbers, part in chunks_of(whole, chunk, fill)]
        if all(data is None for data in inner):
            continue
        at = 16 * len(inner) + 4 if index_at == "start" else 0
        entries, body = [], b""
        for data in inner:
            entries.append((2**64 - 1,) * 2 if data is None else (at + len(body), len(data)))
            body += data or b""
        index = b"".join(struct.pack("<QQ", *entry) for entry in entries)
        index += struct.pack("<I", crc32c(index))
        put(key(outer), index + body if index_at == "start" else body + index)


def write_tiff(path, array, order="<", rows_per_strip=7, tile=None, compression=1, description=None, pages=True, extra=(),
               holes=()):
    """Pages x rows x columns, or rows x columns. `compression`: 1 none, 8 deflate. `pages`: a directory for each page, or
    one for all. `extra`: (tag, text) pairs of the first page. `holes`: numbers of strips or tiles that are left out."""
    array = array if array.ndim == 3 else array[None]
    array = array.astype(array.dtype.newbyteorder(order))
    kind = {"u": 1, "i": 2, "f": 3}[array.dtype.kind]
    data = bytearray(b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, 0)
    link = 4
    for number, page in enumerate(array):
        if tile:
            blocks = [whole for _, whole in chunks_of(page, tile, 0)]
        else:
            blocks = [page[at:at + rows_per_strip] for at in range(0, page.shape[0], rows_per_strip)]
        offsets, counts = [], []
        for number_of_block, block in enumerate(blocks):
            if number_of_block in holes:
                offsets.append(0)
                counts.append(0)
                continue
            stored = zlib.compress(block.tobytes()) if compression == 8 else block.tobytes()
            offsets.append(len(data))
            counts.append(len(stored))
            data += stored
        if not pages:
            data += array[1:].tobytes()
        place = (322, 323, 324, 325) if tile else (None, 278, 273, 279)
        entries = [(256, "I", [page.shape[1]]), (257, "I", [page.shape[0]]), (258, "H", [8 * array.itemsize]),
                   (259, "H", [compression]), (262, "H", [1]), (277, "H", [1]), (339, "H", [kind]), (place[2], "I", offsets),
                   (place[1], "I", [tile[0] if tile else rows_per_strip]), (place[3], "I", counts)]
        if tile:
            entries.append((322, "I", [tile[1]]))
        texts = list(extra) if number == 0 else []
        if description and number == 0:
            texts.append((270, description))
        for tag, text in texts:
            entries.append((tag, "s", text.encode() + b"\0"))
        directory = struct.pack(order + "H", len(entries))
        data += b"\0" * (len(data) % 2)
        begin = len(data)
        behind = begin + 2 + 12 * len(entries) + 4
        tail = b""
        for tag, form, values in sorted(entries):
            packed = values if form == "s" else b"".join(struct.pack(order + form, value) for value in values)
            if len(packed) > 4:
                field = struct.pack(order + "I", behind + len(tail))
                tail += packed + b"\0" * (len(packed) % 2)
            else:
                field = packed.ljust(4, b"\0")
            directory += struct.pack(order + "HHI", tag, {"H": 3, "I": 4, "s": 2}[form], len(values)) + field
        data[link:link + 4] = struct.pack(order + "I", begin)
        link = behind - 4
        data += directory + b"\0\0\0\0" + tail
        if not pages:
            break
    with open(path, "wb") as file:
        file.write(data)
