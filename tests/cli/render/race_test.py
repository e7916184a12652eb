"""A run that is held up between its look at the outputs and its lock on them, or just before it names its file, while
another run finishes the same output: what is finished is never replaced without --overwrite. The same on file systems
that have neither locks nor a rename that replaces nothing, as a preloaded library plays them."""

import json
import os
import signal
import sys

NOTHING = os.path.abspath(sys.argv.pop(2))
from images import h5py, pixels_of, read_image  # noqa: E402
from program import main, preloading  # noqa: E402
from runs import RunTest, is_stopped, wait_until  # noqa: E402

IMAGE = ("--size", "200x150", "--tile", "64", "--iterations", "300", "--device", "cpu", "--threads", "1", "--quiet")
CHECKED, REMOVES, NAMED = "output.checked", "unfinished.remove", "file.publish"


class Race(RunTest):
    environment = dict(os.environ)

    def hold(self, point, *arguments):
        """A run that stops itself there."""
        process = self.start_program(*arguments, env={**self.environment, "TESSERA_FAULT": f"{point}@1"})
        self.assert_reaches(process, f"its stop at {point}", lambda: is_stopped(process))
        return process

    def release(self, process):
        """Its exit code and what it said."""
        process.send_signal(signal.SIGCONT)
        return self.finish(process)

    def run_program(self, *arguments, **options):
        return super().run_program(*arguments, env=self.environment, **options)

    def render(self, *options, output="a.h5"):
        return ("render", *IMAGE, "--output", output, *options)

    def contents(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def assert_loses(self, process, name, *words, left=()):
        """It is refused, and what is there stays."""
        there = self.contents(name)
        code, said = self.release(process)
        self.assertEqual(code, 2, said)
        self.assertEqual(len(said.splitlines()), 1, said)
        for word in (name, *words):
            self.assertIn(word, said)
        self.assertTrue(self.contents(name) == there, f"{name} was replaced")
        self.assertEqual(sorted(os.listdir(self.folder)), sorted({name, *left}))

    def assert_finds_it_done(self, process, name, *words):
        there = self.contents(name)
        code, said = self.release(process)
        self.assertEqual(code, 0, said)
        for word in words:
            self.assertIn(word, said)
        self.assertTrue(self.contents(name) == there, f"{name} was replaced")

    def test_the_image_of_another_job_stays(self):
        late = self.hold(CHECKED, *self.render("--bailout", "3"))
        self.assert_done(*self.render())
        self.assert_loses(late, "a.h5", "holds another image", "--overwrite")

    def test_the_same_image_is_found_complete_and_its_picture_is_made(self):
        late = self.hold(CHECKED, *[word for word in self.render("--png", "a.png", "--fields", "iterations") if word != "--quiet"])
        self.assert_done(*self.render())
        self.assert_finds_it_done(late, "a.h5", "a.h5 is complete already")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.h5", "a.png"])

    def test_what_another_run_has_begun_is_not_removed(self):
        late = self.hold(REMOVES, *self.render("--bailout", "3"))
        first = self.hold(NAMED, *self.render())
        code, said = self.release(late)
        self.assertEqual(code, 2, said)
        self.assertIn("another run is writing it: process", said)
        code, said = self.release(first)
        self.assertEqual(code, 0, said)
        self.assertEqual(os.listdir(self.folder), ["a.h5"])

    def test_overwrite_replaces_what_was_finished_in_the_meantime(self):
        late = self.hold(CHECKED, *self.render("--bailout", "3", "--overwrite"))
        self.assert_done(*self.render())
        self.assertEqual(self.release(late)[0], 0)
        with h5py.File(self.path("a.h5")) as file:
            self.assertEqual(file.attrs["bailout"], 3.0)

    def test_what_comes_before_the_last_step_stays_and_so_does_the_whole_image(self):
        late = self.hold(NAMED, *self.render())
        self.write("a.h5", "mine")
        self.assert_loses(late, "a.h5", "another file got this name during the run; the result is kept as a.h5.part",
                          left=("a.h5.part", "a.h5.part.log"))
        os.replace(self.path("a.h5.part"), self.path("b.h5"))
        read_image(self.path("b.h5"))

    def test_a_merge_leaves_another_image_alone(self):
        self.assert_done(*self.render("--share", "1/2", output="one.h5"))
        self.assert_done(*self.render("--share", "2/2", output="two.h5"))
        parts = set(os.listdir(self.folder))
        merge = ("merge", "a.h5", "one.h5.part", "two.h5.part", "--quiet")
        late = self.hold(CHECKED, *merge)
        self.assert_done(*self.render("--bailout", "3"))
        self.assert_loses(late, "a.h5", "holds another image", left=parts)
        os.remove(self.path("a.h5"))
        late = self.hold(CHECKED, *merge)
        self.assert_done(*self.render())
        self.assert_finds_it_done(late, "a.h5")

    def test_a_picture_leaves_another_one_alone(self):
        self.assert_done(*self.render())
        late = self.hold(CHECKED, "color", "a.h5", "a.png", "--palette", "ember", "--quiet")
        self.assert_done("color", "a.h5", "a.png", "--quiet")
        self.assert_loses(late, "a.png", "the result is kept as a.png.part", left=("a.h5", "a.png.part"))
        os.replace(self.path("a.png.part"), self.path("b.png"))
        self.assert_done("color", "a.h5", "c.png", "--palette", "ember", "--quiet")
        self.assertTrue(pixels_of(self.path("b.png")) == pixels_of(self.path("c.png")))

    def test_of_two_runs_with_one_output_the_one_that_ends_well_has_left_its_own(self):
        self.assert_done(*self.render())
        quiet = ("--device", "cpu", "--quiet")
        by = ("reduce", "a.h5:/iterations", "--by", "a.h5:/iterations", *quiet)
        kinds = {"o.png": (("color", "a.h5", "o.png", "--palette", "ember"), ("color", "a.h5", "o.png", "--palette", "ocean")),
                 "p.png": (("palettes", "ember", "--preview", "p.png"), ("palettes", "ocean", "--preview", "p.png")),
                 "o.npy": [("map", f"a*{n}", "a.h5:/iterations", "--output", "o.npy", *quiet) for n in (2, 3)],
                 "o.csv": [(*by, "--op", op, "--output", "o.csv") for op in ("sum", "max")],
                 "r.json": [("reduce", "a.h5:/iterations", "--op", op, "--report", "r.json", *quiet) for op in ("sum", "max")]}
        for name, (one, two) in kinds.items():
            for overwrite in ((), ("--overwrite",)) if name != "r.json" else ((),):
                wants = []
                for job in (one, two):
                    self.assert_done(*job)
                    wants.append(self.told(name))
                    self.remove_all_but("a.h5")
                self.assertNotEqual(*wants)
                for point in ("unfinished.remove", "part.created", "part.publish"):
                    with self.subTest(name=name, point=point, overwrite=overwrite):
                        late = self.hold(point, *one, *overwrite)
                        other = self.run_program(*two, *overwrite).returncode
                        there = self.told(name) if other == 0 else None
                        code, said = self.release(late)
                        self.assertEqual({0, 2} | {code, other}, {0, 2}, said)
                        self.assertIn(0, (code, other), said)
                        self.assertIn(there, (None, wants[1]))
                        self.assertEqual(self.told(name), wants[0] if code == 0 else wants[1])
                        self.remove_all_but("a.h5")

    def told(self, name):
        """What the file says, but for times."""
        return json.loads(self.contents(name))["results"] if name == "r.json" else self.contents(name)

    def remove_all_but(self, kept):
        for name in os.listdir(self.folder):
            if name != kept:
                os.remove(self.path(name))

    def test_a_reduction_leaves_another_one_alone(self):
        self.assert_done(*self.render())
        reduce = ("reduce", "a.h5:/iterations", "--axis", "0", "--output", "o.h5", "--device", "cpu", "--quiet")
        late = self.hold(CHECKED, *reduce, "--op", "max")
        self.assert_done(*reduce, "--op", "sum")
        self.assert_loses(late, "o.h5", "is there already", left=("a.h5", "o.h5.done"))
        # What it was made of is still known.
        self.assertIn("complete already", self.run_program(*reduce[:-1], "--op", "sum").stderr)

    def test_a_kill_between_the_names_of_two_files_is_gone_on_after(self):
        self.assert_done(*self.render())
        job = ("map", "c = a + 1", "d = a * 2", "a.h5:/iterations", "--output", "c=c.npy", "--output", "d=d.npy", "--device", "cpu")
        process = self.start_program(*job, env={**self.environment, "TESSERA_FAULT": f"{NAMED}@2"})
        self.assert_reaches(process, "its second name", lambda: is_stopped(process))
        process.kill()
        self.finish(process)
        files = [name for name in os.listdir(self.folder) if name.endswith((".npy", ".part"))]
        self.assertEqual(sorted(files), ["c.npy", "d.npy.part"])
        self.assert_done(*job)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.h5", "c.npy", "c.npy.done", "d.npy", "d.npy.done"])
        self.assertIn("d.npy is complete already", self.run_program(*job).stderr)

    def test_the_same_reduction_is_found_complete(self):
        self.assert_done(*self.render())
        reduce = ("reduce", "a.h5:/iterations", "--axis", "0", "--op", "sum", "--output", "o.h5", "--device", "cpu")
        late = self.hold(CHECKED, *reduce)
        self.assert_done(*reduce, "--quiet")
        self.assert_finds_it_done(late, "o.h5", "o.h5 is complete already")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.h5", "o.h5", "o.h5.done"])

    def test_a_reduction_whose_name_is_taken_last_stays_beside_it(self):
        self.assert_done(*self.render())
        late = self.hold(NAMED, "reduce", "a.h5:/iterations", "--axis", "0", "--op", "sum", "--output", "o.h5",
                         "--device", "cpu", "--quiet")
        self.write("o.h5", "mine")
        code, said = self.release(late)
        self.assertEqual(code, 2, said)
        self.assertEqual(self.contents("o.h5"), b"mine")
        with h5py.File(self.path("o.h5.part")) as file:
            self.assertEqual(file["sum"].shape, (200,))

    def test_a_signal_before_what_is_stored_is_looked_through_is_heeded(self):
        self.assert_done(*self.render("--share", "1/2"))
        late = self.hold(CHECKED, *self.render("--share", "1/2"))
        late.send_signal(signal.SIGTERM)  # delivered when it goes on
        code, said = self.release(late)
        self.assertEqual(code, 75, said)
        self.assertIn("a.h5: stopped by SIGTERM; run the same command to resume", said)
        wait_until("the lock is free", lambda: self.run_program(*self.render("--share", "1/2")).returncode == 0)


class RaceWithoutLocks(Race):
    environment = preloading(NOTHING)


if __name__ == "__main__":
    main()
