"""HDF5 datasets at random that hold a given array: every layout, index, filter, bound and state of storage.

Chunks that hold nothing but the fill value are mostly left unwritten, so that an array with large constant parts
makes a sparse dataset.
"""

import os

import h5py
import numpy as np

from hdf5_chunks import allows_new_layouts, make_chunked
from hdf5_fill import common_value

BOUNDS = (("earliest", "latest"), ("latest", "latest"), ("earliest", "v108"), ("v108", "v108"), ("v108", "v110"),
          ("v110", "v110"))
LEVELS = {"earliest": h5py.h5f.LIBVER_EARLIEST, "v108": h5py.h5f.LIBVER_V18, "v110": h5py.h5f.LIBVER_V110,
          "latest": h5py.h5f.LIBVER_LATEST}
NAMES = (b"d", b"d", b"d", b"field/t", b"a name/with: signs")


def create_file(rng, path):
    """An empty file with a random head."""
    creation, access = h5py.h5p.create(h5py.h5p.FILE_CREATE), h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    low, high = BOUNDS[rng.integers(len(BOUNDS))]
    access.set_libver_bounds(LEVELS[low], LEVELS[high])
    block = int(rng.choice([512, 1024, 8192])) if rng.random() < 0.25 else 0
    creation.set_userblock(block)
    if rng.random() < 0.15:
        creation.set_sizes(4, 8)  # with sizes of 4 bytes HDF5 1.10 forgets which sides are unlimited
    if high in ("v110", "latest") and block not in (512, 1024) and rng.random() < 0.15:
        creation.set_file_space_strategy(int(rng.choice([h5py.h5f.FSPACE_STRATEGY_PAGE, h5py.h5f.FSPACE_STRATEGY_NONE])),
                                         False, 1)
    access.set_fclose_degree(h5py.h5f.CLOSE_STRONG)
    return h5py.h5f.create(os.fsencode(path), h5py.h5f.ACC_TRUNC, creation, access)


def unusual_type(rng, array):
    """An integer that no NumPy type has, of a few bytes or with unused bits, for an array of 64-bit integers; or None."""
    if array.dtype.str[1:] not in ("i8", "u8") or array.size == 0:
        return None
    least, greatest = int(array.min()), int(array.max())
    bits = max(least.bit_length(), greatest.bit_length()) + 1
    if bits > 56:
        return None
    size = -(-bits // 8) if rng.random() < 0.5 else 8
    if bits == 8 * size and size in (1, 2, 4):
        return None
    unusual = (h5py.h5t.STD_I64LE if array.dtype.kind == "i" else h5py.h5t.STD_U64LE).copy()
    unusual.set_size(size)
    unusual.set_precision(bits)
    unusual.set_offset(int(rng.integers(0, unusual.get_size() * 8 - bits + 1)))
    if rng.random() < 0.3:
        unusual.set_order(h5py.h5t.ORDER_BE)
    return unusual


def stored_type(rng, array):
    unusual = unusual_type(rng, array) if rng.random() < 0.5 else None
    if unusual is not None:
        return unusual
    dtype = array.dtype.newbyteorder(">") if rng.random() < 0.3 else array.dtype
    return h5py.h5t.py_create(dtype, logical=True)


def space_of(array):
    return h5py.h5s.create_simple(array.shape) if array.ndim else h5py.h5s.create(h5py.h5s.SCALAR)


def write_all(dataset, array):
    if array.size:
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(array))


def links():
    plist = h5py.h5p.create(h5py.h5p.LINK_CREATE)
    plist.set_create_intermediate_group(True)
    return plist


def make_contiguous(rng, file, name, array):
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_layout(h5py.h5d.CONTIGUOUS)
    fill = common_value(rng, array)
    creation.set_fill_value(fill)
    creation.set_fill_time(h5py.h5d.FILL_TIME_ALLOC)
    if rng.random() < 0.3:
        creation.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    dataset = h5py.h5d.create(file, name, stored_type(rng, array), space_of(array), creation, links())
    constant = array.size == 0 or array.tobytes() == np.full(array.shape, fill, array.dtype).tobytes()
    if not (constant and rng.random() < 0.8):
        write_all(dataset, array)


def make_compact(rng, file, name, array):
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_layout(h5py.h5d.COMPACT)
    write_all(h5py.h5d.create(file, name, stored_type(rng, array), space_of(array), creation, links()), array)


def make_external(rng, file, name, array):
    """In one to three segments of other files, which HDF5 does not write here."""
    stored = array.astype(array.dtype.newbyteorder(">")) if rng.random() < 0.3 else array
    data = stored.tobytes()
    cuts = sorted(int(cut) for cut in rng.integers(0, len(data) + 1, int(rng.integers(0, 3))))
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    path = os.path.splitext(os.path.basename(file.name.decode()))[0]
    for i, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(data)])):
        if start == end:
            continue
        segment, offset = f"{path}-{i}.bin", int(rng.choice([0, 0, 7, 512]))
        with open(segment, "wb") as out:
            out.write(rng.bytes(offset) + data[start:end])
        creation.set_external((os.path.abspath(segment) if rng.random() < 0.5 else segment).encode(), offset, end - start)
    h5py.h5d.create(file, name, h5py.h5t.py_create(stored.dtype, logical=True), space_of(array), creation, links())


def make_virtual(rng, file, name, array):
    """Of one to three other datasets along a dimension; parts of nothing but the fill value may have none."""
    axis = int(rng.integers(array.ndim))
    fill = common_value(rng, array)
    cuts = np.unique(rng.integers(0, array.shape[axis] + 1, int(rng.integers(1, 4))))
    path = os.path.splitext(os.path.basename(file.name.decode()))[0]
    layout = h5py.VirtualLayout(array.shape, array.dtype)
    start = 0
    for i, part in enumerate(np.split(array, cuts, axis)):
        end = start + part.shape[axis]
        constant = part.tobytes() == np.full(part.shape, fill, part.dtype).tobytes()
        if part.size and not (constant and rng.random() < 0.7):
            source = write_unchecked(rng, part, f"{path}-{i}", virtual=False)
            where, dataset = source.split(":/", 1)
            there = tuple(slice(start, end) if d == axis else slice(None) for d in range(array.ndim))
            layout[there] = h5py.VirtualSource(where, dataset, part.shape)
        start = end
    parent = h5py.Group(h5py.h5g.open(file, b"/"))
    parent.create_virtual_dataset(name.decode(), layout, fillvalue=fill.item())


def choose_layout(rng, file, array, virtual):
    kind = rng.random()
    virtual = virtual and allows_new_layouts(file)
    if array.ndim and kind < 0.7:
        return make_chunked
    if kind < 0.78 and array.nbytes < 60000:
        return make_compact
    if array.size and kind < 0.84:
        return make_external
    if virtual and array.ndim and array.size and kind < 0.9:
        return make_virtual
    return make_contiguous


def add_others(rng, file):
    """Something beside the dataset, so that addresses vary."""
    group = h5py.Group(h5py.h5g.open(file, b"/"))
    name = f"other {rng.integers(1 << 30)}"
    group.create_dataset(name, data=rng.integers(0, 9, int(rng.integers(1, 3000))), chunks=True if rng.random() < 0.5 else None)


class NotReadable(Exception):
    """HDF5 itself does not give back what it was given, so that the file is no question to the program."""


def write_hdf5(rng, array, name, virtual=True):
    """FILE.h5:/dataset, in this folder."""
    source = write_unchecked(rng, array, name, virtual)
    path, dataset = source.split(":/", 1)
    found = np.empty(array.shape, array.dtype)
    with h5py.File(path, "r") as file:
        if array.size:
            h5py.h5o.open(file.id, dataset.encode()).read(h5py.h5s.ALL, h5py.h5s.ALL, found)
    if found.tobytes() != array.tobytes():
        raise NotReadable(source)
    return source


def write_unchecked(rng, array, name, virtual):
    path = f"{name}.h5"
    file = create_file(rng, path)
    dataset = NAMES[rng.integers(len(NAMES))]
    if rng.random() < 0.3:
        add_others(rng, file)
    choose_layout(rng, file, array, virtual)(rng, file, dataset, array)
    if rng.random() < 0.3:
        add_others(rng, file)
    root = h5py.Group(h5py.h5g.open(file, b"/"))
    if rng.random() < 0.1:
        root["link"] = h5py.SoftLink("/" + dataset.decode())
        dataset = b"link"
    file.close()
    if rng.random() < 0.05:
        with h5py.File(f"{name}-link.h5", "w") as linked:
            linked["elsewhere"] = h5py.ExternalLink(path, "/" + dataset.decode())
        return f"{name}-link.h5:/elsewhere"
    return f"{path}:/{dataset.decode()}"
