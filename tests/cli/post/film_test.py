"""Films: the images of a zoom, resumed as a whole, and the frames that are made of them."""

import os
import shutil
import signal
import stat
import sys
import unittest

import program
from images import Image, h5py, pixels_of, read_image
from runs import SLOWLY, RunTest

import numpy as np

ZOOM = ("--center=-0.743643,0.131825", "--width", "0.002", "--size", "64x48", "--iterations", "500", "--tile", "16",
        "--device", "cpu")
FRAMES = 3
# From plain arithmetic to perturbation, and back up again.
DEEP = ("--center=-1.76877877871,0.00173889865", "--width", "4e-11", "--size", "48x32", "--iterations", "800", "--tile", "16")

# A program that is called as ffmpeg is, and keeps what it is given.
FAKE = f"""#!{sys.executable}
import json, sys
frames = sys.stdin.buffer.read()
with open(sys.argv[-1].removeprefix("file:"), "wb") as file:
    file.write(frames)
with open("arguments.json", "w") as file:
    json.dump(sys.argv[1:], file)
"""
BROKEN = f"""#!{sys.executable}
import sys
sys.stdin.buffer.read(1000)
raise SystemExit(9)
"""


def turn(degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s], [s, c]])


class Film(RunTest):
    def zoom(self, *options, frames=FRAMES, name="z.h5", job=ZOOM, **more):
        return self.assert_done("render", *job, "--frames", str(frames), "--output", name, "--quiet", *options, **more)

    def film(self, *options, input="z.h5", output="f.png", **more):
        return self.assert_done("film", input, output, *options, "--quiet", **more)

    def images(self, name="z", frames=FRAMES):
        return [read_image(self.path(f"{name}-{i:04}.h5"))[0] for i in range(frames)]

    def frames(self, name="f"):
        names = sorted(file for file in os.listdir(self.folder) if file.startswith(name + "-") and file.endswith(".png"))
        return [pixels_of(self.path(file)) for file in names]

    def arrays(self, name="f"):
        return [np.frombuffer(pixels, np.uint8).reshape(size[1], size[0], 3).astype(int)
                for _, size, pixels in self.frames(name)]

    def attribute(self, name, key):
        with h5py.File(self.path(name), "r") as file:
            value = file.attrs[key]
        return value.decode() if isinstance(value, bytes) else value

    def with_ffmpeg(self, text):
        os.mkdir(self.path("bin"))
        self.write("bin/ffmpeg", text)
        os.chmod(self.path("bin/ffmpeg"), stat.S_IRWXU)
        return {**os.environ, "PATH": self.path("bin") + ":" + os.environ["PATH"]}

    def test_an_image_of_a_zoom_is_the_one_that_is_rendered_alone(self):
        self.zoom()
        widths = [float(self.attribute(f"z-{i:04}.h5", "width")) for i in range(FRAMES)]
        self.assertEqual(widths, [0.008, 0.004, 0.002])
        for number, width in enumerate(widths):
            self.assert_done("render", *ZOOM, "--fields", "iterations,smooth", "--output", "a.h5", "--quiet", "--overwrite",
                             "--width", str(width))
            self.assertTrue(read_image(self.path("a.h5"))[0] == self.images()[number], width)
            self.assertEqual(int(self.attribute(f"z-{number:04}.h5", "frames")), FRAMES)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.h5", *(f"z-{i:04}.h5" for i in range(FRAMES))])

    def test_one_reference_orbit_gives_the_bits_of_each_image_alone(self):
        self.zoom("--zoom-per-frame", "8", job=DEEP, frames=4, ranks=2)
        names = [self.attribute(f"z-{i:04}.h5", "arithmetic") for i in range(4)]
        self.assertEqual((names[0], names[-1]), ("f64-fma", "perturbation-f64"))
        self.assertGreater(names.count("perturbation-f64"), 1)
        for number in range(4):
            width = self.attribute(f"z-{number:04}.h5", "width_text")
            self.assert_done("render", *DEEP, "--fields", "iterations,smooth", "--output", "a.h5", "--quiet", "--overwrite",
                             "--width", width)
            self.assertTrue(read_image(self.path("a.h5"))[0] == self.images(frames=4)[number], width)
        self.assertFalse([name for name in os.listdir(self.folder) if name.endswith(".orbit")])
        self.assert_done("verify", "z-0003.h5")

    def test_a_zoom_that_was_killed_resumes_with_its_images(self):
        job = ("render", *ZOOM, "--size", "320x240", "--frames", str(FRAMES), "--output", "z.h5")
        self.assert_done(*job, "--output", "whole.h5")
        for number in (signal.SIGKILL, signal.SIGTERM):
            run = self.start_program(*job, *SLOWLY, hold=350)  # of 300 tiles each
            self.assert_reaches(run, "the second image", lambda: os.path.exists(self.path("z-0001.h5.part")))
            first = os.stat(self.path("z-0000.h5")).st_mtime_ns
            os.kill(run.pid, number)
            code, said = self.finish(run)
            if number == signal.SIGTERM:
                self.assertEqual(code, 75, said)
                self.assertIn("run the same command to resume", said)
            said = self.run_program(*job, "--resume")
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertRegex(said.stderr, r"render: [12] of 3 images (is|are) complete already")
            self.assertEqual(os.stat(self.path("z-0000.h5")).st_mtime_ns, first)
            self.assertTrue(self.images() == self.images("whole"))
            for i in range(FRAMES):
                os.remove(self.path(f"z-{i:04}.h5"))

    def test_a_time_limit_ends_a_zoom_as_it_ends_an_image(self):
        run = self.start_program("render", *ZOOM, *SLOWLY, "--frames", "9", "--output", "z.h5", "--max-seconds", "0.2", hold=3)
        code, said = self.finish(run)
        self.assertEqual(code, 75, said)
        self.assertEqual(said.splitlines()[-1].count("run the same command to resume"), 1)

    def test_shares_have_every_other_image(self):
        self.zoom(name="whole.h5")
        self.zoom("--share", "2/2", "--report", "r.json")
        self.assertEqual(self.read_json("r.json")["outputs"], {"first": "z-0001.h5", "last": "z-0001.h5"})
        self.assertEqual([name for name in sorted(os.listdir(self.folder)) if name[0] == "z"], ["z-0001.h5"])
        self.zoom("--share", "1/2", ranks=2)
        self.assertTrue(self.images() == self.images("whole"))

    def test_the_report_is_of_all_images(self):
        self.zoom("--report", "r.json")
        report = self.read_json("r.json")
        self.assertEqual(report["total"]["pixels"], FRAMES * 64 * 48)
        self.assertEqual((report["images"], report["found_images"], report["found_complete"]), (FRAMES, 0, False))
        self.assertEqual(report["outputs"], {"first": "z-0000.h5", "last": "z-0002.h5"})
        os.remove(self.path("z-0001.h5"))
        self.zoom("--report", "r.json")
        report = self.read_json("r.json")
        self.assertEqual(report["total"]["pixels"], 64 * 48)
        self.assertEqual(report["found_images"], FRAMES - 1)
        self.zoom("--report", "r.json")
        self.assertTrue(self.read_json("r.json")["found_complete"])

    def test_a_film_has_the_same_bytes_on_any_ranks_threads_tiles_and_memory(self):
        self.zoom()
        self.film("--frames-per-key", "4")
        wanted = self.frames()
        self.assertEqual(len(wanted), 9)
        self.assertEqual(wanted[0][:2], ("RGB", (32, 24)))
        for number, (options, ranks) in enumerate(((("--threads", "1"), 0), (("--memory", "200M"), 0), ((), 2))):
            self.film("--frames-per-key", "4", *options, output=f"g{number}.png", ranks=ranks)
            self.assertTrue(self.frames(f"g{number}") == wanted, options)
        self.zoom("--tile", "40", name="y.h5")
        self.film("--frames-per-key", "4", input="y.h5", output="y.png")
        self.assertTrue(self.frames("y") == wanted)

    def test_a_film_stands_still_at_its_ends_and_gets_up_to_speed(self):
        self.zoom()
        self.film("--frames-per-key", "4")
        plain = self.frames()
        self.film("--frames-per-key", "4", "--fps", "10", "--hold", "0.3", "--ease", "0.2", output="h.png")
        held = self.frames("h")
        self.assertEqual(len(held), 9 + 2 + 2 * 3)
        for i in range(4):
            self.assertTrue(held[i] == plain[0] and held[-1 - i] == plain[-1], i)
        self.assertTrue(held[4] != plain[0])
        for options, word in ((("--hold", "-1"), "--hold"), (("--ease", "x"), "--ease"), (("--seconds", "3", "--hold", "1.5"), "--hold"),
                              (("--seconds", "3", "--ease", "1.6"), "--ease")):
            self.assert_refused(("film", "z.h5", "x.png", *options), 2, word)

    def test_a_frame_at_an_image_is_its_picture(self):
        self.zoom("--size", "128x96")
        self.film("--frames-per-key", "2")
        self.assert_done("color", "z-0001.h5", "a.png", "--scale", "1/2", "--quiet")
        mode, size, pixels = pixels_of(self.path("a.png"))
        box = np.frombuffer(pixels, np.uint8).reshape(size[1], size[0], 3).astype(int)
        self.assertLess(np.abs(box - self.arrays()[2]).mean(), 12, "another filter, the same colours")

    def test_frames_at_images_have_the_colours_of_their_pictures(self):
        """A film as large as its images shows their pixels as they are."""
        self.zoom("--light", "30", "--distance", "1")
        film = ("--frames-per-key", "1", "--size", "64x48", "--overwrite")
        for colors, moving, at in (
                (("--light", "30"), (), lambda i: ()),
                (("--distance", "1.5", "--light=-100,0.2", "--inside", "#102030"), (), lambda i: ()),
                (("--palette-scale", "linear:30", "--png-depth", "16"), ("--palette-turns", "0.5"),
                 lambda i: ("--palette-offset", f"{i / 4}")),
                (("--field", "iterations", "--palette-offset", "0.25"), ("--palette-turns=-1",),
                 lambda i: (f"--palette-offset={0.25 - i / 2}",)),
                (("--light", "45,2"), ("--light-turns", "0.5"), lambda i: ("--light", f"{45 + 90 * i},2"))):
            with self.subTest(colors=colors, moving=moving):
                self.film(*film, *colors, *moving)
                for i, frame in enumerate(self.frames()):
                    self.assert_done("color", f"z-{i:04}.h5", "a.png", *colors, *at(i), "--overwrite", "--quiet")
                    self.assertTrue(frame == pixels_of(self.path("a.png")), i)
        self.film("--frames-per-key", "1", "--light", "30", output="l.png", ranks=2)
        self.film("--frames-per-key", "1", "--light", "30", "--memory", "200M", "--threads", "1", output="m.png")
        self.assertTrue(self.frames("l") == self.frames("m"))

    def test_an_equalized_palette_moves_too_and_frames_resume(self):
        self.zoom()
        film = ("--frames-per-key", "2", "--equalize", "--palette-turns", "3")
        self.film(*film)
        self.film(*film, output="g.png", ranks=2)
        self.film("--frames-per-key", "2", "--equalize", output="still.png")
        wanted, still = self.frames(), self.frames("still")
        self.assertTrue(self.frames("g") == wanted)
        self.assertTrue((wanted[0], wanted[-1]) == (still[0], still[-1]), "three whole cycles")
        self.assertFalse(wanted[1] == still[1])
        self.film(*film, "--report", "r.json")
        self.assertEqual(self.read_json("r.json")["found_images"], 5)
        said = self.run_program("film", "z.h5", "f.png", "--frames-per-key", "2", "--equalize")
        self.assertIn("film: 4 frames have other colours and are replaced", said.stderr)

    def test_light_needs_its_field(self):
        self.zoom()
        for options, word in ((("--light", "30"), "gradient"), (("--distance", "1"), "distances")):
            self.assert_refused(("film", "z.h5", "x.png", *options), 3, options[0], f"z-0000.h5 has no {word}", "--fields", ranks=2)
        for options, words in ((("--light-turns", "1"), ("--light-turns", "needs --light")),
                               (("--palette-turns", "x"), ("--palette-turns",)),
                               (("--palette-turns", "1001"), ("--palette-turns", "-1000 to 1000"))):
            self.assert_refused(("film", "z.h5", "x.png", *options), 2, *words)
        self.assert_refused(("render", *ZOOM, "--frames", "3", "--fields", "smooth", "--light", "30", "--output", "b.h5"), 2,
                            "--light", "gradient", "--fields")

    def matrix_of(self, number):
        numbers = [float(x) for x in self.attribute(f"z-{number:04}.h5", "matrix").split(",")]
        return np.array(numbers).reshape(2, 2)

    def direct(self, depth, matrix, *colors):
        """The picture of a frame, from 4 x 4 pixels each."""
        values = ",".join(repr(float(x)) for x in matrix.flat)
        self.assert_done("render", *ZOOM[:1], "--width", repr(0.008 / 2 ** depth), "--size", "320x180", "--iterations", "200",
                         f"--matrix={values}", "--png", "d.png", "--supersample", "4", *colors, "--overwrite", "--quiet")
        _, size, pixels = pixels_of(self.path("d.png"))
        return np.frombuffer(pixels, np.uint8).reshape(size[1], size[0], 3).astype(int).reshape(45, 4, 80, 4, 3).mean((1, 3))

    def test_a_film_that_turns_shows_what_direct_pictures_show(self):
        colors = ("--palette-cycle", "0.2", "--light", "100")
        for turned, degrees in ((("--rotate", "50"), 20), (("--rotate=-10", "--mirror"), -20), (("--stretch", "1.5@20"), 12.5)):
            with self.subTest(turned=turned):
                self.zoom("--size", "320x180", "--iterations", "200", *turned, "--turn-per-frame", str(degrees), "--light", "1",
                          "--overwrite")
                self.film("--frames-per-key", "4", "--size", "80x45", *colors, "--overwrite")
                last = self.matrix_of(FRAMES - 1)
                differences = []
                for number, frame in enumerate(self.arrays()):
                    depth = number / 4
                    wanted = self.direct(depth, last @ turn(degrees * (depth - 2)), *colors)
                    differences.append(np.abs(frame - wanted).mean())
                    for rows in (slice(0, 6), slice(-6, None)):
                        for columns in (slice(0, 6), slice(-6, None)):
                            self.assertLess(np.abs(frame - wanted)[rows, columns].mean(), 20, "a corner of its own image")
                    wrong = self.direct(depth, last @ turn(degrees * (depth - 2) + 3), *colors)
                    self.assertGreater(np.abs(frame - wrong).mean(), 1.5 * differences[-1], "three degrees farther")
                at_images = max(differences[::4])  # copied upright: the difference of the filters
                self.assertLess(max(differences), 1.25 * at_images, differences)

    def test_the_images_of_a_zoom_that_turns_are_those_that_are_rendered_alone(self):
        for job, name in ((ZOOM, "f64-fma"), (DEEP, "perturbation-f64")):
            self.zoom("--turn-per-frame", "15", "--rotate", "30", "--overwrite", job=job, ranks=2)
            self.assertEqual(self.attribute("z-0002.h5", "arithmetic"), name)
            for number, angle in enumerate((0, 15, 30)):
                text = self.attribute(f"z-{number:04}.h5", "matrix") if angle else "1,0,0,1"
                np.testing.assert_allclose(np.array(text.split(","), float).reshape(2, 2), turn(angle), atol=1e-15)
                self.assert_done("render", *job, "--fields", "iterations,smooth", "--output", "a.h5", "--quiet", "--overwrite",
                                 "--width", self.attribute(f"z-{number:04}.h5", "width_text"), f"--matrix={text}")
                self.assertTrue(read_image(self.path("a.h5"))[0] == self.images()[number], angle)
            self.assert_done("verify", "z-0001.h5")
            self.assertIn("complete already", self.run_program("render", *job, "--turn-per-frame", "15", "--rotate", "30",
                                                               "--frames", "3", "--output", "z.h5").stderr)
            self.assert_refused(("render", *job, "--turn-per-frame", "16", "--rotate", "30", "--frames", "3", "--output", "z.h5"),
                                2, "z-0000.h5", "--overwrite")

    def test_a_film_that_turns_has_the_same_bytes_on_any_ranks_threads_tiles_and_memory(self):
        self.zoom("--turn-per-frame", "15")
        self.film("--frames-per-key", "4")
        wanted = self.frames()
        for number, (options, ranks) in enumerate(((("--threads", "1"), 0), (("--memory", "200M"), 0), ((), 2))):
            self.film("--frames-per-key", "4", *options, output=f"g{number}.png", ranks=ranks)
            self.assertTrue(self.frames(f"g{number}") == wanted, options)
        self.zoom("--tile", "40", "--turn-per-frame", "15", name="y.h5")
        self.film("--frames-per-key", "4", input="y.h5", output="y.png")
        self.assertTrue(self.frames("y") == wanted)

    def test_turns_that_no_film_can_make(self):
        render = ("render", *ZOOM, "--frames", "3", "--output", "a.h5")
        for options, words in ((("--turn-per-frame", "30"), ("--turn-per-frame 30", "64x48", "up to 29.7 degrees")),
                               (("--turn-per-frame=-30",), ("--turn-per-frame -30",)),
                               (("--turn-per-frame", "29", "--zoom-per-frame", "1.5"), ("--turn-per-frame", "up to 17.4")),
                               (("--turn-per-frame", "x"), ("--turn-per-frame",))):
            self.assert_refused((*render, *options), 2, *words)
        self.assert_refused(("render", *ZOOM, "--turn-per-frame", "5"), 2, "--turn-per-frame: needs --frames")
        self.zoom("--turn-per-frame", "29.7")
        self.film("--frames-per-key", "4")
        for number, options in enumerate((("--width", "0.004"), ("--width", "0.002", "--rotate", "35"))):
            self.assert_done("render", *ZOOM, *options, "--output", f"y-000{number}.h5", "--quiet")
        self.assert_refused(("film", "y.h5", "x.png"), 2, "ZOOM.h5 y.h5", "frames of 32x24", "up to 29.7 degrees", ranks=2)
        self.film("--size", "20x48", "--frames-per-key", "3", input="y.h5", output="narrow.png")
        for options, words in ((("--rotate", "1"), "is turned against the image before it by 30.7"),
                               (("--stretch", "1.5"), "has a matrix that is not that")):
            self.assert_done("render", *ZOOM, "--fields", "iterations,smooth", *options, "--output", "z-0002.h5", "--quiet",
                             "--overwrite")
            self.assert_refused(("film", "z.h5", "x.png"), 2, "z-0002.h5", words)

    def test_no_frame_jumps_where_the_next_image_takes_over(self):
        self.zoom("--size", "320x240", "--iterations", "200")
        self.film("--frames-per-key", "12", "--palette-cycle", "0.2")
        frames = self.arrays()
        steps = [np.abs(b - a).mean() for a, b in zip(frames, frames[1:])]
        at_image = max(steps[11], steps[12])
        self.assertLess(at_image, 1.5 * np.median(steps), steps)

    def test_equalized_colours_are_those_of_the_whole_zoom(self):
        self.zoom()
        self.film("--frames-per-key", "1", "--equalize")
        wanted = self.frames()
        self.film("--frames-per-key", "1", "--equalize", output="g.png", ranks=2)
        self.assertTrue(self.frames("g") == wanted)
        self.film("--frames-per-key", "1", output="plain.png")
        self.assertFalse(self.frames("plain") == wanted)

    def test_frames_that_are_there_stay_and_others_are_made(self):
        self.zoom()
        self.film("--frames-per-key", "3")
        wanted = self.frames()
        kept = os.stat(self.path("f-0002.png")).st_mtime_ns
        os.remove(self.path("f-0004.png"))
        self.write("f-0005.png.part", "half")
        with open(self.path("f-0001.png"), "r+b") as file:
            file.truncate(os.path.getsize(file.name) - 20)
        self.assert_refused(("film", "z.h5", "f.png", "--frames-per-key", "3"), 2, "f-0001.png", "--overwrite")
        os.remove(self.path("f-0001.png"))
        self.film("--frames-per-key", "3", "--report", "r.json")
        self.assertTrue(self.frames() == wanted)
        self.assertEqual(os.stat(self.path("f-0002.png")).st_mtime_ns, kept)
        self.assertEqual(self.read_json("r.json")["found_images"], 5)
        said = self.run_program("film", "z.h5", "f.png", "--frames-per-key", "3", "--palette", "ember")
        self.assertIn("film: 7 frames have other colours and are replaced", said.stderr)
        self.assertFalse(self.frames()[3] == wanted[3])
        self.assert_refused(("film", "z.h5", "f.png", "--frames-per-key", "4"), 2, "f-0001.png", "--overwrite")
        self.film("--frames-per-key", "4", "--overwrite")
        self.assertEqual(len(self.frames()), 9)

    def test_a_film_that_was_stopped_resumes(self):
        self.zoom("--size", "640x480")
        job = ("film", "z.h5", "f.png", "--threads", "1", "--frames-per-key", "20")
        run = self.start_program(*job, faults=("worker.hold.color@20+",))
        self.assert_reaches(run, "a few frames", lambda: os.path.exists(self.path("f-0003.png")))
        os.kill(run.pid, signal.SIGTERM)
        code, said = self.finish(run)
        self.assertEqual(code, 75, said)
        self.assertIn("run the same command to resume", said)
        self.assertFalse([name for name in os.listdir(self.folder) if name.endswith(".part")])
        first = os.stat(self.path("f-0000.png")).st_mtime_ns
        self.assert_done(*job)
        self.assertEqual(os.stat(self.path("f-0000.png")).st_mtime_ns, first)
        self.assertEqual(len(self.frames()), 41)

    def test_ffmpeg_gets_the_frames_in_order(self):
        self.zoom()
        self.film("--frames-per-key", "3")
        env = self.with_ffmpeg(FAKE)
        self.film("--frames-per-key", "3", "--fps", "25", output="f.mp4", env=env)
        with open(self.path("f.mp4"), "rb") as file:
            self.assertTrue(file.read() == b"".join(pixels for _, _, pixels in self.frames()))
        arguments = self.read_json("arguments.json")
        for word in ("32x24", "25", "rgb24", "libx264", "mp4"):
            self.assertIn(word, arguments)
        self.assert_refused(("film", "z.h5", "f.mp4", "--quiet"), 2, "f.mp4", "--overwrite", env=env)
        self.film("--frames-per-key", "3", "--overwrite", output="f.mp4", env=env, ranks=2)
        self.film("--png-depth", "16", "--frames-per-key", "1", output="f.webm", env=env)
        self.assertEqual(os.path.getsize(self.path("f.webm")), FRAMES * 32 * 24 * 6)

    @unittest.skipUnless(shutil.which("ffmpeg"), "no ffmpeg")
    def test_animations_have_the_frames_and_their_colours(self):
        self.zoom()
        self.film("--frames-per-key", "3", "--size", "31x23")
        frames = self.arrays()
        for name, most in (("f.gif", 6), ("f.webp", 12)):
            self.film("--frames-per-key", "3", "--size", "31x23", "--fps", "10", output=name)
            self.assert_refused(("film", "z.h5", name, "--quiet"), 2, name, "--overwrite")
            with Image.open(self.path(name)) as picture:
                self.assertEqual((picture.size, picture.n_frames, picture.info["loop"]), ((31, 23), len(frames), 0))
                for i, frame in enumerate(frames):
                    picture.seek(i)
                    pixels = np.asarray(picture.convert("RGB")).astype(int)
                    self.assertLess(np.abs(pixels - frame).mean(), most)
                    self.assertLess(np.abs((pixels - frame).mean((0, 1))).max(), 3)
                    if i + 3 < len(frames):  # another frame is farther
                        self.assertGreater(np.abs(pixels - frames[i + 3]).mean(), np.abs(pixels - frame).mean())

    def test_without_ffmpeg_or_when_it_fails(self):
        self.zoom()
        os.mkdir(self.path("none"))
        self.assert_refused(("film", "z.h5", "f.mp4"), 3, "ffmpeg is not installed", "f.png",
                            "ffmpeg -framerate 30 -i f-%04d.png", env={**os.environ, "PATH": self.path("none")})
        self.assert_refused(("film", "z.h5", "f.gif"), 3, "f-%04d.png -c:v gif", "'split[a][b];",
                            env={**os.environ, "PATH": self.path("none")})
        env = self.with_ffmpeg(BROKEN)
        self.assert_refused(("film", "z.h5", "f.mp4", "--quiet"), 4, "f.mp4", "ffmpeg ended with exit code 9", env=env)

    def test_one_job_file_makes_the_images_and_the_film(self):
        place = "\n".join(['center = [-0.743643, 0.131825]', 'width = 0.002', 'size = "64x48"', 'iterations = 500', 'frames = 3'])
        colors = 'light = 60.0\npalette = "ember"\n'
        table = '[film]\noutput = "film.png"\nframes-per-key = 2\nlight-turns = 0.5\nsize = "24x18"\n'
        self.write("job.toml", f'{place}\nturn-per-frame = -10\noutput = "t.h5"\n{colors}\n{table}')
        self.assert_done("render", "job.toml", "--quiet")
        self.assert_done("film", "job.toml", "--quiet", ranks=2)
        self.assert_done("film", "t.h5", "f.png", "--palette", "ember", "--light", "60", "--light-turns", "0.5",
                         "--frames-per-key", "2", "--size", "24x18", "--quiet")
        self.assertEqual(len(self.frames()), 5)
        self.assertTrue(self.frames("film") == self.frames())
        self.assert_done("film", "job.toml", "g.png", "--palette", "ice", "--size", "32x24", "--quiet")
        self.assertEqual(self.frames("g")[0][1], (32, 24))
        for text, words in ((f"{place}\n[film]\nsecondz = 3", ("j.toml:7: secondz", "'seconds'")),
                            (f"{place}\n[film]\nfps = 0", ("j.toml:7: fps", "'0'")),
                            (f"{place}\n[films]\nfps = 1", ("j.toml:6: films", "no tables")),
                            (f"{place}\nfilm = 1", ("j.toml:6: film",))):
            with self.subTest(text=text):
                self.write("j.toml", text)
                self.assert_refused(("render", "j.toml", "-o", "j.h5"), 2, *words)
                self.assert_refused(("film", "j.toml", "j.png"), 2, *words)
        self.write("j.toml", 'view = "whole"\n[film]\noutput = "a.png"')
        self.assert_refused(("film", "j.toml"), 2, "j.toml", "frames")
        self.assert_refused(("film", "t.h5"), 2, "OUT", "missing", "[film]")
        self.assert_refused(("film", "no.toml", "a.png"), 3, "no.toml")

    def test_zooms_that_are_none(self):
        render = ("render", *ZOOM, "--output", "a.h5")
        for options, words in (
                (("--frames", "0"), ("--frames",)), (("--frames", "1"), ("--frames",)),
                (("--frames", "3", "--zoom-per-frame", "0"), ("--zoom-per-frame",)),
                (("--frames", "3", "--zoom-per-frame", "1"), ("--zoom-per-frame",)),
                (("--frames", "3", "--zoom-per-frame=-2"), ("--zoom-per-frame",)),
                (("--zoom-per-frame", "2"), ("--zoom-per-frame", "--frames")),
                (("--frames", "3", "--zoom", "9"), ("--zoom", "--width")),
                (("--frames", "3", "--png", "a.png"), ("--png", "tessera film")),
                (("--frames", "3", "--serve"), ("--serve",)),
                (("--frames", "2000"), ("--frames", "wider than 1e100"))):
            with self.subTest(options=options):
                self.assert_refused((*render, *options), 2, *words)
        self.assert_refused((*render, "--frames", "3", "--resume"), 3, "--resume", "a-0000.h5")
        self.assert_refused(("plan", *ZOOM, "--frames", "3"), 2, "--frames")
        self.write("a-0001.h5", "something of somebody's")
        self.assert_refused((*render, "--frames", "3"), 2, "a-0001.h5", "--overwrite")

    def test_images_that_make_no_film(self):
        film = ("film", "z.h5", "f.png")
        self.assert_refused(film, 3, "z-0000.h5", "--frames")
        self.zoom()
        for options, words in ((("--fps", "0"), ("--fps",)), (("--seconds", "0"), ("--seconds",)),
                               (("--seconds", "2", "--frames-per-key", "5"), ("--frames-per-key", "--seconds")),
                               (("--size", "65x48"), ("--size", "64x48")), (("--memory", "70M"), ("--memory",)),
                               (("--field", "depth"), ("--field",)), (("--palette", "no"), ("no",))):
            with self.subTest(options=options):
                self.assert_refused((*film, *options), 2, *words)
        self.assert_refused(("film", "z.h5", "f.tif"), 2, "f.tif", "FILM.png", "FILM.mp4, FILM.webm, FILM.webp or FILM.gif")
        self.assert_refused(("film", "z.h5", "f.avi"), 2, "f.avi", ".mp4")
        self.assert_refused(("film", "z.h5", "f.mp4", "--size", "31x24"), 2, "--size", "even")
        os.rename(self.path("z-0001.h5"), self.path("other.h5"))
        self.assert_refused(film, 2, "z-0001.h5: is missing", ranks=2)
        os.rename(self.path("other.h5"), self.path("z-0001.h5.part"))
        self.assert_refused(film, 2, "z-0001.h5: is not complete")
        os.remove(self.path("z-0001.h5.part"))
        for options, words in ((("--center=-0.743642,0.131825", "--width", "0.004"), "another centre"),
                               (("--iterations", "600", "--width", "0.004"), "other iterations"),
                               (("--size", "32x24", "--width", "0.004"), "another size"),
                               (("--width", "0.008"), "not narrower")):
            self.assert_done("render", *ZOOM, "--fields", "iterations,smooth", *options, "--output", "z-0001.h5", "--quiet",
                             "--overwrite")
            self.assert_refused(film, 2, "z-0001.h5", words)
        self.assert_done("render", *ZOOM, "--fields", "iterations,smooth", "--width", "0.006", "--output", "z-0001.h5",
                         "--quiet", "--overwrite")
        self.assert_refused(film, 2, "z-0002.h5", "by 3")
        self.zoom(frames=3, name="y.h5")
        os.remove(self.path("y-0002.h5"))
        self.assert_refused(("film", "y.h5", "f.png"), 2, "y-0002.h5: is missing", "3 images")


program.main()
