"""Films: the images of a zoom, resumed as a whole, and the frames that are made of them."""

import os
import shutil
import signal
import stat
import sys
import unittest

import program
from images import Image, pixels_of, read_image
from runs import SLOWLY
from zooms import DEEP, FRAMES, ZOOM, FilmTest

import numpy as np

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


class Film(FilmTest):
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
        said = self.run_program("film", "z.h5", "f.png", "--frames-per-key", "3", "--overwrite")
        self.assertIn("film: 2 pictures behind the last frame, from f-0007.png on, are there from before, and are left", said.stderr)

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
        self.assert_refused(("film", "z.h5", "f.gif", "--fps", "51"), 2, "--fps 51", "at most 50 frames")
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
