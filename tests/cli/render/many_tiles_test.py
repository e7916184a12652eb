"""Images of more tiles than are taken at a time: as records, rows of tables, unflushed chunks, results in a message."""

import os

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy)")
    raise SystemExit(77)

from program import ProgramTest, main


class ManyTiles(ProgramTest):
    def render(self, size, tile, *options, ranks=0):
        self.assert_done("render", "--size", size, "--tile", str(tile), "--iterations", "50", "--width", "3", "--device", "cpu",
                         "--quiet", "--output", "a.h5", *options, ranks=ranks)

    def pixels(self):
        with h5py.File(self.path("a.h5")) as file:
            return file["iterations"][:]

    def assert_same_in_tiles_of_a_pixel(self, size):
        self.render(size, 64)
        truth = self.pixels()
        os.remove(self.path("a.h5"))
        self.render(size, 1, "--share", "1/2")
        self.assertTrue(os.path.exists(self.path("a.h5.part")))
        self.render(size, 1)
        self.assertTrue(np.array_equal(self.pixels(), truth), size)
        self.assertIn("all checksums right", self.assert_done("verify", "a.h5"))
        os.remove(self.path("a.h5"))

    def test_as_many_as_records_that_are_read_together(self):
        for tiles in (4095, 4096, 4097, 8193, 8194):
            self.assert_same_in_tiles_of_a_pixel(f"{tiles}x1")

    def test_as_many_as_chunks_that_are_flushed_together(self):
        for size in ("32767x1", "256x128", "3641x9", "300x240"):
            self.assert_same_in_tiles_of_a_pixel(size)

    def test_as_many_as_travel_in_a_message(self):
        """4 MiB: tiles of nearly so many bytes, of more, and many of 1 KiB."""
        self.render("2900x1449", 512)
        truth = self.pixels()
        for tile in (32, 1448, 1449):
            os.remove(self.path("a.h5"))
            self.render("2900x1449", tile, "--compress", "0", ranks=2)
            self.assertTrue(np.array_equal(self.pixels(), truth), tile)


if __name__ == "__main__":
    main()
