"""Films whose palette and light move, and films that turn: against the pictures of `color`, and direct ones."""

import program
from images import pixels_of, read_image
from zooms import DEEP, FRAMES, ZOOM, FilmTest

import numpy as np


def turn(degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s], [s, c]])


class FilmLooks(FilmTest):
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


program.main()
