#!/usr/bin/env python3
"""`tessera render --frames --pool`: runs that begin and end at any time make the images of one run."""

import glob
import json
import os
import signal

from program import main
from runs import QUICKLY, SLOWLY, RunTest, wait_until

try:
    import h5py
    import numpy as np
except ImportError as missing:
    main(f"{missing} (Debian: python3-h5py python3-numpy)")

FRAMES = 5
ZOOM = ("--view", "seahorse", "--size", "200x160", "--iterations", "400", "--tile", "32", "--threads", "1", "--frames", str(FRAMES))
DEEP = ("--center", "-1.75981713080484781361082501,-0.01259331079974986538374663", "--width", "4e-14", "--size", "64", "--frames", "3",
        "--iterations", "2000", "--zoom-per-frame", "10", "--arithmetic", "perturbation")
POOL = ("--pool", "pool", "--pool-lease", "0.5", "--output", "z.h5")


class Zoom(RunTest):
    def make_truth(self, zoom=ZOOM):
        self.assert_done("render", *zoom, *QUICKLY, "--output", "truth.h5", "--quiet")

    def join(self, *more, hold=0, pace=QUICKLY, zoom=ZOOM, pool=POOL, **options):
        return self.start_program("render", *zoom, *pace, *pool, *more, hold=hold, **options)

    def image(self, name):
        with h5py.File(self.path(name)) as file:
            return {"status": bytes(file.attrs["status"]).decode(), "frames": int(file.attrs["frames"]),
                    "width": bytes(file.attrs["width"]).decode() if isinstance(file.attrs["width"], bytes) else str(file.attrs["width"]),
                    }, file["iterations"][:]

    def assert_made(self, frames=FRAMES):
        for i in range(frames):
            attributes, counts = self.image(f"z-{i:04}.h5")
            true_attributes, true_counts = self.image(f"truth-{i:04}.h5")
            self.assertEqual(attributes, true_attributes)
            self.assertEqual(attributes["status"], "complete")
            np.testing.assert_array_equal(counts, true_counts)
        self.assertEqual(sorted(os.listdir(self.path("pool"))), ["leases", "pool.txt"])
        self.assertEqual([file for file in os.listdir(self.folder) if ".part" in file or ".join" in file or ".orbit" in file], [])

    def done(self):
        return len(glob.glob(self.path("pool/leases/share*.done")))

    def test_one_run(self):
        self.make_truth()
        self.assert_done("render", *ZOOM, *QUICKLY, *POOL, "--quiet")
        self.assert_made()
        self.assertIn("5 images are complete", self.run_program("render", *ZOOM, *QUICKLY, *POOL).stderr)
        self.write("z-0003.h5", "of another program")
        self.assert_refused(["render", *ZOOM, *POOL, "--overwrite"], 2, "z-0003.h5", "now another file")
        os.remove(self.path("z-0003.h5"))
        self.assert_refused(["render", *ZOOM, *POOL], 2, "z-0003.h5", "which is gone")

    def test_several_runs_and_ranks(self):
        self.make_truth()
        runs = [self.join("--quiet") for _ in range(2)]
        runs.append(self.join("--quiet", ranks=2))
        for run in runs:
            self.finish_well(run)
        self.assert_made()

    def test_a_deep_zoom(self):
        self.make_truth(DEEP)
        runs = [self.join("--quiet", zoom=DEEP) for _ in range(2)]
        for run in runs:
            self.finish_well(run)
        self.assert_made(3)

    def test_an_image_goes_on_where_its_run_was_killed(self):
        self.make_truth()
        first = self.join("--quiet", "--checkpoint", "1", hold=50, pace=SLOWLY)  # an image has 35 tiles
        self.assert_held(first)
        self.assertEqual(self.done(), 1)
        wait_until("tiles are stored", lambda: any(os.path.getsize(log) > 200 for log in glob.glob(self.path("pool/*.log"))))
        self.kill(first)
        said = self.finish_well(self.join())
        self.assertIn("which another run has left", said)
        self.assertRegex(said, r"resuming .*: \d+ tiles are stored")
        self.assert_made()

    def test_a_run_that_stops_gives_its_image_back_at_once(self):
        self.make_truth()
        pool = ("--pool", "pool", "--pool-lease", "1h", "--output", "z.h5")
        first = self.join("--quiet", "--max-seconds", "0.5", hold=9, pace=SLOWLY, pool=pool)
        self.assert_stops(first, "--max-seconds")
        self.finish_well(self.join("--quiet", pool=pool))
        self.assert_made()

    def test_a_run_that_slept_finds_its_image_taken(self):
        self.make_truth()
        first = self.join(hold=9, pace=SLOWLY)
        self.assert_held(first)
        first.send_signal(signal.SIGSTOP)
        self.finish_well(self.join("--quiet"))
        self.assert_made()
        first.send_signal(signal.SIGCONT)
        self.release()
        self.assertIn("5 images are complete", self.finish_well(first))
        self.assertEqual(self.image("z-0000.h5")[0]["status"], "complete")

    def test_images_that_are_there(self):
        self.make_truth()
        # Of an earlier run of the same zoom: they stay. Of something else: they are replaced only if that is said.
        self.assert_done("render", *ZOOM, *QUICKLY, "--output", "z.h5", "--share", "1/2", "--quiet")
        kept = os.stat(self.path("z-0002.h5")).st_ino
        self.write("z-0003.h5", "of another program")
        self.assert_refused(["render", *ZOOM, *QUICKLY, *POOL], 2, "z-0003.h5", "--overwrite")
        self.finish_well(self.join("--overwrite", "--quiet"))
        self.assert_made()
        self.assertEqual(os.stat(self.path("z-0002.h5")).st_ino, kept)

    def test_info_says_who_is_at_it(self):
        first = self.join("--quiet", hold=9, pace=SLOWLY)
        self.assert_held(first)
        pool = json.loads(self.assert_done("info", "pool", "--json"))["files"][0]
        self.assertEqual((pool["kind"], pool["of"], pool["complete"], pool["shares"]), ("pool", "zoom", False, FRAMES))
        self.assertIn(f"process {first.pid} on ", pool["held"][0]["by"])

    def test_what_does_not_fit_is_refused(self):
        first = self.join("--quiet", hold=9, pace=SLOWLY)
        self.assert_held(first)
        refused = lambda arguments, *words: self.assert_refused(["render", *arguments], 2, *words)
        refused([*ZOOM, *POOL, "--iterations", "401"], "--pool pool", "another image")
        refused([*ZOOM, *POOL, "--zoom-per-frame", "3"], "--pool pool", "another image")
        refused([*ZOOM, *POOL, "--frames", "6"], "--pool pool", "another image")
        refused([*ZOOM[:-2], *POOL], "--pool pool", "another image")
        # The first and the last image are those of the pool.
        refused([*ZOOM, *POOL, "--frames", "3", "--zoom-per-frame", "4"], "--pool pool", "another image")
        refused([*ZOOM, "--pool", "pool", "--output", "other.h5"], "z.h5")
        self.kill(first)
        refused([*ZOOM, *POOL, "--pool-shares", "5"], "--pool-shares", "shares of --frames")
        refused([*ZOOM, *POOL, "--share", "1/2"], "--share", "single run")


if __name__ == "__main__":
    main()
