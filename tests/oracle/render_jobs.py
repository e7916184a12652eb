"""Random images: places, sizes, depths and layouts, from the everyday to the limits of what is accepted."""

import cmath
import copy
import math

import render_deep
import render_truth

# Steps of a pixel times pixels that an image may take: what `reference` computes in a fraction of a second.
MOST_STEPS = 40_000_000
FAR_REAL = 1e100  # coordinates, widths and bailouts go to it
LEAST_WIDTH = 1e-290
PALETTES = ("twilight", "ember", "cividis")
VIEWS = {"whole": ("-0.75,0", "3", 1000), "valley": ("-0.7575,0.105", "0.036", 3000),
         "seahorse": ("-0.74352,0.13135", "0.0025", 5000),
         "needle-tip": ("-1.9854242530542052,0", "0.0003", 3000),
         "deep-spiral": ("-0.7436438870455587,0.1318259042028370", "1.2e-11", 20000)}


def fitted_width(job):
    """An image that is too flat for the view is wider than the view; its width has four digits."""
    width = float(job.width_text)
    if job.view != "whole" and 9 * job.width_px <= 16 * job.height:
        return job.width_text
    fitted = (2.4 if job.view == "whole" else width * 9 / 16) * job.width_px / job.height
    return job.width_text if fitted <= width else f"{fitted * 1.0005:.4g}"


class Job:
    """What decides pixels and layout. `keys` are the options that say so, without those of the run."""

    def __init__(self, rng, deep=False):
        self.deep = deep  # by perturbation
        self.view = rng.choice(sorted(VIEWS)) if not deep and rng.random() < .08 else ""
        self.formula = render_deep.random_formula(rng) if deep else "mandelbrot" if self.view else random_formula(rng)
        self.width_px, self.height = random_size(rng)
        while deep and self.pixels > render_deep.MOST_PIXELS:
            self.width_px, self.height = random_size(rng)
        self.bailout = rng.choice(render_deep.BAILOUTS) if self.deep else random_bailout(rng)
        self.smooth = not self.deep and self.bailout >= render_truth.escape_radius(self.formula) and rng.random() < .45
        self.random_place(rng)
        self.iterations = random_iterations(rng, self)
        self.tile = random_tile(rng, self)
        self.compress = rng.choice([0, 1, 1, 2, 3])
        self.keys = self.make_keys(rng)

    def random_place(self, rng):
        if self.deep:
            self.center_text, self.width_text = render_deep.random_place(rng, self.formula)
        elif self.view:
            self.center_text, self.width_text, _ = VIEWS[self.view]
            self.width_text = fitted_width(self)
        else:
            re, im, width = random_place(rng)
            if rng.random() < .15:
                width = least_width(re, im, width, self)
            self.center_text = decimals(rng, re) + "," + decimals(rng, im)
            self.width_text = decimals(rng, min(max(width, LEAST_WIDTH), FAR_REAL))
        self.center_re, self.center_im = map(float, self.center_text.split(","))
        self.width = float(self.width_text)

    def make_keys(self, rng):
        keys = {"size": f"{self.width_px}x{self.height}", "iterations": str(self.iterations), "tile": str(self.tile),
                "arithmetic": "perturbation" if self.deep else "plain"}
        if self.view:
            keys["view"] = self.view
            if self.iterations == VIEWS[self.view][2]:
                del keys["iterations"]
        else:
            keys["center"], keys["width"] = self.center_text, self.width_text
            # The other way to write a point.
            if rng.random() < .1:
                re, im = self.center_text.split(",")
                keys["center"] = f"{re}{'' if im.startswith('-') else '+'}{im}i"
        if self.formula != "mandelbrot" or rng.random() < .1:
            keys["formula"] = self.formula
        if self.bailout != 2 or rng.random() < .1:
            keys["bailout"] = repr(self.bailout)
        keys["fields"] = "iterations"  # a picture would have smooth values by default
        if self.smooth:
            keys["fields"] = rng.choice(["iterations,smooth", "smooth", "smooth,iterations"])
        if self.compress != 1 or rng.random() < .3:
            keys["compress"] = str(self.compress)
        return keys

    def neighbour(self):
        """The same with another number of iterations."""
        other = copy.copy(self)
        other.iterations = self.iterations - 1 or 2
        other.keys = {**self.keys, "iterations": str(other.iterations)}
        return other

    @property
    def tile_rows(self):
        return -(-self.height // self.tile)

    @property
    def tile_columns(self):
        return -(-self.width_px // self.tile)

    @property
    def tiles(self):
        return self.tile_rows * self.tile_columns

    @property
    def pixels(self):
        return self.width_px * self.height

    @property
    def fields(self):
        return ("iterations", "smooth") if self.smooth else ("iterations",)

    def options(self):
        """With `=`, because a centre may begin with a minus sign."""
        return [f"--{name}={value}" for name, value in self.keys.items()]

    def toml(self, rng):
        """Numbers bare or in quotes; a point as text or as an array."""
        lines = []
        for name, value in self.keys.items():
            bare = name in ("width", "iterations", "bailout", "tile", "compress") and rng.random() < .7
            if bare and name in ("width", "bailout") and not ("." in value or "e" in value):
                bare = value.isdigit() and len(value) < 18
            if name == "center" and "," in value and rng.random() < .5:
                lines.append("center = [" + ", ".join(f'"{part}"' for part in value.split(",")) + "]")
            else:
                lines.append(f"{name} = {value}" if bare else f'{name} = "{value}"')
        rng.shuffle(lines)
        return "\n".join(lines) + "\n"


def random_formula(rng):
    """Half of them the usual one; constants of Julia sets near the Mandelbrot set, on |c| = 2 and beyond."""
    kind = rng.random()
    if kind < .5:
        return "mandelbrot"
    if kind < .6:
        return "burning-ship"
    if kind < .7:
        return "tricorn"
    if kind < .85:
        return f"multibrot:{rng.randint(3, 8)}"
    constant = rng.choice([boundary_point(rng), complex(rng.uniform(-2, 1), rng.uniform(-1.2, 1.2)), -2, -1, 0, .25, 1j, -6,
                           2 * cmath.exp(2j * math.pi * rng.random()), log_uniform(rng, 2, 1e4), complex(-1e50, 1e40)])
    constant = complex(constant)
    return f"julia:{decimals(rng, constant.real)},{decimals(rng, constant.imag)}"


def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def random_size(rng):
    side = rng.choice([8, 40, 150, 400])
    width, height = (max(1, round(log_uniform(rng, 1, side * 1.7))) for _ in range(2))
    kind = rng.random()
    if kind < .08:
        return (rng.choice([1, 2, 3]), round(log_uniform(rng, 1, 3000)))[::rng.choice([1, -1])]
    if kind < .2:
        return rng.choice([(64, 64), (63, 65), (257, 1), (1, 1), (16, 17), (701, 499), (512, 8), (96, 33)])
    return width, height


def random_bailout(rng):
    if rng.random() < .7:
        return 2.0
    return rng.choice([math.nextafter(2, 0), math.nextafter(2, 3), 2.5, 3.0, 4.0, 10.0, 255.9, 256.0,
                       math.nextafter(256, 300), 257.0, 1000.0, 65536.0, 1e5, 1e75, 1.1e75, 1e76, 1e100,
                       1.0, .5, 1.9, 1e-3, 1e-200, 1e-290, log_uniform(rng, .1, 1e3), log_uniform(rng, 2, 1e100)])


def boundary_point(rng):
    """On the cardioid or the disc, at the angle of a small bulb or at any."""
    angle = 2 * math.pi * (rng.random() if rng.random() < .5 else rng.randrange(12) / rng.choice([3, 4, 5, 7, 12]))
    unit = cmath.exp(1j * angle)
    return unit / 2 - unit * unit / 4 if rng.random() < .6 else -1 + unit / 4


def random_place(rng):
    """(re, im, width)"""
    kind = rng.random()
    width = log_uniform(rng, 1e-13, 4)
    if kind < .2:
        return rng.uniform(-2.2, .8), rng.uniform(-1.3, 1.3), width
    if kind < .35:
        point = boundary_point(rng)
        return point.real, point.imag, width
    if kind < .5:
        point = rng.choice([.25, -.75, -1.25, -2, 0, -1, -1.7549, -1.4011551890920506, .3, 2, -1.5, -.5])
        return point, 0.0, rng.choice([width, 4 * rng.random(), 1e-6])
    if kind < .58:
        point = rng.choice([0, -1, -.1 + .7j, -.12256116687665362 + .7448617666197442j, 1j, -.1, .2j])
        return point.real, point.imag, log_uniform(rng, 1e-9, .3)
    if kind < .68:
        # Where |c| is 2, which the tests every 16 steps know as a special case.
        unit = 2 * cmath.exp(2j * math.pi * rng.random())
        return unit.real, unit.imag, log_uniform(rng, 1e-14, 1)
    if kind < .78:
        size = log_uniform(rng, 2, FAR_REAL)
        angle = 2 * math.pi * rng.random()
        return size * math.cos(angle), size * math.sin(angle), size * log_uniform(rng, 1e-14, 3)
    if kind < .85:
        return rng.uniform(-3, 3), rng.uniform(-3, 3), log_uniform(rng, 3, FAR_REAL)
    if kind < .92:
        return 0.0, 0.0, log_uniform(rng, LEAST_WIDTH, 1)
    return rng.uniform(-2, .5), rng.choice([0.0, -0.0, 1e-300]), log_uniform(rng, 1e-12, 3)


def least_width(re, im, width, job):
    """About the least that plain arithmetic can do there, sometimes less than that."""
    pixels = max(job.width_px, job.height)
    return job.width_px * math.ulp(max(abs(re), abs(im), width / 2 if pixels == 1 else 0)) * (1 + pixels * 2e-16)


def decimals(rng, value):
    """The shortest text, a long one, or another spelling."""
    kind = rng.random()
    if kind < .6:
        return repr(value)
    if kind < .8 and 1e-5 < abs(value) < 1e5:
        return f"{value:.{rng.choice([6, 15, 19, 30])}f}{'0' * rng.randrange(3)}"
    if kind < .9:
        return f"{value:.{rng.choice([3, 16, 25])}e}"
    return f"{value:.17g}"


def random_iterations(rng, job):
    """As many as the image has steps to spare."""
    if job.deep:
        return round(log_uniform(rng, 2, 1500))
    most = max(16, MOST_STEPS // job.pixels)
    if job.view and VIEWS[job.view][2] <= most and rng.random() < .3:
        return VIEWS[job.view][2]
    # Nothing stays inside where all of the image is far outside.
    away = max(abs(job.center_re), abs(job.center_im)) > 2.5 + job.width * max(1, job.height / job.width_px)
    if away and 2 <= job.bailout and rng.random() < .3:
        return rng.choice([65535, 65536, 2**31, 2**32 - 2])
    if rng.random() < .35:
        fits = [n for n in (1, 2, 3, 4, 15, 16, 17, 18, 31, 32, 33, 47, 48, 49, 64, 255, 256, 257, 1000, 65534, 65535,
                            65536, 65537, 100000) if n <= most]
        return rng.choice(fits)
    if rng.random() < .3:
        return min(most, 5000)
    return round(log_uniform(rng, 1, min(most, 5000)))


def random_tile(rng, job):
    """Any that leaves some thousand tiles at most."""
    kind = rng.random()
    if kind < .5:
        tile = rng.choice([16, 17, 31, 32, 33, 64, 61, 96, 100, 127, 128])
    elif kind < .7:
        tile = rng.randint(1, max(job.width_px, job.height) + 1)
    elif kind < .8:
        tile = rng.choice([1, 2, 3, 5])
    else:
        tile = rng.choice([256, 512, 1000, 2048, 16384])
    while -(-job.width_px // tile) * -(-job.height // tile) > 2000:
        tile *= 2
    return min(tile, 16384)


def random_job(rng, too_deep, long):
    """One by perturbation, or one that plain arithmetic can do; also the other kind, which is to be refused, where
    `too_deep` says so. A `long` one has work for some time, and some tiles."""
    deep = not long and rng.random() < .2
    while True:
        # Most places are empty; of some, the one with most to see is taken more often than not.
        job = max((Job(rng, deep) for _ in range(rng.choice([1, 4, 8]))), key=richness)
        if long and (job.tiles < 6 or render_truth.sample(job).mean() * job.pixels < MOST_STEPS / 4):
            continue
        if render_truth.tells_pixels_apart(job) or (too_deep and rng.random() < .2):
            return job


def richness(job):
    """Pixels times how many counts they have, about."""
    return len(set(render_truth.sample(job).ravel().tolist())) * job.pixels
