"""Nuclei and Misiurewicz points checked with whole numbers, by other means than those of tessera find.

Points are pairs of integers, in units of 2^-bits. Derivatives are differences, never formulas.
"""

import cmath
from fractions import Fraction


def fixed(decimal, bits):
    return round(Fraction(decimal) * 2**bits)


def power(z, degree, bits):
    x, y = z
    for _ in range(degree - 1):
        x, y = (x * z[0] - y * z[1]) >> bits, (x * z[1] + y * z[0]) >> bits
    return x, y


def step(z, c, formula, bits):
    name, _, degree = formula.partition(":")
    if name == "burning-ship":
        z = abs(z[0]), abs(z[1])
    if name == "tricorn":
        z = z[0], -z[1]
    x, y = power(z, int(degree or 2), bits)
    return x + c[0], y + c[1]


def orbit(c, n, formula, bits):
    """z_0 to z_n."""
    points = [(0, 0)]
    for _ in range(n):
        points.append(step(points[-1], c, formula, bits))
    return points


def minus(a, b):
    return a[0] - b[0], a[1] - b[1]


def length(z, bits):
    """|z| as a fraction, to 2^-bits."""
    return Fraction(max(abs(z[0]), abs(z[1])), 2**bits) if z == (0, 0) else root(z[0]**2 + z[1]**2, bits)


def root(square, bits):
    guess = 1 << ((square.bit_length() + 1) // 2)
    while (better := (guess + square // guess) // 2) < guess:
        guess = better
    return Fraction(guess, 2**bits)


class Check:
    """What find has printed, and a function of c that is 0 at the true point."""

    def __init__(self, found):
        self.formula = found["formula"]
        self.period = found["period"]
        self.preperiod = found.get("preperiod", 0)
        self.error = Fraction(found["error"])
        self.alone = Fraction(found["alone_within"])
        # Errors of an orbit grow as its derivative, which is about 1 / the distance to the next point.
        lost = 2 * (1 / self.alone).limit_denominator(1).numerator.bit_length()
        self.bits = 2 * (1 / self.error).limit_denominator(1).numerator.bit_length() + lost + 64
        self.center = tuple(fixed(part, self.bits) for part in found["center"])

    def value(self, c):
        points = orbit(c, self.preperiod + self.period, self.formula, self.bits)
        return minus(points[-1], points[self.preperiod])

    def newton(self, c):
        """By a 2 x 2 matrix of differences."""
        h = 2**(self.bits // 4) * max(1, int(self.error * 2**(self.bits // 2)))
        f = self.value(c)
        right = minus(self.value((c[0] + h, c[1])), f)
        up = minus(self.value((c[0], c[1] + h)), f)
        determinant = right[0] * up[1] - right[1] * up[0]
        return (c[0] - h * (up[1] * f[0] - up[0] * f[1]) // determinant,
                c[1] - h * (right[0] * f[1] - right[1] * f[0]) // determinant)

    def true_point(self):
        c = self.center
        for _ in range(6):
            c = self.newton(c)
        return c

    def turns(self):
        """How often the value winds around 0 on the circle in which there is said to be one point."""
        total, before = 0.0, None
        for k in range(25):
            angle = cmath.exp(2j * cmath.pi * k / 24)
            c = tuple(center + round(Fraction(part) * self.alone * 2**self.bits)
                      for center, part in zip(self.center, (angle.real, angle.imag)))
            f = self.value(c)
            size = max(abs(f[0]), abs(f[1]), 1)
            now = complex(Fraction(f[0], size), Fraction(f[1], size))
            if before is not None:
                total += cmath.phase(now / before)
            before = now
        return round(total / (2 * cmath.pi))

    def problems(self):
        """Sentences about what is wrong; none if all is as printed."""
        point = self.true_point()
        points = orbit(point, self.preperiod + self.period, self.formula, self.bits)
        tiny = Fraction(1, 2**(self.bits // 4))
        if length(minus(points[-1], points[self.preperiod]), self.bits) > tiny:
            yield "Newton's method does not converge"
        if length(minus(point, self.center), self.bits) > self.error:
            yield "the centre is wrong"
        for q in range(1, self.period):
            if length(minus(points[self.preperiod + q], points[self.preperiod]), self.bits) < tiny:
                yield f"the period is {q}"
        if self.preperiod and length(minus(points[-2], points[self.preperiod - 1]), self.bits) < tiny:
            yield "the preperiod is smaller"
        # The plane is folded along the real axis of the ship, so that values need not wind around 0 there.
        folded = self.formula == "burning-ship" and self.center[1] == 0
        if not folded and abs(self.turns()) != 1:
            yield "it is not alone"
