"""tessera reduce: chunks through LZF, checksums and other filters, filters that no chunk went through, and those that are refused. No
test finds a plug-in of HDF5, whatever is installed."""

import os
import struct

from program import main
from reduction import ReduceTest, expected, h5py, np

SHUFFLE, SZIP = 2, 4
LZF, BLOSC, MAFISC, LZ4, BITSHUFFLE, ZSTD, BLOSC2 = 32000, 32001, 32002, 32004, 32008, 32015, 32026
TYPES = ("i1", "<i2", ">i4", "<u8", "<f2", ">f4", "<f8")


def shuffled(array):
    return np.ascontiguousarray(array.view("u1").reshape(-1, array.itemsize).T).tobytes()


def bit_planes(raw, width, block):
    """As bitshuffle lays them out, in blocks of so many elements; what is less than eight elements stays."""
    stored, group = b"", 8 * width
    for first in range(0, len(raw), block * width):
        part = raw[first:first + block * width]
        whole = np.frombuffer(part[:len(part) // group * group], "u1").reshape(-1, width)
        bits = np.unpackbits(whole, axis=1, bitorder="little")
        stored += np.packbits(bits.T, axis=1, bitorder="little").tobytes() + part[whole.size:]
    return stored


class Filters(ReduceTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("plugins"))
        kept = {name: os.environ.get(name) for name in ("HDF5_PLUGIN_PATH", "TESSERA_CHECK_HDF5")}
        os.environ.update(HDF5_PLUGIN_PATH=self.path("plugins"), TESSERA_CHECK_HDF5="1")
        for name, value in kept.items():
            self.addCleanup(os.environ.__setitem__ if value is not None else os.environ.pop, name,
                            *([value] if value is not None else []))

    def dataset(self, array, **options):
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("d", data=array, **options)
        return "a.h5:/d"

    def assert_read(self, array, kind, source="a.h5:/d"):
        wanted = expected(array.astype(array.dtype.newbyteorder("=")))
        self.assert_answers(source, {name: wanted[name] for name in ("sum", "argmin", "argmax", "minmax", "norm1")})
        self.assertEqual(self.read_report()["array"]["kind"], kind)

    def placed(self, filters, array, chunks):
        """The filters in this order, which h5py does not offer."""
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk(chunks)
        for name in filters:
            {"shuffle": plist.set_shuffle, "fletcher32": plist.set_fletcher32, "deflate": lambda: plist.set_deflate(1),
             "lzf": lambda: plist.set_filter(LZF, h5py.h5z.FLAG_OPTIONAL)}[name]()
        with h5py.File(self.path("a.h5"), "w") as file:
            kind = h5py.h5t.py_create(array.dtype)
            data = h5py.Dataset(h5py.h5d.create(file.id, b"d", kind, h5py.h5s.create_simple(array.shape), plist))
            data[...] = array

    def test_lzf_of_every_type_with_edges_and_chunks_that_do_not_shrink(self):
        rng = np.random.default_rng(3)
        smooth = (np.add.outer(np.arange(53), np.arange(41)) // 7) % 100
        noise = rng.integers(0, 100, (53, 41))
        for code in TYPES:
            array = np.where(np.arange(53)[:, None] < 20, smooth, noise).astype(code)
            for options in ({}, {"shuffle": True}, {"shuffle": True, "fletcher32": True}):
                with self.subTest(code=code, options=options):
                    self.dataset(array, chunks=(16, 13), compression="lzf", **options)
                    self.assert_read(array, "HDF5, chunks, LZF")

    def test_checksums_before_and_behind_what_compresses(self):
        array = (np.arange(60 * 50) % 97).reshape(60, 50).astype("<i4")
        for filters, kind in ((("fletcher32", "shuffle", "lzf"), "HDF5, chunks, LZF"),
                              (("shuffle", "fletcher32", "deflate"), "HDF5, chunks, deflate"),
                              (("fletcher32", "deflate"), "HDF5, chunks, deflate"),
                              (("shuffle", "fletcher32"), "HDF5, chunks"), (("fletcher32", "shuffle"), "HDF5, chunks"),
                              (("lzf", "deflate"), "HDF5, through H5Dread"), (("lzf", "lzf"), "HDF5, through H5Dread"),
                              (("lzf", "shuffle"), "HDF5, through H5Dread")):
            with self.subTest(filters=filters):
                self.placed(filters, array, (17, 11))
                self.assert_read(array, kind)

    def test_joined_files_of_different_filters(self):
        parts = [np.arange(n, n + 200).reshape(20, 10).astype("f8") for n in (0, 1000, 2000, 3000)]
        for i, options in enumerate(({"compression": "lzf"}, {"compression": 1, "shuffle": True}, {"fletcher32": True}, {})):
            with h5py.File(self.path(f"{i}.h5"), "w") as file:
                file.create_dataset("d", data=parts[i], chunks=(7, 10), **options)
        _, values = self.reduce("*.h5:/d", ("sum", "argmax"))
        self.assertEqual(values, {"sum": float(np.concatenate(parts).sum()), "argmax": 799})

    def test_lzf_where_hdf5_reads(self):
        array = np.arange(40.0).reshape(8, 5)
        self.dataset(array, chunks=(3, 5), compression="lzf", shuffle=True)
        layout = h5py.VirtualLayout((8, 5), "f8")
        layout[...] = h5py.VirtualSource("a.h5", "d", (8, 5))
        with h5py.File(self.path("v.h5"), "w", libver="latest") as file:
            file.create_virtual_dataset("v", layout)
        self.assert_read(array, "HDF5, through H5Dread", "v.h5:/v")

    def damaged(self, change, **options):
        """The file with its largest chunk changed."""
        array = (np.arange(4096) // 5 % 50).astype("<i4")
        self.dataset(array, chunks=(4096,), **options)
        with h5py.File(self.path("a.h5")) as file:
            chunk = file["d"].id.get_chunk_info(0)
        with open(self.path("a.h5"), "rb+") as file:
            file.seek(chunk.byte_offset)
            stored = bytearray(file.read(chunk.size))
            change(stored)
            file.seek(chunk.byte_offset)
            file.write(stored)
        return array

    def test_damage_is_an_error_or_what_hdf5_reads_too(self):
        os.environ["TESSERA_CHECK_HDF5"] = "0"
        rng = np.random.default_rng(5)
        for trial in range(6):
            place, bit = rng.random(), 1 << int(rng.integers(8))

            def flip(stored):
                stored[int(place * len(stored))] ^= bit

            with self.subTest(trial=trial):
                self.damaged(flip, compression="lzf", fletcher32=True)
                self.assert_refused(["reduce", "a.h5:/d", "--op", "sum"], 4, "a.h5:/d", "chunk at [0]", "Fletcher32")
                self.damaged(flip, compression="lzf")
                ours = self.run_program("reduce", "a.h5:/d", "--op", "sum", "--quiet")
                with h5py.File(self.path("a.h5")) as file:
                    try:
                        theirs = f"{file['d'][()].sum(dtype='i8')}\n"
                    except OSError:
                        theirs = None
                if theirs is None:
                    self.assertEqual(ours.returncode, 4, ours)
                    self.assertIn("LZF", ours.stderr)
                elif ours.returncode != 4:  # HDF5 does not check the length
                    self.assertEqual(ours.stdout, theirs)

    def skipping(self, filter_id, options, masks, dtype="<i4"):
        with h5py.File(self.path("m.h5"), "w") as file:
            data = file.create_dataset("d", (2 * len(masks),), dtype, chunks=(2,), compression=filter_id,
                                       compression_opts=options, allow_unknown_filter=True)
            for i, mask in enumerate(masks):
                if mask is not None:
                    data.id.write_direct_chunk((2 * i,), np.full(2, i + 1, dtype).tobytes(), mask)
        return "m.h5:/d"

    def test_filters_that_no_chunk_went_through_are_no_reason_to_refuse(self):
        for filter_id, options in ((MAFISC, (0,)), (BITSHUFFLE, (0, 3, 4, 0, 7)), (40000, ())):
            with self.subTest(filter=filter_id):
                self.assert_answers(self.skipping(filter_id, options, (1, 1, None, 1)), {"sum": 14})
                self.assert_answers(self.skipping(filter_id, options, (None, None)), {"sum": 0})
                self.assert_refused(["reduce", self.skipping(filter_id, options, (1, 1, 0)), "--op", "sum"], 3, "m.h5:/d",
                                    str(filter_id))

    def test_more_chunks_than_masks_are_looked_at(self):
        self.assert_answers(self.skipping(MAFISC, (0,), [1] * 4096), {"sum": 4096 * 4097})
        # The last one is found where it is read; what would be misread is not left to that.
        self.assert_refused(["reduce", self.skipping(MAFISC, (0,), [1] * 4096 + [0]), "--op", "sum"], 4, "m.h5:/d")
        self.assert_refused(["reduce", self.skipping(BITSHUFFLE, (0, 3, 4, 0, 7), [1] * 4097), "--op", "sum"], 3, "32008")

    def test_bitshuffle_is_refused_with_what_its_plugin_misreads(self):
        for compressor in (1, 7):
            source = self.skipping(BITSHUFFLE, (0, 3, 4, 0, compressor), (0,))
            self.assert_refused(["reduce", source, "--op", "sum"], 3, "m.h5:/d", "32008", f"compressor {compressor}")
        # A filter that is not decoded beside it leaves all to H5Dread, but not what that misreads.
        with h5py.File(self.path("m.h5"), "w") as file:
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_chunk((16,))
            plist.set_scaleoffset(h5py.h5z.SO_INT, 0)
            plist.set_filter(BITSHUFFLE, h5py.h5z.FLAG_OPTIONAL, (0, 3, 4, 0, 3))
            data = h5py.Dataset(h5py.h5d.create(file.id, b"d", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((16,)), plist))
            data.id.write_direct_chunk((0,), bytes(64), 0)
        self.assert_refused(["reduce", "m.h5:/d", "--op", "sum"], 3, "m.h5:/d", "32008", "compressor 3")

    def encoded(self, array, chunk, filters, encode, masks=(0,)):
        """`array` in chunks of a side each that encode(raw, mask) makes, with these filters and parameters."""
        with h5py.File(self.path("e.h5"), "w") as file:
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_chunk((chunk,))
            for number, values in filters:
                plist.set_filter(number, h5py.h5z.FLAG_OPTIONAL, values)
            data = h5py.Dataset(h5py.h5d.create(file.id, b"d", h5py.h5t.py_create(array.dtype),
                                                h5py.h5s.create_simple(array.shape), plist))
            for i, first in enumerate(range(0, len(array), chunk)):
                whole = np.zeros(chunk, array.dtype)
                part = array[first:first + chunk]
                whole[:len(part)] = part
                mask = masks[i % len(masks)]
                data.id.write_direct_chunk((first,), encode(whole, mask), mask)
        return "e.h5:/d"

    def test_lz4_with_masks_by_the_place_of_each_filter(self):
        """Blocks of a chunk that are stored as they are need no compressor here."""
        array = (np.arange(2000) % 301).astype("<i4")

        def encode(raw, mask):
            raw = raw.tobytes() if mask & 1 else shuffled(raw)
            if mask & 2:
                return raw
            blocks = [raw[i:i + 100] for i in range(0, len(raw), 100)]
            return struct.pack(">QI", len(raw), 100) + b"".join(struct.pack(">I", len(b)) + b for b in blocks)

        source = self.encoded(array, 170, ((SHUFFLE, (4,)), (LZ4, (0,))), encode, (0, 1, 2, 3))
        self.assert_read(array, "HDF5, chunks, LZ4", source)
        self.assert_answers(source, {"sum": int(array.sum())})

    def test_bitshuffle_of_another_width_than_its_elements(self):
        array = np.arange(1000).astype("<u2")
        for width in (1, 2, 4):
            source = self.encoded(array, 333, ((BITSHUFFLE, (0, 3, width, 16)),),
                                  lambda raw, _, width=width: bit_planes(raw.tobytes(), width, 16))
            with self.subTest(width=width):
                self.assert_read(array, "HDF5, chunks", source)

    def test_a_head_that_lies_is_refused_where_it_is(self):
        array = np.arange(1000).astype("<i4")
        for number, values, head in ((LZ4, (0,), struct.pack(">QI", 1 << 60, 1 << 30)),
                                     (BITSHUFFLE, (0, 3, 4, 0, 2), struct.pack(">QI", 1 << 62, 8192)),
                                     (BLOSC, (2, 2, 4, 400), struct.pack("<BBBBIII", 2, 1, 0x21, 4, 1 << 31, 1 << 31, 516)),
                                     (ZSTD, (3,), b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 1 << 61)),
                                     (SZIP, (32, 16, 32, 64), struct.pack("<I", 1 << 31))):
            with self.subTest(filter=number):
                source = self.encoded(array, 100, ((number, values),),
                                      lambda raw, mask, head=head: raw.tobytes() if mask else head + bytes(500), (1, 1, 1, 0))
                self.assert_refused(["reduce", source, "--op", "sum"], 4, "e.h5:/d", "chunk at [300]")

    def test_blosc2_is_named_by_its_number(self):
        self.assert_refused(["reduce", self.skipping(BLOSC2, (2, 2, 4), (0,)), "--op", "sum"], 3, "m.h5:/d", "32026")

    def test_two_compressors_are_left_to_hdf5(self):
        source = self.encoded(np.arange(100).astype("<i4"), 100, ((LZ4, (0,)), (ZSTD, ())), lambda raw, _: raw.tobytes(), (3,))
        self.assert_read(np.arange(100).astype("<i4"), "HDF5, through H5Dread", source)


class Layouts(ReduceTest):
    """Types that HDF5 converts, and records of one member."""

    def test_records_of_one_member_are_that_member(self):
        array = np.arange(24).reshape(4, 6)
        for code in ("i1", "<u2", ">i4", "<f2", "<f8", ">f8"):
            values = array.astype(code)
            record = np.zeros(values.shape, [("x", code)])
            record["x"] = values
            padded = np.zeros(values.shape, np.dtype({"names": ["x"], "formats": [code], "offsets": [3], "itemsize": 16}))
            padded["x"] = values
            wanted = expected(values.astype(values.dtype.newbyteorder("=")))
            for stored, options in ((record, {}), (padded, {}), (record, {"chunks": (3, 4), "compression": 1, "shuffle": True})):
                with h5py.File(self.path("c.h5"), "w") as file:
                    file.create_dataset("one", data=stored, **options)
                self.assert_answers("c.h5:/one", {name: wanted[name] for name in ("sum", "argmax", "norm1")})

    def test_other_records_are_refused_with_their_number_of_members(self):
        with h5py.File(self.path("c.h5"), "w") as file:
            file["two"] = np.zeros(3, [("x", "f8"), ("y", "i4")])
            file["text"] = np.zeros(3, [("x", "S4")])
        self.assert_refused(["reduce", "c.h5:/two", "--op", "sum"], 2, "c.h5: /two", "records of 2 members")
        self.assert_refused(["reduce", "c.h5:/text", "--op", "sum"], 2, "c.h5: /text", "records of 1 member")

    def test_bits_in_any_order_and_place(self):
        values = np.array([-2048, -1, 0, 1, 2047])
        for order in (h5py.h5t.ORDER_LE, h5py.h5t.ORDER_BE):
            kind = h5py.h5t.STD_I32LE.copy()
            kind.set_order(order)
            kind.set_precision(12)
            kind.set_offset(7)
            with h5py.File(self.path("b.h5"), "w") as file:
                data = h5py.h5d.create(file.id, b"d", kind, h5py.h5s.create_simple((5,)))
                data.write(h5py.h5s.ALL, h5py.h5s.ALL, values.astype("i8"))
            self.assert_answers("b.h5:/d", {"sum": -1, "min": -2048, "max": 2047})


if __name__ == "__main__":
    main()
