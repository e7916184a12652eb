"""h5py and h5dump read what the store writes: finished files, and a .part while it is written.

Usage: other_readers.py STORE_SAMPLE. Exit 77 (skipped) where h5py or h5dump is not installed.
"""

import os
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if shutil.which("h5dump") is None:
    print("skipped: no h5dump")
    sys.exit(77)

WIDTH, HEIGHT, TILE = 70, 50, 32
COUNTS = 1 + np.arange(HEIGHT)[:, None] * 256 + np.arange(WIDTH)[None, :]


def check_finished(path, compress):
    with h5py.File(path, "r") as file:
        assert file["iterations"].dtype == np.uint16
        assert file["smooth"].dtype == np.float32
        assert file["iterations"].chunks == (TILE, TILE)
        assert bool(file["iterations"].shuffle) == (compress > 0)
        assert np.array_equal(file["iterations"][...], COUNTS)
        assert np.array_equal(file["smooth"][...], COUNTS.astype(np.float32))
        assert file.attrs["status"] == b"complete"
        assert file.attrs["note"].decode() == "größer als 1"
        assert file.attrs["compress"] == compress and file.attrs["compress"].dtype == np.int64
        assert file.attrs["bailout"] == 2.5 and file.attrs["bailout"].dtype == np.float64
        assert file.attrs["format_version"] == 2
        tiles = file["tiles"][...]
        assert tiles.dtype.names == ("row", "column", "rank", "device", "start_s", "compute_s",
                                     "encode_s", "bytes", "iterations", "checksum")
        assert tiles.dtype.itemsize == 64
        assert len(tiles) == 6 and (tiles["rank"] >= 0).all()
        assert tiles["device"][3] == b"cpu:avx2"
        assert [tuple(row) for row in file["timing"]] == [
            (0, b"here", b"compute", 2, 1.5), (1, b"there", b"write", 3, 0.25)]


def check_h5dump(path, folder):
    binary = os.path.join(folder, "dump.bin")
    subprocess.run(["h5dump", "-d", "/iterations", "-b", "LE", "-o", binary, path], check=True,
                   stdout=subprocess.DEVNULL)
    assert np.array_equal(np.fromfile(binary, "<u2").reshape(HEIGHT, WIDTH), COUNTS)
    listing = subprocess.run(["h5dump", "-A", path], check=True, capture_output=True, text=True)
    assert '"complete"' in listing.stdout, listing.stdout


def check_while_written(sample, path):
    """Half of the tiles are there; the others show the fill values."""
    writer = subprocess.Popen([sample, path, "1", "wait"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    assert writer.stdout.readline() == "flushed\n"
    with h5py.File(path + ".part", "r", libver="latest", swmr=True) as file:
        assert file.attrs["status"] == b"unfinished"
        assert (file["tiles"]["rank"] >= 0).sum() == 3
        assert np.array_equal(file["iterations"][:TILE], COUNTS[:TILE])
        assert (file["iterations"][TILE:] == 0).all()
        assert np.isnan(file["smooth"][TILE:]).all()
        writer.stdin.close()  # with this file still open here
        assert writer.wait() == 0
    check_finished(path, 1)


def main():
    sample = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="tessera-test-") as folder:
        for compress in (0, 1, 3):
            path = os.path.join(folder, f"{compress}.h5")
            subprocess.run([sample, path, str(compress)], check=True)
            check_finished(path, compress)
            check_h5dump(path, folder)
        check_while_written(sample, os.path.join(folder, "live.h5"))
    print("h5py and h5dump agree")


main()
