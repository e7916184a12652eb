"""tessera reduce of NetCDF-3, .npz, Zarr and TIFF: known by what they hold, and as NumPy has them."""

import json
import os
import shutil
import zipfile

import array_files
from program import main
from reduction import ReduceTest, expected, np

WHOLE = ("sum", "mean", "min", "max", "argmin", "argmax")


class Formats(ReduceTest):
    def numbers(self, shape, dtype="f8", seed=1):
        random = np.random.default_rng(seed)
        if np.dtype(dtype).kind == "b":
            return random.random(shape) < 0.5
        if np.dtype(dtype).kind == "f":
            return random.standard_normal(shape).astype(dtype)
        return random.integers(-100 if np.dtype(dtype).kind == "i" else 0, 100, shape).astype(dtype)

    def assert_is(self, array, source, *options):
        """Whole, and along the first and the last axis."""
        wanted = expected(array)
        for slice_bytes in ("4K", "8M"):
            self.assert_answers(source, {name: wanted[name] for name in WHOLE}, "--slice", slice_bytes, *options)
        for axis in {0, array.ndim - 1}:
            self.assert_done("reduce", source, "--op", "max", "--axis", str(axis), "--output", "out.npy", "--overwrite",
                             "--quiet", *options)
            np.testing.assert_array_equal(np.load(self.path("out.npy")), array.max(axis))

    def assert_error(self, source, code, *words):
        self.assert_refused(("reduce", source, "--op", "sum"), code, *words)

    # NetCDF-3

    def test_netcdf3_of_every_type(self):
        types = {1: ("i1", "i2", "i4", "f4", "f8"), 2: ("i2", "f8"), 5: ("i1", "i8", "u1", "u2", "u4", "u8", "f4")}
        for version, codes in types.items():
            variables = {f"v_{of}": (self.numbers((9, 7, 5), of), {}) for of in codes}
            array_files.write_netcdf3(self.path("a.nc"), variables, version)
            for name, (array, _) in variables.items():
                self.assert_is(array, f"a.nc:/{name}")

    def test_records_of_any_size(self):
        shapes = ((30, 3), (30,), (30, 40, 50), (30, 200, 400))  # below and beyond what is read at once
        for streaming in (False, True):
            variables = {f"r{n}": (self.numbers(shape, of), {})
                         for n, (shape, of) in enumerate(zip(shapes, ("i1", "i2", "f4", "f8")))}
            variables["fixed"] = (self.numbers((4, 5), "i2"), {})
            array_files.write_netcdf3(self.path("a.nc"), variables, 2, [f"r{n}" for n in range(4)], streaming)
            for name, (array, _) in variables.items():
                self.assert_is(array, f"a.nc:/{name}")

    def test_records_of_one_variable_are_not_padded(self):
        array = self.numbers((11, 3), "i1")
        array_files.write_netcdf3(self.path("a.nc"), {"r": (array, {})}, 1, ["r"])
        self.assert_is(array, "a.nc:/r")
        self.assert_is(array, "a.nc")  # the only one

    def test_netcdf3_is_decoded(self):
        packed = np.array([1, -999, 3, 4], "i2")
        array_files.write_netcdf3(self.path("a.nc"), {"t": (packed, {"scale_factor": np.float64(0.5), "add_offset": np.float64(10),
                                                                     "_FillValue": np.int16(-999), "units": "K"})})
        self.assert_answers("a.nc:/t", {"sum": 34.0, "min": 10.5})
        self.assert_answers("a.nc:/t", {"sum": -991}, "--raw")

    def test_damaged_netcdf3(self):
        array_files.write_netcdf3(self.path("a.nc"), {"a": (self.numbers(100), {}), "b": (self.numbers(50), {}),
                                                      "c": (np.array([b"x"] * 5), {})})
        self.assert_error("a.nc", 2, "/a", "/b")
        self.assert_error("a.nc:/d", 3, "/a", "/b")
        self.assert_error("a.nc:/c", 2, "characters")
        with open(self.path("a.nc"), "rb") as file:
            whole = file.read()
        for length in (3, 4, 8, 20, 100, len(whole) - 400, len(whole) - 9):
            with open(self.path("cut.nc"), "wb") as file:
                file.write(whole[:length])
            done = self.run_program("reduce", "cut.nc:/b", "--op", "sum")
            self.assertIn(done.returncode, (2, 3, 4), f"{length}: {done.stdout}")
        for at in range(4, 200, 7):
            with open(self.path("bad.nc"), "wb") as file:
                file.write(whole[:at] + bytes([whole[at] ^ 0xff]) + whole[at + 1:])
            self.assertIn(self.run_program("reduce", "bad.nc:/b", "--op", "sum").returncode, (0, 2, 3, 4))

    # .npz

    def test_npz(self):
        arrays = {"x": self.numbers((40, 30)), "y": np.asfortranarray(self.numbers((20, 30), "f4")),
                  "z": self.numbers((7, 11), ">i2"), "b": self.numbers((5, 9), "?")}
        for save in (np.savez, np.savez_compressed):
            save(self.path("a.npz"), **arrays)
            for name, array in arrays.items():
                self.assert_is(array, f"a.npz:/{name}")
                self.assert_answers(f"a.npz:/{name}.npy", {"sum": expected(array)["sum"]})
        np.savez(self.path("n.npz"), **{"a": np.arange(5), "a.npy": np.arange(3), "b.npy": np.arange(9)})
        for name, total in (("a", 10), ("a.npy", 3), ("b.npy", 36), ("b.npy.npy", 36)):
            self.assert_answers(f"n.npz:/{name}", {"sum": total})
        self.assertIn("/a.npy", self.assert_done("info", "n.npz"))
        self.assert_error("a.npz", 2, "/x", "/y", "/z")
        self.assert_error("a.npz:/q", 3, "/x", "/y", "/z")
        np.savez(self.path("one.npz"), self.numbers(5))
        self.assert_answers("one.npz", {"sum": expected(self.numbers(5))["sum"]})

    def test_damaged_npz(self):
        for save in (np.savez, np.savez_compressed):
            save(self.path("a.npz"), x=self.numbers(1000, "i2"))
            with open(self.path("a.npz"), "rb") as file:
                whole = file.read()
            for length in (10, len(whole) // 2, len(whole) - 1):
                with open(self.path("cut.npz"), "wb") as file:
                    file.write(whole[:length])
                self.assert_error("cut.npz:/x", 2, "cut.npz")
        data = bytearray(whole)
        data[len(whole) // 2] ^= 0x10
        with open(self.path("bad.npz"), "wb") as file:
            file.write(data)
        self.assert_error("bad.npz:/x", 4, "bad.npz", "x.npy")
        with zipfile.ZipFile(self.path("other.npz"), "w", zipfile.ZIP_BZIP2) as archive:
            archive.write(self.path(self.save(self.numbers(100))), "x.npy")
        self.assert_error("other.npz:/x", 2, "method 12")

    # Zarr

    def test_zarr2(self):
        cases = ({}, {"compressor": "zlib"}, {"compressor": "gzip", "separator": "/"}, {"order": "F"},
                 {"filters": ["shuffle"], "compressor": "zlib", "order": "F"})
        for case in cases:
            for shape, chunk, dtype in (((23, 31), (8, 10), "f8"), ((6, 5, 7), (4, 5, 2), ">i2"), ((40,), (7,), "?")):
                array = self.numbers(shape, dtype)
                array_files.write_zarr2(self.path("a.zarr"), array, chunk, **case)
                self.assert_is(array, "a.zarr")
                shutil.rmtree(self.path("a.zarr"))

    def test_zarr3(self):
        cases = ({}, {"codecs": ["gzip"]}, {"codecs": ["crc32c"]}, {"codecs": ["gzip", "crc32c"], "transpose": [1, 0]},
                 {"shard": (16, 20)}, {"shard": (16, 20), "codecs": ["gzip", "crc32c"], "index_at": "start"},
                 {"shard": (8, 10), "transpose": [1, 0]})
        for case in cases:
            for dtype in ("f4", ">i8"):
                array = self.numbers((37, 43), dtype)
                array_files.write_zarr3(self.path("a.zarr"), array, (8, 10), **case)
                self.assert_is(array, "a.zarr:/")
                shutil.rmtree(self.path("a.zarr"))

    def test_chunks_that_are_missing(self):
        array = self.numbers((20, 20), "i4")
        array[8:16, 10:20] = 7
        array_files.write_zarr2(self.path("2.zarr"), array, (8, 10), fill=7, holes=[(1, 1)])
        self.assert_is(array, "2.zarr")
        array_files.write_zarr3(self.path("3.zarr"), array, (4, 5), shard=(8, 10), fill=7,
                                holes=[(1, 1, a, b) for a in (0, 1) for b in (0, 1)])
        self.assertFalse(os.path.exists(self.path("3.zarr/c/1/1")))
        self.assert_is(array, "3.zarr")
        array = self.numbers((20, 20), "f4")
        array[8:16, 10:20] = np.nan
        array_files.write_zarr2(self.path("n.zarr"), array, (8, 10), fill="NaN", holes=[(1, 1)])
        self.assert_answers("n.zarr", {"sum": expected(array[~np.isnan(array)])["sum"]}, "--nan", "skip")

    def test_groups_and_archives(self):
        arrays = {"a/x": self.numbers((9, 8)), "a/b/y": self.numbers((5, 5), "i2")}
        array_files.put_json(self.path("g.zarr/.zgroup"), {"zarr_format": 2})
        array_files.put_json(self.path("g.zarr/a/.zgroup"), {"zarr_format": 2})
        array_files.put_json(self.path("g.zarr/a/b/.zgroup"), {"zarr_format": 2})
        for name, array in arrays.items():
            array_files.write_zarr2(self.path(f"g.zarr/{name}"), array, (4, 4), compressor="zlib")
            self.assert_is(array, f"g.zarr:/{name}")
            self.assert_is(array, f"g.zarr/{name}")
        self.assert_error("g.zarr", 2, "/a/x", "/a/b/y")
        self.assert_error("g.zarr:/c", 3, "/a/x", "/a/b/y")
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            with zipfile.ZipFile(self.path("g.zip"), "w", method) as archive:
                for folder, _, files in os.walk(self.path("g.zarr")):
                    for name in files:
                        whole = os.path.join(folder, name)
                        archive.write(whole, os.path.relpath(whole, self.path("g.zarr")))
            for name, array in arrays.items():
                self.assert_is(array, f"g.zip:/{name}")

    def test_missing_values_of_zarr(self):
        array = np.array([1, -9, 3, -9, 5], "i2")
        of = {"_ARRAY_DIMENSIONS": ["x"], "scale_factor": 0.5}
        array_files.write_zarr2(self.path("2.zarr"), array, (2,), fill=-9, attributes=of)
        self.assert_answers("2.zarr", {"sum": 4.5})
        array_files.write_zarr2(self.path("plain.zarr"), array, (2,), fill=-9)  # not of xarray: they count
        self.assert_answers("plain.zarr", {"sum": -9})
        array_files.write_zarr3(self.path("3.zarr"), array, (2,), attributes={"_FillValue": -9, "add_offset": 10.0})
        self.assert_answers("3.zarr", {"sum": 39.0})
        array_files.write_zarr3(self.path("f.zarr"), np.array([1, np.nan, 2], "f4"), (2,),
                                attributes={"_FillValue": "AAAAAAAA+H8="})
        self.assert_answers("f.zarr", {"sum": 3.0})

    def test_damaged_zarr(self):
        array = self.numbers((16, 16), "i4")
        array_files.write_zarr3(self.path("a.zarr"), array, (8, 8), codecs=["crc32c"])
        whole = self.path("a.zarr/c/0/1")
        with open(whole, "rb") as file:
            data = bytearray(file.read())
        data[5] ^= 1
        array_files.put(whole, data)
        self.assert_error("a.zarr", 4, "chunk at [0, 8]")
        array_files.put(whole, data[:20])
        self.assert_error("a.zarr", 4, "chunk at [0, 8]")
        array_files.write_zarr3(self.path("s.zarr"), array, (4, 4), shard=(8, 8))
        whole = self.path("s.zarr/c/0/0")
        with open(whole, "rb") as file:
            data = bytearray(file.read())
        data[-6] ^= 1
        array_files.put(whole, data)
        self.assert_error("s.zarr", 4, "crc32c", "chunk at [0, 0]")
        for case, word in (({"codecs": ["made_up"]}, "made_up"), ({"new_thing": {"name": "x"}}, "new_thing"),
                           ({"storage_transformers": [{"name": "x"}]}, "storage_transformers")):
            with open(self.path("a.zarr/zarr.json"), encoding="utf-8") as file:
                document = json.load(file)
            codecs = document["codecs"] + [{"name": name} for name in case.pop("codecs", [])]
            array_files.put_json(self.path("b.zarr/zarr.json"), document | case | {"codecs": codecs})
            self.assert_error("b.zarr", 2, word)
        first = [{"name": "numcodecs.crc32c", "configuration": {"location": "start"}}]
        array_files.put_json(self.path("b.zarr/zarr.json"), document | {"codecs": document["codecs"] + first})
        self.assert_error("b.zarr", 2, "with its checksum at the start")
        array_files.put_json(self.path("b.zarr/zarr.json"), document | {"new_thing": {"must_understand": False}})
        self.assert_answers("b.zarr", {"sum": 0})  # nothing is there
        array_files.put_json(self.path("b.zarr/zarr.json"), document | {"data_type": "complex128"})
        self.assert_error("b.zarr", 2, "complex128")
        array_files.put(self.path("b.zarr/zarr.json"), b"{")
        self.assert_error("b.zarr", 2, "damaged")

    def write_fill(self, write, code, fill):
        """16 ones, of which a chunk of 4 is missing."""
        shutil.rmtree(self.path("a.zarr"), ignore_errors=True)
        write(self.path("a.zarr"), np.ones((4, 4), code), (2, 2), holes=[(0, 0)])
        path = self.path("a.zarr/" + ("zarr.json" if write is array_files.write_zarr3 else ".zarray"))
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        array_files.put_json(path, document | {"fill_value": fill})

    def test_fill_values_that_their_type_does_not_have(self):
        for code, fill in (("i4", 3e9), ("u4", -1.0), ("u8", 2.0**64), ("i8", 0.5), ("f4", 1e39), ("u1", -1), ("i2", 40000)):
            for write in (array_files.write_zarr2, array_files.write_zarr3):
                self.write_fill(write, code, fill)
                self.assert_error("a.zarr", 2, "fill_value", "which is no")
        for code, fill in (("u1", "0x1ff"), ("f8", "0x1ffffffff7fc00000"), ("f4", "0x")):
            self.write_fill(array_files.write_zarr3, code, fill)
            self.assert_error("a.zarr", 2, "fill_value", fill)
        for code, fill, total in (("f4", "0x40400000", 12 + 4 * 3.0), ("u8", 2**64 - 1, 12 + 4 * (2**64 - 1)), ("i2", 7.0, 40),
                                  ("f8", 0.25, 13.0)):
            self.write_fill(array_files.write_zarr3, code, fill)
            self.assert_answers("a.zarr", {"sum": total})

    def test_chunks_beyond_any_memory_are_refused(self):
        array = np.ones(4)
        for chunk, shard in ((2**61, None), (2**61 + 10, None), (2**41, None), (2**61, 2**61), (1, 2**60)):
            array_files.write_zarr3(self.path("a.zarr"), array, (4,))
            with open(self.path("a.zarr/zarr.json"), encoding="utf-8") as file:
                document = json.load(file)
            document["chunk_grid"]["configuration"]["chunk_shape"] = [shard or chunk]
            if shard:
                inner = {"chunk_shape": [chunk], "codecs": document["codecs"], "index_codecs": document["codecs"]}
                document["codecs"] = [{"name": "sharding_indexed", "configuration": inner}]
            array_files.put_json(self.path("a.zarr/zarr.json"), document)
            array_files.put(self.path("a.zarr/c/0"), b"\0" * (16 if shard else 80))
            self.assert_error("a.zarr", 2, "too many chunks" if chunk == 1 else "too large")
        for elements in ([2**31, 2**30], [2**62]):
            array_files.write_zarr2(self.path("b.zarr"), np.ones([4] * len(elements)), [4] * len(elements))
            with open(self.path("b.zarr/.zarray"), encoding="utf-8") as file:
                document = json.load(file)
            array_files.put_json(self.path("b.zarr/.zarray"), document | {"chunks": elements})
            self.assert_error("b.zarr", 2, "too large")
        array_files.put_json(self.path("b.zarr/.zarray"), document | {"filters": [{"id": "shuffle", "elementsize": 0}]})
        self.assert_error("b.zarr", 2, "shuffle")

    def test_a_changed_chunk_is_noticed_at_a_restart(self):
        array_files.write_zarr2(self.path("a.zarr"), self.numbers((16, 16)), (8, 8))
        job = ("reduce", "a.zarr", "--op", "sum", "--axis", "0", "--output", "out.npy")
        self.assert_done(*job)
        array_files.put(self.path("a.zarr/1.1"), self.numbers((8, 8), seed=2).tobytes())
        self.assert_refused(job, 2, "out.npy")  # is not the output of these files

    # TIFF

    def test_tiff(self):
        for order, dtypes in (("<", ("u1", "f4")), (">", ("i2", "f8"))):
            for dtype in dtypes:
                for case in ({}, {"compression": 8}, {"tile": (16, 32), "compression": 8}):
                    page, stack = self.numbers((33, 47), dtype), self.numbers((3, 20, 17), dtype)
                    array_files.write_tiff(self.path("a.tif"), page, order, **case)
                    self.assert_is(page, "a.tif")
                    array_files.write_tiff(self.path("s.tif"), stack, order, **case)
                    self.assert_is(stack, "s.tif")
                    self.assert_answers("s.tif:/1", {"sum": expected(stack[1])["sum"]})
        self.assert_error("s.tif:/3", 3, "3 pages")

    def test_stacks_of_one_directory(self):
        stack = self.numbers((5, 12, 10), "u2")
        for description in ("ImageJ=1.11a\nimages=5\nslices=5\n", '{"shape": [5, 12, 10]}'):
            array_files.write_tiff(self.path("a.tif"), stack, ">", rows_per_strip=12, description=description, pages=False)
            self.assert_is(stack, "a.tif")
        array_files.write_tiff(self.path("a.tif"), stack[0], description="ImageJ=1.11a\nimages=5\n")
        self.assert_error("a.tif", 2, "one page")

    def test_missing_values_of_tiff(self):
        array = np.array([[1, -9999, 3], [4, 5, -9999]], "f4")
        array_files.write_tiff(self.path("a.tif"), array, extra=[(42113, "-9999")])
        self.assert_answers("a.tif", {"sum": 13.0})
        self.assert_answers("a.tif", {"sum": 13.0 - 2 * 9999}, "--raw")
        for code, missing, text in (("i8", 2**63 - 1, None), ("i8", 2**53 + 1, None), ("u8", 2**64 - 1, None), ("f4", -9999, " -9999"),
                                    ("i2", 1, "+1")):
            with self.subTest(type=code, missing=missing):
                array = np.array([[missing, 5, 7]], code)
                array_files.write_tiff(self.path("a.tif"), array, extra=[(42113, text or str(missing))])
                self.assert_answers("a.tif", {"sum": 12 if code != "f4" else 12.0, "count": 2})
        array_files.write_tiff(self.path("a.tif"), np.ones((2, 3, 4), "u2"), extra=[(42113, "1")])
        self.assert_error("a.tif", 2, "page 1 has another missing value")

    def test_strips_and_tiles_that_are_left_out_have_the_missing_value(self):
        """As GDAL writes them with SPARSE_OK."""
        array = self.numbers((64, 48), "i2", 5) + 200
        tiles = array.copy()
        tiles[:32, 32:], tiles[32:, :16] = -99, -99  # tiles 2 and 3
        strips = array.copy()
        strips[28:42] = -99  # strips 4 and 5
        for order in "<>":
            for compression in (1, 8):
                for text, fill in ((None, 0), ("-99", -99)):
                    case = {"compression": compression, "extra": [(42113, text)] if text else []}
                    array_files.write_tiff(self.path("a.tif"), array, order, tile=(32, 16), holes=(2, 3), **case)
                    self.assert_is(np.where(tiles == -99, fill, tiles).astype("i2"), "a.tif", "--raw")
                    array_files.write_tiff(self.path("b.tif"), array, order, holes=(4, 5), **case)
                    self.assert_is(np.where(strips == -99, fill, strips).astype("i2"), "b.tif", "--raw")
        self.assert_answers("a.tif", {"sum": int(tiles[tiles != -99].sum()), "count": int((tiles != -99).sum())})

    def test_a_stored_chunk_in_an_archive_has_a_checksum(self):
        array = np.arange(40.0).reshape(8, 5)
        array_files.write_zarr3(self.path("g.zarr"), array, (4, 5))
        with zipfile.ZipFile(self.path("g.zip"), "w", zipfile.ZIP_STORED) as archive:
            for folder, _, files in os.walk(self.path("g.zarr")):
                for name in files:
                    path = os.path.join(folder, name)
                    archive.write(path, os.path.relpath(path, self.path("g.zarr")))
        self.assert_is(array, "g.zip")
        with open(self.path("g.zip"), "r+b") as file:
            whole = file.read()
            file.seek(whole.index(np.array([3.0]).tobytes()) + 6)
            file.write(b"\x18")
        self.assert_error("g.zip", 4, "c/0/0 is damaged")

    def test_damaged_tiff(self):
        array_files.write_tiff(self.path("a.tif"), self.numbers((50, 40), "u2"), compression=8)
        with open(self.path("a.tif"), "rb") as file:
            whole = file.read()
        for length in (8, 100, len(whole) - 30, len(whole) - 5):
            with open(self.path("cut.tif"), "wb") as file:
                file.write(whole[:length])
            done = self.run_program("reduce", "cut.tif", "--op", "sum")
            self.assertIn(done.returncode, (2, 4), f"{length}: {done.stdout}")
            self.assertIn("cut.tif", done.stderr)

    # All of them

    def test_content_decides(self):
        array = self.numbers((6, 7))
        np.save(self.path("a.npy"), array)
        os.rename(self.path("a.npy"), self.path("a.dat"))
        self.assert_is(array, "a.dat")
        np.savez(self.path("b.npz"), x=array)
        os.rename(self.path("b.npz"), self.path("b.npy"))
        self.assert_is(array, "b.npy")
        with open(self.path("c.dat"), "wb") as file:
            file.write(b"GRIB" + bytes(100))
        self.assert_error("c.dat", 2, "GRIB")
        os.mkdir(self.path("folder"))
        self.assert_error("folder", 2, "not a file")

    def test_info_lists_the_arrays(self):
        np.savez(self.path("a.npz"), x=self.numbers((4, 5)), y=np.array(["text"]))
        array_files.write_netcdf3(self.path("b.nc"), {"t": (self.numbers((2, 3), "i2"), {"scale_factor": np.float32(0.5)})})
        array_files.write_zarr3(self.path("c.zarr/q"), self.numbers((8, 6)), (4, 4))
        array_files.put_json(self.path("c.zarr/zarr.json"), {"zarr_format": 3, "node_type": "group"})
        array_files.write_tiff(self.path("d.tif"), self.numbers((3, 4, 5), "u2"))
        said = self.assert_done("info", "a.npz", "b.nc", "c.zarr", "d.tif", "c.zarr:/q")
        for words in ("f64, 4x5", "cannot be read", "i16, 2x3", "scale_factor = 0.5 (f4)", "f64, 8x6", "u16, 3x4x5"):
            self.assertIn(words, said)
        files = json.loads(self.assert_done("info", "--json", "a.npz", "c.zarr"))["files"]
        self.assertEqual([one["name"] for one in files[0]["datasets"]], ["/x", "/y"])
        self.assertIn("problem", files[0]["datasets"][1])
        self.assertEqual(files[1]["kind"], "Zarr")

    def test_expressions_and_groups_read_them(self):
        a, b = self.numbers((40, 30)), self.numbers((40, 30), "i2", seed=2)
        array_files.write_zarr3(self.path("a.zarr"), a, (8, 7), shard=(16, 14))
        array_files.write_netcdf3(self.path("b.nc"), {"b": (b, {}), "k": (b % 3, {})}, 1, ["b", "k"])
        self.assert_answers("a.zarr", {"sum": expected(a * b)["sum"]}, "--map", "a*b", "b=b.nc:/b")
        self.assert_done("reduce", "a.zarr", "--op", "max", "--by", "b.nc:/k", "--output", "t.npy")
        table = np.load(self.path("t.npy"))
        self.assertEqual(list(table["max"]), [a[b % 3 == k].max() for k in sorted(set((b % 3).flat))])


if __name__ == "__main__":
    main()
