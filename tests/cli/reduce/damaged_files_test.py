"""Files of every format of arrays, damaged by chance: read or refused, never a signal, a hang or memory without a bound.

The numbers that damaged_files prints: inputs, how many were refused, how many asked for more memory than there was."""

import os
import subprocess
import sys
import zipfile

DAMAGED_FILES = os.path.abspath(sys.argv.pop(2))
import array_files  # noqa: E402
from program import main, seed, times  # noqa: E402
from reduction import ReduceTest, h5py, np  # noqa: E402
from surroundings import HANG_S  # noqa: E402

TRIALS = 300  # of a sample
LARGEST_MB = 512  # that is allocated at once


class DamagedFiles(ReduceTest):
    def setUp(self):
        super().setUp()
        self.parts = []
        random = np.random.default_rng(5)
        self.smooth = np.add.outer(np.arange(20), np.arange(30)).astype("f4")
        self.noise = random.integers(-900, 900, (20, 30)).astype("i2")

    def add(self, source, *files):
        """Anything in these files may be damaged, or in all files of a folder."""
        for name in files or (source,):
            path = self.path(name)
            below = [os.path.join(folder, file) for folder, _, found in os.walk(path) for file in found]
            self.parts += [(source, os.path.relpath(file, self.folder), 0, os.path.getsize(file)) for file in sorted(below) or [path]]

    def npy_and_npz(self):
        np.save(self.path("a.npy"), self.smooth)
        self.add("a.npy")
        np.savez(self.path("plain.npz"), a=self.smooth, b=self.noise)
        np.savez_compressed(self.path("packed.npz"), a=self.smooth, b=self.noise)
        self.add("plain.npz:/b", "plain.npz")
        self.add("packed.npz:/a", "packed.npz")

    def netcdf3(self):
        attributes = {"scale_factor": np.float64(0.5), "_FillValue": np.int16(-5), "units": "K"}
        for version in (1, 2, 5):
            name = f"v{version}.nc"
            array_files.write_netcdf3(self.path(name), {"t": (self.noise, attributes), "d30": (np.arange(30.0), {}), "u": (self.smooth, {})},
                                      version, ["t"])
            self.add(f"{name}:/t", name)

    def zarr(self):
        attributes = {"_ARRAY_DIMENSIONS": ["y", "x"], "scale_factor": 0.5}
        write2 = lambda name, **how: array_files.write_zarr2(self.path(name), self.noise, (8, 16), attributes=attributes, **how)
        write3 = lambda name, **how: array_files.write_zarr3(self.path(name), self.smooth, (5, 10), dimension_names=["y", "x"], **how)
        write2("plain2.zarr")
        write2("gzip2.zarr", filters=["shuffle"], compressor="gzip", order="F", holes=[(0, 1)])
        write2("zlib2.zarr", compressor="zlib", separator="/")
        write3("plain3.zarr", codecs=["crc32c"], transpose=[1, 0])
        write3("shards.zarr", codecs=["gzip"], shard=(10, 30), holes=[(0, 0, 0, 0)])
        write3("first.zarr", shard=(10, 30), index_at="start")
        for name in ("plain2.zarr", "gzip2.zarr", "zlib2.zarr", "plain3.zarr", "shards.zarr", "first.zarr"):
            self.add(name)
        with zipfile.ZipFile(self.path("z.zip"), "w") as archive:
            for folder, _, found in os.walk(self.path("shards.zarr")):
                for file in found:
                    archive.write(os.path.join(folder, file), os.path.relpath(os.path.join(folder, file), self.path("shards.zarr")))
        self.add("z.zip")

    def tiff(self):
        stack = np.stack([self.noise, self.noise + 1])
        write = lambda name, **how: array_files.write_tiff(self.path(name), stack, **how)
        write("strips.tif")
        write("tiles.tif", tile=(16, 16), compression=8, order=">")
        write("imagej.tif", pages=False, description="ImageJ=1.53\nimages=2\nslices=2\nhyperstack=false\n", rows_per_strip=20)
        for name in ("strips.tif", "tiles.tif", "imagej.tif"):
            self.add(name)

    def hdf5(self):
        """The chunks: HDF5's library reads the rest."""
        kinds = {"deflate": {"compression": 4, "shuffle": True}, "lzf": {"compression": "lzf"}, "sums": {"compression": 1, "fletcher32": True},
                 "plain": {}}
        with h5py.File(self.path("a.h5"), "w") as file:
            for name, how in kinds.items():
                file.create_dataset(name, data=self.noise, chunks=(8, 16), **how)
        with h5py.File(self.path("a.h5")) as file:
            for name in kinds:
                chunks = file[name].id
                for chunk in map(chunks.get_chunk_info, range(chunks.get_num_chunks())):
                    self.parts.append((f"a.h5:/{name}", "a.h5", chunk.byte_offset, chunk.byte_offset + chunk.size))

    def own(self):
        """What `map` writes."""
        np.save(self.path("x.npy"), self.smooth)
        self.assert_done("map", "x * 2", "x=x.npy", "--output", "own.zarr", "--quiet")
        self.add("own.zarr")

    def test_every_format(self):
        for write in (self.npy_and_npz, self.netcdf3, self.zarr, self.tiff, self.hdf5, self.own):
            write()
        environment = {**os.environ, "ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:max_allocation_size_mb={LARGEST_MB}"}
        ranges = "".join(f"{source} {file} {begin} {end}\n" for source, file, begin, end in self.parts)
        done = subprocess.run([DAMAGED_FILES, str(TRIALS * times()), str(seed())], input=ranges, cwd=self.folder, text=True, env=environment,
                              capture_output=True, timeout=HANG_S * times())
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        print(done.stdout)
        all_, noticed = map(int, done.stdout.splitlines()[-1].split()[1:3])
        self.assertEqual(all_, TRIALS * times() * len({part[0] for part in self.parts}))
        self.assertGreater(noticed, all_ / 4)


if __name__ == "__main__":
    main()
