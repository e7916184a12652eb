#!/usr/bin/env python3
"""Exact sums against Python's fractions and math.fsum, bit for bit.

usage: exact_sums_test.py EXACT_ANSWERS

Every record of numbers goes through the program exact_answers by each of its methods; an answer that differs
from the real number, rounded once to nearest even, in any bit is printed, and the exit code is 1.
"""

import math
import random
import struct
import subprocess
import sys
from fractions import Fraction

NAMES = ("sum", "mean", "norm1", "norm2", "var", "std", "dot", "skewness", "kurtosis")
INF, NAN = math.inf, math.nan
TINIEST = 5e-324
LARGEST = sys.float_info.max
UNIT = 2**1074


def units(x):
    """A finite f64 as a whole number of 2^-1074: sums of these are exact, and quicker than those of Fractions."""
    numerator, denominator = x.as_integer_ratio()
    return (numerator << 1074) // denominator


def rounded(value):
    """A Fraction as f64; Python's division of integers rounds once."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return INF if value > 0 else -INF


def rounded_root(value):
    """The square root of a Fraction as f64: enough bits of it, made odd where it goes on, rounded once."""
    if value == 0:
        return 0.0
    shift = 140 - value.numerator.bit_length() + value.denominator.bit_length()
    shift += shift % 2
    scaled = value * Fraction(2) ** shift
    root = math.isqrt(scaled.numerator // scaled.denominator)
    sticky = 0 if Fraction(root * root) == scaled else 1
    return rounded(Fraction(2 * root + sticky) / 2 / Fraction(2) ** (shift // 2))


def special_sum(terms):
    """IEEE's sum where it is not a finite number, else None."""
    if any(math.isnan(t) for t in terms) or (INF in terms and -INF in terms):
        return NAN
    return INF if INF in terms else -INF if -INF in terms else None


def exact_sum(terms):
    """The sum of f64 terms, rounded once."""
    special = special_sum(terms)
    if special is not None:
        return special
    if terms and all(t == 0 and math.copysign(1, t) < 0 for t in terms):
        return -0.0
    value = rounded(Fraction(sum(map(units, terms)), UNIT))
    if not math.isinf(value):
        try:
            assert math.fsum(terms) == value
        except OverflowError:  # of a sum on the way
            pass
    return value


def exact_dot(x, y):
    special = special_sum([a * b if math.isinf(a) or math.isinf(b) or a != a or b != b else 0.0 for a, b in zip(x, y)])
    if special is not None:
        return special
    if x and all((a == 0 or b == 0) and math.copysign(1, a) * math.copysign(1, b) < 0 for a, b in zip(x, y)):
        return -0.0
    return rounded(Fraction(sum(units(a) * units(b) for a, b in zip(x, y)), UNIT**2))


def moments(x):
    """Skewness and excess kurtosis by their definition, from the exact deviations n (x - mean)."""
    if any(math.isnan(t) or math.isinf(t) for t in x):
        return [NAN, NAN]
    numbers = [units(t) for t in x]
    total, n = sum(numbers), len(x)
    deviations = [n * t - total for t in numbers]
    second, third, fourth = (sum(d**k for d in deviations) for k in (2, 3, 4))
    if second == 0:
        return [NAN, NAN]
    root = rounded_root(Fraction(n * third**2, second**3))
    return [-root if third < 0 else root, rounded(Fraction(n * fourth - 3 * second**2, second**2))]


def expected(x, ddof):
    """The nine answers, in the order of NAMES."""
    n = len(x)
    norm1 = exact_sum([abs(t) for t in x])
    total = exact_sum(x)
    if special_sum(x) is not None or math.isinf(norm1) and INF in x:
        norm2 = NAN if any(t != t for t in x) else INF
        return [total, total if n else NAN, norm1, norm2, NAN, NAN, exact_dot(x, x[::-1]), *moments(x)]
    exact = Fraction(sum(map(units, x)), UNIT)
    squares = Fraction(sum(units(t) ** 2 for t in x), UNIT**2)
    if n < 100:
        assert exact == sum(map(Fraction, x)) and squares == sum(Fraction(t) ** 2 for t in x)
    mean = NAN if n == 0 else total if exact == 0 else rounded(exact / n)
    variance = (squares - exact * exact / n) / (n - ddof) if n > ddof else None
    return [
        total,
        mean,
        norm1,
        rounded_root(squares),
        NAN if variance is None else rounded(variance),
        NAN if variance is None else rounded_root(variance),
        exact_dot(x, x[::-1]),
        *moments(x),
    ]


def any_bits(rng):
    """A finite f64 of random bits: all exponents alike."""
    while True:
        value = struct.unpack("<d", rng.randbytes(8))[0]
        if math.isfinite(value):
            return value


def cancelling(rng, n):
    """Numbers that cancel but for about 1e-300."""
    x = [rng.uniform(-1, 1) * 2.0 ** rng.randint(-300, 300) for _ in range(n // 2)]
    x += [-t for t in x] + [rng.uniform(1, 2) * 1e-300]
    rng.shuffle(x)
    return x


def spread(rng, n, binades):
    return [rng.uniform(-1, 1) * 2.0 ** rng.randint(-binades, binades) for _ in range(n)]


def ties(rng):
    """A sum half-way between two f64, and next to it."""
    big = float(rng.randrange(2**52, 2**53)) * 2.0 ** rng.randint(-100, 100)
    half = math.ulp(big) / 2
    return [big, half] + rng.choice([[], [half * 2.0**-200], [-half * 2.0**-200], [TINIEST], [-TINIEST]])


def small_records(rng):
    """Corner cases: each a list of numbers."""
    zeros = [[], [0.0], [-0.0], [-0.0] * 5, [-0.0, 0.0], [1.5, -1.5], [-0.0, 1.0, -1.0], [-0.0] * 9001]
    zeros += [[-0.0] * 5000 + [0.0], [TINIEST] + [-0.0] * 5000 + [-TINIEST]]
    ends = [[LARGEST] * 2, [-LARGEST] * 3, [LARGEST, LARGEST, -LARGEST, -LARGEST], [1e308] * 2 + [-1e308] * 2]
    ends += [[LARGEST, math.ulp(LARGEST) / 2], [LARGEST, math.ulp(LARGEST) / 4], [TINIEST] * 3, [TINIEST, 1e-310, -2.3e-308]]
    singles = [[any_bits(rng)] for _ in range(50)]
    corners = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, LARGEST, -LARGEST, TINIEST]
    special = [[a, b, c] for a in corners for b in corners for c in corners]
    special += [rng.choices([INF, -INF, NAN, 1.0, -0.0, LARGEST], k=rng.randint(4, 40)) for _ in range(50)]
    return zeros + ends + singles + special + [ties(rng) for _ in range(300)]


def records(rng):
    yield from small_records(rng)
    for n in (3, 13, 61, 127, 509, 1021, 4093, 8191, 20011):
        yield [rng.random() for _ in range(n)]
        yield [rng.gauss(0, 1) for _ in range(n)]
        yield [math.exp(3 * rng.gauss(0, 1)) for _ in range(n)]
        yield [rng.gauss(1e9, 1) for _ in range(n)]
        yield [float(rng.randint(-5, 5)) for _ in range(n)]
        yield [9.97e36 if rng.random() < 0.001 else rng.gauss(0, 1) for _ in range(n)]
        yield [rng.randint(-(2**40), 2**40) * TINIEST for _ in range(n)]
        yield [rng.choice([-0.0, TINIEST, 1e-308, -1e-160, 1e300]) for _ in range(n)]
        yield cancelling(rng, n)
        for binades in (20, 40, 100, 300, 500):
            yield spread(rng, n, binades)
        yield [any_bits(rng) for _ in range(n)]
        yield [rng.gauss(0, 1) for _ in range(n)] + [rng.choice([INF, -INF, NAN])]
        yield [rng.gauss(0, 1) * 2.0 ** (i // 1000 * 37 - 300) for i in range(n)]


def run(program, method, all_records):
    """The answers of the program, nine f64 a record."""
    data = b"".join(
        struct.pack(f"<4Q{len(x)}d", len(x), ddof, parts, seed, *x) for x, ddof, parts, seed in all_records
    )
    out = subprocess.run([program, method], input=data, stdout=subprocess.PIPE, check=True).stdout
    return [out[i : i + 72] for i in range(0, len(out), 72)]


def same_bits(a, b):
    return struct.pack("<d", a) == struct.pack("<d", b) or (a != a and b != b)


def as_f32(x):
    """x rounded to f32, as C++ does it; too large becomes infinite."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


def with_answers(all_records):
    return all_records, [expected(x, ddof) for x, ddof, _, _ in all_records]


def main(program):
    rng = random.Random(4)
    all_f64 = [(x, rng.randint(0, 1), rng.choice([1, 1, 2, 3, 7, 60]), rng.getrandbits(64)) for x in records(rng)]
    all_f32 = [([as_f32(t) for t in x], *rest) for x, *rest in all_f64[::2]]
    suites = {False: with_answers(all_f64), True: with_answers(all_f32)}
    methods = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    wrong = 0
    for method in methods:
        all_records, wanted = suites[method.endswith(":f32")]
        answers = run(program, method, all_records)
        assert len(answers) == len(all_records)
        for number, (answer, want, record) in enumerate(zip(answers, wanted, all_records)):
            for name, got, right in zip(NAMES, struct.unpack("<9d", answer), want):
                if not same_bits(got, right):
                    wrong += 1
                    if wrong < 30:
                        print(f"{method}: {name} of record {number} ({len(record[0])} numbers from {record[0][:4]}): "
                              f"{got!r} = {got.hex()}, not {right!r} = {right.hex()}", file=sys.stderr)
        print(f"{method}: {len(answers)} records, {len(NAMES)} answers each", flush=True)
    return 1 if wrong or not methods else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
