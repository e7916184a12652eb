"""Cases with a name whose arrays are in HDF5: storage that was read wrong once, each index of chunks, and the number of
chunks by which the way of reading is chosen."""

import h5py
import numpy as np

from hdf5_chunks import LIBRARY, leave_partial_chunks
from listed_commands import SUMS, commands


def never_written(count, written, chunk, **options):
    """Chunks that were never written, among others."""
    def case():
        with h5py.File("a.h5", "w") as file:
            data = file.create_dataset("d", (count,), "i4", chunks=(chunk,), **options)
            data[written] = 1
            array = data[()]
        yield from commands(array, ["a.h5:/d"])
    return case


def never_written_with_itself(count, written):
    """Its products with itself: HDF5 has the two inputs share what it keeps of their chunks."""
    def case():
        for command in never_written(count, written, 1)():
            command.add_dot("a.h5:/d", command.array)
            yield command
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


def index_of_chunks(limits, early=False, written=slice(None), **filters):
    """3000 chunks of one element each, under the index that HDF5 takes for these limits."""
    def case():
        with h5py.File("a.h5", "w", libver="latest") as file:
            creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            creation.set_chunk((1, 1))
            if early:
                creation.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            if filters:
                creation.set_deflate(1)
            space = h5py.h5s.create_simple((60, 50), limits)
            data = h5py.Dataset(h5py.h5d.create(file.id, b"d", h5py.h5t.NATIVE_INT32, space, creation))
            data[written] = np.arange(1, 3001, dtype="i4").reshape(60, 50)[written]
            array = data[()]
        yield from commands(array, ["a.h5:/d"], ["sum", "argmax", "count_nonzero"])
        yield from commands(array, ["a.h5:/d"], ["sum", "max"], axes=[0])
    return case


def number_of_chunks(count, **options):
    """Around what is looked up, not fetched."""
    def case():
        array = np.arange(2 * count, dtype="u2")
        with h5py.File("a.h5", "w") as file:
            file.create_dataset("d", data=array, chunks=(2,), **options)
        yield from commands(array, ["a.h5:/d"], SUMS)
    return case


def bytes_fetched_at_once(chunk_bytes):
    """Around what is fetched of chunks at once, 256 KiB: in one chunk, and in some."""
    def case():
        array = np.arange(9 * 65536, dtype="i4")
        with h5py.File("a.h5", "w") as file:
            file.create_dataset("d", data=array, chunks=(chunk_bytes // 4,))
        yield from commands(array, ["a.h5:/d"], ["sum", "max", "argmax"])
    return case


def listed_indices():
    unlimited = h5py.h5s.UNLIMITED
    kinds = {"fixed": (60, 50), "first": (unlimited, 50), "second": (60, unlimited), "both": (unlimited, unlimited)}
    for name, limits in kinds.items():
        yield f"index-{name}", index_of_chunks(limits)
        yield f"index-{name}-sparse", index_of_chunks(limits, written=np.s_[20:31, 3:])
        yield f"index-{name}-deflate", index_of_chunks(limits, written=np.s_[20:31, 3:], deflate=True)
    yield "index-implicit", index_of_chunks((60, 50), early=True)
    yield "index-implicit-sparse", index_of_chunks((60, 50), early=True, written=np.s_[20:31, 3:])


def listed_hdf5():
    yield "never-written", never_written(843, slice(281, 421), 1)
    yield "never-written-many", never_written(9000, slice(4000, 4600), 2)
    yield "never-written-deflated", never_written(900, slice(300, 600), 7, compression=1, shuffle=True)
    yield "never-written-at-all", never_written(900, slice(0, 0), 7)
    yield "never-written-with-itself", never_written_with_itself(843, slice(281, 421))
    yield "never-written-many-with-itself", never_written_with_itself(9000, slice(4000, 4600))
    yield "growing-second-side", growing_second_side
    if LIBRARY is not None:
        yield "partial-chunks-shuffle", partial_chunks_as_they_are(shuffle=True)
        yield "partial-chunks-deflate", partial_chunks_as_they_are(deflate=True)
        yield "partial-chunks-both", partial_chunks_as_they_are(shuffle=True, deflate=True)
    yield "contiguous-never-written", contiguous_never_written
    yield from listed_indices()
    for count in (4095, 4096, 4097):
        yield f"chunks-{count}", number_of_chunks(count)
        yield f"chunks-{count}-deflate", number_of_chunks(count, compression=1, shuffle=True)
    for size in (65536, 131072, 262140, 262144, 262148):
        yield f"chunks-of-{size}-bytes", bytes_fetched_at_once(size)
