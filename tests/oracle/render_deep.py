"""Images by perturbation, at any depth, and their counts by the definition in whole numbers of Python."""

from fractions import Fraction

import numpy as np

# Points whose orbits end in a cycle that repels: there is something to see around them at every depth.
POINTS = {"mandelbrot": (("0", "1"), ("0", "-1"), ("-2", "0"), ("-2", "0")), "burning-ship": (("-2", "0"),), "tricorn": (("-2", "0"),),
          "julia:0,1": (("0", "1"), ("0", "0"), ("0", "-1")), "julia:-2,0": (("2", "0"), ("0", "0"), ("-2", "0"), ("1", "0"))}
# Of these, no such point is a decimal.
SHALLOW = {f"multibrot:{degree}": (("0", "0"), ("0", "1")) for degree in range(3, 9)}
MOST_PIXELS = 3000
BAILOUTS = (2.0, 2.0, 2.0, 2.5, 4.0, 256.0, 1000.0, 1e5, 1e75, 1.0, .5, 1e-3)


def random_formula(rng):
    """Half of them the usual one."""
    return "mandelbrot" if rng.random() < .5 else rng.choice(sorted(POINTS) + rng.sample(sorted(SHALLOW), 2))


def random_place(rng, formula):
    """Decimals of a centre and a width, from the whole set to 10^-300."""
    points = {**POINTS, **SHALLOW}[formula]
    digits = rng.choice([0, 2, 7, 12, 16, 30, 80, 200, 300, 330] if formula in POINTS else [0, 1, 2])
    width = Fraction(rng.randint(100, 400), 100 * 10**digits)
    centre = [Fraction(part) + rng.choice([0, Fraction(rng.randint(-60, 60), 100)]) * width for part in rng.choice(points)]
    if rng.random() < .1:
        centre[1] = abs(centre[1])
    return ",".join(decimal(part, digits + 4) for part in centre), f"{int(width * 10**(digits + 2))}e-{digits + 2}"


def decimal(value, places):
    """Exact; every value has at most so many places."""
    whole = int(value * 10**places)
    if value == int(value):
        return str(int(value))
    sign, digits = "-" if whole < 0 else "", str(abs(whole)).rjust(places + 1, "0")
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def counts(job, columns, rows):
    """Of an image of the place with so many pixels."""
    step = Fraction(job.width_text) / columns
    bits = 160 + 2 * max(0, step.denominator.bit_length() - step.numerator.bit_length())
    limit = int(Fraction(job.bailout)**2 * (1 << 2 * bits))
    centre = list(map(Fraction, job.center_text.split(",")))
    unit = 1 << bits
    name, _, parameter = job.formula.partition(":")
    constant = [int(Fraction(part) * unit) for part in parameter.split(",")] if name == "julia" else None
    power = power_of(name, int(parameter) if name == "multibrot" else 2, bits)
    found = np.empty((rows, columns), np.uint32)
    for y in range(rows):
        im = int((centre[1] + (Fraction(rows - 1, 2) - y) * step) * unit)
        for x in range(columns):
            re = int((centre[0] + (x - Fraction(columns - 1, 2)) * step) * unit)
            start, c = ((re, im), constant) if constant else ((0, 0), (re, im))
            found[y, x] = count(start, c, power, limit, job.iterations)
    return found


def power_of(name, degree, bits):
    """fold(z)^degree of the formula."""

    def power(x, y):
        if name == "burning-ship":
            x, y = abs(x), abs(y)
        if name == "tricorn":
            y = -y
        u, v = x, y
        for _ in range(degree - 1):
            u, v = (u * x - v * y) >> bits, (u * y + v * x) >> bits
        return u, v

    return power


def count(z, c, power, limit, iterations):
    x, y = z
    for n in range(iterations):
        if x * x + y * y > limit:
            return n
        x, y = power(x, y)
        x, y = x + c[0], y + c[1]
    return iterations
