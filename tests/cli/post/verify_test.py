"""verify finds what is wrong with a file and is content with what is right; info and verify beside a
render that is still writing."""

import os
import re
import subprocess

from images import read_image
from program import HANG_S, TESSERA, ProgramTest, main
from runs import RunTest

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy)")
    raise SystemExit(77)

class VerifyTest(ProgramTest):
    def render(self, name, *options, ranks=0):
        """24 tiles in 4 rows and 6 columns."""
        self.assert_done("render", "--view", "seahorse", "--iterations", "600", "--size", "500x330",
                         "--tile", "96", "--quiet", "--output", name, *options, ranks=ranks)

    def edit(self, name):
        return h5py.File(self.path(name), "r+", libver=("v110", "v110"))

    def assert_found(self, *words, arguments=("verify", "a.h5"), ranks=0):
        done = self.run_program(*arguments, ranks=ranks)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(done.stdout, "")
        for word in words:
            self.assertIn(word, done.stderr)


class FinishedFile(VerifyTest):
    def test_a_good_file(self):
        self.render("a.h5", "--fields", "iterations,smooth")
        said = self.assert_done("verify", "a.h5", ranks=2)
        self.assertIn("24 of 24", said)
        self.assertIn("16 rows of 24 tiles computed again on reference", said)

    def test_a_file_that_the_reference_made_is_sampled_on_another_device(self):
        self.render("a.h5", "--device", "reference")
        self.assertIn("16 rows of 5 tiles computed again on cpu", self.assert_done("verify", "a.h5", "--sample", "5"))

    def test_says_only_what_it_has_computed_again(self):
        self.render("a.h5")
        said = self.assert_done("verify", "a.h5", "--sample", "0")
        self.assertIn("24 of 24 tiles stored, all checksums right", said)
        self.assertIn("a.h5: no row computed again\n", said)
        self.assertNotIn("the same bits", said)
        self.render("b.h5", "--tile", "8")
        self.assertIn("8 rows of 3 tiles computed again", self.assert_done("verify", "b.h5", "--sample", "3"))

    def test_a_flipped_byte(self):
        self.render("a.h5")
        with h5py.File(self.path("a.h5"), "r") as file:
            place = file["iterations"].id.get_chunk_info(7).byte_offset
        with open(self.path("a.h5"), "r+b") as file:
            file.seek(place + 10)
            byte = file.read(1)
            file.seek(place + 10)
            file.write(bytes([byte[0] ^ 64]))
        self.assert_found("checksum", "row 1, column 1")

    def test_color_says_which_tile_cannot_be_decoded(self):
        self.render("a.h5")
        with self.edit("a.h5") as file:
            _, stored = file["iterations"].id.read_direct_chunk((96, 192))
            file["iterations"].id.write_direct_chunk((96, 192), stored[:-1] + bytes([stored[-1] ^ 1]))
        self.assert_refused(["color", "a.h5", "a.png"], 4, "a.h5: tile row 1, column 2 of /iterations",
                            "Adler-32", "run: tessera verify --repair a.h5")

    def test_color_makes_no_picture_of_bytes_that_have_changed(self):
        for fields, changed in ((("iterations",), "iterations"), (("iterations", "smooth"), "smooth"),
                                (("iterations", "smooth"), "iterations")):
            self.render("a.h5", "--compress", "0", "--fields", ",".join(fields), "--overwrite")
            self.assert_done("color", "a.h5", "good.png", "--field", changed, "--overwrite")
            with self.edit("a.h5") as file:
                mask, stored = file[changed].id.read_direct_chunk((96, 192))
                file[changed].id.write_direct_chunk((96, 192), stored[:-1] + bytes([stored[-1] ^ 1]), mask)
            self.assert_refused(["color", "a.h5", "a.png", "--field", changed], 4, f"a.h5: tile row 1, column 2 of /{changed}",
                                "checksum mismatch")

    def test_info_takes_no_memory_for_what_a_damaged_table_says(self):
        self.render("a.h5")
        for workers in (2**31 - 1, -5):
            with self.edit("a.h5") as file:
                timing = file["timing"][...]
                timing["workers"] = workers
                file["timing"][...] = timing
            done = self.run_program("info", "a.h5")
            self.assertEqual((done.returncode, done.stderr), (
                4, f"tessera: a.h5: /timing is damaged: rank 0 with {workers} workers\n"))

    def test_wrong_pixels_with_right_checksums(self):
        self.render("a.h5")
        with self.edit("a.h5") as file:
            file.attrs["center"] = file.attrs["center"].decode().replace("-0.74", "-0.73")
        self.assert_found("differs from reference", arguments=("verify", "a.h5", "--sample", "24"))

    def test_chunks_that_cannot_be_read_are_their_tiles_problem(self):
        self.render("a.h5", "--fields", "iterations,smooth")
        with self.edit("a.h5") as file:
            for row, column in ((1, 1), (2, 3)):
                file["smooth"].id.write_direct_chunk((row * 96, column * 96), os.urandom(400000))
        for ranks in (0, 2):
            self.assert_found("row 1, column 1", "row 2, column 3", "claims 400000 bytes",
                              "2 of 24 stored tiles", ranks=ranks)

    def test_chunks_that_cannot_be_decoded_are_their_tiles_problem(self):
        self.render("a.h5")
        with self.edit("a.h5") as file:
            _, stored = file["iterations"].id.read_direct_chunk((96, 96))
            for data in (b"HDF5 keeps the old mask unless the size changes", stored):
                file["iterations"].id.write_direct_chunk((96, 96), data, filter_mask=2)
        self.assert_found("row 1, column 1: /iterations: chunk stored without compression", "1 of 24 stored tiles")

    def test_a_complete_file_that_lacks_tiles(self):
        self.render("a.h5")
        with self.edit("a.h5") as file:
            tiles = file["tiles"][...]
            tiles["rank"][[0, 5, 23]] = -1
            file["tiles"][...] = tiles
        self.assert_found("row 0, column 5: not stored", "3 of 24 tiles are missing", ranks=2)

    def test_a_row_that_speaks_of_another_tile(self):
        self.render("a.h5")
        with self.edit("a.h5") as file:
            tiles = file["tiles"][...]
            tiles[3] = tiles[4]
            file["tiles"][...] = tiles
        self.assert_found("row 0, column 3: its row of /tiles", "1 of 24 stored tiles")

    def test_a_table_of_the_wrong_length(self):
        self.render("a.h5")
        with self.edit("a.h5") as file:
            tiles = file["tiles"][...]
            for rows in (tiles[:-1], np.append(tiles, tiles[:1])):
                del file["tiles"]
                file["tiles"] = rows
                file.flush()
                self.assert_found(f"/tiles has {len(rows)} rows", "24 tiles")

    def test_many_problems_are_counted_and_some_are_told(self):
        self.render("a.h5", "--overwrite", "--tile", "16")
        with self.edit("a.h5") as file:
            tiles = file["tiles"][...]
            tiles["checksum"] += 1
            file["tiles"][...] = tiles
        done = self.run_program("verify", "a.h5")
        self.assertEqual(done.returncode, 4)
        self.assertEqual(done.stderr.count("bytes have changed"), 20, done.stderr)
        self.assertIn(f"{len(tiles)} of {len(tiles)} stored tiles", done.stderr)

    def test_repair_renders_damaged_and_missing_tiles_again(self):
        for compress in ("1", "0"):
            self.render("a.h5", "--compress", compress, "--overwrite")
            good = read_image(self.path("a.h5"))[0]
            with self.edit("a.h5") as file:
                mask, stored = file["iterations"].id.read_direct_chunk((96, 192))
                file["iterations"].id.write_direct_chunk((96, 192), stored[:-1] + bytes([stored[-1] ^ 1]), mask)
            self.assert_found("row 1, column 2", "run: tessera verify --repair a.h5")
            done = self.run_program("verify", "a.h5", "--repair", ranks=2 if compress == "0" else 0)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("a.h5: 1 tile rendered again", done.stdout)
            self.assertIn("24 of 24 tiles stored, all checksums right", done.stdout)
            self.assertEqual(read_image(self.path("a.h5"))[0], good)
            self.assertEqual(os.listdir(self.folder), ["a.h5"])

    def damage(self, name):
        """A byte of the tile in row 1, column 2."""
        with self.edit(name) as file:
            mask, stored = file["iterations"].id.read_direct_chunk((96, 192))
            file["iterations"].id.write_direct_chunk((96, 192), stored[:-1] + bytes([stored[-1] ^ 1]), mask)

    def contents(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_a_repair_that_is_refused_leaves_the_file(self):
        for key, value in (("fingerprint", "0123456789abcdef"), ("center", "-0.74,0.1")):
            self.render("a.h5", "--overwrite")
            self.damage("a.h5")
            with self.edit("a.h5") as file:
                file.attrs[key] = np.bytes_(value)
            before = self.contents("a.h5")
            done = self.run_program("verify", "a.h5", "--repair", "--sample", "0", ranks=2 if key == "center" else 0)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("tessera: a.h5: its fingerprint is not that of its attributes", done.stderr)
            self.assertEqual(os.listdir(self.folder), ["a.h5"])
            self.assertEqual(self.contents("a.h5"), before)

    def test_a_render_that_is_refused_gives_the_file_back(self):
        self.render("a.h5")
        self.damage("a.h5")
        before = self.contents("a.h5")
        options = ("verify", "a.h5", "--repair", "--sample", "0", "--threads", "2", "--memory")
        enough = re.search(r"need (\d+M)", self.run_program(*options, "90M").stderr).group(1)
        done = self.run_program(*options, enough)  # for verify, and not for the render
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("row 1, column 2", done.stderr)
        self.assertIn("give more memory", done.stderr)
        self.assertEqual(os.listdir(self.folder), ["a.h5"])
        self.assertEqual(self.contents("a.h5"), before)
        self.assertIn("a.h5: 1 tile rendered again", self.assert_done("verify", "a.h5", "--repair"))

    def test_a_repaired_file_tells_where_it_is_from(self):
        self.render("z.h5", "--frames", "2")
        for name in ("z-0000.h5", "z-0001.h5"):
            with h5py.File(self.path(name), "r") as file:
                before = dict(file.attrs)
            self.assertEqual(before["frames"], 2)
            self.damage(name)
            self.assert_done("verify", name, "--repair", ranks=2)
            with h5py.File(self.path(name), "r") as file:
                for key in ("frames", "view", "fingerprint"):
                    self.assertEqual(file.attrs.get(key), before.get(key))

    def test_what_others_have_added_stays(self):
        self.render("a.h5")
        with self.edit("a.h5") as file:
            file.attrs["mine"] = "a text of any length"
            file.attrs["ours"] = np.bytes_(b"of fixed length")
            file.attrs["numbers"] = np.arange(6.).reshape(2, 3)
            file.attrs["nothing"] = h5py.Empty("f8")
            file["iterations"].attrs["long_name"] = "escape count"
            file["tiles"].attrs["note"] = [1, 2]
            file.create_dataset("extra", data=np.arange(1000), chunks=(100,), compression=1).attrs["unit"] = "m"
            file["group/below"] = [b"x", b"y"]
            file["alias"] = h5py.SoftLink("/group/below")
            file["elsewhere"] = h5py.ExternalLink("gone.h5", "/x")
        self.damage("a.h5")
        self.assert_done("verify", "a.h5", "--repair")
        with h5py.File(self.path("a.h5"), "r") as file:
            self.assertEqual(file.attrs["mine"], "a text of any length")
            self.assertEqual(file.attrs["ours"], b"of fixed length")
            np.testing.assert_array_equal(file.attrs["numbers"], np.arange(6.).reshape(2, 3))
            self.assertEqual(file.attrs["nothing"], h5py.Empty("f8"))
            self.assertEqual(file["iterations"].attrs["long_name"], "escape count")
            np.testing.assert_array_equal(file["tiles"].attrs["note"], [1, 2])
            np.testing.assert_array_equal(file["extra"][:], np.arange(1000))
            self.assertEqual((file["extra"].chunks, file["extra"].attrs["unit"]), ((100,), "m"))
            np.testing.assert_array_equal(file["alias"][:], [b"x", b"y"])
            self.assertEqual(file.get("elsewhere", getlink=True).filename, "gone.h5")
            self.assertEqual([scale.name for scale in file["iterations"].dims[0].values()], ["/im"])
            self.assertNotIn("uncertain_pixels", file.attrs)

    def test_repair_goes_on_where_it_was_stopped(self):
        self.render("a.h5")
        os.rename(self.path("a.h5"), self.path("a.h5.part"))
        self.assertIn("24 of 24", self.assert_done("verify", "a.h5", "--repair"))

    def test_repair_leaves_good_files_and_unfinished_ones(self):
        self.render("a.h5")
        before = os.stat(self.path("a.h5"))
        self.assert_done("verify", "a.h5", "--repair")
        self.assertEqual(os.stat(self.path("a.h5")).st_ino, before.st_ino)
        self.render("b.h5", "--share", "1/2")
        with self.edit("b.h5.part") as file:
            tiles = file["tiles"][...]
            tiles["checksum"] += 1
            file["tiles"][...] = tiles
        os.remove(self.path("b.h5.part.log"))
        self.assertIn("the command that rendered it repairs it",
                      self.run_program("verify", "b.h5.part", "--repair").stderr)

    def test_attributes_that_decide_nothing_may_say_anything(self):
        self.render("a.h5")
        with self.edit("a.h5") as file:
            for name in ("view", "device", "threads", "memory", "palette"):
                file.attrs[name] = np.bytes_(b"nothing of the kind")
        self.assertIn("24 of 24", self.assert_done("verify", "a.h5"))

    def test_datasets_that_are_not_as_the_attributes_say(self):
        self.render("a.h5")
        with self.edit("a.h5") as file:
            pixels = file["iterations"][...]
            del file["iterations"]
            file.create_dataset("iterations", data=pixels.astype("u4"), chunks=(96, 96), shuffle=True, compression=1)
        self.assert_refused(["verify", "a.h5"], 2, "a.h5", "iterations", "u16", "u32", ranks=2)
        with self.edit("a.h5") as file:
            del file["iterations"]
            file.create_dataset("iterations", data=pixels, chunks=(48, 96), shuffle=True, compression=1)
        self.assert_refused(["verify", "a.h5"], 2, "a.h5", "96 x 48", "square")

    def test_memory_says_what_would_do_and_that_does(self):
        self.render("a.h5")
        done = self.run_program("verify", "a.h5", "--memory", "90M")
        self.assertEqual(done.returncode, 2, done.stderr)
        enough = re.search(r"--memory 90M: .* need (\d+M)", done.stderr).group(1)
        self.assertIn("24 of 24", self.assert_done("verify", "a.h5", "--memory", enough))
        for value in ("x", "1K"):
            self.assert_refused(["verify", "a.h5", "--memory", value], 2, "--memory")

    def test_a_rank_that_does_not_see_the_file_leaves_the_work_to_the_others(self):
        self.render("a.h5")
        os.mkdir(self.path("elsewhere"))
        rank = [TESSERA, "verify", "a.h5"]
        done = subprocess.run(["mpirun", "-q", "--oversubscribe", "--bind-to", "none",
                               "-n", "1", "--wdir", self.folder, *rank, ":",
                               "-n", "1", "--wdir", self.path("elsewhere"), *rank],
                              cwd=self.folder, capture_output=True, text=True, timeout=HANG_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("24 of 24", done.stdout)
        self.assertIn("16 rows of 24 tiles computed again on reference", done.stdout)


class UnfinishedFile(VerifyTest):
    def test_is_checked_as_far_as_it_is(self):
        self.render("a.h5")
        with self.edit("a.h5") as file:
            tiles = file["tiles"][...]
            tiles["rank"][10:] = -1
            file["tiles"][...] = tiles
            file.attrs["status"] = np.bytes_(b"unfinished")
        os.rename(self.path("a.h5"), self.path("a.h5.part"))
        for ranks in (0, 2):
            said = self.assert_done("verify", "a.h5.part", ranks=ranks)
            self.assertIn("unfinished, 10 of 24 tiles stored", said)
            self.assertIn("16 rows of 10 tiles", said)
        with self.edit("a.h5.part") as file:
            file["iterations"].id.write_direct_chunk((0, 96), b"damage")
        self.assert_found("row 0, column 1", "1 of 10 stored tiles", arguments=("verify", "a.h5.part"))


class WhileARenderIsWriting(VerifyTest, RunTest):
    def start(self):
        return self.start_program("render", "--view", "seahorse", "--iterations", "500", "--size", "1200x700", "--tile", "64",
                                  "--device", "reference", "--threads", "1", "--quiet", "--output", "a.h5", hold=36,
                                  faults=[f"worker.slow@{tile}" for tile in range(17, 36)])  # longer than the 5 s between two flushes

    def info(self, opened):
        """What info says of the file, which is not there yet, or has just been renamed, but never unreadable in between."""
        done = self.run_program("info", "a.h5.part")
        if done.returncode != 0:
            self.assertTrue(not opened or os.path.exists(self.path("a.h5")), done.stderr)
        return done.stdout

    def follow(self, process):
        """What info says of the .part once it shows progress; the render stays in the middle."""
        said = ""

        def shows_progress():
            nonlocal said
            said = self.info(bool(said)) or said
            return self.flushed() > 8
        self.assert_reaches(process, "tiles in the file", shows_progress)
        return said

    def flushed(self):
        """Tiles that a reader of the file sees; the log, which info goes by, may know of more."""
        try:
            with h5py.File(self.path("a.h5.part"), "r", libver="latest", swmr=True) as file:
                return int((file["tiles"]["rank"] >= 0).sum())
        except OSError:
            return 0  # just renamed

    def test_info_and_verify_follow_it_and_it_ends_well(self):
        render = self.start()
        said = self.follow(render)
        self.assertTrue(said.startswith("a.h5.part: 1200 x "), said)
        self.assertRegex(said, r"status +unfinished")
        checked = self.assert_done("verify", "a.h5.part", "--sample", "8", ranks=2)
        self.assertIn("unfinished, ", checked)
        self.assertIn("16 rows of 8 tiles", checked)
        self.release()
        while render.poll() is None:
            self.info(True)
        self.finish_well(render)
        said = self.assert_done("info", "a.h5")
        self.assertTrue(said.startswith("a.h5: 1200 x "), said)
        self.assertRegex(said, r"status +complete")
        self.assertIn("(100.0 %)", said)

    def test_what_a_killed_render_leaves_is_good_and_where_it_is_cut_is_found(self):
        render = self.start()
        self.follow(render)
        self.kill(render)
        self.assertIn("unfinished, ", self.assert_done("verify", "a.h5.part"))
        with h5py.File(self.path("a.h5.part"), "r", libver="latest", swmr=True) as file:
            dataset = file["iterations"].id
            chunks = [dataset.get_chunk_info(i) for i in range(dataset.get_num_chunks())]
        last = max(chunks, key=lambda chunk: chunk.byte_offset)
        os.truncate(self.path("a.h5.part"), last.byte_offset + last.size // 2)
        y, x = last.chunk_offset
        # Pages of the index that were written after the last chunk are cut off with it, and then all are found. The
        # log has more tiles than the index, and both commands go by it.
        logged = (os.path.getsize(self.path("a.h5.part.log")) - 256) // 120
        self.assertGreaterEqual(logged, len(chunks))
        self.assertRegex(self.assert_done("info", "a.h5.part"), f"tiles stored +{logged} of")
        self.assert_found(f"row {y // 64}, column {x // 64}: ", f" of {logged} stored tiles",
                          arguments=("verify", "a.h5.part"))


if __name__ == "__main__":
    main()
