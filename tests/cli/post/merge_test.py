"""tessera render --share and tessera merge: one image of files that know nothing of each other."""

import os

import program
from images import h5py, read_image

JOB = ("--view", "seahorse", "--size", "301x203", "--iterations", "700", "--fields", "iterations,smooth", "--tile", "32")
TILES = 70


class Merge(program.ProgramTest):
    def render_shares(self, of, *numbers, job=JOB):
        """Names of their files."""
        for number in numbers:
            self.assert_done("render", *job, "--share", f"{number}/{of}", "--output", f"part{number}.h5", "--quiet")
        return [f"part{number}.h5.part" for number in numbers]

    def values(self, name):
        return read_image(self.path(name))[0]

    def assert_is_the_whole(self, name):
        self.assert_done("render", *JOB, "--output", "whole.h5", "--quiet")
        self.assertTrue(self.values(name) == self.values("whole.h5"), "other bits than a render of the whole")
        self.assertIn(f"{TILES} of {TILES} tiles stored, all checksums right", self.assert_done("verify", name))

    def assert_fails(self, arguments, *words):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 4, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_merged_shares_have_the_bits_of_the_whole(self):
        parts = self.render_shares(3, 1, 2, 3)
        self.assertEqual(self.assert_done("merge", "all.h5", *parts), f"all.h5: {TILES} tiles of 3 files; the parts can be deleted\n")
        self.assert_is_the_whole("all.h5")
        self.assertFalse(os.path.exists(self.path("all.h5.part")))
        done = self.run_program("merge", "all.h5", *parts)
        self.assertEqual((done.returncode, done.stderr), (0, "merge: all.h5 is complete already\n"))

    def test_the_merged_file_tells_where_it_is_from(self):
        os.mkdir(self.path("config"))
        self.write("config/tessera.toml", "compress = 3\n")
        environment = {**os.environ, "XDG_CONFIG_HOME": self.path("config"), "TESSERA_OPTIONS": ""}
        environment.pop("TESSERA_DEFAULTS", None)
        job = ("--view", "seahorse", "--size", "300x200", "--tile", "64")
        self.assert_done("render", *job, "--output", "whole.h5", "--quiet", env=environment)
        for number in (1, 2):
            self.assert_done("render", *job, "--share", f"{number}/2", "--output", f"part{number}.h5", "--quiet", env=environment)
        self.assert_done("merge", "all.h5", "part1.h5", "part2.h5")
        with h5py.File(self.path("all.h5"), "r") as merged, h5py.File(self.path("whole.h5"), "r") as whole:
            for key in ("view", "defaults"):
                self.assertEqual(merged.attrs[key], whole.attrs[key])

    def test_a_share_is_done_when_its_own_tiles_are(self):
        self.render_shares(3, 2)
        said = self.assert_done("info", "part2.h5.part")
        self.assertIn(f"23 of {TILES}", said)
        done = self.run_program("render", *JOB, "--share", "2/3", "--output", "part2.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("23 tiles are stored", done.stderr)

    def test_a_changed_count_of_a_file_without_a_log_is_corrected(self):
        part, = self.render_shares(3, 1)
        os.remove(self.path(part + ".log"))
        with h5py.File(self.path(part), "r+") as file:
            rows = file["tiles"][...]
            rows["iterations"][rows["rank"] >= 0] += 1 << 40
            file["tiles"][...] = rows
        os.replace(self.path(part), self.path("all.h5.part"))
        done = self.run_program("render", *JOB, "--output", "all.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("24 tiles are stored", done.stderr)
        self.assert_is_the_whole("all.h5")

    def test_what_is_missing_is_said_and_can_be_merged_later(self):
        parts = self.render_shares(3, 1, 3)
        self.assert_fails(["merge", "all.h5", *parts], f"23 of {TILES} tiles are in none of the parts", "column 1")
        self.assertFalse(os.path.exists(self.path("all.h5")))
        said = self.assert_done("merge", "all.h5", *self.render_shares(3, 2))
        self.assertEqual(said, f"all.h5: {TILES} tiles of 1 file, 47 were there before; the parts can be deleted\n")
        self.assert_is_the_whole("all.h5")

    def test_what_is_missing_can_be_rendered_into_the_merged_file(self):
        self.assert_fails(["merge", "all.h5", *self.render_shares(3, 1, 3)], "are in none of the parts")
        done = self.run_program("render", *JOB, "--output", "all.h5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("47 tiles are stored", done.stderr)
        self.assert_is_the_whole("all.h5")

    def test_a_damaged_tile_is_named_and_not_taken(self):
        parts = self.render_shares(2, 1, 2)
        with h5py.File(self.path(parts[0]), "r") as file:
            chunk = file["iterations"].id.get_chunk_info_by_coord((0, 0))
        with open(self.path(parts[0]), "r+b") as file:
            file.seek(chunk.byte_offset + chunk.size // 2)
            byte = file.read(1)[0]
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte ^ 1]))
        self.assert_fails(["merge", "all.h5", *parts], "part1.h5.part: tile row 0, column 0: its bytes have changed",
                          f"1 of {TILES} tiles is in none")

    def test_a_tile_in_two_files_is_taken_once_and_told(self):
        parts = self.render_shares(2, 1, 2)
        done = self.run_program("merge", "all.h5", *parts, parts[1])
        self.assertEqual((done.returncode, done.stderr),
                         (0, "tessera: 35 tiles are in more than one part; the first was taken\n"))
        self.assert_is_the_whole("all.h5")

    def test_files_are_found_without_their_ending(self):
        self.render_shares(2, 1, 2)
        self.assert_done("merge", "all.h5", "part1.h5", "part2.h5")
        self.assert_is_the_whole("all.h5")

    def test_parts_of_another_image_are_refused(self):
        self.render_shares(2, 1)
        self.render_shares(2, 2, job=("--view", "whole", *JOB[2:]))
        self.assert_refused(["merge", "all.h5", "part1.h5", "part2.h5"], 2, "part2.h5", "another image")

    def test_wrong_usage_is_refused(self):
        self.render_shares(2, 1)
        self.assert_refused(["merge", "part1.h5", "part1.h5.part"], 2, "overwrite")
        self.assert_refused(["merge", "all.h5", "nothing.h5"], 3, "nothing.h5")
        for share in ("3/2", "0/2", "1", "1/0", "a/b"):
            self.assert_refused(["render", *JOB, "--share", share, "--output", "no.h5"], 2, "--share")
        self.assert_refused(["render", *JOB, "--share", "1/2", "--output", "no.h5", "--png", "no.png"], 2, "--share")


if __name__ == "__main__":
    program.main()
