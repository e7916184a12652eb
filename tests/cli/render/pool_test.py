#!/usr/bin/env python3
"""`tessera render --pool`: runs that begin and end at any time make the bits of one run."""

import fcntl
import json
import os
import random
import shutil
import signal
import struct

from images import pixels_of
from program import main
from runs import QUICKLY, SLOWLY, RunTest, wait_until

try:
    import h5py
    import numpy as np
except ImportError as missing:
    main(f"{missing} (Debian: python3-h5py python3-numpy)")

PLACE = ("--view", "seahorse", "--size", "500x400", "--iterations", "400", "--tile", "32", "--device", "cpu", "--threads", "1")
POOL = ("--pool", "pool", "--pool-shares", "8", "--pool-lease", "0.5", "--output", "o.h5")


class Pool(RunTest):
    def setUp(self):
        super().setUp()
        self.assert_done("render", *PLACE, *QUICKLY, "--output", "truth.h5", "--quiet")

    def join(self, *more, pace=QUICKLY, **options):
        """A run of the pool."""
        return self.start_program("render", *PLACE, *pace, *POOL, *more, **options)

    def image(self, name):
        with h5py.File(self.path(name)) as file:
            return bytes(file.attrs["status"]).decode(), file["iterations"][:]

    def assert_made(self, name="o.h5"):
        status, counts = self.image(name)
        self.assertEqual(status, "complete")
        np.testing.assert_array_equal(counts, self.image("truth.h5")[1])
        self.assertEqual([file for file in os.listdir(self.path("pool")) if file.startswith("share")], [])
        self.assertEqual([file for file in os.listdir(self.folder) if ".part" in file or ".join" in file], [])

    def done(self):
        return sum(name.startswith("share") and name.endswith(".done") for name in os.listdir(self.path("pool/leases")))

    def test_one_run(self):
        self.assert_done("render", *PLACE, *QUICKLY, *POOL, "--png", "o.png", "--quiet")
        self.assert_made()
        self.assert_done("color", "o.h5", "truth.png", "--quiet")
        self.assertTrue(pixels_of(self.path("o.png")) == pixels_of(self.path("truth.png")))
        # Again: it is complete. Without its image: that is said.
        self.assertIn("complete", self.run_program("render", *PLACE, *POOL, "--png", "o.png").stderr)
        os.remove(self.path("o.h5"))
        self.assert_refused(["render", *PLACE, *POOL, "--png", "o.png", "--overwrite"], 2, "which is gone")

    def test_several_runs_and_ranks(self):
        runs = [self.join("--quiet") for _ in range(3)]
        ranks = self.start_program("render", *PLACE, *QUICKLY, *POOL, "--quiet", ranks=2)
        for run in (*runs, ranks):
            self.finish_well(run)
        self.assert_made()

    def test_runs_that_are_killed(self):
        chance = random.Random(11)
        for _ in range(4):
            runs = [self.join("--quiet", pace=SLOWLY) for _ in range(2)]
            seen = self.done() if os.path.exists(self.path("pool/leases")) else 0
            wait_until("a share is done", lambda: self.done_now() > seen or all(run.poll() is not None for run in runs))
            chance.shuffle(runs)
            for run in runs:
                run.kill()
                self.finish(run)
        self.finish_well(self.join("--quiet"))
        self.assert_made()

    def done_now(self):
        return self.done() if os.path.exists(self.path("pool/leases")) else 0

    def test_a_share_goes_on_where_its_run_was_killed(self):
        first = self.join("--quiet", hold=9, pace=SLOWLY)  # a share has 26 tiles
        self.assert_held(first)
        wait_until("tiles are stored", lambda: self.stored() > 0)
        first.kill()
        self.finish(first)
        second = self.join()
        self.assertIn("which another run has left", self.finish_well(second))
        self.assert_made()

    def stored(self):
        names = [name for name in os.listdir(self.path("pool")) if name.endswith(".log")] if os.path.exists(self.path("pool")) else []
        return sum(os.path.getsize(self.path(f"pool/{name}")) > 200 for name in names)

    def test_a_run_that_stops_gives_its_share_back_at_once(self):
        first = self.start_program("render", *PLACE, *SLOWLY, "--pool", "pool", "--pool-shares", "8", "--pool-lease", "1h",
                                   "--output", "o.h5", "--quiet", hold=9)
        self.assert_held(first)
        first.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(first)[0], 75)
        self.assert_done("render", *PLACE, *QUICKLY, "--pool", "pool", "--pool-lease", "1h", "--output", "o.h5", "--quiet")
        self.assert_made()

    def test_a_run_that_slept_finds_its_share_taken(self):
        first = self.join(hold=9, pace=SLOWLY)
        self.assert_held(first)
        first.send_signal(signal.SIGSTOP)
        self.finish_well(self.join("--quiet"))
        self.assert_made()
        first.send_signal(signal.SIGCONT)
        self.release()
        said = self.finish_well(first)
        self.assertIn("o.h5 is complete", said)
        self.assertEqual(self.image("o.h5")[0], "complete")
        np.testing.assert_array_equal(self.image("o.h5")[1], self.image("truth.h5")[1])

    def test_a_joiner_that_was_killed_after_its_image(self):
        self.finish_well(self.join("--quiet"))
        os.remove(self.path("pool/leases/join.done"))
        said = self.finish_well(self.join("--png", "o.png", "--fields", "iterations"))
        self.assertIn("o.h5 is complete", said)
        self.assertTrue(os.path.exists(self.path("o.png")))
        self.assert_made()

    def test_a_picture_that_only_a_later_run_wants(self):
        self.finish_well(self.join("--quiet"))
        self.finish_well(self.join("--png", "o.png", "--quiet"))
        self.assertTrue(os.path.exists(self.path("o.png")))

    def test_replaces_what_is_there_and_nothing_beside_it(self):
        for name in ("o.h5", "o.png"):
            self.write(name, "of another image")
        os.mkdir(self.path("pool"))
        beside = ("o.joint.h5", "o.join-notes.txt", "o.join1.h5", "o.join2.h5", "o.join1.h5.part", "pool/share0001.txt")
        for name in beside:
            self.write(name, "of the user")
        self.finish_well(self.join("--png", "o.png", "--fields", "iterations", "--overwrite", "--quiet"))
        for name in beside:
            with open(self.path(name)) as file:
                self.assertEqual(file.read(), "of the user")
            os.remove(self.path(name))
        self.assert_made()
        self.assertGreater(os.path.getsize(self.path("o.png")), 1000)

    def test_another_file_under_the_name_of_its_image(self):
        self.finish_well(self.join("--quiet"))
        again = ["render", *PLACE, *QUICKLY, *POOL]
        self.write("o.h5", "of another program")
        self.assert_refused(again, 2, "--pool pool", "o.h5", "now another file")
        self.assert_done("render", *PLACE, "--iterations", "401", "--output", "o.h5", "--overwrite", "--quiet")
        self.assert_refused(again, 2, "--pool pool", "o.h5", "now another file")

    def test_without_its_folder_the_image_is_complete(self):
        self.finish_well(self.join("--quiet"))
        shutil.rmtree(self.path("pool"))
        self.assertEqual(self.finish_well(self.join()), "render: o.h5 is complete already\n")
        self.finish_well(self.join("--png", "o.png", "--quiet", ranks=2))
        self.assertGreater(os.path.getsize(self.path("o.png")), 1000)
        self.assertFalse(os.path.exists(self.path("pool")))
        self.assert_refused(["render", *PLACE, *POOL, "--iterations", "401"], 2, "o.h5", "--overwrite")

    def test_a_picture_that_only_one_of_them_wants(self):
        first = self.join("--quiet", hold=9, pace=SLOWLY)
        self.assert_held(first)
        second = self.join("--png", "o.png", "--quiet", ranks=2)
        self.kill(first)
        self.finish_well(second)
        self.assertGreater(os.path.getsize(self.path("o.png")), 1000)
        self.assert_made()

    def test_smooth_values_that_only_one_of_them_wants(self):
        first = self.join("--png", "o.png", "--quiet", hold=9, pace=SLOWLY)
        self.assert_held(first)
        self.assert_refused(["render", *PLACE, *POOL], 2, "--pool pool", "give --fields iterations,smooth")
        self.kill(first)
        self.finish_well(self.join("--fields", "iterations,smooth", "--quiet"))
        self.assertEqual(self.image("o.h5")[0], "complete")
        np.testing.assert_array_equal(self.image("o.h5")[1], self.image("truth.h5")[1])

    def test_waits_while_another_run_makes_the_picture(self):
        self.finish_well(self.join("--quiet"))
        other = self.path("o.png.part")
        with open(other, "w+") as file:
            lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            fcntl.fcntl(file, 37, lock)  # F_OFD_SETLK
            run = self.join("--png", "o.png")
            while "waits for the run that makes o.png" not in (line := run.stderr.readline()):
                self.assertNotEqual(line, "", "it ended")
            os.remove(other)
        self.finish_well(run)
        self.assertGreater(os.path.getsize(self.path("o.png")), 1000)

    def test_a_share_that_was_lost_between_two_beats(self):
        # This run looks after its lease in ten minutes.
        first = self.start_program("render", *PLACE, *SLOWLY, "--pool", "pool", "--pool-shares", "8", "--pool-lease", "1h",
                                   "--output", "o.h5", hold=9)
        self.assert_held(first)
        self.finish_well(self.join("--quiet"))
        self.assert_made()
        self.release()
        self.assertIn("o.h5 is complete", self.finish_well(first))

    def test_a_damaged_tile_of_a_share_is_rendered_again(self):
        first = self.join("--quiet", hold=40, pace=SLOWLY)  # in its second share
        self.assert_held(first)
        self.kill(first)
        done = next(name for name in os.listdir(self.path("pool/leases")) if name.startswith("share") and name.endswith(".done"))
        damaged = self.path(f"pool/{done.removesuffix('.done')}.1.h5.part")
        with h5py.File(damaged, "r") as file:
            chunk = file["iterations"].id.get_chunk_info(3)
        with open(damaged, "r+b") as file:
            file.seek(chunk.byte_offset + chunk.size // 2)
            file.write(b"\xff\x00\xff\x00")
        self.assertIn("rendered again", self.finish_well(self.join()))
        self.assert_made()

    def test_info_says_who_is_at_it(self):
        first = self.join("--quiet", hold=9, pace=SLOWLY)
        self.assert_held(first)
        pool = json.loads(self.assert_done("info", "pool", "--json"))["files"][0]
        self.assertEqual((pool["kind"], pool["complete"], pool["shares"], pool["shares_done"]), ("pool", False, 8, 0))
        self.assertIn(f"process {first.pid} on ", pool["held"][0]["by"])
        self.assertEqual(len(pool["held"][0]["shares"]), 1)
        self.assertIn(f"process {first.pid} on ", self.assert_done("info", "pool"))
        self.kill(first)
        self.finish_well(self.join("--quiet"))
        self.assertTrue(json.loads(self.assert_done("info", "pool", "--json"))["files"][0]["complete"])

    def test_what_does_not_fit_is_refused(self):
        first = self.join("--quiet", hold=9, pace=SLOWLY)
        self.assert_held(first)
        refused = lambda arguments, *words: self.assert_refused(["render", *arguments], 2, *words)
        refused([*PLACE, *POOL, "--iterations", "401"], "--pool pool", "another image")
        refused([*PLACE, "--pool", "pool", "--output", "other.h5"], "its image goes to", "o.h5")
        refused([*PLACE, *POOL[:2], "--pool-shares", "9", "--output", "o.h5"], "--pool-shares 9", "has 8")
        self.kill(first)
        refused([*PLACE, "--pool-shares", "9", "--output", "o.h5"], "needs --pool")
        refused([*PLACE, *POOL, "--share", "1/2"], "--share", "single run")
        refused([*PLACE, *POOL, "--report", "r.json"], "--report", "single run")
        refused([*PLACE, "--pool", "p2", "--png", "o.png"], "add --output")
        refused([*PLACE, "--iterations", "401", "--pool", "p2", "--output", "truth.h5"], "truth.h5", "--overwrite")
        refused([*PLACE, *POOL, "--pool-lease", "0"], "--pool-lease", "0.3 s")
        self.assert_refused(["clean", "pool", "--remove"], 2, "pool: is a pool", "rm -r")


if __name__ == "__main__":
    main()
