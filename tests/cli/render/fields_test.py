"""The fields `fraction`, `gradient` and `phase` against orbits of Python's decimals, at any depth, for every formula, turned or not."""

import math
from decimal import Decimal, getcontext

from images import deep_pixels_of
from program import ProgramTest, main, why_missing

try:
    import h5py
    import numpy as np
    from PIL import Image
except ImportError as error:
    main(f"{error.name} is not installed")

SIZE = (40, 27)
TURN = ("--rotate", "30", "--stretch", "2@10", "--mirror")
# Formula, centre, width, iterations, arithmetics.
PLACES = (("mandelbrot", ("-0.7463", "0.1102"), "0.02", 300, ("plain", "exact", "perturbation")),
          ("mandelbrot", ("-0.743643887037151", "0.131825904205330"), "3.85e-11", 3000, ("auto",)),
          ("mandelbrot", ("-2", "0"), "3e-60", 1000, ("auto",)),
          ("mandelbrot", ("-2", "0"), "3e-400", 2000, ("auto",)),
          ("julia:-0.8,0.156", ("0", "0"), "3", 200, ("plain", "exact")),
          ("julia:0,1", ("0", "1"), "1e-16", 600, ("auto",)),
          ("burning-ship", ("-0.4", "-0.5"), "3", 200, ("plain", "exact")),
          ("burning-ship", ("-1.7551", "-0.0261"), "1e-16", 800, ("auto",)),
          ("tricorn", ("-0.5", "0.3"), "2", 200, ("plain", "exact")),
          ("tricorn", ("-2", "0"), "3e-60", 1000, ("auto",)),
          ("multibrot:3", ("0.1", "0"), "3", 100, ("plain", "exact")),
          ("multibrot:5", ("0.1", "0"), "3", 100, ("plain", "perturbation")),
          ("multibrot:8", ("0.1", "0"), "3", 100, ("plain",)))


class Orbit:
    """z_m, the first beyond 256, and the count n."""

    def __init__(self, formula, pixel, bailout):
        self.name, _, self.parameter = formula.partition(":")
        self.degree = int(self.parameter) if self.name == "multibrot" else 2
        x, y, c, n = self.first(pixel)
        self.n, self.m, error = None, None, 2.0 ** -53
        self.error = math.inf
        while n < 10000:
            radius2 = x * x + y * y
            if self.m is None and radius2 > 65536:
                self.m, self.z, self.radius2, self.error = n, (x, y), radius2, error / math.sqrt(radius2)  # in f64, relative
            if self.n is None and radius2 > bailout * bailout:
                self.n = n
            if self.n is not None and self.m is not None:
                break
            size = math.sqrt(radius2)
            error = self.degree * size ** (self.degree - 1) * error + 2.0 ** -51 * (size ** self.degree + 1)
            x, y, n = *self.step(x, y, c), n + 1

    def first(self, pixel):
        julia = self.name == "julia"
        return *pixel, tuple(map(Decimal, self.parameter.split(","))) if julia else pixel, 0 if julia else 1

    def step(self, x, y, c):
        x, y = (abs(x), abs(y)) if self.name == "burning-ship" else (x, -y) if self.name == "tricorn" else (x, y)
        px, py = x, y
        for _ in range(self.degree - 1):
            px, py = px * x - py * y, px * y + py * x
        return px + c[0], py + c[1]

    def radius_from(self, pixel):
        """|z_m| of another pixel."""
        x, y, c, n = self.first(pixel)
        for _ in range(n, self.m):
            x, y = self.step(x, y, c)
        return (x * x + y * y).sqrt()

    def gradient(self, at):
        """By differences of |z_m|; at(u, v) is the pixel so much to the right and above."""
        near = Decimal("1e-25")
        radius = self.radius2.sqrt()
        right, up = ((self.radius_from(at(*move)) - radius) / near for move in ((near, 0), (0, near)))
        scale = radius * radius.ln() / (right * right + up * up)
        return float(right * scale), float(up * scale)

    def fraction(self):
        beyond = (self.radius2.ln() / 2 / Decimal(256).ln()).ln() / Decimal(self.degree).ln()
        return float(self.m - self.n + 1 - beyond)


    def phase(self):
        """In turns, from 0 up to 1. f64 has the quotient, and so the angle, to 2^-50."""
        return math.atan2(*map(float, reversed(self.z))) / (2 * math.pi) % 1


def pixel_at(center, width, matrix, column, row, right=0, above=0):
    step = Decimal(width) / SIZE[0]
    u, v = Decimal(2 * column + 1 - SIZE[0]) / 2, Decimal(SIZE[1] - 2 * row - 1) / 2
    u, v = u + right, v + above
    a, b, c, d = map(Decimal, matrix)
    return Decimal(center[0]) + step * (a * u + b * v), Decimal(center[1]) + step * (c * u + d * v)


class Fields(ProgramTest):
    def render(self, name, *options, ranks=0):
        self.assert_done("render", *options, "-o", name, "--quiet", "--overwrite", ranks=ranks)
        with h5py.File(self.path(name)) as file:
            matrix = [float(x) for x in bytes(file.attrs.get("matrix", b"1,0,0,1")).split(b",")]
            return {key: file[key][()] for key in file if file[key].shape == file["iterations"].shape}, matrix

    def cases(self):
        """Each place with each arithmetic, upright and turned."""
        for formula, center, width, limit, arithmetics in PLACES:
            getcontext().prec = 60 - min(0, Decimal(width).adjusted()) * 2
            for arithmetic in arithmetics:
                for turn in ((), TURN):
                    options = ("--formula=" + formula, f"--center={','.join(center)}", "--width", width, "--iterations", str(limit),
                               "--arithmetic", arithmetic, "--size", "{}x{}".format(*SIZE), *turn)
                    yield formula, center, width, limit, options

    def orbits(self, case, matrix, counts, bailout=2):
        """Places of some pixels whose orbits escape, and these."""
        formula, center, width, limit, _ = case
        rows, columns = np.nonzero(counts < limit)
        self.assertGreater(len(rows), 20)
        for i in range(0, len(rows), max(1, len(rows) // 20)):
            def at(right, above, column=int(columns[i]), row=int(rows[i])):
                return pixel_at(center, width, matrix, column, row, right, above)
            orbit = Orbit(formula, at(0, 0), Decimal(bailout))
            # Rounding errors of plain f64 grow with the orbit, until the count is another one.
            if Decimal(width) < Decimal("1e-9") or orbit.error < 1e-7:
                self.assertEqual(orbit.n, counts[rows[i], columns[i]])
                yield (rows[i], columns[i]), orbit, at

    def test_fraction_is_what_smooth_adds_to_the_count(self):
        for case in self.cases():
            for bailout in (2,) if "--rotate" in case[-1] else (2, 1000):
                fields, matrix = self.render("a.h5", *case[-1], "--fields", "smooth,fraction", "--bailout", str(bailout))
                self.assertEqual(list(fields), ["fraction", "iterations", "smooth"])
                counts, fraction = fields["iterations"], fields["fraction"]
                seen = 0
                for at, orbit, _ in self.orbits(case, matrix, counts, bailout):
                    self.assertAlmostEqual(fraction[at], orbit.fraction(), delta=1.2e-6 + 2**-23 * abs(fraction[at]), msg=(case, at))
                    seen += 1
                self.assertGreater(seen, 8, case)
                self.assertTrue((fraction[counts == case[3]] == 0).all())
                np.testing.assert_allclose(counts.astype(float) + fraction, fields["smooth"], rtol=2**-23)

    def test_gradient_is_that_of_the_picture(self):
        for case in self.cases():
            fields, matrix = self.render("a.h5", *case[-1], "--fields", "distance,gradient")
            self.assertEqual(list(fields), ["distance", "gradient_x", "gradient_y", "iterations"])
            counts, gradient = fields["iterations"], np.dstack([fields["gradient_x"], fields["gradient_y"]])
            length = np.hypot(*gradient.astype(float).transpose(2, 0, 1))
            np.testing.assert_allclose(length, fields["distance"], rtol=2**-22, atol=1e-40)
            self.assertTrue((gradient[counts == case[3]] == 0).all())
            seen = 0
            for at, orbit, pixel in self.orbits(case, matrix, counts):
                wanted = orbit.gradient(pixel)
                if math.hypot(*wanted) < 1e-30:
                    continue
                np.testing.assert_allclose(gradient[at], wanted, rtol=0, atol=1e-6 * math.hypot(*wanted), err_msg=f"{case} {at}")
                seen += 1
            self.assertGreater(seen, 8, case)

    def test_phase_is_the_angle_of_z(self):
        for case in self.cases():
            for bailout in (2,) if "--rotate" in case[-1] else (2, 1000):
                fields, matrix = self.render("a.h5", *case[-1], "--fields", "phase", "--bailout", str(bailout))
                self.assertEqual(list(fields), ["iterations", "phase"])
                counts, phase = fields["iterations"], fields["phase"]
                seen = 0
                for at, orbit, _ in self.orbits(case, matrix, counts, bailout):
                    off = (float(phase[at]) - orbit.phase() + .5) % 1 - .5
                    # Half a unit of f32, and what orbits in f64 have gathered in hundreds of chaotic steps.
                    orbit_error = 1e-6 if case[2] == "3.85e-11" else 1e-10
                    self.assertLess(abs(off), 2**-24 * phase[at] + orbit_error, (case, at, bailout))
                    seen += 1
                self.assertGreater(seen, 8, case)
                self.assertTrue(((phase >= 0) & (phase < 1)).all())
                self.assertTrue((phase[counts == case[3]] == 0).all())

    def test_phase_on_the_axes_is_exact(self):
        # Of odd heights, the middle row is the real axis.
        for formula, center, exact in (("mandelbrot", "0.3,0", 0), ("mandelbrot", "-2.3,0", 0), ("tricorn", "-2.3,0", 0),
                                       ("multibrot:3", "-1.4,0", .5), ("burning-ship", "-2.3,0", 0), ("julia:0.4,0", "0,0", 0)):
            for arithmetic in ("plain", "exact"):
                fields, _ = self.render("a.h5", "--formula", formula, f"--center={center}", "--width", "0.2", "--size", "40x27",
                                        "--iterations", "500", "--arithmetic", arithmetic, "--fields", "phase")
                row = fields["phase"][13][fields["iterations"][13] < 500]
                self.assertGreater(row.size, 9, formula)
                self.assertEqual(set(row), {np.float32(exact)}, (formula, arithmetic))
        # Mirror images have angles of the other sign, whatever turns the picture.
        place = ("--center=-0.7,0", "--width", "2.5", "--size", "60x40", "--fields", "phase", "--iterations", "300")
        upright, _ = self.render("a.h5", *place)
        for turn, turned in (((), np.flipud), (("--mirror",), lambda x: x), (("--rotate", "180"), np.fliplr)):
            fields, _ = self.render("b.h5", *place, *turn)
            below = turned(fields["phase"]).astype(float)
            sums = (upright["phase"] + below) % 1
            np.testing.assert_allclose(np.minimum(sums, 1 - sums), 0, atol=2e-7, err_msg=turn)

    def test_devices_and_ranks_have_the_same_bits(self):
        devices = [("cpu", 0), ("cpu:scalar", 0), ("cpu", 3)] + ([] if why_missing("opencl") else [("opencl", 0)])
        for i, case in enumerate(list(self.cases())[::4]):
            for fields in ("smooth,distance,fraction,gradient,phase", ("fraction", "gradient", "phase")[i % 3]):
                job = (*case[-1], "--fields", fields, "--tile", "16")
                truth, _ = self.render("truth.h5", *job, "--device", "reference")
                for device, ranks in devices:
                    got, _ = self.render("got.h5", *job, "--device", device, ranks=ranks)
                    self.assertEqual(list(got), list(truth))
                    for field, values in truth.items():
                        self.assertEqual(values.tobytes(), got[field].tobytes(), (case, device, field))

    def test_files_tell_their_fields(self):
        self.assert_done("render", "--size", "160x120", "--fields", "phase,gradient,fraction", "-o", "a.h5", "--quiet")
        said = self.assert_done("info", "a.h5")
        for words in ("/fraction", "/gradient_x", "/gradient_y", "/phase", "iterations,fraction,gradient,phase"):
            self.assertIn(words, said)
        self.assertIn("the same bits", self.assert_done("verify", "a.h5"))
        # A picture needs none of them, and does not ask for them when it is rendered again.
        self.assert_done("color", "a.h5", "a.png", "--quiet")
        self.assertNotIn("fraction", self.assert_done("info", "a.png"))

    def test_light_falls_on_the_slopes(self):
        place = ("--center=-0.7463,0.1102", "--width", "0.005", "--size", "160x120", "--iterations", "2000", "--rotate", "20")
        fields, _ = self.render("a.h5", *place, "--fields", "smooth,distance,gradient")
        x, y = (fields[name].astype(float) for name in ("gradient_x", "gradient_y"))
        length = np.hypot(x, y)

        def light(name, *options):
            self.assert_done("color", "a.h5", name, "--png-depth", "16", "--overwrite", "--quiet", *options)
            code = deep_pixels_of(self.path(name)) / 65535
            return np.where(code <= .04045, code / 12.92, ((code + .055) / 1.055) ** 2.4)

        plain = light("plain.png")
        for given, azimuth, height in (("135,0.5", 135, .5), ("-90", -90, 1.5)):
            angle = math.radians(azimuth)
            with np.errstate(invalid="ignore"):
                share = ((x * math.cos(angle) + y * math.sin(angle)) / length + height) / (1 + height)
            share = np.where(length > 0, np.maximum(share, 0), 1)[:, :, None]
            np.testing.assert_allclose(light("lit.png", "--light", given), plain * share, atol=1e-4)
        both = light("lit.png", "--light", "135,0.5", "--distance", "2", "--inside", "#000000")
        self.assertTrue((both <= light("lit.png", "--light", "135,0.5") + 1e-4).all())
        # A picture alone asks for what it needs, and tells it.
        self.assert_done("render", *place, "--png", "alone.png", "--light", "135,0.5", "--quiet")
        said = self.assert_done("info", "alone.png")
        self.assertIn("--light=135,0.5", said)
        self.assertIn("--fields=iterations,smooth,gradient", said)
        self.assert_done("render", "--from", "alone.png", "--png", "again.png", "--quiet")
        for name in ("again.png", "alone.png"):
            with Image.open(self.path(name)) as picture:
                pixels = np.asarray(picture)
                self.assertTrue(name == "again.png" or (pixels == again).all())
                again = pixels
        self.assert_done("render", *place, "--fields", "smooth", "--output", "b.h5", "--quiet")
        self.assert_refused(["color", "b.h5", "b.png", "--light", "45"], 3, "--light", "b.h5 has no gradient", "--fields")
        self.assert_refused(["render", *place, "--png", "c.png", "--fields", "smooth", "--light", "45"], 2, "--light",
                            "needs the field gradient")
        self.assert_refused(["render", *place, "--output", "c.h5", "--light", "45"], 2, "--light", "--png")

    def test_what_is_wrong_is_refused(self):
        place = ["render", "--size", "16x9", "-o", "x.h5"]
        for options, words in ((["--fields", "fracton"], "fraction"), (["--fields", "fraction,fraction"], "twice"),
                               (["--fields", "fraction", "--bailout", "1.5"], "fraction values"),
                               (["--fields", "gradient_x"], "gradient"), (["--fields", "phase", "--bailout", "1"], "phase values"), (["--fields", "gradient", "--bailout", "1"], "gradient values")):
            self.assert_refused([*place, *options], 2, words)
        self.assert_done(*place, "--fields", "fraction")
        self.assert_refused(["color", "x.h5", "x.png", "--field", "fraction"], 2, "smooth")


if __name__ == "__main__":
    main()
