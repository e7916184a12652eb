#!/usr/bin/env python3
"""Pictures that are turned, stretched or mirrored, against orbits of Python's fractions (plain) and decimals (deep)."""

import math
import os
from decimal import Decimal, getcontext
from fractions import Fraction

from program import ProgramTest, main, why_missing

try:
    import h5py
    import numpy as np
except ImportError as error:
    main(f"{error.name} is not installed")

getcontext().prec = 120


def turn(degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, -s], [s, c]])


def near(factor, degrees):
    return turn(degrees) @ np.diag([factor, 1 / factor]) @ turn(-degrees)


def fma(a, b, c):
    return float(Fraction(a) * Fraction(b) + Fraction(c))


def plain_counts(center, width, size, limit, m):
    """As docs/numerics.md has them, every operation rounded once."""
    columns, rows = size
    step = width / columns
    counts = np.empty((rows, columns), int)
    for i in range(rows):
        v = rows / 2 - (i + 0.5)
        for j in range(columns):
            u = j + 0.5 - columns / 2
            re = fma(u, m[0] * step, fma(v, m[1] * step, center[0]))
            im = fma(u, m[2] * step, fma(v, m[3] * step, center[1]))
            x = y = 0.0
            n = 0
            while n < limit and fma(x, x, y * y) <= 4:
                t = fma(-y, y, re)
                y, x = fma(x + x, y, im), fma(x, x, t)
                n += 1
            counts[i, j] = n
    return counts


def deep_count(center, width, size, limit, m, column, row, ship):
    step = Decimal(width) / size[0]
    u, v = Decimal(2 * column + 1 - size[0]) / 2, Decimal(size[1] - 2 * row - 1) / 2
    a, b, c, d = (Decimal(value) for value in m)
    re, im = Decimal(center[0]) + step * (a * u + b * v), Decimal(center[1]) + step * (c * u + d * v)
    x = y = Decimal(0)
    for n in range(limit):
        if x * x + y * y > 4:
            return n
        x, y = x * x - y * y + re, (abs(2 * x * y) if ship else 2 * x * y) + im
    return limit


class Turned(ProgramTest):
    def render(self, name, *options):
        self.assert_done("render", *options, "-o", name, "--quiet", "--overwrite")
        with h5py.File(self.path(name)) as file:
            matrix = [float(x) for x in bytes(file.attrs.get("matrix", b"1,0,0,1")).split(b",")]
            return {key: file[key][()] for key in file if key in ("iterations", "smooth", "distance")}, matrix, list(file)

    def test_matrices_that_no_picture_has(self):
        for matrix in ("1e8,1e8,1e8,1e8", "1e6,1e6,1e6,1e6", "1e200,0,0,1e200", "1e-7,0,0,1e7", "1e-25,0,0,1e25"):
            self.assert_refused(("render", "--size", "8", f"--matrix={matrix}", "--width", "1e-20", "--output", "no.h5"), 2, "--matrix")

    def test_the_matrix_of_angles(self):
        place = ["--center=-0.75,0.1", "--width", "0.5", "--size", "6x4", "--iterations", "9"]
        for options, wanted in ((["--rotate", "90"], [[0, -1], [1, 0]]), (["--rotate=-450"], [[0, 1], [-1, 0]]),
                                (["--mirror"], [[1, 0], [0, -1]]), (["--rotate", "30"], turn(30)),
                                (["--stretch", "2"], [[2, 0], [0, 0.5]]), (["--stretch", "3@25"], near(3, 25)),
                                (["--rotate", "30", "--stretch", "2@10", "--mirror"], turn(30) @ near(2, 10) @ np.diag([1, -1])),
                                (["--matrix", "0,-1,1,0", "--rotate", "90"], [[-1, 0], [0, -1]]),
                                (["--matrix", "3,0,0,-3"], [[1, 0], [0, -1]])):
            _, matrix, _ = self.render("a.h5", *place, *options)
            np.testing.assert_allclose(matrix, np.ravel(wanted), rtol=0, atol=3e-16 * np.max(np.abs(wanted)))
            if "--rotate" in options and options[1] == "90":
                self.assertEqual(matrix, list(np.ravel(wanted)))

    def test_plain_counts_are_those_of_the_definition(self):
        for options in ([], ["--rotate", "30"], ["--rotate=-117.3", "--stretch", "4@20", "--mirror"]):
            data, matrix, names = self.render("p.h5", "--center=-0.75,0.1", "--width", "0.5", "--size", "15x11",
                                              "--iterations", "60", *options)
            self.assertTrue((data["iterations"] == plain_counts((-0.75, 0.1), 0.5, (15, 11), 60, matrix)).all(), options)
            self.assertEqual("re" in names, not options)  # a column has no real part of its own where it is turned

    def test_deep_counts_are_those_of_decimals(self):
        for formula, center, width in (("mandelbrot", ("-1.7685060338404924006056203049", "0.0009666016614611263264532375"), "1e-16"),
                                       ("burning-ship", ("-1.7551", "-0.0261"), "1e-14")):
            for options in (["--rotate", "30"], ["--mirror"], ["--rotate=61", "--stretch", "8@-35", "--mirror"]):
                data, matrix, _ = self.render("d.h5", "--formula", formula, f"--center={','.join(center)}", "--width", width,
                                              "--size", "20x14", "--iterations", "400", *options)
                for column, row in ((0, 0), (19, 0), (0, 13), (19, 13), (7, 3), (12, 9)):
                    wanted = deep_count(center, width, (20, 14), 400, matrix, column, row, formula == "burning-ship")
                    self.assertEqual(data["iterations"][row, column], wanted, (formula, options, column, row))

    def test_devices_agree_in_all_fields(self):
        devices = ["cpu"] + ([] if why_missing("opencl") else ["opencl"])
        for place in (["--center=-0.75,0.1", "--width", "0.5"], ["--formula", "tricorn", "--center=-0.1,0.9", "--width", "0.2"],
                      ["--center=-0.743643887037151,0.131825904205330", "--width", "3.85e-11"]):
            common = [*place, "--size", "40x30", "--iterations", "3000", "--fields", "iterations,smooth,distance",
                      "--rotate", "30", "--stretch", "2@10"]
            truth, _, _ = self.render("truth.h5", *common, "--device", "reference")
            for device in devices:
                got, _, _ = self.render("got.h5", *common, "--device", device)
                for field, values in truth.items():
                    self.assertEqual(values.tobytes(), got[field].tobytes(), (place, device, field))

    def test_a_quarter_turn_moves_the_pixels(self):
        place = ["--center=-0.5,0", "--width", "2", "--size", "32x32", "--iterations", "99", "--fields", "iterations,distance"]
        upright, _, _ = self.render("u.h5", *place)
        quarter, _, _ = self.render("q.h5", *place, "--rotate", "90")
        # A pixel of the turned picture at (u, v) is the one at (-v, u) of the upright picture.
        self.assertTrue((quarter["iterations"] == np.rot90(upright["iterations"], -1)).all())
        np.testing.assert_allclose(quarter["distance"], np.rot90(upright["distance"], -1), rtol=1e-6)

    def test_the_height_frames(self):
        by_height, _, _ = self.render("h.h5", "--center=-0.5,0", "--height", "1.5", "--size", "32x18", "--iterations", "50")
        by_width, _, _ = self.render("w.h5", "--center=-0.5,0", "--width", "2.666666666666666666666666666666666666667",
                                     "--size", "32x18", "--iterations", "50")
        self.assertTrue((by_height["iterations"] == by_width["iterations"]).all())
        self.assert_refused(["render", "--height", "1", "--width", "2", "-o", "x.h5"], 2, "--height", "--width")

    def test_regions_and_pictures_keep_the_turn(self):
        turned = ["--rotate", "37", "--stretch", "2@10", "--mirror"]
        for place in (["--center=-0.75,0.1", "--width", "0.5"], ["--center=-0.743643887037151,0.131825904205330", "--width", "3.85e-11"]):
            data, _, _ = self.render("a.h5", *place, "--size", "40x30", "--iterations", "800", *turned)
            part, _, _ = self.render("b.h5", "--from", "a.h5", "--region", "8,5,20,15", "--size", "20x15")
            same = part["iterations"] == data["iterations"][5:20, 8:28]
            self.assertGreaterEqual(same.mean(), 0.99)  # plain centres are rounded to f64
            self.assert_done("render", *place, "--size", "40x30", "--iterations", "800", *turned, "--png", "a.png",
                             "--supersample", "1", "--quiet", "--overwrite")
            again, matrix, _ = self.render("c.h5", "--from", "a.png")
            self.assertTrue((again["iterations"] == data["iterations"]).all())
            self.assertNotEqual(matrix, [1, 0, 0, 1])

    def test_another_matrix_is_another_image(self):
        place = ["--center=-0.75,0.1", "--width", "0.5", "--size", "20x10", "--iterations", "50", "-o", "a.h5"]
        self.assert_done("render", *place, "--rotate", "30")
        self.assert_done("render", *place, "--rotate", "390")
        self.assert_refused(["render", *place, "--rotate", "31"], 2, "a.h5")
        self.assert_refused(["render", *place], 2, "a.h5")
        self.assert_done("verify", "a.h5")

    def test_shares_and_films(self):
        place = ["--center=-0.75,0.1", "--width", "0.5", "--size", "64x48", "--iterations", "90", "--tile", "16", "--rotate", "30"]
        whole, _, _ = self.render("whole.h5", *place)
        for share in (1, 2):
            self.assert_done("render", *place, "--share", f"{share}/2", "-o", f"s{share}.h5", "--quiet")
        self.assert_done("merge", "m.h5", "s1.h5.part", "s2.h5.part")
        with h5py.File(self.path("m.h5")) as file:
            self.assertTrue((file["iterations"][()] == whole["iterations"]).all())
        self.assert_done("render", *place, "--frames", "2", "-o", "z.h5", "--quiet")
        with h5py.File(self.path("z-0001.h5")) as file:
            self.assertTrue((file["iterations"][()] == whole["iterations"]).all())
        self.assert_done("film", "z.h5", "f.png", "--quiet")

    def test_places_of_other_programs_turn(self):
        self.write("a.kfr", "Re: -1.7685060338404924\r\nIm: 0.0009666016614611\r\nZoom: 1E4\r\nIterations: 300\r\n"
                            "RotateAngle: -47.25\r\nStretchAngle: 20.5\r\nStretchAmount: 0.75\r\nImagPointsUp: 1\r\nVersion: 2150500\r\n")
        _, matrix, _ = self.render("a.h5", "--from", "a.kfr", "--size", "16x9")
        wanted = near(2 ** 0.75, 20.5) @ turn(-47.25)  # from pixels right and down
        wanted = np.diag([1, -1]) @ wanted @ np.diag([1, -1])
        np.testing.assert_allclose(matrix, np.ravel(wanted), atol=1e-15)
        self.write("b.kfr", self.assert_done("place", "a.h5", "--as", "kfr"))
        _, again, _ = self.render("b.h5", "--from", "b.kfr", "--size", "16x9")
        np.testing.assert_allclose(again, matrix, atol=2e-15)

    def test_what_is_wrong_is_refused(self):
        for options, words in ((["--matrix", "1,2,2,4", "--width", "1"], "--matrix"), (["--matrix", "1,2"], "four numbers"),
                               (["--rotate", "x"], "--rotate"), (["--stretch", "0"], "--stretch"), (["--stretch", "1e9"], "--stretch"),
                               (["--matrix", "2,0,0,2"], "--width"), (["--matrix", "nan,0,0,1"], "--matrix")):
            self.assert_refused(["render", *options, "-o", "x.h5"], 2, words)
        self.assertFalse(os.path.exists(self.path("x.h5")))


if __name__ == "__main__":
    main()
