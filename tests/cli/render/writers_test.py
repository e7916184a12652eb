#!/usr/bin/env python3
"""`tessera render --writers`: an image in parts has the bits of one file, for every program, and after any end of a run."""

import glob
import os
import shutil
import signal
import subprocess
import sys

from images import pixels_of, stored_tiles
from program import HANG_S, LIMITED, TESSERA, launched, main, times
from runs import QUICKLY, SLOWLY, RunTest, ranks_of

try:
    import h5py
    import numpy as np
except ImportError as missing:
    main(f"{missing} (Debian: python3-h5py python3-numpy)")

# The last row of tiles is cut off, and so is the last column.
PLACE = ("--view", "seahorse", "--size", "500x407", "--iterations", "400", "--tile", "32", "--fields", "iterations,smooth")
TILES = 16 * 13
WRITERS = ("--writers", "3", "--output", "o.h5")


class Writers(RunTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.truth_file = os.path.join("/tmp", f"tessera-truth-writers-{os.getpid()}.h5")
        subprocess.run([TESSERA, "render", *PLACE, *QUICKLY, "--output", cls.truth_file, "--quiet"], check=True,
                       capture_output=True, timeout=HANG_S)

    @classmethod
    def tearDownClass(cls):
        os.remove(cls.truth_file)
        super().tearDownClass()

    def render(self, *more, ranks=4, pace=QUICKLY, place=PLACE):
        return self.assert_done("render", *place, *pace, *WRITERS, *more, ranks=ranks)

    def begin(self, *more, ranks=4, pace=SLOWLY, **options):
        return self.start_program("render", *PLACE, *pace, *WRITERS, *more, ranks=ranks, **options)

    def assert_true(self, name="o.h5", parts=3):
        """What h5py reads is what one file has, and the parts hold all of it."""
        with h5py.File(self.path(name)) as image, h5py.File(self.truth_file) as truth:
            for field in ("iterations", "smooth"):
                np.testing.assert_array_equal(image[field][:], truth[field][:])
                self.assertEqual(image[field].is_virtual, parts > 1)
            # Not the stored bytes: equal values may be deflated in more ways than one.
            for column in ("row", "column", "iterations"):
                np.testing.assert_array_equal(image["tiles"][column], truth["tiles"][column])
            self.assertTrue((image["tiles"]["rank"] >= 0).all())
            self.assertEqual(image.attrs["status"], b"complete")
            self.assertEqual(image.attrs["fingerprint"], truth.attrs["fingerprint"])
        kept = sorted(os.listdir(self.path(name + ".parts"))) if parts > 1 else []
        self.assertEqual(kept, [f"{number:03}.h5" for number in range(parts)] + ["parts.txt"] if parts > 1 else [])

    def stored(self):
        logs = glob.glob(glob.escape(self.path("o.h5.parts")) + "/*.log")
        return sum(stored_tiles(log.removesuffix(".part.log")) for log in logs)

    def begin_and_store(self, least, **options):
        process = self.begin("--quiet", hold=least, **options)
        self.assert_reaches(process, f"{least} tiles", lambda: self.stored() >= least)
        return process

    def assert_goes_on(self, stored, ranks=4):
        said = self.finish_well(self.begin("--report", "report.json", ranks=ranks, pace=QUICKLY))
        report = self.read_json("report.json")
        self.assertGreaterEqual(report["found_tiles"], stored, said)
        self.assertEqual(report["damaged_tiles"], 0)
        self.assertEqual(report["total"]["tiles"], TILES - report["found_tiles"])
        self.assert_true()
        self.assertEqual(sorted(os.listdir(self.folder)), ["o.h5", "o.h5.parts", "report.json"])
        self.remove_all()

    def remove_all(self):
        os.remove(self.path("o.h5"))
        shutil.rmtree(self.path("o.h5.parts"))

    def test_every_command_reads_it(self):
        table = self.render("--png", "o.png")
        self.assertEqual(sum(line.split()[0].isdigit() for line in table.splitlines() if line.strip()) // 2, 4)
        self.assert_true()
        self.assert_done("color", "o.h5", "again.png", "--quiet")
        self.assert_done("color", self.truth_file, "truth.png", "--quiet")
        for name in ("o.png", "again.png"):
            self.assertTrue(pixels_of(self.path(name)) == pixels_of(self.path("truth.png")))
        self.assertIn(f"{TILES} of {TILES} tiles stored, all checksums right", self.assert_done("verify", "o.h5"))
        info = self.assert_done("info", "o.h5")
        self.assertIn(f"tiles stored        {TILES} of {TILES}", info)
        self.assertIn("parts               3", info)
        self.assert_done("merge", "one.h5", "o.h5")
        self.assert_true("one.h5", parts=1)
        exact = [self.assert_done("reduce", f"{file}:/iterations", "--op", "sum,min,max", "--quiet")
                 for file in ("o.h5", self.truth_file)]
        self.assertEqual(exact[0].splitlines()[-3:], exact[1].splitlines()[-3:])
        # Both are moved together.
        os.mkdir(self.path("else"))
        for name in ("o.h5", "o.h5.parts"):
            os.rename(self.path(name), self.path("else/" + name))
        self.assert_true("else/o.h5")
        self.assert_done("verify", "else/o.h5")

    def test_again_and_what_replaces_it(self):
        self.render()
        self.assertIn("complete already", self.run_program("render", *PLACE, *QUICKLY, *WRITERS, ranks=2).stderr)
        self.assertIn("complete already", self.run_program("render", *PLACE, *QUICKLY, "--output", "o.h5").stderr)
        # The joined file is made again of its parts.
        os.remove(self.path("o.h5"))
        self.assertEqual(self.report_of(ranks=1)["found_tiles"], TILES)
        self.assert_true()
        self.assert_refused(["render", *PLACE, "--iterations", "50", *WRITERS], 2, "holds another image", "--overwrite replaces it")
        # By one file, which has no parts, and by other parts.
        self.assert_done("render", *PLACE, *QUICKLY, "--output", "o.h5", "--overwrite", "--quiet")
        self.assert_true(parts=1)
        self.assertFalse(os.path.exists(self.path("o.h5.parts")))
        self.assert_done("render", *PLACE, *QUICKLY, "--output", "o.h5", "--overwrite", "--writers", "2", ranks=3)
        self.assert_true(parts=2)
        self.render("--overwrite")
        self.assert_true()

    def report_of(self, ranks):
        self.assert_done("render", *PLACE, *QUICKLY, *WRITERS, "--report", "report.json", ranks=ranks)
        return self.read_json("report.json")

    def test_as_few_parts_as_there_are_ranks_or_rows_of_tiles(self):
        self.render(ranks=1)
        self.assert_true(parts=1)
        os.remove(self.path("o.h5"))
        self.render("--writers", "9", ranks=2)
        self.assert_true(parts=2)
        self.remove_all()
        flat = ("--size", "300x40", "--tile", "32", "--width", "3")
        self.render("--writers", "4", place=flat)
        self.assertEqual(sorted(os.listdir(self.path("o.h5.parts"))), ["000.h5", "001.h5", "parts.txt"])

    def test_auto_is_one_file_on_one_node_and_for_what_is_one_file(self):
        self.render("--writers", "auto")
        self.assert_true(parts=1)
        self.assert_done("render", *PLACE, *QUICKLY, "--writers", "auto", "--png", "o.png", ranks=2)
        self.assert_done("render", *PLACE, *QUICKLY, "--writers", "auto", "--output", "p.h5", "--share", "1/2", ranks=2)

    def test_auto_chooses_for_nodes_and_continues_as_it_was_begun(self):
        # As if each rank had a node. How many write depends on the times of this machine.
        apart = {**os.environ, "TESSERA_FAULT": "world.nodes@1+"}
        self.assert_done("render", *PLACE, *QUICKLY, *WRITERS, "--writers", "auto", ranks=4, env=apart)
        made = self.path("o.h5.parts")
        self.assert_true(parts=len(os.listdir(made)) - 1 if os.path.exists(made) else 1)
        self.assert_done("render", *PLACE, *QUICKLY, *WRITERS, "--overwrite", "--quiet", ranks=2)
        self.assertIn("complete already", self.run_program("render", *PLACE, *QUICKLY, *WRITERS, "--writers", "auto").stderr)
        self.assert_true(parts=2)
        self.remove_all()
        process = self.begin_and_store(10)
        self.signal_one_of(process, "rank", signal.SIGTERM)
        self.render("--writers", "auto")
        self.assert_true()

    def test_as_many_parts_as_can_be(self):
        self.assert_refused(["render", *PLACE, "--output", "o.h5", "--writers", "4097"], 2, "4096")
        self.assert_refused(["render", *PLACE, "--output", "o.h5", "--writers", "0"], 2, "4096")
        self.render("--writers", "4096", ranks=2)
        self.assert_true(parts=2)

    def test_options_that_do_not_go_together(self):
        for more, word in ((("--share", "1/2"), "--share"), (("--pool", "p"), "--pool")):
            self.assert_refused(["render", *PLACE, *WRITERS, *more], 2, word, "--writers")
        self.assert_refused(["render", *PLACE, "--writers", "2", "--png", "o.png"], 2, "--output")

    def test_killed_ranks_lose_nothing(self):
        for victim in (0, 1, 3, None) * times():
            with self.subTest(victim=victim):
                process = self.begin_and_store(self.random.randrange(2, TILES // 8))
                ranks = ranks_of(process)
                self.assertEqual(len(ranks), 4)
                for pid in ranks if victim is None else [ranks[victim]]:
                    os.kill(pid, signal.SIGKILL)
                code, said = self.finish(process)
                self.assertNotEqual(code, 0, said)
                self.wait_until_gone(ranks)
                self.assert_goes_on(self.stored(), ranks=self.random.choice((1, 2, 4)))

    def test_stopped_it_is_read_and_goes_on(self):
        process = self.begin_and_store(10)
        self.signal_one_of(process, "rank", signal.SIGTERM)
        stored = self.stored()
        self.assertIn(f"tiles stored        {stored} of {TILES}", self.assert_done("info", "o.h5.parts"))
        self.assert_refused(["info", "o.h5"], 3, "unfinished: o.h5.parts")
        self.assert_refused(["render", *PLACE, "--iterations", "50", *WRITERS], 2, "o.h5.parts", "--overwrite replaces it")
        # What is there goes to a file, which a run of one writer completes.
        merged = self.run_program("merge", "one.h5", "o.h5")
        self.assertIn("in none of the parts", merged.stderr)
        self.assert_done("render", *PLACE, *QUICKLY, "--output", "one.h5", "--report", "report.json")
        self.assertEqual(self.read_json("report.json")["found_tiles"], stored)
        self.assert_true("one.h5", parts=1)
        os.remove(self.path("one.h5"))
        # One writer was asked for, and three parts were begun.
        self.assert_done("render", *PLACE, *QUICKLY, "--output", "o.h5", "--report", "report.json", ranks=2)
        self.assertEqual(self.read_json("report.json")["found_tiles"], stored)
        self.assert_true()

    def test_a_second_run_names_the_first(self):
        process = self.begin_and_store(5)
        for more in ((), ("--overwrite",)):
            done = self.run_program("render", *PLACE, *WRITERS, *more)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("another run is writing it: process ", done.stderr)
        self.release()
        self.finish_well(process)
        self.assert_true()

    def test_damage_is_found_and_mended(self):
        self.render()
        part = self.path("o.h5.parts/001.h5")
        with h5py.File(part) as file:
            address = file["iterations"].id.get_chunk_info(3).byte_offset
        with open(part, "r+b") as file:
            file.seek(address)
            file.write(b"\xff\xfe\xfd")
        done = self.run_program("verify", "o.h5")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assert_done("verify", "o.h5", "--repair")
        self.assert_true()
        # A part that is gone is rendered again.
        os.remove(part)
        for command in (["verify", "o.h5"], ["color", "o.h5", "o.png"], ["merge", "one.h5", "o.h5"]):
            self.assertIn("001.h5", self.run_program(*command).stderr)
        self.assert_refused(["render", *PLACE, *WRITERS], 2, "001.h5", "--overwrite")
        os.remove(self.path("o.h5"))
        self.render("--report", "report.json")
        self.assertEqual(self.read_json("report.json")["total"]["tiles"], 16 * 4)
        self.assert_true()

    def test_arrays_are_not_read_from_parts_of_another_image(self):
        self.render()
        self.assert_done("reduce", "o.h5:/smooth", "--op", "sum", "--quiet")
        shutil.copytree(self.path("o.h5.parts"), self.path("sound"))

        def assert_refused(*words, file="o.h5"):
            self.assert_refused(["reduce", f"{file}:/smooth", "--op", "sum"], 4, *words)
            self.assert_refused(["map", "a", f"{file}:/smooth", "--output", "m.npy"], 4, *words)

        for number, other in ((0, 1), (1, 0)):
            shutil.copy(self.path(f"sound/{number:03}.h5"), self.path(f"o.h5.parts/{other:03}.h5"))
        assert_refused("000.h5", "another part")
        os.mkdir(self.path("else"))
        self.assert_done("render", *PLACE, *QUICKLY, "--iterations", "300", "--writers", "3", "--output", "else/o.h5", "--quiet", ranks=3)
        for number in (0, 1):
            shutil.copy(self.path(f"sound/{number:03}.h5"), self.path(f"o.h5.parts/{number:03}.h5"))
        shutil.copy(self.path("else/o.h5.parts/001.h5"), self.path("o.h5.parts/001.h5"))
        assert_refused("001.h5", "another image")
        # HDF5 looks in the current folder, too.
        os.mkdir(self.path("alone"))
        shutil.copy(self.path("o.h5"), self.path("alone/o.h5"))
        assert_refused("another image", file="alone/o.h5")

    def test_a_link_as_output_and_a_file_that_was_renamed(self):
        os.mkdir(self.path("else"))
        os.symlink("else/real.h5", self.path("o.h5"))
        self.render()
        self.assert_true("else/real.h5")
        info = [self.assert_done("info", name).split(",", 1)[1] for name in ("o.h5", "else/real.h5")]
        self.assertEqual(info[0], info[1])
        os.remove(self.path("else/real.h5.parts/001.h5"))
        os.remove(self.path("else/real.h5"))
        self.render()
        self.render("--overwrite", "--writers", "2")
        self.assertTrue(os.path.islink(self.path("o.h5")))
        self.assert_true("else/real.h5", parts=2)
        # The folder keeps its name: the file says which it is.
        os.rename(self.path("else/real.h5"), self.path("else/other.h5"))
        self.assert_done("verify", "else/other.h5")
        self.assertIn("nothing is left over", self.assert_done("clean", "else"))
        self.assert_done("verify", "else/other.h5", "--repair")
        self.assertIn("all checksums right", self.assert_done("verify", "else/other.h5"))

    def test_clean_removes_the_parts_of_a_run_that_is_gone(self):
        process = self.begin_and_store(9)
        self.assertIn("in use", self.assert_done("clean"))
        ranks = ranks_of(process)
        for pid in ranks:
            os.kill(pid, signal.SIGKILL)
        self.finish(process)
        self.wait_until_gone(ranks)
        self.assertIn(f"unfinished render, {self.stored()} of {TILES} tiles done", self.assert_done("clean"))
        self.assert_done("clean", "--remove")
        self.assertEqual(os.listdir(self.folder), [])

    def test_of_two_runs_that_begin_together_one_makes_the_image(self):
        first = self.begin("--quiet", ranks=0, pace=QUICKLY, faults=("output.checked@1",))
        self.assert_pauses(first)
        self.render("--quiet")
        first.send_signal(signal.SIGCONT)
        self.assertIn(self.finish(first)[0], (0, 2))
        self.assert_true()
        # Of another image, too: the first one finds that it is there.
        self.remove_all()
        first = self.start_program("render", *PLACE, "--iterations", "50", *WRITERS, "--quiet", ranks=0, faults=("output.checked@1",))
        self.assert_pauses(first)
        self.render("--quiet")
        first.send_signal(signal.SIGCONT)
        code, said = self.finish(first)
        self.assertEqual(code, 2, said)
        self.assert_true()

    def test_a_damaged_part_without_the_file_that_joins_it_is_rendered_again(self):
        self.render()
        os.remove(self.path("o.h5"))
        with h5py.File(self.path("o.h5.parts/001.h5")) as file:
            address = file["iterations"].id.get_chunk_info(3).byte_offset
        with open(self.path("o.h5.parts/001.h5"), "r+b") as file:
            file.seek(address)
            file.write(b"\xff\xfe\xfd")
        self.assertEqual(self.report_of(ranks=2)["total"]["tiles"], 1)
        self.assert_true()

    def test_a_full_disk_is_named_and_nothing_is_lost(self):
        command = [sys.executable, "-c", LIMITED, "60000", TESSERA, "render", *PLACE, *QUICKLY, *WRITERS, "--compress", "0"]
        done = subprocess.run(launched(command, 4), cwd=self.folder, capture_output=True, text=True, timeout=HANG_S)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("o.h5.parts/", done.stderr)
        self.assertFalse(os.path.exists(self.path("o.h5")))

    def test_a_zoom_of_images_in_parts(self):
        zoom = ("--size", "120x100", "--tile", "32", "--width", "1e-1", "--center", "-0.75,0.1", "--frames", "3", *QUICKLY)
        self.assert_done("render", *zoom, "--writers", "2", "--output", "100%b %.h5", "--report", "r.json", ranks=2)
        files = [os.path.join(folder, name) for folder, _, names in os.walk(self.folder) for name in names if name != "r.json"]
        self.assertEqual(self.read_json("r.json")["output_bytes"], sum(map(os.path.getsize, files)))
        self.assert_done("render", *zoom, "--output", "t.h5")
        for number in range(3):
            with h5py.File(self.path(f"100%b %-{number:04}.h5")) as image, h5py.File(self.path(f"t-{number:04}.h5")) as truth:
                np.testing.assert_array_equal(image["iterations"][:], truth["iterations"][:])


if __name__ == "__main__":
    main()
